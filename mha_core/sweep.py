"""Why √d_k: what wider and wider rows do to scores, weights and slopes, measured on drawn vectors."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mha_core.attention import scale, softmax
from mha_core.checks import frozen
from mha_core.gradient import STEEPEST, entropy, gradient_size
from mha_core.shapes import Array, Float

SIZES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
DIVISORS = ("sqrt", "none", "d_k")
QUERIES, KEYS = 192, 16
DEAD = STEEPEST / 100  # below a hundredth of the steepest slope there is, next to nothing moves any more


@dataclass(frozen=True, eq=False)
class Sweep:
    """One number a size; for entropy, largest and gradient one row a divisor, in the order of DIVISORS."""

    sizes: tuple[int, ...]
    spread: Float[Array, " sizes"]  # standard deviation of the raw scores, measured
    theory: Float[Array, " sizes"]  # √d_k
    entropy: Float[Array, "divisors sizes"]  # mean over the rows
    largest: Float[Array, "divisors sizes"]  # mean over the rows
    gradient: Float[Array, "divisors sizes"]  # median over the rows: half of them have less

    def dies_at(self, divisor: str) -> int | None:
        """The smallest d_k from which on the typical gradient stays below DEAD; None where it never does."""
        alive = np.flatnonzero(self.gradient[DIVISORS.index(divisor)] >= DEAD)
        first = int(alive[-1]) + 1 if len(alive) else 0
        return self.sizes[first] if first < len(self.sizes) else None

    def reaching(self, divisor: str) -> Float[Array, " sizes"]:
        """What is left of the typical gradient where it reaches q · k: dividing the score divides its slope as well."""
        return self.gradient[DIVISORS.index(divisor)] / [divide_by(divisor, d_k) for d_k in self.sizes]


@lru_cache(maxsize=8)
def sweep(seed: int) -> Sweep:
    """QUERIES queries, each with KEYS keys of its own, every number drawn from a standard normal distribution.

    One set of vectors of the largest width is drawn (RandomState, whose stream never changes); a smaller d_k uses their
    first d_k numbers, so that from size to size nothing changes but the width.
    """
    draw = np.random.RandomState(seed)
    queries = draw.standard_normal((QUERIES, 1, SIZES[-1]))
    products = draw.standard_normal((QUERIES, KEYS, SIZES[-1])) * queries
    so_far, scores = np.zeros((QUERIES, KEYS)), []
    for start, end in zip((0, *SIZES), SIZES):
        so_far = so_far + products[..., start:end].sum(axis=-1)
        scores.append(so_far)
    measured = np.array([[_measure(raw, divide_by(name, d_k)) for raw, d_k in zip(scores, SIZES)] for name in DIVISORS])
    spread = frozen([raw.std() for raw in scores])
    return Sweep(SIZES, spread, frozen(np.sqrt(SIZES)), *(frozen(measured[..., k]) for k in range(3)))


def divide_by(name: str, d_k: int) -> float:
    """The divisor of a name in DIVISORS for rows d_k wide."""
    return {"sqrt": float(np.sqrt(d_k)), "none": 1.0, "d_k": float(d_k)}[name]


def _measure(raw: Float[Array, "rows n_k"], divisor: float) -> tuple[float, float, float]:
    weights = softmax(scale(raw, divisor))
    return float(entropy(weights).mean()), float(weights.max(axis=-1).mean()), float(np.median(gradient_size(weights)))
