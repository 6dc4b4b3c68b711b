"""Where the numbers of a walk come from: seeded, built by hand, or trained; and what each source fixes."""

from functools import lru_cache
from typing import NamedTuple

from mha_core.attention import AttentionTrace, attend
from mha_core.embedding import embed
from mha_core.hand_built import EXAMPLES, HandBuilt
from mha_core.parameters import Parameters
from mha_core.pretrained import Encoder, EncoderUnavailable, Pieces, load_encoder
from mha_core.tokens import tokenize

SOURCES = ("seeded", "hand-built", "trained")
BY_HAND = {example.sentence: example for example in EXAMPLES}


class Extent(NamedTuple):
    """What a source offers for one sentence: how many tokens, heads, numbers a token, and layers."""

    n: int
    h: int
    d_model: int
    layers: int


def extent(source: str, sentence: str, d_model: int, h: int, hide_special: bool = False) -> Extent:
    """The sizes that a walk of these settings has. Raises EncoderUnavailable where the trained model cannot be read."""
    if source == "trained":
        pieces = pieces_of(sentence)
        n = len(pieces.kept) if hide_special else len(pieces.tokens)
        return Extent(n, encoder().h, encoder().d_model, len(encoder().layers))
    if source == "hand-built":
        example = BY_HAND[sentence]
        return Extent(len(example.tokens), example.parameters.h, example.parameters.d_model, 1)
    return Extent(len(tokenize(sentence)), h, d_model, 1)


@lru_cache(maxsize=1)
def encoder() -> Encoder:
    """The trained encoder, read once a process. Raises EncoderUnavailable with what to do."""
    return load_encoder()


@lru_cache(maxsize=64)
def pieces_of(sentence: str) -> Pieces:
    """The trained model's own pieces of a sentence."""
    return encoder().tokenize(sentence)


@lru_cache(maxsize=4)
def received(sentence: str, layer: int) -> AttentionTrace:
    """The trace of one layer (counted from 0), for what that layer really receives."""
    return encoder().trace(sentence, layer)


@lru_cache(maxsize=6)
def seeded(d_model: int, h: int, seed: int) -> Parameters:
    """Seeded parameters, kept because drawing half a million numbers takes longer than using them."""
    return Parameters.seeded(d_model, h, seed)


def seeded_walk(sentence: str, d_model: int, h: int, seed: int, positions: bool):
    """Tokens with E, P and X, and the parameters that meet them."""
    return embed(tokenize(sentence), d_model, seed, positions=positions), seeded(d_model, h, seed)


def again(trace: AttentionTrace, allowed, divisor) -> AttentionTrace:
    """The same rows and parameters with another mask or divisor; the trace itself where nothing is changed."""
    if allowed is None and divisor is None:
        return trace
    return attend(trace.X, trace.parameters, allowed=allowed, divisor=divisor)


__all__ = [
    "BY_HAND", "SOURCES", "Encoder", "EncoderUnavailable", "Extent", "HandBuilt", "Pieces", "again", "encoder", "extent",
    "pieces_of", "received", "seeded", "seeded_walk",
]
