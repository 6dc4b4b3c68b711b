"""What is counted by formula against loops that really count, and against published numbers."""

import numpy as np
import pytest
import torch

from mha_core import Parameters, attend, legal_heads
from mha_core.cost import Sizes, between_words, bytes_of_maps, multiplications, parameters, weights_kept


def count_product(rows: int, inner: int, columns: int) -> int:
    """One multiplication a turn of the innermost loop."""
    return sum(1 for _ in range(rows) for _ in range(columns) for _ in range(inner))


def count(n, n_k, d_model, h, d_k, d_v) -> dict[str, int]:
    made = dict.fromkeys(("Q", "K", "V", "scores", "heads", "output"), 0)
    for _ in range(h):
        made["Q"] += count_product(n, d_model, d_k)
        made["K"] += count_product(n_k, d_model, d_k)
        made["V"] += count_product(n_k, d_model, d_v)
        made["scores"] += count_product(n, d_k, n_k)
        made["heads"] += count_product(n, n_k, d_v)
    made["output"] = count_product(n, h * d_v, d_model)
    return made


@pytest.mark.parametrize(("n", "n_k", "d_model", "h", "d_k", "d_v"), [(5, 5, 6, 3, 2, 2), (3, 7, 11, 2, 5, 3), (1, 1, 4, 1, 4, 4)])
def test_multiplications_are_those_of_counting_loops(n, n_k, d_model, h, d_k, d_v):
    assert multiplications(Sizes(n, d_model, h, n_k, d_k, d_v)) == count(n, n_k, d_model, h, d_k, d_v)


@pytest.mark.parametrize("d_model", [8, 12, 448])
def test_parameters_do_not_change_with_h(d_model):
    assert {parameters(Sizes(3, d_model, h)) for h in legal_heads(d_model)} == {4 * d_model**2}


def test_published_counts_of_parameters():
    for h in (1, 2, 4, 8):
        assert (parameters(Sizes(3, 8, h)), parameters(Sizes(3, 8, h), biases=True)) == (256, 288)
    for h in (4, 8):
        theirs = sum(p.numel() for p in torch.nn.MultiheadAttention(448, h).parameters())
        assert parameters(Sizes(1, 448, h), biases=True) == theirs == 804_608


def test_published_counts_of_work_between_words_and_of_kept_weights():
    sizes = [Sizes(6, 8, h) for h in (1, 2, 4, 8)]
    assert [between_words(s) for s in sizes] == [576] * 4 == [2 * 6**2 * 8] * 4
    assert [weights_kept(s) for s in sizes] == [36, 72, 144, 288] == [s.h * 6**2 for s in sizes]


def test_heads_of_a_free_width_cost_what_they_are_wide():
    for h, made in ((1, 256), (2, 512), (4, 1024), (8, 2048)):
        assert parameters(Sizes(3, 8, h, d_k=8, d_v=8)) == made
    assert multiplications(Sizes(1, 4096, 64, d_k=128, d_v=128))["Q"] == 2 * multiplications(Sizes(1, 4096, 64))["Q"]


@pytest.mark.parametrize("n", [1, 10, 97])
def test_eight_thin_heads_multiply_as_often_as_one_fat_head(n):
    thin, fat = multiplications(Sizes(n, 512, 8)), multiplications(Sizes(n, 512, 1))
    assert thin == fat
    assert thin["scores"] == 8 * n**2 * 64 == n**2 * 512
    assert sum(thin.values()) == 4 * n * 512**2 + 2 * n**2 * 512


def test_the_counts_are_the_sizes_of_a_real_layer():
    X = np.random.default_rng(2).normal(size=(7, 12))
    trace = attend(X, Parameters.seeded(12, 3))
    sizes, p = Sizes(7, 12, 3), trace.parameters
    assert parameters(sizes) == sum(W.size for W in (p.W_Q, p.W_K, p.W_V, p.W_O))
    assert weights_kept(sizes) == trace.weights.size
    kept = (trace.scores, trace.scaled, trace.weights)
    assert trace.masked is trace.scaled  # no mask, no fourth map
    assert bytes_of_maps(sizes, maps=3) == sum(grid.nbytes for grid in kept)
    half = attend(X.astype(np.float32), Parameters.seeded(12, 3, dtype=np.float32))
    assert bytes_of_maps(sizes, bytes_each=4) == half.weights.nbytes


def test_sizes_that_make_no_layer_are_refused():
    with pytest.raises(ValueError, match="3 heads cannot share 8"):
        Sizes(5, 8, 3)
    with pytest.raises(ValueError, match="n must be a whole number"):
        Sizes(0, 8, 2)
