"""Where does this number come from? The arithmetic of any one cell, as the real terms that made it."""

from dataclasses import dataclass
from math import exp, fsum, inf
from operator import index as whole
from typing import SupportsIndex

import numpy as np

from mha_core.attention import AttentionTrace
from mha_core.stages import grid_of, needs_of, stage_of


@dataclass(frozen=True)
class Operand:
    """A number that was used, and the cell it stands in; explain(trace, field, index) says where that came from."""

    field: str
    index: tuple[int, ...]
    value: float


@dataclass(frozen=True)
class Term:
    """One part of a sum (or of a softmax row): its operands and what they give together."""

    operands: tuple[Operand, ...]
    value: float


@dataclass(frozen=True)
class Arithmetic:
    """How one cell was made. `total` is worked out from the terms alone and equals the cell to rounding.

    For softmax the terms are the exponentials of the whole row after `maximum` was taken off, `normaliser` is their sum
    and `own` the place of this cell's own exponential. For the output `subtotals` holds one share a head (a bias is
    no head's).
    """

    field: str
    index: tuple[int, ...]
    rule: str
    terms: tuple[Term, ...]
    total: float
    maximum: float | None = None
    normaliser: float | None = None
    own: int | None = None
    subtotals: tuple[float, ...] = ()


def explain(trace: AttentionTrace, field: str, index: tuple[SupportsIndex, ...]) -> Arithmetic:
    """The arithmetic of trace.<field>[index]; learned parameters (W_Q, …, b_O) and E, P answer too, as given.

    index counts from 0: (head, token, column) or (token, column). Raises ValueError for a field or a cell that is not
    there.
    """
    stage = stage_of(field)
    grid = grid_of(trace, field)
    index = _checked_index(field, grid, index)
    needs = needs_of(trace, field)
    if field == "context" and trace.is_self_attention:
        return explain(trace, "X", index)
    rule = "given" if stage.rule == "sum" and len(needs) < 2 else stage.rule
    return _RULES[rule](trace, field, index, needs)


def operand(trace: AttentionTrace, field: str, index: tuple[int, ...]) -> Operand:
    """The number in one cell together with its place."""
    return Operand(field, index, float(grid_of(trace, field)[index]))


def _given(trace, field, index, needs):
    cell = operand(trace, field, index)
    return Arithmetic(field, index, "given", (Term((cell,), cell.value),), cell.value)


def _sum(trace, field, index, needs):
    cells = [operand(trace, name, index) for name in needs]
    terms = tuple(Term((cell,), cell.value) for cell in cells)
    return Arithmetic(field, index, "sum", terms, fsum(t.value for t in terms))


def _product(trace, field, index, needs):
    *head, row, column = index
    left, right, *bias = needs
    grid = grid_of(trace, right)
    terms = []
    for k in range(grid.shape[-2]):
        at = (*head, row, k) if grid_of(trace, left).ndim == 3 else (row, k)
        a, b = operand(trace, left, at), operand(trace, right, (*head, k, column))
        terms.append(Term((a, b), a.value * b.value))
    subtotals = _shares(trace, terms) if field == "output" else ()
    for name in bias:
        cell = operand(trace, name, (*head, column))
        terms.append(Term((cell,), cell.value))
    return Arithmetic(field, index, "product", tuple(terms), fsum(t.value for t in terms), subtotals=subtotals)


def _shares(trace, terms):
    d_v = trace.parameters.d_v
    return tuple(fsum(t.value for t in terms[i : i + d_v]) for i in range(0, len(terms), d_v))


def _dot(trace, field, index, needs):
    head, row, column = index
    left, right = needs
    terms = []
    for k in range(grid_of(trace, left).shape[-1]):
        a, b = operand(trace, left, (head, row, k)), operand(trace, right, (head, column, k))
        terms.append(Term((a, b), a.value * b.value))
    return Arithmetic(field, index, "dot", tuple(terms), fsum(t.value for t in terms))


def _divide(trace, field, index, needs):
    cell, divisor = operand(trace, needs[0], index), Operand("divisor", (), trace.divisor)
    total = cell.value / divisor.value
    return Arithmetic(field, index, "divide", (Term((cell, divisor), total),), total)


def _mask(trace, field, index, needs):
    cell = operand(trace, needs[0], index)
    if trace.allowed is None:
        return Arithmetic(field, index, "mask", (Term((cell,), cell.value),), cell.value)
    at = index[-trace.allowed.ndim :]
    allowed = Operand("allowed", at, float(trace.allowed[at]))
    total = cell.value if allowed.value else -inf
    return Arithmetic(field, index, "mask", (Term((cell, allowed), total),), total)


def _softmax(trace, field, index, needs):
    *row, column = index
    cells = [operand(trace, needs[0], (*row, k)) for k in range(grid_of(trace, needs[0]).shape[-1])]
    maximum = max(cell.value for cell in cells)
    terms = tuple(Term((cell,), exp(cell.value - maximum)) for cell in cells)
    normaliser = fsum(t.value for t in terms)
    total = terms[column].value / normaliser
    return Arithmetic(field, index, "softmax", terms, total, maximum=maximum, normaliser=normaliser, own=column)


def _copy(trace, field, index, needs):
    row, column = index
    head, inside = divmod(column, trace.parameters.d_v)
    cell = operand(trace, needs[0], (head, row, inside))
    return Arithmetic(field, index, "copy", (Term((cell,), cell.value),), cell.value)


_RULES = {
    "given": _given, "sum": _sum, "product": _product, "dot": _dot,
    "divide": _divide, "mask": _mask, "softmax": _softmax, "copy": _copy,
}


def _checked_index(field: str, grid: np.ndarray | None, index) -> tuple[int, ...]:
    if grid is None:
        raise ValueError(f"This trace has no {field}; there is nothing to explain.")
    index = tuple(map(whole, index))
    if len(index) != grid.ndim or any(not 0 <= i < size for i, size in zip(index, grid.shape)):
        raise ValueError(f"{field} has shape {grid.shape}, counted from 0; there is no cell {index} in it.")
    return index
