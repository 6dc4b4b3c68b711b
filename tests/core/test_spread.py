"""The scatter of dot products: measured as a plain loop measures it, and near what theory says."""

import random
from math import sqrt

import numpy as np
import pytest

from mha_core.spread import spread

WIDTHS = (2, 3, 7, 64, 257, 512)


def test_it_is_what_a_loop_over_the_same_draw_measures():
    found = spread((2, 5, 7), pairs=11, seed=3)
    q, k = np.random.RandomState(3).standard_normal((2, 11, 7)).tolist()
    for place, width in enumerate((2, 5, 7)):
        dots = [sum(a * b for a, b in zip(x[:width], y[:width])) for x, y in zip(q, k)]
        mean = sum(dots) / 11
        deviation = sqrt(sum((dot - mean) ** 2 for dot in dots) / 11)
        assert found.measured[place] == pytest.approx(deviation, rel=1e-12)
        assert found.divided[place] == pytest.approx(deviation / sqrt(width), rel=1e-12)


@pytest.mark.parametrize("seed", [0, 1753, 9999])
def test_it_grows_like_the_root_and_stays_near_1_once_divided(seed):
    found = spread(WIDTHS, pairs=1000, seed=seed)
    assert found.widths == WIDTHS
    assert found.theory == pytest.approx([w**0.5 for w in WIDTHS], rel=1e-15)
    assert found.measured == pytest.approx(found.theory, rel=0.12)
    assert found.divided == pytest.approx(np.ones(len(WIDTHS)), rel=0.12)


def test_another_source_of_random_numbers_agrees():
    draw = random.Random(7)
    dots = [sum(draw.gauss(0, 1) * draw.gauss(0, 1) for _ in range(31)) for _ in range(3000)]
    own = sqrt(sum(dot * dot for dot in dots) / 3000)
    assert spread((31,), pairs=3000).measured[0] == pytest.approx(own, rel=0.08)


def test_the_same_seed_gives_the_same_numbers_and_they_cannot_be_changed():
    one, other = spread(WIDTHS, seed=5), spread(WIDTHS, seed=5)
    assert (one.measured == other.measured).all() and (one.measured != spread(WIDTHS, seed=6).measured).all()
    with pytest.raises(ValueError, match="read-only"):
        one.measured[0] = 1


@pytest.mark.parametrize(("widths", "pairs"), [((), 10), ((0, 2), 10), ((2,), 1)])
def test_what_cannot_be_measured_is_refused(widths, pairs):
    with pytest.raises(ValueError, match="widths of at least 1 and two pairs"):
        spread(widths, pairs=pairs)
