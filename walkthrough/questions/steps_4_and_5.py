"""Questions on Steps 4 and 5: scaling and softmax, and the blend of the values."""

from math import sqrt

import numpy as np

from mha_core.attention import softmax
from walkthrough import wrong_ways
from walkthrough.digits import digits
from walkthrough.lesson import text
from walkthrough.phrases import shape
from walkthrough.questions.making import (
    MOST_CHOICES,
    Case,
    Question,
    always,
    has_one_top,
    has_two_words,
    partner_scores,
    rounding_of,
    shown_error,
)
from walkthrough.small_grid import Grid
from walkthrough.walk import Walk

SEEN = 8  # a row of so many weights can be added up by hand
SMALL = 5  # grids of so many words can be compared at a glance


# ---- step 4 ----------------------------------------------------------------------------------------------------
def most_looked(case: Case) -> Question:
    case = case.where(has_one_top(case.trace.masked))
    trace, row = case.trace, case.trace.masked[case.at]
    named = [case.key_named(j) for j in range(case.n_k)]
    raw, right = int(trace.scores[case.at].argmax()), int(row.argmax())
    slips = [("forbidden", named[raw])] if np.isneginf(row[raw]) else []
    if case.is_self:
        slips += [
            ("column_weight", named[int(trace.weights[case.head][:, case.word].argmax())]),
            ("itself_weight", named[case.word]),
        ]
    slips += [("least", named[int(trace.weights[case.at].argmin())])]
    return case.choose("most_looked", named[right], *slips, fillers=named, percent=case.view.percent(*case.at, right))


def forty(case: Case) -> Question:
    score, d_k, d_model = 40, 64, 512
    slips = [
        ("d_k_divisor", score / d_k),
        ("root_d_model", score / sqrt(d_model)),
        ("undivided", score),
        ("multiplied", score * sqrt(d_k)),
    ]
    return case.count("forty", score / sqrt(d_k), *slips, tolerance=0.02, score=score, d_k=d_k, d_model=d_model)


def scaled_cell(case: Case) -> Question:
    case = case.where(partner_scores(case.walk))
    score, d_k, d_model = float(case.trace.scores[case.at][case.partner]), case.p.d_k, case.p.d_model
    slips = [
        ("d_k_divisor", score / d_k),
        ("root_d_model", score / sqrt(d_model)),
        ("undivided", score),
        ("multiplied", score * sqrt(d_k)),
    ]
    tolerance = 0.01 + 0.01 * abs(score) / sqrt(d_k)
    return case.count("scaled_cell", score / sqrt(d_k), *slips, tolerance=tolerance, score=digits(score))


def softmax_grid(case: Case) -> Question:
    right, slips = _grids(case)
    given = Grid(text("ask_given_scores"), case.trace.masked[case.head], *_labels(case))
    drawn = [(slip, _weights(case, grid)) for slip, grid in slips]
    return case.pick(
        "softmax_grid", _weights(case, right), *drawn, given=[given], sum=digits(right.sum(axis=1)[0].round(5))
    )


def _labels(case: Case):
    return case.walk.tokens, case.walk.other_tokens


def _weights(case: Case, grid) -> Grid:
    return Grid("", grid, *_labels(case), is_weights=True)


def _grids(case: Case) -> tuple:
    """The softmax of the chosen head, and up to three grids that a mistake gives; each can be told from all others."""
    trace, i = case.trace, case.head
    masked, right = trace.masked[i], trace.weights[i]
    candidates = []
    if np.isneginf(masked).any():
        candidates.append(("mask_after", softmax(trace.scaled[i]) * ~np.isneginf(masked)))
    candidates.append(("columns", wrong_ways.softmax_down(masked)))
    candidates.append(("winner", (masked == masked.max(axis=1, keepdims=True)).astype(float)))
    candidates.append(("root_d_model_grid", wrong_ways.weights_by(case.walk, sqrt(case.p.d_model))[i]))
    candidates.append(("undivided_grid", wrong_ways.weights_by(case.walk, 1.0)[i]))
    kept = []
    for slip, grid in candidates:
        if all(np.abs(grid - other).max() > 0.03 for other in (right, *(grid for _, grid in kept))):
            kept.append((slip, grid))
    return right, kept[: MOST_CHOICES - 1]


def missing_weight(case: Case) -> Question:
    row, j = case.trace.weights[case.at], case.partner
    slips = [("equal_share", 1 / case.n_k), ("zero", 0.0)]
    if case.is_self:
        slips.insert(0, ("column_rest", 1 - np.delete(case.trace.weights[case.head][:, j], case.word).sum()))
    shown = Grid(
        text("ask_row_of", word=case.word_named(case.word)),
        row[None],
        [case.walk.tokens[case.word]],
        case.walk.other_tokens,
        is_weights=True,
        hidden=(0, j),
    )
    return case.count(
        "missing_weight", row[j], *slips, tolerance=0.006 + float(shown_error(np.delete(row, j)).sum()), shows=[shown]
    )


def row_sum(case: Case) -> Question:
    weights = case.trace.weights[case.head]
    slips = [("whole_grid", weights.sum())]
    if case.is_self:
        slips.insert(0, ("column_sum", weights[:, case.word].sum()))
    return case.count("row_sum", round(float(weights[case.word].sum()), 5), *slips, tolerance=0.005)


def root_reason(case: Case) -> Question:
    said = {name: text(f"say_root_{name}") for name in ("spread", "sum", "positive", "cost")}
    slips = [(f"root_{name}", said[name]) for name in ("sum", "positive", "cost")]
    return case.choose("root_reason", said["spread"], *slips, root=digits(sqrt(case.p.d_k)))


def shift(case: Case) -> Question:
    row, weight = case.trace.masked[case.at], float(case.trace.weights[case.at][case.partner])
    again = float(softmax((row + 5)[None])[0, case.partner])
    said = {name: text(f"say_shift_{name}", weight=digits(weight)) for name in ("stays", "grows", "shrinks")}
    right = "stays" if abs(again - weight) < 1e-5 else "grows"
    return case.choose(
        "shift", said[right], *((f"shift_{name}", said[name]) for name in ("grows", "shrinks")), weight=digits(weight)
    )


# ---- step 5 ----------------------------------------------------------------------------------------------------
def blend_cell(case: Case) -> Question:
    trace, c, j = case.trace, case.column, case.partner
    weights, values = trace.weights[case.at], trace.V[case.head][:, c]
    slips = [("plain_mean", values.mean()), ("winner_only", values[j]), ("unweighted", values.sum())]
    if case.p.d_k == case.p.d_v:
        slips.insert(1, ("keys_blended", weights @ trace.K[case.head][:, c]))
    if case.is_self:
        slips.insert(1, ("column_blended", trace.weights[case.head][:, case.word] @ values))
    pairs = np.stack([weights, values], axis=1)
    titles = (text("ask_weight"), text("ask_value_number", column=c + 1))
    shown = Grid(text("ask_blend_rows", word=case.word_named(case.word)), pairs, case.walk.other_tokens, titles)
    tolerance = rounding_of(weights, values)
    return case.number_or_choice(
        case.n_k <= SMALL, "blend_cell", float(trace.heads[case.at][c]), *slips, tolerance=tolerance, shows=[shown]
    )


def head_shape(case: Case) -> Question:
    n, d_v = case.n, case.p.d_v
    slips = [("pairs", shape(n, case.n_k)), ("full_width_head", shape(n, case.p.h * d_v)), ("turned", shape(d_v, n))]
    fillers = [shape(1, d_v), shape(n + 1, d_v)]
    return case.choose(
        "head_shape", shape(n, d_v), *slips, fillers=fillers, shape_A=shape(n, case.n_k), shape_V=shape(case.n_k, d_v)
    )


def copy_row(case: Case) -> Question:
    trace, c, j = case.trace, case.column, case.partner
    weight, value = float(trace.weights[case.at][j]), float(trace.V[case.head][j, c])
    slips = [("still_weighted", digits(weight * value))]
    if case.p.d_k == case.p.d_v:
        slips.append(("key_copied", digits(trace.K[case.head][j, c])))
    if case.is_self:
        slips.append(("own_value", digits(trace.V[case.head][case.word, c])))
    return case.choose("copy_row", digits(value), *slips, fillers=[digits(value + 1.5)])


def equal_weights(case: Case) -> Question:
    values = case.trace.V[case.head][:, case.column]
    current = float(case.trace.heads[case.at][case.column])
    slips = [
        ("unweighted", digits(values.sum())),
        ("as_before", digits(current)),
        ("largest_value", digits(values.max())),
    ]
    return case.choose("equal_weights", digits(values.mean()), *slips, fillers=[digits(values.mean() + 1.5)])


def biggest_part(case: Case) -> Question:
    case = case.where(has_one_top(_parts(case.walk, case.column)))
    weights, values = case.trace.weights[case.at], case.trace.V[case.head][:, case.column]
    named, parts = [case.key_named(j) for j in range(case.n_k)], np.abs(weights * values)
    slips = [("heaviest", named[int(weights.argmax())]), ("loudest", named[int(np.abs(values).argmax())])]
    top = int(parts.argmax())
    product = {
        "weight": digits(weights[top]),
        "value": digits(values[top]),
        "product": digits(weights[top] * values[top]),
    }
    return case.choose("biggest_part", named[top], *slips, fillers=named, **product)


def why_values(case: Case) -> Question:
    said = {name: text(f"say_values_{name}") for name in ("apart", "shapes", "sign", "cheap")}
    slips = [(f"values_{name}", said[name]) for name in ("shapes", "sign", "cheap")]
    return case.choose("why_values", said["apart"], *slips)


def _is_small(walk: Walk) -> bool:
    n, n_k = walk.trace.scores.shape[1:]
    return 1 < n_k <= SMALL and 1 < n <= SMALL


def _parts(walk: Walk, column: int) -> np.ndarray:
    """The size of what each key adds to one number of every answer, [head, query, key]."""
    return np.abs(walk.trace.weights * walk.trace.V[:, None, :, column])


def _has_a_top(walk: Walk) -> bool:
    return has_two_words(walk) and bool(has_one_top(walk.trace.masked).any())


def _has_biggest(walk: Walk) -> bool:
    every = (has_one_top(_parts(walk, column)).any() for column in range(walk.trace.parameters.d_v))
    return has_two_words(walk) and all(every)


def _has_scores(walk: Walk) -> bool:
    return bool(partner_scores(walk).any())


def _has_short_rows(walk: Walk) -> bool:
    return 1 < len(walk.other_tokens) <= SEEN


KINDS = {
    4: (
        (most_looked, _has_a_top),
        (forty, always),
        (softmax_grid, _is_small),
        (scaled_cell, _has_scores),
        (missing_weight, _has_short_rows),
        (root_reason, always),
        (row_sum, always),
        (shift, always),
    ),
    5: (
        (blend_cell, always),
        (biggest_part, _has_biggest),
        (head_shape, always),
        (copy_row, always),
        (equal_weights, has_two_words),
        (why_values, always),
    ),
}
