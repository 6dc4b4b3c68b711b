"""What the trained model does with a sentence, all layers and heads at once: found heads, limits, and the live check."""

import numpy as np

from mha_core.attention import AttentionTrace
from mha_core.encoder import EmbeddingParts, Reading
from mha_core.heads import Found, carried, carried_sizes, rank_heads
from walkthrough.sources import encoder, pieces_of, trained_by

PATTERNS = ("previous", "next", "same", "pair", "broad", "first")
LESSON_FINDS = (  # the lesson's own finds, counted from 1: a pattern, a layer, a head, a sentence that shows it
    ("previous", 1, 3, "I led a team that built a scalable API."),
    ("next", 2, 9, "I led a team that built a scalable API."),
    ("same", 3, 10, "the bank by the river is not a bank for money"),
    ("pronoun", 6, 12, "The animal didn't cross the street because it was too tired"),
    ("noun", 4, 2, "the cat sat on the mat"),
    ("first", 3, 8, "the cat sat on the mat"),
)
TIRED, WIDE = (f"The animal didn't cross the street because it was too {why}" for why in ("tired", "wide"))


def reading(sentence: str, model: str = "") -> Reading:
    """One sentence, read once: the traces of all layers, and the sentence vector. model: see Settings.model."""
    return trained_by(model).reading(sentence)


def written_small(sentence: str, model: str = "") -> tuple[str, str] | None:
    """The first word whose capital letters the model's tokenizer takes away, as typed and as read; None where it takes none."""
    pieces = pieces_of(sentence, model)
    for place in pieces.kept:
        start, end = pieces.spans[place]
        typed, read = sentence[start:end], pieces.tokens[place].removeprefix("##")
        if typed != read and typed.lower() == read:
            return typed, read
    return None


def find(
    sentence: str, pattern: str, query: int = 0, key: int = 0, most: int = 8, model: str = ""
) -> tuple[Found, ...]:
    """The heads that follow a pattern most closely, best first. query and key count pieces from 0 (for "pair").

    Raises ValueError where this sentence cannot show the pattern.
    """
    pieces = pieces_of(sentence, model)
    places = {"query": query, "key": key} if pattern == "pair" else {}
    return rank_heads(reading(sentence, model).traces, pieces.tokens, pattern, kept=pieces.kept, **places)[:most]


def embedded(sentence: str, model: str = "") -> EmbeddingParts:
    """The rows that the model adds up before layer 1: of the piece, of its place, of its type; their sum; and X."""
    return encoder(model).embedding_parts(sentence)


def norm_at(parts: EmbeddingParts, place: int, model: str = "") -> dict[str, float]:
    """How the norm turns the first number of one row of the sum into the first number of X.

    mean and spread are the row's own; gain and shift are learned, one of each a column.
    """
    norm, row = encoder(model).embedding.norm, parts.total[place].astype(np.float64)
    spread = float(np.sqrt(row.var() + norm.epsilon))
    return {
        "sum_first": float(row[0]), "norm_mean": float(row.mean()), "norm_spread": spread,
        "gain_first": float(norm.gain[0]), "shift_first": float(norm.bias[0]), "X_first": float(parts.X[place, 0]),
    }


PRONOUN_HEAD = (6, 12)  # of the packaged model: the head that looks from "it" to an animal most, counted from 1


def pronoun_looks(sentence: str) -> dict[str, float]:
    """Where "it" looks in the pronoun head: the weight of each different piece, added up over its places."""
    tokens, (layer, head) = pieces_of(sentence).tokens, PRONOUN_HEAD
    row = reading(sentence).traces[layer - 1].weights[head - 1, tokens.index("it")]
    looks: dict[str, float] = {}
    for token, weight in zip(tokens, row):
        looks[token] = looks.get(token, 0.0) + float(weight)
    return looks


def special_share(sentence: str) -> dict[str, float]:
    """The mean weight over all layers, heads and words that rests on [CLS] and on [SEP]."""
    pieces, weights = pieces_of(sentence), np.stack([trace.weights for trace in reading(sentence).traces])
    return {token: float(weights[..., pieces.tokens.index(token)].mean()) for token in ("[CLS]", "[SEP]")}


def without_heads(sentence: str, *heads: tuple[int, int]) -> float:
    """Cosine between the sentence vector and the one without these (layer, head) pairs, counted from 1."""
    silent = encoder().encode(sentence, [(layer - 1, head - 1) for layer, head in heads])
    return float(reading(sentence).vector @ silent)


def rollout(sentence: str, model: str = "") -> np.ndarray:
    """How much of each piece's final row goes back to each first row, if weights were all that counted [n, n].

    The mean over heads, half of it set aside for the way round the heads, multiplied layer by layer (Abnar and Zuidema 2020).
    """
    n = len(pieces_of(sentence, model).tokens)
    total = np.eye(n)
    for trace in reading(sentence, model).traces:
        total = (0.5 * trace.weights.mean(axis=0) + 0.5 * np.eye(n)) @ total
    return total


def mean_weights(sentence: str, model: str = "") -> np.ndarray:
    """The mean weight that each piece gets, over all layers, heads and queries [n]."""
    return np.mean([trace.weights.mean(axis=(0, 1)) for trace in reading(sentence, model).traces], axis=0)


def mean_carried(sentence: str, model: str = "") -> np.ndarray:
    """The mean length of what each piece really adds (weight × size), as shares that sum to 1 [n]."""
    sizes = np.mean([carried(trace).mean(axis=(0, 1)) for trace in reading(sentence, model).traces], axis=0)
    return sizes / sizes.sum()


def brought_by_first(trace: AttentionTrace, head: int, word: int) -> dict[str, float]:
    """What the first token, [CLS], brings to one word in one head: the weight on it, the length of what it carries, the
    mean length of what the others carry, and its part of all weight × length. head and word are counted from 0."""
    weights, sizes = trace.weights[head, word].astype(np.float64), carried_sizes(trace)[head].astype(np.float64)
    added = weights * sizes
    return {
        "percent": float(weights[0]), "size": float(sizes[0]), "others": float(sizes[1:].mean()),
        "part": float(added[0] / added.sum()),
    }


def left_out(sentence: str, model: str = "") -> np.ndarray:
    """How far the sentence vector turns (1 − cosine) when one word's characters are left out of the sentence [pieces kept].

    Where a model without special tokens has nothing left to read, there is no other vector, and the whole one is lost: 1.
    """
    pieces, whole = pieces_of(sentence, model), reading(sentence, model).vector
    turned = []
    for place in pieces.kept:
        start, end = pieces.spans[place]
        rest = (sentence[:start] + sentence[end:]).strip()
        is_empty = not pieces_of(rest, model).ids
        turned.append(1.0 if is_empty else 1.0 - float(whole @ encoder(model).encode(rest)))
    return np.array(turned)


def answers(sentence: str, model: str = "") -> dict[str, np.ndarray]:
    """Four measures of which of the sentence's own pieces matter, each as shares that sum to 1."""
    kept = list(pieces_of(sentence, model).kept)
    rolled = rollout(sentence, model).mean(axis=0)
    measures = {
        "weights": mean_weights(sentence, model)[kept], "carried": mean_carried(sentence, model)[kept],
        "rollout": rolled[kept], "left_out": np.maximum(left_out(sentence, model), 0.0),
    }
    return {name: values / (values.sum() or 1.0) for name, values in measures.items()}
