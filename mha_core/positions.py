"""Where a word stands, written as a row of waves that can be added to its embedding."""

from operator import index

import numpy as np
from numpy.typing import DTypeLike

from mha_core.shapes import Array, Float

LONGEST_WAVE = 10_000.0


def sinusoid(n: int, d_model: int, dtype: DTypeLike = np.float64) -> Float[Array, "n d_model"]:
    """P, one row a position: a fast wave in the first two columns, slower ones to the right.

    P[pos, 2i] = sin(pos / 10000^(2i/d_model)) and P[pos, 2i+1] = cos(the same angle), in radians, pos counted from 0.
    With an odd d_model the last sine has no cosine beside it. Computed in float64, then given as dtype.
    Raises ValueError where n or d_model is below 1. Source: Vaswani et al. 2017, section 3.5.
    """
    count(n, "n")
    count(d_model, "d_model")
    column = np.arange(d_model)
    wave = column // 2  # a sine and the cosine beside it share one wave
    angle = np.arange(n)[:, None] / LONGEST_WAVE ** (2 * wave / d_model)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle)).astype(dtype)


def count(value: object, name: str, least: int = 1) -> int:
    """`value` as a plain whole number of at least `least`; anything else is a ValueError that names it."""
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or number < least:
        raise ValueError(f"{name} must be a whole number, {least} or more, and {value!r} is not; try {name}={least}.")
    return number
