// Building: the elements of one payload, when they must be made anew, and when new numbers are enough.
import { digits, unpack } from "./rules.js";
import { colourName, colourOf, headName, labelText, make, plain } from "./reading.js";
import { forgetWidths, layout } from "./layout.js";
import { buildProbe, paintBase, readTheme } from "./paint.js";
import { show } from "./show.js";
import { focusedCell, follow, listen, refocus, toggleFold, toggleSum, unpin } from "./hands.js";

export function createSheet(root) {
  const sheet = { opened: false, pinned: "", pointed: null, views: [], frame: 0 };
  sheet.act = {
    follow: (cell) => follow(sheet, cell),
    toggleSum: () => toggleSum(sheet),
    toggleFold: (view, side) => toggleFold(view, side),
  };
  sheet.probe = buildProbe();
  sheet.trail = make("nav", { class: "trail" });
  sheet.equations = make("div", { class: "equations" });
  sheet.reading = make("div", { class: "reading", "aria-live": "polite" });
  sheet.element = make("section", { class: "sheet" }, sheet.probe, sheet.trail, sheet.equations, sheet.reading);
  root.append(sheet.element);
  const stopWatching = [watchSize(sheet), watchTheme(sheet), watchEscape(sheet)];
  sheet.stop = () => {
    stopWatching.forEach((stop) => stop());
    cancelAnimationFrame(sheet.frame);
    sheet.element.remove();
  };
  return sheet;
}

function watchSize(sheet) {
  const resized = new ResizeObserver(() => {
    if (!sheet.book || Math.abs(sheet.element.clientWidth - sheet.width) <= 1) return;
    measureRoom(sheet);
    relayout(sheet);
  });
  const grown = new ResizeObserver(() => keepHeight(sheet));
  resized.observe(sheet.element);
  grown.observe(sheet.reading);
  return () => [resized, grown].forEach((observer) => observer.disconnect());
}

// The page below must not jump while one points around: the reading line grows and does not shrink again.
function keepHeight({ opened, reading }) {
  if (!opened) reading.style.minHeight = `${Math.min(reading.offsetHeight, 320)}px`;
}

function watchTheme(sheet) {
  const later = () => requestAnimationFrame(() => refreshTheme(sheet));
  const fonts = () => {
    forgetWidths();
    if (sheet.book) relayout(sheet);
  };
  const dark = matchMedia("(prefers-color-scheme: dark)"), changed = new MutationObserver(later);
  dark.addEventListener("change", later);
  document.fonts.addEventListener("loadingdone", fonts);
  for (const element of [document.documentElement, document.body]) changed.observe(element, { attributes: true });
  changed.observe(document.head, { childList: true });
  return () => {
    dark.removeEventListener("change", later);
    document.fonts.removeEventListener("loadingdone", fonts);
    changed.disconnect();
  };
}

// Escape lets go wherever the focus is; a field that one types in keeps its own Escape.
function watchEscape(sheet) {
  const escape = ({ key, target }) => {
    if (key === "Escape" && sheet.pinned && !target.closest?.("input, textarea, [role=dialog]")) unpin(sheet);
  };
  document.addEventListener("keydown", escape);
  return () => document.removeEventListener("keydown", escape);
}

function refreshTheme(sheet) {
  if (!sheet.book || !sheet.element.isConnected) return;
  const before = sheet.theme;
  sheet.theme = readTheme(sheet);
  if (sheet.theme !== before) relayout(sheet);
}

export function receive(sheet, data) {
  const isNew = !sheet.data || sheet.data.length !== data.length || sheet.data.some((byte, i) => byte !== data[i]);
  if (!isNew) return requestAnimationFrame(() => refreshTheme(sheet)); // the page's own styles arrive after this call
  const focus = focusedCell(sheet), before = sheet.structure;
  sheet.data = data;
  sheet.book = unpack(data);
  sheet.structure = structureOf(sheet.book);
  if (sheet.book.pinned !== sheet.told) sheet.pinned = sheet.told = sheet.book.pinned;
  if (sheet.structure === before) return refill(sheet);
  sheet.pointed = null;
  measureRoom(sheet); // before building: to ask for a width afterwards would lay the page out twice
  sheet.theme = readTheme(sheet);
  build(sheet);
  relayout(sheet);
  if (focus) refocus(sheet, focus);
}

// Everything that is built rather than painted. Where it stays, new numbers need no new elements, and focus stays too.
function structureOf({ equations, grids, fields, words, head, lanes, mask, texts }) {
  const built = Object.values(grids).map(({ limit, finding, ...kept }) => kept);
  return JSON.stringify([equations, built, fields, words, head, lanes, mask, texts]);
}

function refill(sheet) {
  for (const view of sheet.views) {
    view.grid = sheet.book.grids[view.grid.id];
    nameView(view);
    paintBase(view);
    view.seen = null;
  }
  buildTrail(sheet);
  show(sheet);
}

function build(sheet) {
  const { book } = sheet;
  sheet.spare = sheet.views.map(({ base, over }) => [base, over]); // canvases are dear: the next drawing takes them over
  sheet.views = [];
  sheet.rows = book.equations.map((parts, number) => {
    const units = [];
    let operator = null;
    for (const part of parts) {
      if (part.operator) operator = buildOperator(part);
      else {
        const views = part.grids.map((id) => buildView(sheet, book.grids[id], number));
        const group = make("div", { class: "group" }, views.map((view) => view.element));
        units.push({ operator, views, element: make("div", { class: "unit" }, operator ?? [], group) });
        operator = null;
      }
    }
    return { units, element: make("div", { class: "equation" }, units.map((unit) => unit.element)) };
  });
  sheet.equations.replaceChildren(...sheet.rows.map((row) => row.element));
  buildTrail(sheet);
}

function buildOperator({ operator, label = "" }) {
  const sign = make("span", { class: operator === "·" ? "dot" : null }, operator);
  return Object.assign(make("div", { class: "operator" }, label ? make("small", {}, label) : [], sign), { label });
}

function buildTrail(sheet) {
  const { trail, texts } = sheet.book;
  const steps = trail.flatMap(({ cell, label }) => {
    const button = make("button", { type: "button", "data-cell": cell, dir: "auto" }, label);
    button.onclick = () => follow(sheet, cell);
    return [button, make("span", { "aria-hidden": "true" }, "→")];
  });
  sheet.trail.setAttribute("aria-label", texts.trail);
  sheet.trail.replaceChildren(...steps);
  sheet.trail.hidden = !steps.length;
}

function buildView(sheet, grid, equation) {
  const { book } = sheet, [rows, columns] = grid.shape;
  const positions = (places) => new Map(places.map((place, i) => [place, i]));
  const view = { sheet, grid, equation, number: sheet.views.length };
  view.rowAt = positions(grid.rows);
  view.columnAt = positions(grid.columns);
  const hidden = { "aria-hidden": "true" };
  [view.base, view.over] = sheet.spare[view.number] ?? [make("canvas", hidden), make("canvas", hidden)];
  view.cells = make("div", { class: "cells" }, view.base, view.over);
  view.rowsBox = make("div", { class: "rows", ...hidden });
  view.columnsBox = make("div", { class: "columns", ...hidden });
  const cornerTitles = [grid.column_title, grid.row_title].map((title) => make("div", {}, title));
  view.corner = make("div", { class: "corner", ...hidden }, cornerTitles);
  const counted = { "aria-rowcount": rows + 1, "aria-colcount": columns + 1 };
  view.table = make("div", { class: "table", role: "grid", tabindex: 0, "data-grid": grid.id, ...counted });
  view.frame = make("div", { class: "frame" }, view.corner, view.columnsBox, view.rowsBox, view.cells, view.table);
  view.title = buildTitle(view);
  view.titleText = view.title.textContent;
  view.legend = make("div", { class: "legend", "aria-hidden": "true" });
  view.note = make("p", { class: "note" }, plain(book.texts.compact, { rows, columns }));
  const scroller = make("div", { class: "scroller" }, view.frame);
  view.element = make("figure", { class: "grid" }, view.title, scroller, view.legend, view.note);
  view.element.classList.toggle("chosen", grid.hue === book.head);
  nameView(view);
  buildLabels(view);
  listen(view);
  sheet.views.push(view);
  return view;
}

function buildTitle(view) {
  const { grid, sheet } = view, { book } = sheet, [rows, columns] = grid.shape;
  const pieces = grid.symbol.map(([text, kind]) => (kind ? make(kind, {}, text) : text));
  const colour = colourOf(grid.hue ? headName(grid.hue) : colourName(book, grid));
  const symbol = make("span", { class: "symbol", style: `color:${colour}` }, pieces);
  if (grid.hue) symbol.onclick = () => sheet.tellEvent("pick", { head: grid.hue });
  const fold = make("button", { type: "button", class: "quiet" }, book.texts.fold);
  fold.onclick = () => toggleFold(view);
  return make("figcaption", {}, symbol, " ", make("span", { class: "name" }, grid.name), " ",
    make("span", { class: "shape" }, `${rows} × ${columns}`), grid.unfolded.length ? fold : []);
}

// What depends on the numbers: the name that is read aloud, with its finding, and the limits of the colours.
function nameView({ grid, legend, sheet: { book }, table }) {
  const [rows, columns] = grid.shape, symbol = grid.symbol.map(([text]) => text).join("");
  table.setAttribute("aria-label", plain(book.texts.grid, { ...grid, rows, columns, symbol }));
  const edges = grid.scale === "weight" ? ["0", "1"] : [digits(-grid.limit), digits(grid.limit)];
  const hatch = make("span", { class: "key" }, make("span", { class: "hatch" }), book.texts["legend.masked"]);
  const isMasked = grid.field === "masked" && book.mask;
  legend.replaceChildren(edges[0], make("span", { class: `bar ${grid.scale}` }), edges[1], ...(isMasked ? [hatch] : []));
  legend.hidden = grid.hue > 1 && grid.field !== "shares"; // all heads share the scale of the first
}

function buildLabels(view) {
  const { sheet, grid } = view, { book } = sheet, { axes } = book.fields[grid.field];
  const [rowAxis, columnAxis] = grid.transposed ? [axes[1], axes[0]] : axes.length > 1 ? axes : ["", axes[0]];
  const labels = (texts, places, axis, box) => texts.map((typed, i) => {
    const text = labelText(book, typed);
    const label = Object.assign(make("div", { class: "label" }, make("bdi", { dir: "auto" }, text)), { text });
    if (axis === "query") label.onclick = () => sheet.tellEvent("pick", { word: places[i] + 1 });
    if (axis === "query" || axis === "lane") label.classList.add(axis);
    if (axis === "lane") label.style.setProperty("--hue", colourOf(headName(Math.floor(places[i] / book.lanes) + 1)));
    box.append(label);
    return label;
  });
  view.rowLabels = labels(grid.row_labels, grid.rows, rowAxis, view.rowsBox);
  view.columnLabels = labels(grid.column_labels, grid.columns, columnAxis, view.columnsBox);
}

function measureRoom(sheet) {
  const style = getComputedStyle(sheet.equations);
  sheet.width = sheet.element.clientWidth;
  sheet.room = sheet.equations.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  sheet.isNarrow = sheet.room < 560;
}

function relayout(sheet) {
  sheet.element.classList.toggle("narrow", sheet.isNarrow);
  sheet.reading.style.minHeight = "";
  for (const equation of sheet.rows) layout(sheet, equation, sheet.room);
  for (const view of sheet.views) {
    paintBase(view);
    view.seen = null;
  }
  show(sheet);
}
