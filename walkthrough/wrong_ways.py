"""The wrong computations themselves: functions of mha_core, put together in ways that have misled people."""

import numpy as np

from mha_core import attention
from mha_core.attention import blend, mix, scale, score, softmax
from mha_core.parameters import Parameters, side_by_side
from mha_core.shapes import Array, Bool, Float, Int
from walkthrough.walk import Walk


def weights_by(walk: Walk, divisor: float) -> Float[Array, "h n_q n_k"]:
    """The weights of all heads with any divisor; the mask stays."""
    return softmax(attention.mask(scale(walk.trace.scores, divisor), walk.trace.allowed))


def band_of(p: Parameters, head: int) -> Int[Array, " band"]:
    """The columns of X that a head would get if X were shared out."""
    return np.array_split(np.arange(p.d_model), p.h)[head]


def outside(p: Parameters, head: int) -> int:
    """The column of X beyond that band on which the head's queries depend most (of a single head: of all)."""
    sizes = np.abs(p.W_Q[head]).sum(axis=1)
    if p.h > 1:
        sizes[band_of(p, head)] = -1.0
    return int(sizes.argmax())


def softmax_down(masked: Float[Array, "*h n_q n_k"]) -> Float[Array, "*h n_q n_k"]:
    """Softmax along the wrong axis: every column sums to 1. A column that nobody may look at stays empty."""
    turned = np.array(masked.swapaxes(-1, -2))
    empty = np.isneginf(turned).all(axis=-1)
    turned[empty] = 0.0
    shared = softmax(turned)
    shared[empty] = 0.0
    return shared.swapaxes(-1, -2)


def reshaped(heads_wide: Float[Array, "n h_width"], h: int) -> Float[Array, "h n width"]:
    """The wide rows cut by a reshape alone, without swapping axes: each head gets whole words in place of its lanes."""
    return heads_wide.reshape(h, len(heads_wide), -1)


def output_reshaped(walk: Walk) -> Float[Array, "n_q d_out"]:
    """The output where heads are cut, and joined again, by a reshape alone."""
    trace, p = walk.trace, walk.trace.parameters
    Q, K, V = (reshaped(side_by_side(grid), p.h) for grid in (trace.Q, trace.K, trace.V))
    weights = softmax(attention.mask(scale(score(Q, K), trace.divisor), trace.allowed))
    return mix(blend(weights, V).reshape(len(trace.X), -1), p.W_O, p.b_O)


def output_averaged(walk: Walk) -> Float[Array, "n_q d_out"]:
    """The output where every lane holds the mean of all heads."""
    p = walk.trace.parameters
    return mix(np.tile(walk.trace.heads.mean(axis=0), p.h), p.W_O, p.b_O)


def different(grids: Float[Array, "h n_q n_k"]) -> int:
    """How many of the heads' grids differ, rounding aside."""
    return len(np.unique(grids.round(9), axis=0))


def allowed_here(walk: Walk) -> Bool[Array, "n_q n_k"]:
    """The mask of the chosen head; where there is none, the causal one."""
    trace = walk.trace
    if trace.allowed is None:
        return np.tri(len(trace.X), len(trace.context), dtype=bool)
    return trace.allowed if trace.allowed.ndim == 2 else trace.allowed[walk.head]
