"""Live numbers against a second way of getting them: plain loops over the rows of X and the matrices, no mha_core."""

import math
import re
from itertools import product

import numpy as np
import pytest

from mha_core import Parameters, attend
from walkthrough import what_if
from walkthrough.lesson import LESSONS, load
from walkthrough.numbers import NAMES, SAID, numbers
from walkthrough.phrases import percent
from walkthrough.settings import Settings, correct
from walkthrough.walk import Walk, walk_of

WALKS = [
    dict(),
    dict(sentence="hello", h=1),
    dict(sentence="the dog saw the other dog", d_model=12, h=4, mask="causal", word=4, head=3, divisor="none"),
    dict(sentence="I led a team that built a scalable API.", d_model=24, h=2, word=2, head=1, divisor="d_k"),
    dict(sentence="man bites dog", d_model=6, h=6, positions=False, seed=3, word=1, head=5, mask="causal"),
]


def walk(**fields) -> Walk:
    return walk_of(correct(Settings(**fields))[0])


def read(shown: str) -> float:
    """A shown number as a number: −1.07, 2.2·10⁻¹⁶ (the words around it are left out)."""
    if shown.endswith(" at all"):
        return 0.0
    found = re.search(r"[<>]?(−?[\d,]+(?:\.\d+)?)(?:·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?", shown)
    power = (found[2] or "⁰").translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    return float(found[1].replace("−", "-").replace(",", "")) * 10 ** int(power)


def close(shown: str, value: float) -> bool:
    """Equal to the digits that are shown (at least two after the point, or two that count)."""
    two_digits = abs(value) < 0.005 or abs(value) >= 1e5
    return abs(read(shown) - value) <= max(0.0051, 0.06 * abs(value) if two_digits else 0)


def by_hand(found: Walk) -> dict:
    """Attention of the chosen head in nested loops, from X, the matrices and the settings alone."""
    p, X, i = found.trace.parameters, found.trace.X.tolist(), found.head
    d_k, n = len(p.W_Q[i][0]), len(X)
    divide_by = {"sqrt": math.sqrt(d_k), "none": 1, "d_k": d_k}[found.settings.divisor]

    def times(rows, W):
        return [[sum(r[k] * W[k][c] for k in range(len(r))) for c in range(len(W[0]))] for r in rows]

    Q, K, V = (times(X, W[i].tolist()) for W in (p.W_Q, p.W_K, p.W_V))
    scores = [[sum(a * b for a, b in zip(q, k)) for k in K] for q in Q]

    def share(row, t, divisor):
        open_to = [j for j in range(n) if found.settings.mask == "none" or j <= t]
        e = {j: math.exp((row[j] - max(row[m] for m in open_to)) / divisor) for j in open_to}
        return [e.get(j, 0) / sum(e.values()) for j in range(n)]

    weights = [share(row, t, divide_by) for t, row in enumerate(scores)]
    heads = [[sum(w * v[c] for w, v in zip(row, V)) for c in range(len(V[0]))] for row in weights]
    grids = dict(Q=Q, K=K, V=V, scores=scores, weights=weights, heads=heads)
    return grids | dict(divisor=divide_by, share=share, d_k=d_k, n=n)


@pytest.mark.parametrize("fields", WALKS)
def test_numbers_of_the_walk_equal_a_calculation_by_hand(fields):
    found, t = walk(**fields), 0
    live, hand, t, p = numbers(found), by_hand(found), found.word, found.trace.parameters
    row = hand["weights"][t]
    j = max(range(hand["n"]), key=lambda k: (row[k], -k))
    assert (live["partner"], live["partner_place"]) == (found.tokens[j], str(j + 1))
    lengths = math.hypot(*hand["Q"][t]) * math.hypot(*hand["K"][j])
    expected = {
        "score": hand["scores"][t][j],
        "scaled_score": hand["scores"][t][j] / hand["divisor"],
        "double_score": 2 * hand["scores"][t][j],
        "self_score": hand["scores"][t][t],
        "same_score": sum(x * x for x in hand["Q"][t]),
        "opposite_score": -sum(x * x for x in hand["Q"][t]),
        "right_angle_score": 0,
        "query_length": math.hypot(*hand["Q"][t]),
        "key_length": math.hypot(*hand["K"][j]),
        "length": math.hypot(*found.trace.X[t]),
        "first_query": hand["Q"][t][0],
        "weight": row[j],
        "divisor": hand["divisor"],
        "root": math.sqrt(hand["d_k"]),
        "column_sum": sum(r[j] for r in hand["weights"]),
        "equal_weight": 1 / hand["n"],
        "head_first": hand["heads"][t][0],
        "output_first": sum(found.trace.concat[t] * p.W_O[:, 0]),
        "angle": math.degrees(math.acos(max(-1, min(1, hand["scores"][t][j] / lengths)))),
    }
    for name, value in expected.items():
        precise = abs(read(live[name]) - value) <= 0.5 if name == "angle" else close(live[name], value)
        assert precise, (name, live[name], value)
    for name, divisor in (("sqrt", math.sqrt(hand["d_k"])), ("none", 1), ("d_k", hand["d_k"])):
        assert _same_percent(live[f"percent_{name}"], hand["share"](hand["scores"][t], t, divisor)[j])
    assert _same_percent(live["weight_percent"], row[j])
    assert _same_percent(live["self_percent"], row[t])
    assert _same_percent(live["first_percent"], row[0])


def _same_percent(shown: str, weight: float) -> bool:
    value = float(shown.strip("<>%"))
    if shown[0] == ">":
        return 100 * weight > value
    return 100 * weight < value if shown[0] == "<" else abs(100 * weight - value) <= 0.5


@pytest.mark.parametrize("fields", WALKS)
def test_what_ifs_equal_a_calculation_by_hand(fields):
    found = walk(**fields)
    live, hand, t, i, p = numbers(found), by_hand(found), found.word, found.head, found.trace.parameters
    j = int(live["partner_place"]) - 1
    visible = [k for k in range(hand["n"]) if found.settings.mask == "none" or k <= t]
    lifted = [hand["scores"][t][k] / hand["divisor"] for k in range(hand["n"])]
    lifted[j] = max(lifted[k] for k in visible) + 20
    e = {k: math.exp(lifted[k] - lifted[j]) for k in visible}
    blend = [sum(e[k] / sum(e.values()) * hand["V"][k][c] for k in visible) for c in range(p.d_v)]
    assert close(live["copied_gap"], max(abs(a - b) for a, b in zip(blend, hand["V"][j])))
    rows = found.trace.output.copy()
    own = found.trace.heads[i] @ p.W_O[i * p.d_v : (i + 1) * p.d_v]
    assert close(live["head_off_change"], np.abs(own[t]).max()) and np.allclose(rows, found.trace.output)
    assert live["shared_gap"] == "do not differ at all" and live["alone_weight"] == "1"
    for name in ("negative_gap", "alone_gap", "head_alone_gap", "cut_late_gap", "identity_gap", "averaged_gap",
                 "largest_difference_shares", "backwards_gap", "twice_same"):
        assert read(live[name]) < 1e-12, (name, live[name])
        assert live[name] == "0" or live[name].endswith(("which is rounding", " at all"))
    for name in SAID:
        assert "not" in live[name] and live[name].endswith(" at all") if read(live[name]) == 0 else " by at most " in live[name]
    assert close(live["twice_apart"], math.sin(1))
    assert live["causal_visible"] == str(t + 1)
    n = hand["n"]
    assert live["causal_shut"] == ("1 cell" if n == 2 else f"{n * (n - 1) // 2} cells")
    columns = found.trace.X[:, np.arange(p.d_model) // hand["d_k"] == i]
    narrow = columns @ p.W_Q[i][np.arange(p.d_model) // hand["d_k"] == i]
    if p.h > 1:
        assert close(live["cut_early"].rsplit("up to ", 1)[1], np.abs(narrow - np.array(hand["Q"])).max())
    apart = max(abs(a[t] - b[t]).max() for a, b in product(found.trace.heads, repeat=2))
    assert close(live["heads_apart"], apart)


@pytest.mark.parametrize("fields", WALKS)
def test_a_word_twice_and_a_sentence_backwards_start_from_the_embeddings(fields):
    found = walk(**fields)
    E = found.trace.E
    assert np.array_equal(what_if.word_twice(found, positions=False), E[[found.word, found.word]])
    places = np.array([[math.sin(0), math.cos(0)], [math.sin(1), math.cos(1)]])
    assert np.allclose(what_if.word_twice(found, positions=True)[:, :2], E[found.word, :2] + places)
    forward, backward = what_if.outputs_backwards(found)
    again = attend(E, found.trace.parameters, divisor=found.trace.divisor).output
    assert np.allclose(forward, again) and np.allclose(backward, again)


@pytest.mark.parametrize("fields", WALKS)
def test_counts_shapes_and_lists(fields):
    found = walk(**fields)
    live, s, n, d_k = numbers(found), found.settings, len(found.tokens), found.settings.d_model // found.settings.h
    assert live["sentence"] == s.sentence
    assert (live["n"], live["h"], live["d_model"], live["d_k"]) == (str(n), str(s.h), str(s.d_model), str(d_k))
    assert (live["head"], live["word_place"], live["word"]) == (str(s.head), str(s.word), found.tokens[s.word - 1])
    assert live["n_squared"] == str(n * n) and live["work_one"] == live["work_heads"] == f"{n * n * s.d_model:,}"
    assert live["grid_cells"] == str(s.h * n * n)
    d_model = s.d_model
    shapes = {
        "X": (n, d_model), "Q": (n, d_k), "K": (n, d_k), "V": (n, d_k), "scores": (n, n), "head": (n, d_k),
        "concat": (n, d_model), "W_Q": (d_model, d_k), "W_O": (d_model, d_model), "output": (n, d_model),
        "alone": (1, d_model),
    }
    assert {name: live[f"shape_{name}"] for name in shapes} == {name: str(shape) for name, shape in shapes.items()}
    assert live["legal_h"].split(", ") == [str(h) for h in range(1, s.d_model + 1) if s.d_model % h == 0]
    assert s.d_model % int(live["illegal_h"]) and live["illegal_message"].startswith(f"{live['illegal_h']} heads")
    assert live["heads_looking"].count("head ") == min(s.h, 8)
    assert live["words_looking"].count("→") == min(n, 8)
    weights = found.trace.weights
    for i, looks in enumerate(live["heads_looking"].split("; ")[:8]):
        j = weights[i, s.word - 1].argmax()
        assert looks.startswith(f"head {i + 1}: ") and (found.tokens[j] in looks or looks.endswith("itself"))
        assert looks.endswith("itself") == (j == s.word - 1)
    assert live["order"].startswith("head 1 in column")
    assert live["order"].endswith(f" {s.d_model}")


def test_the_shares_of_the_first_number_add_up_to_it():
    live = numbers(walk(d_model=12, h=3, word=2, head=1))
    shares = live["shares_first"].split(", ")
    assert len(shares) == 3 and abs(sum(map(read, shares)) - read(live["output_first"])) < 0.02


def test_stories_and_examples_have_the_numbers_of_the_sources():
    live = numbers(walk())
    assert (live["story_n"], live["story_d_k"], live["story_root"], live["story_percent"]) == ("10", "64", "8", "70%")
    shapes = [live[f"story_shape_{grid}"] for grid in ("X", "Q", "scores")]
    assert shapes == ["(10, 512)", "(10, 64)", "(10, 10)"]
    assert (live["bert_d_k"], live["bert_wide"]) == ("64", "768")
    assert (live["example_scaled"], live["example_blend"]) == ("5", "15")
    assert close(live["story_lead"], math.log(21))


# ---- percentages -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("weight, shown", [
    (0.9999, ">99.9%"), (1 - 1e-18, ">99.9%"), (0.992, "99.2%"), (0.44, "44%"), (0.0121, "1.2%"), (1e-9, "<0.1%"),
    (0.0, "<0.1%"), (0.333333, "33%"), (0.9994, "99.9%"), (0.9996, ">99.9%"),
])
def test_a_percentage_never_claims_too_much(weight, shown):
    assert percent(weight) == shown


def test_certainty_is_said_only_where_a_mask_makes_it():
    assert percent(1.0, only=True) == "100%" and percent(0.0, allowed=False) == "0%"
    live = numbers(walk(mask="causal", word=1))
    assert live["weight_percent"] == "100%"
    assert live["row_said"] == "“the” 100%, “cat” 0%, “sat” 0%"


def test_rows_that_do_not_seem_to_reach_100_are_explained():
    seen = set()
    for seed in range(40):
        found = walk(seed=seed)
        live = numbers(found)
        total = sum(float(part.rsplit(" ", 1)[1].strip("<>%")) for part in live["row_said"].split(", "))
        bound = any(sign in live["row_said"] for sign in "<>")
        if bound:
            assert "bounds" in live["rounding"]
        else:
            assert ("Rounded" in live["rounding"]) == (round(total, 1) != 100)
            assert round(total, 1) == 100 or f"{total:g}%" in live["rounding"]
        assert re.search(r"(make|add up to) 1\.$", live["rounding"])
        seen.add(live["rounding"][:7])
    assert {"Rounded", "Togethe"} <= seen


# ---- words -----------------------------------------------------------------------------------------------------
def test_a_repeated_word_is_told_with_its_place():
    found = walk(sentence="the dog saw the other dog", mask="causal", word=4)
    live = numbers(found)
    assert re.search(r"“the” \(word 1\) \d", live["row_said"]) and "“saw” " in live["row_said"]
    assert "“dog” (word 6)" in live["words_looking"]


def test_a_word_that_looks_at_itself_is_not_named_twice():
    live = numbers(walk(sentence="hello"))
    assert load("step_3_scores").headline.plain(live) == "How much does “hello” care about itself?"
    assert "no other way round" in live["mutual"]


def test_there_and_back_are_the_two_scores():
    found = walk(word=1)
    live = numbers(found)
    j = max((1, 2), key=lambda k: found.trace.scores[1, 0, k])
    there, back = (float(found.trace.scores[1][pair]) for pair in ((0, j), (j, 0)))
    first, second = live["mutual"].split(". The other way round it is ")
    assert f"“{found.tokens[j]}”" in first and close(first.split("scores ")[1], there) and close(second, back)


def test_a_long_sentence_is_cut_for_headlines_only():
    sentence = "one two three four five six seven eight nine ten eleven twelve"
    live = numbers(walk(sentence=sentence))
    assert live["sentence"] == sentence and len(live["sentence_short"]) <= 48
    assert sentence.startswith(live["sentence_short"].removesuffix("…"))
    assert len(numbers(walk(sentence="x" * 150))["sentence_short"]) == 48


def test_settings_are_said_in_words():
    assert numbers(walk(d_model=8, h=2))["divisor_said"] == "√4 = 2"
    assert "switched the scaling off" in numbers(walk(divisor="none"))["divisor_said"]
    assert "common mistake" in numbers(walk(divisor="d_k"))["divisor_said"]
    assert "switched positions off" in numbers(walk(positions=False))["position_said"]
    assert "(seed 5)" in numbers(walk(seed=5))["origin"]
    causal = numbers(walk(mask="causal", word=2))["mask_said"]
    assert "“cat” may look at 2 of 3 words, with 3 cells shut" in causal
    assert "No mask" in numbers(walk())["mask_said"]


# ---- every name ------------------------------------------------------------------------------------------------
def test_names_are_listed_and_used():
    live = numbers(walk())
    assert set(live) == set(NAMES) and len(live) == len(NAMES)
    used = set()
    for file in (LESSONS / "en").glob("*.md"):
        lesson = load(file.stem)
        used |= lesson.headline.placeholders.union(*(section.placeholders for section in lesson.sections.values()))
    # offered to whoever draws, though no sentence needs them yet
    spare = "illegal_h partner scaled_score weight partner_place legal_h divisor sentence n_squared".split()
    assert set(NAMES) - used <= set(spare)


def test_every_number_exists_for_two_sentences_uneven_sizes_and_biases():
    draw = np.random.RandomState(7)
    n_q, n_k, d_model, h, d_k, d_v, d_out = 3, 5, 7, 2, 3, 2, 11
    shapes = dict(W_Q=(h, d_model, d_k), W_K=(h, d_model, d_k), W_V=(h, d_model, d_v), W_O=(h * d_v, d_out),
                  b_Q=(h, d_k), b_K=(h, d_k), b_V=(h, d_v), b_O=(d_out,))
    parameters = Parameters(**{name: draw.standard_normal(shape) for name, shape in shapes.items()})
    allowed = draw.standard_normal((h, n_q, n_k)) > 0
    allowed[..., 0] = True
    asks, is_asked = draw.standard_normal((n_q, d_model)), draw.standard_normal((n_k, d_model))
    for context, mask in product((None, is_asked), (None, allowed)):
        mask = mask if mask is None or context is not None else mask[..., :n_q]
        trace = attend(asks, parameters, context=context, allowed=mask)
        keys = ("a", "b", "c") if context is None else ("v", "w", "x", "y", "z")
        live = numbers(Walk(Settings(word=2, head=2), ("a", "b", "c"), keys, trace, 1, 1, "a test"))
        assert all(isinstance(live[name], str) and live[name] for name in NAMES)
        assert live["shape_output"] == "(3, 11)" and live["n_keys"] == str(len(keys))
        assert live["shares_first"].endswith("from the bias") and read(live["head_alone_gap"]) < 1e-12
        assert read(live["largest_difference_shares"]) < 1e-12 and read(live["cut_early"].rsplit("up to", 1)[1]) > 0.01
