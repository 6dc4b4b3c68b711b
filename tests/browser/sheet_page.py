"""A page that holds nothing but one sheet: the shipped script and style in a shadow root, as Streamlit mounts them."""

from walkthrough.palette import css_variables
from walkthrough.sheet.assets import HERE, MODULES, script, style

SITE = "http://sheet.test/"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>sheet</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><style>
:root { color-scheme: %s; %s } body { margin: 0; background: var(--mha-background) } #host { padding: 12px }
</style>
<button id="before">before</button><div id="host"></div>
<script type="module">
import render from "/script.js";
const root = document.getElementById("host").attachShadow({ mode: "open" });
const style = document.createElement("style");
style.textContent = await (await fetch("/style.css")).text();
root.append(style);
window.root = root;
window.said = [];
window.leaked = [];
document.addEventListener("keydown", (event) => leaked.push(event.key));
const say = (name, value) => said.push([name, value]);
window.redraw = (data) => {
  window.stop = render({ data, parentElement: root, setStateValue: say, setTriggerValue: say });
};
window.draw = async () => {
  redraw(new Uint8Array(await (await fetch("/payload")).arrayBuffer()));
};
await draw();
window.ready = true;
</script>"""

# Point at every cell of every grid as a mouse would, wait for the frame, and bring back what the reading line says.
WALK = """async (some) => {
  const frame = () => new Promise((done) => requestAnimationFrame(done)); // the sheet asked for this frame before us
  const reading = root.querySelector(".reading"), seen = [];
  for (const figure of root.querySelectorAll(".grid")) {
    const cells = figure.querySelector(".cells"), id = figure.querySelector("[role=grid]").dataset.grid;
    const middles = (side, start, size) => [...figure.querySelectorAll(`.${side} .label`)]
      .map(({ style }) => parseFloat(style[start]) + parseFloat(style[size]) / 2);
    const columns = middles("columns", "left", "width"), rows = middles("rows", "top", "height");
    for (const [r, y] of rows.entries()) for (const [c, x] of columns.entries()) {
      if (some && (r * 31 + c * 17) % some) continue;
      const box = cells.getBoundingClientRect();
      const place = { clientX: box.left + x, clientY: box.top + y };
      cells.dispatchEvent(new PointerEvent("pointermove", { ...place, bubbles: true, pointerType: "mouse" }));
      await frame();
      const terms = [...reading.querySelectorAll(".term")].map((t) => ({
        ...t.dataset, operands: JSON.parse(t.dataset.operands),
        printed: [...t.querySelectorAll(".operand")].map((o) => [o.dataset.value, o.innerText]),
      }));
      const subtotals = [...reading.querySelectorAll(".subtotal")]
        .map((s) => [s.dataset.value, s.querySelector(".body").innerText]);
      const big = reading.querySelector(".total")?.innerText ?? "";
      seen.push({ grid: id, r, c, ...reading.dataset, terms, subtotals, text: reading.innerText, big });
    }
  }
  return seen;
}"""


class SheetPage:
    """One browser page with one sheet. draw() hands it another payload, as a rerun of the app would."""

    def __init__(self, browser, payload, *, width=1280, height=900, scheme="light", **context):
        self.payload, self.scheme = payload, scheme
        self.context = browser.new_context(viewport={"width": width, "height": height}, **context)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", lambda dialog: self.errors.append(f"dialog {dialog.message}"))
        self.page.route(f"{SITE}**", self._answer)
        self.page.goto(SITE)
        self.page.wait_for_function("window.ready === true")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.context.close()

    def _answer(self, route):
        path = route.request.url.removeprefix(SITE)
        if path == "":
            route.fulfill(body=PAGE % (self.scheme, css_variables()), content_type="text/html")
        elif path == "payload":
            route.fulfill(body=self.payload.data, content_type="application/octet-stream")
        elif path in ("script.js", *MODULES):
            body = script() if path == "script.js" else (HERE / path).read_text(encoding="utf-8")
            route.fulfill(body=body, content_type="text/javascript")
        elif path == "style.css":
            route.fulfill(body=style(), content_type="text/css")
        else:
            route.fulfill(status=404)

    def draw(self, payload) -> None:
        self.payload = payload
        self.page.evaluate("draw()")

    def walk(self, some: int = 0) -> list[dict]:
        """What the reading line says at every cell (or at every some-th)."""
        return self.page.evaluate(WALK, some)

    def grid(self, id: str):
        return self.page.locator(f'[role=grid][data-grid="{id}"]').first

    def cells(self, id: str):
        return self.page.locator(f'.grid:has([data-grid="{id}"]) .cells').first

    def middle(self, id: str, row: int, column: int) -> tuple[float, float]:
        """Where on the screen a drawn cell is, counted from 0."""
        figure = self.page.locator(f'.grid:has([data-grid="{id}"])').first
        figure.evaluate("(e) => e.scrollIntoView({ block: 'start' })")  # clear of the reading line at the window's foot
        left = figure.locator(".columns .label").nth(column).bounding_box()
        top = figure.locator(".rows .label").nth(row).bounding_box()
        return left["x"] + left["width"] / 2, top["y"] + top["height"] / 2

    def frame(self) -> None:
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def reading(self) -> str:
        self.frame()
        return self.page.locator(".reading").inner_text()

    def said(self) -> list:
        """What was told to the server since the last time one asked."""
        return self.page.evaluate("said.splice(0)")
