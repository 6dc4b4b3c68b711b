"""What do the heads look at? A number for every head of a stack of layers, and the heads ranked by it.

A score says where weight goes, not what it is good for: a head that looks at the word before with weight 1.00 can be
silenced and the sentence vector hardly moves. `carried` begins to answer that: weight times the size of what arrives.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha_core.attention import AttentionTrace, attend
from mha_core.shapes import Array, Bool, Float

PATTERNS = {
    "previous": "how much weight a word gives to the word right before it",
    "next": "how much weight a word gives to the word right after it",
    "same": "how much weight a word gives to other places where the same word stands",
    "itself": "how much weight a word gives to its own place",
    "pair": "how much weight the chosen query word gives to the chosen key word",
    "broad": "how evenly a word spreads its weight: the entropy of its row, where 1 means the same for every key",
    "first": "how much weight a word gives to the first token, which is [CLS] in a trained model",
}
IMPOSSIBLE = {
    "previous": "no word has a word before it; type two words or more",
    "next": "no word has a word after it; type two words or more",
    "same": "no word stands in two places; repeat one",
    "itself": "there is no word; type one",
    "broad": "a single token can only look at itself; type two words or more",
    "first": "there is no word; type one",
}


@dataclass(frozen=True)
class Found:
    """A head, counted from 0, and the number that ranks it (0 to 1)."""

    layer: int
    head: int
    score: float


def score_heads(
    traces: Sequence[AttentionTrace],
    tokens: Sequence[str],
    pattern: str,
    *,
    kept: Sequence[int] | None = None,
    query: int | None = None,
    key: int | None = None,
) -> Float[Array, "layers h"]:
    """One number from 0 to 1 for each head of each layer: the mean over the words that can show the pattern.

    traces: one a layer, all of the same sentence looking at itself. kept: the places that count as words (Pieces.kept
    leaves out [CLS] and [SEP]); None means all. query and key, counted from 0, are for "pair" alone and may be any.
    Raises ValueError for an unknown pattern, sizes that differ, or a sentence in which no word can show the pattern.
    """
    weights = _stacked(traces, len(tokens))
    words = np.zeros(len(tokens), dtype=bool)
    words[list(range(len(tokens)) if kept is None else kept)] = True
    if pattern == "broad":
        rows = words & (len(tokens) > 1)
        measured = _evenness(weights)
    else:
        cells = _cells(pattern, tokens, words, query, key)
        rows = cells.any(axis=1)
        measured = (weights * cells).sum(axis=-1, dtype=np.float64)
    if not rows.any():
        raise ValueError(f"Heads cannot be scored on {pattern!r} here: {IMPOSSIBLE[pattern]}.")
    return measured[..., rows].mean(axis=-1, dtype=np.float64)


def rank_heads(
    traces: Sequence[AttentionTrace],
    tokens: Sequence[str],
    pattern: str,
    *,
    kept: Sequence[int] | None = None,
    query: int | None = None,
    key: int | None = None,
) -> tuple[Found, ...]:
    """Every head, the highest score_heads first; equal scores stay in the order of layers and heads."""
    scores = score_heads(traces, tokens, pattern, kept=kept, query=query, key=key)
    found = [Found(layer, head, float(score)) for (layer, head), score in np.ndenumerate(scores)]
    return tuple(sorted(found, key=lambda head: -head.score))


def carried_sizes(trace: AttentionTrace) -> Float[Array, "h n_k"]:
    """The length of the arrow each key would add to the output at weight 1, a head: ‖v_j W_O[the head's rows]‖."""
    p = trace.parameters
    return np.linalg.norm(trace.V @ p.W_O.reshape(p.h, p.d_v, p.d_out), axis=-1)


def carried(trace: AttentionTrace) -> Float[Array, "h n_q n_k"]:
    """Weight × size: how long an arrow each key really adds to each query's output, head by head.

    A head that rests on [CLS] shows weights near 1 and almost nothing here. The bias b_V is part of each value; b_O
    belongs to no head and is left out. Source: Kobayashi et al. 2020, "Attention is Not Only a Weight".
    """
    return trace.weights * carried_sizes(trace)[:, None, :]


def without_special(trace: AttentionTrace, kept: Sequence[int]) -> AttentionTrace:
    """The same layer with only the tokens at `kept` (Pieces.kept) there: nobody asks the others and they ask nothing.

    The rows of X are left as the layer received them, and attend() runs on the rows that stay. That is exactly what
    masking the other keys and then dropping their rows and columns gives: among those that stay the scores are equal,
    and each row of weights is divided by what was left of it, so that it sums to 1 again. Two limits to say beside it:
    the model was never trained to work so, and X still carries what the layers below took from the hidden tokens.
    Raises ValueError where no token stays, or where the trace looks at another sentence.
    """
    places = list(kept)
    if not places:
        raise ValueError("Nothing is left once the special tokens are hidden; type a word, or show them.")
    if not trace.is_self_attention:
        raise ValueError(
            "Special tokens can be hidden only where a sentence looks at itself; this trace looks at another one."
        )
    allowed = None if trace.allowed is None else trace.allowed[..., places, :][..., places]
    return attend(trace.X[places], trace.parameters, allowed=allowed, divisor=trace.divisor)


def _stacked(traces: Sequence[AttentionTrace], n: int) -> Float[Array, "layers h n n"]:
    shapes = {trace.weights.shape for trace in traces}
    if len(shapes) != 1 or shapes != {(next(iter(shapes))[0], n, n)}:
        raise ValueError(
            f"Heads are compared on one sentence of {n} tokens looking at itself; the weights have the shapes "
            f"{sorted(shapes)}. Give one trace a layer, all of that sentence."
        )
    return np.stack([trace.weights for trace in traces])


def _cells(pattern: str, tokens: Sequence[str], words: Bool[Array, " n"], query, key) -> Bool[Array, "n n"]:
    """True at the cells whose weight counts for a pattern: rows ask, columns are looked at."""
    n = len(tokens)
    both = words[:, None] & words
    if pattern == "pair":
        return _one_cell(n, query, key)
    if pattern == "same":
        lower = np.array([token.casefold() for token in tokens])
        return (lower[:, None] == lower) & ~np.eye(n, dtype=bool) & both
    if pattern == "first":
        return words[:, None] & (np.arange(n) == 0)
    steps = {"previous": -1, "next": 1, "itself": 0}
    if pattern not in steps:
        raise ValueError(f"There is no pattern named {pattern!r}; the patterns are {', '.join(PATTERNS)}.")
    return np.eye(n, k=steps[pattern], dtype=bool) & both


def _one_cell(n: int, query: int | None, key: int | None) -> Bool[Array, "n n"]:
    for name, place in (("query", query), ("key", key)):
        if place is None or not 0 <= place < n:
            raise ValueError(f"The {name} word {place} was asked for; choose one of the {n} tokens, 0 to {n - 1}.")
    cells = np.zeros((n, n), dtype=bool)
    cells[query, key] = True
    return cells


def _evenness(weights: Float[Array, "layers h n n"]) -> Float[Array, "layers h n"]:
    """The entropy of each row over the logarithm of its length. A weight of 0 adds nothing (0 · log 0 is 0)."""
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    most = np.log(max(weights.shape[-1], 2))  # one key alone would give 0 / 0
    return -(weights * logs).sum(axis=-1, dtype=np.float64) / most
