"""Long rows seen from the side that shows most of them: a shadow on a few axes, and how much of the rows it keeps."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mha_core.shapes import Array, Float

NEGLIGIBLE = 1e-12  # relative to the longest row: rounding noise, drawn as exactly 0


class Shadow(NamedTuple):
    """Where each row lands [n, dims], and the share (0 … 1) of all squared lengths that is kept."""

    places: Float[Array, "n dims"]
    kept: float


def projection(X: ArrayLike, dims: int = 2) -> Shadow:
    """The rows of X [n, d] on their `dims` strongest axes (singular value decomposition); 0 stays 0.

    Rows that fit (d <= dims) are shown as they are. Each axis points the way of its largest entry, so the same X always
    gives the same picture. Raises ValueError where X is not a grid of finite numbers or dims is not positive.
    """
    rows = _checked(X, dims)
    if rows.shape[1] <= dims:
        return Shadow(_widened(rows, dims), 1.0)
    size = np.abs(rows).max()
    if size == 0:
        return Shadow(np.zeros((len(rows), dims)), 1.0)
    unit = rows / size  # so that squares of huge or tiny numbers neither overflow nor vanish
    axes = np.linalg.svd(unit, full_matrices=False)[2][:dims]
    shadow = unit @ (axes * _sign_of(axes)).T
    kept = float(np.clip(np.square(shadow).sum() / np.square(unit).sum(), 0.0, 1.0))
    shadow[np.abs(shadow) < NEGLIGIBLE] = 0.0
    return Shadow(_widened(shadow * size, dims), kept)


def _sign_of(axes: Array) -> Array:
    """+1 or −1 a row, which makes the row's largest entry positive; among (nearly) equals the first one counts."""
    sizes = np.abs(axes)
    first = np.argmax(sizes >= sizes.max(axis=1, keepdims=True) * (1 - 1e-9), axis=1)
    return np.sign(np.take_along_axis(axes, first[:, None], axis=1))


def _widened(rows: Array, dims: int) -> Array:
    wide = np.zeros((len(rows), dims))
    wide[:, : rows.shape[1]] = rows
    return wide


def _checked(X: ArrayLike, dims: int) -> Array:
    rows = np.asarray(X, dtype=np.float64)
    if dims < 1:
        raise ValueError(f"{dims} axes were asked for; a picture needs at least 1, such as 2 or 3.")
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(f"The rows have shape {rows.shape}; projecting needs at least one row and one column: (n, d).")
    if not np.isfinite(rows).all():
        row, column = np.argwhere(~np.isfinite(rows))[0]
        raise ValueError(f"There is {rows[row, column]} at row {row}, column {column}; every number must be finite.")
    return rows
