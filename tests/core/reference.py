"""Multi-head attention once more, in plain Python loops, written from the paper and sharing no line with mha_core.

Slow on purpose: one number at a time, sums by math.fsum. Also draws the random parameters and masks of the tests.
"""

from dataclasses import dataclass
from math import exp, fsum, inf, sqrt

import numpy as np

from mha_core import Parameters


def loops(X, parameters, context=None, allowed=None, divisor=None):
    """Every stage of the layer as a dict of float64 arrays."""
    p, other = parameters, X if context is None else context
    divisor = sqrt(p.W_Q.shape[2]) if divisor is None else divisor
    stages = {name: [] for name in ("Q", "K", "V", "scores", "scaled", "masked", "weights", "heads")}
    for i in range(len(p.W_Q)):
        head = _one_head(X, other, p, i, allowed, divisor)
        for name, grid in zip(stages, head):
            stages[name].append(grid)
    concat = [[number for head in stages["heads"] for number in head[row]] for row in range(len(X))]
    stages["concat"], stages["output"] = concat, _product(concat, p.W_O, p.b_O)
    return {name: np.array(grid, dtype=float) for name, grid in stages.items()}


def _one_head(X, other, p, i, allowed, divisor):
    Q = _product(X, p.W_Q[i], None if p.b_Q is None else p.b_Q[i])
    K = _product(other, p.W_K[i], None if p.b_K is None else p.b_K[i])
    V = _product(other, p.W_V[i], None if p.b_V is None else p.b_V[i])
    scores = [[fsum(float(a) * float(b) for a, b in zip(q, k)) for k in K] for q in Q]
    scaled = [[number / divisor for number in row] for row in scores]
    masked = [
        [number if _may_look(allowed, i, r, c) else -inf for c, number in enumerate(row)]
        for r, row in enumerate(scaled)
    ]
    weights = [_softmax(row) for row in masked]
    return Q, K, V, scores, scaled, masked, weights, _product(weights, V, None)


def _product(left, right, bias):
    columns = range(len(right[0]))
    start = [0.0 for _ in columns] if bias is None else [float(b) for b in bias]
    return [
        [fsum([start[c], *(float(a) * float(right[k][c]) for k, a in enumerate(row))]) for c in columns] for row in left
    ]


def _may_look(allowed, head, row, column):
    if allowed is None:
        return True
    return bool(allowed[row][column] if np.ndim(allowed) == 2 else allowed[head][row][column])


def _softmax(row):
    top = max(row)
    grown = [exp(number - top) for number in row]
    return [number / fsum(grown) for number in grown]


@dataclass(frozen=True)
class Sizes:
    """One choice of sizes, no two of them alike, so that mixing up two axes cannot go unseen."""

    h: int = 3
    n_q: int = 7
    n_k: int = 5
    d_model: int = 11
    d_context: int = 13
    d_k: int = 2
    d_v: int = 17
    d_out: int = 19


def random_parameters(rng, sizes, *, cross=True, biases=True, dtype=np.float64):
    """Parameters of these sizes from normal numbers; without cross the context is as wide as X."""
    s, width = sizes, sizes.d_context if cross else sizes.d_model
    shapes = [(s.h, s.d_model, s.d_k), (s.h, width, s.d_k), (s.h, width, s.d_v), (s.h * s.d_v, s.d_out)]
    if biases:
        shapes += [(s.h, s.d_k), (s.h, s.d_k), (s.h, s.d_v), (s.d_out,)]
    return Parameters(*(rng.standard_normal(shape).astype(dtype) for shape in shapes))


def random_mask(rng, *shape):
    """True for about half the cells, and at least once a row."""
    allowed = rng.random(shape) < 0.5
    certain = rng.integers(0, shape[-1], size=(*shape[:-1], 1))
    np.put_along_axis(allowed, certain, True, axis=-1)
    return allowed


def causal_mask(n):
    """Row i may see columns 0 … i; spelled out by hand."""
    return np.array([[column <= row for column in range(n)] for row in range(n)])


def single_head(parameters, i):
    """Head i of a layer as a layer of its own, with its own rows of W_O (the output bias belongs to no head)."""
    p = parameters
    cut = [None if array is None else array[i : i + 1] for array in (p.b_Q, p.b_K, p.b_V)]
    rows = p.W_O[i * p.W_V.shape[2] : (i + 1) * p.W_V.shape[2]]
    return Parameters(p.W_Q[i : i + 1], p.W_K[i : i + 1], p.W_V[i : i + 1], rows, *cut)
