"""The sheet in a real browser: every cell tells what explain() tells; keys, touch, labels, themes and sizes behave."""

import json
from math import inf, isclose

import numpy as np
import pytest

from mha_core.arithmetic import explain
from tests.browser.sheet_page import SITE, SheetPage
from tests.sheet_walks import EQUATIONS, HOSTILE, make_walk
from walkthrough.feature_names import names_of
from walkthrough.settings import Settings
from walkthrough.sheet import grids as g
from walkthrough.sheet.digits import digits
from walkthrough.sheet.sheet import TEXTS, sheet
from walkthrough.walk import walk_of

pytestmark = pytest.mark.browser

WALKS = {
    "small": dict(),
    "causal, three heads": dict(mask="causal", d_model=12, h=3, head=2),
    "scaling off, four words": dict(divisor="none", tokens=("a", "b", "a", "a"), d_model=6, h=3, head=3),
    "one token, no positions, divided by d_k": dict(tokens=("alone",), positions=False, divisor="d_k"),
    "cross, with biases": dict(other=("le", "chat", "noir", "dort"), biases=True, d_model=6, h=2, head=2),
}


def open_sheet(browser, walk, equations, **options):
    return SheetPage(browser, sheet(walk, equations), **options)


def compare(walk, grids, said):
    """One reading against explain(): place, rule, every term shown, the total, and the printed text of each number."""
    grid = grids[said["grid"]]
    r, c = grid.rows[said["r"]], grid.columns[said["c"]]
    row, column = (c, r) if grid.transposed else (r, c)
    is_bias = len(g.axes(grid.field)) == 1
    index = ([grid.head - 1] if grid.head else []) + ([column] if is_bias else [row, column])
    assert said["cell"] == ".".join([grid.field, *(str(i + 1) for i in index)])
    whole = np.asarray(g.values(walk.trace, grid.field))
    value = float(whole[tuple(index)])
    assert float(said["shown"].replace("Infinity", "inf")) == value and f"{digits(value)}" in said["text"]
    made = shares_by_hand(walk, *index) if grid.field == "shares" else explain(walk.trace, grid.field, tuple(index))
    assert said["rule"] == made.rule
    assert close(number(said["total"]), made.total) and close(made.total, value)
    for term in said["terms"]:
        wanted = made.terms[int(term["index"])]
        assert close(number(term["value"]), wanted.value), (said["cell"], term)
        assert len(term["operands"]) == len(wanted.operands)
        for (cell, shown), operand in zip(term["operands"], wanted.operands):
            assert cell == address(operand)
            assert inf_or(shown) == operand.value, (said["cell"], cell)
        for exact, text in term["printed"]:
            assert digits(number(exact)) == text.strip("()")
    if made.rule == "softmax":
        assert close(number(said["maximum"]), made.maximum) and close(number(said["normaliser"]), made.normaliser)
        assert int(said["own"]) == made.own
    if said["big"] and made.rule != "mask":
        assert said["big"] == digits(value)
    assert len(said["subtotals"]) == len(made.subtotals)
    for (exact, text), wanted in zip(said["subtotals"], made.subtotals):
        assert close(number(exact), wanted) and text.strip("()") == digits(number(exact))
    return made


def number(text: str) -> float:
    return float(text.replace("Infinity", "inf"))


def inf_or(shown) -> float:
    return -inf if shown is None else shown  # JSON has no −∞


def close(a: float, b: float) -> bool:
    return a == b or isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)


def address(operand) -> str:
    if operand.field in ("divisor", "allowed"):
        return operand.field
    return ".".join([operand.field, *(str(i + 1) for i in operand.index)])


def shares_by_hand(walk, head, row, column):
    """What explain would say of a head's share, had STAGES a row for it."""
    from mha_core.arithmetic import Arithmetic, Operand, Term

    trace, d_v, terms = walk.trace, walk.trace.parameters.d_v, []
    for k in range(d_v):
        a = Operand("heads", (head, row, k), float(trace.heads[head, row, k]))
        b = Operand("W_O", (head * d_v + k, column), float(trace.parameters.W_O[head * d_v + k, column]))
        terms.append(Term((a, b), a.value * b.value))
    return Arithmetic("shares", (head, row, column), "product", tuple(terms), sum(t.value for t in terms))


@pytest.mark.parametrize("name", WALKS)
def test_every_cell_of_every_grid_tells_what_explain_tells(chromium, name):
    walk = make_walk(**WALKS[name])
    payload = sheet(walk, EQUATIONS)
    with SheetPage(chromium, payload, height=120) as page:  # little to paint: it is the words that are read here
        page.grid("X" if walk.trace.P is None else "E").press("m")  # long sums opened
        seen = page.walk()
        assert not page.errors
    drawn = [id for equation in payload.equations for part in equation for id in part.get("grids", ())]
    assert len(seen) == sum(len(payload.grids[id].rows) * len(payload.grids[id].columns) for id in drawn)
    for said in seen:
        made = compare(walk, payload.grids, said)
        if made.rule != "given" and made.rule != "softmax":
            assert len(said["terms"]) == len(made.terms), said["cell"]


@pytest.mark.parametrize("equations", [EQUATIONS[1:3], EQUATIONS[4:7], EQUATIONS[7:8], EQUATIONS[8:9]])
def test_folded_grids_and_folded_sums_tell_the_same_at_512_numbers(chromium, equations):
    walk = make_walk(tokens=("one", "two", "one"), d_model=512, h=8, head=7)
    payload = sheet(walk, equations)
    with SheetPage(chromium, payload, height=120) as page:
        seen = page.walk()
        assert not page.errors
    for said in seen:
        made = compare(walk, payload.grids, said)
        if len(made.terms) > 9 and not made.subtotals:
            assert [int(t["index"]) for t in said["terms"]] == [0, 1, 2, 3, len(made.terms) - 1]
            assert f"… {len(made.terms) - 5} more …" in said["text"]


def test_a_long_sum_opens_by_button_and_by_key(chromium):
    with open_sheet(chromium, make_walk(d_model=64, h=2), ["X × W_Q = Q"]) as page:
        page.page.mouse.click(*page.middle("Q.1", 1, 2))
        page.page.mouse.move(2, 2)
        page.frame()
        page.page.locator(".reading .more").first.click()
        assert page.page.locator(".reading .term").count() == 64
        page.page.locator(".reading .more").first.click()
        assert page.page.locator(".reading .term").count() == 5
        page.grid("Q.1").press("m")
        assert page.page.locator(".reading .term").count() == 64


def test_what_a_masked_cell_says(chromium):
    with open_sheet(chromium, make_walk(mask="causal"), ["scores → scaled → masked → weights"]) as page:
        page.page.mouse.move(*page.middle("masked.1", 0, 2))
        assert "−∞ (masked): the may not look at sat" in page.reading()
        page.page.mouse.move(*page.middle("masked.1", 2, 0))
        assert "sat may look at the" in page.reading()
        page.page.mouse.move(*page.middle("weights.1", 0, 2))
        assert page.reading().startswith("weight(the → sat, head 1)") and "−∞" in page.reading()
        page.grid("masked.1").focus()
        for key in ("Control+Home", "End"):
            page.page.keyboard.press(key)
        assert page.grid("masked.1").locator("[role=gridcell]").inner_text() == TEXTS["masked"]


def test_numbers_built_by_hand_are_named_in_the_reading_line_too(chromium):
    walk = walk_of(Settings("She is a great leader", source="hand-built", head=1))
    features, lanes = names_of(walk, "W_Q", 1)
    payload = sheet(walk, ["X × W_Q = Q"], fold=99)
    with SheetPage(chromium, payload, height=120) as page:
        said = {(s["grid"], s["r"], s["c"]): s["text"] for s in page.walk()}
    assert f"query matrix({features[2]}, {lanes[0]}, head 1)" in said["W_Q.1", 2, 0]
    assert f"query(leader, {lanes[1]}, head 1)" in said["Q.1", 4, 1]


def test_a_sum_that_does_not_add_up_as_written_says_that_it_is_rounded(chromium):
    walk = make_walk(d_model=12, h=3)
    payload = sheet(walk, ["Q · K.T = scores"])
    with SheetPage(chromium, payload, height=120) as page:
        said = [s for s in page.walk() if s["grid"] == "scores.1"]
    written = lambda x: float(digits(x).replace("−", "-"))  # noqa: E731
    kinds = set()
    for s in said:
        q, k = walk.trace.Q[0, s["r"]], walk.trace.K[0, s["c"]]
        total = float(walk.trace.scores[0, s["r"], s["c"]])
        adds_up = abs(sum(written(float(a * b)) for a, b in zip(q, k)) - written(total)) < 1e-9
        adds_up = adds_up and all(digits(written(float(a)) * written(float(b))) == digits(float(a * b)) for a, b in zip(q, k))
        assert (TEXTS["rounded"] in s["text"]) == (not adds_up), s["text"]
        kinds.add(adds_up)
    assert False in kinds


def test_pointing_lights_operands_and_leaving_goes_back(chromium):
    with open_sheet(chromium, make_walk(), ["Q · K.T = scores"]) as page:
        rest = page.reading()
        assert rest == "Follow the in head 1: point at any number, and see how it was made."
        page.page.mouse.move(*page.middle("scores.1", 2, 1))
        assert page.reading().startswith("score(sat → cat, head 1) = ")

        def lit(id: str, side: str) -> list[int]:
            labels = page.page.locator(f'.grid:has([data-grid="{id}"]) .{side} .label')
            classes = labels.evaluate_all("list => list.map((l) => l.className)")
            return [i for i, names in enumerate(classes) if "lit" in names]

        assert lit("Q.1", "rows") == [2] and lit("K.1.T", "columns") == [1]
        assert (lit("scores.1", "rows"), lit("scores.1", "columns")) == ([2], [1])
        page.page.mouse.move(2, 2)
        assert page.reading() == rest


def test_the_keyboard_walks_a_grid_and_nothing_leaks_to_the_page(chromium):
    walk = make_walk(tokens=tuple("abcde"), d_model=32, h=2)
    with open_sheet(chromium, walk, ["X × W_Q = Q"]) as page:
        page.page.keyboard.press("Tab")
        page.page.keyboard.press("Tab")
        active = "root.activeElement.dataset.grid"
        assert page.page.evaluate(active) == "X"
        cell = page.grid("X").locator("[role=gridcell]")

        def where() -> tuple[int, int]:
            row = cell.locator("xpath=..").get_attribute("aria-rowindex")
            return int(row), int(cell.get_attribute("aria-colindex"))

        steps = {
            "ArrowRight": (2, 3), "ArrowDown": (3, 3), "ArrowLeft": (3, 2), "ArrowUp": (2, 2), "End": (2, 33),
            "Home": (2, 2), "Control+End": (6, 33), "Control+Home": (2, 2), "PageDown": (6, 2), "PageUp": (2, 2),
        }
        for key, place in steps.items():
            page.page.keyboard.press(key)
            page.frame()
            assert where() == place, key
            value = walk.trace.X[place[0] - 2, place[1] - 2]
            assert cell.inner_text() == digits(value) and digits(value) in page.reading(), key
        for _ in range(9):
            page.page.keyboard.press("ArrowRight")  # over the fold, and no further than the last column
        assert where() == (2, 33)
        assert page.page.evaluate("leaked") == ["Tab", "Tab", "Control", "Control"] and not page.said()
        page.page.keyboard.press("Tab")
        assert page.page.evaluate(active) == "W_Q.1"  # one stop a grid
        page.page.keyboard.press("x")
        assert page.page.evaluate("leaked").pop() == "x"


def test_enter_pins_escape_lets_go_and_focus_survives_a_new_payload(chromium):
    walk = make_walk()
    with open_sheet(chromium, walk, ["Q · K.T = scores"]) as page:
        grid = page.grid("scores.1")
        grid.focus()
        for key in ("Control+Home", "ArrowRight", "ArrowDown", "Enter"):
            page.page.keyboard.press(key)
        assert page.said() == [["pinned", "scores.1.2.2"]] and "Pinned." in page.reading()
        page.draw(sheet(make_walk(cell="scores.1.2.2"), ["Q · K.T = scores"]))
        assert page.page.evaluate("root.activeElement.dataset.grid") == "scores.1"
        assert "Pinned." in page.reading() and page.reading().startswith("score(cat → cat")
        assert page.grid("scores.1").locator("[role=gridcell]").get_attribute("aria-selected") == "true"
        page.page.keyboard.press("ArrowUp")
        assert page.reading().startswith("score(the → cat") and "Pinned." not in page.reading()
        page.page.keyboard.press("Escape")
        assert page.said() == [["pinned", ""]]
        page.draw(sheet(walk, ["Q · K.T = scores"]))
        page.page.locator("#before").focus()
        assert page.reading().startswith("Follow the")


def test_a_click_pins_and_operands_lead_to_where_they_were_made(chromium):
    with open_sheet(chromium, make_walk(), ["Q · K.T = scores"]) as page:
        page.page.mouse.click(*page.middle("scores.1", 2, 1))
        page.page.mouse.move(2, 2)
        assert page.said() == [["pinned", "scores.1.3.2"]]
        operands = page.page.locator(".reading button.operand")
        assert operands.count() == 8 and "where does" in operands.first.get_attribute("title")
        assert operands.nth(2).get_attribute("data-cell") == "Q.1.3.2"
        operands.nth(2).click()
        assert page.said() == [["follow", "Q.1.3.2"]]
        assert page.reading().startswith("query(sat, number 2, head 1) = ") and "Pinned." in page.reading()
        page.page.locator(".reading button.operand").first.click()  # X is drawn elsewhere: the page has to go there
        assert page.said() == [["follow", "X.3.1"]]
        page.page.mouse.click(*page.middle("Q.1", 2, 1))  # the pinned cell once more
        assert page.said() == [["pinned", ""]]


def test_a_pin_in_the_address_is_there_at_once_and_the_trail_leads_back(chromium):
    walk = make_walk(cell="Q.1.3.2", trail="scores.1.3.2")
    with open_sheet(chromium, walk, ["X × W_Q = Q"]) as page:
        assert page.reading().startswith("query(sat, number 2, head 1) = ") and "Pinned." in page.reading()
        back = page.page.locator(".trail button")
        assert back.all_inner_texts() == ["score(sat → cat, head 1)"]
        back.click()
        assert page.said() == [["follow", "scores.1.3.2"]]


@pytest.mark.parametrize("cell", ["Q.1.9.9", "nonsense", "scores.1", "X.a.b", "W_O.1.1", "Q", "..", "Q.1.-1.1"])
def test_a_pin_that_is_not_drawn_is_no_pin(chromium, cell):
    with open_sheet(chromium, make_walk(cell=cell), ["X × W_Q = Q"]) as page:
        assert page.reading().startswith("Follow the") and not page.errors


def test_a_finger_points_first_and_pins_second(chromium):
    phone = dict(width=390, height=800, has_touch=True, is_mobile=True)
    with open_sheet(chromium, make_walk(), ["Q · K.T = scores"], **phone) as page:
        page.page.touchscreen.tap(*page.middle("scores.1", 1, 0))
        assert page.reading().startswith("score(cat → the") and not page.said()
        page.page.touchscreen.tap(*page.middle("scores.1", 1, 1))
        assert page.reading().startswith("score(cat → cat") and not page.said()
        page.page.touchscreen.tap(*page.middle("scores.1", 1, 1))
        assert page.said() == [["pinned", "scores.1.2.2"]]


def test_strips_and_keys_unfold_and_a_button_folds_again(chromium):
    walk = make_walk(d_model=32, h=2)
    with open_sheet(chromium, walk, ["X × W_Q = Q"]) as page:
        strip = page.cells("X").locator(".strip")
        assert strip.get_attribute("aria-label") == "show 24 more"
        strip.click()
        page.cells("W_Q.1").locator(".strip.row").click()
        page.grid("X").press("u")
        assert page.said() == [["unfolded", ["X/columns"]], ["unfolded", ["W_Q.1/rows"]], ["unfolded", ["X"]]]
        page.draw(sheet(walk, ["X × W_Q = Q"], unfolded=frozenset(["X/columns"])))
        assert page.page.locator('.grid:has([data-grid="X"]) .columns .label').count() == 32
        assert page.page.evaluate("root.activeElement.dataset.grid") == "X"  # built anew, and still in hand
        page.page.locator("figcaption .quiet").click()
        assert page.said() == [["unfolded", []]]


def test_labels_of_heads_and_words_may_be_picked(chromium):
    with open_sheet(chromium, make_walk(), ["weights[all]"]) as page:
        page.page.locator(".symbol").nth(1).click()
        page.page.locator('.grid:has([data-grid="weights.1"]) .rows .label').nth(2).click()
        assert page.said() == [["pick", {"head": 2}], ["pick", {"word": 3}]]


@pytest.mark.parametrize("width", [1280, 390])
def test_hostile_labels_are_text_at_their_own_rows(chromium, width):
    walk = make_walk(HOSTILE, 8, 2, word=len(HOSTILE))
    with open_sheet(chromium, walk, ["Q · K.T = scores", "weights × V = heads"], width=width) as page:
        shown = [TEXTS["cells.blank"] if token == " " else token for token in HOSTILE]
        for id, side in (("scores.1", "rows"), ("scores.1", "columns"), ("K.1.T", "columns"), ("V.1", "rows")):
            labels = page.page.locator(f'.grid:has([data-grid="{id}"]) .{side} .label')
            assert labels.evaluate_all("list => list.map((l) => l.textContent)") == shown
            beyond = "(l) => Math.max(l.scrollWidth - l.clientWidth, l.scrollHeight - l.clientHeight)"
            over = labels.evaluate_all(f"list => list.map({beyond})")
            assert max(over) <= 1, (id, side, over)  # nothing is cut off
            heights = labels.locator("bdi").evaluate_all("list => list.map((b) => b.getBoundingClientRect().height)")
            assert len(heights) == len(HOSTILE) and min(heights) > 0
        assert page.page.evaluate("root.querySelectorAll('img, script, s, b:not(.total), a').length") == 0
        page.page.evaluate("root.querySelector('[data-grid=\"scores.1\"]').focus()")
        for i in (15, 10, 29):
            page.page.keyboard.press("Control+Home")
            for _ in range(i):
                page.page.keyboard.press("ArrowDown")
            assert page.reading().startswith(f"score({HOSTILE[i]} → the, head 1)")
            assert page.grid("scores.1").locator("[role=rowheader]").inner_text() == HOSTILE[i]
        assert not page.errors
        assert page.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("n", [32, 64])
def test_no_label_is_left_out_and_each_stands_beside_its_row(chromium, n):
    walk = make_walk([f"word{i}" for i in range(n)], 16, 4)
    with open_sheet(chromium, walk, ["Q · K.T = scores"]) as page:
        labels = page.page.locator('.grid:has([data-grid="scores.1"]) .rows .label')
        tops = labels.evaluate_all("list => list.map((l) => l.getBoundingClientRect().top)")
        assert len(tops) == n and all(b - a >= 11 for a, b in zip(tops, tops[1:]))
        page.grid("scores.1").press("Control+End")
        assert page.reading().startswith(f"score(word{n - 1} → word{n - 1}, head 1)")


def test_small_grids_of_many_words_say_that_labels_are_away(chromium):
    walk = make_walk([f"word{i}" for i in range(64)], 16, 4)
    with open_sheet(chromium, walk, ["weights[all]"]) as page:
        assert page.page.locator(".note").first.inner_text() == "64 × 64: point to read the words"
        box = page.cells("weights.3").bounding_box()
        page.page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 2)
        assert page.reading().startswith("weight(word0 → word63, head 3)")


@pytest.mark.parametrize("equation", EQUATIONS)
@pytest.mark.parametrize("size", [dict(), dict(tokens=tuple("abcdefghij"), d_model=512, h=8)], ids=["small", "large"])
def test_a_phone_never_scrolls_sideways(chromium, equation, size):
    with open_sheet(chromium, make_walk(**size), [equation], width=390) as page:
        assert page.page.evaluate("document.documentElement.scrollWidth") == 390
        parts = page.page.locator(".grid, .reading, .legend")
        assert parts.evaluate_all("list => list.every((e) => e.getBoundingClientRect().right <= 390)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_ink_and_texts_can_be_read_in_both_themes(chromium, scheme):
    walk = make_walk(cell="weights.1.2.1")
    with open_sheet(chromium, walk, ["scores → scaled → masked → weights"], scheme=scheme) as page:
        inks = page.page.evaluate("""async () => {
          const { buildProbe, readTheme, luminance, contrast } = await import("/paint.js");
          const probe = buildProbe();
          root.querySelector(".sheet").append(probe);
          const theme = readTheme({ probe }), rgb = (css) => luminance(css.match(/\\d+/g).map(Number));
          return [...theme.signed, ...theme.weight].map(({ fill, ink }) => contrast(rgb(fill), rgb(ink)));
        }""")
        assert len(inks) == 402 and min(inks) >= 4.5
        texts = page.page.evaluate("""async () => {
          const { luminance, contrast } = await import("/paint.js");
          const rgb = (css) => luminance(css.match(/\\d+/g).slice(0, 3).map(Number));
          const card = rgb(getComputedStyle(root.querySelector(".sheet")).backgroundColor);
          const kinds = ".label, .legend, .shape, .symbol, .operand, .hint, .second, .corner, small, td, th, .word";
          const ratio = (e) => contrast(card, rgb(getComputedStyle(e).color));
          return [...root.querySelectorAll(kinds)].map((e) => [e.className, ratio(e)]);
        }""")
        assert len(texts) > 40 and min(ratio for _, ratio in texts) >= 4.5, min(texts, key=lambda t: t[1])


def test_the_picture_follows_the_theme(chromium):
    with open_sheet(chromium, make_walk(), ["Q · K.T = scores"]) as page:
        canvas = page.page.locator("canvas").first

        def pixel():
            return canvas.evaluate("(c) => [...c.getContext('2d').getImageData(20, 6, 1, 1).data]")

        light = pixel()
        page.page.evaluate("document.documentElement.style.colorScheme = 'dark'")
        page.frame()
        page.frame()
        assert pixel() != light
        page.page.evaluate("document.documentElement.style.colorScheme = 'light'")
        page.frame()
        page.frame()
        assert pixel() == light


def test_roles_names_and_one_tab_stop_a_grid(chromium):
    walk = make_walk(mask="causal")
    with open_sheet(chromium, walk, ["Q · K.T = scores", "weights[all]"]) as page:
        for grid in page.page.get_by_role("grid").all():
            rows, columns = int(grid.get_attribute("aria-rowcount")), int(grid.get_attribute("aria-colcount"))
            id = grid.get_attribute("data-grid")
            drawn = page.payload.grids[id]
            assert [rows - 1, columns - 1] == drawn.shape
            label = grid.get_attribute("aria-label")
            assert drawn.name in label and drawn.finding in label and f"{rows - 1} × {columns - 1}" in label
            grid.focus()
            for role in ("columnheader", "rowheader"):
                assert grid.locator(f"[role=row] [role={role}]").count() == 1
            assert grid.locator(f"#{grid.get_attribute('aria-activedescendant')}[role=gridcell]").count() == 1
        stops = page.page.evaluate("[...root.querySelectorAll('*')].filter((e) => e.tabIndex >= 0).length")
        assert stops == page.page.get_by_role("grid").count()
        assert page.page.locator(".reading").get_attribute("aria-live") == "polite"


def test_a_focused_grid_shows_a_ring(chromium):
    with open_sheet(chromium, make_walk(), ["weights"]) as page:
        page.page.keyboard.press("Tab")
        page.page.keyboard.press("Tab")
        outline = "(e) => `${getComputedStyle(e).outlineStyle} ${getComputedStyle(e).outlineWidth}`"
        assert page.page.locator(".grid").first.evaluate(outline) == "solid 3px"


def test_drawing_again_leaves_one_sheet_and_stopping_leaves_none(chromium):
    walk = make_walk()
    with open_sheet(chromium, walk, ["Q · K.T = scores"]) as page:
        for _ in range(3):
            page.draw(sheet(walk, ["Q · K.T = scores"]))
        assert page.page.locator(".sheet").count() == 1 and page.page.locator(".grid").count() == 3
        page.draw(sheet(walk, ["X × W_Q = Q", "weights"]))
        assert page.page.locator(".grid").count() == 4
        page.page.evaluate("stop()")
        assert page.page.locator(".sheet").count() == 0 and not page.errors


def test_both_languages_write_a_number_alike(chromium):
    draw = np.random.RandomState(3)
    near_one, of_all_sizes = 1 - 10 ** draw.uniform(-12, -1, 200), 10 ** draw.uniform(-30, 9, 400)
    numbers = [*draw.standard_normal(400), *of_all_sizes, *near_one, 0.0, 1.0, 0.125, 2.5e-4, 1e5, 99999.5]
    numbers = [float(x) for x in numbers] + [-float(x) for x in numbers]
    with open_sheet(chromium, make_walk(), ["weights"]) as page:
        write = f"(name) => import('{SITE}rules.js').then((rules) => {json.dumps(numbers)}.map(rules[name]))"
        written, fewer = page.page.evaluate(write, "digits"), page.page.evaluate(write, "fewerDigits")
    assert written == [digits(x) for x in numbers]
    for x, text in zip(numbers, fewer):
        assert x == 0 or text.strip("−0.") != "", (x, text)
        assert not (abs(x) < 1 and text.strip("−") in ("1", "1.0", "1.00")), (x, text)
