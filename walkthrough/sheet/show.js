// Showing: what is pointed at, else what is pinned, else the chosen word.
import { address, at, explain, placeOf } from "./rules.js";
import { colourName, headName, write, writeInvitation } from "./reading.js";
import { paintOver, placeIn } from "./paint.js";
import { bringIntoSight } from "./hands.js";

export function schedule(sheet) {
  sheet.frame ||= requestAnimationFrame(() => {
    sheet.frame = 0;
    show(sheet);
  });
}

export function show(sheet) {
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

export function pinnedPlace(sheet) {
  const place = placeOf(sheet.book, sheet.pinned);
  return place && whereIs(sheet, place).length ? place : null;
}

// Every drawn cell that shows this place; where the equation one points at shows it, only there.
export function whereIs(sheet, { field, head, row, column }, home = null) {
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
