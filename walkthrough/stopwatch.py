"""How long the core takes on this machine: medians of a few runs, one after the other."""

from dataclasses import dataclass
from statistics import median
from time import perf_counter

import numpy as np

from mha_core.attention import attend
from mha_core.parameters import Parameters, legal_heads

RUNS, LEAST, ROOM = 15, 5, 0.12  # at most so many runs, at least so few, and the seconds after which no new one begins
HEADS_TIMED, NS = 6, (8, 16, 32, 64, 128, 256)


@dataclass(frozen=True)
class Timed:
    """The median seconds of one call of attend() that keeps everything, and of how many calls it is the median."""

    n: int
    d_model: int
    h: int
    seconds: float
    runs: int


def time_once(n: int, d_model: int, h: int, seed: int = 0, clock=perf_counter) -> Timed:
    """Time one size. One run goes before, uncounted, since the first is always slower."""
    X = np.random.RandomState(seed).standard_normal((n, d_model))
    parameters = Parameters.seeded(d_model, h, seed)
    attend(X, parameters)
    took, end = [], clock() + ROOM
    while len(took) < LEAST or (len(took) < RUNS and clock() < end):
        start = clock()
        attend(X, parameters)
        took.append(clock() - start)
    return Timed(n, d_model, h, median(took), len(took))


def time_all(n: int, d_model: int, h: int) -> tuple[list[Timed], list[Timed]]:
    """Both series: more and more heads on this sentence, and this layer on longer and longer sentences."""
    return time_heads(n, d_model, h), time_lengths(d_model, h)


def time_heads(n: int, d_model: int, now: int) -> list[Timed]:
    """The same layer cut into more and more heads."""
    return [time_once(n, d_model, h) for h in some_heads(d_model, now)]


def time_lengths(d_model: int, h: int) -> list[Timed]:
    """The same layer on longer and longer sentences."""
    return [time_once(n, d_model, h) for n in NS]


def some_heads(d_model: int, now: int) -> list[int]:
    """At most HEADS_TIMED of the legal h: one head, the current number, the most there can be, and some between."""
    legal = legal_heads(d_model)
    step = (len(legal) - 1) / max(1, HEADS_TIMED - 2)
    chosen = {legal[round(k * step)] for k in range(HEADS_TIMED - 1)} if len(legal) > HEADS_TIMED - 1 else set(legal)
    return sorted(chosen | {1, now, legal[-1]})
