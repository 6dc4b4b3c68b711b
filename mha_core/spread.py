"""How far dot products of random vectors scatter: measured, beside what theory says, with and without √d_k."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha_core.checks import frozen
from mha_core.shapes import Array, Float


@dataclass(frozen=True, eq=False)
class Spread:
    """Standard deviations, one a width d_k. Theory: √d_k for the bare dot products, 1 once they are divided by √d_k."""

    widths: tuple[int, ...]
    measured: Float[Array, " widths"]
    divided: Float[Array, " widths"]
    theory: Float[Array, " widths"]


def spread(widths: Sequence[int], *, pairs: int = 1000, seed: int = 0) -> Spread:
    """Draw `pairs` pairs of vectors of standard normal numbers and measure how their dot products scatter.

    The same draw serves every width: a pair of width d_k is the first d_k numbers of the widest pair. The variance of a
    product of two independent standard normal numbers is 1, and variances add up, so d_k products scatter by √d_k.
    Raises ValueError where a width or the number of pairs is too small to measure anything.
    """
    if not widths or min(widths) < 1 or pairs < 2:
        raise ValueError(f"A spread needs widths of at least 1 and two pairs or more; got widths {tuple(widths)}, {pairs} pairs.")
    q, k = np.random.RandomState(seed).standard_normal((2, pairs, max(widths)))
    dots = (q * k).cumsum(axis=1)[:, np.array(widths) - 1]  # column d_k − 1 has added up the first d_k products
    roots = np.sqrt(np.array(widths, float))
    return Spread(tuple(widths), frozen(dots.std(axis=0)), frozen((dots / roots).std(axis=0)), frozen(roots))
