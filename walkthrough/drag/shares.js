// Sliders for scores and the weights that softmax makes of them, while one drags. shared() in readings.py is its twin.
// rules.js stands before this text and brings digits().
export default function ({ data, parentElement }) {
  const host = parentElement.querySelector(".drag"), message = JSON.stringify(data);
  if (host.message === message) return;
  host.message = message;
  host.innerHTML = '<div class="chips"></div><div class="scores"></div><p class="says" aria-live="polite"></p>';
  const scores = [...data.presets[0].scores];
  const rows = scores.map((_, i) => buildRow(host, data, i, (value) => {
    scores[i] = value;
    show();
  }));
  for (const { label, scores: wanted } of data.presets) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "chip", textContent: label });
    button.onclick = () => {
      scores.splice(0, scores.length, ...wanted);
      show();
    };
    host.querySelector(".chips").append(button);
  }
  host.onkeydown = (event) => event.key.startsWith("Arrow") && event.stopPropagation();
  function show() {
    const weights = softmax(scores);
    rows.forEach((row, i) => row(scores[i], weights[i]));
    host.querySelector(".says").textContent = data.texts.sum;
    host.dataset.scores = JSON.stringify(scores);
    host.dataset.weights = JSON.stringify(weights);
  }
  show();
}

export function softmax(scores) {
  const most = Math.max(...scores), powers = scores.map((score) => Math.exp(score - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

function buildRow(host, { words, reach, texts }, i, changed) {
  const row = document.createElement("div");
  row.className = "score";
  row.innerHTML = '<bdi></bdi><input type="range"><span class="number"></span><span class="power"></span><span class="bar"><i></i></span><b></b>';
  const [word, slider, number, power, bar, weight] = row.children;
  const raised = document.createElement("sup");
  word.textContent = words[i];
  Object.assign(slider, { min: -reach, max: reach, step: 0.1 });
  slider.setAttribute("aria-label", texts.slider.replace("{word}", words[i]));
  slider.oninput = () => changed(Number(slider.value));
  host.querySelector(".scores").append(row);
  return (score, share) => {
    if (Number(slider.value) !== score) slider.value = score;
    slider.setAttribute("aria-valuetext", digits(score));
    number.textContent = digits(score);
    raised.textContent = digits(score);
    power.replaceChildren("e", raised, ` = ${digits(Math.exp(score))}`);
    bar.firstChild.style.width = `${share * 100}%`;
    weight.textContent = digits(share);
  };
}
