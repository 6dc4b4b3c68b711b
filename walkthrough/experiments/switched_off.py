"""Heads that are switched off: what is left of the output, what is missing, and how far off each word lands."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mha_core.attention import shares
from mha_core.resume import resume
from mha_core.shapes import Array, Float
from walkthrough.settings import Note
from walkthrough.walk import Walk


def read_off(text: str, h: int) -> tuple[tuple[int, ...], list[Note]]:
    """"1,3" → (0, 2): the heads that are off, each once, in order; a note names what is no head of this layer."""
    found, bad = set(), []
    for piece in (piece.strip() for piece in text[:4000].split(",")):
        if piece.isascii() and piece.isdigit() and len(piece) < 6 and 1 <= int(piece) <= h:
            found.add(int(piece) - 1)
        elif piece:
            bad.append(piece)
    return tuple(sorted(found)), [Note("lab_note_off", {"asked": ", ".join(bad)[:60], "h": h})] if bad else []


def walk_without(walk: Walk, off: Sequence[int]) -> Walk:
    """The walk with these heads silent: their values are zero, so they answer nothing; the rest is left as it was."""
    p, silent = walk.trace.parameters, {}
    for name in ("W_V", "b_V"):
        if off and getattr(p, name) is not None:
            silent[name] = np.array(getattr(p, name))
            silent[name][list(off)] = 0
    return replace(walk, trace=resume(walk.trace, **silent))


def missing(walk: Walk, off: Sequence[int]) -> Float[Array, "n d_out"]:
    """What the heads that are off would have added."""
    return shares(walk.trace)[list(off)].sum(axis=0)


def distances(full: Walk, without: Walk) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """How far each word's output moved, and how long its full output is: two arrows' distance and a length."""
    gap = full.trace.output - without.trace.output
    return np.linalg.norm(gap, axis=1), np.linalg.norm(full.trace.output, axis=1)
