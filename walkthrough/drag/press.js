// Shows a picture that Python wrote, tells Python what was pressed, and moves a reel with its slider. It reckons nothing.
export default function ({ data, parentElement, setTriggerValue }) {
  const host = parentElement.querySelector(".drag");
  const message = JSON.stringify(data);
  host.tell = setTriggerValue;
  if (host.message === message) return;
  const held = parentElement.activeElement?.dataset?.open;
  host.message = message;
  host.innerHTML = data.html;
  host.onclick = host.onkeydown = (event) => press(host, event);
  if (data.reel) addSlider(host, data);
  lightNeeds(host);
  if (held) host.querySelector(`[data-open="${CSS.escape(held)}"]`)?.focus();
}

function press(host, event) {
  if (event.target.type === "range") event.stopPropagation(); // the page's own arrow keys must not turn the page
  const part = event.target.closest("[data-open]");
  const isKey = event.type === "keydown";
  if (!part || (isKey && (part.tagName === "BUTTON" || !["Enter", " "].includes(event.key)))) return;
  event.preventDefault();
  host.tell("open", part.dataset.open);
}

function addSlider(host, data) {
  const { first, start, label, presets } = data.reel, says = data.reel.says;
  const row = document.createElement("div");
  row.className = "slide";
  row.innerHTML = '<label><span></span><input type="range"></label><div class="chips"></div><p class="says" aria-live="polite"></p>';
  const slider = row.querySelector("input"), line = row.querySelector("p");
  row.querySelector("span").textContent = label;
  Object.assign(slider, { min: first, max: first + says.length - 1, step: 1 });
  for (const [name, place] of presets) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "chip", textContent: name, onclick: () => show(place) });
    button.dataset.place = place;
    row.querySelector(".chips").append(button);
  }
  const parts = [...host.querySelectorAll("[data-on]")].map((part) => ({
    part, on: new Set(part.dataset.on.split(" ").map(Number)), from: Number(part.dataset.from ?? 0),
  }));
  function show(place) {
    slider.value = place;
    for (const { part, on, from } of parts) {
      part.classList.toggle("on", on.has(place));
      part.classList.toggle("later", place < from);
    }
    line.textContent = says[place - first];
    slider.setAttribute("aria-valuetext", line.textContent);
    for (const button of row.querySelectorAll("button")) button.setAttribute("aria-pressed", Number(button.dataset.place) === place);
  }
  slider.oninput = () => show(Number(slider.value));
  host.prepend(row);
  show(start);
}

// Pointing at a sign of the map lights all that it needs.
function lightNeeds(host) {
  const light = (part) => {
    const needs = part ? new Set([part.dataset.open, ...part.dataset.needs.split(" ")]) : null;
    host.querySelector(".map")?.classList.toggle("pointing", !!part);
    for (const box of host.querySelectorAll(".box")) box.classList.toggle("lit", !!needs?.has(box.dataset.open));
    for (const edge of host.querySelectorAll(".edge"))
      edge.classList.toggle("lit", !!needs?.has(edge.dataset.need) && needs.has(edge.dataset.for));
  };
  for (const box of host.querySelectorAll(".box")) {
    box.onpointerenter = box.onfocus = () => light(box);
    box.onpointerleave = box.onblur = () => light(null);
  }
}
