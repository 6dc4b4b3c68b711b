"""How long the core takes on this machine: medians of a few runs, one after the other."""

from dataclasses import dataclass
from statistics import median
from time import perf_counter

import numpy as np

from mha_core.attention import attend
from mha_core.parameters import Parameters, legal_heads
from mha_core.shapes import Array, Float

RUNS, LEAST, ROOM = 21, 5, 0.2  # at most so many runs, at least so few, and the seconds after which no new one begins
WARM = 3  # runs of a size before its clock starts
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
    """Time one size, after WARM runs that do not count: the first ones are slower."""
    X, parameters = warmed(n, d_model, h, seed)
    took, end = [], clock() + ROOM
    while len(took) < LEAST or (len(took) < RUNS and clock() < end):
        start = clock()
        attend(X, parameters)
        took.append(clock() - start)
    return Timed(n, d_model, h, median(took), len(took))


def warmed(n: int, d_model: int, h: int, seed: int = 0) -> tuple[Float[Array, "n d_model"], Parameters]:
    """A layer of this size and rows for it, run WARM times."""
    X, parameters = np.random.RandomState(seed).standard_normal((n, d_model)), Parameters.seeded(d_model, h, seed)
    for _ in range(WARM):
        attend(X, parameters)
    return X, parameters


def time_all(n: int, d_model: int, h: int) -> tuple[list[Timed], list[Timed]]:
    """Both series: more and more heads on this sentence, and this layer on longer and longer sentences.

    Every size is warmed up before any is timed, so that the first figure does not pay for waking the machine.
    """
    for each in some_heads(d_model, h):
        warmed(n, d_model, each)
    for length in NS:
        warmed(length, d_model, h)
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
