"""Mistakes that have a name, each made on purpose on this walk, beside the right way, and the invariant that breaks.

Every wrong grid is worked out by the functions of mha_core, put together in the wrong way. Pages show them; questions
recognise an answer that was reached by one of them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from mha_core import attention
from mha_core.attention import attend, blend, concatenate, mix, softmax
from mha_core.heads import carried
from mha_core.parameters import side_by_side
from mha_core.positions import sinusoid
from mha_core.shapes import Array, Float
from walkthrough import what_if
from walkthrough.walk import Walk
from walkthrough.wrong_ways import (
    allowed_here,
    band_of,
    different,
    output_averaged,
    output_reshaped,
    outside,
    reshaped,
    softmax_down,
    weights_by,
)


@dataclass(frozen=True, eq=False)
class Shown:
    """One grid of a demonstration. `rows` and `columns` say what they count: query, key, number, lane.

    `largest` is the largest difference from the right grid, None where the shapes differ.
    """

    name: str
    values: Float[Array, "rows columns"]
    rows: str
    columns: str
    is_right: bool
    largest: float | None = 0.0


@dataclass(frozen=True)
class Measure:
    """One number in which the invariant shows: the right way's, and every wrong way's in the order of their grids."""

    name: str
    right: float
    wrong: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Demonstration:
    """The right grid first, then the others. `silent` says why nothing can differ on this walk, "" where it does."""

    name: str
    grids: tuple[Shown, ...]
    measures: tuple[Measure, ...]
    silent: str = ""


def demonstrate(walk: Walk, name: str) -> Demonstration:
    """One misconception on this walk; ValueError, listing the names, for one that is not there."""
    if name not in MISCONCEPTIONS:
        raise ValueError(f"There is no misconception {name!r}; the names are {', '.join(MISCONCEPTIONS)}.")
    grids, measures, silent = MISCONCEPTIONS[name].make(walk)
    return Demonstration(name, grids, measures, silent)


# ---- the demonstrations ----------------------------------------------------------------------------------------
Made = tuple[tuple[Shown, ...], tuple[Measure, ...], str]


def _side_by_side(
    rows: str, columns: str, right: tuple[str, Array], *others: tuple[str, Array, bool]
) -> tuple[Shown, ...]:
    shown = [Shown(right[0], right[1], rows, columns, True)]
    for name, values, is_right in others:
        far = float(np.abs(values - right[1]).max()) if values.shape == right[1].shape else None
        shown.append(Shown(name, values, rows, columns, is_right, far))
    return tuple(shown)


def _one_head(walk: Walk) -> str:
    return "one_head" if walk.trace.parameters.h == 1 else ""


def _one_word(walk: Walk) -> str:
    return "one_word" if len(walk.other_tokens) == 1 else ""


def _slicing(walk: Walk) -> Made:
    trace, p, i = walk.trace, walk.trace.parameters, walk.head
    early, late = what_if.queries_cut_early(walk), what_if.queries_cut_late(walk)
    pushed = np.array(trace.X)
    pushed[walk.word, outside(p, i)] += 1
    again = replace(walk, trace=replace(trace, X=pushed))
    right, wrong = (
        float(np.abs(f(again) - f(walk)).max()) for f in (what_if.queries_cut_late, what_if.queries_cut_early)
    )
    grids = _side_by_side("query", "number", ("Q", trace.Q[i]), ("Q_late", late, True), ("Q_early", early, False))
    return (
        grids,
        (Measure("pushed", right, (wrong,)), Measure("learned", p.d_model * p.d_k, (len(band_of(p, i)) * p.d_k,))),
        _one_head(walk),
    )


def _reshaping(walk: Walk) -> Made:
    trace, p, i = walk.trace, walk.trace.parameters, walk.head
    wide = side_by_side(trace.Q)
    pushed = np.array(wide)
    pushed[walk.word] += 1  # only the chosen word has changed: in whose rows is it heard?
    right, wrong = (
        np.abs(cut(pushed)[i] - cut(wide)[i]).max(axis=1) > 0
        for cut in (lambda grid: grid.reshape(len(grid), p.h, -1).swapaxes(0, 1), lambda grid: reshaped(grid, p.h))
    )
    heard = Measure("own_rows", float(right.sum()), (float(wrong.sum()),))
    own = Measure("own_row", float(right[walk.word]), (float(wrong[walk.word]),))
    out = Measure("output_off", 0.0, (float(np.abs(output_reshaped(walk) - trace.output).max()),))
    grids = _side_by_side("query", "number", ("Q", trace.Q[i]), ("Q_reshaped", reshaped(wide, p.h)[i], False))
    return grids, (heard, own, out), _one_head(walk) or ("one_row" if len(walk.tokens) == 1 else "")


def _divisor(walk: Walk, divisor: float, name: str, silent: str) -> Made:
    trace, root = walk.trace, sqrt(walk.trace.parameters.d_k)
    right, wrong = weights_by(walk, root), weights_by(walk, divisor)
    spread = Measure("spread", float(trace.scores.std() / root), (float(trace.scores.std() / divisor),))
    sharpest = Measure(
        "sharpest", float(right[walk.head, walk.word].max()), (float(wrong[walk.head, walk.word].max()),)
    )
    grids = _side_by_side("query", "key", ("weights_rule", right[walk.head]), (name, wrong[walk.head], False))
    return grids, (Measure("divisor", root, (divisor,)), spread, sharpest), silent or _one_word(walk)


def _root_d_model(walk: Walk) -> Made:
    return _divisor(walk, sqrt(walk.trace.parameters.d_model), "weights_root_d_model", _one_head(walk))


def _d_k(walk: Walk) -> Made:
    d_k = walk.trace.parameters.d_k
    return _divisor(walk, float(d_k), "weights_d_k", "width_one" if d_k == 1 else "")


def _columns(walk: Walk) -> Made:
    right = walk.trace.weights[walk.head]
    wrong = softmax_down(walk.trace.masked[walk.head])
    row = Measure("row_sum", float(right[walk.word].sum()), (float(wrong[walk.word].sum()),))
    column = Measure("column_sum", float(right[:, walk.partner].sum()), (float(wrong[:, walk.partner].sum()),))
    grids = _side_by_side("query", "key", ("weights", right), ("weights_columns", wrong, False))
    return grids, (row, column), "one_word" if walk.trace.scores[0].size == 1 else ""


def _late_mask(walk: Walk) -> Made:
    allowed, scaled = allowed_here(walk), walk.trace.scaled[walk.head]
    right = softmax(attention.mask(scaled, allowed))
    after, factor = softmax(scaled) * allowed, softmax(scaled * allowed)
    row = int((~allowed).sum(axis=1).argmax())
    sums = Measure("masked_row_sum", float(right[row].sum()), (float(after[row].sum()), float(factor[row].sum())))
    leaks = [float(grid[row][~allowed[row]].sum()) for grid in (right, after, factor)]
    grids = _side_by_side(
        "query",
        "key",
        ("weights_masked", right),
        ("weights_mask_after", after, False),
        ("weights_mask_factor", factor, False),
    )
    return grids, (sums, Measure("leak", leaks[0], tuple(leaks[1:]))), "" if (~allowed).any() else "nothing_shut"


def _averaging(walk: Walk) -> Made:
    trace, p = walk.trace, walk.trace.parameters
    swapped = np.array(trace.heads)
    swapped[[0, -1]] = swapped[[-1, 0]]
    other = replace(walk, trace=replace(trace, heads=swapped))
    right = float(np.abs(mix(concatenate(swapped), p.W_O, p.b_O) - trace.output).max())
    wrong = float(np.abs(output_averaged(other) - output_averaged(walk)).max())
    kept = Measure("kept", trace.concat.shape[1], (p.d_v,))
    grids = _side_by_side(
        "query", "number", ("output", trace.output), ("output_averaged", output_averaged(walk), False)
    )
    return grids, (Measure("swapped", right, (wrong,)), kept), _one_head(walk)


def _without_W_O(walk: Walk) -> Made:
    trace = walk.trace
    silenced = np.array(trace.heads)
    silenced[walk.head] = 0
    right = (what_if.without_head(walk) != trace.output).any(axis=0).sum()
    wrong = (concatenate(silenced) != trace.concat).any(axis=0).sum()
    width = Measure("width", trace.output.shape[1], (trace.concat.shape[1],))
    grids = _side_by_side("query", "number", ("output", trace.output), ("concat", trace.concat, False))
    return grids, (Measure("reached", float(right), (float(wrong),)), width), ""


def _shared(walk: Walk) -> Made:
    other = (walk.head + 1) % walk.trace.parameters.h
    right, shared = walk.trace.weights, what_if.heads_sharing(walk).weights
    apart = Measure("apart", float(np.ptp(right, axis=0).max()), (float(np.ptp(shared, axis=0).max()),))
    views = Measure("views", float(different(right)), (float(different(shared)),))
    grids = _side_by_side(
        "query", "key", ("weights_other", right[other]), ("weights_other_shared", shared[other], False)
    )
    return grids, (views, apart), _one_head(walk) or _one_word(walk)


def _explanation(walk: Walk) -> Made:
    trace, at = walk.trace, (walk.head, walk.word)
    weights, arriving = trace.weights[at], carried(trace)[at]
    reaching = arriving / arriving.sum() if arriving.sum() else arriving
    open_to = np.flatnonzero(what_if.allowed_row(walk))
    most, least = (int(open_to[place]) for place in (weights[open_to].argmax(), weights[open_to].argmin()))
    exchanged, V = np.array(weights), np.array(trace.V[walk.head])
    V[least] = V[most]  # the words with most and least weight get the same value row, then they exchange their weights
    exchanged[[most, least]] = exchanged[[least, most]]
    answer = float(np.abs(blend(exchanged[None], V) - blend(weights[None], V)).max())
    measures = (Measure("exchanged", answer, (float(np.abs(exchanged - weights).max()),)),)
    grids = _side_by_side("one", "key", ("reaching", reaching[None]), ("weights_row", weights[None], False))
    even = "one_visible" if len(open_to) == 1 else "even" if np.ptp(weights[open_to]) < 1e-6 else ""
    return grids, measures, _one_word(walk) or even


def _order(walk: Walk) -> Made:
    trace = walk.trace
    rows = trace.X if trace.E is None else trace.E
    P = sinusoid(len(rows), rows.shape[1])
    context = None if trace.is_self_attention else trace.context

    def outputs(P: Array | float) -> tuple[Array, float]:
        there, back = (
            attend(words + P, trace.parameters, context=context, divisor=trace.divisor).output
            for words in (rows, rows[::-1])
        )
        return there, float(np.abs(back[::-1] - there).max())

    (right, heard), (wrong, unheard) = outputs(P), outputs(0.0)
    name = "output_as_is" if trace.E is None else "output_no_positions"
    grids = _side_by_side("query", "number", ("output_positions", right), (name, wrong, False))
    return grids, (Measure("backwards", heard, (unheard,)),), "one_row" if len(rows) == 1 else ""


@dataclass(frozen=True)
class Misconception:
    """The steps where it arises, the most telling one first, and how to show it."""

    steps: tuple[int, ...]
    make: Callable[[Walk], Made]


MISCONCEPTIONS: dict[str, Misconception] = {
    "order": Misconception((1, 7), _order),
    "slicing": Misconception((6, 2), _slicing),
    "reshaping": Misconception((6, 7), _reshaping),
    "root_d_model": Misconception((4,), _root_d_model),
    "d_k": Misconception((4,), _d_k),
    "columns": Misconception((4,), _columns),
    "late_mask": Misconception((4,), _late_mask),
    "explanation": Misconception((5,), _explanation),
    "shared": Misconception((6, 2), _shared),
    "averaging": Misconception((7,), _averaging),
    "without_W_O": Misconception((7,), _without_W_O),
}


def of_step(step: int) -> tuple[str, ...]:
    """The misconceptions that arise in one step."""
    return tuple(name for name, known in MISCONCEPTIONS.items() if step in known.steps)
