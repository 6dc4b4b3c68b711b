"""Right grids against the trace, wrong ones against a second wrong computation, written plainly; and the invariants."""

from math import exp, sqrt

import numpy as np
import pytest

from mha_core import Parameters, attend
from tests.core.reference import causal_mask, loops
from walkthrough.lesson import load, text
from walkthrough.misconceptions import MISCONCEPTIONS, demonstrate, of_step
from walkthrough.numbers import numbers
from walkthrough.settings import Settings, correct
from walkthrough.walk import Walk, walk_of
from walkthrough.wrong_ways import output_averaged, output_reshaped, softmax_down

TEN = "I led a team that built a scalable API."
WALKS = [
    dict(),
    dict(sentence="hello", h=1, word=1, head=1),
    dict(sentence="the dog saw the other dog", d_model=12, h=4, mask="causal", word=2, head=3),
    dict(sentence=TEN, d_model=48, h=8, word=2, head=5, divisor="d_k"),
    dict(sentence="man bites dog today", d_model=16, h=2, word=4, head=1, seed=99, positions=False, divisor="none"),
    dict(sentence="a b c d e", d_model=12, h=12, word=5, head=12, mask="causal"),
    dict(sentence="我爱你", d_model=6, h=1, word=2, head=1),
]


def walk(**fields) -> Walk:
    return walk_of(correct(Settings(**fields))[0])


def by_hand(found: Walk, divisor=None, allowed="own", X=None):
    n, d_k = len(found.tokens), found.settings.d_model // found.settings.h
    own = causal_mask(n) if found.settings.mask == "causal" else None
    rule = {"sqrt": sqrt(d_k), "none": 1.0, "d_k": float(d_k)}[found.settings.divisor]
    rows = found.trace.X if X is None else X
    return loops(
        rows, found.trace.parameters, allowed=own if isinstance(allowed, str) else allowed, divisor=divisor or rule
    )


def soft(row) -> list[float]:
    top = max(row)
    powers = [exp(x - top) for x in row]
    return [power / sum(powers) for power in powers]


def grids(found: Walk, name: str) -> dict[str, np.ndarray]:
    return {grid.name: grid.values for grid in demonstrate(found, name).grids}


def measures(found: Walk, name: str) -> dict:
    return {measure.name: (measure.right, *measure.wrong) for measure in demonstrate(found, name).measures}


def same(a, b) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)


every_walk = pytest.mark.parametrize("fields", WALKS, ids=range(len(WALKS)))


@every_walk
def test_slicing(fields):
    found = walk(**fields)
    p, X, a = found.trace.parameters, found.trace.X, found.head
    width = p.d_model // p.h
    wide = X @ np.concatenate(list(p.W_Q), axis=1)
    shown = grids(found, "slicing")
    same(shown["Q"], found.trace.Q[a])
    same(shown["Q_late"], wide[:, a * p.d_k : (a + 1) * p.d_k])
    own = X[:, a * width : (a + 1) * width]
    early = [[sum(row[r] * p.W_Q[a, a * width + r, c] for r in range(width)) for c in range(p.d_k)] for row in own]
    same(shown["Q_early"], early)
    said = measures(found, "slicing")
    assert said["learned"] == (p.W_Q[0].size, width * p.d_k)
    outside = [r for r in range(p.d_model) if not a * width <= r < (a + 1) * width]
    if p.h > 1:  # the right query moves by one row of the matrix, the wrong one is blind
        assert said["pushed"][1] == 0.0
        assert any(abs(said["pushed"][0] - np.abs(p.W_Q[a, r]).max()) < 1e-9 for r in outside)


@every_walk
def test_reshaping(fields):
    found = walk(**fields)
    p, trace, n = found.trace.parameters, found.trace, len(found.tokens)

    def cut(grid):  # one number after the other, as they lie in memory
        flat = [grid[a, i, c] for i in range(n) for a in range(p.h) for c in range(p.d_k)]
        return np.array([[flat[(a * n + i) * p.d_k : (a * n + i + 1) * p.d_k] for i in range(n)] for a in range(p.h)])

    same(grids(found, "reshaping")["Q_reshaped"], cut(trace.Q)[found.head])
    Q, K, V = cut(trace.Q), cut(trace.K), cut(trace.V)
    answers = []
    for a in range(p.h):
        for i in range(n):
            row = [
                float(Q[a, i] @ K[a, j]) / trace.divisor for j in range(n) if found.settings.mask == "none" or j <= i
            ]
            answers += list(sum(w * V[a, j] for j, w in enumerate(soft(row))))
    wrong = np.array(answers).reshape(n, -1) @ p.W_O
    same(output_reshaped(found), wrong)
    same(measures(found, "reshaping")["output_off"][1], np.abs(wrong - by_hand(found)["output"]).max())
    # whose numbers stand in which row of this head: chunk (head · n + row) belongs to word (chunk // h)
    owners = [(found.head * n + i) // p.h for i in range(n)]
    said = measures(found, "reshaping")
    assert said["own_rows"] == (1, owners.count(found.word))
    assert said["own_row"] == (1, float(owners[found.word] == found.word))


def test_reshaping_a_published_case():
    X = np.array([[0.25, 0.5, 0.75, 1], [1.25, 1.5, 1.75, 2]])
    W = np.stack([np.eye(4)[:, :2], np.eye(4)[:, 2:]])
    found = Walk(
        Settings("a b", d_model=4), ("a", "b"), ("a", "b"), attend(X, Parameters(W, W, W, np.eye(4))), 0, 0, ""
    )
    np.testing.assert_allclose(
        output_reshaped(found), [[0.533, 0.783, 0.575, 0.825], [1.6128, 1.8628, 1.6451, 1.8951]], atol=6e-5
    )
    right = [[0.8796, 1.1296, 1.5251, 1.7751], [1.1249, 1.3749, 1.6841, 1.9341]]
    np.testing.assert_allclose(found.trace.output, right, atol=6e-5)


@every_walk
@pytest.mark.parametrize("name", ["root_d_model", "d_k"])
def test_divisors(fields, name):
    found = walk(**fields)
    d, k, a, i = found.settings.d_model, found.settings.d_model // found.settings.h, found.head, found.word
    divisor = sqrt(d) if name == "root_d_model" else k
    right, wrong = by_hand(found, sqrt(k)), by_hand(found, divisor)
    shown = grids(found, name)
    same(shown["weights_rule"], right["weights"][a])
    same(shown[f"weights_{name}"], wrong["weights"][a])
    if found.settings.divisor == "sqrt":
        same(shown["weights_rule"], found.trace.weights[a])
    said = measures(found, name)
    same(said["divisor"], (sqrt(k), divisor))
    same(said["spread"], (right["scaled"].std(), wrong["scaled"].std()))
    same(said["sharpest"], (max(right["weights"][a][i]), max(wrong["weights"][a][i])))


@every_walk
def test_columns(fields):
    found = walk(**fields)
    masked, n = by_hand(found)["masked"][found.head], len(found.tokens)
    wrong = np.array([soft([masked[r][c] for r in range(n)]) for c in range(n)]).T
    shown, said = grids(found, "columns"), measures(found, "columns")
    assert shown["weights"] is not None and (shown["weights"] == found.trace.weights[found.head]).all()
    same(shown["weights_columns"], wrong)
    same(said["row_sum"], (1, wrong[found.word].sum()))
    right = by_hand(found)["weights"][found.head]
    looked_at = max(range(n), key=lambda j: (right[found.word][j], -j))
    same(said["column_sum"], (sum(right[i][looked_at] for i in range(n)), 1))


def test_columns_published_and_with_a_column_that_nobody_may_see():
    np.testing.assert_allclose(softmax_down(np.array([[1.0, 0], [3, 0]])), [[0.1192, 0.5], [0.8808, 0.5]], atol=5e-5)
    assert (softmax_down(np.array([[1.0, -np.inf], [1, -np.inf]])) == [[0.5, 0], [0.5, 0]]).all()


@every_walk
def test_late_mask(fields):
    found = walk(**fields)
    n, a = len(found.tokens), found.head
    allowed = causal_mask(n)
    scaled = by_hand(found)["scaled"][a]
    after = np.array([soft(row) for row in scaled]) * allowed
    factor = np.array([soft([v if allowed[r, c] else 0.0 for c, v in enumerate(row)]) for r, row in enumerate(scaled)])
    shown, said = grids(found, "late_mask"), measures(found, "late_mask")
    same(shown["weights_masked"], by_hand(found, allowed=allowed)["weights"][a])
    same(shown["weights_mask_after"], after)
    same(shown["weights_mask_factor"], factor)
    if found.settings.mask == "causal":
        assert (shown["weights_masked"] == found.trace.weights[a]).all()
    same(said["masked_row_sum"], (1, after[0].sum(), 1))
    same(said["leak"], (0, 0, factor[0, 1:].sum()))


def test_a_score_of_nought_is_no_mask():
    scores = np.array([[0.43, -0.21, 0.99, 0.32, -0.35, 0.04]])  # a published row; the last three are shut
    eye = np.eye(6)[None]
    p = Parameters(eye, eye, eye, np.eye(6))
    found = Walk(
        Settings("a", d_model=6, h=1),
        ("a",),
        tuple("abcdef"),
        attend(scores, p, context=np.eye(6), divisor=1, allowed=np.array([[True] * 3 + [False] * 3])),
        0,
        0,
        "",
    )
    shown = grids(found, "late_mask")
    np.testing.assert_allclose(
        shown["weights_mask_factor"], [[0.1912, 0.1008, 0.3348, 0.1244, 0.1244, 0.1244]], atol=6e-5
    )
    np.testing.assert_allclose(shown["weights_masked"], [[0.3051, 0.1609, 0.5341, 0, 0, 0]], atol=6e-5)


@every_walk
def test_averaging_heads(fields):
    found = walk(**fields)
    h, p = found.settings.h, found.trace.parameters
    heads = by_hand(found)["heads"]
    mean = sum(heads[a] for a in range(h)) / h
    wrong = np.concatenate([mean] * h, axis=1) @ p.W_O
    shown, said = grids(found, "averaging"), measures(found, "averaging")
    assert (shown["output"] == found.trace.output).all()
    same(shown["output_averaged"], wrong)
    same(output_averaged(found), wrong)
    swapped = heads.copy()
    swapped[0], swapped[h - 1] = heads[h - 1], heads[0]
    moved = np.concatenate(list(swapped), axis=1) @ p.W_O - by_hand(found)["output"]
    same(said["swapped"], (np.abs(moved).max(), 0))
    assert said["kept"] == (found.settings.d_model, found.settings.d_model // h)


@every_walk
def test_without_W_O(fields):
    found = walk(**fields)
    shown, said = grids(found, "without_W_O"), measures(found, "without_W_O")
    assert (shown["output"] == found.trace.output).all()
    same(shown["concat"], by_hand(found)["concat"])
    assert said["reached"] == (
        found.settings.d_model,
        found.settings.d_model // found.settings.h,
    )  # all columns, one lane
    assert said["width"] == (found.settings.d_model, found.settings.d_model)  # the same here: only what stands in it differs


@every_walk
def test_shared_matrices(fields):
    found = walk(**fields)
    p, h, a = found.trace.parameters, found.settings.h, found.head
    one = {name: np.stack([getattr(p, name)[a]] * h) for name in ("W_Q", "W_K", "W_V")}
    wrong = by_hand(
        Walk(found.settings, found.tokens, found.tokens, attend(found.trace.X, Parameters(**one, W_O=p.W_O)), 0, 0, "")
    )
    shown, said = grids(found, "shared"), measures(found, "shared")
    right = by_hand(found)["weights"]
    same(shown["weights_other"], right[(a + 1) % h])
    same(shown["weights_other_shared"], wrong["weights"][(a + 1) % h])
    same(said["apart"], (max(np.abs(x - y).max() for x in right for y in right), 0))
    assert said["views"] == (h if len(found.tokens) > 1 else 1, 1)


@every_walk
def test_weights_are_not_what_arrives(fields):
    found = walk(**fields)
    a, i, p = found.head, found.word, found.trace.parameters
    L, rows = by_hand(found), slice(found.head * p.d_k, (found.head + 1) * p.d_k)
    sizes = np.array(
        [L["weights"][a][i][j] * sqrt(sum(x * x for x in L["V"][a][j] @ p.W_O[rows])) for j in range(len(found.tokens))]
    )
    shown, said = grids(found, "explanation"), measures(found, "explanation")
    same(shown["reaching"], [sizes / sizes.sum()])
    assert (shown["weights_row"] == found.trace.weights[a, i]).all()
    open_to = [j for j in range(len(found.tokens)) if found.settings.mask == "none" or j <= i]
    weights = [L["weights"][a][i][j] for j in open_to]
    same(said["exchanged"], (0, max(weights) - min(weights)))


@every_walk
def test_order(fields):
    found = walk(**fields)
    E, n, d = found.trace.E, len(found.tokens), found.settings.d_model
    P = np.array([[(np.sin, np.cos)[c % 2](i / 10000 ** ((c - c % 2) / d)) for c in range(d)] for i in range(n)])
    with_P, without = by_hand(found, allowed=None, X=E + P)["output"], by_hand(found, allowed=None, X=E)["output"]
    back_with = by_hand(found, allowed=None, X=E[::-1] + P)["output"][::-1]
    shown, said = grids(found, "order"), measures(found, "order")
    same(shown["output_positions"], with_P)
    same(shown["output_no_positions"], without)
    if found.settings.mask == "none":
        own = "output_positions" if found.settings.positions else "output_no_positions"
        same(shown[own], found.trace.output)
    same(said["backwards"], (np.abs(back_with - with_P).max(), 0))


# ---- what holds for all of them --------------------------------------------------------------------------------
@every_walk
@pytest.mark.parametrize("name", MISCONCEPTIONS)
def test_the_largest_difference_is_that_of_the_grids_and_silence_means_there_is_none(fields, name):
    shown = demonstrate(walk(**fields), name)
    right, *others = shown.grids
    assert right.is_right and right.largest == 0.0
    for grid in others:
        assert grid.largest == np.abs(grid.values - right.values).max()
        assert grid.is_right == (grid.name == "Q_late")
        if grid.is_right or shown.silent and name != "order":
            assert grid.largest < 1e-9, grid.name
        elif not shown.silent:
            assert grid.largest > 1e-3, (name, grid.name)
    if not shown.silent and name not in ("reshaping", "without_W_O"):
        assert any(abs(measure.right - wrong) > 1e-6 for measure in shown.measures for wrong in measure.wrong)


@pytest.mark.parametrize(
    "source",
    [
        dict(source="trained", sentence="the cat sat on the mat"),
        dict(source="hand-built", sentence="She is a great leader"),
    ],
)
def test_other_sources_too(source):
    found = walk(**source)
    if found.settings.source == "seeded":
        pytest.fail(f"{source} is not there")
    for name in MISCONCEPTIONS:
        shown = demonstrate(found, name)
        for grid in shown.grids:
            assert np.isfinite(grid.values).all(), (name, grid.name)
    columns = measures(found, "columns")
    assert abs(columns["row_sum"][0] - 1) < 1e-6 and abs(columns["row_sum"][1] - 1) > 0.01
    assert measures(found, "slicing")["pushed"][1] == 0 < measures(found, "slicing")["pushed"][0]


def test_two_sentences_too():
    draw = np.random.RandomState(3)
    p = Parameters(*(draw.standard_normal(shape) for shape in [(2, 6, 3), (2, 6, 3), (2, 6, 5), (10, 7)]))
    found = Walk(
        Settings("a b c", d_model=6),
        tuple("abc"),
        tuple("vwxyz"),
        attend(draw.standard_normal((3, 6)), p, context=draw.standard_normal((5, 6))),
        1,
        1,
        "",
    )
    for name in MISCONCEPTIONS:
        assert demonstrate(found, name).grids
    shown = demonstrate(found, "without_W_O").grids[1]
    assert shown.largest is None and shown.values.shape == (3, 10)


def test_every_misconception_has_a_name_a_text_a_step_and_words_for_all_it_shows():
    sections, live = load("reference_misconceptions").sections, numbers(walk())
    values = {"head": 1, "h": 2, "other": 2, "word": "w", "partner": "p", "wide": 8}
    for name, known in MISCONCEPTIONS.items():
        assert sections[f"picture_{name.lower()}"].fill(live)
        assert text(f"mis_name_{name}") and text(f"breaks_{name}")
        assert known.steps and all(name in of_step(step) for step in known.steps)
        shown = demonstrate(walk(), name)
        assert all(text(f"shown_{grid.name}", **values) for grid in shown.grids)
        assert all(text(f"measured_{measure.name}", **values) for measure in shown.measures)
    assert len(MISCONCEPTIONS) == 11
    with pytest.raises(ValueError, match="no misconception 'x'; the names are order"):
        demonstrate(walk(), "x")


def test_what_silences_a_demonstration_can_be_said():
    seen = {demonstrate(walk(**fields), name).silent for fields in WALKS for name in MISCONCEPTIONS} - {""}
    assert seen >= {"one_head", "one_word", "nothing_shut", "width_one"}
    assert all(text(f"mis_silent_{name}") for name in (*seen, "even", "one_visible", "one_row"))
