// Hands: mouse, finger, keys, and what they do.
import { address, digits, placeOf, valueAt } from "./rules.js";
import { make } from "./reading.js";
import { clamp } from "./layout.js";
import { placeIn } from "./paint.js";
import { pinnedPlace, schedule, show, whereIs } from "./show.js";

export function listen(view) {
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

export function unpin(sheet) {
  if (!sheet.pinned) return letGo(sheet);
  sheet.pinned = "";
  schedule(sheet);
  sheet.tellEvent("pinned", "");
}

// Where an operand was made: in this sheet if its grid is drawn here, and the page is told in any case.
export function follow(sheet, cell) {
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

export function toggleSum(sheet) {
  const hadFocus = sheet.reading.contains(sheet.element.getRootNode().activeElement);
  sheet.opened = !sheet.opened;
  sheet.reading.style.minHeight = "";
  show(sheet);
  if (hadFocus) sheet.reading.querySelector(".more")?.focus();
}

export function toggleFold({ grid, sheet }, side) {
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
export function bringIntoSight({ reading, walked }) {
  const { view, cell } = walked;
  cell.style.scrollMargin = `${view.head}px 8px ${reading.offsetHeight + 8}px ${view.label}px`;
  cell.scrollIntoView({ block: "nearest", inline: "nearest" });
}

export function focusedCell(sheet) {
  const active = sheet.element.getRootNode().activeElement, view = sheet.views.find(({ table }) => table === active);
  return view && { id: view.grid.id, equation: view.equation, place: placeIn(view, ...(view.active ?? [0, 0])) };
}

export function refocus(sheet, { id, equation, place }) {
  const same = sheet.views.filter(({ grid }) => grid.id === id), view = same.find((v) => v.equation === equation) ?? same[0];
  if (!view) return;
  const found = whereIs(sheet, place).find((f) => f.view === view);
  view.active = found ? [found.r, found.c] : null;
  view.table.focus({ preventScroll: true });
}
