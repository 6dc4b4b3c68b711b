"""Which numbers the drawn cells need to answer for themselves, each array once, and the bytes that carry them."""

import json
import struct

import numpy as np

from walkthrough.sheet import grids as g

ALL = slice(None)


class Wanted:
    """For every array, the rows and columns that some drawn cell needs."""

    def __init__(self, trace):
        self.trace, self.rows, self.columns = trace, {}, {}

    def add(self, name: str, head: int | None, rows, columns) -> None:
        """Ask for a rectangle of a field; head counted from 1, None where the field has none."""
        key, (height, width) = (name, head), self.grid(name, head).shape
        self.rows.setdefault(key, set()).update(range(height)[rows] if rows is ALL else rows)
        self.columns.setdefault(key, set()).update(range(width)[columns] if columns is ALL else columns)

    def grid(self, name: str, head: int | None) -> np.ndarray:
        return g.of_head(self.trace.allowed if name == "allowed" else g.values(self.trace, name), head)

    def pieces(self):
        """(name, head, rows, columns, numbers) of every array; rows and columns are None where all are there."""
        for (name, head), rows in self.rows.items():
            whole, columns = self.grid(name, head), self.columns[name, head]
            some = [None if len(kept) == size else sorted(kept) for kept, size in zip((rows, columns), whole.shape)]
            kept = np.ix_(*(range(size) if chosen is None else chosen for chosen, size in zip(some, whole.shape)))
            yield name, head, *some, np.ascontiguousarray(whole[kept], dtype="<f8")


def gather(trace, drawn: list[g.Grid]) -> Wanted:
    """The drawn cells and, one step back, whatever they were made of."""
    wanted = Wanted(trace)
    for grid in drawn:
        rows, columns = (grid.columns, grid.rows) if grid.transposed else (grid.rows, grid.columns)
        wanted.add(grid.field, grid.head, rows, columns)
        _PARENTS[grid.rule](wanted, grid.needs, grid.head, rows, columns)
    return wanted


def _head_of(name: str, head: int | None) -> int | None:
    return head if g.is_headed(name) else None


def _given(wanted, needs, head, rows, columns):
    pass


def _same_place(wanted, needs, head, rows, columns):
    for name in needs:
        if name == "allowed" and wanted.trace.allowed is not None:
            wanted.add(name, head if wanted.trace.allowed.ndim == 3 else None, rows, columns)
        elif name not in ("allowed", "divisor"):
            wanted.add(name, _head_of(name, head), rows, columns)


def _product(wanted, needs, head, rows, columns):
    left, right, *bias = needs
    wanted.add(left, _head_of(left, head), rows, ALL)
    wanted.add(right, _head_of(right, head), ALL, columns)
    for name in bias:
        wanted.add(name, _head_of(name, head), ALL, columns)


def _dot(wanted, needs, head, rows, columns):
    wanted.add(needs[0], head, rows, ALL)
    wanted.add(needs[1], head, columns, ALL)


def _softmax(wanted, needs, head, rows, columns):
    wanted.add(needs[0], head, rows, ALL)


def _copy(wanted, needs, head, rows, columns):
    width = wanted.trace.parameters.d_v
    for column in columns:
        wanted.add(needs[0], column // width + 1, rows, [column % width])


_PARENTS = {
    "given": _given, "sum": _same_place, "divide": _same_place, "mask": _same_place,
    "product": _product, "dot": _dot, "softmax": _softmax, "copy": _copy,
}


def pack(header: dict, wanted: Wanted) -> bytes:
    """uint32 length of the header, the header as JSON, blanks up to a multiple of 8, then every array as float64.

    All little end first.
    """
    arrays, parts, start = {}, [], 0
    for name, head, rows, columns, numbers in wanted.pieces():
        key = name if head is None else f"{name}.{head}"
        arrays[key] = {"start": start, "shape": numbers.shape, "rows": rows, "columns": columns}
        parts.append(numbers.tobytes())
        start += numbers.size
    text = json.dumps({**header, "arrays": arrays}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = text.encode("utf-8", "replace")  # half an emoji must not stop a sheet
    padding = b" " * (-(4 + len(text)) % 8)
    return struct.pack("<I", len(text) + len(padding)) + text + padding + b"".join(parts)


def unpack(data: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    """The header and the arrays of a payload again, for tests and tools."""
    length = struct.unpack_from("<I", data)[0]
    header = json.loads(data[4 : 4 + length])
    numbers = np.frombuffer(data, "<f8", offset=4 + length)
    return header, {
        key: numbers[a["start"] : a["start"] + a["shape"][0] * a["shape"][1]].reshape(a["shape"])
        for key, a in header["arrays"].items()
    }
