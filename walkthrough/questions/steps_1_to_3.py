"""Questions on Steps 1 to 3: the grid X, queries, keys and values, and the scores."""

from math import sqrt

import numpy as np

from walkthrough import what_if, wrong_ways
from walkthrough.digits import digits
from walkthrough.lesson import text
from walkthrough.phrases import shape
from walkthrough.questions.making import (
    Case,
    Question,
    always,
    has_one_top,
    has_two_words,
    looks_at_itself,
    partner_scores,
    rounding_of,
)
from walkthrough.small_grid import Grid, places
from walkthrough.walk import Walk

BY_HAND = 4  # so many products can be added up by hand


# ---- step 1 ----------------------------------------------------------------------------------------------------
def arrow_shape(case: Case) -> Question:
    n, d_model = case.n, case.p.d_model
    slips = [("turned", shape(d_model, n)), ("one_row", shape(1, d_model)), ("pairs", shape(n, n))]
    return case.choose("arrow_shape", shape(n, d_model), *slips, fillers=[shape(n, case.p.d_k), shape(n + 1, d_model)])


def sum_cell(case: Case) -> Question:
    column = case.variant % case.p.d_model
    e, p = (float(grid[case.word, column]) for grid in (case.trace.E, case.trace.P))
    slips = [("times", e * p), ("without_position", e), ("minus", e - p)]
    shown = {"column": column + 1, "e": digits(e), "p": digits(p)}
    return case.count("sum_cell", case.trace.X[case.word, column], *slips, tolerance=0.02, **shown)


def bare_cell(case: Case) -> Question:
    column = case.variant % case.p.d_model
    e = float(case.trace.E[case.word, column])
    p = float((what_if.word_twice(case.walk, True) - what_if.word_twice(case.walk, False))[1, column])
    shown = {"column": column + 1, "e": digits(e), "p": digits(p)}
    return case.count("bare_cell", case.trace.X[case.word, column], ("added_anyway", e + p), tolerance=0.02, **shown)


def twice(case: Case) -> Question:
    positions = case.trace.P is not None
    rows = what_if.word_twice(case.walk, positions)
    said = [text(f"say_twice_{name}") for name in ("same", "differ")]
    right, wrong = said if (rows[0] == rows[1]).all() else said[::-1]
    name = "twice_with" if positions else "twice_without"
    return case.choose(name, right, (name, wrong), bare_word=case.walk.tokens[case.walk.word])


def how_many(case: Case) -> Question:
    n, d_model, d_k = case.n, case.p.d_model, case.p.d_k
    slips = [("added_sizes", n + d_model), ("one_word_only", d_model), ("one_head_only", n * d_k), ("squared", n * n)]
    return case.count("how_many", case.trace.X.size, *slips)


def row_in_code(case: Case) -> Question:
    return case.count("row_in_code", case.word, ("from_one", case.word + 1))


def longest(case: Case) -> Question:
    lengths = np.linalg.norm(case.trace.X, axis=1)
    named = [case.word_named(i) for i in range(case.n)]
    right, least = int(lengths.argmax()), int(lengths.argmin())
    return case.choose(
        "longest", named[right], ("shortest", named[least]), fillers=named, length=digits(lengths[right])
    )


# ---- step 2 ----------------------------------------------------------------------------------------------------
def key_shape(case: Case) -> Question:
    n_k, d_k, d_model = case.n_k, case.p.d_k, case.p.d_model
    slips = [("full_width", shape(n_k, d_model)), ("turned", shape(d_k, n_k)), ("that_is_W", shape(d_model, d_k))]
    slips.append(("pairs", shape(case.n, n_k)))
    return case.choose("key_shape", shape(n_k, d_k), *slips, fillers=[shape(n_k + 1, d_k)])


def query_number(case: Case) -> Question:
    i, row, p = case.head, case.trace.X[case.word], case.p
    seen = case.trace
    slips = []
    if p.h > 1:
        band = np.array_split(np.arange(p.d_model), p.h)[i]
        bias = 0.0 if p.b_Q is None else p.b_Q[i, 0]
        slips.append(("sliced", row[band] @ p.W_Q[i, band, 0] + bias, {"first": band[0] + 1, "last": band[-1] + 1}))
    if case.is_self:
        slips.append(("key_instead", seen.K[i, case.word, 0]))
    if p.h > 1:
        other = (i + 1) % p.h
        slips.append(("other_head", seen.Q[other, case.word, 0], {"other": other + 1}))
    if case.is_self:
        slips.append(("value_instead", seen.V[i, case.word, 0]))
    return case.number_or_choice(False, "query_number", float(seen.Q[i, case.word, 0]), *slips)


def query_terms(case: Case) -> Question:
    slips = [("terms_of_score", case.p.d_k), ("counted_words", case.n)]
    return case.count("query_terms", case.trace.X.shape[1], *slips)


def matrix_size(case: Case) -> Question:
    p = case.p
    slips = [
        ("all_heads", p.W_Q.size),
        ("sliced_matrix", p.d_k**2),
        ("that_is_Q", case.n * p.d_k),
        ("added_sizes", p.d_model + p.d_k),
    ]
    return case.count("matrix_size", p.W_Q[case.head].size, *slips)


def who_moves(case: Case) -> Question:
    outside = wrong_ways.outside(case.p, case.head)
    said = {name: text(f"say_moves_{name}", word=case.word_named(case.word)) for name in ("own", "none", "all")}
    slips = [("sliced_push", said["none"]), ("words_meet", said["all"])]
    return case.choose("who_moves", said["own"], *slips, outside=outside + 1)


# ---- step 3 ----------------------------------------------------------------------------------------------------
def best_score(case: Case) -> Question:
    case = case.where(has_one_top(case.trace.scores))
    row = case.trace.scores[case.at]
    named = [case.key_named(j) for j in range(case.n_k)]
    right = int(row.argmax())
    slips = []
    if case.is_self:
        slips += [("column_score", named[int(case.trace.scores[case.head][:, case.word].argmax())])]
        slips += [("itself_score", named[case.word])]
    slips += [("lowest_score", named[int(row.argmin())])]
    return case.choose("best_score", named[right], *slips, fillers=named, score=digits(row[right]))


def score_cell(case: Case) -> Question:
    i, j = case.word, case.partner
    Q, K = case.trace.Q[case.head], case.trace.K[case.head]
    slips = [
        ("divided_early", case.trace.scores[case.at][j] / sqrt(case.p.d_k)),
        ("added_rows", Q[i].sum() + K[j].sum()),
    ]
    if case.is_self:
        slips.insert(0, ("roles_swapped", Q[j] @ K[i]))
        slips.append(("query_twice", Q[i] @ Q[j]))
    rows = [text("ask_query_of", word=case.word_named(i)), text("ask_key_of", word=case.key_named(j))]
    shows = [Grid(text("ask_two_rows"), np.stack([Q[i], K[j]]), rows, places(case.p.d_k))]
    by_hand = case.p.d_k <= BY_HAND
    return case.number_or_choice(
        by_hand,
        "score_cell",
        float(case.trace.scores[case.at][j]),
        *slips,
        tolerance=rounding_of(Q[i], K[j]),
        shows=shows,
    )


def score_shape(case: Case) -> Question:
    n, n_k, d_k, d_model = case.n, case.n_k, case.p.d_k, case.p.d_model
    slips = [("inner_size", shape(d_k, d_k)), ("still_rows", shape(n, d_k)), ("full_width_scores", shape(n, d_model))]
    return case.choose(
        "score_shape", shape(n, n_k), *slips, fillers=[shape(n + 1, n_k)], turned=shape(d_k, n_k), shape_Q=shape(n, d_k)
    )


def double(case: Case) -> Question:
    case = case.where(partner_scores(case.walk))
    score = float(case.trace.scores[case.at][case.partner])
    written = digits(score)
    slips = [("doubled_both", digits(4 * score)), ("kept", written)]
    return case.choose(
        "double", digits(2 * score), *slips, fillers=[digits(score + 2), digits(score / 2)], score=written
    )


def score_terms(case: Case) -> Question:
    slips = [("terms_of_query", case.p.d_model), ("counted_words", case.n_k)]
    return case.count("score_terms", case.trace.Q.shape[2], *slips)


def mutual(case: Case) -> Question:
    case = case.where(_is_one_sided(case.walk))
    row = np.array(case.trace.scores[case.at])
    row[case.word] = -np.inf
    other = int(row.argmax())
    there, back = (digits(case.trace.scores[case.head][pair]) for pair in ((case.word, other), (other, case.word)))
    fillers = [
        digits(-case.trace.scores[case.head][case.word, other]),
        digits(case.trace.scores[case.head][case.word, other] + 2),
    ]
    return case.choose("mutual", back, ("symmetric", there), fillers=fillers, there=there, other=case.key_named(other))


def _is_one_sided(walk: Walk) -> np.ndarray:
    """For each head and word: does the other word that it scores highest with answer with another score?"""
    scores = walk.trace.scores
    other = np.where(np.eye(scores.shape[1], dtype=bool), -np.inf, scores).argmax(axis=-1)[..., None]
    there, back = (np.take_along_axis(grid, other, axis=-1)[..., 0] for grid in (scores, scores.swapaxes(-1, -2)))
    return np.abs(there - back) > 0.02


def _has_a_longest(walk: Walk) -> bool:
    return len(walk.tokens) > 1 and bool(has_one_top(np.linalg.norm(walk.trace.X, axis=1)))


def _has_a_best(walk: Walk) -> bool:
    return has_two_words(walk) and bool(has_one_top(walk.trace.scores).any())


def _has_scores(walk: Walk) -> bool:
    return bool(partner_scores(walk).any())


def _has_one_sided(walk: Walk) -> bool:
    return looks_at_itself(walk) and bool(_is_one_sided(walk).any())


def _has_sum(walk: Walk) -> bool:
    return walk.trace.E is not None and walk.trace.P is not None


def _has_bare(walk: Walk) -> bool:
    return walk.trace.E is not None and walk.trace.P is None


def _has_words(walk: Walk) -> bool:
    return walk.trace.E is not None


KINDS = {
    1: (
        (arrow_shape, always),
        (twice, _has_words),
        (sum_cell, _has_sum),
        (bare_cell, _has_bare),
        (row_in_code, always),
        (how_many, always),
        (longest, _has_a_longest),
    ),
    2: ((key_shape, always), (who_moves, always), (query_terms, always), (query_number, always), (matrix_size, always)),
    3: (
        (best_score, _has_a_best),
        (score_cell, always),
        (score_shape, always),
        (mutual, _has_one_sided),
        (score_terms, always),
        (double, _has_scores),
    ),
}
