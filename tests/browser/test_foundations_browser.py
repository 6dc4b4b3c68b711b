"""The foundations in a real browser: arrows are dragged and stepped, sliders slid, and the numbers are those of Python."""

import json

import pytest

from tests.walkthrough.test_foundations import angle_between
from walkthrough.digits import digits
from walkthrough.drag import readings
from walkthrough.drag.symbols import DOT, EXTRAS, PRODUCT, SOFTMAX, N
from walkthrough.lesson import text
from walkthrough.settings import Settings
from walkthrough.walk import walk_of

pytestmark = pytest.mark.browser


@pytest.fixture
def opened(chromium, app_url):
    pages = []

    def open_page(name: str, part: str, **context):
        page = chromium.new_page(viewport={"width": 1280, "height": 1000}, **context)
        pages.append(page)
        page.mistakes = []
        page.on("pageerror", lambda error: page.mistakes.append(str(error)))
        page.goto(f"{app_url}/{name}")
        page.locator(part).first.wait_for(timeout=90_000)
        return page

    yield open_page
    for page in pages:
        assert not page.mistakes
        page.close()


def read(page) -> dict:
    """What the two arrows read now, from the script's own state."""
    return page.locator(".drag:has(.handle)").evaluate("e => ({...e.dataset})")


def arrows(page):
    found = read(page)
    return tuple(tuple(map(float, found[name].split(","))) for name in "ab")


def assert_right(page):
    a, b = arrows(page)
    met, found = readings.meet(a, b), read(page)
    assert float(found["dot"]) == pytest.approx(met.dot, abs=1e-12)
    assert float(found["angle"]) == pytest.approx(met.angle, abs=1e-9)
    assert met.angle == pytest.approx(angle_between(a, b), abs=1e-5)
    line = page.locator(".reading").inner_text()
    assert f"= {digits(met.dot)}" in line and f"{digits(met.angle)}°" in line


def test_arrows_start_at_the_walk_and_follow_mouse_keyboard_and_presets(opened):
    page = opened(DOT, ".handle")
    X = walk_of(Settings()).trace.X
    assert arrows(page) == (tuple(X[2, :2]), tuple(X[0, :2]))
    assert_right(page)
    handle = page.locator(".handle.arrow-0")
    box = page.locator(".page svg").bounding_box()
    unit, middle = box["width"] / 6, (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    handle.hover()
    page.mouse.down()
    page.mouse.move(middle[0] - 1.5 * unit, middle[1] - 2 * unit, steps=4)
    assert_right(page)  # while it is still held
    page.mouse.up()
    assert arrows(page)[0] == pytest.approx((-1.5, 2), abs=0.11)
    page.mouse.move(middle[0] + unit, middle[1])
    assert arrows(page)[0] == pytest.approx((-1.5, 2), abs=0.11)  # let go is let go
    for way, angle in (("same", 0), ("right", 90), ("opposite", 180)):
        page.locator(f"[data-way={way}]").click()
        assert_right(page)
        assert float(read(page)["angle"]) == angle and arrows(page)[1] == readings.turned(arrows(page)[0], way)
        assert text(f"found_arrow_{way}").split("{")[0] in page.locator(".reading").inner_text()
    assert read(page)["dot"].startswith("-")
    page.locator("[data-way=start]").click()
    assert arrows(page) == (tuple(X[2, :2]), tuple(X[0, :2]))


def test_arrows_are_moved_by_keys_without_turning_the_page(opened):
    page = opened(DOT, ".handle")
    handle, before = page.locator(".handle.arrow-1"), page.url
    page.locator("[data-way=right]").click()
    start = arrows(page)[1]
    handle.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Shift+ArrowDown", "ArrowLeft"):
        page.keyboard.press(key)
        assert_right(page)
    assert arrows(page)[1] == pytest.approx((start[0] + 0.1, start[1] - 0.4), abs=0.11)
    assert handle.get_attribute("role") == "slider" and digits(arrows(page)[1][0]) in handle.get_attribute("aria-valuetext")
    for _ in range(60):
        page.keyboard.press("Shift+ArrowRight")
    assert arrows(page)[1][0] < 3  # never off the page
    page.wait_for_timeout(300)
    assert page.url == before and page.locator("h1").inner_text() == "How alike are two arrows?"


def test_weights_move_with_the_sliders_and_are_those_of_the_core(opened):
    page = opened(SOFTMAX, ".score")
    host, walk = page.locator(".drag:has(.score)"), walk_of(Settings())

    def assert_shared():
        scores, weights = (json.loads(host.get_attribute(f"data-{name}")) for name in ("scores", "weights"))
        assert weights == pytest.approx(readings.shared(scores).tolist(), rel=1e-12)
        assert page.locator(".score b").all_inner_texts() == [digits(w) for w in weights]
        return scores

    assert assert_shared() == walk.trace.scores[1, 2].tolist()
    slider = page.locator(".score input").nth(1)
    slider.fill("-4")
    assert assert_shared()[1] == -4
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert assert_shared()[1] == pytest.approx(-3.9) and page.locator("h1").inner_text() == "How do scores turn into shares?"
    for preset, scores in readings.score_presets(walk.trace.scores[1, 2]).items():
        page.get_by_role("button", name=text(f"found_scores_{preset}"), exact=True).click()
        assert assert_shared() == pytest.approx(scores)


def test_reels_move_with_their_slider(opened):
    page = opened(N, ".square")
    slider = page.locator(".slide input")
    count = lambda: page.locator(".square rect:not(.later)").count()  # noqa: E731
    assert count() == 9
    slider.fill("7")
    assert count() == 49 and "7 × 7 = 49" in page.locator(".slide .says").inner_text()
    page.get_by_role("button", name=text("found_square_ten", n=10)).click()
    assert count() == 100
    page = opened(PRODUCT, ".product")
    page.locator(".slide input").fill("6")
    assert page.locator(".answer:not(.later)").count() == 6 and page.locator(".answer.on").count() == 1
    X = walk_of(Settings()).trace.X
    assert page.locator(".slide .says").inner_text().endswith(f"= {digits(X[1] @ X[2])}")
    assert page.locator(".answer.on").inner_text() == digits(X[1] @ X[2])


def test_the_map_lights_what_a_sign_needs_and_opens_its_page_by_keyboard(opened):
    page = opened(EXTRAS[0], ".map .box")
    box = page.locator(f".box[data-open={SOFTMAX}]")
    box.hover()
    lit = page.locator(".box.lit").evaluate_all("list => list.map((e) => e.dataset.open.slice(12))")
    assert sorted(lit) == ["00_words", "02_vector", "06_dot", "09_softmax"]
    page.locator(f".box[data-open={DOT}]").focus()
    page.keyboard.press("Enter")
    page.locator(".handle").first.wait_for(timeout=60_000)
    assert page.locator("h1").inner_text() == "How alike are two arrows?"
    page.get_by_role("button", name=text("title_foundations_07_qkv")).click()
    page.get_by_text("“q 3 2”").wait_for(timeout=60_000)
    page.locator("[data-open='name:3.1']").click()
    page.get_by_text("“q 3 1”").wait_for(timeout=60_000)


@pytest.mark.parametrize("name", [N, PRODUCT, DOT, SOFTMAX, EXTRAS[0]])
def test_no_picture_stands_out_sideways_on_a_phone(opened, name):
    page = opened(name, ".drag")
    page.set_viewport_size({"width": 390, "height": 900})
    page.wait_for_timeout(300)
    assert page.locator(".drag").evaluate_all("list => list.every((e) => e.scrollWidth <= e.clientWidth)")
