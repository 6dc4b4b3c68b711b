"""How quick is the sheet? Prints, for three sizes and the equations of every step, what pointing and a change cost.

    python bench/sheet.py

hover    milliseconds of one frame that pointing at a cell takes: arithmetic, text, light and layout (a frame has 16.7)
to text  milliseconds from a mouse event to the changed reading line, the wait for the frame included
build    milliseconds in Python from a walk to the payload       sent    bytes of the payload
paint    milliseconds in the browser from a new payload's arrival to its painted frame
Median and the 95th of 100; one sheet alone on a page, headless Chromium without a graphics card.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from playwright.sync_api import sync_playwright

from tests.browser.sheet_page import SheetPage
from tests.find_browser import FLAGS, find_browser
from tests.sheet_walks import make_walk
from walkthrough.sheet.assets import script, style
from walkthrough.sheet.sheet import sheet

SIZES = ((3, 8, 2), (10, 512, 8), (32, 64, 4))
STEPS = {
    "2 Q K V": ["X × W_Q = Q", "X × W_K = K", "X × W_V = V"],
    "3 scores": ["Q · K.T = scores"],
    "4 softmax": ["scores → scaled → masked → weights"],
    "5 blend": ["weights × V = heads"],
    "6 heads": ["Q[all]", "weights[all]", "heads[all]"],
    "7 mix": ["heads[all] ⇒ concat", "concat × W_O = output"],
}
HOVER = """async (times) => {
  const reading = root.querySelector(".reading"), all = [...root.querySelectorAll(".cells")], work = [], toText = [];
  all.forEach((cells) => cells.addEventListener("pointermove", () => (window.moved = performance.now()), true));
  new MutationObserver(() => toText.push(performance.now() - window.moved)).observe(reading, { childList: true });
  for (let i = 0; i < times; i++) {
    const cells = all[i % all.length], box = cells.getBoundingClientRect();
    const clientX = box.left + box.width * (((i * 37) % 97) / 97);
    const clientY = box.top + box.height * (((i * 53) % 89) / 89);
    cells.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, bubbles: true, pointerType: "mouse" }));
    await new Promise((done) => requestAnimationFrame((start) => {
      reading.getBoundingClientRect();
      work.push(performance.now() - start);
      done();
    }));
    await new Promise((done) => setTimeout(done, 4));
  }
  return [work, toText];
}"""
PAINT = """async () => {
  await new Promise((done) => requestAnimationFrame(done));
  const data = new Uint8Array(await (await fetch("/payload")).arrayBuffer()), start = performance.now();
  redraw(data);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - start;
}"""


def main() -> None:
    script_size, style_size = len(script().encode()), len(style().encode())
    print(f"script {script_size:,} bytes, style {style_size:,} bytes, sent again with every payload")
    print(f"{'n, d_model, h':>14} {'step':>10} {'hover':>13} {'to text':>13} {'build':>13} {'sent':>9} {'paint':>13}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        for size in SIZES:
            for step, equations in STEPS.items():
                print(f"{', '.join(map(str, size)):>14} {step:>10} " + measure(browser, size, equations), flush=True)
        browser.close()


def measure(browser, size, equations) -> str:
    n, d_model, h = size
    walks = [make_walk([f"word{i}" for i in range(n)], d_model, h, seed=seed) for seed in range(11)]
    build, payloads = zip(*(timed(sheet, walk, equations) for walk in walks))
    with SheetPage(browser, payloads[0]) as page:
        paint = []
        for i in range(20):
            page.payload = payloads[i % 10 + 1]
            paint.append(page.page.evaluate(PAINT))
        work, to_text = page.page.evaluate(HOVER, 100)
    sent = f"{len(payloads[0].data):,}"
    return f"{spread(work)} {spread(to_text)} {spread(build[1:])} {sent:>9} {spread(paint)}"


def timed(call, *arguments):
    start = time.perf_counter()
    result = call(*arguments)
    return (time.perf_counter() - start) * 1000, result


def spread(times) -> str:
    ordered = sorted(times)
    return f"{ordered[len(ordered) // 2]:5.1f} / {ordered[int(len(ordered) * 0.95)]:5.1f}"


if __name__ == "__main__":
    main()
