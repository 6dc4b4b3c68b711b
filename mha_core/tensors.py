"""The arrays in a safetensors file, as views into the bytes that were read: what was checked is what is used.

The format, as its authors publish it: eight bytes give the length of a JSON header (little-endian); the header gives
each array's kind of number, shape, and first and last place among the bytes that follow it.
"""

import json
from dataclasses import dataclass
from math import prod

import numpy as np

from mha_core.shapes import Array

KINDS = {"F64": np.dtype("<f8"), "F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "BF16": np.dtype("<u2")}


@dataclass(frozen=True, eq=False)
class Stored:
    """One array as it lies in the file."""

    kind: str
    shape: tuple[int, ...]
    content: Array  # its bytes

    def numbers(self) -> Array:
        """The array itself, a view where NumPy has its kind of number; ValueError where it holds no decimal numbers."""
        if self.kind not in KINDS:
            raise ValueError(f"numbers of kind {self.kind}, which cannot be read here")
        found = self.content.view(KINDS[self.kind])
        if self.kind == "BF16":  # the upper half of a float32
            found = (found.astype(np.uint32) << 16).view(np.float32)
        return found.reshape(self.shape)


def stored_in(content: Array) -> dict[str, Stored]:
    """Every array in the bytes (uint8) of a safetensors file, by name; ValueError, saying what is wrong, for others."""
    start = 8 + int.from_bytes(content[:8].tobytes(), "little")
    if len(content) < 8 or start > len(content):
        raise ValueError(f"its {len(content)} bytes end before its table of contents does")
    header = json.loads(content[8:start].tobytes())
    if not isinstance(header, dict):
        raise ValueError("its table of contents is no table")
    return {name: _entry(name, at, content[start:]) for name, at in header.items() if name != "__metadata__"}


def _entry(name: str, at: object, content: Array) -> Stored:
    try:
        kind, shape, (first, last) = at["dtype"], tuple(at["shape"]), at["data_offsets"]
        whole = all(type(number) is int and number >= 0 for number in (*shape, first, last))
        itemsize = KINDS[kind].itemsize if kind in KINDS else None  # others are left alone until asked for
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"its table of contents does not say where {name} lies") from error
    if not whole or not first <= last <= len(content):
        raise ValueError(f"{name} should lie at {first} to {last} of {len(content)} bytes")
    if itemsize and last - first != prod(shape) * itemsize:
        raise ValueError(f"{name} has {last - first} bytes, which is not the size of {shape} numbers of kind {kind}")
    return Stored(kind, shape, content[first:last])
