// One or two arrows that can be dragged, or moved with the arrow keys (Shift: larger steps), and what they read.
// rules.js stands before this text and brings digits(). readings.py works out the same numbers in Python.
const SVG = "http://www.w3.org/2000/svg", SIDE = 440, STEP = 0.1;
const draw = (name, attributes) => {
  const part = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value);
  return part;
};
const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const bracketed = (x) => (x < 0 ? `(${digits(x)})` : digits(x));

export default function ({ data, parentElement }) {
  const host = parentElement.querySelector(".drag"), message = JSON.stringify(data);
  if (host.message === message) return;
  host.message = message;
  const state = { host, data, arrows: data.arrows.map((arrow) => ({ ...arrow })) };
  host.innerHTML = '<div class="chips"></div><div class="beside"><div class="page"></div><p class="reading" aria-live="polite"></p></div>';
  buildPage(state);
  buildPresets(state);
  host.onkeydown = (event) => event.key.startsWith("Arrow") && event.stopPropagation();
  show(state);
}

export function meet(a, b) {
  const dot = a[0] * b[0] + a[1] * b[1], lengths = [Math.hypot(...a), Math.hypot(...b)];
  const angle = lengths[0] && lengths[1] ? (Math.atan2(Math.abs(a[0] * b[1] - a[1] * b[0]), dot) * 180) / Math.PI : null;
  return { dot, lengths, angle };
}

const turned = ([x, y], way) => ({ same: [x, y], right: [-y, x], opposite: [-x, -y] })[way];

function buildPage(state) {
  const { reach, texts } = state.data, unit = SIDE / 2 / reach;
  const svg = draw("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, role: "group", "aria-label": texts.page });
  state.at = ([x, y]) => [SIDE / 2 + x * unit, SIDE / 2 - y * unit];
  for (let k = -reach + 1; k < reach; k++) {
    const [x, y] = state.at([k, k]);
    svg.append(draw("path", { class: k ? "line" : "axis", d: `M${x} 0V${SIDE}M0 ${y}H${SIDE}` }));
  }
  svg.append((state.arc = draw("path", { class: "arc" })));
  state.arrows.forEach((arrow, i) => {
    arrow.shaft = draw("path", { class: `shaft arrow-${i}` });
    arrow.name = draw("text", { class: `name arrow-${i}` });
    arrow.name.textContent = arrow.label;
    arrow.handle = draw("circle", { class: `handle arrow-${i}`, r: 17, tabindex: 0, role: "slider", "aria-label": fill(texts.handle, arrow) });
    arrow.handle.onkeydown = (event) => step(state, arrow, event);
    arrow.handle.onpointerdown = (event) => arrow.handle.setPointerCapture(event.pointerId);
    arrow.handle.onpointermove = (event) => arrow.handle.hasPointerCapture(event.pointerId) && follow(state, arrow, svg, event);
    svg.append(arrow.shaft, arrow.name, arrow.handle);
  });
  state.host.querySelector(".page").append(svg);
}

function buildPresets(state) {
  const chips = state.host.querySelector(".chips");
  for (const [way, label] of state.data.presets) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "chip", textContent: label });
    button.dataset.way = way;
    button.onclick = () => {
      if (way === "start") state.arrows.forEach((arrow, i) => (arrow.point = state.data.arrows[i].point));
      else state.arrows[1].point = turned(state.arrows[0].point.some(Boolean) ? state.arrows[0].point : (state.arrows[0].point = [2, 1]), way);
      show(state);
    };
    chips.append(button);
  }
}

function move(state, arrow, point) {
  const most = state.data.reach - STEP;
  arrow.point = point.map((x) => Math.round(Math.max(-most, Math.min(most, x)) / STEP) / Math.round(1 / STEP));
  show(state);
}

function follow(state, arrow, svg, event) {
  const box = svg.getBoundingClientRect(), unit = box.width / 2 / state.data.reach;
  move(state, arrow, [(event.clientX - box.left - box.width / 2) / unit, (box.top + box.height / 2 - event.clientY) / unit]);
}

function step(state, arrow, event) {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
  if (!way) return;
  event.preventDefault();
  move(state, arrow, arrow.point.map((x, axis) => x + way[axis] * STEP * (event.shiftKey ? 5 : 1)));
}

function show(state) {
  for (const arrow of state.arrows) {
    const [x, y] = state.at(arrow.point), [ox, oy] = state.at([0, 0]), length = Math.hypot(x - ox, y - oy) || 1;
    const [ux, uy] = [(x - ox) / length, (y - oy) / length];
    const wing = (turn) => `L${x - 15 * ux + turn * 8 * uy} ${y - 15 * uy - turn * 8 * ux}`;
    arrow.shaft.setAttribute("d", `M${ox} ${oy}L${x} ${y}M${x} ${y}${wing(1)}M${x} ${y}${wing(-1)}`);
    for (const [key, value] of [["cx", x], ["cy", y]]) arrow.handle.setAttribute(key, value);
    arrow.name.setAttribute("x", Math.max(44, Math.min(SIDE - 44, x + 26 * ux)));
    arrow.name.setAttribute("y", Math.max(16, Math.min(SIDE - 8, y + 34 * uy + (arrow === state.arrows[1] ? 14 : -4))));
    const degrees = Math.round((Math.atan2(...arrow.point.toReversed()) * 180) / Math.PI);
    const values = { valuemin: -180, valuemax: 180, valuenow: degrees, valuetext: `(${arrow.point.map(digits).join(", ")})` };
    for (const [key, value] of Object.entries(values)) arrow.handle.setAttribute(`aria-${key}`, value);
  }
  (state.arrows.length > 1 ? readTwo : readOne)(state);
}

function readOne({ host, data, arrows: [{ point }] }) {
  const line = host.querySelector(".reading"), length = Math.hypot(...point);
  line.textContent = fill(data.texts.one, { x: digits(point[0]), y: digits(point[1]), length: digits(length) });
  host.dataset.length = length;
}

function readTwo({ host, data, arrows, arc, at }) {
  const [a, b] = arrows.map((arrow) => arrow.point), { dot, angle } = meet(a, b), line = host.querySelector(".reading");
  const kind = angle === null ? "none" : Math.abs(angle - 90) < 1e-9 ? "right" : dot > 0 ? "same" : "opposite";
  const sum = [0, 1].map((axis) => `${bracketed(a[axis])} × ${bracketed(b[axis])}`).join(" + ");
  line.innerHTML = "<b></b><span class='meter'><i></i></span><span></span>";
  const [bold, meter, says] = line.children, share = Math.min(1, Math.abs(dot) / data.reach ** 2) * 50;
  bold.textContent = fill(data.texts.dot, { sum, dot: digits(dot) });
  meter.firstChild.style.cssText = `width:${share}%;left:${dot < 0 ? 50 - share : 50}%;background:var(--mha-signed-${dot < 0 ? "low" : "high"})`;
  says.textContent = fill(data.texts[kind], { angle: angle === null ? "" : digits(angle) });
  Object.assign(host.dataset, { dot, angle, a, b });
  const start = Math.atan2(a[1], a[0]), turn = ((Math.atan2(b[1], b[0]) - start + 3 * Math.PI) % (2 * Math.PI)) - Math.PI;
  const places = Array.from({ length: 41 }, (_, k) => start + (turn * k) / 40);
  const radius = data.reach * 0.2;
  arc.setAttribute("d", angle === null ? "" : `M${places.map((t) => at([radius * Math.cos(t), radius * Math.sin(t)]).join(" ")).join("L")}`);
}
