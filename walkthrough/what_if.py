"""What would happen if …: the edge cases of every step, worked out on this very sentence by calling mha_core.

Each function changes one thing and hands back arrays or a trace; numbers.py puts them into the prose, pages may draw
them.
"""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from mha_core import attention
from mha_core.attention import attend, blend, causal, concatenate, mix, project, scale, score, softmax
from mha_core.parameters import side_by_side
from mha_core.positions import sinusoid
from mha_core.shapes import Array, Bool, Float
from walkthrough.walk import Walk


def allowed_row(walk: Walk) -> Bool[Array, " n_k"]:
    """Which keys the chosen word may look at in the chosen head."""
    allowed, n_k = walk.trace.allowed, len(walk.other_tokens)
    if allowed is None:
        return np.ones(n_k, dtype=bool)
    return np.broadcast_to(allowed, walk.trace.scores.shape)[walk.head, walk.word]


# ---- step 1: the same word twice -------------------------------------------------------------------------------
def word_twice(walk: Walk, positions: bool) -> Float[Array, "2 d_model"]:
    """The chosen word as a sentence of two: its row of E below itself, with or without positions added."""
    trace = walk.trace
    row = (trace.X if trace.E is None else trace.E)[walk.word]
    return np.stack([row, row]) + (sinusoid(2, len(row)) if positions else 0.0)


# ---- step 3: directions ----------------------------------------------------------------------------------------
def score_against(walk: Walk, key: Float[Array, " d_k"]) -> float:
    """What the chosen word's query would score with any key row."""
    return float(score(walk.trace.Q[walk.head, walk.word][None], key[None])[0, 0])


def right_angle(query: Float[Array, " d_k"]) -> Float[Array, " d_k"]:
    """A row at a right angle to this one: its first two numbers swapped, one sign turned, then zeros."""
    row = np.zeros_like(query)
    if len(query) > 1:
        row[0], row[1] = -query[1], query[0]
    return row


# ---- step 4: other divisors, other scores ----------------------------------------------------------------------
def weights_with(walk: Walk, divisor: str) -> Float[Array, " n_k"]:
    """The chosen row of weights with another divisor: "sqrt", "none" or "d_k"; the mask stays."""
    d_k = walk.trace.parameters.d_k
    divide_by = {"sqrt": sqrt(d_k), "none": 1.0, "d_k": float(d_k)}[divisor]
    scaled = scale(walk.trace.scores[walk.head, walk.word][None], divide_by)
    return softmax(attention.mask(scaled, allowed_row(walk)[None]))[0]


def one_dominates(walk: Walk, place: int, ahead: float) -> Float[Array, " n_k"]:
    """The chosen row of weights once the scaled score at `place` stands `ahead` above all others."""
    row = np.array(walk.trace.masked[walk.head, walk.word])
    row[place] = row.max() + ahead
    return softmax(row[None])[0]


def all_equal(n: int) -> Float[Array, " n"]:
    """The weights of n equal scores."""
    return softmax(np.zeros((1, n)))[0]


def all_negative(walk: Walk) -> Float[Array, " n_k"]:
    """The chosen row of weights after so much was taken off every score that even the best is −1."""
    row = walk.trace.masked[walk.head, walk.word]
    return softmax((row - row.max() - 1)[None])[0]


def causal_counts(walk: Walk) -> tuple[int, int]:
    """Under the causal mask: how many words the chosen word may look at, and how many cells of the grid are shut."""
    allowed = causal(len(walk.tokens))
    return int(allowed[walk.word].sum()), int((~allowed).sum())


# ---- steps 4 and 5: one word -----------------------------------------------------------------------------------
@dataclass(frozen=True)
class Looking:
    """Steps 2 to 5 once more, with something changed: the values, the weights and the blends, head by head."""

    V: Float[Array, "h n_k d_v"]
    weights: Float[Array, "h n_q n_k"]
    heads: Float[Array, "h n_q d_v"]


def word_alone(walk: Walk) -> Looking:
    """The chosen word as the whole sentence, in the chosen head (of two sentences: it meets the other's first word)."""
    trace, only = walk.trace, slice(walk.word, walk.word + 1)
    context = trace.X[only] if trace.is_self_attention else trace.context[:1]
    return _look(walk, _only(walk), trace.X[only], context, None)


def blended(walk: Walk, weights: Float[Array, " n_k"]) -> Float[Array, " d_v"]:
    """The row that the chosen head gives for these weights."""
    return blend(weights[None], walk.trace.V[walk.head])[0]


# ---- step 6: heads ---------------------------------------------------------------------------------------------
def head_alone(walk: Walk) -> Looking:
    """The chosen head with no other head beside it."""
    trace = walk.trace
    allowed = trace.allowed if trace.allowed is None or trace.allowed.ndim == 2 else trace.allowed[walk.head][None]
    return _look(walk, _only(walk), trace.X, trace.context, allowed)


def heads_sharing(walk: Walk) -> Looking:
    """Every head with the matrices of the chosen one."""
    trace, h = walk.trace, walk.trace.parameters.h
    own = {name: one for name, one in _only(walk).items() if one is not None}
    copies = {name: np.broadcast_to(one, (h, *one.shape[1:])) for name, one in own.items()}
    return _look(walk, copies, trace.X, trace.context, trace.allowed)


def queries_cut_late(walk: Walk) -> Float[Array, "n_q d_k"]:
    """The chosen head's queries by the other order of work: one wide product for all heads, then cut into bands."""
    p, i = walk.trace.parameters, walk.head
    wide = side_by_side(p.W_Q)
    bias = 0.0 if p.b_Q is None else np.concatenate(list(p.b_Q))
    return (walk.trace.X @ wide + bias)[:, i * p.d_k : (i + 1) * p.d_k]


def queries_cut_early(walk: Walk) -> Float[Array, "n_q d_k"]:
    """The chosen head's queries by the tempting mistake: it is handed only its own band of X's columns."""
    p, i = walk.trace.parameters, walk.head
    band = np.array_split(np.arange(p.d_model), p.h)[i]
    W = p.W_Q[i : i + 1, band]
    return project(np.ascontiguousarray(walk.trace.X[:, band]), W, _of_head(p.b_Q, i))[0]


# ---- step 7: mixing --------------------------------------------------------------------------------------------
def unmixed(walk: Walk) -> Float[Array, "n_q h_d_v"]:
    """The output with the identity matrix in place of W_O."""
    return mix(walk.trace.concat, np.eye(walk.trace.concat.shape[1], dtype=walk.trace.concat.dtype))


def sum_of_shares(walk: Walk) -> Float[Array, "n_q d_out"]:
    """What the heads contribute, added up (with the bias, which belongs to no head)."""
    bias = walk.trace.parameters.b_O
    total = attention.shares(walk.trace).sum(axis=0)
    return total if bias is None else total + bias


def walk_sharing(walk: Walk) -> Walk:
    """The whole walk again with the chosen head's matrices in every head."""
    trace, p = walk.trace, walk.trace.parameters
    own = {name: one for name, one in _only(walk).items() if one is not None}
    shared = replace(p, **{name: np.broadcast_to(one, (p.h, *one.shape[1:])) for name, one in own.items()})
    context = None if trace.is_self_attention else trace.context
    again = attend(trace.X, shared, context=context, allowed=trace.allowed, divisor=trace.divisor)
    return replace(walk, trace=replace(again, E=trace.E, P=trace.P))


def walk_without_head(walk: Walk) -> Walk:
    """The whole walk again with the chosen head switched off: its values are zero, so it answers nothing."""
    trace, p = walk.trace, walk.trace.parameters
    silent = {"W_V": p.W_V} | ({} if p.b_V is None else {"b_V": p.b_V})
    for name, values in silent.items():
        silent[name] = np.array(values)
        silent[name][walk.head] = 0
    context = None if trace.is_self_attention else trace.context
    again = attend(trace.X, replace(p, **silent), context=context, allowed=trace.allowed, divisor=trace.divisor)
    return replace(walk, trace=replace(again, E=trace.E, P=trace.P))


def without_head(walk: Walk) -> Float[Array, "n_q d_out"]:
    """The output with the chosen head's block set to zero."""
    heads = np.array(walk.trace.heads)
    heads[walk.head] = 0
    return mix(concatenate(heads), walk.trace.parameters.W_O, walk.trace.parameters.b_O)


def outputs_backwards(walk: Walk) -> Float[Array, "2 n_q d_out"]:
    """Without positions and mask: each word's output from the sentence as typed, and from the one read backwards."""
    trace, p = walk.trace, walk.trace.parameters
    if not trace.is_self_attention:  # then it is the other sentence that is read backwards
        orders = (trace.context, trace.context[::-1])
        return np.stack([attend(trace.X, p, context=rows, divisor=trace.divisor).output for rows in orders])
    rows = trace.X if trace.E is None else trace.E
    forward, backward = (attend(order, p, divisor=trace.divisor).output for order in (rows, rows[::-1]))
    return np.stack([forward, backward[::-1]])


def _of_head(array: Array | None, i: int) -> Array | None:
    return None if array is None else array[i : i + 1]


def _only(walk: Walk) -> dict[str, Array | None]:
    """The chosen head's own matrices and biases, still with a head axis."""
    names = ("W_Q", "b_Q", "W_K", "b_K", "W_V", "b_V")
    return {name: _of_head(getattr(walk.trace.parameters, name), walk.head) for name in names}


def _look(walk: Walk, p: dict[str, Array | None], X: Array, context: Array, allowed: Array | None) -> Looking:
    Q, K, V = (project(rows, p[f"W_{x}"], p.get(f"b_{x}")) for x, rows in (("Q", X), ("K", context), ("V", context)))
    weights = softmax(attention.mask(scale(score(Q, K), walk.trace.divisor), allowed))
    return Looking(V, weights, blend(weights, V))
