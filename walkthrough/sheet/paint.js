// Drawing: cell sizes from the width there is, the colours of the theme, and the cells on their canvases.
// A view is one drawn grid: view.grid from the payload, its elements, and, once laid out, view.x and view.y.
import { digits, fewerDigits, valueAt } from "./rules.js";
import { colourOf, headName, make, plain } from "./reading.js";

// ---- layout

const SIZES = [56, 53, 50, 47, 45, 42, 40, 38], READABLE = 45, SMALL = [32, 28, 24, 20, 18, 16, 14, 13, 12], SCROLLED = 44;
const TITLE = 30, STRIP = 30, TALLEST = 600, LONGEST_HEADER = 132, BETWEEN = 24, LARGEST_LABEL = 16, SMALLEST_HEADER = 12.5;
const pen = document.createElement("canvas").getContext("2d");
export const clamp = (x, least, most) => Math.max(least, Math.min(most, x));

let widths = new Map(); // of every text at 100 px: measured once, then scaled
export const forgetWidths = () => (widths = new Map());

function textWidth(theme, text, size = 1, weight = 400) {
  const key = weight + text;
  if (!widths.has(key)) {
    if (widths.size > 20000) forgetWidths();
    pen.font = `${weight} 100px ${theme.font}`;
    widths.set(key, pen.measureText(text).width / 100);
  }
  return widths.get(key) * size;
}

// Numbers are written with few characters, so their widths are sums: no number is measured twice.
const numberWidth = (theme, text) => [...text].reduce((width, character) => width + textWidth(theme, character), 0);

// All sizes of one equation for a room of so many pixels, and the places of its signs.
export function layout(sheet, equation, room) {
  const views = equation.units.flatMap((unit) => unit.views);
  const signs = equation.units.map((unit) => unit.operator).filter(Boolean);
  for (const sign of signs) sign.room = sheet.isNarrow ? 0 : Math.max(46, textWidth(sheet.theme, sign.label, 14) + 16);
  for (const view of views) measureTexts(view);
  const size = chooseSize(equation, views, room);
  for (const view of views) Object.assign(view, measure(view, size));
  const head = Math.max(...views.map((view) => view.x.head)); // side by side, all cells start at one height
  for (const view of views) applySizes(view, sheet.isNarrow ? view.x.head : head);
  const middle = TITLE + head + Math.min(...views.map((view) => view.y.total)) / 2;
  for (const sign of signs) {
    sign.style.width = sheet.isNarrow ? "" : `${sign.room}px`;
    sign.style.marginTop = sheet.isNarrow ? "" : `${Math.max(0, middle - (sign.label ? 20 : 0) - 22)}px`;
  }
}

// The widths of all texts of a grid at 1 px, so that trying a size is arithmetic alone.
function measureTexts(view) {
  const { theme } = view.sheet, all = (labels) => labels.map((label) => textWidth(theme, label.text, 1, 650));
  const title = textWidth(theme, view.titleText, 16.5, 500);
  view.texts = { rows: all(view.rowLabels), columns: all(view.columnLabels), title };
}

// On one line where that can be read at all, else on as few lines as can be read with ease.
// What fits in no line shrinks (words) or scrolls inside itself (numbers).
function chooseSize(equation, views, room) {
  const most = Math.max(...views.map((view) => view.grid.columns.length));
  const isCompact = most > 24 && equation.units.some((unit) => unit.views.length > 1);
  for (const view of views) view.isCompact = isCompact;
  if (isCompact) return Math.max(4, Math.floor(Math.min(room, 288) / most));
  const fitsIn = ({ views, operator }, size) => measure(views[0], size).width + (operator?.room ?? 0) <= room;
  const fits = (size) => equation.units.every((unit) => fitsIn(unit, size));
  const fitting = SIZES.filter(fits);
  if (fitting.length) {
    const lines = new Map(fitting.map((size) => [size, countLines(equation, size, room)]));
    const eligible = fitting.filter((size) => size >= READABLE || lines.get(size) === 1);
    const fewest = Math.min(...eligible.map((size) => lines.get(size)));
    return eligible.find((size) => lines.get(size) === fewest) ?? fitting[0];
  }
  const isOpen = views.some((view) => view.grid.unfolded.includes("columns"));
  if (most <= 12 || (isOpen && most <= 128)) return SCROLLED;
  return isOpen ? 14 : SMALL.find(fits) ?? 12;
}

function countLines(equation, size, room) {
  let lines = 1, used = 0;
  for (const unit of equation.units) {
    const width = measure(unit.views[0], size).width, sign = unit.operator?.room ?? 0;
    const across = clamp(Math.floor((room - sign + BETWEEN) / (width + BETWEEN)), 1, unit.views.length);
    const needed = across * width + (across - 1) * BETWEEN + sign;
    if (used && used + needed > room) (lines += 1), (used = 0);
    lines += Math.ceil(unit.views.length / across) - 1;
    used += needed;
  }
  return lines;
}

// Everything about one grid at one cell size: where each drawn row and column starts and how large it is.
function measure(view, cell) {
  const { grid, texts } = view, most = Math.max(...texts.columns);
  if (view.isCompact) return compact(view, cell);
  const height = clamp(Math.floor(TALLEST / grid.rows.length), 12, Math.round(cell * (cell < 36 ? 1 : 0.8)));
  const font = clamp(Math.min(height, cell) * 0.5, 10, LARGEST_LABEL);
  const lines = (width, space) => (width <= space ? 1 : Math.ceil(width / (space - font)));
  const label = 12 + Math.ceil(Math.min(Math.max(...texts.rows) * font, view.sheet.isNarrow ? 76 : 150));
  const level = Math.min(font, (cell - 3) / most), isTurned = level < Math.min(font, SMALLEST_HEADER);
  const reach = Math.min(Math.ceil(most * font) + 6, LONGEST_HEADER);
  const columnSizes = texts.columns.map((w) => Math.max(cell, isTurned ? lines(w * font, reach - 4) * font * 1.25 : 0));
  const rowSizes = texts.rows.map((w) => Math.max(height, lines(w * font, label - 10) * font * 1.25));
  const head = Math.max(isTurned ? reach + 4 : font * 1.7, grid.row_title ? 40 : 0);
  const x = { ...spread(grid.columns, columnSizes), isTurned, head, font: isTurned ? font : level };
  const side = Math.max(label, grid.row_title ? 66 : 0);
  const width = Math.ceil(Math.max(side + x.total, texts.title));
  return { cell, height, font, label: side, x, y: spread(grid.rows, rowSizes), width };
}

// Many heads of a long sentence: cells of a few pixels without labels; a note under the grid says so.
function compact({ grid, texts }, cell) {
  const [x, y] = [grid.columns, grid.rows].map((places) => spread(places, places.map(() => cell)));
  const width = Math.ceil(Math.max(x.total, texts.title));
  return { cell, height: cell, font: 0, label: 0, x: { ...x, head: 2 }, y, width };
}

function spread(places, sizes) {
  const start = [], strips = [];
  let position = 0;
  places.forEach((place, i) => {
    const hidden = i ? place - places[i - 1] - 1 : 0;
    if (hidden) strips.push({ start: position, hidden }), (position += STRIP);
    start.push(position);
    position += sizes[i];
  });
  return { start, sizes, strips, total: position };
}

function applySizes(view, head) {
  view.head = head;
  const { label, x, y, font, isCompact } = view;
  view.frame.style.cssText = `grid-template:${head}px ${y.total}px / ${label}px ${x.total}px;
    --font:${font}px;--font-columns:${x.font}px`;
  for (const part of [view.rowsBox, view.columnsBox, view.corner]) part.hidden = isCompact;
  view.note.hidden = !isCompact;
  view.columnsBox.classList.toggle("turned", !!x.isTurned);
  view.rowLabels.forEach(({ style }, i) => ((style.top = `${y.start[i]}px`), (style.height = `${y.sizes[i]}px`)));
  view.columnLabels.forEach(({ style }, i) => ((style.left = `${x.start[i]}px`), (style.width = `${x.sizes[i]}px`)));
  view.legend.style.cssText = `margin-inline-start:${label}px;max-width:${Math.max(x.total, 190)}px`;
  view.frame.parentElement.style.maxHeight = y.total > TALLEST * 2.5 ? "80vh" : "";
  for (const strip of view.cells.querySelectorAll(".strip")) strip.remove();
  view.cells.append(...x.strips.map((strip) => stripButton(view, strip, "column")));
  view.cells.append(...y.strips.map((strip) => stripButton(view, strip, "row")));
  for (const canvas of [view.base, view.over]) sizeCanvas(view, canvas);
}

function stripButton(view, { start, hidden }, side) {
  const { book, act } = view.sheet, room = side === "column" ? view.y.total : view.x.total;
  const name = plain(book.texts.unfold, { count: hidden });
  const text = room < 92 ? `…${hidden}…` : plain(book.texts.more, { count: hidden });
  const named = { title: name, "aria-label": name };
  const button = make("button", { type: "button", class: `strip ${side}`, tabindex: -1, ...named }, text);
  button.style[side === "column" ? "left" : "top"] = `${start}px`;
  button.onclick = () => act.toggleFold(view, `${side}s`);
  return button;
}

function sizeCanvas(view, canvas) {
  const { x, y } = view;
  view.scale = Math.min(window.devicePixelRatio || 1, 16000 / Math.max(x.total, y.total)); // browsers refuse larger canvases
  const [width, height] = [x.total, y.total].map((length) => Math.round(length * view.scale));
  if (canvas.width !== width) canvas.width = width; // setting a size, even the same, throws the canvas away
  if (canvas.height !== height) canvas.height = height;
  canvas.style.cssText = `width:${x.total}px;height:${y.total}px`;
}

// ---- theme

const STEPS = 200;

const NAMES = ["text", "card", "line", "signed-low", "signed-zero", "signed-high", "weight-none", "weight-all",
  "input", "query", "key", "value", "score", "weight", "head", "output", ...[1, 2, 3, 4, 5, 6, 7, 8].map(headName)];

// A canvas cannot read CSS variables: an unseen element wears each colour, and is asked for it.
export function buildProbe() {
  const wearing = (name) => make("i", { style: `color:${colourOf(name)}` });
  return make("span", { class: "probe", "aria-hidden": "true" }, NAMES.map(wearing));
}

export function readTheme({ probe, theme: before }) {
  const theme = Object.fromEntries(NAMES.map((name, i) => [name, getComputedStyle(probe.children[i]).color]));
  const font = getComputedStyle(probe).fontFamily, key = Object.values(theme).join() + font;
  if (before?.key === key) return before;
  forgetWidths();
  const signed = blend([theme["signed-low"], theme["signed-zero"], theme["signed-high"]], theme.text);
  return { ...theme, key, font, signed, weight: blend([theme["weight-none"], theme["weight-all"]], theme.text) };
}

function channels(css) {
  const plainly = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(css);
  if (plainly) return plainly.slice(1).map(Number);
  pen.fillStyle = css;
  pen.fillRect(0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
}

export function luminance(rgb) {
  const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

// A scale in small steps, each with an ink that can be read on it: the text's where it can, else black or white.
function blend(stops, text) {
  const colours = stops.map(channels), withLight = (css) => [css, luminance(channels(css))];
  const inks = [text, "rgb(0, 0, 0)", "rgb(255, 255, 255)"].map(withLight);
  return Array.from({ length: STEPS + 1 }, (_, i) => {
    const along = (i / STEPS) * (colours.length - 1), from = Math.min(Math.floor(along), colours.length - 2);
    const rgb = colours[from].map((c, k) => Math.round(c + (colours[from + 1][k] - c) * (along - from)));
    const on = luminance(rgb), best = inks.reduce((a, b) => (contrast(b[1], on) > contrast(a[1], on) ? b : a));
    return { fill: `rgb(${rgb})`, ink: contrast(inks[0][1], on) >= 4.5 ? text : best[0] };
  });
}

function shade({ grid, sheet }, value) {
  if (value === -Infinity) return { fill: sheet.theme.card, ink: sheet.theme.text };
  const share = grid.scale === "weight" ? value : grid.limit ? (value / grid.limit + 1) / 2 : 0.5;
  return sheet.theme[grid.scale][Math.round(clamp(share, 0, 1) * STEPS)];
}

// ---- painting

export function placeIn({ grid }, r, c) {
  const [row, column] = grid.transposed ? [grid.columns[c], grid.rows[r]] : [grid.rows[r], grid.columns[c]];
  return { field: grid.field, head: grid.head ?? 0, row, column };
}

function boxOf({ x, y, cell }, r, c) {
  const gap = cell >= 24 ? 2 : cell >= 8 ? 1 : 0;
  return [x.start[c] + gap / 2, y.start[r] + gap / 2, x.sizes[c] - gap, y.sizes[r] - gap];
}

const radius = ({ cell }) => (cell >= 30 ? 6 : cell >= 20 ? 3 : 0);

function cleanCanvas(view, canvas) {
  const ink = canvas.getContext("2d");
  ink.setTransform(view.scale, 0, 0, view.scale, 0, 0);
  ink.clearRect(0, 0, view.x.total, view.y.total);
  return ink;
}

export function paintBase(view) {
  const { grid, cell, height, sheet } = view, ink = cleanCanvas(view, view.base);
  ink.textAlign = "center";
  ink.textBaseline = "middle";
  const room = (cell - 8) / numberWidth(sheet.theme, "−0.00"); // one size for the usual number, so that a grid looks even
  view.size = cell < 34 || height < 15 ? 0 : Math.min(16, height * 0.62, room);
  view.inkFont = "";
  for (let r = 0; r < grid.rows.length; r++) for (let c = 0; c < grid.columns.length; c++) paintCell(view, ink, r, c);
}

function paintCell(view, ink, r, c) {
  const value = valueAt(view.sheet.book, placeIn(view, r, c)), box = boxOf(view, r, c), colours = shade(view, value);
  ink.fillStyle = colours.fill;
  if (view.cell >= 20) {
    ink.beginPath();
    ink.roundRect(...box, radius(view));
    ink.fill();
  } else ink.fillRect(...box);
  if (value === -Infinity) hatch(ink, box, view.sheet.theme.line);
  if (view.size) paintNumber(view, ink, value, box, colours.ink);
}

function paintNumber(view, ink, value, [x, y, width, height], colour) {
  const { theme } = view.sheet, sizeOf = (text) => Math.min(view.size, (width - 4) / numberWidth(theme, text));
  let text = digits(value);
  if (sizeOf(text) < view.size * 0.85) text = Number.isFinite(value) ? fewerDigits(value) : text;
  const size = Math.floor(sizeOf(text) * 2) / 2; // few sizes: to change the font costs more than to write
  if (size < 9.5) return; // too long for its cell: the colour tells, and the reading line says it
  const font = `400 ${size}px ${theme.font}`;
  if (font !== view.inkFont) ink.font = view.inkFont = font;
  ink.fillStyle = colour;
  ink.fillText(text, x + width / 2, y + height / 2 + 1);
}

function hatch(ink, [x, y, width, height], colour) {
  ink.save();
  ink.beginPath();
  ink.rect(x, y, width, height);
  ink.clip();
  ink.strokeStyle = colour;
  ink.lineWidth = 1.5;
  ink.beginPath();
  for (let d = -height; d < width; d += 7) ink.moveTo(x + d, y + height), ink.lineTo(x + d + height, y);
  ink.stroke();
  ink.restore();
}

// What is lit stays as it is and gets an outline; while one points, a veil lets everything else step back.
export function paintOver(view, lit, isPointing) {
  const { cell, sheet: { theme } } = view, ink = cleanCanvas(view, view.over);
  if (isPointing) {
    ink.globalAlpha = 0.7;
    ink.fillStyle = theme.card;
    ink.fillRect(0, 0, view.x.total, view.y.total);
    ink.globalAlpha = 1;
    for (const { r, c } of lit) ink.clearRect(view.x.start[c], view.y.start[r], view.x.sizes[c], view.y.sizes[r]);
  }
  for (const { r, c, to, colour, isOwn } of cell < 16 ? asRuns(lit) : lit) {
    const [x, y, width, height] = to ? around(boxOf(view, r, c), boxOf(view, ...to)) : boxOf(view, r, c);
    ink.strokeStyle = isOwn ? theme.text : theme[colour];
    ink.lineWidth = isOwn ? 3 : cell >= 24 ? 2 : 1.25;
    ink.beginPath();
    ink.roundRect(x + 0.5, y + 0.5, width - 1, height - 1, radius(view));
    ink.stroke();
  }
}

// Cells too small for outlines of their own: those of one colour (a row, a column) share one.
function asRuns(lit) {
  const runs = new Map();
  for (const { r, c, colour, isOwn } of lit) {
    const run = runs.get(colour) ?? { r, c, to: [r, c], colour, isOwn };
    const to = [Math.max(run.to[0], r), Math.max(run.to[1], c)];
    runs.set(colour, { ...run, r: Math.min(run.r, r), c: Math.min(run.c, c), to });
  }
  return runs.values();
}

const around = ([x, y], [right, bottom, width, height]) => [x, y, right + width - x, bottom + height - y];
