"""A BERT-shaped sentence encoder in NumPy: what every layer receives, what all its heads do, the vector that comes out.

A layer is attention → + X → norm → feed-forward with exact GELU → + → norm. Attention itself is attend() and nothing
else, so each layer leaves the same trace as any other source of numbers. mha_core.pretrained fills an Encoder.
Source of the layer's build: Devlin et al. 2019, "BERT", section 3; of GELU: Hendrycks and Gimpel 2016.
"""

from collections.abc import Collection
from dataclasses import dataclass
from math import erf as exact_erf

import numpy as np

from mha_core.attention import AttentionTrace, attend, mix
from mha_core.parameters import Parameters
from mha_core.shapes import Array, Float


@dataclass(frozen=True)
class Pieces:
    """A sentence as the model reads it: cut into pieces that its vocabulary holds, and framed with [CLS] and [SEP]."""

    sentence: str
    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    added: tuple[bool, ...]  # True for the frame the model puts around the sentence
    spans: tuple[tuple[int, int], ...]  # the characters of the sentence each piece stands for
    left_out: int  # pieces that did not fit into the longest input and were cut off the end

    @property
    def kept(self) -> tuple[int, ...]:
        """The places of the learner's own pieces, without the frame."""
        return tuple(i for i, added in enumerate(self.added) if not added)

    @property
    def typed(self) -> tuple[int, ...]:
        """The places where text such as "[SEP]" was typed, which the tokenizer turns into the special token itself."""
        taken = (self.sentence[start:end] for start, end in self.spans)  # nothing, for the frame
        special = [len(token) > 2 and token[0] == "[" and token == text for token, text in zip(self.tokens, taken)]
        return tuple(i for i, is_special in enumerate(special) if is_special)


@dataclass(frozen=True, eq=False)
class Norm:
    """Layer normalisation: each row to mean 0 and variance 1, then a learned gain and bias a column."""

    gain: Float[Array, " width"]
    bias: Float[Array, " width"]
    epsilon: float

    def apply(self, rows: Float[Array, "n width"]) -> Float[Array, "n width"]:
        """The rows, normalised one by one."""
        centred = rows - rows.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        centred /= np.sqrt(variance + rows.dtype.type(self.epsilon))
        centred *= self.gain
        centred += self.bias
        return centred


@dataclass(frozen=True, eq=False)
class Embedding:
    """The three tables whose rows are added, and the norm after them. Tables stay float32; rows are widened."""

    word: Float[Array, "vocabulary d_model"]
    position: Float[Array, "longest d_model"]
    kind: Float[Array, "kinds d_model"]
    norm: Norm


@dataclass(frozen=True, eq=False)
class EmbeddingParts:
    """The rows that are added for one sentence, their sum, and X = the sum after its norm: what layer 0 receives."""

    word: Float[Array, "n d_model"]
    position: Float[Array, "n d_model"]
    kind: Float[Array, "n d_model"]
    total: Float[Array, "n d_model"]
    X: Float[Array, "n d_model"]


@dataclass(frozen=True, eq=False)
class Layer:
    """The learned numbers of one layer, as row vectors meet them: x W + b."""

    parameters: Parameters
    attention_norm: Norm
    W_in: Float[Array, "d_model d_ff"]
    b_in: Float[Array, " d_ff"]
    W_out: Float[Array, "d_ff d_model"]
    b_out: Float[Array, " d_model"]
    output_norm: Norm


@dataclass(frozen=True, eq=False)
class Rest:
    """What a layer does after its attention, in the order computed."""

    added: Float[Array, "n d_model"]  # attention output + X: the way round the heads
    normed: Float[Array, "n d_model"]
    inner: Float[Array, "n d_ff"]
    active: Float[Array, "n d_ff"]  # GELU(inner)
    fed: Float[Array, "n d_model"]
    summed: Float[Array, "n d_model"]  # fed + normed: the way round the feed-forward part
    output: Float[Array, "n d_model"]  # X of the next layer


@dataclass(frozen=True, eq=False)
class Reading:
    """One sentence, read once: hidden[l] goes into layer l, hidden[-1] leaves the last; `vector` has length 1."""

    pieces: Pieces
    traces: tuple[AttentionTrace, ...]
    hidden: Float[Array, "layers_and_one n d_model"]
    vector: Float[Array, " d_model"]


@dataclass(frozen=True, eq=False)
class Encoder:
    """A trained encoder, ready to read sentences. Built by mha_core.pretrained.load_encoder; layers count from 0."""

    name: str
    tokenizer: object
    embedding: Embedding
    layers: tuple[Layer, ...]
    pooling: str  # "mean" of all rows, or the row of the first token ("cls")

    @property
    def h(self) -> int:
        return self.layers[0].parameters.h

    @property
    def d_model(self) -> int:
        return self.layers[0].parameters.d_model

    @property
    def dtype(self) -> np.dtype:
        return self.layers[0].W_in.dtype

    def tokenize(self, sentence: str) -> Pieces:
        """The model's own pieces of the sentence. An empty sentence gives the frame alone.

        Raises ValueError where the text holds half a character (a lone surrogate), which no tokenizer can read.
        """
        halves = [i for i, letter in enumerate(sentence) if "\ud800" <= letter <= "\udfff"]
        if halves:
            raise ValueError(
                f"Character {halves[0] + 1} of the sentence is only half of one and cannot be read; type it again."
            )
        found = self.tokenizer.encode(sentence)
        left_out = sum(len(more.ids) - sum(more.special_tokens_mask) for more in found.overflowing)
        added = tuple(bool(flag) for flag in found.special_tokens_mask)
        return Pieces(sentence, tuple(found.tokens), tuple(found.ids), added, tuple(found.offsets), left_out)

    def embedding_parts(self, sentence: str) -> EmbeddingParts:
        """The word, position and kind rows of a sentence, their sum, and what the norm makes of it."""
        return self._embed(self.tokenize(sentence).ids)

    def parameters(self, layer: int) -> Parameters:
        """The attention parameters of one layer; ValueError where there is no such layer."""
        return self.layers[self._checked(layer)].parameters

    def trace(self, sentence: str, layer: int) -> AttentionTrace:
        """What the heads of one layer do with what that layer really receives, after all the layers before it."""
        X = self.embedding_parts(sentence).X
        for below in self.layers[: self._checked(layer)]:
            X = finish(attend(X, below.parameters), below).output
        return attend(X, self.layers[layer].parameters)

    def rest(self, sentence: str, layer: int) -> Rest:
        """The remainder of one layer: way round, norm, feed-forward, way round, norm."""
        return finish(self.trace(sentence, layer), self.layers[layer])

    def read(self, sentence: str, without: Collection[tuple[int, int]] = ()) -> Reading:
        """All layers in one pass. `without` names (layer, head) pairs whose answer is set to zero on the way.

        The trace of a layer shows its heads before any is silenced; what is silenced is missing from hidden after it.
        """
        pieces = self.tokenize(sentence)
        hidden, traces = [self._embed(pieces.ids).X], []
        silent = self._silent(without)
        for layer, heads in zip(self.layers, silent):
            traces.append(attend(hidden[-1], layer.parameters))
            hidden.append(finish(traces[-1], layer, heads).output)
        stack, vector = np.stack(hidden), self._pool(hidden[-1])
        for array in (stack, vector):
            array.setflags(write=False)
        return Reading(pieces, tuple(traces), stack, vector)

    def encode(self, sentence: str, without: Collection[tuple[int, int]] = ()) -> Float[Array, " d_model"]:
        """The sentence as one arrow of length 1. `without` as in read()."""
        return self.read(sentence, without).vector

    def _embed(self, ids: tuple[int, ...]) -> EmbeddingParts:
        tables, n = self.embedding, len(ids)
        word, position, kind = (
            rows.astype(self.dtype)
            for rows in (tables.word[list(ids)], tables.position[:n], tables.kind[np.zeros(n, dtype=int)])
        )
        total = word + kind + position
        parts = EmbeddingParts(word, position, kind, total, tables.norm.apply(total))
        for array in vars(parts).values():
            array.setflags(write=False)
        return parts

    def _pool(self, rows: Float[Array, "n d_model"]) -> Float[Array, " d_model"]:
        pooled = rows[0] if self.pooling == "cls" else rows.mean(axis=0)
        return pooled / np.linalg.norm(pooled)

    def _checked(self, layer: int) -> int:
        if not 0 <= layer < len(self.layers):
            raise ValueError(f"Layer {layer} was asked for; {self.name} has layers 0 to {len(self.layers) - 1}.")
        return layer

    def _silent(self, without: Collection[tuple[int, int]]) -> list[list[int]]:
        silent = [[] for _ in self.layers]
        for layer, head in without:
            if not 0 <= head < self.h:
                raise ValueError(f"Head {head} was to be silenced; {self.name} has heads 0 to {self.h - 1}.")
            silent[self._checked(layer)].append(head)
        return silent


def finish(trace: AttentionTrace, layer: Layer, silent: Collection[int] = ()) -> Rest:
    """Everything a layer does after attention. `silent` heads put zeros into their lanes before W_O mixes them."""
    attended = trace.output
    if silent:
        lanes = trace.heads.copy()
        lanes[list(silent)] = 0
        attended = mix(lanes.swapaxes(0, 1).reshape(trace.concat.shape), layer.parameters.W_O, layer.parameters.b_O)
    added = attended + trace.X
    normed = layer.attention_norm.apply(added)
    inner = normed @ layer.W_in
    inner += layer.b_in
    active = gelu(inner)
    fed = active @ layer.W_out
    fed += layer.b_out
    summed = fed + normed
    rest = Rest(added, normed, inner, active, fed, summed, layer.output_norm.apply(summed))
    for array in vars(rest).values():
        array.setflags(write=False)
    return rest


def gelu(x: Float[Array, "*any"]) -> Float[Array, "*any"]:
    """x · Φ(x), Φ being the share of a normal bell that lies below x. Exact: the tanh shortcut is off by 5e-4."""
    share = erf(x * x.dtype.type(np.sqrt(0.5)))
    share += 1
    share *= x
    share *= x.dtype.type(0.5)
    return share


# erf(x) ≈ x P(x²) / Q(x²) for |x| ≤ 4, where erf is 1 to seven digits. Fitted to math.erf for this project by least
# squares; the largest error in float32 is 3.5e-7, and it is twice as fast as the usual formula with exp.
ABOVE = (1.9747985e-06, 0.00028803832, 0.00400362748, 0.0534674278, 0.196248946, 1.12837898)
BELOW = (3.74803648e-05, 0.00121635007, 0.0154443927, 0.116476371, 0.50725226, 1.0)


def erf(x: Float[Array, "*any"]) -> Float[Array, "*any"]:
    """The error function, which NumPy lacks: to the last digit in float64, to 4e-7 and fast in float32."""
    if x.dtype != np.float32:
        return np.fromiter(map(exact_erf, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)
    clipped = np.clip(x, np.float32(-4), np.float32(4))
    square = clipped * clipped
    clipped *= _polynomial(ABOVE, square)
    clipped /= _polynomial(BELOW, square)
    return clipped


def _polynomial(coefficients: tuple[float, ...], t: Array) -> Array:
    highest, second, *lower = (t.dtype.type(coefficient) for coefficient in coefficients)
    total = t * highest
    total += second
    for coefficient in lower:
        total *= t
        total += coefficient
    return total
