"""How quick is the running app? Change → painted, and first load, per page, beside an empty Streamlit page in the same run.

    python bench/pages.py [rounds]

A real browser drives two servers on loopback, taking turns: the app, and a page with one text box and one line of text (the
floor). A change is another sentence of the same length; painted is when the text or the canvas it changes has been drawn: two animation frames
after the last change of the document. Ratios and differences hold; milliseconds depend on the machine.
"""

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tests.find_browser import FLAGS, find_browser  # noqa: E402

PAGES = ("start", "step_1_arrows", "step_2_qkv", "step_3_scores", "step_4_softmax", "step_5_blend", "step_6_heads", "step_7_mix",
         "whole_picture")
SIZES = {
    "(3, 8, 2)": ("", 60, ("the dog sat", "the cat sat")),
    "(10, 512, 8)": (
        "sentence=We+ran+the+old+shop+and+sold+very+dark+tea.&d_model=512&h=8&head=2", 120,
        ("We ran the old shop and sold very nice tea.", "We ran the old shop and sold very dark tea."),
    ),
}
FLOOR = "import streamlit as st\nst.text('chosen ' + st.text_input('Your sentence', 'the cat sat'))\nst.title('floor')\n"
# Resolves when the page has been quiet for 40 ms after the first change; gives the time of the last change.
WATCH = """() => new Promise(done => {
  let last = 0, timer;
  const start = performance.now();
  const seen = () => { requestAnimationFrame(() => requestAnimationFrame(() => { last = performance.now() - start; }));
    clearTimeout(timer); timer = setTimeout(() => { spy.disconnect(); done(last); }, 150); };
  const spy = new MutationObserver(seen);
  const app = document.querySelector('.stApp');
  spy.observe(app, { childList: true, subtree: true, characterData: true, attributes: true });
  document.querySelectorAll('*').forEach(e => e.shadowRoot && spy.observe(e.shadowRoot, { childList: true, subtree: true, characterData: true, attributes: true }));
})"""


def serve(script: Path, cwd: Path):
    """A Streamlit server on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port), "--server.address", "127.0.0.1",
               "--server.headless", "true", "--browser.gatherUsageStats", "false", "--server.fileWatcherType", "none"]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "STREAMLIT_RUNNER_POST_SCRIPT_GC": "false"}
    server = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    for _ in range(240):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2).read()
            return server, f"http://127.0.0.1:{port}"
        except OSError:
            time.sleep(0.25)
    raise SystemExit("a server did not start")


def settle(page) -> None:
    page.wait_for_selector(".stApp h1", timeout=60_000)
    page.wait_for_selector('.stApp[data-test-script-state="notRunning"]', timeout=60_000)
    page.wait_for_timeout(250)


def first_load(browser, address: str, ready: str) -> float:
    """Milliseconds from navigation to the first number (or the floor's title) on the screen, in a fresh browser context."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    begun = time.perf_counter()
    page.goto(address)
    page.wait_for_selector(ready, timeout=60_000)
    taken = (time.perf_counter() - begun) * 1000
    context.close()
    return taken


def changes(browser, address: str, sentences, rounds: int) -> list[float]:
    """Change → painted, one after the other, in one session."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(address)
    settle(page)
    taken = []
    for k in range(rounds):
        box = page.locator("input[aria-label='Your sentence']").first
        box.fill(sentences[k % 2])
        watching = page.evaluate_handle(f"() => ({{ promise: ({WATCH})() }})")
        box.press("Enter")
        taken.append(page.evaluate("held => held.promise", watching))
        settle(page)
    context.close()
    return taken[2:]


def p95(values: list[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]


def main(rounds: int) -> None:
    folder = Path(tempfile.mkdtemp())
    (folder / "floor.py").write_text(FLOOR)
    floor_server, floor = serve(folder / "floor.py", folder)
    app_server, app = serve(ROOT / "app.py", ROOT)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
            report(browser, app, floor, rounds)
            browser.close()
    finally:
        app_server.terminate()
        floor_server.terminate()


def report(browser, app: str, floor: str, rounds: int) -> None:
    first_load(browser, floor, "h1"), first_load(browser, app, ".whole")  # warm both servers
    loads = [(first_load(browser, floor, "h1"), first_load(browser, app, ".whole .cells")) for _ in range(max(3, rounds // 5))]
    ours, theirs = (statistics.median(side) for side in (tuple(b for _, b in loads), tuple(a for a, _ in loads)))
    print(f"first numbers of the start page {ours:5.0f} ms, floor {theirs:5.0f} ms: {ours / theirs:.2f} × (aim 1.5)")
    for size, (query, aim, sentences) in SIZES.items():
        print(f"\n{size}: change → painted, ms            p50    p95   p95 − floor (aim {aim})   first load")
        for name in PAGES:
            base = changes(browser, floor, sentences, rounds)
            found = changes(browser, f"{app}/{'' if name == 'start' else name}?{query}", sentences, rounds)
            load = first_load(browser, f"{app}/{'' if name == 'start' else name}?{query}", ".whole .cells, [role=grid]")
            over = p95(found) - p95(base)
            print(f"  {name:16} (floor p50 {statistics.median(base):4.0f}) {statistics.median(found):8.0f} {p95(found):6.0f} {over:10.0f}"
                  f"{' ' if over <= aim else ' *':14} {load:6.0f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
