"""From tokens to X: a row of numbers for every word, and where it stands added on top.

Nothing here is trained. A row is drawn at random, yet from the word and the seed alone, so the same word has the same
row in every sentence, on every machine, whatever else is typed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from mha_core.parameters import frozen
from mha_core.positions import count, sinusoid
from mha_core.shapes import Array, Float


@dataclass(frozen=True, eq=False)
class Embedded:
    """The tokens and their X = E + P, read-only. With positions off P is None and X is E itself."""

    tokens: tuple[str, ...]
    E: Float[Array, "n d_model"]
    P: Float[Array, "n d_model"] | None
    X: Float[Array, "n d_model"]


def word_row(word: str, d_model: int, seed: int) -> Float[Array, " d_model"]:
    """The d_model numbers of one word, spread like a standard normal distribution.

    Upper and lower case, or é as one character and as two, are different words: nothing is repaired. A wider row
    begins with the numbers of the narrower one. RandomState is chosen because NumPy promises never to change its
    stream (its policy NEP 19), which newer generators do not; SHA-256 turns seed and word into its starting point.
    Raises ValueError for d_model below 1 or a seed that is no whole number from 0 up.
    """
    count(d_model, "d_model")
    text = f"{count(seed, 'seed', least=0)} {word}"
    digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
    start = np.frombuffer(digest, dtype="<u4")  # byte order spelled out: the same start on every machine
    return np.random.RandomState(start).standard_normal(int(d_model))


def embed(tokens: Sequence[str], d_model: int, seed: int, *, positions: bool = True) -> Embedded:
    """E [n, d_model] with one row a token, P [n, d_model] with one row a position, and X = E + P.

    Raises ValueError where there is no token, where a bare string comes instead of tokens, or as `word_row` does.
    """
    if isinstance(tokens, str):
        raise ValueError(f"embed takes tokens, and {tokens[:40]!r} is one string; call tokenize on it first.")
    if not tokens:
        raise ValueError("embed was given no token, and X needs at least one row; pass what tokenize returns.")
    rows = {word: word_row(word, d_model, seed) for word in dict.fromkeys(tokens)}  # a repeated word is drawn once
    E = frozen([rows[word] for word in tokens])
    if not positions:
        return Embedded(tuple(tokens), E, None, E)
    P = frozen(sinusoid(len(tokens), d_model))
    return Embedded(tuple(tokens), E, P, frozen(E + P))
