// Drawing: the colours of the theme, and the cells on their canvases.
import { digits, fewerDigits, valueAt } from "./rules.js";
import { colourOf, headName, make } from "./reading.js";
import { clamp, forgetWidths, numberWidth, pen } from "./layout.js";

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
