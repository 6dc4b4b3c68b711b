"""Masks of every kind, how a drawn one is spelled, and what becomes of the sum of a row in the right and wrong order.

A drawn mask is a line of hexadecimal numbers, one a query, joined by dots: bit j (the first bit is the lowest) says
that the word may look at key j. So "1.3.7" is the causal mask of three words. "pad:2" shuts the last two words for
everyone.
"""

import re
from dataclasses import dataclass, replace

import numpy as np

from mha_core.attention import causal, softmax
from mha_core.resume import resume
from mha_core.shapes import Array, Bool, Float
from walkthrough.lesson import counted
from walkthrough.settings import Note
from walkthrough.walk import Walk

KINDS = ("none", "causal", "padding", "drawn")
_HEX, _PAD = re.compile(r"[0-9a-f]{1,200}", re.ASCII), re.compile(r"pad:([1-9][0-9]{0,2})", re.ASCII)


@dataclass(frozen=True)
class RowSums:
    """For every query of one head: keys that stay open and four ways of treating the others.

    `zeroed_after` is what a row adds up to where weights are set to 0 after the softmax; `leaked` is the weight that
    shut keys still get where scores are multiplied by 0 before it; `before` and `after` are the sums without and with
    the mask.
    """

    open: tuple[int, ...]
    before: Float[Array, " n"]
    zeroed_after: Float[Array, " n"]
    leaked: Float[Array, " n"]
    after: Float[Array, " n"]


def padding(n: int, k: int) -> Bool[Array, "n n"]:
    """The mask that hides the last k of n words from everyone. Their own rows stay: only keys are hidden."""
    allowed = np.ones((n, n), dtype=bool)
    allowed[:, n - k :] = False
    return allowed


def spell_mask(allowed: Bool[Array, "n n"]) -> str:
    """A mask as the text that the address keeps."""
    return ".".join(f"{sum(1 << j for j, may in enumerate(row) if may):x}" for row in allowed.tolist())


def spell_kind(kind: str, allowed: Bool[Array, "n n"] | None) -> str:
    """A mask of this kind as the address keeps it; "" where the settings of the walk say it all, or nothing is shut."""
    if kind not in ("padding", "drawn") or allowed is None or allowed.all():
        return ""
    return f"pad:{int((~allowed[0]).sum())}" if kind == "padding" else spell_mask(allowed)


def read_mask(drawn: str, mask: str, n: int) -> tuple[str, Bool[Array, "n n"] | None, list[Note]]:
    """The kind of mask, the mask itself (None: everything is open) and notes on what had to be put right.

    A row without a single open key is refused: it gets its own word back, and a note says why. Where a mask was drawn
    for another number of words, what fits is kept and new words are open.
    """
    if not drawn:
        return mask, causal(n) if mask == "causal" else None, []
    if found := _PAD.fullmatch(drawn):
        return _read_padding(int(found[1]), n)
    rows = drawn[:20000].lower().split(".")
    if not all(_HEX.fullmatch(row) for row in rows):
        return mask, causal(n) if mask == "causal" else None, [Note("lab_note_drawn", {"asked": drawn[:60]})]
    notes = [] if len(rows) == n else [Note("lab_note_drawn_size", {"asked": counted("words", len(rows)), "n": n})]
    allowed = np.ones((n, n), dtype=bool)
    for i, row in enumerate(rows[:n]):
        allowed[i, : len(rows)] = [int(row, 16) >> j & 1 for j in range(min(n, len(rows)))]
    blind = np.flatnonzero(~allowed.any(axis=1))
    allowed[blind, blind] = True
    return "drawn", allowed, notes + [Note("lab_note_blind", {"row": int(i) + 1}) for i in blind[:3]]


def _read_padding(asked: int, n: int) -> tuple[str, Bool[Array, "n n"] | None, list[Note]]:
    k = min(asked, n - 1)
    notes = [] if k == asked else [Note("lab_note_padding", {"asked": asked, "n": n, "used": k})]
    return "padding", padding(n, k), notes


def masked_walk(walk: Walk, allowed: Bool[Array, "n n"] | None) -> Walk:
    """The same walk under another mask; everything before the mask is left as it is."""
    return replace(walk, trace=resume(walk.trace, allowed=allowed))


def row_sums(walk: Walk, allowed: Bool[Array, "n n"] | None) -> RowSums:
    """What each row of the chosen head adds up to under the four treatments."""
    scaled = walk.trace.scaled[walk.head]
    shown = np.ones(scaled.shape, dtype=bool) if allowed is None else allowed
    free, tempting = softmax(scaled), softmax(scaled * shown)
    right = masked_walk(walk, allowed).trace.weights[walk.head]
    return RowSums(
        tuple(int(count) for count in shown.sum(axis=1)), free.sum(axis=1), (free * shown).sum(axis=1),
        (tempting * ~shown).sum(axis=1), right.sum(axis=1),
    )
