"""Numbers overwritten by hand, and what follows from them downstream.

A list of changes is spelled "scores.2.3.1=4.5~X.1.*=0": field and index counted from 1, * for a whole row. Changes are
made in the order of computing, so that a score set by hand stays as it was set when X changes as well.
"""

import re
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np

from mha_core.resume import resume
from mha_core.stages import PARAMETER_FIELDS, STAGES, grid_of
from walkthrough.settings import Note
from walkthrough.walk import Walk

OVERWRITABLE = ("X", "scores", *PARAMETER_FIELDS)
LARGEST, MOST, LONGEST = 1e6, 40, 4000
SAME = 64  # so many times the precision of a grid's largest number: less is the order of adding, not a change
_CHANGE = re.compile(
    r"(\w{1,8})\.([0-9.]{1,24}?)(?:\.(\*))?=([+-]?(?:\d{1,9}\.?\d{0,18}|\.\d{1,18})(?:e[+-]?\d{1,3})?)", re.ASCII | re.I
)


@dataclass(frozen=True)
class Change:
    """One number, or a whole row (its index leaves the last axis out), set to a value. Counted from 0."""

    field: str
    index: tuple[int, ...]
    value: float

    def spell(self, grid_axes: int) -> str:
        """The change as the address has it."""
        places = [str(i + 1) for i in self.index] + ["*"] * (grid_axes - len(self.index))
        return f"{self.field}.{'.'.join(places)}={self.value:.12g}"


@dataclass(frozen=True)
class Changed:
    """What became of one grid: how many of its numbers moved, and the one that moved most, before and after."""

    field: str
    count: int
    size: int
    index: tuple[int, ...]
    old: float
    new: float


def read_changes(text: str, walk: Walk) -> tuple[tuple[Change, ...], list[Note]]:
    """The legal changes of a list, and a note for each that is none. A later change of a place replaces the first."""
    found, bad = {}, []
    for piece in text[:LONGEST].split("~"):
        change = _read(piece.strip(), walk) if piece.strip() else None
        if change:
            found.pop((change.field, change.index), None)
            found[change.field, change.index] = change
        elif piece.strip():
            bad.append(piece.strip())
    notes = [Note("lab_note_change", {"asked": piece[:40], "largest": f"{LARGEST:,.0f}"}) for piece in bad[:3]]
    if len(bad) > 3:
        notes.append(Note("lab_note_changes_more", {"n": len(bad) - 3}))
    if len(found) > MOST or len(text) > LONGEST:
        notes.append(Note("lab_note_changes_many", {"most": MOST}))
    return tuple(found.values())[:MOST], notes


def spell_changes(changes: tuple[Change, ...], walk: Walk) -> str:
    """The list as the address has it."""
    return "~".join(change.spell(grid_of(walk.trace, change.field).ndim) for change in changes)


def overwrite(walk: Walk, changes: tuple[Change, ...]) -> Walk:
    """The walk with these numbers in place of its own; everything made from them is made again."""
    trace = walk.trace
    for field in (stage.field for stage in STAGES):
        ours = [change for change in changes if change.field == field]
        if ours:
            grid = np.array(grid_of(trace, field))
            for change in ours:
                grid[change.index] = change.value
            trace = resume(trace, **{field: grid})
    return replace(walk, trace=trace)


def what_changed(before: Walk, after: Walk) -> tuple[Changed, ...]:
    """Every grid that holds another number now, in the order of computing."""
    fields = [s.field for s in STAGES if s.field not in ("E", "P", "context")]
    pairs = ((field, grid_of(before.trace, field), grid_of(after.trace, field)) for field in fields)
    found = (_summary(field, old, new) for field, old, new in pairs if old is not new and old is not None)
    return tuple(one for one in found if one.count)


def moved(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """True where a number changed by more than the last digits."""
    finite = np.isfinite(old) & np.isfinite(new)
    apart = np.zeros(old.shape)
    np.subtract(new, old, out=apart, where=finite)
    largest = max(np.abs(old[finite]).max(initial=0), np.abs(new[finite]).max(initial=0))
    return np.abs(apart) > SAME * np.finfo(old.dtype).eps * largest


def _summary(field: str, old: np.ndarray, new: np.ndarray) -> Changed:
    there = moved(old, new)
    apart = np.abs(np.where(there, new, 0) - np.where(there, old, 0))
    at = tuple(int(i) for i in np.unravel_index(int(apart.argmax()), old.shape))
    return Changed(field, int(there.sum()), old.size, at, float(old[at]), float(new[at]))


def _read(piece: str, walk: Walk) -> Change | None:
    match = _CHANGE.fullmatch(piece.replace("−", "-"))
    if match is None or match[1] not in OVERWRITABLE or (grid := grid_of(walk.trace, match[1])) is None:
        return None
    places, value = match[2].split("."), float(match[4])
    if len(places) + bool(match[3]) != grid.ndim or not all(0 < len(place) < 6 for place in places):
        return None
    index = tuple(int(place) - 1 for place in places)
    there = all(0 <= i < size for i, size in zip(index, grid.shape))
    return Change(match[1], index, value) if there and isfinite(value) and abs(value) <= LARGEST else None
