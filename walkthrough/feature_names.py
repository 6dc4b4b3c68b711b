"""Names for the numbers of hand-built heads: what each column of X, Q, K, V … and each row of a matrix stands for."""

from collections.abc import Mapping
from functools import lru_cache

from mha_core.hand_built import HandBuilt
from walkthrough.sources import BY_HAND
from walkthrough.walk import Walk

Names = Mapping[tuple[str, int | None], tuple[str, ...]]  # by field and head (counted from 1; None where there is none)


def column_names(built: HandBuilt) -> Names:
    """The names of the columns of every grid; scores and weights have none, their columns are words."""
    names: dict[tuple[str, int | None], tuple[str, ...]] = {(name, None): built.features for name in ("X", "context", "W_O", "output")}
    for i, (lanes, carried) in enumerate(zip(built.lanes, built.carried), 1):
        names |= {(name, i): lanes for name in ("Q", "K", "W_Q", "W_K")}
        names |= {(name, i): carried for name in ("V", "W_V", "heads")} | {("shares", i): built.features}
    names["concat", None] = tuple(name for carried in built.carried for name in carried)
    return names


def row_names(built: HandBuilt) -> Names:
    """The names of the rows of the matrices; the rows of all other grids are words."""
    heads = range(1, built.parameters.h + 1)
    names = {(name, i): built.features for name in ("W_Q", "W_K", "W_V") for i in heads}
    return names | {("W_O", None): column_names(built)["concat", None]}


@lru_cache(maxsize=8)
def _both(sentence: str) -> tuple[Names, Names]:
    return row_names(BY_HAND[sentence]), column_names(BY_HAND[sentence])


def names_of(walk: Walk, field: str, head: int | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the rows and of the columns of one grid; () where they are words or plain numbers."""
    settings = walk.settings
    if settings.source != "hand-built" or settings.sentence not in BY_HAND:
        return (), ()
    rows, columns = _both(settings.sentence)
    return rows.get((field, head), ()), columns.get((field, head), ())
