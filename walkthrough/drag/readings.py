"""The numbers behind the draggable pictures, worked out in Python: where they start, their presets, what they read."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import atan2, degrees, hypot, sqrt

import numpy as np

from mha_core.attention import scale, score, softmax
from mha_core.spread import Spread, spread
from walkthrough.digits import digits

SLIDERS, PRODUCT_WORDS = 6, 6  # words that get a slider, and words whose products are walked cell by cell
FIRST, LEAST, MOST = 8.0, 0.5, 10.0  # the lead of a large score; scores below zero; how far a slider goes at least
WIDTHS = (2, 4, 8, 16, 32, 64, 128, 256, 512)
PAIRS = 1000
EXAMPLE, EXAMPLE_SCORE = (0.6, 0.3, 0.1), 40.0


@dataclass(frozen=True)
class Meeting:
    """Two arrows on a page: their products, the dot product, both lengths, and the angle (None for an arrow of no length)."""

    products: tuple[float, float]
    dot: float
    lengths: tuple[float, float]
    angle: float | None


def meet(a: Sequence[float], b: Sequence[float]) -> Meeting:
    """What the picture of two arrows reads."""
    products = (a[0] * b[0], a[1] * b[1])
    lengths = (hypot(*a), hypot(*b))
    turned = abs(a[0] * b[1] - a[1] * b[0])
    angle = degrees(atan2(turned, sum(products))) if all(lengths) else None
    return Meeting(products, sum(products), lengths, angle)


def turned(a: Sequence[float], way: str) -> tuple[float, float]:
    """A second arrow as long as `a`: "same" way, at a "right" angle, or "opposite"."""
    x, y = a
    return {"same": (x, y), "right": (-y, x), "opposite": (-x, -y)}[way]


def two_words(rows: np.ndarray, word: int) -> tuple[tuple[float, float], tuple[float, float], int | None]:
    """The first two numbers of a word and of the word after it (round again at the end), and that word's place.

    A sentence of one word gets a second arrow at a right angle to its only one, and None.
    """
    a = tuple(map(float, rows[word, :2]))
    if len(rows) == 1:
        return a, turned(a, "right"), None
    other = (word + 1) % len(rows)
    return a, tuple(map(float, rows[other, :2])), other


def reach(*arrows: Sequence[float]) -> int:
    """How far the page goes to every side: a whole number that leaves room around the arrows."""
    return max(3, int(np.ceil(1.15 * np.abs(np.array(arrows)).max())))


def score_presets(scores: np.ndarray) -> dict[str, list[float]]:
    """Starting points for the sliders: the real scores, one large, all equal, all negative (the real ones, moved down)."""
    real = [float(s) for s in scores]
    lifted = [FIRST if i == int(np.argmax(scores)) else 0.0 for i in range(len(real))]
    return {"real": real, "large": lifted, "equal": [1.0] * len(real), "negative": [s - max(real) - LEAST for s in real]}


def slider_reach(presets: dict[str, list[float]]) -> int:
    """The end of every slider, a whole number that holds all presets."""
    return int(np.ceil(max(MOST, *(abs(s) for row in presets.values() for s in row))))


def shared(scores: Sequence[float]) -> np.ndarray:
    """What softmax makes of the sliders."""
    return softmax(np.array([scores], float))[0]


def products_of(X: np.ndarray) -> np.ndarray:
    """The grid that the product picture fills cell by cell: every one of the first rows with every other."""
    first = X[:PRODUCT_WORDS]
    return score(first, first)


def blends(weights_row: np.ndarray) -> dict[str, np.ndarray]:
    """Shares to blend by: 0.6/0.3/0.1, all on the first, equal, and what attention really gives, scaled to these alone."""
    n = len(weights_row)
    example, one = np.array(EXAMPLE[:n]), np.eye(n)[0]
    total = weights_row.sum()
    real = weights_row / total if total > 0 else np.full(n, 1 / n)
    return {"example": example / example.sum(), "one": one, "equal": np.full(n, 1 / n), "real": real}


@lru_cache(maxsize=8)
def drawn(seed: int) -> Spread:
    """The spread of dot products for one draw of random vectors; kept, because a page asks again at every touch."""
    return spread(WIDTHS, pairs=PAIRS, seed=seed)


def spread_at(found: Spread, width: int) -> dict[str, str]:
    """What is read at one width: measured, theory and divided scatter, and what a score of 40 becomes there."""
    place = found.widths.index(width)
    fields = {name: getattr(found, name)[place] for name in ("measured", "divided", "theory")}
    scaled = scale(np.array([[EXAMPLE_SCORE]]), sqrt(width))[0, 0]
    return {name: digits(value) for name, value in fields.items()} | {"scaled": digits(scaled), "d_k": str(width)}
