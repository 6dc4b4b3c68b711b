"""From Settings to numbers: the one trace that everything on a page is drawn from."""

from dataclasses import dataclass, replace
from functools import lru_cache

from mha_core.attention import AttentionTrace, attend, causal
from mha_core.embedding import embed
from mha_core.parameters import Parameters
from mha_core.stages import BY_FIELD, grid_of
from mha_core.tokens import label, tokenize
from walkthrough.settings import Settings


@dataclass(frozen=True)
class Walk:
    """One walk: the settings, the words and their numbers. `word` and `head` are the chosen ones, counted from 0.

    `tokens` are what a person can see (invisible characters spelled out); `other_tokens` are the words of the keys.
    """

    settings: Settings
    tokens: tuple[str, ...]
    other_tokens: tuple[str, ...]
    trace: AttentionTrace
    word: int
    head: int
    origin: str

    @property
    def partner(self) -> int:
        """The key that the chosen word gives most of its weight in the chosen head, counted from 0."""
        return int(self.trace.weights[self.head, self.word].argmax())


def walk_of(settings: Settings) -> Walk:
    """Compute the walk of legal settings (see settings.correct)."""
    tokens = tokenize(settings.sentence)
    embedded = embed(tokens, settings.d_model, settings.seed, positions=settings.positions)
    allowed = causal(len(tokens)) if settings.mask == "causal" else None
    parameters = _seeded(settings.d_model, settings.h, settings.seed)
    trace = attend(embedded.X, parameters, allowed=allowed, divisor=divisor_of(settings))
    trace = replace(trace, E=embedded.E, P=embedded.P)
    labels = tuple(label(token) for token in tokens)
    return Walk(settings, labels, labels, trace, settings.word - 1, settings.head - 1, f"seed {settings.seed}")


def divisor_of(settings: Settings) -> float | None:
    """What the scores are divided by: None leaves it to √d_k, 1 is scaling off, d_k is the misconception to try."""
    return {"sqrt": None, "none": 1.0, "d_k": settings.d_model / settings.h}[settings.divisor]


@lru_cache(maxsize=6)
def _seeded(d_model: int, h: int, seed: int) -> Parameters:
    return Parameters.seeded(d_model, h, seed)


def read_cell(walk: Walk, text: str) -> tuple[str, tuple[int, ...]] | None:
    """"scores.2.3.2" → ("scores", (1, 2, 1)); None where this walk has no such cell."""
    field, *places = text.split(".")
    grid = grid_of(walk.trace, field) if field in BY_FIELD else None
    if grid is None or len(places) != grid.ndim or not all(p.isascii() and p.isdigit() and len(p) < 6 for p in places):
        return None
    index = tuple(int(p) - 1 for p in places)
    return (field, index) if all(0 <= i < size for i, size in zip(index, grid.shape)) else None
