"""explain() against what the formulas say, for every cell of every grid: its operands, their places, the total.

The places are written down here once more, grid by grid, without a look at STAGES or at arithmetic.py.
"""

import dataclasses
from functools import cache
from math import exp

import numpy as np
import pytest

from mha_core import STAGES, attend, causal, explain
from tests.core.reference import Sizes, random_mask, random_parameters

SMALL = Sizes(h=3, n_q=5, n_k=7, d_model=8, d_context=9, d_k=2, d_v=4, d_out=6)
PARAMETERS = ("W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O")


def make(sizes=None, *, cross=False, biases=True, masking=None, parts="EP", divisor=None, dtype=np.float64):
    """A trace with everything in it; `parts` says which of E and P it carries."""
    sizes = sizes or SMALL
    rng = np.random.default_rng(sizes.n_q)
    p = random_parameters(rng, sizes, cross=cross, biases=biases, dtype=dtype)
    E, P = (rng.standard_normal((sizes.n_q, sizes.d_model)).astype(dtype) for _ in range(2))
    n_k = sizes.n_k if cross else sizes.n_q
    context = rng.standard_normal((n_k, sizes.d_context)).astype(dtype) if cross else None
    shape = {None: None, "shared": (sizes.n_q, n_k), "per head": (sizes.h, sizes.n_q, n_k)}.get(masking)
    allowed = causal(n_k) if masking == "causal" else None if shape is None else random_mask(rng, *shape)
    trace = attend(E + P if parts == "EP" else E, p, context=context, allowed=allowed, divisor=divisor)
    return dataclasses.replace(trace, E=E if "E" in parts else None, P=P if "P" in parts else None)


TRACES = {
    "self": lambda: make(),
    "self, causal, no biases": lambda: make(biases=False, masking="causal"),
    "cross, masked": lambda: make(cross=True, masking="shared"),
    "cross, a mask a head": lambda: make(cross=True, masking="per head", parts=""),
    "one token": lambda: make(dataclasses.replace(SMALL, n_q=1)),
    "one head, one column": lambda: make(dataclasses.replace(SMALL, h=1, d_k=1, d_v=1)),
    "not scaled, embedding only": lambda: make(divisor=1, parts="E"),
    "float32": lambda: make(masking="per head", dtype=np.float32),
    "long": lambda: make(Sizes(h=2, n_q=67, d_model=3, d_k=2, d_v=5, d_out=2), biases=False, parts=""),
}
everywhere = pytest.mark.parametrize("name", TRACES)


def grids(trace):
    """Every grid that this trace has, by name."""
    names = [stage.field for stage in STAGES]
    found = {name: getattr(trace.parameters if name in PARAMETERS else trace, name) for name in names}
    return {name: grid for name, grid in found.items() if grid is not None}


@cache
def explained(name):
    """Every cell of every grid of one trace with its arithmetic; of the long one, which takes minutes, every 97th."""
    trace = TRACES[name]()
    every = [(field, index) for field, grid in grids(trace).items() for index in np.ndindex(grid.shape)]
    every = every[::97] if name == "long" else every
    return trace, [(field, index, explain(trace, field, index)) for field, index in every]


def cells(name, *fields):
    return [cell for cell in explained(name)[1] if cell[0] in fields or not fields]


def places(trace, field, index):
    """Which cells one cell is made of: a list of terms, each a list of (grid, place)."""
    p, given = trace.parameters, [[(field, index)]]
    source = "X" if trace.context is trace.X else "context"
    if field in ("Q", "K", "V"):
        (i, r, c), left = index, "X" if field == "Q" else source
        terms = [[(left, (r, k)), (f"W_{field}", (i, k, c))] for k in range(getattr(p, f"W_{field}").shape[1])]
        return terms + ([[(f"b_{field}", (i, c))]] if p.b_Q is not None else [])
    if field == "scores":
        i, r, c = index
        return [[("Q", (i, r, k)), ("K", (i, c, k))] for k in range(p.d_k)]
    if field == "scaled":
        return [[("scores", index), ("divisor", ())]]
    if field == "masked":
        allowed = [] if trace.allowed is None else [("allowed", index if trace.allowed.ndim == 3 else index[1:])]
        return [[("scaled", index), *allowed]]
    if field == "weights":
        i, r, _ = index
        return [[("masked", (i, r, k))] for k in range(len(trace.context))]
    if field == "heads":
        i, r, c = index
        return [[("weights", (i, r, k)), ("V", (i, k, c))] for k in range(len(trace.context))]
    if field == "concat":
        return [[("heads", (index[1] // p.d_v, index[0], index[1] % p.d_v))]]
    if field == "output":
        r, c = index
        terms = [[("concat", (r, k)), ("W_O", (k, c))] for k in range(p.h * p.d_v)]
        return terms + ([[("b_O", (c,))]] if p.b_O is not None else [])
    if field == "X" and trace.E is not None and trace.P is not None:
        return [[("E", index)], [("P", index)]]
    return places(trace, "X", index) if field == "context" and source == "X" else given


def value_at(trace, field, index):
    if field == "divisor":
        return trace.divisor
    return float((trace.allowed if field == "allowed" else grids(trace)[field])[index])


@everywhere
def test_the_total_of_every_cell_of_every_grid_is_the_cell(name):
    trace = explained(name)[0]
    near = 2e-5 if trace.X.dtype == np.float32 else 1e-12
    for field, index, arithmetic in cells(name):
        cell = float(grids(trace)[field][index])
        assert arithmetic.total == pytest.approx(cell, rel=near, abs=near), (field, index)
    total = sum(grid.size for grid in grids(trace).values())
    assert len(cells(name)) == (-(-total // 97) if name == "long" else total)


@everywhere
def test_every_operand_is_the_right_number_from_the_right_place(name):
    trace = explained(name)[0]
    for field, index, arithmetic in cells(name):
        expected = places(trace, field, index)
        assert [[(o.field, o.index) for o in term.operands] for term in arithmetic.terms] == expected, (field, index)
        for term in arithmetic.terms:
            for operand in term.operands:
                assert operand.value == value_at(trace, operand.field, operand.index), (field, index, operand)


@everywhere
def test_every_term_is_what_its_operands_give_and_the_terms_give_the_total(name):
    trace = explained(name)[0]
    for field, index, arithmetic in cells(name):
        for term in arithmetic.terms:
            values = [operand.value for operand in term.operands]
            if arithmetic.rule == "softmax":
                assert term.value == pytest.approx(exp(values[0] - arithmetic.maximum), rel=1e-14)
            elif arithmetic.rule == "divide":
                assert term.value == values[0] / values[1]
            elif arithmetic.rule == "mask":
                assert term.value == (values[0] if len(values) == 1 or values[1] else -np.inf)
            else:
                assert term.value == pytest.approx(np.prod(values), rel=1e-14)
        if arithmetic.rule != "softmax":
            assert arithmetic.total == pytest.approx(sum(t.value for t in arithmetic.terms), rel=1e-9, abs=1e-12)
        assert (arithmetic.field, arithmetic.index) == (("X", index) if field == "context" and trace.is_self_attention
                                                        else (field, index))


@everywhere
def test_a_softmax_cell_names_its_row_its_largest_score_its_normaliser_and_its_own_place(name):
    trace = explained(name)[0]
    for _, (i, r, c), arithmetic in cells(name, "weights"):
        row = trace.masked[i, r].astype(float)
        assert arithmetic.maximum == row.max() and arithmetic.own == c
        assert arithmetic.normaliser == pytest.approx(np.exp(row - row.max()).sum(), rel=1e-12)
        assert arithmetic.total == arithmetic.terms[c].value / arithmetic.normaliser
        assert arithmetic.terms[c].operands[0].index == (i, r, c)


@everywhere
def test_the_subtotals_of_an_output_cell_are_the_shares_of_the_heads(name):
    trace = explained(name)[0]
    p, near = trace.parameters, 2e-5 if trace.X.dtype == np.float32 else 1e-12
    for _, (r, c), arithmetic in cells(name, "output"):
        by_hand = [float(trace.heads[i, r] @ p.W_O[i * p.d_v : (i + 1) * p.d_v, c]) for i in range(p.h)]
        assert arithmetic.subtotals == pytest.approx(by_hand, rel=near, abs=near)
        bias = 0 if p.b_O is None else float(p.b_O[c])
        assert sum(arithmetic.subtotals) + bias == pytest.approx(arithmetic.total, rel=1e-9, abs=1e-11)
    for field in set(grids(trace)) - {"output"}:
        first = (0,) * grids(trace)[field].ndim
        assert explain(trace, field, first).subtotals == ()


@pytest.mark.parametrize("name", [name for name in TRACES if name != "long"])
def test_from_an_output_cell_one_can_walk_back_to_all_that_came_from_outside(name):
    """Following every operand of one output cell ends in the words, the positions, the parameters and nowhere else."""
    trace = explained(name)[0]
    reached, todo = set(), [("output", (0, 0))]
    while todo:
        field, index = cell = todo.pop()
        if cell in reached or field in ("divisor", "allowed"):
            continue
        reached.add(cell)
        arithmetic = explain(trace, field, index)
        if arithmetic.rule != "given":
            todo += [(o.field, o.index) for term in arithmetic.terms for o in term.operands]
    ends = {field for field, index in reached if explain(trace, field, index).rule == "given"}
    words = {"E", "P"} if trace.E is not None and trace.P is not None else {"X"}
    learned = {name for name in PARAMETERS if name in grids(trace)}
    assert ends == words | learned | (set() if trace.is_self_attention else {"context"})
    rows = {index[0] for field, index in reached if field == ("X" if trace.is_self_attention else "context")}
    assert rows == set(range(len(trace.context)))  # row 0 listens to every word, hidden ones with weight 0


def test_the_rules_are_those_of_the_table():
    trace = make(cross=True, masking="shared")
    rules = {field: explain(trace, field, (0,) * grid.ndim).rule for field, grid in grids(trace).items()}
    assert rules == {
        "E": "given", "P": "given", "X": "sum", "context": "given", "Q": "product", "K": "product", "V": "product",
        "scores": "dot", "scaled": "divide", "masked": "mask", "weights": "softmax", "heads": "product",
        "concat": "copy", "output": "product", **dict.fromkeys(PARAMETERS, "given"),
    }


def test_a_hidden_cell_is_minus_infinity_before_the_softmax_and_0_after_it():
    trace = make(masking="causal")
    hidden = explain(trace, "masked", (2, 0, 3))
    assert hidden.total == -np.inf and hidden.terms[0].operands[1].value == 0
    weight = explain(trace, "weights", (2, 0, 3))
    assert weight.total == 0 and weight.terms[3].value == 0 and weight.normaliser == 1


@pytest.mark.parametrize("field", ["attn", "", "x", "divisor", "allowed", "parameters"])
def test_a_grid_that_is_not_in_the_table_is_answered_with_those_that_are(field):
    with pytest.raises(ValueError, match="There is no grid named .*scores, scaled, masked, weights"):
        explain(make(), field, (0, 0))


@pytest.mark.parametrize("field", ["b_Q", "b_O", "E", "P"])
def test_a_grid_that_this_trace_does_not_have_is_said_to_be_missing(field):
    with pytest.raises(ValueError, match=f"This trace has no {field}"):
        explain(make(biases=False, parts=""), field, (0, 0))


@pytest.mark.parametrize(
    "field, index",
    [("scores", (0, 0)), ("scores", (0, 0, 0, 0)), ("scores", (3, 0, 0)), ("scores", (0, 5, 0)), ("scores", (0, 0, 5)),
     ("scores", (-1, 0, 0)), ("output", (0, 6)), ("concat", (0, 12)), ("b_O", (6,)), ("b_O", ()), ("X", (0, -1)),
     ("E", (7, 0)), ("context", (7, 0))],
)
def test_a_cell_that_is_not_there_is_answered_with_the_shape(field, index):
    with pytest.raises(ValueError, match=rf"{field} has shape \(.*there is no cell"):
        explain(make(), field, index)


def test_an_index_of_numpy_numbers_is_as_good():
    trace = make()
    numpy_index = tuple(np.array([2, 3, 4]))
    assert explain(trace, "scores", numpy_index) == explain(trace, "scores", (2, 3, 4))
    assert all(type(i) is int for i in explain(trace, "scores", numpy_index).index)
