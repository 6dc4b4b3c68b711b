"""Where the numbers of a walk come from: seeded, built by hand, or trained; and what each source fixes."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from mha_core.attention import AttentionTrace, attend
from mha_core.embedding import embed
from mha_core.hand_built import EXAMPLES, HandBuilt
from mha_core.parameters import Parameters
from mha_core.pretrained import Encoder, EncoderUnavailable, Pieces, load_encoder
from mha_core.tokens import tokenize
from walkthrough import own_models

SOURCES = ("seeded", "hand-built", "trained")
BY_HAND = {example.sentence: example for example in EXAMPLES}


class Extent(NamedTuple):
    """What a source offers for one sentence: how many tokens, heads, numbers a token, and layers."""

    n: int
    h: int
    d_model: int
    layers: int


def extent(source: str, sentence: str, d_model: int, h: int, hide_special: bool = False, model: str = "") -> Extent:
    """The sizes that a walk of these settings has. Raises EncoderUnavailable where the trained model cannot be read."""
    if source == "trained":
        pieces, found = pieces_of(sentence, model), encoder(model)
        n = len(pieces.kept) if hide_special else len(pieces.tokens)
        return Extent(n, found.h, found.d_model, len(found.layers))
    if source == "hand-built":
        example = BY_HAND[sentence]
        return Extent(len(example.tokens), example.parameters.h, example.parameters.d_model, 1)
    return Extent(len(tokenize(sentence)), h, d_model, 1)


class Trained:
    """A trained encoder with what it read of late; all of that is forgotten together with the encoder."""

    def __init__(self, encoder: Encoder, folder: Path | None):
        self.encoder, self.folder = encoder, folder  # None: the packaged one
        self.pieces = lru_cache(maxsize=64)(encoder.tokenize)
        self.received = lru_cache(maxsize=4)(encoder.trace)
        self.reading = lru_cache(maxsize=3)(encoder.read)


@lru_cache(maxsize=1)
def packaged() -> Trained:
    """The packaged encoder, read once a process."""
    return Trained(load_encoder(), None)


@lru_cache(maxsize=2)
def _own(model: str, folder: Path, stamp: tuple) -> Trained:
    """A model of somebody's own; two are kept, since each may take as much memory as everything else together."""
    return Trained(replace(load_encoder(folder), name=own_models.named(model)), folder)


def trained_by(model: str = "") -> Trained:
    """The packaged encoder, or a model of one's own by folder or name. Raises EncoderUnavailable with what to do."""
    if not model:
        return packaged()
    folder = own_models.locate(model)
    return _own(model, folder, own_models.stamp(folder))


def encoder(model: str = "") -> Encoder:
    """The trained encoder itself."""
    return trained_by(model).encoder


def pieces_of(sentence: str, model: str = "") -> Pieces:
    """The trained model's own pieces of a sentence."""
    return trained_by(model).pieces(sentence)


def received(sentence: str, layer: int, model: str = "") -> AttentionTrace:
    """The trace of one layer (counted from 0), for what that layer really receives."""
    return trained_by(model).received(sentence, layer)


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
    "BY_HAND", "SOURCES", "Encoder", "EncoderUnavailable", "Extent", "HandBuilt", "Pieces", "Trained", "again", "encoder", "extent",
    "packaged", "pieces_of", "received", "seeded", "seeded_walk", "trained_by",
]
