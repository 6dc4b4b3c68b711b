"""Does the order of the words matter? Shuffle them, attend, put the answers back, and see what has moved."""

from dataclasses import replace

import numpy as np

from mha_core.attention import attend
from mha_core.positions import sinusoid
from mha_core.shapes import Array, Float, Int
from walkthrough.settings import correct
from walkthrough.walk import Walk, walk_of

DRAWN = 48  # places a wave is drawn for, at least


def shuffle_of(n: int, turn: int) -> Int[Array, " n"]:
    """The turn-th shuffle of n places; from two words on it never leaves all of them where they were."""
    draw = np.random.RandomState(turn)
    order = draw.permutation(n)
    while n > 1 and (order == np.arange(n)).all():
        order = draw.permutation(n)
    return order


def output_of(walk: Walk, order: Int[Array, " n"], positions: bool) -> Float[Array, "n d_out"]:
    """The output of the words in this order, each row back at the place where its word was typed.

    The rows of E move, the rows of P stay: a place belongs to the sentence, not to the word that stands in it.
    """
    rows = base_rows(walk)[order]
    X = rows + sinusoid(*rows.shape) if positions else rows
    allowed = walk.trace.allowed
    found = attend(X, walk.trace.parameters, allowed=allowed, divisor=walk.trace.divisor).output
    back = np.empty_like(found)
    back[order] = found
    return back


def moved(walk: Walk, order: Int[Array, " n"], positions: bool) -> Float[Array, " n"]:
    """How far each word's output moves when the words are shuffled: its largest difference, in the order as typed."""
    straight = output_of(walk, np.arange(len(order)), positions)
    return np.abs(output_of(walk, order, positions) - straight).max(axis=1)


def seeded_view(walk: Walk) -> Walk:
    """This walk where its rows are known without their positions, else the seeded walk of the same settings."""
    if walk.trace.E is not None:
        return walk
    return walk_of(correct(replace(walk.settings, source="seeded"))[0])


def places_drawn(n: int) -> int:
    return max(DRAWN, n)


def base_rows(walk: Walk) -> Float[Array, "n d_model"]:
    """The words' rows before any position is added."""
    return walk.trace.X if walk.trace.E is None else walk.trace.E


def agreements(n: int, d_model: int) -> Float[Array, "n n"]:
    """The dot product of every position with every other one."""
    P = sinusoid(n, d_model)
    return P @ P.T


def by_distance(n: int, d_model: int) -> Float[Array, " n"]:
    """The dot product of two positions so many places apart, 0 to n − 1; it depends on nothing but the distance."""
    grid = agreements(n, d_model)
    return np.array([grid.diagonal(distance).mean() for distance in range(n)])


def unevenness(n: int, d_model: int) -> float:
    """How far two pairs of positions at the same distance differ at most in their dot product: rounding, if d_model is even."""
    grid = agreements(n, d_model)
    return float(max(np.ptp(grid.diagonal(distance)) for distance in range(n)))


def waves_shown(d_model: int) -> tuple[int, ...]:
    """A few columns of P from the fastest wave to the slowest, counted from 0: sines, whose cosines run beside them."""
    pairs = d_model // 2
    return tuple(sorted({2 * (k * (pairs - 1) // 3) for k in range(4)}))


def wave_length(column: int, d_model: int) -> float:
    """After how many words the wave of a column comes round again."""
    return float(2 * np.pi * 10_000.0 ** (2 * (column // 2) / d_model))
