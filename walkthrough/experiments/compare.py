"""Two walks beside each other: words lined up, and B − A at every stage with the place where it is largest."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from urllib.parse import parse_qsl, urlencode

import numpy as np

from mha_core.shapes import Array, Float
from walkthrough.settings import Note, Settings, from_query
from walkthrough.walk import Walk

FIELDS = ("X", "Q", "K", "V", "scores", "scaled", "weights", "heads", "concat", "output")
PAIRS_OF_WORDS = ("scores", "scaled", "weights")
OF_HEADS = ("Q", "K", "V", *PAIRS_OF_WORDS, "heads")
ROUNDING = 1000  # so many times the precision of a number: a difference this small is nothing but rounding
LONGEST_ADDRESS, MOST_FIELDS = 4000, 40


@dataclass(frozen=True)
class Difference:
    """One stage of both walks. `gap` holds B − A at the words that are in both; None where the two do not fit together.

    Heads are counted from 0; `head` is where the largest difference is, `place` its cell in `gap`.
    """

    field: str
    A: Float[Array, "..."]
    B: Float[Array, "..."]
    gap: Float[Array, "..."] | None
    largest: float
    head: int | None
    place: tuple[int, int]
    is_rounding: bool

    def of_head(self, name: str, head: int) -> Float[Array, "rows columns"] | None:
        """A, B or gap of one head, or of a field that has no heads."""
        grid = getattr(self, name)
        return grid if grid is None or grid.ndim == 2 else grid[head]


def address_of(settings: Settings) -> str:
    """A state as the text that `Settings.against` keeps: its address, without a further comparison in it."""
    return urlencode({"sentence": settings.sentence} | replace(settings, against="", cell="", trail="", view="").to_query())


def pinned(text: str, own_models: bool = False) -> tuple[Settings | None, list[Note]]:
    """The state that was pinned as A, and what had to be corrected in it; None where nothing is pinned.

    own_models: as in settings.from_query.
    """
    if not text.strip():
        return None, []
    try:
        query = dict(parse_qsl(text[:LONGEST_ADDRESS].lstrip("?"), max_num_fields=MOST_FIELDS))
    except ValueError:
        query = {}
    if not query:
        return None, [Note("lab_note_against", {"asked": text[:60]})]
    settings, notes = from_query(query, own_models)
    return replace(settings, against="", cell="", trail="", view=""), notes


def line_up(a: Sequence[str], b: Sequence[str], by: str = "word") -> tuple[tuple[int, int], ...]:
    """Which word of a stands for which word of b, in the order of b, each used once.

    by "word": first the runs that both have in the same order, then equal words wherever else they stand; a word
    without its like has no partner. by "place": the first with the first, the second with the second.
    """
    if by == "place":
        return tuple((i, i) for i in range(min(len(a), len(b))))
    blocks = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    pairs = {block.b + k: block.a + k for block in blocks for k in range(block.size)}
    for j, word in enumerate(b):
        free = (i for i, other in enumerate(a) if other == word and i not in pairs.values())
        if j not in pairs and (i := next(free, None)) is not None:
            pairs[j] = i
    return tuple((pairs[j], j) for j in sorted(pairs))


def compare(A: Walk, B: Walk, pairs: Sequence[tuple[int, int]]) -> tuple[Difference, ...]:
    """B − A at every stage. Heads that only one of them has are left out; pairs come from line_up."""
    return tuple(_difference(A, B, field, pairs) for field in FIELDS)


def _difference(A: Walk, B: Walk, field: str, pairs) -> Difference:
    a, b = (getattr(walk.trace, field) for walk in (A, B))
    h = min(len(a), len(b)) if field in OF_HEADS else None
    rows = [list(side) for side in zip(*pairs)] or [[], []]
    if not pairs or (field not in PAIRS_OF_WORDS and a.shape[-1] != b.shape[-1]):
        return Difference(field, a, b, None, 0.0, None, (0, 0), False)
    ours, theirs = (
        (grid[:h] if h else grid)[..., kept, :][..., kept if field in PAIRS_OF_WORDS else slice(None)]
        for grid, kept in ((a, rows[0]), (b, rows[1]))
    )
    gap = theirs - ours
    at = np.unravel_index(int(np.abs(gap).argmax()), gap.shape)
    largest = float(gap[at])
    size = max(1.0, float(np.abs(ours).max()), float(np.abs(theirs).max()))
    head = int(at[0]) if h else None
    tiny = ROUNDING * float(np.finfo(gap.dtype).eps) * size
    return Difference(field, a, b, gap, largest, head, (int(at[-2]), int(at[-1])), 0 < abs(largest) < tiny)
