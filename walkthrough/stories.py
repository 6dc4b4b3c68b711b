"""The walks behind the stories: hand-built examples as walks, two jobs for one sentence, the nearest trained heads."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from mha_core.attention import attend, shares
from mha_core.hand_built import HandBuilt
from mha_core.heads import rank_heads
from mha_core.parameters import Parameters
from mha_core.pretrained import EncoderUnavailable
from mha_core.shapes import Array, Float
from walkthrough.numbers import STORY, STORY_D_MODEL, STORY_H
from walkthrough.settings import Settings
from walkthrough.sources import encoder
from walkthrough.walk import Walk, walk_of

OTHER_JOB = 1  # so much further on is the seed of the second job's query matrices
MODEL = "all-MiniLM-L6-v2"
NEAREST = 2  # trained heads that are shown for each pair of words


def walk_from(built: HandBuilt, word: int, head: int, origin: str) -> Walk:
    """A hand-built example as a walk, so that the same pictures can draw it. word and head are counted from 0."""
    p = built.parameters
    settings = Settings(
        sentence=built.sentence, source="hand-built", d_model=p.d_model, h=p.h, positions=False, word=word + 1, head=head + 1
    )
    return Walk(settings, built.tokens, built.tokens, built.trace(), word, head, origin)


# ---- one biography, two jobs -----------------------------------------------------------------------------------
def story_settings(settings: Settings, word: int = 2) -> Settings:
    """The sentence and the sizes of the story; the seed stays the visitor's."""
    return replace(
        Settings(), sentence=STORY, d_model=STORY_D_MODEL, h=STORY_H, seed=settings.seed, word=word, head=1
    )


@lru_cache(maxsize=4)
def two_jobs(seed: int) -> tuple[Walk, Walk]:
    """The same sentence, keys and values under two sets of query matrices."""
    first = walk_of(story_settings(Settings(seed=seed)))
    p = first.trace.parameters
    asks = Parameters.seeded(p.d_model, p.h, seed + OTHER_JOB).W_Q
    trace = attend(first.trace.X, replace(p, W_Q=asks), divisor=first.trace.divisor)
    return first, replace(first, trace=replace(trace, E=first.trace.E, P=first.trace.P))


def looking(walk: Walk, word: int, head: int) -> Walk:
    """The same walk with another chosen word and head, counted from 0."""
    return replace(walk, settings=replace(walk.settings, word=word + 1, head=head + 1), word=word, head=head)


def apart(first: Walk, second: Walk) -> dict[str, float]:
    """The largest difference of two walks in every grid."""
    fields = ("X", "Q", "K", "V", "scores", "weights", "heads", "concat", "output")
    return {name: float(np.abs(getattr(first.trace, name) - getattr(second.trace, name)).max()) for name in fields}


# ---- hand-built heads, read aloud ------------------------------------------------------------------------------
def entries(matrix: Float[Array, "rows columns"], rows, columns) -> list[tuple[str, str, float]]:
    """What a mostly empty matrix says: (row name, column name, number) wherever it is not 0."""
    return [(rows[i], columns[j], float(matrix[i, j])) for i, j in np.argwhere(matrix)]


# ---- trained neighbours ----------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class Neighbour:
    """A trained head that does most of what a hand-built one does. layer, head, query and key are counted from 0."""

    layer: int
    head: int
    tokens: tuple[str, ...]
    query: int
    key: int
    row: Float[Array, " n"]  # the query's weights

    @property
    def weight(self) -> float:
        return float(self.row[self.key])


@lru_cache(maxsize=2)
def neighbours(sentence: str, pairs: tuple[tuple[str, str], ...]) -> tuple[tuple[Neighbour, ...], ...]:
    """For each pair (asking word, word it looks at) the NEAREST trained heads, the heaviest weight first.

    Raises EncoderUnavailable, saying what to install, where the trained weights are not here.
    """
    reading = encoder().read(sentence)
    tokens = reading.pieces.tokens
    lower = [token.casefold() for token in tokens]
    found = []
    for asking, looked_at in pairs:
        query, key = lower.index(asking.casefold()), lower.index(looked_at.casefold())
        best = rank_heads(reading.traces, tokens, "pair", kept=reading.pieces.kept, query=query, key=key)[:NEAREST]
        rows = (np.array(reading.traces[b.layer].weights[b.head, query], dtype=float) for b in best)
        found.append(tuple(Neighbour(b.layer, b.head, tokens, query, key, row) for b, row in zip(best, rows)))
    return tuple(found)


def neighbours_or_reason(sentence: str, pairs: tuple[tuple[str, str], ...]):
    """(neighbours, "") or, where they cannot be had, ((), the reason with what to do)."""
    try:
        return neighbours(sentence, pairs), ""
    except EncoderUnavailable as reason:
        return (), str(reason)


# ---- specialists -----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Report:
    """One head's report about one word: its columns (from 1) on the table, and what it brings to the output."""

    head: int  # counted from 1
    first: int
    last: int
    length: float  # of its share, as an arrow
    part: float  # of the output's own direction; over all heads (and the bias) the parts add up to 1


def reports(walk: Walk) -> tuple[Report, ...]:
    """Every head's report about the chosen word, in the order of the heads."""
    rows, output = shares(walk.trace)[:, walk.word], walk.trace.output[walk.word]
    d_v, size = walk.trace.parameters.d_v, float(output @ output)
    return tuple(
        Report(i + 1, i * d_v + 1, (i + 1) * d_v, float(np.linalg.norm(row)), float(row @ output) / size if size else 0.0)
        for i, row in enumerate(rows)
    )


def bias_part(walk: Walk) -> float | None:
    """The part of the chosen word's output that no head brings: the mixing bias; None where there is none."""
    bias, output = walk.trace.parameters.b_O, walk.trace.output[walk.word]
    return None if bias is None else float(bias @ output) / float(output @ output)


def loudest(found: tuple[Report, ...]) -> Report:
    """The head that brings most to the output: the largest part of its direction."""
    return max(found, key=lambda report: report.part)
