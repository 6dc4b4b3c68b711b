"""Everything the core asks of what it is handed, and what it says where something does not fit. Nothing is repaired."""

import numpy as np
from numpy.typing import ArrayLike

from mha_core.shapes import Array


def frozen(values: ArrayLike, name: str = "the array") -> Array:
    """A read-only copy in float32 or float64 (whole numbers and every other kind of real number become float64).

    Raises ValueError for text, complex numbers and whatever else is no real number.
    """
    array = np.array(values, order="C")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name} holds values of kind {array.dtype}; only real numbers can be reckoned with here.")
    if array.dtype != np.float32:
        array = array.astype(np.float64, copy=False)
    array.setflags(write=False)
    return array


def finite(array: Array, name: str) -> Array:
    """The same array; ValueError, with the first place, where it holds NaN or an infinity."""
    if not np.isfinite(array).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} holds {array[at]} at {at}, counted from 0; every number must be finite.")
    return array


def tokens(values: ArrayLike, name: str, width: int) -> Array:
    """A read-only copy of a sentence [n, width]; ValueError where it is empty, of another shape or not finite."""
    array = frozen(values, name)
    if array.ndim != 2 or array.shape[0] == 0 or array.shape[1] != width:
        raise ValueError(f"{name} has shape {array.shape}; it needs at least one token, each a row of {width}.")
    return finite(array, name)


def mask(allowed: ArrayLike, shape: tuple[int, ...]) -> Array:
    """A read-only copy of a mask for scores of this shape; ValueError where it does not fit or blinds a query."""
    array = np.array(allowed)
    if array.dtype != bool:
        raise ValueError(f"The mask holds {array.dtype} numbers; it must hold True (may look) and False (may not).")
    if array.shape not in (shape[-2:], shape):
        raise ValueError(f"The mask has shape {array.shape}; for scores {shape} it must be {shape[-2:]} or {shape}.")
    blind = ~array.any(axis=-1)
    if blind.any():
        row = tuple(int(i) for i in np.argwhere(blind)[0])
        raise ValueError(f"Query row {row[-1]} may look at no key at all (mask row {row}); leave it at least one.")
    array.setflags(write=False)
    return array
