"""Every stage of attend() against plain loops, also where torch cannot follow: d_v ≠ d_k, h·d_v ≠ d_model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core import Parameters, attend
from mha_core.attention import FUSED_FROM, project, shares
from tests.core.reference import Sizes, causal_mask, loops, random_mask, random_parameters

FIELDS = ("Q", "K", "V", "scores", "scaled", "masked", "weights", "heads", "concat", "output")


def compare(trace, expected, tolerance=1e-12):
    for field in FIELDS:
        got, wanted = getattr(trace, field), expected[field]
        assert got.shape == wanted.shape, field
        np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance, err_msg=field)


@given(
    st.permutations((2, 3, 5, 7, 11, 13, 17)), st.integers(0, 2**32 - 1), st.booleans(), st.booleans(),
    st.sampled_from(("none", "shared", "per head")), st.sampled_from((None, 1.0, 4.7)),
)
def test_every_stage_equals_plain_loops(primes, seed, cross, biases, masking, divisor):
    h, n_q, n_k, d_model, d_context, d_k, d_v = primes
    sizes = Sizes(h, n_q, n_k if cross else n_q, d_model, d_context, d_k, d_v, d_out=19)
    rng = np.random.default_rng(seed)
    p = random_parameters(rng, sizes, cross=cross, biases=biases)
    X = rng.standard_normal((n_q, d_model))
    context = rng.standard_normal((sizes.n_k, d_context)) if cross else None
    shape = {"none": None, "shared": (n_q, sizes.n_k), "per head": (h, n_q, sizes.n_k)}[masking]
    allowed = None if shape is None else random_mask(rng, *shape)
    trace = attend(X, p, context=context, allowed=allowed, divisor=divisor)
    compare(trace, loops(X, p, context, allowed, divisor))


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("dtype, tolerance", [(np.float64, 1e-12), (np.float32, 2e-5)])
def test_causal_self_attention_equals_plain_loops(masked, dtype, tolerance):
    rng = np.random.default_rng(3)
    sizes = Sizes(n_q=7, n_k=7)
    p = random_parameters(rng, sizes, cross=False, dtype=dtype)
    X = rng.standard_normal((7, sizes.d_model)).astype(dtype)
    allowed = causal_mask(7) if masked else None
    trace = attend(X, p, allowed=allowed)
    assert trace.output.dtype == dtype
    compare(trace, loops(X, p, allowed=allowed), tolerance)


@pytest.mark.parametrize("biases", [False, True])
@pytest.mark.parametrize("n", [FUSED_FROM - 1, FUSED_FROM, FUSED_FROM + 3, 131])
def test_a_long_sentence_is_projected_like_a_short_one(n, biases):
    """From FUSED_FROM tokens on Q, K and V come from one wide product; it must not change a number."""
    rng = np.random.default_rng(n)
    p = random_parameters(rng, Sizes(), cross=False, biases=biases)
    X = rng.standard_normal((n, p.d_model))
    trace = attend(X, p)
    for field, W, b in (("Q", p.W_Q, p.b_Q), ("K", p.W_K, p.b_K), ("V", p.W_V, p.b_V)):
        by_hand = np.einsum("nm,hmk->hnk", X, W) + (0 if b is None else b[:, None, :])
        np.testing.assert_allclose(getattr(trace, field), by_hand, rtol=1e-12, atol=1e-12, err_msg=field)
        np.testing.assert_allclose(project(X, W, b), by_hand, rtol=1e-12, atol=1e-12, err_msg=field)


@pytest.mark.parametrize("n", [67, 131])
def test_a_long_masked_sentence_equals_plain_loops(n):
    rng = np.random.default_rng(n)
    sizes = Sizes(h=2, d_model=5, d_k=3, d_v=2, d_out=7)
    p = random_parameters(rng, sizes, cross=False)
    X, allowed = rng.standard_normal((n, 5)), random_mask(rng, 2, n, n)
    compare(attend(X, p, allowed=allowed), loops(X, p, allowed=allowed))


def test_the_shares_of_the_heads_add_up_to_the_output():
    rng = np.random.default_rng(5)
    p = random_parameters(rng, Sizes())
    trace = attend(rng.standard_normal((7, 11)), p, context=rng.standard_normal((5, 13)))
    by_hand = np.stack([trace.heads[i] @ p.W_O[17 * i : 17 * (i + 1)] for i in range(3)])
    np.testing.assert_allclose(shares(trace), by_hand, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(shares(trace).sum(axis=0) + p.b_O, trace.output, rtol=1e-12, atol=1e-12)


def test_seeded_parameters_are_the_documented_draw():
    d_model, h, seed = 12, 3, 29
    draw = np.random.RandomState(seed)
    grids = [draw.standard_normal((12, 12)) / np.sqrt(12) for _ in range(4)]
    p = Parameters.seeded(d_model, h, seed)
    for W, grid in zip((p.W_Q, p.W_K, p.W_V), grids):
        for head in range(h):
            assert np.array_equal(W[head], grid[:, 4 * head : 4 * (head + 1)])
    assert np.array_equal(p.W_O, grids[3])
    assert (p.b_Q, p.b_K, p.b_V, p.b_O) == (None, None, None, None)
    assert Parameters.seeded(12, 3, 29, np.float32).W_Q.dtype == np.float32
