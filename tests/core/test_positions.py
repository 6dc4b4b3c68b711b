"""Positions: the paper's formula, value by value, for even and odd widths."""

import math

import numpy as np
import pytest

from mha_core.positions import count, sinusoid


@pytest.mark.parametrize(("n", "d_model"), [(1, 1), (3, 2), (11, 7), (13, 16), (5, 512)])
def test_every_number_follows_the_formula(n, d_model):
    P = sinusoid(n, d_model)
    assert P.shape == (n, d_model)
    assert P.dtype == np.float64
    for pos in range(n):
        for column in range(d_model):
            pair = column - column % 2
            angle = pos * math.exp(-pair / d_model * math.log(10_000))
            expected = math.cos(angle) if column % 2 else math.sin(angle)
            assert P[pos, column] == pytest.approx(expected, abs=1e-12)


def test_numbers_that_can_be_done_by_hand():
    second = [0.8414709848, 0.5403023059, 0.0099998333, 0.9999500004]  # sin 1, cos 1, sin 0.01, cos 0.01
    assert sinusoid(2, 4) == pytest.approx(np.array([[0, 1, 0, 1], second]))


def test_the_first_position_is_zeros_and_ones_and_all_stay_between_minus_one_and_one():
    P = sinusoid(64, 17)
    assert P[0].tolist() == [0.0, 1.0] * 8 + [0.0]
    assert np.abs(P).max() <= 1


def test_a_pair_of_columns_turns_by_the_same_angle_from_word_to_word():
    P = sinusoid(7, 10)
    pairs = P[:, 0::2] + 1j * P[:, 1::2]  # sin + i·cos
    assert pairs[1:] / pairs[:-1] == pytest.approx(np.broadcast_to(pairs[1] / pairs[0], (6, 5)))


def test_a_longer_sentence_leaves_the_first_positions_alone_and_no_two_are_equal():
    assert np.array_equal(sinusoid(19, 6)[:5], sinusoid(5, 6))
    assert len(np.unique(sinusoid(64, 2), axis=0)) == 64


def test_another_number_format_is_rounded_once():
    assert sinusoid(5, 3, np.float32).dtype == np.float32
    assert np.array_equal(sinusoid(5, 3, np.float32), sinusoid(5, 3).astype(np.float32))


@pytest.mark.parametrize(
    ("n", "d_model", "name"), [(0, 4, "n"), (-2, 4, "n"), (4, 0, "d_model"), (4, -1, "d_model"), (4, True, "d_model")]
)
def test_sizes_below_one_are_refused_by_name(n, d_model, name):
    with pytest.raises(ValueError, match=rf"^{name} must be a whole number, 1 or more.*try {name}=1"):
        sinusoid(n, d_model)


def test_count_takes_whole_numbers_of_any_kind_and_nothing_else():
    assert count(np.int64(3), "n") == 3
    assert type(count(np.int64(3), "n")) is int
    assert count(0, "seed", least=0) == 0
    for wrong in (2.0, "2", None, True, [2]):
        with pytest.raises(ValueError, match="seed must be a whole number, 0 or more"):
            count(wrong, "seed", least=0)
