"""Flat figures as SVG: what the browser gets is read back, its places and its numbers, and measured against the arrays."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from tests.walkthrough.test_figures import HOSTILE, RNG, all_figures, row_case
from walkthrough.digits import digits
from walkthrough.figures.arrows import arrows
from walkthrough.figures.bars import row_to_weights
from walkthrough.figures.beams import beams
from walkthrough.figures.blend import blend
from walkthrough.figures.drawing import draw
from walkthrough.figures.shares import head_shares
from walkthrough.palette import DARK, LIGHT

FLAT = ("arrows", "scores", "weights", "row", "divisors", "blend", "shares", "dot")
EVERY = [
    pytest.param(figure, names, id=f"{palette.name}-{name}-{len(names)}")
    for palette in (LIGHT, DARK) for names in (("the", "cat", "sat"), ("alone",), HOSTILE)
    for name, figure in all_figures(palette, names) if name in FLAT
]  # fmt: skip


def read(figure) -> ET.Element:
    """The drawing as a tree: whatever a word holds, it must not have become a tag."""
    return ET.fromstring(draw(figure))


def percent(element, name: str) -> float:
    return float(element.get(name).removesuffix("%"))


def said(element) -> str:
    return "".join(element.itertext())


def exact(tree, tag: str) -> list[float]:
    return [float(e.get("data-value")) for e in tree.iter(tag) if e.get("data-value")]


@pytest.mark.parametrize(("figure", "names"), EVERY)
def test_every_picture_is_whole_and_words_stay_words(figure, names):
    tree = read(figure)
    assert {e.tag for e in tree.iter()} <= {
        "div", "svg", "g", "line", "rect", "path", "circle", "text", "tspan", "title", "defs", "pattern", "span", "i",
    }
    numbers = re.findall(r'[ "](?:x|y|x1|x2|y1|y2|cx|cy|width|height)="([^"]+)"', draw(figure))
    assert numbers and not any("nan" in n or "inf" in n for n in numbers)


@pytest.mark.parametrize(("figure", "names"), EVERY)
def test_a_printed_number_is_the_number_it_stands_for(figure, names):
    found = [(said(e), float(e.get("data-value"))) for e in read(figure).iter("text") if e.get("data-value")]
    assert all(words == digits(value) for words, value in found)


@pytest.mark.parametrize("n", [1, 3, 7])
def test_bars_are_as_long_as_their_numbers(n):
    raw, scaled, masked, weights = row_case(n)
    tree = read(row_to_weights(raw, scaled, masked, weights, [f"w{i}" for i in range(n)], 0, LIGHT))
    bars = [(percent(e, "width"), float(e.get("data-value"))) for e in tree.iter("rect") if e.get("data-value")]
    assert [value for _, value in bars] == [*raw, *masked, *weights]
    tracks = max(percent(e, "width") for e in tree.iter("svg") if e.get("viewBox"))
    assert [width for width, _ in bars[2 * n :]] == pytest.approx(list(weights * tracks), abs=2e-3)  # 1 would fill its track
    ratios = [width / abs(value) for width, value in bars[: 2 * n]]
    assert ratios == pytest.approx([ratios[0]] * 2 * n, rel=2e-2)  # scores and scaled scores share one scale


def test_a_negative_bar_ends_where_a_positive_one_begins():
    values = np.array([-2.0, 3.0])
    tree = read(row_to_weights(values, values / 2, None, [0.1, 0.9], ("a", "b"), 0, LIGHT))
    negative, positive = [e for e in tree.iter("rect") if e.get("data-value")][:2]
    assert percent(negative, "x") + percent(negative, "width") == pytest.approx(percent(positive, "x"), abs=1e-2)


def test_what_is_masked_is_hatched_and_has_no_bar():
    raw, scaled, masked, weights = row_case(5, masked=(1, 4))
    tree = read(row_to_weights(raw, scaled, masked, weights, list("abcde"), 0, LIGHT))
    assert sum(e.get("class") == "masked" for e in tree.iter("rect")) == 2
    assert -np.inf not in exact(tree, "rect")
    hidden = [said(e) for e in tree.iter("text") if e.get("data-value") == "-inf"]
    assert hidden == [digits(-np.inf)] * 2 and "masked" in hidden[0]


def test_an_arrow_points_where_its_row_does():
    rows = RNG.normal(size=(5, 2)) * (7, 0.5)
    tree = read(arrows(rows, list("abcde"), 2, LIGHT))
    shafts = {tuple(map(float, g.get("data-values").split())): g.find("line") for g in tree.iter("g") if g.get("class") == "arrow"}
    assert set(shafts) == {tuple(row) for row in rows}
    scale = []
    for (x, y), shaft in shafts.items():
        right, up = percent(shaft, "x2") - percent(shaft, "x1"), percent(shaft, "y1") - percent(shaft, "y2")
        assert np.arctan2(up, right) == pytest.approx(np.arctan2(y, x), abs=1e-2)
        scale.append(np.hypot(right, up) / np.hypot(x, y))
    assert scale == pytest.approx([scale[0]] * 5, rel=1e-2)  # one scale for both directions: a square
    heads = [g.find("svg/path") for g in tree.iter("g") if g.get("class") == "arrow"]
    turns = [float(re.search(r"rotate\((.+)\)", head.get("transform"))[1]) for head in heads]
    assert turns == pytest.approx([-np.degrees(np.arctan2(y, x)) for x, y in shafts], abs=0.1)


def test_a_beam_runs_from_the_asking_word_to_the_word_it_asks():
    scores = np.array([[1.0, -2.0, 4.0], [0.5, 3.0, -1.0], [2.0, 2.5, 0.25]])
    tree = read(beams(scores, list("abc"), list("abc"), 1, LIGHT, "score"))
    high = {float(c.get("cx").removesuffix("%")): [] for c in tree.iter("circle")}
    for circle in tree.iter("circle"):
        high[percent(circle, "cx")].append(float(circle.get("cy")))
    left, right = (high[x] for x in sorted(high))
    strong = [e for e in tree.iter("path") if e.get("data-value")]
    assert sorted(exact(tree, "path")) == sorted(scores[1])
    for path in strong:
        points = [tuple(map(float, point.split())) for point in path.get("d")[1:].split("L")]
        key = list(scores[1]).index(float(path.get("data-value")))
        assert points[0][1] == pytest.approx(left[1], abs=0.1) and points[-1][1] == pytest.approx(right[key], abs=0.1)
        assert bool(path.get("stroke-dasharray")) == (scores[1, key] < 0)
    widths = sorted((abs(float(p.get("data-value"))), float(p.get("stroke-width"))) for p in strong)
    assert [w for _, w in widths] == sorted(w for _, w in widths), "the larger the score, the thicker the beam"


def test_the_pieces_of_a_blend_pile_up_to_the_marked_sum():
    weights, V = np.array([0.2, 0.5, 0.3]), RNG.normal(size=(3, 4))
    tree = read(blend(weights, V, list("abc"), weights @ V, LIGHT))
    marks = [e for e in tree.iter("svg") if e.get("data-value")]
    assert [float(e.get("data-value")) for e in marks] == pytest.approx(list(weights @ V), abs=1e-12)
    found = exact(tree, "rect")
    for value in [*weights, *V.ravel(), *(weights[:, None] * V).ravel()]:
        assert np.abs(np.array(found) - value).min() < 1e-12
    tall = {float(e.get("data-value")): float(e.get("height")) for e in tree.iter("rect") if e.get("data-value")}
    scale = [tall[v] / abs(v) for v in V.ravel()]
    assert scale == pytest.approx([scale[0]] * 12, rel=2e-2)


def test_shares_are_named_and_end_at_the_total():
    shares = RNG.normal(size=(2, 5))
    tree = read(head_shares(shares, shares.sum(0), LIGHT))
    assert [said(e) for e in tree.iter("span")] == ["head 1", "head 2", "sum"]
    assert exact(tree, "rect") == pytest.approx(list(shares.ravel()))
    assert exact(tree, "svg") == pytest.approx(list(shares.sum(0)))


def test_a_tooltip_says_the_word_and_the_number():
    tree = read(row_to_weights([1.0, 2.0], [0.5, 1.0], None, [0.25, 0.75], ("<b>", "cat&dog"), 0, LIGHT))
    tips = [said(e) for e in tree.iter("title")]
    assert any("<b> (word 1)" in tip and "0.25" in tip for tip in tips)
    assert any("cat&dog (word 2)" in tip and "0.75" in tip for tip in tips)
