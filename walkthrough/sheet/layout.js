// Layout: cell sizes from the width there is. A view is one drawn grid: view.grid from the payload, its elements, and,
// once laid out, view.x and view.y.
import { make, plain } from "./reading.js";

const SIZES = [56, 53, 50, 47, 45, 42, 40, 38], READABLE = 45, SMALL = [32, 28, 24, 20, 18, 16, 14, 13, 12], SCROLLED = 44;
const TITLE = 30, STRIP = 30, TALLEST = 600, LONGEST_HEADER = 132, BETWEEN = 24, LARGEST_LABEL = 16, SMALLEST_HEADER = 12.5;
export const pen = document.createElement("canvas").getContext("2d");
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
export const numberWidth = (theme, text) => [...text].reduce((width, character) => width + textWidth(theme, character), 0);

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
