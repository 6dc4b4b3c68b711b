// Numbers: the payload, the arithmetic of a cell, how a number is written. Knows the rules, not the grids, and no screen.
// A place is {field, head, row, column}: head counted from 1 (0 where the field has none), row and column from 0.

export function unpack(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const book = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const numbers = new Float64Array(bytes.slice(4 + length).buffer);
  const positions = (list) => list && new Map(list.map((place, i) => [place, i]));
  for (const array of Object.values(book.arrays)) {
    const [height, width] = array.shape;
    array.numbers = numbers.subarray(array.start, array.start + height * width);
    array.rowAt = positions(array.rows);
    array.columnAt = positions(array.columns);
  }
  return book;
}

export function valueAt(book, { field, head, row, column }) {
  const array = book.arrays[head ? `${field}.${head}` : field];
  const r = array.rowAt ? array.rowAt.get(row) : row;
  const c = array.columnAt ? array.columnAt.get(column) : column;
  return array.numbers[r * array.shape[1] + c];
}

export function at(book, field, head, row, column) {
  const headed = field === "allowed" ? book.mask === "heads" : book.fields[field].headed;
  return { field, head: headed ? head : 0, row, column };
}

const isBias = (book, field) => book.fields[field].axes.length === 1;

export function address(book, { field, head, row, column }) {
  const index = isBias(book, field) ? [column + 1] : [row + 1, column + 1];
  return [field, ...(head ? [head] : []), ...index].join(".");
}

export function placeOf(book, cell) {
  const [field, ...index] = (cell || "").split(".");
  if (!book.fields[field]) return null;
  const numbers = index.map(Number);
  const head = book.fields[field].headed ? numbers.shift() : 0;
  return { field, head, row: numbers.length > 1 ? numbers[0] - 1 : 0, column: numbers.at(-1) - 1 };
}

// ---- one function a rule, as in mha_core/arithmetic.py

export function explain(book, place) {
  const { rule, needs } = book.fields[place.field];
  const made = RULES[rule](book, place, needs);
  return { rule, place, value: valueAt(book, place), ...made };
}

function term(book, ...places) {
  const operands = places.map((place) => ({ place, value: valueAt(book, place) }));
  return { operands, value: operands.reduce((product, o) => product * o.value, 1) };
}

const total = (terms) => terms.reduce((sum, t) => sum + t.value, 0);
const summed = (terms) => ({ terms, total: total(terms) });
const same = (book, place, field) => at(book, field, place.head, place.row, place.column);

const RULES = {
  given: (book, place) => summed([term(book, place)]),

  sum: (book, place, needs) => summed(needs.map((field) => term(book, same(book, place, field)))),

  product(book, place, [left, right, ...bias]) {
    const { head, row, column } = place;
    const inner = book.fields[left].size[1];
    // A field of one head that reads a grid of no head (a share reads W_O) reads the rows of its own lane.
    const first = book.fields[place.field].headed && !book.fields[right].headed ? (head - 1) * inner : 0;
    const terms = [];
    for (let k = 0; k < inner; k++)
      terms.push(term(book, at(book, left, head, row, k), at(book, right, head, first + k, column)));
    const subtotals = [];
    if (book.fields[left].axes[1] === "lane")
      for (let k = 0; k < inner; k += book.lanes) subtotals.push(total(terms.slice(k, k + book.lanes)));
    for (const field of bias) terms.push(term(book, at(book, field, head, 0, column)));
    return { ...summed(terms), subtotals, bias: bias.length };
  },

  dot(book, { head, row, column }, [left, right]) {
    const terms = [];
    for (let k = 0; k < book.fields[left].size[1]; k++)
      terms.push(term(book, at(book, left, head, row, k), at(book, right, head, column, k)));
    return summed(terms);
  },

  divide(book, place, [cells]) {
    const operand = term(book, same(book, place, cells)).operands[0];
    const divisor = { place: { field: "divisor" }, value: book.divisor.value };
    return summed([{ operands: [operand, divisor], value: operand.value / divisor.value }]);
  },

  mask(book, place, [cells, allowed]) {
    const one = term(book, same(book, place, cells));
    if (!book.mask) return summed([one]);
    const may = term(book, same(book, place, allowed)).operands[0];
    return summed([{ operands: [one.operands[0], may], value: may.value ? one.value : -Infinity }]);
  },

  softmax(book, { head, row, column }, [cells]) {
    const terms = [];
    for (let k = 0; k < book.fields[cells].size[1]; k++) terms.push(term(book, at(book, cells, head, row, k)));
    const maximum = terms.reduce((most, t) => Math.max(most, t.value), -Infinity);
    for (const t of terms) t.value = Math.exp(t.value - maximum);
    const normaliser = total(terms);
    return { terms, maximum, normaliser, own: column, total: terms[column].value / normaliser };
  },

  copy(book, { row, column }, [cells]) {
    const head = Math.floor(column / book.lanes) + 1;
    return summed([term(book, at(book, cells, head, row, column % book.lanes))]);
  },
};

// ---- the twin of digits.py

export function digits(x) {
  if (Number.isNaN(x)) return "not a number";
  const text = sizeText(Math.abs(x));
  if (x >= 0) return text;
  return text[0] === ">" ? `<−${text.slice(1)}` : `−${text}`;
}

function sizeText(a) {
  if (a === Infinity) return "∞";
  if (a < 1e5 && Number.isInteger(a)) return String(a);
  if (a < 1e-3 || a >= 1e5) return scientific(a);
  const text = a.toFixed(a >= 1000 ? 0 : a >= 100 ? 1 : a >= 0.1 ? 2 : a >= 0.01 ? 3 : 4);
  if (a > 1 || Number(text) < 1) return text;
  return [a.toFixed(3), a.toFixed(4)].find((closer) => Number(closer) < 1) ?? ">0.9999";
}

function scientific(a) {
  const [mantissa, power] = a.toExponential(1).split("e");
  return `${mantissa}·10${[...power.replace("+", "")].map((d) => (d === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[d])).join("")}`;
}

export const inBrackets = (x) => (x < 0 ? `(${digits(x)})` : digits(x));

// For a cell too small for all its digits: one fewer, and still never 0.00 for what is not zero.
export function fewerDigits(x) {
  const a = Math.abs(x);
  if (a >= 1e5 || (a < 1e-3 && a > 0)) return digits(x).replace(/\.\d/, "");
  const text = a >= 100 ? a.toFixed(0) : a >= 10 ? a.toFixed(1) : a < 0.1 ? String(Number(a.toPrecision(1))) : a.toFixed(2);
  return a < 1 && Number(text) >= 1 ? digits(x) : (x < 0 ? "−" : "") + text;
}
