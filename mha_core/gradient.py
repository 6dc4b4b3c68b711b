"""How the weights answer when a score moves: softmax's derivative, and how much of it is left in one number."""

import numpy as np

from mha_core.shapes import Array, Float

STEEPEST = 0.5  # the largest size there is: two equal weights of ½ and nothing else


def softmax_jacobian(weights: Float[Array, "*rows n_k"]) -> Float[Array, "*rows n_k n_k"]:
    """All slopes of a softmax at once: entry (j, k) is ∂ weight_j / ∂ score_k = weight_j (1 if j = k else 0, − weight_k).

    weights: rows that softmax gave. Each row and each column of the answer adds up to 0: what one word gains, others
    lose. With a divisor c the slope against the raw score is 1/c of this. Source: the quotient rule.
    """
    same = np.eye(weights.shape[-1], dtype=weights.dtype)
    return weights[..., :, None] * (same - weights[..., None, :])


def gradient_size(weights: Float[Array, "*rows n_k"]) -> Float[Array, "*rows"]:
    """The length of all slopes of a row taken together (Frobenius norm), from 0 to STEEPEST.

    0 means that no small change of any score changes any weight: nothing can be learned through this row.
    """
    return np.asarray(np.sqrt(np.square(softmax_jacobian(weights)).sum(axis=(-2, -1))))


def entropy(weights: Float[Array, "*rows n_k"]) -> Float[Array, "*rows"]:
    """How spread out each row is, in nats: 0 where one key has all, ln n_k where all have the same (0 · ln 0 is 0)."""
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return np.asarray(0.0 - (weights * logs).sum(axis=-1))
