"""The Plotly figures: numbers are read back out of what is sent to the browser and compared with what went in."""

import base64
import json
from html import unescape

import numpy as np
import plotly.graph_objects as go
import pytest

from walkthrough.digits import digits
from walkthrough.figures import labels
from walkthrough.figures.arrows import arrows, describe_arrows
from walkthrough.figures.bars import describe_divisors, describe_row, divisors, row_to_weights
from walkthrough.figures.beams import beams, describe_beams
from walkthrough.figures.blend import blend, describe_blend
from walkthrough.figures.dot import describe_dot, dot
from walkthrough.figures.pairs import describe_pair, two_arrows
from walkthrough.figures.placing import place_labels
from walkthrough.figures.shares import describe_shares, head_shares
from walkthrough.palette import DARK, LIGHT

INF = np.inf
HOSTILE = (
    "the", "the", "$5", "1E1", "2026-01", "<s>", "<b>", "</s>", " ", "😀", "👩‍👩‍👧", "中文", "עברית", "x" * 60, "&lt;",
    "%{x}",
    "<img src=x onerror=alert(1)>", "snake_case *bold*", "20%",
)
NUMPY_OF = {"f8": "<f8", "f4": "<f4", "i1": "i1", "i2": "<i2", "i4": "<i4", "u1": "u1", "u2": "<u2", "u4": "<u4"}
RNG = np.random.default_rng(23)


# ---- reading a figure as the browser does ----------------------------------------------------------------------


def sent(figure):
    return json.loads(figure.to_json())


def read(value):
    """An array out of the JSON. Only base64 keeps −∞, and only base64 is quick."""
    if isinstance(value, dict):
        return np.frombuffer(base64.b64decode(value["bdata"]), NUMPY_OF[value["dtype"]])
    return np.array(value, float)


def traces(figure, **wanted):
    """The traces whose properties are as wanted."""
    return [t for t in sent(figure)["data"] if all(t.get(k) == v for k, v in wanted.items())]


def row_labels(figure, axis="yaxis"):
    """(position, text) of every tick as a reader sees it: lines joined, markup and escaping undone."""
    ticks = sent(figure)["layout"][axis]
    return list(zip(read(ticks["tickvals"]), (plain(text) for text in ticks["ticktext"])))


def plain(text):
    for mark in ("<b>", "</b>", "<br>", "</span>", "<sub>", "</sub>"):
        text = text.replace(mark, "")
    if text.startswith('<span style="color:#'):
        text = text.split(">", 1)[1]
    assert "<" not in text and ">" not in text, f"{text!r} would be read as markup"
    return unescape(text)


def softmax(row):
    """Independent of the core."""
    powers = [np.exp(v - max(row)) for v in row]
    return np.array([p / sum(powers) for p in powers])


def row_case(n, masked=()):
    raw = RNG.normal(size=n) * 4
    scaled = raw / np.sqrt(5)
    hidden = scaled.copy()
    hidden[list(masked)] = -INF
    return raw, scaled, hidden, softmax(hidden)


def all_figures(palette, names, wide=11):
    """Every kind of figure, over these words."""
    n, chosen = len(names), len(names) - 1
    raw, scaled, masked, weights = row_case(n, masked=range(1, n, 3))
    V, heads = RNG.normal(size=(n, wide)), RNG.normal(size=(3, wide))
    scores = RNG.normal(size=(n, n))
    yield "arrows", arrows(RNG.normal(size=(n, 2)), names, chosen, palette)
    yield "room", arrows(RNG.normal(size=(n, 3)), names, chosen, palette, 3)
    yield "scores", beams(scores, names, names, chosen, palette, "score")
    yield "weights", beams(weights, names, names, chosen, palette, "weight")
    yield "row", row_to_weights(raw, scaled, masked, weights, names, chosen, palette)
    yield "divisors", divisors({"off": weights, "√d_k": softmax(scaled), "d_k": softmax(scaled / 3)}, names, palette)
    yield "blend", blend(weights, V, names, weights @ V, palette)
    yield "shares", head_shares(heads, heads.sum(0), palette)
    yield "dot", dot(RNG.normal(size=wide), RNG.normal(size=wide), palette)
    yield "pair", two_arrows([2, 1], [-1, 2], palette)


# ---- all figures -----------------------------------------------------------------------------------------------

EVERY = [
    pytest.param(figure, id=f"{palette.name}-{name}-{len(names)}")
    for palette in (LIGHT, DARK) for names in (("the", "cat", "sat"), ("alone",), HOSTILE)
    for name, figure in all_figures(palette, names)
]  # fmt: skip


@pytest.mark.parametrize("figure", EVERY)
def test_plotly_knows_every_property(figure):
    go.Figure(figure.to_dict())  # the figures themselves are built unchecked, for speed


@pytest.mark.parametrize("figure", EVERY)
def test_one_look(figure):
    layout = sent(figure)["layout"]
    ground = {"light": LIGHT, "dark": DARK}["light" if layout["font"]["color"] == LIGHT.text else "dark"]
    assert layout["font"]["color"] == ground.text and layout["font"]["size"] >= 14
    assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)"
    assert "width" not in layout and 90 <= layout["height"] <= 4000
    assert layout["template"] == {"layout": {}}
    for size in _sizes(sent(figure)):
        assert size >= 14
    for name, axis in layout.items():
        if name[1:].startswith("axis"):
            assert axis["autorange"] is False and len(axis["range"]) == 2 and np.ptp(axis["range"]) != 0
            assert axis.get("type", "linear") == "linear"


def _sizes(node):
    """Every font size anywhere in the figure."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        if key in ("font", "textfont", "tickfont") and "size" in value:
            yield value["size"]
        yield from _sizes(value)


@pytest.mark.parametrize("figure", EVERY)
def test_coordinates_are_numbers_sent_as_bytes(figure):
    for trace in figure.data:
        for name in ("x", "y", "z", "customdata", "base"):
            value = trace[name] if name in trace else None
            assert value is None or isinstance(value, np.ndarray), f"{trace.name}.{name} is {type(value)}"
            assert value is None or value.dtype.kind == "f"


@pytest.mark.parametrize("figure", EVERY)
def test_no_named_colour_scales_and_no_templates_that_read_words(figure):
    text = figure.to_json()
    assert "hovertemplate" not in text and "texttemplate" not in text
    for trace in figure.data:
        assert not isinstance(trace["colorscale"] if "colorscale" in trace else None, str)


@pytest.mark.parametrize("name", ["scores", "weights", "row", "divisors", "blend"])
def test_hostile_words_appear_as_they_are_each_at_its_own_row(name):
    figure = dict(all_figures(LIGHT, HOSTILE))[name]
    wanted = [labels.visible(word) for word in HOSTILE]
    for axis in ("yaxis", "yaxis2") if name in ("scores", "weights") else ("yaxis",):
        ticks = row_labels(figure, axis)[: len(HOSTILE)]
        assert [text for _, text in ticks] == wanted
        assert len({at for at, _ in ticks}) == len(HOSTILE)
        layout = sent(figure)["layout"][axis]
        upwards = (layout["range"][1] - layout["range"][0]) > 0
        places = [at for at, _ in ticks]
        assert places == sorted(places, reverse=upwards), "the first word must stand on top"
        assert layout["automargin"] is True and layout["tickmode"] == "array"


@pytest.mark.parametrize("dims", [2, 3])
def test_hostile_words_on_arrows(dims):
    figure = arrows(RNG.normal(size=(len(HOSTILE), dims)), HOSTILE, 0, LIGHT, dims)
    if dims == 2:
        shown = [plain(note["text"]) for note in sent(figure)["layout"]["annotations"]]
    else:
        shown = [plain(t["text"][0]) for t in traces(figure, name="label")]
    repeated = [labels.visible(w) + (str(i + 1) if HOSTILE.count(w) > 1 else "") for i, w in enumerate(HOSTILE)]
    assert shown == repeated


@pytest.mark.parametrize("figure", [f for _, f in all_figures(LIGHT, HOSTILE)])
def test_hover_texts_are_escaped(figure):
    for trace in sent(figure)["data"]:
        texts = trace.get("hovertext", [])
        for text in [texts] if isinstance(texts, str) else texts:
            plain(text)


# ---- labels ----------------------------------------------------------------------------------------------------


def test_long_words_are_broken_not_cut_until_they_are_very_long():
    assert "".join(labels.lines("x" * 60)) == "x" * 60
    assert max(labels.width(line) for line in labels.lines("中文" * 20)) <= labels.LINE
    rows = labels.lines("a" * 150 + "z" * 50)
    assert len(rows) == labels.LINES and "…" in "".join(rows)
    assert rows[0].startswith("a") and rows[-1].endswith("z")


def test_letters_keep_their_marks_and_families_stay_together():
    marked = "e\u0301" * 30
    assert all(line.startswith("e") for line in labels.lines(marked)) and "".join(labels.lines(marked)) == marked
    assert labels.width("👩‍👩‍👧‍👦") == 2 and len(labels.lines("👩‍👩‍👧‍👦" * 6)) == 1


def test_blanks_are_visible_and_entities_are_not_undone():
    assert labels.escape(" ") == "␠"
    assert labels.escape("&lt;b>") == "&amp;lt;b&gt;"
    assert labels.ticks(["a<b", "c"], 0, "#123456") == ['<span style="color:#123456"><b>a&lt;b</b></span>', "c"]


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0.42, "0.42"), (-1.07, "−1.07"), (2e-23, "2.0·10⁻²³"), (0.9999, "0.9999"), (1 - 1e-12, ">0.9999"), (1, "1"),
        (0, "0"), (-INF, "−∞ (masked)")
    ],
)
def test_digits(x, text):
    assert digits(x) == text


# ---- arrows ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 13])
@pytest.mark.parametrize("dims", [2, 3])
def test_every_arrow_runs_from_the_origin_to_its_row(n, dims):
    rows = RNG.normal(size=(n, dims))
    figure = arrows(rows, [f"w{i}" for i in range(n)], n // 2, LIGHT, dims)
    shafts = traces(figure, name="arrow")
    assert sorted(t["meta"] for t in shafts) == list(range(n))
    assert shafts[-1]["meta"] == n // 2, "the chosen arrow lies on top"
    for trace in shafts:
        ends = np.column_stack([read(trace[letter]) for letter in "xyz"[:dims]])
        assert np.array_equal(ends, [np.zeros(dims), rows[trace["meta"]]])
    if dims == 2:
        for axis, k in (("xaxis", 0), ("yaxis", 1)):
            low, high = sent(figure)["layout"][axis]["range"]
            assert low < min(0, rows[:, k].min()) and high > max(0, rows[:, k].max())


def test_coinciding_arrows_are_all_labelled():
    rows = np.array([[1.0, 2], [3, 1], [1, 2]])
    notes = sent(arrows(rows, ["the", "cat", "the"], 2, LIGHT))["layout"]["annotations"]
    assert [plain(note["text"]) for note in notes] == ["the1", "cat", "the3"]
    one, _, three = notes
    assert (one["x"], one["y"]) == (three["x"], three["y"])
    assert abs(one["ax"] - three["ax"]) > 25 or abs(one["ay"] - three["ay"]) > 16, "they must not lie on each other"
    room = arrows(np.hstack((rows, rows[:, :1])), ["the", "cat", "the"], 2, LIGHT, 3)
    assert "the1, the3" in [plain(t["text"][0]) for t in traces(room, name="label")]
    assert "“the” (word 1) and “the” (word 3) end at the very same point" in describe_arrows(
        rows, ["the", "cat", "the"], 2
    )


@pytest.mark.parametrize(
    "rows", [np.zeros((3, 2)), np.full((3, 2), 2.0), np.array([[1e-300, 0]] * 3), np.array([[1e200, -1e200]] * 3)]
)
def test_arrows_of_no_or_equal_or_extreme_length(rows):
    figure = arrows(rows, ["a", "b", "c"], 0, LIGHT)
    assert len(sent(figure)["layout"]["annotations"]) == 3
    assert np.isfinite([sent(figure)["layout"][axis]["range"] for axis in ("xaxis", "yaxis")]).all()


def test_labels_do_not_cover_each_other():
    rng = np.random.default_rng(1)
    points, sizes = rng.normal(size=(12, 2)), [(40, 24)] * 12
    offsets = np.array(place_labels(points, sizes, [[-4, 4], [-4, 4]], 400))
    at = points * [50, -50] + offsets  # 400 pixels high, 8 units: 50 pixels a unit
    for i in range(12):
        for j in range(i):
            assert abs(at[i, 0] - at[j, 0]) >= 40 or abs(at[i, 1] - at[j, 1]) >= 24, (i, j)


def test_arrows_refuse_rows_that_are_too_long():
    with pytest.raises(ValueError, match="need rows of 2 numbers"):
        arrows(np.zeros((3, 5)), ["a", "b", "c"], 0, LIGHT)


def test_arrows_are_described():
    text = describe_arrows([[3, 4], [0, 1]], ["big", "small"], 1)
    assert "longest is “big” (word 1), 5 long" in text and "“small” (word 2) points to (0, 1)" in text


# ---- beams -----------------------------------------------------------------------------------------------------


def test_beams_carry_the_chosen_rows_numbers():
    grid = np.array([[1.0, -2, 3], [0.5, 0, -4], [2, 2, 2]])
    figure = beams(grid, ["a", "b", "c"], ["p", "q", "r"], 1, LIGHT, "score")
    found = {tuple(t["meta"]): t for t in traces(figure, name="beam")}
    assert set(found) == {(1, 0), (1, 2)}, "a score of exactly 0 has no beam"
    for (i, j), trace in found.items():
        assert set(read(trace["customdata"])) == {grid[i, j]}
        assert (read(trace["x"])[[0, -1]] == [0, 1]).all() and (read(trace["y"])[[0, -1]] == [i, j]).all()
        assert all(part in trace["hovertext"] for part in ("query", "key", digits(grid[i, j])))
    assert found[1, 2]["line"]["dash"] != "solid" and found[1, 0]["line"]["dash"] == "solid"
    assert found[1, 2]["line"]["color"][:-5] != found[1, 0]["line"]["color"][:-5]
    assert found[1, 2]["line"]["width"] > found[1, 0]["line"]["width"]
    (numbers,) = traces(figure, name="numbers")
    assert np.array_equal(read(numbers["customdata"]), grid[1])
    assert np.array_equal(read(numbers["y"]), [0, 1, 2]) and set(read(numbers["x"])) == {1}
    assert [plain(t) for t in numbers["text"]] == ["0.50", "0", "−4"]


def test_a_weights_beam_is_measured_against_one():
    width = {}
    for weights in ([0.2, 0.8], [0.4, 0.6]):
        figure = beams(np.array([weights]), ["a"], ["p", "q"], 0, LIGHT, "weight")
        for trace in traces(figure, name="beam"):
            width[read(trace["customdata"])[0]] = trace["line"]["width"]
    steps = np.diff([width[w] for w in (0.2, 0.4, 0.6, 0.8)])
    assert np.allclose(steps, steps[0]) and steps[0] > 0


def test_faint_beams_of_the_other_queries_are_all_there():
    grid = RNG.normal(size=(5, 7))
    grid[3, 2], grid[4, 6] = 0, -INF
    figure = beams(grid, list("abcde"), list("tuvwxyz"), 1, DARK, "score")
    ends = set()
    for trace in traces(figure, name="faint"):
        x, y = read(trace["x"]), read(trace["y"])
        negative = trace["line"]["dash"] != "solid"
        for i, j in zip(y[x == 0], y[x == 1]):
            ends.add((int(i), int(j)))
            assert (grid[int(i), int(j)] < 0) == negative
    assert ends == {(i, j) for i in (0, 2, 3, 4) for j in range(7)} - {(3, 2), (4, 6)}


def test_a_masked_score_has_no_beam_and_says_so():
    row = np.array([1.0, -INF, 2])
    figure = beams(row, ["a", "b", "c"], ["a", "b", "c"], 0, LIGHT, "score")
    assert [t["meta"] for t in traces(figure, name="beam")] == [[0, 0], [0, 2]]
    assert plain(traces(figure, name="numbers")[0]["text"][1]) == "−∞ (masked)"
    assert "1 key is masked" in describe_beams(row, ["a", "b", "c"], ["a", "b", "c"], 0, "score")


def test_beams_are_described_with_words_and_numbers():
    text = describe_beams([[0.2, 0.7, 0.1]], ["the"], ["the", "cat", "sat"], 0, "weight")
    assert text == "“the” (word 1) gives most weight to “cat” (word 2), 0.70 of 1, and least to “sat” (word 3), 0.10."
    assert "2 scores are negative" in describe_beams([[-1, -2, 3]], ["the"], list("abc"), 0, "score")
    assert "can only look at “a” (word 1): 1" in describe_beams([[1.0]], ["a"], ["a"], 0, "weight")


def test_beams_of_equal_and_of_no_scores():
    for grid in (np.zeros((2, 2)), np.full((2, 2), 3.0), np.array([[1e300, 1e-300], [0, 0]])):
        widths = [
            t["line"]["width"] for t in traces(beams(grid, ["a", "b"], ["a", "b"], 0, LIGHT, "score"), name="beam")
        ]
        assert np.isfinite(widths).all()
    with pytest.raises(ValueError, match="score and of weight"):
        beams(np.zeros((2, 2)), ["a", "b"], ["a", "b"], 0, LIGHT, "bright")


# ---- a row, from scores to weights -----------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "masked"), [(1, ()), (3, ()), (7, (2, 5, 6)), (5, (0, 1, 2, 4))])
def test_the_rows_numbers_come_back(n, masked):
    raw, scaled, hidden, weights = row_case(n, masked)
    figure = row_to_weights(raw, scaled, hidden if masked else None, weights, [f"w{i}" for i in range(n)], 0, LIGHT)
    for axis, row in (("x", raw), ("x2", hidden), ("x3", weights)):
        bars = [t for t in traces(figure, type="bar", xaxis=axis) if t.get("name") != "masked"]
        assert np.array_equal(read(bars[0]["x"]), row)
        (numbers,) = traces(figure, name="numbers", xaxis=axis)
        assert np.array_equal(read(numbers["customdata"]), row)
        assert [plain(text) for text in numbers["text"]] == [digits(v) for v in row]
        assert np.array_equal(np.round(read(numbers["y"])), np.arange(n))
        assert np.array_equal(np.round(read(bars[0]["y"])), np.arange(n))
    hatched = traces(figure, name="masked")
    assert bool(hatched) == bool(masked)
    if masked:
        assert np.array_equal(np.round(read(hatched[0]["y"])), masked)
        assert hatched[0]["marker"]["pattern"]["shape"] == "/"
        assert [digits(scaled[j]) in text for j, text in zip(masked, hatched[0]["hovertext"])] == [True] * len(masked)
    layout = sent(figure)["layout"]
    assert layout["xaxis3"]["range"] == [0, 1] and layout["xaxis"]["range"] == layout["xaxis2"]["range"]
    low, high = layout["xaxis"]["range"]
    assert low <= min(0, raw.min()) and high >= max(0, raw.max())


@pytest.mark.parametrize("size", [0.0, 1e-300, 1e300])
def test_rows_of_equal_or_extreme_scores(size):
    figure = row_to_weights(np.full(3, size), np.full(3, size / 2), None, np.full(3, 1 / 3), list("abc"), None, DARK)
    low, high = sent(figure)["layout"]["xaxis"]["range"]
    assert np.isfinite([low, high]).all() and low < high


def test_divisors_stand_side_by_side_on_the_same_scale():
    rows = {"off <b>": np.array([0.9, 0.1]), "√d_k": np.array([0.7, 0.3]), "d_k": np.array([0.6, 0.4])}
    figure = divisors(rows, ["a", "b"], LIGHT)
    for k, weights in enumerate(rows.values()):
        axis = "x" if k == 0 else f"x{k + 1}"
        assert np.array_equal(read(traces(figure, type="bar", xaxis=axis)[0]["x"]), weights)
        assert sent(figure)["layout"][axis.replace("x", "xaxis")]["range"] == [0, 1]
    assert [plain(note["text"]) for note in sent(figure)["layout"]["annotations"]] == list(rows)
    assert "√d_k: 0.70 on “a” (word 1)" in describe_divisors(rows, ["a", "b"])


def test_a_row_is_described():
    text = describe_row([4, 2, 0], [2, 1, 0], None, [0.665, 0.245, 0.09], ["the", "cat", "sat"])
    assert text.startswith("The largest weight, 0.67 of 1, goes to “the” (word 1); its score 4 became 2 by dividing.")
    assert text.endswith("The smallest, 0.090, goes to “sat” (word 3).")
    assert "same weight, 0.50" in describe_row([1, 1], [1, 1], None, [0.5, 0.5], ["a", "b"])
    assert "only “a” (word 1)" in describe_row([1], [1], None, [1.0], ["a"])
    assert "2 keys are masked" in describe_row([1, 2, 3], [1, 2, 3], [1, -INF, -INF], [1.0, 0, 0], list("abc"))


# ---- blend -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "wide"), [(1, 1), (3, 4), (5, 7), (7, 13)])
def test_value_rows_and_their_pieces_come_back_and_add_up(n, wide):
    weights, V = softmax(RNG.normal(size=n)), RNG.normal(size=(n, wide))
    result = np.array([sum(weights[j] * V[j, c] for j in range(n)) for c in range(wide)])
    figure, shown = blend(weights, V, [f"w{i}" for i in range(n)], result, LIGHT), min(8, wide)
    assert np.array_equal(read(traces(figure, name="weights")[0]["x"]), weights)
    assert np.array_equal(read(traces(figure, name="values")[0]["y"]).reshape(n, shown), V[:, :shown])
    pieces = {t["meta"]: t for t in traces(figure, name="parts")}
    level = row_labels(figure)[-1][0]
    up, down = np.zeros(shown), np.zeros(shown)
    for j in range(n):
        beside, stacked = read(pieces[j]["y"]).reshape(2, shown)
        assert np.allclose(beside, weights[j] * V[j, :shown]) and np.array_equal(beside, stacked)
        begin = read(pieces[j]["base"]).reshape(2, shown)[1] - level
        assert np.allclose(begin, np.where(stacked >= 0, up, down)), "pieces must not lie on each other"
        up, down = up + np.maximum(stacked, 0), down + np.minimum(stacked, 0)
    assert np.allclose(up + down, result[:shown])
    (mark,) = traces(figure, name="result")
    assert np.allclose(read(mark["y"]) - level, result[:shown]) and np.array_equal(
        read(mark["customdata"]), result[:shown]
    )
    texts = [plain(note["text"]) for note in sent(figure)["layout"]["annotations"]]
    assert [digits(v) for v in result[:shown]] == texts[:shown]
    assert (f"first 8 of {wide} numbers" in texts) == (wide > 8)


def test_a_weight_of_one_copies_a_row_and_zeros_are_legal():
    V = np.array([[1.0, -2], [3, 4]])
    figure = blend([0, 1], V, ["a", "b"], V[1], LIGHT)
    assert np.array_equal(read(traces(figure, name="parts", meta=1)[0]["y"]), [3, 4, 3, 4])
    assert np.array_equal(read(traces(figure, name="parts", meta=0)[0]["y"]), [0, 0, 0, 0])
    blend([0.5, 0.5], np.zeros((2, 3)), ["a", "b"], np.zeros(3), LIGHT)
    text = describe_blend([0, 1], V, ["a", "b"], V[1])
    assert "the largest part, 1 of it, is the row of “b” (word 2). It begins 3, 4." in text


# ---- shares ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("h", "wide", "bias"), [(1, 1, False), (2, 5, False), (3, 13, True), (12, 7, True)])
def test_shares_come_back_stacked_in_the_heads_hues(h, wide, bias):
    parts, b = RNG.normal(size=(h, wide)), RNG.normal(size=wide) if bias else None
    output = parts.sum(axis=0) + (b if bias else 0)
    figure, shown = head_shares(parts, output, DARK, bias=b), min(8, wide)
    bars = traces(figure, type="bar")
    assert len(bars) == h + bias
    for i, trace in enumerate(bars[:h]):
        assert trace["name"] == f"head {i + 1}" and trace["marker"]["color"] == DARK.head(i)
        assert np.array_equal(read(trace["x"]), parts[i, :shown])
    if bias:
        assert bars[h]["name"] == "bias" and np.array_equal(read(bars[h]["x"]), b[:shown])
    assert np.allclose(sum(read(t["x"]) for t in bars), output[:shown])
    spans = [[sorted((s, s + x)) for s, x in zip(read(t["base"]), read(t["x"]))] for t in bars]
    for column in range(shown):
        ordered = sorted(span[column] for span in spans)
        assert all(a[1] <= b[0] + 1e-9 for a, b in zip(ordered, ordered[1:])), "pieces must not lie on each other"
    (mark,) = traces(figure, name="sum")
    assert np.array_equal(read(mark["x"]), output[:shown])
    (numbers,) = traces(figure, name="numbers")
    assert [plain(t) for t in numbers["text"]] == [digits(v) for v in output[:shown]]
    assert (f"first 8 of {wide} numbers" in figure.to_json()) == (wide > 8)


def test_shares_are_described():
    assert "head 2 adds most" in describe_shares([[1, -1], [2, -3]], [3, -4])
    assert "begins 3, −4" in describe_shares([[1, -1], [2, -3]], [3, -4])


# ---- dot product and pairs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("wide", [1, 3, 8, 9, 64])
def test_products_add_up_to_the_score(wide):
    q, k = RNG.normal(size=wide), RNG.normal(size=wide)
    figure, shown = dot(q, k, LIGHT), wide if wide <= 8 else 7
    products, total = [a * b for a, b in zip(q, k)], float(np.einsum("c,c", q, k))
    for axis, row in (("x", q), ("x2", k), ("x3", products)):
        (bars,) = traces(figure, type="bar", xaxis=axis)
        assert np.allclose(read(bars["x"]), row[:shown], rtol=0, atol=0)
    (steps,) = traces(figure, name="steps")
    ends = read(steps["base"]) + read(steps["x"])
    assert read(steps["base"])[0] == 0 and np.allclose(read(steps["base"])[1:], ends[:-1])
    assert ends[-1] == pytest.approx(total)
    assert read(traces(figure, name="score")[0]["x"])[0] == pytest.approx(total)
    texts = [text for _, text in row_labels(figure)]
    assert texts[-1] == "score" and len(texts) == shown + 1 + (wide > 8)
    assert (f"… {wide - 7} more" in texts) == (wide > 8)
    assert digits(total) in describe_dot(q, k)


@pytest.mark.parametrize(
    ("q", "k", "says"),
    [([2, 1], [1, 2], "same way"), ([2, 1], [-1, 2], "right angle"), ([2, 1], [-2, -1], "negative: −5"),
     ([0, 0], [1, 1], "no length"), ([0.1, 0.3], [-0.9, 0.3], "right angle")],
)
def test_two_arrows(q, k, says):
    figure = two_arrows(q, k, LIGHT)
    for role, row in (("query", q), ("key", k)):
        (arrow,) = traces(figure, name=role)
        assert np.array_equal(read(arrow["x"]), [0, row[0]]) and np.array_equal(read(arrow["y"]), [0, row[1]])
        assert arrow["line"]["color"] == LIGHT.roles[role]
    texts = [note["text"] for note in sent(figure)["layout"]["annotations"]]
    assert f"q · k = <b>{digits(q[0] * k[0] + q[1] * k[1])}</b>" in texts
    assert says in describe_pair(q, k)


# ---- the caller's arrays ---------------------------------------------------------------------------------------


def test_read_only_arrays_are_welcome_and_stay_as_they_are():
    rows = [a for a in row_case(5, (1,))]
    for row in rows:
        row.setflags(write=False)
    V = RNG.normal(size=(5, 3))
    V.setflags(write=False)
    row_to_weights(*rows, list("abcde"), 0, LIGHT).to_json()
    blend(rows[3], V, list("abcde"), rows[3] @ V, LIGHT).to_json()
    beams(rows[2], list("abcde"), list("abcde"), 0, LIGHT, "score").to_json()


def test_a_long_heading_takes_two_lines_and_the_room_for_them():
    short, long = divisors({"nothing": [0.3, 0.7]}, ["a", "b"], LIGHT), divisors({"Engineering manager": [0.3, 0.7]}, ["a", "b"], LIGHT)
    assert "<b>Engineering<br>manager</b>" in [note.text for note in long.layout.annotations]
    assert long.layout.height - short.layout.height == long.layout.margin.t - short.layout.margin.t > 0
