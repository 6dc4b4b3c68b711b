"""The whole picture: every cell's shade is its number, nothing a learner types becomes markup, every part opens a page."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.walkthrough.test_pages import open_app
from walkthrough.figures import svg
from walkthrough.figures.printable import printable
from walkthrough.figures.whole import whole
from walkthrough.frame.pictures import _picture_css, _whole_names
from walkthrough.frame.shell import WALK
from walkthrough.numbers import percent
from walkthrough.settings import Settings
from walkthrough.walk import walk_of

TEN = "I led a team that built a scalable API."
SVG = "{http://www.w3.org/2000/svg}"


def drawn(settings: Settings):
    walk = walk_of(settings)
    return walk, ElementTree.fromstring(whole(walk.trace, walk.tokens, walk.word, walk.head, _whole_names(walk), percent))


def shades(part) -> list[float]:
    """The signed opacity of every cell of one grid, in drawing order."""
    signs = {"plus": 1, "minus": -1, "weight-1": 1}
    cells = [e for e in part.iter(f"{SVG}rect") if e.get("class") in signs]
    return [signs[e.get("class")] * float(e.get("fill-opacity")) for e in cells]


@pytest.mark.parametrize("settings", [Settings(), Settings(h=1, head=1), Settings("a b", d_model=12, h=3, word=1, mask="causal")])
def test_every_shade_is_a_number_of_the_trace(settings):
    walk, root = drawn(settings)
    t = walk.trace
    fields = [("X", t.X)] + [(f, getattr(t, f)[i]) for i in range(t.parameters.h) for f in ("Q", "K", "V", "scores", "weights", "heads")]
    grids = [part for part in root.iter(f"{SVG}a")]
    for (field, values), part in zip([*fields, ("concat", t.concat), ("output", t.output)], grids, strict=True):
        whole_field = getattr(t, field)
        limit = 1.0 if field == "weights" else np.abs(whole_field).max()
        kept = [c for c in svg.fold(values.shape[1], 7 if field in ("X", "output", "concat") else 5) if c >= 0]
        if field in ("scores", "weights"):
            kept = list(range(values.shape[1]))
        if field == "concat" and values.shape[1] > 8:
            continue  # drawn by heads; its own test below
        np.testing.assert_allclose(shades(part), (values[:, kept] / limit).ravel(), atol=6e-4, err_msg=field)


def test_large_grids_are_drawn_in_shades_within_one_level():
    values = np.linspace(-1, 1, 30 * 30).reshape(30, 30)
    picture, width, height = svg.grid(values, 4, 1.0, "signed", list(range(30)))
    assert (width, height) == (120, 120)
    found = {}
    for side, opacity, d in re.findall(r'<path class="(\w+)" fill-opacity="([\d.]+)" d="([^"]*)"', picture):
        for x, y in re.findall(r"M([\d.]+) ([\d.]+)h", d):
            found[int(float(y) // 4), int(float(x) // 4)] = (1 if side == "plus" else -1) * float(opacity)
    for (r, c), value in np.ndenumerate(values):
        assert abs(found.get((r, c), 0.0) - value) <= 0.5 / svg.LEVELS + 1e-3


def test_every_part_opens_a_page_and_has_a_name():
    _, root = drawn(Settings(TEN, d_model=64, h=8, word=2))
    pages = [part.get("data-page") for part in root.iter(f"{SVG}a")]
    assert {page for page in pages if page.startswith("step")} == {name for name in WALK if name[:6] in (
        "step_1", "step_2", "step_3", "step_4", "step_5", "step_7")}
    assert sorted(page for page in pages if page.startswith("head:")) == [f"head:{i}" for i in (1, 3, 4, 5, 6, 7, 8)]
    assert all(part.get("aria-label") and part.get("tabindex") == "0" for part in root.iter(f"{SVG}a"))


def test_who_looks_at_whom_is_said_for_every_head():
    walk, root = drawn(Settings())
    for head, row in enumerate(walk.trace.weights[:, walk.word]):
        said = f"In head {head + 1}, “sat” gives most to “{walk.tokens[row.argmax()]}”: {percent(row.max())}."
        assert said in root.get("aria-label")


@pytest.mark.parametrize("sentence", ["<script>x</script> & b", 'a" onload="x', "]]> <svg> </svg>", "🤷🏽‍♀️ שלום 我", "hello", "w " * 64])
def test_nothing_typed_becomes_markup(sentence):
    walk, root = drawn(Settings(sentence.strip(), word=1))  # parses: what was typed did not break the picture
    assert not list(root.iter(f"{SVG}script"))
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert walk.tokens[0] in titles


def test_masked_cells_are_hatched_where_scores_are_masked():
    picture, *_ = svg.grid(np.array([[1.0, -np.inf]]), 10, 1.0, "signed", [0, 1])
    assert picture.count('class="masked"') == 1


def middles(root, css: str) -> list[tuple[float, float, float]]:
    """Where rings of this look stand: left and right edge, and the middle of the row."""
    found = []
    for place in root.iter(f"{SVG}g"):
        if "translate" not in (place.get("transform") or ""):
            continue
        x, y = map(float, re.findall(r"-?[\d.]+", place.get("transform")))
        for ring in place.iter(f"{SVG}rect"):
            if ring.get("class") == css:
                left = x + float(ring.get("x"))
                found.append((left, left + float(ring.get("width")), y + float(ring.get("y")) + float(ring.get("height")) / 2))
    return found


@pytest.mark.parametrize("settings", [Settings(), Settings(head=1, word=1), Settings(TEN, d_model=512, h=8, word=2, head=5)])
def test_the_way_of_the_chosen_word_through_the_chosen_head_is_lit_and_no_other(settings):
    _, root = drawn(settings)
    hue = f"stroke:var(--mha-head-{(settings.head - 1) % 8 + 1})"
    bands = {css: [p.get("style") for p in root.iter(f"{SVG}path") if p.get("class") == css] for css in ("band", "band lit", "thread")}
    assert set(bands["band lit"]) == {hue, "stroke:var(--mha-muted)"} and bands["band lit"].count(hue) == 9
    assert hue not in bands["band"] and set(bands["thread"]) == {hue}
    rings = middles(root, "ring lit")
    ends = [tuple(map(float, re.findall(r"-?[\d.]+", p.get("d")))) for p in root.iter(f"{SVG}path") if p.get("class") == "thread"]
    assert len(ends) == 6  # X → Q → scores → weights → answer → side by side → output
    for x1, y1, *_, x2, y2 in ends:  # every piece goes from the ringed row of one grid to the ringed row of the next
        assert any(abs(right - x1) < 5 and abs(y1 - y) < 1 for _, right, y in rings), (x1, y1)
        assert any(abs(left - x2) < 5 and abs(y2 - y) < 1 for left, _, y in rings), (x2, y2)


@pytest.mark.parametrize("n", [12, 13, 17, 64])
def test_every_word_is_named_and_no_name_covers_another(n):
    walk, root = drawn(Settings(" ".join(f"w{i}" for i in range(n)), word=n))
    named = [e for e in root.iter(f"{SVG}text") if (e.get("class") or "").startswith("word")]
    assert [e.text for e in named] == list(walk.tokens)
    heights = [float(e.get("y")) for e in named]
    assert min(np.diff(heights), default=99) >= 12


@pytest.mark.parametrize("settings", [Settings(), Settings("var(--mha-query) <b> & style=\"x\"", mask="causal", word=1)])
def test_the_picture_to_keep_looks_for_nothing_outside_itself(settings):
    walk = walk_of(settings)
    shown = whole(walk.trace, walk.tokens, walk.word, walk.head, _whole_names(walk), percent)
    kept = ElementTree.fromstring(printable(shown, _picture_css(), "where <it> comes from"))
    style = kept.find(f"{SVG}style").text
    used = style + " ".join(e.get("style") or "" for e in kept.iter())
    assert "var(" not in used and "http" not in used and "Noto Sans" in used
    for css in ("band", "lit", "thread", "plus", "minus", "weight-1", "ring"):
        assert f".{css}" in style
    assert "where <it> comes from" in [e.text for e in kept.iter(f"{SVG}text")]
    assert [e.text for e in kept.iter(f"{SVG}title")] == list(walk.tokens)
    cells = {tag: [e.attrib for e in ElementTree.fromstring(shown).iter(f"{SVG}{tag}")] for tag in ("rect", "path")}
    assert len(list(kept.iter(f"{SVG}path"))) == len(cells["path"])
    assert len(list(kept.iter(f"{SVG}rect"))) == len(cells["rect"]) + 1  # and the paper


def test_the_whole_picture_can_be_taken_home():
    button, = open_app("whole_picture").get("download_button")
    assert button.proto.label and not open_app("start").get("download_button")
