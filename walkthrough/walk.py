"""From Settings to numbers: the one trace that everything on a page is drawn from."""

from dataclasses import dataclass, replace

from mha_core.attention import AttentionTrace, attend, causal, shares
from mha_core.heads import without_special
from mha_core.stages import BY_FIELD, grid_of
from mha_core.tokens import label, tokenize
from walkthrough import sources
from walkthrough.settings import Settings, sizes


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
    tokens, trace, origin = _MAKERS[settings.source](settings)
    labels = tuple(label(token) for token in tokens)
    return Walk(settings, labels, labels, trace, settings.word - 1, settings.head - 1, origin)


def _seeded(settings: Settings):
    embedded, parameters = sources.seeded_walk(
        settings.sentence, settings.d_model, settings.h, settings.seed, settings.positions
    )
    tokens = embedded.tokens
    trace = attend(embedded.X, parameters, allowed=allowed_of(settings, len(tokens)), divisor=divisor_of(settings))
    return tokens, replace(trace, E=embedded.E, P=embedded.P), f"seed {settings.seed}"


def _hand_built(settings: Settings):
    example = sources.BY_HAND[settings.sentence]
    allowed = allowed_of(settings, len(example.tokens))
    return example.tokens, sources.again(example.trace(), allowed, divisor_of(settings)), example.name


def _trained(settings: Settings):
    """A layer of the encoder. Another mask or divisor changes this layer alone: it still receives what it always gets."""
    pieces = sources.pieces_of(settings.sentence, settings.model)
    trace = sources.received(settings.sentence, settings.layer - 1, settings.model)
    tokens = pieces.tokens
    if settings.hide_special:
        tokens, trace = tuple(tokens[i] for i in pieces.kept), without_special(trace, pieces.kept)
    trace = sources.again(trace, allowed_of(settings, len(tokens)), divisor_of(settings, trace.parameters.d_k))
    return tokens, trace, sources.encoder(settings.model).name


def tokens_of(settings: Settings) -> tuple[str, ...]:
    """The tokens a walk of these settings would have, without computing it. Raises ValueError where it has none."""
    if settings.source == "trained":
        pieces = sources.pieces_of(settings.sentence, settings.model)
        return tuple(pieces.tokens[i] for i in pieces.kept) if settings.hide_special else pieces.tokens
    return tokenize(settings.sentence)


_MAKERS = {"seeded": _seeded, "hand-built": _hand_built, "trained": _trained}


def allowed_of(settings: Settings, n: int):
    """The mask of these settings for n tokens; None where everybody may look everywhere."""
    return causal(n) if settings.mask == "causal" else None


def divisor_of(settings: Settings, d_k: int | None = None) -> float | None:
    """What the scores are divided by: None leaves it to √d_k, 1 is scaling off, d_k is the misconception to try."""
    if settings.divisor == "d_k":
        found = sizes(settings)
        return float(d_k or found.d_model // found.h)
    return None if settings.divisor == "sqrt" else 1.0


def read_cell(walk: Walk, text: str) -> tuple[str, tuple[int, ...]] | None:
    """"scores.2.3.2" → ("scores", (1, 2, 1)); None where this walk has no such cell."""
    field, *places = text.split(".")
    if field in BY_FIELD:
        grid = grid_of(walk.trace, field)
    else:
        grid = shares(walk.trace) if field == "shares" else None
    if grid is None or len(places) != grid.ndim or not all(p.isascii() and p.isdigit() and len(p) < 6 for p in places):
        return None
    index = tuple(int(p) - 1 for p in places)
    return (field, index) if all(0 <= i < size for i, size in zip(index, grid.shape)) else None
