"""Output and every head's weights against torch.nn.MultiheadAttention, with its parameters cut by hand."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from mha_core import Parameters, attend
from tests.core.reference import causal_mask, random_mask

MASKS = ("none", "causal", "random", "per head")


def theirs(d_model, h, *, bias, d_context, seed, dtype):
    """A torch layer whose every parameter is random, biases too (torch itself starts them at 0)."""
    torch.manual_seed(seed)
    width = None if d_context == d_model else d_context
    layer = torch.nn.MultiheadAttention(
        d_model, h, bias=bias, kdim=width, vdim=width, batch_first=True, dtype=dtype
    ).eval()
    with torch.no_grad():
        for parameter in layer.parameters():
            torch.nn.init.normal_(parameter, std=d_model**-0.5)
    return layer


def ours(layer):
    """The same parameters in our shapes. torch keeps (out, in), the heads stacked: head i owns rows i·d_k …."""
    d_k = layer.head_dim
    if layer.in_proj_weight is not None:
        big = layer.in_proj_weight.detach().numpy()
        stacked = [big[i * layer.embed_dim : (i + 1) * layer.embed_dim] for i in range(3)]
    else:
        stacked = [w.detach().numpy() for w in (layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight)]
    W = [np.stack([m[i * d_k : (i + 1) * d_k].T for i in range(layer.num_heads)]) for m in stacked]
    W_O = layer.out_proj.weight.detach().numpy().T
    if layer.in_proj_bias is None:
        return Parameters(*W, W_O)
    b = layer.in_proj_bias.detach().numpy().reshape(3, layer.num_heads, d_k)
    return Parameters(*W, W_O, *b, layer.out_proj.bias.detach().numpy())


def mask_of(kind, rng, h, n_q, n_k):
    if kind == "causal" and n_q == n_k:
        return causal_mask(n_q)
    return {"random": random_mask(rng, n_q, n_k), "per head": random_mask(rng, h, n_q, n_k)}.get(kind)


def run_both(rng, layer, n_q, n_k, d_context, kind, dtype):
    X = rng.standard_normal((n_q, layer.embed_dim)).astype(dtype)
    context = None if n_k is None else rng.standard_normal((n_k, d_context)).astype(dtype)
    other = X if context is None else context
    allowed = mask_of(kind, rng, layer.num_heads, n_q, len(other))
    forbidden = None if allowed is None else torch.from_numpy(~allowed)  # torch says True for "may not look"
    query, key = torch.from_numpy(X)[None], torch.from_numpy(other)[None]
    with torch.inference_mode():
        output, weights = layer(query, key, key, attn_mask=forbidden, need_weights=True, average_attn_weights=False)
    return attend(X, ours(layer), context=context, allowed=allowed), output[0].numpy(), weights[0].numpy()


@given(
    st.permutations((2, 3, 5, 7, 11)), st.integers(0, 2**31), st.booleans(),
    st.sampled_from(("self", "cross", "cross of another width")), st.sampled_from(MASKS),
)
def test_output_and_weights_of_every_head_equal_torch_in_float64(primes, seed, bias, kind, masking):
    h, d_k, n_q, n_k, extra = primes
    d_model = h * d_k
    d_context = d_model + extra if kind == "cross of another width" else d_model
    rng = np.random.default_rng(seed)
    layer = theirs(d_model, h, bias=bias, d_context=d_context, seed=seed, dtype=torch.float64)
    trace, output, weights = run_both(rng, layer, n_q, None if kind == "self" else n_k, d_context, masking, np.float64)
    np.testing.assert_allclose(trace.output, output, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(trace.weights, weights, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("masking", MASKS)
@pytest.mark.parametrize("n", [11, 67])
def test_float32_equals_torch_to_float32(n, masking):
    rng = np.random.default_rng(n)
    layer = theirs(15, 3, bias=True, d_context=15, seed=n, dtype=torch.float32)
    trace, output, weights = run_both(rng, layer, n, None, 15, masking, np.float32)
    assert trace.output.dtype == trace.weights.dtype == np.float32
    np.testing.assert_allclose(trace.output, output, rtol=1e-5, atol=5e-6)
    np.testing.assert_allclose(trace.weights, weights, rtol=1e-5, atol=5e-6)


def test_a_wide_layer_of_twelve_heads_equals_torch_in_float64():
    """The size of a real encoder (d_model 384, 12 heads), long enough for the wide product."""
    rng = np.random.default_rng(1)
    layer = theirs(384, 12, bias=True, d_context=384, seed=1, dtype=torch.float64)
    trace, output, weights = run_both(rng, layer, 101, None, 384, "causal", np.float64)
    np.testing.assert_allclose(trace.output, output, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(trace.weights, weights, rtol=1e-12, atol=1e-12)
