"""Every marked answer, and the number behind every reply, worked out a second time in plain loops over X and the matrices."""

import json
import re
from dataclasses import replace
from math import exp, sqrt

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_core import Parameters, attend
from tests.conftest import ROOT
from tests.core.reference import causal_mask, loops
from walkthrough.digits import digits
from walkthrough.lesson import text
from walkthrough.questions import KINDS, ask, kinds_of, mark
from walkthrough.settings import Settings, correct
from walkthrough.small_grid import Grid, table
from walkthrough.typeset import to_html, to_label
from walkthrough.walk import Walk, walk_of

TEN = "I led a team that built a scalable API."
WALKS = [
    dict(),
    dict(sentence="hello", h=1, word=1, head=1),
    dict(sentence="hello", d_model=6, h=3, positions=False, word=1),
    dict(sentence="the dog saw the other dog", d_model=12, h=4, mask="causal", word=2, head=3),
    dict(sentence="the dog saw the other dog", d_model=12, h=4, mask="causal", word=1, head=1, divisor="none", seed=5),
    dict(sentence=TEN, d_model=48, h=8, word=2, head=5, divisor="d_k"),
    dict(sentence="the the the", d_model=4, h=4, positions=False, word=2, head=4),
    dict(sentence="man bites dog today", d_model=16, h=2, word=4, head=1, mask="causal", seed=99),
    dict(sentence="我爱你", d_model=24, h=1, word=1, head=1, divisor="none"),
    dict(sentence="a b", d_model=8, h=8, word=2, head=7, seed=3),
]
STEPS = range(1, 8)


def walk(**fields) -> Walk:
    return walk_of(correct(Settings(**fields))[0])


def of(*sizes) -> str:
    return "(" + ", ".join(str(size) for size in sizes) + ")"


class Hand:
    """The stages in plain loops, and which word, head and number the k-th question of a step is about."""

    def __init__(self, found: Walk):
        self.walk, self.p = found, found.trace.parameters
        n = len(found.tokens)
        allowed = causal_mask(n) if found.settings.mask == "causal" else None
        d_k = found.settings.d_model // found.settings.h
        divisor = {"sqrt": sqrt(d_k), "none": 1.0, "d_k": float(d_k)}[found.settings.divisor]
        self.L = loops(found.trace.X, self.p, allowed=allowed, divisor=divisor)
        self.n, self.h, self.d_model, self.d_k, self.allowed = n, found.settings.h, found.settings.d_model, d_k, allowed

    def at(self, variant: int) -> None:
        """The rounds go on from the chosen word, and with every round of words to the next head."""
        self.i = (self.walk.settings.word - 1 + variant) % self.n
        self.a = (self.walk.settings.head - 1 + variant // self.n) % self.h
        self.variant, self.c = variant, variant % self.d_k
        masked = self.L["masked"][self.a][self.i]
        self.j = max(range(self.n), key=lambda j: (masked[j], -j))

    def named(self, j: int) -> str:
        words = self.walk.tokens
        return f"“{words[j]}” (word {j + 1})" if words.count(words[j]) > 1 else f"“{words[j]}”"

    def row(self, field: str):
        return self.L[field][self.a][self.i]

    def down_the_columns(self):
        grid = self.L["masked"][self.a]
        out = np.zeros_like(grid)
        for c in range(self.n):
            powers = [exp(x) for x in grid[:, c]]
            for r in range(self.n):
                out[r, c] = powers[r] / sum(powers)
        return out

    def soft(self, divisor: float):
        out = np.zeros((self.n, self.n))
        for r in range(self.n):
            scores = self.L["scores"][self.a][r]
            top = max(scores) / divisor
            powers = [
                exp(scores[c] / divisor - top) * (self.allowed is None or self.allowed[r, c]) for c in range(self.n)
            ]
            out[r] = [power / sum(powers) for power in powers]
        return out

    def shares(self, column: int) -> list[float]:
        W, z = self.p.W_O, self.L["heads"]
        return [sum(z[a][self.i][c] * W[a * self.d_k + c, column] for c in range(self.d_k)) for a in range(self.h)]

    def band(self) -> range:
        return range(self.a * self.d_k, (self.a + 1) * self.d_k)


def argmax(numbers) -> int:
    return max(range(len(numbers)), key=lambda j: (numbers[j], -j))


def argmin(numbers) -> int:
    return min(range(len(numbers)), key=lambda j: (numbers[j], j))


def column_of(grid, j):
    return [row[j] for row in grid]


# What is right, and what each mistake gives. Text answers are compared as they are shown.
def expected(hand: Hand, name: str) -> tuple[object, dict]:
    H, L, n, d, k, h = hand, hand.L, hand.n, hand.d_model, hand.d_k, hand.h
    i, a, j, c = H.i, H.a, H.j, H.c
    X, Q, K, V = H.walk.trace.X, L["Q"][a], L["K"][a], L["V"][a]
    S, A, Z = L["scores"][a], L["weights"][a], L["heads"][a]
    score, x = float(S[i][j]), X[i]
    mean = sum(V[r][c] for r in range(n)) / n
    u = H.variant % d
    row_sum = sum(A[i])
    if name == "arrow_shape":
        return of(n, d), {"turned": of(d, n), "one_row": of(1, d), "pairs": of(n, n)}
    if name == "sum_cell":
        e, p = H.walk.trace.E[i, u], H.walk.trace.P[i, u]
        return x[u], {"times": e * p, "without_position": e, "minus": e - p}
    if name == "bare_cell":
        return H.walk.trace.E[i, u], {"added_anyway": x[u] + (np.sin, np.cos)[u % 2](1 / 10000 ** ((u - u % 2) / d))}
    if name == "twice_with":
        return text("say_twice_differ"), {"twice_with": text("say_twice_same")}
    if name == "twice_without":
        return text("say_twice_same"), {"twice_without": text("say_twice_differ")}
    if name == "how_many":
        return n * d, {"added_sizes": n + d, "one_word_only": d, "one_head_only": n * d // h, "squared": n**2}
    if name == "row_in_code":
        return i, {"from_one": i + 1}
    if name == "longest":
        lengths = [sqrt(sum(v * v for v in row)) for row in X]
        return H.named(argmax(lengths)), {"shortest": H.named(argmin(lengths))}
    if name == "key_shape":
        return of(n, k), {"full_width": of(n, d), "turned": of(k, n), "that_is_W": of(d, k), "pairs": of(n, n)}
    if name == "who_moves":
        word = H.named(i)
        return text("say_moves_own", word=word), {
            "sliced_push": text("say_moves_none"),
            "words_meet": text("say_moves_all"),
        }
    if name == "query_terms":
        return d, {"terms_of_score": k, "counted_words": n}
    if name == "query_number":
        wrong = {"key_instead": digits(K[i][0]), "value_instead": digits(V[i][0])}
        wrong["sliced"] = digits(sum(x[r] * H.p.W_Q[a, r, 0] for r in H.band()))
        wrong["other_head"] = digits(L["Q"][(a + 1) % h][i][0])
        return digits(Q[i][0]), wrong
    if name == "matrix_size":
        return d * k, {"all_heads": d * d, "sliced_matrix": k * k, "that_is_Q": n * k, "added_sizes": d + k}
    if name == "best_score":
        wrong = {"column_score": argmax(column_of(S, i)), "itself_score": i, "lowest_score": argmin(S[i])}
        return H.named(argmax(S[i])), {slip: H.named(place) for slip, place in wrong.items()}
    if name == "score_cell":
        wrong = {
            "roles_swapped": sum(Q[j][m] * K[i][m] for m in range(k)),
            "divided_early": score / k**0.5,
            "added_rows": sum(Q[i]) + sum(K[j]),
            "query_twice": sum(Q[i][m] * Q[j][m] for m in range(k)),
        }
        return (score, wrong) if k <= 4 else (digits(score), {slip: digits(v) for slip, v in wrong.items()})
    if name == "score_shape":
        return of(n, n), {"inner_size": of(k, k), "still_rows": of(n, k), "full_width_scores": of(n, d)}
    if name == "double":
        twice = sum(2 * Q[i][m] * K[j][m] for m in range(k))
        return digits(twice), {"doubled_both": digits(2 * twice), "kept": digits(score)}
    if name == "score_terms":
        return k, {"terms_of_query": d, "counted_words": n}
    if name == "mutual":
        other = argmax([S[i][m] if m != i else -np.inf for m in range(n)])
        if abs(S[i][other] - S[other][i]) < 0.02:  # (nearly) the same both ways: the next word is asked about
            hand.at(hand.variant + 1)
            return expected(hand, name)
        return digits(S[other][i]), {"symmetric": digits(S[i][other])}
    if name == "most_looked":
        free = [m for m in range(n) if H.allowed is None or m <= i]
        wrong = {
            "column_weight": argmax(column_of(A, i)),
            "itself_weight": i,
            "least": argmin(A[i]),
            "forbidden": argmax(S[i]),
        }
        return H.named(max(free, key=lambda m: (S[i][m], -m))), {slip: H.named(place) for slip, place in wrong.items()}
    if name == "forty":
        return 5.0, {"d_k_divisor": 0.625, "root_d_model": 1.7677669529663689, "undivided": 40.0, "multiplied": 320.0}
    if name == "scaled_cell":
        wrong = {
            "d_k_divisor": score / k,
            "root_d_model": score / d**0.5,
            "undivided": score,
            "multiplied": score * k**0.5,
        }
        return score / k**0.5, wrong
    if name == "missing_weight":
        return A[i][j], {"equal_share": 1 / n, "zero": 0.0, "column_rest": 1 - sum(A[m][j] for m in range(n) if m != i)}
    if name == "row_sum":
        return row_sum, {"column_sum": sum(column_of(A, i)), "whole_grid": n}
    if name == "root_reason":
        return text("say_root_spread"), {f"root_{m}": text(f"say_root_{m}") for m in ("sum", "positive", "cost")}
    if name == "shift":
        said = {m: text(f"say_shift_{m}", weight=digits(A[i][j])) for m in ("stays", "grows", "shrinks")}
        return said["stays"], {"shift_grows": said["grows"], "shift_shrinks": said["shrinks"]}
    if name == "blend_cell":
        wrong = {
            "plain_mean": mean,
            "winner_only": V[j][c],
            "unweighted": n * mean,
            "keys_blended": sum(A[i][m] * K[m][c] for m in range(n)),
            "column_blended": sum(A[m][i] * V[m][c] for m in range(n)),
        }
        right = sum(A[i][m] * V[m][c] for m in range(n))
        return (right, wrong) if n <= 5 else (digits(right), {slip: digits(v) for slip, v in wrong.items()})
    if name == "head_shape":
        return of(n, k), {"pairs": of(n, n), "full_width_head": of(n, d), "turned": of(k, n)}
    if name == "copy_row":
        wrong = {"still_weighted": A[i][j] * V[j][c], "key_copied": K[j][c], "own_value": V[i][c]}
        return digits(V[j][c]), {slip: digits(v) for slip, v in wrong.items()}
    if name == "equal_weights":
        wrong = {"unweighted": n * mean, "as_before": Z[i][c], "largest_value": max(column_of(V, c))}
        return digits(mean), {slip: digits(v) for slip, v in wrong.items()}
    if name == "biggest_part":
        wrong = {"heaviest": argmax(A[i]), "loudest": argmax([abs(v) for v in column_of(V, c)])}
        parts = [abs(A[i][m] * V[m][c]) for m in range(n)]
        return H.named(argmax(parts)), {slip: H.named(m) for slip, m in wrong.items()}
    if name == "why_values":
        return text("say_values_apart"), {f"values_{m}": text(f"say_values_{m}") for m in ("shapes", "sign", "cheap")}
    if name == "columns_read":
        return d, {"reads_band": k, "counted_words": n}
    if name == "shared_views":
        return 1, {"still_different": h}
    if name == "one_head":
        said = {m: text(f"say_one_{m}", d_model=d) for m in ("plain", "none", "narrow", "average")}
        return said["plain"], {f"one_{m}": said[m] for m in ("none", "narrow", "average")}
    if name == "same_work":
        return f"{n * n * d:,}", {
            "work_times_h": f"{n * n * d * h:,}",
            "work_one_head": f"{n * n * k:,}",
            "work_pairs": f"{n * n:,}",
        }
    if name == "weight_cells":
        return h * n * n, {"one_grid_only": n * n, "numbers_of_Q": n * d, "words_times_heads": n * h}
    if name == "which_head":
        while True:  # a word that every head treats alike is passed over
            open_to = [m for m in range(n) if H.allowed is None or m <= i]
            column = [L["weights"][m][i][open_to[(i + H.variant + 1) % len(open_to)]] for m in range(h)]
            if sorted(column)[-1] - sorted(column)[-2] > 1e-6:
                break
            i = (i + 1) % n
        return f"Head {argmax(column) + 1}", {"least_head": f"Head {argmin(column) + 1}"}
    if name == "concat_shape":
        return of(n, d), {"averaged_shape": of(n, k), "stacked_below": of(n * h, k), "pairs": of(n, n)}
    if name == "why_concat":
        return text("say_concat_keeps"), {f"concat_{m}": text(f"say_concat_{m}") for m in ("mixes", "cheap", "ones")}
    if name == "lanes":

        def lane(first, last):
            return f"columns {first} to {last}" if first != last else f"column {first}"

        dealt = [m + 1 for m in range(d) if m % h == a][:3]
        next_one = (a + 1) % h
        wrong = {"lanes_from_zero": lane(a * k, a * k + k - 1), "other_lane": lane(next_one * k + 1, next_one * k + k)}
        return lane(a * k + 1, a * k + k), wrong | {"interleaved": f"columns {', '.join(map(str, dealt))} …"}
    if name == "output_cell":
        parts = H.shares(u)
        wrong = {"averaged": sum(parts) / h, "own_share": parts[a], "forgot_W_O": L["concat"][i][u]}
        right = L["output"][i][u]
        return (right, wrong) if h <= 4 else (digits(right), {slip: digits(v) for slip, v in wrong.items()})
    if name == "identity":
        lane_mean = sum(L["heads"][m][i][u % k] for m in range(h)) / h
        wrong = {"as_before_mix": L["output"][i][u], "averaged_lane": lane_mean, "all_ones": sum(L["concat"][i])}
        return digits(L["heads"][u // k][i][u % k]), {slip: digits(v) for slip, v in wrong.items()}
    if name == "output_shape":
        return of(n, d), {"not_widened": of(n, k), "that_is_W_O": of(d, d), "pairs": of(n, n)}
    raise AssertionError(f"no second calculation for {name}")


SPECIAL = {"softmax_grid", "legal", "width"}  # checked in tests of their own


def each_question(found: Walk, rounds: int = 3):
    for step in STEPS:
        kinds = kinds_of(found, step)
        for number in range(rounds * len(kinds)):
            yield step, number, number // len(kinds), ask(found, step, number)


def near(a, b) -> bool:
    return a == b if isinstance(a, str) or isinstance(b, str) else abs(a - b) < 1e-9 * max(1, abs(a), abs(b))


@pytest.mark.parametrize("fields", WALKS, ids=range(len(WALKS)))
def test_right_answers_and_the_answers_of_every_mistake_are_those_of_a_second_calculation(fields):
    found = walk(**fields)
    hand = Hand(found)
    for step, number, variant, question in each_question(found):
        if question.name in SPECIAL:
            continue
        hand.at(variant)
        right, wrong = expected(hand, question.name)
        assert near(question.right, right), (step, number, question)
        assert question.wrong.keys() == question.slips.keys()
        for answer, slip in question.slips.items():
            assert near(answer, wrong[slip]), (step, number, slip, answer, wrong[slip])


@pytest.mark.parametrize("fields", WALKS, ids=range(len(WALKS)))
def test_every_answer_gets_its_own_mark(fields):
    for step, number, _, question in each_question(walk(**fields)):
        marked = mark(question, question.right)
        assert marked.is_right and marked.reason == question.reason
        for answer, reply in question.wrong.items():
            assert answer != question.right
            wrong = mark(question, answer)
            assert not wrong.is_right and wrong.reply == reply, (step, number, question.name, answer)
            assert wrong.reason == question.reason
        if question.kind == "number":
            assert mark(question, question.right + 12345.678).reply == text("mark_wrong_number")
            continue
        assert 2 <= len(question.choices) == len(set(question.choices)) <= 4
        assert question.right in question.choices and set(question.wrong) <= set(question.choices)
        for other in set(question.choices) - {question.right, *question.wrong}:
            assert mark(question, other).reply == text("mark_wrong")


@pytest.mark.parametrize("fields", WALKS, ids=range(len(WALKS)))
def test_every_step_asks_several_kinds_and_never_the_same_twice_in_a_row(fields):
    found = walk(**fields)
    for step in STEPS:
        asked = [ask(found, step, number) for number in range(25)]
        assert len({question.name for question in asked}) >= 4
        for before, after in zip(asked, asked[1:]):
            assert before.prompt != after.prompt and before.name != after.name or before.name == "width" != after.prompt


def test_a_question_depends_on_walk_step_and_number_alone():
    for step in STEPS:
        for number in range(12):
            a, b = (ask(walk(sentence=TEN, d_model=16, h=4), step, number) for _ in range(2))
            assert (a.prompt, a.choices, a.right, a.reason, dict(a.wrong)) == (
                b.prompt,
                b.choices,
                b.right,
                b.reason,
                dict(b.wrong),
            )
    assert ask(walk(), 3, 0).prompt != ask(walk(word=1), 3, 0).prompt
    assert ask(walk(seed=1), 3, 1).right != ask(walk(seed=2), 3, 1).right


@pytest.mark.parametrize("seed", range(12))
def test_the_right_choice_has_no_favourite_place(seed):
    places = [q.choices.index(q.right) for _, _, _, q in each_question(walk(seed=seed)) if q.kind != "number"]
    counted = [places.count(place) / len(places) for place in range(4)]
    assert 0.08 < min(counted) and max(counted) < 0.5, counted


# ---- which grid is the softmax ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "fields", [w for w in WALKS if w.get("sentence", "the cat sat") not in ("hello", TEN)][:7], ids=str
)
def test_one_of_the_grids_is_the_softmax_and_the_others_are_known_mistakes(fields):
    found = walk(**fields)
    if len(found.tokens) > 5:
        assert "softmax_grid" not in {make.__name__ for make in kinds_of(found, 4)}
        return
    hand = Hand(found)
    hand.at(0)
    question = next(q for q in (ask(found, 4, k) for k in range(9)) if q.name == "softmax_grid")
    given, *drawn = question.shows
    assert (given.values == found.trace.masked[hand.a]).all()
    grids = {letter: grid.values for letter, grid in zip(question.choices, drawn)}
    masked, n = hand.L["masked"][hand.a], hand.n
    scaled = hand.L["scaled"][hand.a]
    plain = np.array([[exp(v) / sum(exp(u) for u in row) for v in row] for row in scaled])
    wrong = {
        "mask_after": np.where(np.isneginf(masked), 0, plain),
        "columns": hand.down_the_columns(),
        "winner": np.array([[float(v == max(row)) for v in row] for row in masked]),
        "root_d_model_grid": hand.soft(hand.d_model**0.5),
        "undivided_grid": hand.soft(1.0),
    }
    assert np.allclose(grids[question.right], hand.L["weights"][hand.a], atol=1e-12)
    assert set(question.slips) | {question.right} == set(grids) and len(grids) >= 2
    for letter, slip in question.slips.items():
        assert np.allclose(grids[letter], wrong[slip], atol=1e-12), slip
        assert np.abs(grids[letter] - grids[question.right]).max() > 0.03
    assert n > 1


def test_with_a_mask_the_mask_after_softmax_is_among_the_grids():
    question = next(
        q
        for q in (ask(walk(sentence="man bites dog", mask="causal"), 4, k) for k in range(9))
        if q.name == "softmax_grid"
    )
    assert "mask_after" in question.slips.values()


# ---- sizes -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("fields", WALKS, ids=range(len(WALKS)))
def test_a_legal_number_of_heads_divides_and_every_other_choice_does_not(fields):
    found = walk(**fields)
    d = found.settings.d_model
    for question in (ask(found, 6, number) for number in range(40)):
        if question.name == "legal":
            assert d % int(question.right) == 0 and len(question.choices) == 4
            for answer in question.wrong:
                h = int(answer)
                assert d % h and f"{d} = {d // h} × {h} + {d % h}" in question.wrong[answer]
        if question.name == "width":
            d_model, h = (512, 8) if "512" in question.prompt and "h = 8" in question.prompt else (d, found.settings.h)
            assert question.right == d_model / h
            truth = {
                "full_width_each": d_model,
                "that_is_h": h,
                "sizes_multiplied": d_model * h,
                "root_taken": d_model**0.5,
            }
            assert all(near(answer, truth[slip]) for answer, slip in question.slips.items())


def test_the_four_checks_are_among_the_questions():
    found = walk()
    asked = {(step, q.name, str(q.right)) for step, _, _, q in each_question(found, 1)}
    assert (4, "root_reason", text("say_root_spread")) in asked
    assert (7, "why_concat", text("say_concat_keeps")) in asked
    assert (6, "width", "64.0") in asked
    assert (6, "one_head", text("say_one_plain", d_model=8)) in asked
    forty = ask(found, 4, 1)
    assert forty.name == "forty" and forty.right == 5.0 and "40" in forty.prompt and "64" in forty.prompt


def test_recognised_mistakes_are_called_by_their_name():
    found = walk()
    replies = {slip: q.wrong[answer] for _, _, _, q in each_question(found) for answer, slip in q.slips.items()}
    for slip, says in {
        "root_d_model": "√d_model",
        "d_k_divisor": "without the root",
        "columns": "columns",
        "averaged": "averaged the heads",
        "sliced": "slicing X first",
        "forgot_W_O": "W^O was forgotten",
        "interleaved": "reshape",
    }.items():
        assert says in replies[slip], replies[slip]


# A phrase that tells the reply to each mistake from all others: a reply that went to the wrong mistake has another one.
REPLIES = """
turned: laid on its side | one_row: row of one word | pairs: words meet words, as in | times: position is added
without_position: position was forgotten | minus: took the position away | added_anyway: positions are switched off
twice_with: P tells the copies apart | twice_without: Without P | added_sizes: added the two sizes | one_word_only: That is one word.
one_head_only: X comes before the heads | squared: counts pairs | from_one: counts from 1 | shortest: the shortest
full_width: as wide as X | that_is_W: matrix W^K itself | sliced_push: would be so if X were sliced first and | words_meet: hears of another
terms_of_score: products in a score | counted_words: number of words | sliced: only its numbers | key_instead: W^K was used
value_instead: W^V was used | other_head: its query in head | all_heads: That is for all | sliced_matrix: would do only if
that_is_Q: how many numbers Q holds | column_score: who scores highest with its key | itself_score: score highest with itself
lowest_score: lowest score | roles_swapped: exchanged | divided_early: already divided | added_rows: all numbers of both rows
query_twice: query against query | inner_size: Qᵀ K | still_rows: shape of Q. | full_width_scores: shape of X.
doubled_both: if the key had doubled | kept: direction stayed | terms_of_query: products in a number of Q | symmetric: not mutual
forbidden: mask forbids | column_weight: who looks at it most | itself_weight: look at itself most | least: smallest share
d_k_divisor: divided by d_k itself | root_d_model: divided by √d_model. | undivided: not divided at all | multiplied: multiplied by √d_k
mask_after: mask came after softmax | columns: softmax down the columns | winner: only the best | root_d_model_grid: divided by √d_model before
undivided_grid: not divided before softmax | equal_share: shared equally | zero: others alone | column_rest: completed the column
column_sum: sum of the column | whole_grid: sum of the whole grid | root_sum: work of softmax | root_positive: work of the exponential
root_cost: one division more | shift_grows: grows by the same factor, and so | shift_shrinks: own exponential grows | plain_mean: plain mean
winner_only: alone. The others count | unweighted: plain sum | keys_blended: blended the keys | column_blended: others look at it. Its own
full_width_head: width of all heads together | still_weighted: old weight | key_copied: from the key of | own_value: itself, which would get
as_before: answer with the present | largest_value: largest value, not | heaviest: largest weight, but | loudest: hardly listens
values_shapes: would fit | values_sign: may be negative | values_cheap: costs more | least_head: gets least | full_width_each: as wide as the whole. The heads
that_is_h: number of heads, not | sizes_multiplied: budget is shared out | root_taken: No root | reads_band: Only what comes out | illegal: rest of
still_different: Different views | one_none: still looks at every | one_narrow: other way round: d_k | one_average: still come from softmax
work_times_h: let each head be | work_one_head: one head alone | work_pairs: number of pairs | one_grid_only: grid of one head
numbers_of_Q: queries of all heads | words_times_heads: one number for each word and head | averaged: Their shares are added | own_share: share of head
forgot_W_O: W^O was forgotten | concat_mixes: mixes nothing | concat_cheap: average is cheap | concat_ones: Only rows of weights
interleaved: dealt out like cards | lanes_from_zero: counts from 0 | other_lane: belong to another head | averaged_shape: numbers a word are left
stacked_below: one below the other | as_before_mix: real W^O | averaged_lane: leaves the lanes apart | all_ones: full of ones
not_widened: width of one head. W^O | that_is_W_O: shape of W^O itself
"""


def test_the_reply_to_a_mistake_speaks_of_that_mistake():
    says = dict(line.split(": ", 1) for line in re.split(r" \| |\n", REPLIES.strip()))
    heard = {}
    for fields in WALKS:
        for _, _, _, question in each_question(walk(**fields)):
            heard |= {slip: question.wrong[answer] for answer, slip in question.slips.items()}
    assert set(heard) <= set(says)
    for slip, reply in heard.items():
        assert says[slip] in reply, (slip, reply)
    for slip, phrase in says.items():
        assert [other for other, reply in heard.items() if phrase in reply] in ([slip], []), phrase


def test_a_number_typed_from_the_digits_on_the_screen_is_right():
    for fields in WALKS:
        for _, _, _, question in each_question(walk(**fields), 4):
            if question.kind != "number":
                continue
            for grid in question.shows:
                if question.name == "score_cell":
                    q, k = ([float(digits(v).replace("−", "-")) for v in row] for row in grid.values)
                    assert mark(question, sum(a * b for a, b in zip(q, k))).is_right
                if question.name == "blend_cell":
                    rows = [[_typed(v) for v in row] for row in grid.values]
                    assert mark(question, sum(a * b for a, b in rows)).is_right
                if question.name in ("missing_weight", "output_cell"):
                    shown = [_typed(v) for m, v in enumerate(grid.values[0]) if grid.hidden != (0, m)]
                    assert mark(question, 1 - sum(shown) if grid.hidden else sum(shown)).is_right
            assert mark(question, round(question.right, 2)).is_right or question.tolerance < 0.005


def _typed(value: float) -> float:
    shown = digits(value).replace("−", "-").replace(">", "")
    if "·10" in shown:
        return float(value)
    return float(shown)


def test_the_hidden_cell_is_not_given_away():
    question = next(q for _, _, _, q in each_question(walk()) if q.name == "missing_weight")
    html = table(question.shows[0])
    assert digits(question.right) not in html and text("ask_hidden") in html


# ---- other walks, wrong use ------------------------------------------------------------------------------------
def other_walks():
    draw = np.random.RandomState(7)
    X, context = draw.standard_normal((3, 6)), draw.standard_normal((5, 6))
    shapes = [(2, 6, 3), (2, 6, 3), (2, 6, 5), (10, 6), (2, 3), (2, 3), (2, 5), (6,)]
    p = Parameters(*(draw.standard_normal(shape) for shape in shapes))
    settings = Settings("a b c", d_model=6, h=2)
    yield Walk(settings, tuple("abc"), tuple("vwxyz"), attend(X, p, context=context), 1, 1, "")
    yield Walk(settings, tuple("abc"), tuple("abc"), attend(X.astype(np.float32), p), 2, 0, "")
    alone = replace(settings, sentence="a")
    yield Walk(alone, ("a",), ("a",), attend(X[:1], p), 0, 1, "")


@pytest.mark.parametrize("found", list(other_walks()), ids=("cross", "biases", "one"))
def test_other_kinds_of_walks_are_asked_about_too(found):
    for _, _, _, question in each_question(found, 4):
        assert mark(question, question.right).is_right
        if question.name == "score_cell" and question.kind == "number":
            q, k = question.shows[0].values
            assert near(question.right, float(q @ k))
        if question.name == "output_cell":
            assert abs(question.right - question.shows[0].values.sum()) < 1e-5


def test_a_step_without_questions_is_refused():
    with pytest.raises(ValueError, match="Step 8 has no questions; the steps are 1, 2, 3, 4, 5, 6, 7"):
        ask(walk(), 8, 0)
    with pytest.raises(ValueError, match="-1"):
        ask(walk(), 3, -1)
    assert set(KINDS) == set(STEPS)


HOSTILE = "<img src=x> *b* :smile: $x$ a@b.cc"


def test_words_stay_what_they_are_on_the_card():
    found = walk(sentence=HOSTILE, word=1)
    for _, _, _, question in each_question(found):
        assert "<img" not in to_html(question.prompt) and "<img" not in "".join(table(grid) for grid in question.shows)
    assert to_html("W^O & d_k <b>") == (
        '<span class="formula"><i>W</i><sup><i>O</i></sup></span> &amp; <span class="formula"><i>d</i><sub><i>k</i></sub></span> &lt;b&gt;'
    )
    label = to_label(":smile: *b* $x$ a@b.cc <i> ->")
    assert label.replace("\u2060", "").replace("\\", "") == ":smile: *b* $x$ a@b.cc <i> ->"
    assert all(label[k - 1] == "\\" for k, sign in enumerate(label) if sign in ":*$@<>_")
    assert ":smile" not in label


def test_a_folded_grid_shows_its_last_column():
    grid = Grid("x", np.arange(40.0).reshape(2, 20), ("a", "b"), tuple(str(k) for k in range(20)))
    html = table(grid)
    assert "…" in html and ">39<" in html and ">10<" not in html


# ---- on the screen ---------------------------------------------------------------------------------------------
SCRIPT = """
import sys
sys.path.insert(0, {root!r})
import streamlit as st
from walkthrough import frame
from walkthrough.frame import questions
from walkthrough.frame.parts import Page
frame.restore()
st.session_state["framed"] = True
frame.compute()
for step in {steps}:
    questions.ask_here(step)
if {retell}:
    questions.say_it_back(Page("whole_picture"))
"""


def card(*steps, retell=False, **query) -> AppTest:
    at = AppTest.from_string(SCRIPT.format(root=str(ROOT), steps=steps, retell=retell), default_timeout=60)
    for name, value in query.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception, at.exception[0].stack_trace
    return at


def said(at) -> str:
    return " ".join(element.proto.body for element in at.get("html"))


def test_the_card_marks_an_answer_at_once_and_keeps_a_tally():
    at = card(4)
    question = ask(walk(), 4, 0)
    assert to_html(question.prompt) in said(at) and to_html(question.reason) not in said(at)
    wrong = next(iter(question.wrong))
    at.radio[0].set_value(question.choices.index(wrong))
    at.button(key="check_4").click().run()
    assert to_html(question.wrong[wrong]) in said(at) and to_html(question.reason) in said(at)
    assert text("question_tally", right=0, asked=1) in said(at)
    at.radio[0].set_value(question.choices.index(question.right))
    at.button(key="check_4").click().run()
    assert text("mark_right") in said(at) and text("question_tally", right=0, asked=1) in said(
        at
    )  # the first try counts
    at.button(key="another_4").click().run()
    assert to_html(ask(walk(), 4, 1).prompt) in said(at) and text("mark_right") not in said(at)
    at.number_input[0].set_value(1.77)
    at.button(key="check_4").click().run()
    assert "√" in text("slip_root_d_model") and to_html(text("slip_root_d_model")) in said(at)
    at.button(key="another_4").click().run()
    at.button(key="check_4").click().run()
    assert text("mark_nothing") in said(at) and text("question_tally", right=0, asked=2) in said(at)


@pytest.mark.parametrize(
    "query", [{}, {"sentence": "hello", "h": "1"}, {"sentence": HOSTILE, "mask": "causal", "word": "2"}]
)
def test_every_question_of_every_step_can_be_shown(query):
    at = card(*STEPS, **query)
    for _ in range(9):
        for step in STEPS:
            at.button(key=f"another_{step}").click()
        at.run()
        assert not at.exception, at.exception[0].stack_trace
    assert "<img" not in said(at)


def test_another_walk_makes_another_question_and_drops_the_old_reply():
    at = card(3)
    at.radio[0].set_value(0)
    at.button(key="check_3").click().run()
    assert 'role="status"' in said(at)
    at.query_params["seed"] = "4"
    at.run()
    assert 'role="status"' not in said(at)


def test_the_own_retelling_comes_first():
    at = card(retell=True)
    start = "Say it back in plain words"
    assert start not in said(at)
    at.button(key="reveal_retelling").click().run()
    assert text("retelling_first") in said(at) and start not in said(at)
    at.text_area[0].set_value("Words <b>look</b> at words.")
    at.button(key="reveal_retelling").click().run()
    assert start in said(at) and text("retelling_first") not in said(at)
    assert "<b>look" not in said(at) and "look" not in json.dumps({k: str(v) for k, v in at.query_params.items()})
