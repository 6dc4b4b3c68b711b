"""Softmax's derivative against finite differences and against torch, and the two numbers that sum a row up."""

import numpy as np
import pytest
import torch

from mha_core.attention import softmax
from mha_core.gradient import STEEPEST, entropy, gradient_size, softmax_jacobian

ROWS = np.random.default_rng(5).normal(size=(3, 5, 7)) * 3


def test_the_slopes_are_those_of_finite_differences():
    scores, step = ROWS[1, 2], 1e-6
    measured = np.empty((7, 7))
    for k in range(7):
        nudge = step * np.eye(7)[k]
        measured[:, k] = (softmax(scores + nudge) - softmax(scores - nudge)) / (2 * step)
    assert softmax_jacobian(softmax(scores)) == pytest.approx(measured, abs=1e-9)


def test_the_slopes_are_those_of_torch_for_every_row():
    ours = softmax_jacobian(softmax(ROWS))
    assert ours.shape == (3, 5, 7, 7)
    for at in np.ndindex(3, 5):
        theirs = torch.autograd.functional.jacobian(lambda x: torch.softmax(x, -1), torch.tensor(ROWS[at]))
        assert ours[at] == pytest.approx(theirs.numpy(), abs=1e-14)


def test_what_one_word_gains_others_lose_and_the_grid_is_symmetric():
    slopes = softmax_jacobian(softmax(ROWS))
    assert np.abs(slopes.sum(axis=-1)).max() < 1e-15
    assert np.abs(slopes.sum(axis=-2)).max() < 1e-15
    assert (slopes == slopes.swapaxes(-1, -2)).all()


@pytest.mark.parametrize(("weights", "size"), [
    ([1.0], 0.0), ([1.0, 0.0, 0.0], 0.0), ([0.5, 0.5], 0.5), ([0.5, 0.5, 0.0, 0.0], 0.5), ([0.25] * 4, np.sqrt(3) / 4),
])
def test_the_size_of_rows_that_can_be_done_by_hand(weights, size):
    assert gradient_size(np.array(weights)) == pytest.approx(size, abs=1e-15)


def test_no_row_is_steeper_than_two_equal_weights():
    rng = np.random.default_rng(8)
    for n in (2, 3, 5, 11):
        assert gradient_size(softmax(rng.normal(size=(400, n)) * rng.uniform(0, 9, (400, 1)))).max() <= STEEPEST + 1e-15


def test_entropy_is_torchs_and_a_weight_of_zero_adds_nothing():
    weights = softmax(ROWS)
    assert entropy(weights) == pytest.approx(torch.distributions.Categorical(torch.tensor(weights)).entropy().numpy())
    assert entropy(np.array([1.0, 0.0])) == 0
    assert entropy(np.full(7, 1 / 7)) == pytest.approx(np.log(7))
