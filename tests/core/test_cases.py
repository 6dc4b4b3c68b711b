"""Public questions and bug reports about the mathematics, one test each, named as in shared/cases/cases.md."""

import dataclasses

import numpy as np
import pytest

from mha_core import Parameters, attend, causal, head_width, legal_heads
from mha_core.attention import blend, concatenate, mask, mix, project, scale, score, shares, softmax
from mha_core.parameters import into_bands, side_by_side
from tests.core.reference import Sizes, random_parameters
from tests.core.test_worked_examples import EXAMPLES, heads_of, run

THIRDS = [[1, 0, 0], [0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3]]


def shown(got, wanted, digits=4):
    """Equal in every printed digit."""
    np.testing.assert_allclose(got, wanted, rtol=0, atol=0.5 * 10.0**-digits * (1 + 1e-9))


def identity_layer(d_model, h, **biases):
    """Every projection leaves X as it is, each head keeping its own band of columns."""
    bands = into_bands(np.eye(d_model), d_model // h)
    return Parameters(bands, bands, bands, np.eye(d_model), **biases)


# Splitting into heads


def test_A1_a_head_is_a_band_of_columns_of_every_token():
    wide = np.array([[0, 2, 2, 1, 2, 2], [2, 0, 0, 2, 0, 1], [2, 1, 2, 0, 1, 0], [0, 2, 1, 0, 1, 0]], float)
    assert np.array_equal(into_bands(wide, 2)[0], [[0, 2], [2, 0], [2, 1], [0, 2]])
    assert np.array_equal(into_bands(wide, 2)[2], wide[:, 4:])
    through_the_layer = project(np.eye(4), into_bands(wide, 2))
    assert np.array_equal(through_the_layer[0], [[0, 2], [2, 0], [2, 1], [0, 2]])
    assert not np.array_equal(through_the_layer, wide.reshape(3, 4, 2))


def test_A3_swapping_the_axes_is_not_superfluous():
    trace = attend(np.array([[0.25, 0.5, 0.75, 1], [1.25, 1.5, 1.75, 2]]), identity_layer(4, 2))
    shown(trace.weights[0], [[0.3704, 0.6296], [0.1251, 0.8749]])
    shown(trace.weights[1], [[0.2249, 0.7751], [0.0659, 0.9341]])
    shown(trace.concat, [[0.8796, 1.1296, 1.5251, 1.7751], [1.1249, 1.3749, 1.6841, 1.9341]])


def test_A6_every_head_sees_the_whole_embedding():
    rng = np.random.default_rng(6)
    p, X = random_parameters(rng, Sizes(), cross=False), rng.standard_normal((7, 11))
    moved = X.copy()
    moved[:, -1] += 1
    before, after = attend(X, p), attend(moved, p)
    assert (before.Q != after.Q).any(axis=(1, 2)).all()  # the last feature reaches head 0 as well as the last head
    blind = p.W_Q.copy()
    blind[0, -1] = 0
    blinded = dataclasses.replace(p, W_Q=blind)
    assert np.array_equal(attend(X, blinded).Q[0], attend(moved, blinded).Q[0])


def test_A7_projecting_the_whole_row_is_not_slicing_it_first():
    x, W = np.array([[1.0, 2, 3, 4]]), np.arange(16.0).reshape(4, 4) / 10
    shown(project(x, into_bands(W, 2))[0, 0], [8, 9], 12)
    last_feature_moved = np.array([[1.0, 2, 3, 10]])
    shown(project(last_feature_moved, into_bands(W, 2))[0, 0], [15.2, 16.8], 12)
    small = np.array([[1.0, 2], [3, 4]])
    assert np.array_equal(x[:, :2] @ small, [[7, 10]]) and np.array_equal(x[:, 2:] @ small, [[15, 22]])
    assert (small.size, W.size) == (4, 16)


@pytest.mark.parametrize("h, count", [(1, 256), (2, 512), (4, 1024), (8, 2048)])
def test_A9_heads_of_full_width_are_legal_and_cost_h_times_as_much(h, count):
    p = Parameters(*(np.ones((h, 8, 8)) for _ in range(3)), np.ones((8 * h, 8)))
    assert p.W_Q.size + p.W_K.size + p.W_V.size + p.W_O.size == count
    assert attend(np.ones((3, 8)), p).concat.shape == (3, 8 * h)
    assert Parameters.seeded(8, h).d_k == 8 // h


def test_A11_the_heads_must_divide_the_width_and_the_message_says_which_do():
    assert legal_heads(12) == (1, 2, 3, 4, 6, 12)
    assert head_width(768, 12) == 64
    with pytest.raises(ValueError, match=r"5 heads cannot share 12 .* \(12 = 2 × 5 \+ 2\).*1, 2, 3, 4, 6, 12"):
        Parameters.seeded(12, 5)


@pytest.mark.parametrize("d_model, h, d_k, wide", [(640, 4, 256, 1024), (2560, 30, 128, 3840)])
def test_A12_real_models_whose_heads_do_not_divide_the_width(d_model, h, d_k, wide):
    W, W_O = np.zeros((d_model, wide), np.float32), np.zeros((wide, d_model), np.float32)
    p = Parameters(*(into_bands(W, d_k) for _ in range(3)), W_O)
    assert (p.h, p.d_model, p.d_k, p.d_v, p.d_out) == (h, d_model, d_k, d_k, d_model)
    assert side_by_side(p.W_Q).shape == (d_model, wide)
    trace = attend(np.zeros((2, d_model), np.float32), p)
    assert trace.concat.shape == (2, wide) and trace.output.shape == (2, d_model)


# Scaling


def test_A16_the_root_of_d_k_and_not_d_k_itself():
    ones = np.ones((1, 64))
    raw = score(ones, ones)
    assert [scale(raw, divisor)[0, 0] for divisor in (1, np.sqrt(64), 64)] == [64, 8, 1]
    for d, unscaled, by_d in ((4, [0.8808, 0.1192], [0.6225, 0.3775]), (64, [0.9997, 0.0003], [0.5312, 0.4688]),
                              (512, [1, 0], [0.511, 0.489])):
        typical = np.sqrt(d) * np.array([[1.0, 0.0]])
        shown(softmax(scale(typical, 1.0))[0], unscaled)
        shown(softmax(scale(typical, np.sqrt(d)))[0], [0.7311, 0.2689])
        shown(softmax(scale(typical, float(d)))[0], by_d)


def test_A17_the_divisor_belongs_to_the_head_not_to_the_model():
    assert attend(np.ones((1, 512)), Parameters.seeded(512, 8)).divisor == 8
    raw = np.array([[16.0, 8, 0]])
    shown(softmax(scale(raw, 8.0))[0], [0.6652, 0.2447, 0.09])
    shown(softmax(scale(raw, np.sqrt(512)))[0], [0.4555, 0.3199, 0.2246])


# Softmax direction


def test_A22_softmax_runs_along_rows():
    S = np.array([[1.0, 0], [3, 0]])
    shown(softmax(S), [[0.7311, 0.2689], [0.9526, 0.0474]])
    shown(softmax(S.T).T, [[0.1192, 0.5], [0.8808, 0.5]])
    shown(softmax(S.T).T.sum(axis=1), [0.6192, 1.3808])


# Weight matrices


def test_A30_shared_query_and_key_matrices_give_symmetric_scores_and_unsymmetric_weights():
    trace = attend(np.array([[1.0, 0], [0, 2]]), identity_layer(2, 1))
    shown(trace.scaled[0], [[0.7071, 0], [0, 2.8284]])
    shown(trace.weights[0], [[0.6698, 0.3302], [0.0558, 0.9442]])


def test_A34_a_key_bias_moves_whole_rows_of_scores_and_no_weight():
    Q, K, b = np.array([[1.0, 2], [0, -1]]), np.array([[1.0, 0], [0, 1], [2, 1]]), np.array([5.0, -3])
    raw, moved = score(Q, K), score(Q, K + b)
    assert np.array_equal(moved - raw, [[-1, -1, -1], [3, 3, 3]])
    root = np.sqrt(2)
    for scores in (raw, moved):
        shown(softmax(scale(scores, root)), [[0.087949, 0.17837, 0.733681], [0.50349, 0.248255, 0.248255]], 6)
    shown(softmax(scale(score(Q + b, K), root)), [[0.0283, 0.0002, 0.9715], [0.3301, 0.0006, 0.6694]])


def test_A36_heads_that_share_their_matrices_are_the_same_head():
    rng = np.random.default_rng(36)
    one = [rng.standard_normal((1, 11, width)) for width in (3, 3, 5)]
    p = Parameters(*(np.repeat(W, 8, axis=0) for W in one), np.eye(40))
    trace = attend(rng.standard_normal((7, 11)), p)
    for i in range(1, 8):
        assert np.array_equal(trace.weights[i], trace.weights[0])
        assert np.array_equal(trace.concat[:, 5 * i : 5 * i + 5], trace.concat[:, :5])


# Output projection, combining heads


def test_A37_without_mixing_the_lanes_stay_apart():
    rng = np.random.default_rng(37)
    bands = [rng.standard_normal((3, 11, width)) for width in (2, 2, 5)]
    X = rng.standard_normal((7, 11))
    apart = attend(X, Parameters(*bands, np.eye(15)))
    assert np.array_equal(apart.output, apart.concat)
    mixed = attend(X, Parameters(*bands, rng.standard_normal((15, 15))))
    assert np.array_equal(mixed.concat, apart.concat) and abs(mixed.output - mixed.concat).max() > 0.1


def test_A40_mixing_the_side_by_side_heads_is_summing_each_head_through_its_own_rows_of_W_O():
    trace = run(EXAMPLES["D12"])
    W_O = trace.parameters.W_O
    by_hand = sum(trace.heads[i] @ W_O[3 * i : 3 * (i + 1)] for i in range(3))
    np.testing.assert_allclose(trace.output, by_hand, rtol=1e-13)
    np.testing.assert_allclose(shares(trace).sum(axis=0), trace.output, rtol=1e-13)
    plain_sum = trace.heads.sum(axis=0) @ W_O[:3]
    assert abs(plain_sum - trace.output).max() > 1


def test_A42_averaging_the_maps_is_not_what_the_heads_do():
    weights, V = np.array([[[1.0, 0]], [[0, 1]]]), np.array([[[1.0, 0], [0, 1]], [[2, 2], [3, 3]]])
    assert np.array_equal(concatenate(blend(weights, V)), [[1, 0, 3, 3]])
    averaged = np.broadcast_to(weights.mean(axis=0), weights.shape)
    assert np.array_equal(concatenate(blend(averaged, V)), [[0.5, 0.5, 2.5, 2.5]])


# Masks


def test_A43_a_mask_is_minus_infinity_and_not_a_factor_of_0():
    scores, allowed = np.array([[0.43, -0.21, 0.99, 0.32, -0.35, 0.04]]), np.array([[True] * 3 + [False] * 3])
    weights = softmax(mask(scores, allowed))
    shown(weights[0], [0.3051, 0.1609, 0.5341, 0, 0, 0])
    assert (weights[0, 3:] == 0).all()
    shown(softmax(scores * allowed)[0], [0.1912, 0.1008, 0.3348, 0.1244, 0.1244, 0.1244])


# Size and cost


def test_A49_the_number_of_parameters_does_not_depend_on_h():
    import torch  # here and not above: tests/faults runs this module many times, and torch is slow to import

    for h in (1, 2, 4, 8):
        p = Parameters.seeded(8, h)
        assert p.W_Q.size + p.W_K.size + p.W_V.size + p.W_O.size == 256
        biased = dataclasses.replace(p, **{b: np.ones((h, 8 // h)) for b in ("b_Q", "b_K", "b_V")}, b_O=np.ones(8))
        assert sum(getattr(biased, field.name).size for field in dataclasses.fields(biased)) == 288
    for h in (4, 8):
        layer = torch.nn.MultiheadAttention(448, h)
        assert sum(parameter.numel() for parameter in layer.parameters()) == 804_608


@pytest.mark.parametrize("h, kept", [(1, 36), (2, 72), (4, 144), (8, 288)])
def test_A51_the_multiplications_do_not_depend_on_h_but_the_maps_kept_do(h, kept):
    trace = attend(np.ones((6, 8)), Parameters.seeded(8, h))
    by_scores = trace.scores.size * trace.parameters.d_k
    by_blend = trace.heads.size * len(trace.context)
    assert by_scores + by_blend == 2 * 6**2 * 8 == 576
    assert trace.weights.size == kept


# Order, similarity, meaning


def test_A52_shuffling_words_shuffles_rows_and_leaves_the_mean_alone_unless_order_is_masked():
    rng = np.random.default_rng(52)
    p, X, order = random_parameters(rng, Sizes(), cross=False), rng.standard_normal((3, 11)), [2, 0, 1]
    plain, shuffled = attend(X, p).output, attend(X[order], p).output
    np.testing.assert_allclose(shuffled, plain[order], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(shuffled.mean(axis=0), plain.mean(axis=0), rtol=1e-12, atol=1e-12)
    plain, shuffled = attend(X, p, allowed=causal(3)).output, attend(X[order], p, allowed=causal(3)).output
    assert abs(shuffled - plain[order]).max() > 1e-3
    assert abs(shuffled.mean(axis=0) - plain.mean(axis=0)).max() > 1e-3


def test_A55_the_same_vector_twice_gives_equal_rows_and_columns():
    rng = np.random.default_rng(55)
    p, X = random_parameters(rng, Sizes(), cross=False), rng.standard_normal((7, 11))
    X[5] = X[2]
    trace = attend(X, p)
    assert trace.weights.shape == (3, 7, 7)
    np.testing.assert_allclose(trace.weights[:, 2], trace.weights[:, 5], rtol=1e-13)
    np.testing.assert_allclose(trace.weights[:, :, 2], trace.weights[:, :, 5], rtol=1e-13)
    np.testing.assert_allclose(trace.output[2], trace.output[5], rtol=1e-13)


def test_A57_different_weights_can_give_the_same_answer():
    V = np.array([[1.0, 2], [1, 2], [5, 0]])
    shown(blend(np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]]), V), [[1.4, 1.8], [1.4, 1.8]], 15)
    shown(blend(np.array([[0.9, 0.1]]), np.array([[0.0, 0], [1, 1]])), [[0.1, 0.1]], 15)


@pytest.mark.parametrize("only_score", [123.4, -5e8])
def test_A60_one_token_looks_at_itself_whatever_the_score(only_score):
    assert np.array_equal(softmax(np.array([[only_score]])), [[1]])
    p = Parameters.seeded(8, 2)
    x = np.random.default_rng(60).standard_normal((1, 8))
    for divisor in (None, 1, 1e-9):
        trace = attend(x, p, divisor=divisor)
        assert (trace.weights == 1).all()
        np.testing.assert_allclose(trace.output, x @ side_by_side(p.W_V) @ p.W_O, rtol=1e-12, atol=1e-14)


# Rows with nothing to attend to


def test_B1_a_query_with_every_key_masked_is_refused_by_name_and_never_NaN():
    with pytest.raises(ValueError, match="Query row 0 may look at no key"):
        attend(np.ones((3, 8)), Parameters.seeded(8, 2), allowed=np.zeros((3, 3), bool))
    allowed = np.ones((3, 3), bool)
    allowed[2] = False
    with pytest.raises(ValueError, match="Query row 2 may look at no key"):
        attend(np.ones((3, 8)), Parameters.seeded(8, 2), allowed=allowed)
    with pytest.raises(ValueError, match="Query row 2"):
        mask(np.ones((3, 3)), allowed)


def test_B2_one_head_of_three_without_keys_is_refused_with_its_head_and_row():
    allowed = np.ones((3, 5, 5), bool)
    allowed[1, 4] = False
    with pytest.raises(ValueError, match=r"Query row 4 .*\(1, 4\)"):
        attend(np.ones((5, 12)), Parameters.seeded(12, 3), allowed=allowed)


# Mask meaning


def test_B9_True_means_may_look_and_the_triangle_is_the_lower_one():
    trace = attend(np.ones((3, 8)), Parameters.seeded(8, 2), allowed=causal(3))
    np.testing.assert_allclose(trace.weights, np.broadcast_to(THIRDS, (2, 3, 3)), rtol=1e-15)
    with pytest.raises(ValueError, match="Query row 2"):
        attend(np.ones((3, 8)), Parameters.seeded(8, 2), allowed=~causal(3))


@pytest.mark.parametrize("kind", [float, int, np.uint8])
def test_B11_a_mask_of_numbers_is_refused_instead_of_being_added(kind):
    with pytest.raises(ValueError, match=r"mask holds .* it must hold True"):
        attend(np.ones((3, 8)), Parameters.seeded(8, 2), allowed=np.tri(3).astype(kind))
    added = softmax(np.tri(3))
    shown(added, [[0.5761, 0.2119, 0.2119], [0.4223, 0.4223, 0.1554], [1 / 3, 1 / 3, 1 / 3]])


def test_B15_a_causal_mask_is_square_and_does_not_guess_where_its_corner_belongs():
    p = Parameters.seeded(8, 2)
    X, context = np.ones((2, 8)), np.ones((5, 8))
    for n in (2, 5):
        with pytest.raises(ValueError, match=r"mask has shape .* must be \(2, 5\) or \(2, 2, 5\)"):
            attend(X, p, context=context, allowed=causal(n))
    top_left, bottom_right = np.tri(2, 5, dtype=bool), np.tri(2, 5, 3, dtype=bool)
    shown(attend(X, p, context=context, allowed=top_left).weights[0], [[1, 0, 0, 0, 0], [0.5, 0.5, 0, 0, 0]], 12)
    shown(attend(X, p, context=context, allowed=bottom_right).weights[0], [[0.25] * 4 + [0], [0.2] * 5], 12)


# Precision and extremes


def test_B23_half_precision_numbers_are_computed_in_float64():
    X = np.array([np.full(64, 300), np.zeros(64)], np.float16)
    trace = attend(X, identity_layer(64, 1))
    assert trace.scores[0, 0, 0] == 5.76e6 and trace.scaled[0, 0, 0] == 720_000
    assert np.array_equal(trace.weights[0], [[1, 0], [0.5, 0.5]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("factor", [1, 1000])
def test_B26_the_largest_score_is_taken_off_first(dtype, factor):
    scores = np.array([[-249.873093, -424.126709, -460.292542, 378.097443, -292.614532]], dtype) * dtype(factor)
    with np.errstate(all="raise", under="ignore"):
        shown(softmax(scores)[0], [0, 0, 0, 1, 0], 12)


def test_B27_no_token_no_answer():
    p = Parameters.seeded(8, 2)
    for empty in (np.empty((0, 8)), []):
        with pytest.raises(ValueError, match="at least one token"):
            attend(empty, p)
    with pytest.raises(ValueError, match="at least one token"):
        attend(np.ones((3, 8)), p, context=np.empty((0, 8)))
    with pytest.raises(ValueError, match="empty row"):
        softmax(np.empty((2, 0)))
    with pytest.raises(ValueError, match="nan"):
        softmax(np.array([[1.0, 2], [np.nan, 0]]))


def test_B28_the_raw_scores_are_still_there_after_the_softmax():
    trace = run(EXAMPLES["D8"])  # its X and matrices are whole numbers
    assert np.array_equal(trace.scores[0, 0], [2, 4, 4])
    shown(trace.weights[0, 0], [0.0634, 0.4683, 0.4683])
    scores = np.array([[2.0, 4, 4]])
    softmax(scores)
    assert np.array_equal(scores, [[2, 4, 4]])


def test_B29_NaN_is_turned_away_at_the_door_and_hidden_values_do_not_count():
    p = Parameters.seeded(8, 2)
    X = np.ones((3, 8))
    X[1, 4] = np.nan
    with pytest.raises(ValueError, match=r"X holds nan at \(1, 4\)"):
        attend(X, p)
    with pytest.raises(ValueError, match="context holds inf"):
        attend(np.ones((3, 8)), p, context=np.full((2, 8), np.inf))
    W = np.ones((2, 8, 4))
    W[1, 2, 3] = -np.inf
    with pytest.raises(ValueError, match=r"W_V holds -inf at \(1, 2, 3\)"):
        dataclasses.replace(p, W_V=W)
    rng = np.random.default_rng(29)
    first, second = rng.standard_normal((2, 8)), None
    second = np.vstack([first[:1], 1e6 * first[1:]])
    allowed = np.array([[True, False], [True, True]])
    one, two = attend(first, p, allowed=allowed), attend(second, p, allowed=allowed)
    np.testing.assert_allclose(one.output[0], two.output[0], rtol=1e-12)


# Layout bugs


def test_B34_heads_are_laid_side_by_side_token_by_token():
    heads = np.array([[[1.0, 2], [3, 4]], [[5, 6], [7, 8]]])  # (a,b),(c,d) and (e,f),(g,h)
    assert np.array_equal(concatenate(heads), [[1, 2, 5, 6], [3, 4, 7, 8]])


def test_B35_heads_do_not_mix_up_tokens_where_h_and_n_differ():
    """Only in head i and token j something happens; it must show up there and nowhere else."""
    for n, h in ((5, 2), (2, 5), (7, 3)):
        p = identity_layer(4 * h, h)
        for token in range(n):
            X = np.zeros((n, 4 * h))
            X[token, 4 * (h - 1)] = 1
            trace = attend(X, p)
            assert np.array_equal(np.argwhere(trace.Q), [[h - 1, token, 0]])
            assert np.array_equal(np.argwhere(trace.scores), [[h - 1, token, token]])
            assert (trace.concat[:, : 4 * (h - 1)] == 0).all() and (trace.concat[:, 4 * (h - 1)] > 0).all()


def test_B43_values_may_be_narrower_than_keys():
    example = EXAMPLES["D10"]
    weights, heads = heads_of(example, np.sqrt(3))
    assert weights.shape == (3, 4) and heads.shape == (3, 2)
    p = Parameters(np.ones((2, 7, 3)), np.ones((2, 7, 3)), np.ones((2, 7, 2)), np.ones((4, 7)))
    trace = attend(np.ones((5, 7)), p)
    assert (trace.weights.shape, trace.heads.shape, p.W_O.shape) == ((2, 5, 5), (2, 5, 2), (4, 7))
    with pytest.raises(ValueError, match=r"W_O has shape \(6, 7\).*\(4, 7\)"):
        dataclasses.replace(p, W_O=np.ones((6, 7)))


def test_B44_a_number_of_heads_that_does_not_fit_is_answered_with_those_that_do():
    with pytest.raises(ValueError, match=r"12 heads cannot share 1024 .*1024 = 85 × 12 \+ 4.*1, 2, 4, 8, 16, 32"):
        head_width(1024, 12)
    with pytest.raises(ValueError, match=r"24 heads .*1, 2, 4, 8, 16, 32"):
        Parameters.seeded(1024, 24)
    with pytest.raises(ValueError, match="at least 1"):
        head_width(8, 0)


# Numbers of shared/lesson.md


def test_the_numbers_of_the_lesson():
    assert head_width(512, 8) == head_width(768, 12) == 64 and 12 * 64 == 768
    assert scale(np.array([[40.0]]), np.sqrt(64))[0, 0] == 5.0
    n = 10
    assert 8 * n**2 * 64 == n**2 * 512
    p = Parameters.seeded(512, 8)
    trace = attend(np.random.default_rng(0).standard_normal((10, 512)), p)
    assert trace.divisor == 8
    arrays = (trace.X, trace.Q[0], trace.weights[0], trace.heads[0], trace.concat, trace.output)
    assert [array.shape for array in arrays] == [(10, 512), (10, 64), (10, 10), (10, 64), (10, 512), (10, 512)]
    V = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert np.array_equal(blend(np.array([[0.6, 0.3, 0.1]]), V), [[0.6, 0.3, 0.1]])
    assert mix(np.ones((3, 768)), np.ones((768, 768))).shape == (3, 768)
