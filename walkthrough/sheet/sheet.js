// The sheet in the browser: draws the grids of one payload and says, for any cell, how its number was made.
// rules.js does the arithmetic, reading.js writes it out, paint.js draws; here is what is built and what hands do to it.
// It knows the few rules by which cells are made; which grid is made by which rule comes with the payload.
import { address, at, digits, explain, placeOf, unpack, valueAt } from "./rules.js";
import { colourName, colourOf, headName, labelText, make, plain, write, writeInvitation } from "./reading.js";
import { buildProbe, clamp, forgetWidths, layout, paintBase, paintOver, placeIn, readTheme } from "./paint.js";

const sheets = new WeakMap();

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  let sheet = sheets.get(parentElement);
  if (!sheet) sheets.set(parentElement, (sheet = createSheet(parentElement)));
  sheet.tellState = setStateValue;
  sheet.tellEvent = setTriggerValue;
  receive(sheet, data);
  return () => {
    sheet.stop();
    sheets.delete(parentElement);
  };
}

// ---- building

function createSheet(root) {
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

function receive(sheet, data) {
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

// ---- showing: what is pointed at, else what is pinned, else the chosen word

function schedule(sheet) {
  sheet.frame ||= requestAnimationFrame(() => {
    sheet.frame = 0;
    show(sheet);
  });
}

function show(sheet) {
  const { book } = sheet, pinned = pinnedPlace(sheet), place = sheet.pointed ? placeIn(...sheet.pointed) : pinned;
  const lit = new Map(sheet.views.map((view) => [view, []]));
  sheet.isPinned = !!place && address(book, place) === sheet.pinned;
  if (place) {
    const made = explain(book, place);
    lightOperands(sheet, made, sheet.pointed ? sheet.pointed[0] : whereIs(sheet, place)[0].view, lit);
    write(sheet, made);
  } else {
    lightChosen(sheet, lit);
    writeInvitation(sheet);
  }
  for (const [view, cells] of lit) {
    const seen = JSON.stringify([!!place, cells]);
    if (seen === view.seen) continue;
    view.seen = seen;
    paintOver(view, cells, !!place);
    boldLabels(view, cells);
  }
  if (sheet.walked && sheet.pointed) bringIntoSight(sheet);
  sheet.walked = null;
}

function pinnedPlace(sheet) {
  const place = placeOf(sheet.book, sheet.pinned);
  return place && whereIs(sheet, place).length ? place : null;
}

// Every drawn cell that shows this place; where the equation one points at shows it, only there.
function whereIs(sheet, { field, head, row, column }, home = null) {
  const found = [];
  for (const view of sheet.views) {
    const { grid } = view;
    if (grid.field !== field || (grid.head ?? 0) !== head) continue;
    const r = view.rowAt.get(grid.transposed ? column : row), c = view.columnAt.get(grid.transposed ? row : column);
    if (r !== undefined && c !== undefined) found.push({ view, r, c });
  }
  const near = home ? found.filter(({ view }) => view.equation === home.equation) : [];
  return near.length ? near : found;
}

// A grid that is not drawn is stood in for by what it was made of, where that is made cell by cell.
function standIn(sheet, place) {
  const made = sheet.book.fields[place.field];
  if (!made || !["mask", "divide"].includes(made.rule)) return place;
  if (sheet.views.some((view) => view.grid.field === place.field)) return place;
  return standIn(sheet, { ...place, field: made.needs[0] });
}

function lightOperands(sheet, made, home, lit) {
  const { book } = sheet, { row, column } = made.place;
  const operands = made.terms.flatMap((t) => t.operands).map((o) => o.place).filter(({ field }) => book.fields[field]);
  if (book.fields.shares) made.subtotals?.forEach((_, i) => operands.push(at(book, "shares", i + 1, row, column)));
  for (const operand of operands) {
    const colour = operand.field === "shares" ? headName(operand.head) : colourName(book, operand);
    for (const { view, r, c } of whereIs(sheet, standIn(sheet, operand), home)) lit.get(view).push({ r, c, colour });
  }
  for (const { view, r, c } of whereIs(sheet, made.place, home)) lit.get(view).push({ r, c, isOwn: true });
}

function lightChosen({ book }, lit) {
  for (const [{ grid, rowAt }, cells] of lit) {
    const r = rowAt.get(book.word - 1), isOfWords = book.fields[grid.field].axes[0] === "query" && !grid.transposed;
    if (!isOfWords || r === undefined || (grid.hue && grid.hue !== book.head)) continue;
    const colour = grid.hue ? headName(grid.hue) : colourName(book, grid);
    grid.columns.forEach((_, c) => cells.push({ r, c, colour }));
  }
}

function boldLabels({ rowLabels, columnLabels }, cells) {
  const mark = (labels, lit) => {
    const tells = lit.size < labels.length || lit.size === 1; // where all are lit, none stands out
    labels.forEach((label, i) => label.classList.toggle("lit", tells && lit.has(i)));
  };
  mark(rowLabels, new Set(cells.map(({ r }) => r)));
  mark(columnLabels, new Set(cells.map(({ c }) => c)));
}

// ---- hands: mouse, finger, keys

function listen(view) {
  const { sheet, cells, table } = view, isTouch = (event) => event.pointerType === "touch";
  cells.onpointermove = (event) => isTouch(event) || pointAt(view, cellUnder(view, event));
  cells.onpointerleave = (event) => isTouch(event) || letGo(sheet);
  cells.onpointerdown = (event) => (view.byTouch = isTouch(event));
  cells.onmousedown = (event) => event.preventDefault(); // the table takes the focus, or keeps it
  cells.onclick = (event) => press(view, cellUnder(view, event));
  table.onfocus = () => {
    sayActive(view, view.active ?? restingCell(view));
    if (table.matches(":focus-visible")) pointAt(view, view.active);
  };
  table.onblur = () => letGo(sheet);
  table.onkeydown = (event) => onKey(view, event);
}

function cellUnder(view, event) {
  if (event.target.closest(".strip")) return null;
  const box = view.cells.getBoundingClientRect();
  const index = ({ start, sizes }, position) => start.findIndex((s, i) => position >= s && position < s + sizes[i]);
  const r = index(view.y, event.clientY - box.top), c = index(view.x, event.clientX - box.left);
  return r < 0 || c < 0 ? null : [r, c];
}

function isPointed(view, [r, c]) {
  const now = view.sheet.pointed;
  return !!now && now[0] === view && now[1] === r && now[2] === c;
}

function pointAt(view, cell) {
  if (!cell) return letGo(view.sheet);
  if (isPointed(view, cell)) return;
  view.sheet.pointed = [view, ...cell];
  schedule(view.sheet);
}

function letGo(sheet) {
  if (!sheet.pointed) return;
  sheet.pointed = null;
  schedule(sheet);
}

// A click pins. A finger's first tap points, its second tap pins.
function press(view, cell) {
  if (!cell) return;
  const isSecond = isPointed(view, cell);
  view.active = cell;
  view.table.focus({ preventScroll: true });
  sayActive(view, cell);
  pointAt(view, cell);
  if (!view.byTouch || isSecond) pin(view, cell);
}

function pin(view, cell) {
  const { sheet } = view, here = address(sheet.book, placeIn(view, ...cell));
  sheet.pinned = sheet.pinned === here ? "" : here;
  sayActive(view, cell);
  schedule(sheet);
  sheet.tellEvent("pinned", sheet.pinned);
}

function unpin(sheet) {
  if (!sheet.pinned) return letGo(sheet);
  sheet.pinned = "";
  schedule(sheet);
  sheet.tellEvent("pinned", "");
}

// Where an operand was made: in this sheet if its grid is drawn here, and the page is told in any case.
function follow(sheet, cell) {
  const place = placeOf(sheet.book, cell), found = place && whereIs(sheet, place)[0];
  if (found) {
    sheet.pinned = cell;
    sheet.pointed = null;
    found.view.active = [found.r, found.c];
    found.view.table.focus();
    schedule(sheet);
  }
  sheet.tellEvent("follow", cell);
}

function toggleSum(sheet) {
  const hadFocus = sheet.reading.contains(sheet.element.getRootNode().activeElement);
  sheet.opened = !sheet.opened;
  sheet.reading.style.minHeight = "";
  show(sheet);
  if (hadFocus) sheet.reading.querySelector(".more")?.focus();
}

function toggleFold({ grid, sheet }, side) {
  const ids = new Set(sheet.book.unfolded), sides = [grid.id, `${grid.id}/rows`, `${grid.id}/columns`];
  if (side) ids.add(`${grid.id}/${side}`);
  else if (grid.unfolded.length) sides.forEach((id) => ids.delete(id));
  else ids.add(grid.id);
  sheet.tellState("unfolded", [...ids]);
}

function restingCell(view) {
  const { sheet, grid } = view, place = pinnedPlace(sheet);
  const pinned = place && whereIs(sheet, place).find((found) => found.view === view);
  if (pinned) return [pinned.r, pinned.c];
  const isOfWords = sheet.book.fields[grid.field].axes[0] === "query" && !grid.transposed;
  return [isOfWords ? view.rowAt.get(sheet.book.word - 1) ?? 0 : 0, 0];
}

function onKey(view, event) {
  const { sheet, grid } = view, [r, c] = view.active ?? restingCell(view), all = event.ctrlKey || event.metaKey;
  const last = [grid.rows.length - 1, grid.columns.length - 1];
  const moves = {
    ArrowUp: [r - 1, c], ArrowDown: [r + 1, c], ArrowLeft: [r, c - 1], ArrowRight: [r, c + 1],
    PageUp: [r - 8, c], PageDown: [r + 8, c], Home: [all ? 0 : r, 0], End: [all ? last[0] : r, last[1]],
  };
  const acts = {
    Enter: () => pin(view, [r, c]), " ": () => pin(view, [r, c]), Escape: () => {
      if (sheet.pinned) pointAt(view, [r, c]);
      unpin(sheet);
    },
    m: () => toggleSum(sheet), u: () => toggleFold(view),
  };
  const move = moves[event.key], act = acts[event.key];
  if (event.altKey || !(move || (act && !all))) return;
  event.preventDefault();
  event.stopPropagation(); // the page's own keys (→ for the next page) stay quiet while a grid is walked
  if (!move) return act();
  const cell = move.map((i, axis) => clamp(i, 0, last[axis]));
  sayActive(view, cell);
  pointAt(view, cell);
}

// The walked cell in the table that assistive technology reads: its headers, its row, its number.
function sayActive(view, [r, c]) {
  const { sheet, grid, x, y } = view, { book } = sheet, id = `cell-${view.number}`;
  const place = placeIn(view, r, c), value = valueAt(book, place);
  const column = { "aria-colindex": grid.columns[c] + 2 };
  const cell = make("span", { role: "gridcell", id, ...column, "aria-selected": sheet.pinned === address(book, place) },
    value === -Infinity ? book.texts.masked : digits(value));
  view.active = [r, c];
  view.table.replaceChildren(
    make("div", { role: "row", "aria-rowindex": 1 }, make("span", { role: "columnheader", ...column }, grid.column_labels[c])),
    make("div", { role: "row", "aria-rowindex": grid.rows[r] + 2 },
      make("span", { role: "rowheader", "aria-colindex": 1 }, grid.row_labels[r]), cell));
  view.table.setAttribute("aria-activedescendant", id);
  cell.style.cssText = `left:${view.label + x.start[c]}px;top:${view.head + y.start[r]}px;
    width:${x.sizes[c]}px;height:${y.sizes[r]}px`;
  sheet.walked = { view, cell };
}

// Scroll, where one must, until the walked cell is seen: not behind the labels, nor behind the reading line.
function bringIntoSight({ reading, walked }) {
  const { view, cell } = walked;
  cell.style.scrollMargin = `${view.head}px 8px ${reading.offsetHeight + 8}px ${view.label}px`;
  cell.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function focusedCell(sheet) {
  const active = sheet.element.getRootNode().activeElement, view = sheet.views.find(({ table }) => table === active);
  return view && { id: view.grid.id, equation: view.equation, place: placeIn(view, ...(view.active ?? [0, 0])) };
}

function refocus(sheet, { id, equation, place }) {
  const same = sheet.views.filter(({ grid }) => grid.id === id), view = same.find((v) => v.equation === equation) ?? same[0];
  if (!view) return;
  const found = whereIs(sheet, place).find((f) => f.view === view);
  view.active = found ? [found.r, found.c] : null;
  view.table.focus({ preventScroll: true });
}
