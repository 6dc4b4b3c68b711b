"""The one table: every grid of numbers on the way from words to output, declared once.

Navigation, shape badges, formulas, pictures, "where does this number come from", code panels and tests all read STAGES.
"""

from dataclasses import dataclass

import numpy as np

from mha_core import attention, embedding, positions
from mha_core.attention import AttentionTrace

# The few ways in which a cell can be made. `needs` lists the fields a rule reads, in this order:
RULES = {
    "given": "nothing: the number comes from outside (a word's embedding, a position, a learned parameter)",
    "sum": "a, b: the two cells at the same place, added",
    "product": "left, right, bias: a row of left against a column of right, pair by pair, added up with the bias",
    "dot": "left, right: a row of left against a row of right, multiplied pair by pair, added up",
    "divide": "cells, divisor: the cell at the same place, divided",
    "mask": "cells, allowed: the cell at the same place, or −∞ where looking is not allowed",
    "softmax": "cells: the exponential of the cell, divided by the sum of the exponentials along its row",
    "copy": "heads: the same number, at its place beside the other heads",
}


@dataclass(frozen=True)
class Stage:
    """One grid. `axes` says what each axis counts; `code` is the function that made it (None where it is given)."""

    field: str
    symbol: str
    title: str
    formula: str
    needs: tuple[str, ...]
    rule: str
    step: int
    role: str
    axes: tuple[str, ...]
    code: object = None


WORDS, PAIRS = ("head", "word", "feature"), ("head", "query", "key")
STAGES: tuple[Stage, ...] = (
    Stage("E", "E", "word embeddings", "E = the row of each word", (), "given", 1, "input", ("word", "feature"),
          embedding.word_row),
    Stage("P", "P", "positions", "P = sines and cosines of the place", (), "given", 1, "input", ("word", "feature"),
          positions.sinusoid),
    Stage("X", "X", "the sentence", "X = E + P", ("E", "P"), "sum", 1, "input", ("word", "feature"), embedding.embed),
    Stage("context", "X′", "the other sentence", "X′ = X in self-attention", (), "given", 1, "input",
          ("word", "feature")),
    Stage("W_Q", "W^Q", "query matrix", "learned", (), "given", 2, "query", ("head", "feature", "feature")),
    Stage("b_Q", "b^Q", "query bias", "learned", (), "given", 2, "query", ("head", "feature")),
    Stage("Q", "Q", "queries", "Q = X W^Q", ("X", "W_Q", "b_Q"), "product", 2, "query", WORDS, attention.project),
    Stage("W_K", "W^K", "key matrix", "learned", (), "given", 2, "key", ("head", "feature", "feature")),
    Stage("b_K", "b^K", "key bias", "learned", (), "given", 2, "key", ("head", "feature")),
    Stage("K", "K", "keys", "K = X W^K", ("context", "W_K", "b_K"), "product", 2, "key", WORDS, attention.project),
    Stage("W_V", "W^V", "value matrix", "learned", (), "given", 2, "value", ("head", "feature", "feature")),
    Stage("b_V", "b^V", "value bias", "learned", (), "given", 2, "value", ("head", "feature")),
    Stage("V", "V", "values", "V = X W^V", ("context", "W_V", "b_V"), "product", 2, "value", WORDS, attention.project),
    Stage("scores", "S", "scores", "S = Q Kᵀ", ("Q", "K"), "dot", 3, "score", PAIRS, attention.score),
    Stage("scaled", "S/√d_k", "scaled scores", "S / √d_k", ("scores", "divisor"), "divide", 4, "score", PAIRS,
          attention.scale),
    Stage("masked", "M", "masked scores", "−∞ where not allowed", ("scaled", "allowed"), "mask", 4, "score", PAIRS,
          attention.mask),
    Stage("weights", "A", "attention weights", "A = softmax(S / √d_k)", ("masked",), "softmax", 4, "weight", PAIRS,
          attention.softmax),
    Stage("heads", "Z", "the head's answer", "head = A V", ("weights", "V"), "product", 5, "head", WORDS,
          attention.blend),
    Stage("concat", "Concat", "heads side by side", "Concat(head_1 … head_h)", ("heads",), "copy", 7, "head",
          ("word", "lane"), attention.concatenate),
    Stage("W_O", "W^O", "mixing matrix", "learned", (), "given", 7, "output", ("lane", "feature")),
    Stage("b_O", "b^O", "output bias", "learned", (), "given", 7, "output", ("feature",)),
    Stage("output", "Y", "output", "Y = Concat(head_1 … head_h) W^O", ("concat", "W_O", "b_O"), "product", 7, "output",
          ("word", "feature"), attention.mix),
)
BY_FIELD = {stage.field: stage for stage in STAGES}
PARAMETER_FIELDS = ("W_Q", "b_Q", "W_K", "b_K", "W_V", "b_V", "W_O", "b_O")


def stage_of(field: str) -> Stage:
    """The row of the table for one field; ValueError, listing the fields, where there is none of that name."""
    if field not in BY_FIELD:
        raise ValueError(f"There is no grid named {field!r}; the grids are {', '.join(BY_FIELD)}.")
    return BY_FIELD[field]


def grid_of(trace: AttentionTrace, field: str) -> np.ndarray | None:
    """The array of one field of this trace, learned parameters included; None where this trace has none."""
    stage_of(field)
    return getattr(trace.parameters if field in PARAMETER_FIELDS else trace, field)


def needs_of(trace: AttentionTrace, field: str) -> tuple[str, ...]:
    """The fields that really fed this one in this trace: no absent bias, no absent E, and X for a context it equals."""
    needs = tuple(n for n in stage_of(field).needs if n == "divisor" or n == "allowed" or grid_of(trace, n) is not None)
    return tuple("X" if n == "context" and trace.is_self_attention else n for n in needs)
