"""What must hold for any numbers whatever: of softmax rows, of order, of heads, and of arrays that are not ours."""

import dataclasses
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mha_core import AttentionTrace, Parameters, attend, causal
from mha_core.attention import SLAB, blend, concatenate, mix, project, scale, score, softmax
from tests.core.reference import Sizes, causal_mask, random_mask, random_parameters, single_head

SEEDS = st.integers(0, 2**32 - 1)
COUNTED = ("Q", "K", "V", "scores", "scaled", "masked", "weights", "heads", "concat", "output")


def layer(seed, n=7, biases=True, dtype=np.float64):
    """A self-attention layer of awkward sizes and a sentence for it."""
    rng = np.random.default_rng(seed)
    p = random_parameters(rng, Sizes(), cross=False, biases=biases, dtype=dtype)
    return p, rng.standard_normal((n, p.d_model)).astype(dtype), rng


def near(got, wanted, tolerance=1e-12):
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


# Rows of weights


@given(arrays(np.float64, (3, 5), elements=st.floats(-1e300, 1e300)))
def test_softmax_of_any_finite_rows_is_a_distribution(scores):
    weights = softmax(scores)
    assert ((weights >= 0) & (weights <= 1)).all()
    near(weights.sum(axis=-1), 1.0, 1e-15 * 5)
    assert np.array_equal(weights.argmax(axis=-1), [row.argmax() for row in weights])
    for row, weight in zip(scores, weights):
        assert weight[row.argmax()] == weight.max()


@given(arrays(np.float64, (2, 7), elements=st.floats(-50, 50)), st.integers(-1000, 1000))
def test_softmax_does_not_see_a_number_added_to_a_whole_row(scores, shift):
    near(softmax(scores + shift), softmax(scores), 1e-11)


@given(SEEDS, st.booleans())
def test_every_row_of_weights_sums_to_1_and_hidden_cells_are_exactly_0(seed, per_head):
    p, X, rng = layer(seed)
    allowed = random_mask(rng, *((3, 7, 7) if per_head else (7, 7)))
    trace = attend(X, p, allowed=allowed)
    near(trace.weights.sum(axis=-1), 1.0, 1e-14)
    hidden = ~np.broadcast_to(allowed, trace.weights.shape)
    assert (trace.weights[hidden] == 0).all() and (trace.masked[hidden] == -np.inf).all()
    assert (trace.weights[~hidden] > 0).all() and np.array_equal(trace.masked[~hidden], trace.scaled[~hidden])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("level", [0.0, -3.7, 1e37])
def test_equal_scores_give_exactly_one_nth(level, dtype):
    for n in [*range(1, 40), 1000]:
        assert (softmax(np.full((1, n), level, dtype)) == dtype(1) / dtype(n)).all()


@pytest.mark.parametrize("n", [1, 2, 3, 7, 10])
def test_equal_tokens_share_the_weight_evenly_through_the_whole_layer(n):
    near(attend(np.ones((n, 8)), Parameters.seeded(8, 2)).weights, 1 / n, 1e-15)


@pytest.mark.parametrize("dtype, huge", [(np.float64, 1e300), (np.float32, 1e37)])
def test_huge_scores_neither_overflow_nor_warn(dtype, huge):
    scores = np.array([[huge, -huge, 0.0], [-huge, -huge, -huge], [huge, huge, -huge]], dtype)
    expected = np.array([[1, 0, 0], [1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0]], dtype)
    with np.errstate(over="raise", invalid="raise"):
        assert np.array_equal(softmax(scores), expected)


@pytest.mark.parametrize("shape", [(3, 211, 211), (2, 2, SLAB + 3), (SLAB // 2 + 1, 3)])
@pytest.mark.parametrize("dtype, tolerance", [(np.float64, 1e-13), (np.float32, 1e-5)])
def test_a_map_too_large_for_the_cache_is_softmaxed_like_a_small_one(shape, dtype, tolerance):
    scores = np.random.default_rng(2).standard_normal(shape).astype(dtype)
    exponentials = np.exp(scores.astype(float))
    weights = softmax(scores)
    assert weights.shape == shape and weights.dtype == dtype
    near(weights, exponentials / exponentials.sum(axis=-1, keepdims=True), tolerance)
    last = tuple(size - 1 for size in shape[:-1])
    scores[last] = -np.inf
    with pytest.raises(ValueError, match=re.escape(f"Row {last} has -inf")):
        softmax(scores)


def test_one_score_that_dwarfs_the_rest_takes_all_the_weight():
    tail = [1 - softmax(np.array([[top, 1.0, 2.0, 3.0]]))[0, 0] for top in (3.0, 10.0, 30.0, 100.0)]
    assert tail == sorted(tail, reverse=True) and tail[0] > 0.5 and tail[2] < 1e-11 and tail[3] == 0
    V = np.array([[0.6, 7.0], [1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert np.array_equal(blend(softmax(np.array([[1000.0, 1.0, 2.0, 3.0]])), V), V[:1])


# Order, causality


@given(SEEDS, st.permutations(range(7)))
def test_shuffled_words_give_the_same_rows_in_the_shuffled_order(seed, order):
    p, X, _ = layer(seed)
    plain, shuffled = attend(X, p), attend(X[list(order)], p)
    near(shuffled.output, plain.output[list(order)])
    near(shuffled.weights, plain.weights[:, list(order)][:, :, list(order)])


@given(SEEDS, st.integers(0, 6))
def test_under_a_causal_mask_a_later_word_changes_nothing_earlier(seed, changed):
    p, X, rng = layer(seed)
    other = X.copy()
    other[changed] = rng.standard_normal(p.d_model)
    first, second = attend(X, p, allowed=causal(7)), attend(other, p, allowed=causal(7))
    assert np.array_equal(first.output[:changed], second.output[:changed])
    assert (first.output[changed:] != second.output[changed:]).any(axis=1).all()  # each later word does hear of it


@pytest.mark.parametrize("n", [1, 2, 5, 11])
def test_causal_is_the_lower_triangle(n):
    assert np.array_equal(causal(n), causal_mask(n)) and causal(n).dtype == bool


# Heads


@given(SEEDS, st.integers(0, 2))
def test_one_of_h_heads_is_a_run_with_that_head_alone(seed, i):
    p, X, rng = layer(seed)
    allowed = random_mask(rng, 3, 7, 7)
    whole, alone = attend(X, p, allowed=allowed), attend(X, single_head(p, i), allowed=allowed[i : i + 1])
    for field in ("Q", "K", "V", "scores", "scaled", "masked", "weights", "heads"):
        near(getattr(alone, field)[0], getattr(whole, field)[i])


@given(SEEDS)
def test_the_output_is_the_sum_of_what_single_heads_give_plus_the_bias_once(seed):
    p, X, _ = layer(seed)
    near(sum(attend(X, single_head(p, i)).output for i in range(3)) + p.b_O, attend(X, p).output)


@given(SEEDS)
def test_projecting_and_then_splitting_is_h_small_projections_and_slicing_first_is_not(seed):
    p, X, _ = layer(seed, biases=False)
    wide = X @ np.hstack(list(p.W_Q))
    for i in range(3):
        near(project(X, p.W_Q)[i], X @ p.W_Q[i])
        near(project(X, p.W_Q)[i], wide[:, 2 * i : 2 * (i + 1)])
        sliced = X[:, 2 * i : 2 * (i + 1)] @ p.W_Q[i][:2]  # a slice of X through a slice of the matrix: another thing
        assert abs(project(X, p.W_Q)[i] - sliced).max() > 1e-6


@given(SEEDS)
def test_h_1_is_single_head_attention_as_everybody_writes_it(seed):
    rng = np.random.default_rng(seed)
    p = random_parameters(rng, Sizes(h=1), cross=False, biases=False)
    X = rng.standard_normal((7, 11))
    Q, K, V = X @ p.W_Q[0], X @ p.W_K[0], X @ p.W_V[0]
    exponentials = np.exp(Q @ K.T / np.sqrt(2))
    near(attend(X, p).heads[0], exponentials / exponentials.sum(axis=1, keepdims=True) @ V, 1e-11)


@given(SEEDS)
def test_a_bias_on_the_keys_moves_every_score_of_a_row_alike_and_no_weight(seed):
    p, X, rng = layer(seed)
    moved = dataclasses.replace(p, b_K=p.b_K + rng.standard_normal(p.b_K.shape))
    first, second = attend(X, p), attend(X, moved)
    near(second.weights, first.weights, 1e-9)
    shift = second.scores - first.scores
    near(shift, np.broadcast_to(shift[:, :, :1], shift.shape), 1e-9)
    assert abs(shift).max() > 1e-3


def test_cross_attention_takes_keys_and_values_from_the_context_and_queries_from_X():
    rng = np.random.default_rng(8)
    p = random_parameters(rng, Sizes())
    X, context = rng.standard_normal((7, 11)), rng.standard_normal((5, 13))
    trace = attend(X, p, context=context)
    near(trace.Q, X @ p.W_Q + p.b_Q[:, None])
    near(trace.K, context @ p.W_K + p.b_K[:, None])
    near(trace.V, context @ p.W_V + p.b_V[:, None])
    assert not trace.is_self_attention and trace.weights.shape == (3, 7, 5)


def test_a_sentence_handed_over_as_its_own_context_gives_the_same_numbers():
    p, X, _ = layer(4)
    one, two = attend(X, p), attend(X, p, context=X)
    assert one.is_self_attention and one.context is one.X
    for field in COUNTED:
        near(getattr(two, field), getattr(one, field))


# Divisor


@pytest.mark.parametrize("divisor", [1, 2.5, np.float64(3)])
def test_the_divisor_divides_and_left_out_it_is_the_root_of_d_k(divisor):
    p, X, _ = layer(6)
    assert attend(X, p).divisor == np.sqrt(2)
    trace = attend(X, p, divisor=divisor)
    assert trace.divisor == divisor and type(trace.divisor) is float
    assert np.array_equal(trace.scaled, trace.scores / divisor)


@pytest.mark.parametrize("divisor", [0, -1, float("nan"), float("inf")])
def test_a_divisor_that_cannot_divide_is_refused(divisor):
    p, X, _ = layer(6)
    with pytest.raises(ValueError, match="positive number"):
        attend(X, p, divisor=divisor)


def test_scaling_keeps_float32_and_does_not_round_the_divisor():
    scores = np.array([[1.0, 2.0]], np.float32)
    assert scale(scores, np.sqrt(2)).dtype == np.float32
    assert np.array_equal(scale(scores, np.sqrt(2)), scores / np.float32(np.sqrt(2)))


# Arrays: kinds, ownership


@pytest.mark.parametrize("n", [7, 131])
@pytest.mark.parametrize("biases", [False, True])
def test_float32_stays_float32_in_every_stage(n, biases):
    p, X, _ = layer(1, n, biases, np.float32)
    trace = attend(X, p, allowed=causal(n), divisor=np.float64(2.0))
    assert {getattr(trace, field).dtype for field in ("X", "context", *COUNTED)} == {np.dtype(np.float32)}


@pytest.mark.parametrize("kind", [int, bool, np.float16, np.float64, np.int8, list])
def test_every_other_kind_of_number_becomes_float64(kind):
    whole = np.arange(12).reshape(3, 4) % 3
    X = whole.tolist() if kind is list else whole.astype(kind)
    trace = attend(X, Parameters(*(np.ones((2, 4, 3)) for _ in range(3)), np.ones((6, 4))))
    assert {getattr(trace, field).dtype for field in ("X", *COUNTED)} == {np.dtype(np.float64)}
    assert np.array_equal(trace.X, np.asarray(X, float))


@pytest.mark.parametrize("n", [7, 131])
@pytest.mark.parametrize("masked", [False, True])
def test_every_array_of_a_trace_is_read_only(n, masked):
    p, X, _ = layer(2, n)
    trace = attend(X, p, allowed=causal(n) if masked else None)
    names = ("X", "context", *COUNTED, *(("allowed",) if masked else ()))
    learned = [getattr(p, field.name) for field in dataclasses.fields(p)]
    for array in (*(getattr(trace, name) for name in names), *learned, p.fused):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@pytest.mark.parametrize("n", [7, 131])
def test_the_callers_arrays_are_left_alone_and_what_he_does_to_them_later_changes_nothing(n):
    rng = np.random.default_rng(0)
    shapes = ((3, 11, 2), (3, 11, 2), (3, 11, 5), (15, 7), (3, 2), (3, 2), (3, 5), (7,))
    given = [rng.standard_normal(shape) for shape in shapes]
    X, allowed = rng.standard_normal((n, 11)), random_mask(rng, n, n)
    everything = [*given, X, allowed]
    before = [array.copy() for array in everything]
    p = Parameters(*given)
    trace = attend(X, p, allowed=allowed)
    assert all(np.array_equal(array, copy) and array.flags.writeable for array, copy in zip(everything, before))
    kept = {name: getattr(trace, name).copy() for name in ("X", "context", "allowed", *COUNTED)}
    for array in everything:
        array[...] = 1
    assert all(np.array_equal(getattr(trace, name), copy) for name, copy in kept.items())
    again = attend(before[-2], p, allowed=before[-1])
    assert np.array_equal(again.output, kept["output"])  # nor have the parameters changed


def test_one_trace_does_not_change_another():
    p, X, _ = layer(3)
    first = attend(X, p)
    kept = {name: getattr(first, name).copy() for name in COUNTED}
    attend(X[::-1], p)
    assert all(np.array_equal(getattr(first, name), copy) for name, copy in kept.items())


def test_types_cannot_be_changed_by_assignment():
    p, X, _ = layer(3)
    trace = attend(X, p)
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace.output = X
    with pytest.raises(dataclasses.FrozenInstanceError):
        p.W_O = X


def test_the_stages_chained_by_hand_are_the_trace():
    p, X, _ = layer(12)
    trace = attend(X, p)
    Q, K, V = project(X, p.W_Q, p.b_Q), project(X, p.W_K, p.b_K), project(X, p.W_V, p.b_V)
    weights = softmax(scale(score(Q, K), np.sqrt(p.d_k)))
    assert np.array_equal(mix(concatenate(blend(weights, V)), p.W_O, p.b_O), trace.output)
    assert isinstance(trace, AttentionTrace)
