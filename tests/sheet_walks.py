"""Walks for the tests of the sheet: of every kind that a page may show, and some that no page shows yet."""

from dataclasses import replace

import numpy as np

from mha_core.attention import attend, causal
from mha_core.parameters import Parameters
from walkthrough.settings import Settings
from walkthrough.walk import Walk

EQUATIONS = (
    "E + P = X", "X × W_Q = Q", "context × W_K = K", "context × W_V = V", "Q · K.T = scores",
    "scores → scaled → masked → weights", "weights × V = heads", "heads[all] ⇒ concat × W_O = output",
    "shares[all] = output", "weights[all]", "Q[all]",
)
# Labels that other viewers lose, merge, run or read as numbers and dates (cases.md, part C).
HOSTILE = (
    "the", "the", "[PAD]", "[PAD]", "1E1", "3E2", "2026-01", "$5", "20%", "1,000", "<s>", "</s>", "<b>", "a<b<c",
    "&lt;b&gt;", "<img src=x onerror=alert(1)>", "javascript:alert(1)", "snake_case_name", "*bold*", ":+1:", "[x](y)",
    "{row}", "{{head}}", " ",
    "👩‍👩‍👧", "💩", "我爱你", "שלום", "café", "W" * 60,
)


def make_walk(
    tokens=("the", "cat", "sat"), d_model=8, h=2, *, divisor="sqrt", mask="none", other=None, biases=False,
    positions=True, word=1, head=1, cell="", trail="", seed=5, allowed=None,
) -> Walk:
    """A walk of random numbers; word and head counted from 1."""
    draw, n = np.random.RandomState(seed), len(tokens)
    E, P = draw.standard_normal((n, d_model)), 0.3 * draw.standard_normal((n, d_model)) if positions else None
    parameters, d_k = Parameters.seeded(d_model, h, seed), d_model // h
    if biases:
        shapes = {"b_Q": (h, d_k), "b_K": (h, d_k), "b_V": (h, d_k), "b_O": (d_model,)}
        parameters = replace(parameters, **{name: draw.standard_normal(shape) for name, shape in shapes.items()})
    context = None if other is None else draw.standard_normal((len(other), d_model))
    trace = attend(
        E if P is None else E + P, parameters, context=context, allowed=causal(n) if mask == "causal" else allowed,
        divisor={"sqrt": None, "none": 1, "d_k": d_k}[divisor],
    )
    settings = Settings(
        sentence=" ".join(tokens), d_model=d_model, h=h, divisor=divisor, mask=mask, positions=positions, seed=seed,
        word=word, head=head, cell=cell, trail=trail,
    )
    others = tuple(tokens) if other is None else tuple(other)
    return Walk(settings, tuple(tokens), others, replace(trace, E=E, P=P), word - 1, head - 1, "Numbers of a test.")
