// A grid of switches, one a pair of words. It keeps what is open, and tells Python the whole mask after every change.
const hosts = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".mask-host");
  const state = hosts.get(host) ?? { at: [0, 0] };
  hosts.set(host, state);
  state.tell = setTriggerValue;
  const drawn = JSON.stringify(data);
  if (state.drawn !== drawn) build(host, state, data);
  state.drawn = drawn;
}

function build(host, state, data) {
  const hadFocus = host.contains(host.getRootNode().activeElement);
  state.rows = data.rows.map((row) => [...row]);
  state.at = state.at.map((place) => Math.min(place, data.words.length - 1));
  const table = element("table", { role: "grid", "aria-label": data.texts.label });
  const head = table.createTHead().insertRow();
  head.append(element("td", {}, `${data.texts.query} ↓ ${data.texts.key} →`), ...data.words.map((word) => element("th", { scope: "col" }, word)));
  const body = table.createTBody();
  data.words.forEach((word, i) => {
    const row = body.insertRow();
    row.append(element("th", { scope: "row" }, word));
    data.words.forEach((key, j) => {
      const button = element("button", { type: "button", "data-i": i, "data-j": j });
      const cell = row.insertCell();
      cell.setAttribute("role", "gridcell");
      cell.append(button);
      paint(button, state, data);
    });
  });
  table.onclick = (event) => toggle(event.target.closest("button"), state, data);
  table.onkeydown = (event) => walk(event, table, state, data);
  host.replaceChildren(table);
  if (hadFocus) focus(table, state);
}

function element(name, attributes, text = "") {
  const made = document.createElement(name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  made.textContent = text;
  return made;
}

function paint(button, state, data) {
  const { i, j } = placeOf(button), open = state.rows[i][j];
  button.setAttribute("aria-pressed", open);
  button.setAttribute("aria-label", `${data.words[i]} → ${data.words[j]}: ${open ? data.texts.open : data.texts.shut}`);
  button.tabIndex = i === state.at[0] && j === state.at[1] ? 0 : -1;
}

function placeOf(button) {
  return { i: Number(button.dataset.i), j: Number(button.dataset.j) };
}

function toggle(button, state, data) {
  if (!button) return;
  const { i, j } = placeOf(button), row = state.rows[i];
  moveTo(button.closest("table"), state, data, i, j);
  if (row[j] && row.filter(Boolean).length === 1) return state.tell("refused", i + 1);
  row[j] = !row[j];
  paint(button, state, data);
  state.tell("drawn", state.rows.map(spell).join("."));
}

// The row as a hexadecimal number whose lowest bit is the first key; four bits at a time, since a number holds only 53.
function spell(row) {
  let text = "";
  for (let start = 0; start < row.length; start += 4) {
    const four = row.slice(start, start + 4).reduce((sum, open, bit) => sum + (open ? 1 << bit : 0), 0);
    text = four.toString(16) + text;
  }
  return text.replace(/^0+(?=.)/, "");
}

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function walk(event, table, state, data) {
  const n = data.words.length, step = STEPS[event.key];
  let [i, j] = state.at;
  if (step) [i, j] = [i + step[0], j + step[1]];
  else if (event.key === "Home") j = 0;
  else if (event.key === "End") j = n - 1;
  else return;
  event.preventDefault();
  event.stopPropagation();
  moveTo(table, state, data, Math.max(0, Math.min(n - 1, i)), Math.max(0, Math.min(n - 1, j)));
  focus(table, state);
}

function moveTo(table, state, data, i, j) {
  const before = buttonAt(table, state.at);
  state.at = [i, j];
  [before, buttonAt(table, state.at)].forEach((button) => button && paint(button, state, data));
}

function buttonAt(table, [i, j]) {
  return table.querySelector(`button[data-i="${i}"][data-j="${j}"]`);
}

function focus(table, state) {
  buttonAt(table, state.at)?.focus();
}
