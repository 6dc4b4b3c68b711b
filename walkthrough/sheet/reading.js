// The reading line: how one cell was made, in words and real numbers, one writer a rule.
import { address, digits, inBrackets } from "./rules.js";

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) element.setAttribute(name, value);
  element.append(...children.flat(Infinity));
  return element;
}

// The pieces of a text of the catalogue, with nodes or strings put where it says {name}.
export const fill = (template, parts) => template.split(/\{(\w+)\}/).map((piece, i) => (i % 2 ? parts[piece] ?? "" : piece));
export const plain = (template, parts) => fill(template, parts).flat(Infinity).map((p) => p.textContent ?? p).join("");

// A label is text and nothing else; blanks are made visible.
export const labelText = (book, text) => (text.trim() ? text : book.texts["cells.blank"].repeat(Math.max(1, text.length)));

// The palette's name for the colour of a place: its role, or the hue of its head where the role is "head".
export function colourName(book, { field, head, column }) {
  const { role, axes } = book.fields[field];
  if (role !== "head") return role;
  const owner = axes[1] === "lane" && column !== undefined ? Math.floor(column / book.lanes) + 1 : head;
  return owner ? headName(owner) : role;
}
export const headName = (head) => `head-${((head - 1) % 8) + 1}`;
export const colourOf = (name) => `var(--mha-${name})`;

const SHOWN_TERMS = 9;

function wordNode(sheet, list, i) {
  return make("bdi", { class: "word" }, labelText(sheet.book, sheet.book.words[list][i]));
}

function nameNodes(sheet, { field, head, row, column }) {
  const { texts, fields, names, words } = sheet.book, { axes, name } = fields[field];
  const own = names[head ? `${field}.${head}` : field] ?? {}; // numbers built by hand stand for something
  const said = (side, axis, i) => own[side]?.[i] ?? (axis in words ? wordNode(sheet, axis, i) : String(i + 1));
  const isNamed = own.rows || own.columns, kind = axes[1] === "key" ? "pair" : axes[0] in words ? "word" : "number";
  return fill(texts[`cell.${axes.length === 1 ? "bias" : isNamed ? "named" : kind}`], {
    name, row: axes.length > 1 ? said("rows", axes[0], row) : "", column: said("columns", axes.at(-1), column),
    head: head ? plain(texts["cell.head"], { head }) : "",
  });
}

function operandNode(sheet, { place, value }, text = inBrackets(value)) {
  const { book } = sheet;
  if (!book.fields[place.field]) return make("span", {}, place.field === "divisor" ? book.divisor.text : text);
  const cell = address(book, place);
  const exact = { "data-cell": cell, "data-value": String(value) };
  const node = make(sheet.isPinned ? "button" : "span", { class: "operand", ...exact }, text);
  node.style.color = colourOf(colourName(book, place));
  if (sheet.isPinned) {
    node.type = "button";
    node.title = plain(book.texts.follow, { value: digits(value) });
    node.onclick = () => sheet.act.follow(cell);
  }
  return node;
}

// A term carries its exact numbers as data, so that a test reads what is shown, not what was meant.
function termNode(sheet, t, index, caption, body) {
  const { book } = sheet, named = (place) => (place.field in book.fields ? address(book, place) : place.field);
  const operands = JSON.stringify(t.operands.map(({ place, value }) => [named(place), value]));
  return make("span", { class: "term", "data-index": index, "data-value": String(t.value), "data-operands": operands },
    caption ? make("span", { class: "caption" }, caption, " ") : [], make("span", { class: "body" }, body));
}

const productBody = (sheet, t) => t.operands.flatMap((o, i) => [...(i ? [" × "] : []), operandNode(sheet, o)]);

// a + b + c, each plus on the line of what it adds.
const joined = (nodes) => nodes.flatMap((node, i) => (i ? [" ", make("span", { class: "joint" }, "+ ", node)] : [node]));
const isTotal = (made) => [" ", make("span", { class: "joint" }, "= ", make("b", { class: "total" }, digits(made.value)))];

// A long sum shows its first terms and the last, and in between what `gap` makes of the number of those left out.
function folded(sheet, terms, nodeOf, gap) {
  if (terms.length <= SHOWN_TERMS || sheet.opened) return terms.map(nodeOf);
  return [...terms.slice(0, 4).map(nodeOf), gap(terms.length - 5), nodeOf(terms.at(-1), terms.length - 1)];
}

function sumNodes(sheet, terms, nodeOf) {
  const parts = joined(folded(sheet, terms, nodeOf, (count) => moreButton(sheet, count)));
  return terms.length > SHOWN_TERMS && sheet.opened ? [...parts, " ", moreButton(sheet, 0)] : parts;
}

function moreButton(sheet, count) {
  const { texts } = sheet.book;
  const button = make("button", { type: "button", class: "quiet more" }, count ? plain(texts.more, { count }) : texts.fewer);
  button.onclick = sheet.act.toggleSum;
  return button;
}

const line = (kind, ...nodes) => make("p", { class: kind }, nodes);

const WRITERS = {
  given(sheet, made) {
    const { texts, origin, words, fields } = sheet.book, { field, row } = made.place;
    const list = fields[field].axes[0] in words ? fields[field].axes[0] : null;
    const whose = { origin, row: list ? wordNode(sheet, list, row) : "" };
    const from = fill(texts[`origin.${field}`] ?? texts["origin.learned"], whose);
    const one = termNode(sheet, made.terms[0], 0, null, [make("b", { class: "total" }, digits(made.value))]);
    return [line("first", nameNodes(sheet, made.place), " = ", one), line("second", from)];
  },

  sum: writeSum,
  dot: writeSum,
  product: (sheet, made) => (made.subtotals.length ? writeShares(sheet, made) : writeSum(sheet, made)),

  divide(sheet, made) {
    const { texts, divisor } = sheet.book, t = made.terms[0], written = digits(divisor.value);
    const root = divisor.text === written ? [] : [" = ", inBrackets(t.operands[0].value), " ÷ ", written];
    const body = [operandNode(sheet, t.operands[0]), " ÷ ", operandNode(sheet, t.operands[1])];
    const off = divisor.value === 1 ? [` (${texts["scaling.off"]})`] : [];
    return [line("first", nameNodes(sheet, made.place), " = ", termNode(sheet, t, 0, null, body), root, isTotal(made), off)];
  },

  mask(sheet, made) {
    const { texts, mask } = sheet.book, { row, column } = made.place, t = made.terms[0];
    const said = !mask ? "none" : t.operands[1].value ? "allowed" : "forbidden";
    const words = { row: wordNode(sheet, "query", row), column: wordNode(sheet, "key", column) };
    const parts = { ...words, value: operandNode(sheet, t.operands[0]) };
    const one = termNode(sheet, t, 0, null, fill(texts[`mask.${said}`], parts));
    return [line("first", nameNodes(sheet, made.place), " = ", one)];
  },

  softmax(sheet, made) {
    const own = made.terms[made.own], x = own.operands[0];
    const power = ["e", make("sup", {}, operandNode(sheet, x, digits(x.value)), ` − ${inBrackets(made.maximum)}`)];
    const masked = make("span", {}, x.value === -Infinity ? ["e", make("sup", {}, digits(x.value))] : power);
    const first = line("first", nameNodes(sheet, made.place), " = ", masked, " ÷ ", digits(made.normaliser), " = ",
      digits(own.value), " ÷ ", digits(made.normaliser), isTotal(made));
    return [first, softmaxTable(sheet, made)];
  },

  copy(sheet, made) {
    const t = made.terms[0], { head, column } = t.operands[0].place;
    const parts = { value: operandNode(sheet, t.operands[0]), column: column + 1, head };
    const one = termNode(sheet, t, 0, null, fill(sheet.book.texts.copy, parts));
    return [line("first", nameNodes(sheet, made.place), " = ", one)];
  },
};

function writeSum(sheet, made) {
  const { texts, fields } = sheet.book;
  const node = (t, i) => {
    const [left, right] = t.operands, mixesWords = right && fields[left.place.field].axes[1] === "key";
    const caption = mixesWords
      ? fill(texts["term.word"], { weight: digits(left.value), word: wordNode(sheet, "key", left.place.column) })
      : made.rule === "product" && !right ? texts["term.bias"] : null;
    return termNode(sheet, t, i, caption, productBody(sheet, t));
  };
  const first = line("first", nameNodes(sheet, made.place), " = ", sumNodes(sheet, made.terms, node), isTotal(made));
  if (made.rule === "sum" || made.terms.length === 1) return [first];
  return [first, line("second", "= ", productsText(sheet, made.terms), " = ", digits(made.value))];
}

function productsText(sheet, terms) {
  const text = (t, i) => (i ? inBrackets(t.value) : digits(t.value));
  return folded(sheet, terms, text, (count) => plain(sheet.book.texts.more, { count })).join(" + ");
}

// The output: one subtotal a head in the first line, and below it how each head came by its share.
function writeShares(sheet, made) {
  const { texts, lanes } = sheet.book, h = made.subtotals.length;
  const hue = (i) => `color:${colourOf(headName(i + 1))}`;
  const caption = (i) => make("span", { class: "caption", style: hue(i) }, plain(texts["term.head"], { head: i + 1 }), " ");
  const subtotal = (value, i) => make("span", { class: "subtotal", "data-value": String(value) }, caption(i),
    make("span", { class: "body operand", style: hue(i) }, inBrackets(value)));
  const biasNode = (t, i) => termNode(sheet, t, h * lanes + i, texts["term.bias"], productBody(sheet, t));
  const bias = made.terms.slice(h * lanes).map(biasNode);
  const parts = joined([...made.subtotals.map(subtotal), ...bias]);
  const rows = made.subtotals.map((value, i) => {
    const node = (t, k) => termNode(sheet, t, i * lanes + k, null, productBody(sheet, t));
    const own = made.terms.slice(i * lanes, (i + 1) * lanes);
    return line("second share", caption(i), sumNodes(sheet, own, node), ` = ${digits(value)}`);
  });
  return [line("first", nameNodes(sheet, made.place), " = ", parts, isTotal(made)), ...rows];
}

// Softmax as its own little row: every word's score, its exponential, its share.
function softmaxTable(sheet, made) {
  const { texts } = sheet.book;
  const every = made.terms.map((_, i) => i);
  const isShown = (i) => sheet.opened || every.length <= SHOWN_TERMS || i < 4 || i === every.at(-1) || i === made.own;
  const shown = every.filter(isShown), hidden = every.length - shown.length;
  const gap = (tag) => (hidden ? [make(tag, {}, tag === "th" ? moreButton(sheet, hidden) : "")] : []);
  const row = (name, cells, tag = "td") =>
    make("tr", {}, make("th", { scope: "row" }, name), cells.slice(0, 4), gap(tag), cells.slice(4));
  const mine = (i) => (i === made.own ? "own" : null);
  const cell = (i, ...nodes) => make("td", { class: mine(i) }, nodes);
  const words = shown.map((i) => make("th", { scope: "col", class: mine(i) }, wordNode(sheet, "key", i)));
  const score = (i) => made.terms[i].operands[0];
  const scores = shown.map((i) => cell(i, operandNode(sheet, score(i), digits(score(i).value))));
  const exps = shown.map((i) => cell(i, termNode(sheet, made.terms[i], i, null, [digits(made.terms[i].value)])));
  const shares = shown.map((i) => cell(i, digits(made.terms[i].value / made.normaliser)));
  const note = plain(texts["softmax.sum"], { maximum: digits(made.maximum), sum: digits(made.normaliser) });
  const table = make("table", {}, row("", words, "th"), row(texts["softmax.row"], scores), row(texts["softmax.exp"], exps),
    row(texts["softmax.share"], shares));
  const fold = !hidden && every.length > SHOWN_TERMS ? [" ", moreButton(sheet, 0)] : [];
  return make("div", { class: "little" }, table, line("second", note, fold));
}

export function write(sheet, made) {
  const { reading, book } = sheet, { total, value: shown, maximum, normaliser, own } = made;
  for (const [name, value] of Object.entries({ total, shown, maximum, normaliser, own }))
    if (value === undefined) delete reading.dataset[name];
    else reading.dataset[name] = String(value);
  reading.dataset.cell = address(book, made.place);
  reading.dataset.rule = made.rule;
  reading.replaceChildren(...WRITERS[made.rule](sheet, made), ...(sheet.isPinned ? [line("hint", book.texts.pinned)] : []));
}

export function writeInvitation(sheet) {
  const { reading, book } = sheet, { texts } = book;
  for (const name of Object.keys(reading.dataset)) delete reading.dataset[name];
  const isHeaded = sheet.views.some((view) => view.grid.head);
  const head = isHeaded ? plain(texts["invite.head"], { head: book.head }) : "";
  reading.replaceChildren(line("first invite", fill(texts.invite, { word: wordNode(sheet, "query", book.word - 1), head })));
}

