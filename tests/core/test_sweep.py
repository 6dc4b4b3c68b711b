"""The sweep over d_k against scores that are summed one by one, and against what theory says."""

import time

import numpy as np
import pytest
import torch

from mha_core.sweep import DEAD, DIVISORS, KEYS, QUERIES, SIZES, Sweep, divide_by, sweep


def scores_by_hand(seed: int, d_k: int) -> np.ndarray:
    draw = np.random.RandomState(seed)
    queries = draw.standard_normal((QUERIES, 1, 512))
    keys = draw.standard_normal((QUERIES, KEYS, 512))
    return np.einsum("qc,qkc->qk", queries[:, 0, :d_k], keys[:, :, :d_k])


@pytest.mark.parametrize("d_k", [2, 3, 24, 512])
@pytest.mark.parametrize("name", DIVISORS)
def test_every_number_is_that_of_an_independent_calculation(d_k, name):
    found, scores, at = sweep(11), scores_by_hand(11, d_k), SIZES.index(d_k)
    rows = torch.softmax(torch.tensor(scores / {"sqrt": d_k**0.5, "none": 1, "d_k": d_k}[name]), -1)
    sizes = [float(torch.linalg.norm(torch.diag(row) - torch.outer(row, row))) for row in rows]
    place = DIVISORS.index(name), at
    assert found.spread[at] == pytest.approx(scores.std())
    assert found.largest[place] == pytest.approx(float(rows.max(-1).values.mean()))
    assert found.entropy[place] == pytest.approx(float(torch.special.entr(rows).sum(-1).mean()))
    assert found.gradient[place] == pytest.approx(np.median(sizes))


@pytest.mark.parametrize("seed", [0, 1, 1753])
def test_scores_spread_by_the_root_of_the_width(seed):
    found = sweep(seed)
    assert found.theory.tolist() == [size**0.5 for size in SIZES]
    assert np.abs(found.spread / found.theory - 1).max() < 0.08


@pytest.mark.parametrize("seed", [0, 1, 1753])
def test_gradients_die_without_a_divisor_and_live_with_the_root(seed):
    found = sweep(seed)
    dies = found.dies_at("none")
    assert 128 <= dies <= 512
    assert (found.gradient[1][SIZES.index(dies):] < DEAD).all() and found.gradient[1][SIZES.index(dies) - 1] >= DEAD
    assert found.dies_at("sqrt") is None and np.ptp(found.gradient[0]) < 0.06
    assert found.largest[1][-1] > 0.9 and found.largest[2][-1] < 0.08  # one word has all; nobody has more than 1/16 or so
    assert found.reaching("sqrt")[-1] > 10 * max(found.reaching("none")[-1], found.reaching("d_k")[-1])


def test_where_a_gradient_dies_is_read_off_the_end():
    rows = np.full((3, 4), 0.3)
    rows[0], rows[2] = 0.001, [0.001, 0.3, 0.001, 0.002]
    numbers = np.ones(4)
    found = Sweep((2, 3, 5, 7), numbers, numbers, rows, rows, rows)
    assert [found.dies_at(name) for name in DIVISORS] == [2, None, 5]


def test_the_divisors_have_their_names():
    assert [divide_by(name, 25) for name in DIVISORS] == [5, 1, 25]


def test_it_is_quick_kept_and_read_only():
    sweep.cache_clear()
    start = time.process_time()
    found = sweep(3)
    assert time.process_time() - start < 0.3
    assert sweep(3) is found
    with pytest.raises(ValueError, match="read-only"):
        found.gradient[0] = 1
