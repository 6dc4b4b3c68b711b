"""One layer of multi-head attention, one small function a stage, and every intermediate kept.

The axes, once for the whole package:
    n_q, n_k   tokens that ask, tokens that are asked (both n in self-attention)
    d_model    numbers a token comes in with          d_out   numbers a token leaves with
    h          heads, always the first axis
    d_k, d_v   width of one head's query and key rows, and of its value rows
Rows are tokens; in an [n_q, n_k] grid rows are queries and columns are keys; row vectors stand left of a matrix.
Source of every formula: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mha_core import checks
from mha_core.parameters import FUSED_FROM, Parameters, into_bands, side_by_side
from mha_core.shapes import Array, Bool, Float

SLAB = 1 << 16  # numbers that the softmax takes at a time, few enough to stay in the processor's cache


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """Everything that happened on the way from X to the output, in the order computed. All arrays are read-only."""

    X: Float[Array, "n_q d_model"]
    context: Float[Array, "n_k d_context"]
    Q: Float[Array, "h n_q d_k"]
    K: Float[Array, "h n_k d_k"]
    V: Float[Array, "h n_k d_v"]
    scores: Float[Array, "h n_q n_k"]
    scaled: Float[Array, "h n_q n_k"]
    masked: Float[Array, "h n_q n_k"]
    weights: Float[Array, "h n_q n_k"]
    heads: Float[Array, "h n_q d_v"]
    concat: Float[Array, "n_q h_d_v"]
    output: Float[Array, "n_q d_out"]
    parameters: Parameters
    divisor: float
    allowed: Bool[Array, "*g n_q n_k"] | None = None
    E: Float[Array, "n_q d_model"] | None = None  # where X is a sum of embedding and position, its two parts
    P: Float[Array, "n_q d_model"] | None = None

    @property
    def is_self_attention(self) -> bool:
        return self.context is self.X


def project(
    X: Float[Array, "n width_in"], W: Float[Array, "h width_in width"], b: Float[Array, "h width"] | None = None
) -> Float[Array, "h n width"]:
    """Every head's own view of every token: X W (+ b)."""
    return _add_bias(X @ W, b)


def score(Q: Float[Array, "*h n_q d_k"], K: Float[Array, "*h n_k d_k"]) -> Float[Array, "*h n_q n_k"]:
    """How well every query agrees with every key: the dot products Q Kᵀ."""
    return Q @ K.swapaxes(-1, -2)


def scale(scores: Float[Array, "*h n_q n_k"], divisor: float | int) -> Float[Array, "*h n_q n_k"]:
    """scores / divisor. The paper's divisor is √d_k; 1 leaves the scores as they are."""
    if not 0 < divisor < np.inf:
        raise ValueError(f"The scores cannot be divided by {divisor}; it must be a positive number, such as √d_k.")
    return scores / float(divisor)


def mask(
    scaled: Float[Array, "*h n_q n_k"], allowed: Bool[Array, "*g n_q n_k"] | None = None
) -> Float[Array, "*h n_q n_k"]:
    """−∞ wherever a query may not look. `allowed` is True where it may: [n_q, n_k] for all heads, or one grid a head.

    Raises ValueError, naming the row, where a query is left with nothing to look at.
    """
    if allowed is None:
        return scaled
    return np.where(checks.mask(allowed, scaled.shape), scaled, scaled.dtype.type(-np.inf))


def softmax(x: Float[Array, "*rows n_k"]) -> Float[Array, "*rows n_k"]:
    """exp(x) / Σ exp(x) along each row, with the row's maximum taken off first so that nothing can overflow.

    Raises ValueError where a row is empty, wholly −∞, or holds NaN or +∞.
    """
    if x.shape[-1] == 0:
        raise ValueError("Softmax shares 1 among the entries of a row; an empty row has nobody to share with.")
    weights = np.empty(x.shape, np.result_type(x, np.float32))
    for rows, shared in _slabs(x, weights):
        highest = rows.max(axis=-1, keepdims=True)
        if not np.isfinite(highest).all():
            raise ValueError(_no_answer(x))
        exponentials = np.exp(rows - highest)
        np.divide(exponentials, exponentials.sum(axis=-1, keepdims=True), out=shared)
    return weights


def _slabs(*grids):
    """The same rows of every grid, as many at a time as the processor's cache holds: far quicker for long sentences."""
    if grids[0].size <= SLAB:
        return [grids]
    flat = [grid.reshape(-1, grid.shape[-1]) for grid in grids]
    step = max(1, SLAB // grids[0].shape[-1])
    return [[grid[start : start + step] for grid in flat] for start in range(0, len(flat[0]), step)]


def _no_answer(x) -> str:
    highest = x.max(axis=-1)
    row = tuple(int(i) for i in np.argwhere(~np.isfinite(highest))[0])
    return f"Row {row} has {highest[row]} as its largest score, so softmax has no answer; it needs a finite one."


def blend(weights: Float[Array, "*h n_q n_k"], V: Float[Array, "*h n_k d_v"]) -> Float[Array, "*h n_q d_v"]:
    """Each token's mixture of all value rows: weights V."""
    return weights @ V


def concatenate(heads: Float[Array, "h n_q d_v"]) -> Float[Array, "n_q h_d_v"]:
    """The heads' answers side by side: head 0's columns first. Nothing is mixed."""
    return side_by_side(heads)


def mix(
    concat: Float[Array, "n_q h_d_v"], W_O: Float[Array, "h_d_v d_out"], b: Float[Array, " d_out"] | None = None
) -> Float[Array, "n_q d_out"]:
    """Let the heads' lanes talk to each other: concat W_O (+ b)."""
    mixed = concat @ W_O
    return mixed if b is None else mixed + b


def shares(trace: AttentionTrace) -> Float[Array, "h n_q d_out"]:
    """What each head contributes to the output: head_i W_O[its rows]. Their sum (+ b_O) is the output."""
    p = trace.parameters
    return trace.heads @ p.W_O.reshape(p.h, p.d_v, p.d_out)


def causal(n: int) -> Bool[Array, "n n"]:
    """The mask that lets a token look at itself and at what stands before it. Square, so for self-attention only."""
    return np.tri(n, dtype=bool)


@np.errstate(over="ignore", invalid="ignore")  # numbers too large are answered with a ValueError, not with a warning
def attend(
    X: ArrayLike, parameters: Parameters, *, context: ArrayLike | None = None, allowed: ArrayLike | None = None,
    divisor: float | int | None = None,
) -> AttentionTrace:
    """Run the layer on X [n_q, d_model] and keep every step.

    context: the sentence that is looked at [n_k, d_context]; left out, X looks at itself. allowed [n_q, n_k] or
    [h, n_q, n_k], True = may look. divisor: None = √d_k, 1 = no scaling. float32 stays float32; all else is float64.
    Raises ValueError where a size does not fit, a number is not finite, or a query may look at nothing.
    """
    X, context = _checked_sentences(X, context, parameters)
    if allowed is not None:
        allowed = checks.mask(allowed, (parameters.h, len(X), len(context)))
    divisor = float(np.sqrt(parameters.d_k)) if divisor is None else float(divisor)
    Q, K, V = _project_all(X, context, parameters)
    scores = score(Q, K)
    scaled = scale(scores, divisor)
    masked = mask(scaled, allowed)
    weights = softmax(masked)
    heads = blend(weights, V)
    concat = concatenate(heads)
    output = checks.finite(mix(concat, parameters.W_O, parameters.b_O), "the output")
    for array in (Q, K, V, scores, scaled, masked, weights, heads, concat, output):
        array.setflags(write=False)
    return AttentionTrace(
        X, context, Q, K, V, scores, scaled, masked, weights, heads, concat, output, parameters, divisor, allowed
    )


def _checked_sentences(X, context, p: Parameters):
    X = checks.tokens(X, "X", p.d_model)
    if context is not None:
        return X, checks.tokens(context, "context", p.W_K.shape[1])
    if p.W_K.shape[1] != p.d_model:
        raise ValueError(
            f"X cannot look at itself here: its rows hold {p.d_model} numbers, W_K and W_V read rows of "
            f"{p.W_K.shape[1]}; hand over the other sentence as context."
        )
    return X, X


def _project_all(X, context, p: Parameters):
    """Q, K and V. For a long sentence that looks at itself, one wide product; the three are views into its columns."""
    if context is not X or len(X) < FUSED_FROM:
        return project(X, p.W_Q, p.b_Q), project(context, p.W_K, p.b_K), project(context, p.W_V, p.b_V)
    wide, q = X @ p.fused, p.h * p.d_k
    cut = ((wide[:, :q], p.d_k, p.b_Q), (wide[:, q : 2 * q], p.d_k, p.b_K), (wide[:, 2 * q :], p.d_v, p.b_V))
    return [_add_bias(into_bands(columns, width), b) for columns, width, b in cut]


def _add_bias(projected, b):
    return projected if b is None else projected + b[:, None, :]
