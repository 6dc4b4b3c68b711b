"""The lab, first part: each experiment against an independent computation, each page from its address, any input."""

import re
from dataclasses import replace
from urllib.parse import parse_qs

import numpy as np
import pytest
import streamlit as st

from mha_core.resume import resume
from mha_core.stages import grid_of
from mha_core.tokens import MAX_TOKENS, tokenize
from tests.core.reference import loops
from tests.walkthrough.test_pages import HOSTILE, open_app, prose, sheets, show
from walkthrough import experiments
from walkthrough.digits import digits
from walkthrough.experiments.compare import FIELDS
from walkthrough.experiments.masks import KINDS
from walkthrough.experiments.overwrite import moved
from walkthrough.figures import cells, comparison, lab_tables
from walkthrough.frame import overwriting
from walkthrough.frame.masking import take_drawn
from walkthrough.lesson import text
from walkthrough.settings import CHOICES, Settings
from walkthrough.walk import walk_of

PAGES = ("lab_compare", "lab_change", "lab_heads_off", "lab_masks", "lab_cross", "lab_sentences")
FIELD_OF = dict(zip(PAGES, ("against", "changes", "off", "drawn", "other")))
SIX = Settings("a b c d e f", d_model=6, h=1, head=1, word=2)
FIVE = Settings("one two three four five", d_model=12, h=3, head=2, word=4)


def fresh(walk, X=None, context=None, allowed=None, **parameters):
    """The stages of a walk again, by plain loops."""
    p = replace(walk.trace.parameters, **parameters)
    X = walk.trace.X if X is None else X
    return loops(X, p, X if context is None else context, allowed, walk.trace.divisor)


# ---- compare -----------------------------------------------------------------------------------------------------
def test_equal_words_are_lined_up_wherever_they_stand_and_each_once():
    man, dog = tokenize("man bites dog"), tokenize("dog bites man")
    assert experiments.line_up(man, dog) == ((2, 0), (1, 1), (0, 2))
    assert experiments.line_up(man, dog, "place") == ((0, 0), (1, 1), (2, 2))
    assert experiments.line_up(tuple("abcd"), tuple("axcd")) == ((0, 0), (2, 2), (3, 3))
    assert experiments.line_up(tuple("aab"), tuple("baaa")) == ((2, 0), (0, 1), (1, 2))
    assert experiments.line_up(("x",), ("y",)) == ()


@pytest.mark.parametrize("positions", [False, True])
def test_man_bites_dog_has_the_same_rows_turned_round_exactly_where_positions_are_off(positions):
    A, B = (walk_of(Settings(s, positions=positions)) for s in ("man bites dog", "dog bites man"))
    found = {d.field: d for d in experiments.compare(A, B, experiments.line_up(A.tokens, B.tokens))}
    by_hand = fresh(B)["output"] - fresh(A)["output"][::-1]
    np.testing.assert_allclose(found["output"].gap, by_hand, atol=1e-12)
    assert (np.abs(by_hand).max() > 0.1) == positions
    assert found["output"].is_rounding or found["output"].largest == 0 or positions
    turned = fresh(B)["weights"] - fresh(A)["weights"][:, ::-1, ::-1]
    np.testing.assert_allclose(found["weights"].gap, turned, atol=1e-12)


def test_the_largest_difference_is_where_it_is_said_to_be():
    A, B = walk_of(FIVE), walk_of(replace(FIVE, divisor="none", sentence="one two and four five six"))
    pairs = experiments.line_up(A.tokens, B.tokens)
    assert pairs == ((0, 0), (1, 1), (3, 3), (4, 4))
    for one in experiments.compare(A, B, pairs):
        grid = one.gap if one.head is None else one.gap[one.head]
        assert grid[one.place] == one.largest and abs(one.largest) == np.abs(one.gap).max()
        row, column = one.place
        a, b = (getattr(walk.trace, one.field) for walk in (A, B))
        at = [pairs[row], pairs[column] if one.field in ("scores", "scaled", "weights") else (column, column)]
        head = () if one.head is None else (one.head,)
        assert one.largest == b[(*head, at[0][1], at[1][1])] - a[(*head, at[0][0], at[1][0])]


def test_the_page_names_the_words_where_each_difference_sits_and_those_without_a_partner():
    other = replace(FIVE, divisor="none", sentence="zero five one two four", seed=9)
    a, b = fresh(walk_of(FIVE)), fresh(walk_of(other))
    said, words = prose(open_app("lab_compare", replace(other, against=experiments.address_of(FIVE)))), other.sentence.split()
    shown = [[re.sub("<[^>]*>", "", cell) for cell in re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in said.split("<tr>")]
    where = {row[0]: row[2:] for row in shown if len(row) == 4}
    partner = {1: 4, 2: 0, 3: 1, 4: 3}  # the words of B, and where the same ones stand in A
    gap, head, i, j = max(
        ((b["weights"][h, i, j] - a["weights"][h, partner[i], partner[j]], h, i, j) for h in range(3) for i in partner for j in partner),
        key=lambda found: abs(found[0]),
    )
    assert where[text("lab_stage_weights")] == [digits(gap), f"weight({words[i]} → {words[j]}, head {head + 1})"]
    gap, i, c = max(((b["output"][i, c] - a["output"][partner[i], c], i, c) for i in partner for c in range(12)), key=lambda found: abs(found[0]))
    assert where[text("lab_stage_output")] == [digits(gap), f"output({words[i]}, number {c + 1})"]
    assert "Only in A, so without a partner: “three” (word 3)." in said and "Only in B, so without a partner: “zero” (word 1)." in said
    told = {row[0]: row[1:] for row in shown if len(row) == 3}
    assert told[text("label_divisor")] == ["√d_k", "nothing"] and told[text("label_seed")] == ["1753", "9"]


def test_rows_of_different_width_are_said_not_to_fit_but_weights_still_do():
    A, B = walk_of(Settings(d_model=8)), walk_of(Settings(d_model=12))
    found = {d.field: d for d in experiments.compare(A, B, ((0, 0), (1, 1), (2, 2)))}
    assert found["X"].gap is None and found["output"].gap is None and found["weights"].gap is not None
    pairs = experiments.line_up(A.tokens, B.tokens)
    assert "cannot be subtracted" in comparison.largest_bars(tuple(found.values()), A, B, pairs)
    assert all(d.gap is None for d in experiments.compare(A, B, ()))
    assert "no word" in comparison.largest_bars(experiments.compare(A, B, ()), A, B, ())


def test_with_other_numbers_of_heads_all_three_grids_are_of_the_same_head():
    A, B = walk_of(replace(FIVE, h=2, head=1)), walk_of(replace(FIVE, h=6, head=5))
    one = experiments.compare(A, B, experiments.line_up(A.tokens, B.tokens))[FIELDS.index("weights")]
    html = comparison.three_grids(one, A, B, experiments.line_up(A.tokens, B.tokens), B.head, False)
    a, b = A.trace.weights[1], B.trace.weights[1]
    assert html.count("head 2") == 3
    for i, j in np.ndindex(5, 5):
        assert all(f">{digits(number)}</td>" in html for number in (a[i, j], b[i, j], (b - a)[i, j]))


def test_a_pinned_walk_comes_back_from_its_address_and_holds_no_further_one():
    for settings in (Settings(), replace(FIVE, against="h=1", divisor="d_k", mask="causal", cell="X.1.1")):
        back, notes = experiments.pinned(experiments.address_of(settings))
        assert back == replace(settings, against="", cell="", trail="") and not notes
    assert experiments.pinned("  ") == (None, [])
    assert experiments.pinned("h=5&d_model=8")[1][0].key == "note_h"
    for wrong in ("nonsense", "&&&", "a=" + "b&c=" * 100, "\x00"):
        assert experiments.pinned(wrong)[0] is None or experiments.pinned(wrong)[0] == Settings()


def test_the_page_shows_the_largest_difference_of_every_stage():
    at = open_app("lab_compare", replace(FIVE, against=experiments.address_of(replace(FIVE, seed=8))))
    assert not at.exception
    A, B = fresh(walk_of(replace(FIVE, seed=8))), fresh(walk_of(FIVE))
    for field in ("Q", "scores", "weights", "output"):
        gap = B[field] - A[field]
        assert f"<td>{digits(gap.flat[np.abs(gap).argmax()])}</td>" in prose(at), field
    for one in (A, B):
        assert f">{digits(one['weights'][1, 3, 2])}</td>" in prose(at)


def test_pairs_pin_swap_and_let_go():
    at = open_app("lab_compare")
    at.button(key="pair_order").click().run()
    now = at.session_state["settings"]
    assert (now.sentence, now.positions) == ("dog bites man", False) and "equal but for rounding" in prose(at)
    at.button(key="lab_swap").click().run()
    assert at.session_state["settings"].sentence == "man bites dog"
    assert experiments.pinned(at.session_state["settings"].against)[0].sentence == "dog bites man"
    at.button(key="lab_pin").click().run()
    assert experiments.pinned(at.session_state["settings"].against)[0].sentence == "man bites dog"
    at.button(key="lab_unpin").click().run()
    assert at.session_state["settings"].against == "" and not at.exception


PAIRS = ("order", "positions", "scaling", "mask", *["tired"] * ("trained" in CHOICES["source"]))
LEFT_OVER = replace(FIVE, source="hand-built", sentence="She is a great leader", mask="causal", divisor="d_k", positions=False, layer=3)


@pytest.mark.parametrize("name", PAIRS)
def test_a_ready_made_pair_is_the_same_whatever_was_there_before(name):
    def walks(*before, settings=Settings(d_model=12, h=3)):
        at = open_app("lab_compare", settings)
        for other in before:
            at.button(key=f"pair_{other}").click().run()
        at.button(key=f"pair_{name}").click().run()
        assert not at.exception
        B = at.session_state["settings"]
        return [tuple(getattr(side, field) for field in comparison.TOLD) for side in (experiments.pinned(B.against)[0], B)]

    alone = walks()
    assert alone[0] != alone[1]
    assert walks(*PAIRS, *PAIRS[::-1]) == alone
    assert walks(settings=replace(LEFT_OVER, hide_special=True)) == alone


def test_letting_a_pair_go_brings_back_what_was_there_before():
    mine = replace(FIVE, mask="causal", divisor="d_k", cell="X.1.2")
    at = open_app("lab_compare", mine)
    for name in ("scaling", "order"):
        at.button(key=f"pair_{name}").click().run()
    at.button(key="lab_swap").click().run()
    at.button(key="lab_unpin").click().run()
    assert at.session_state["settings"] == mine and not at.exception
    at.button(key="pair_order").click().run()
    at.number_input(key="side_seed").set_value(7).run()
    at.button(key="lab_unpin").click().run()
    now = at.session_state["settings"]
    assert (now.sentence, now.seed, now.against) == ("dog bites man", 7, "")


# ---- change a number ---------------------------------------------------------------------------------------------
def test_changes_are_read_spelled_and_counted_from_one():
    walk = walk_of(FIVE)
    changes, notes = experiments.read_changes("scores.2.3.1=4.5~X.1.*=0~W_Q.3.12.4=-1e3~W_O.12.1=.25", walk)
    assert [(c.field, c.index, c.value) for c in changes] == [
        ("scores", (1, 2, 0), 4.5), ("X", (0,), 0.0), ("W_Q", (2, 11, 3), -1000.0), ("W_O", (11, 0), 0.25),
    ]  # fmt: skip
    assert not notes
    spelled = "scores.2.3.1=4.5~X.1.*=0~W_Q.3.12.4=-1000~W_O.12.1=0.25"
    assert experiments.spell_changes(changes, walk) == spelled
    again = experiments.read_changes("X.1.1=1~X.1.2=2~X.1.1=3", walk)[0]
    assert [c.value for c in again] == [2.0, 3.0]


ILLEGAL = [
    "X.0.1=1", "X.6.1=1", "X.1=1", "X.1.1.1=1", "X.*.1=1", "X.1.1=nan", "X.1.1=inf", "X.1.1=1e7", "X.1.1=1e400",
    "X.1.1=", "X.1.1=1_0", "X.1.1=١", "X.1.1=0x10", "weights.1.1.1=1", "parameters.1=1", "__class__.1.1=1",
    "b_Q.1.1=1", "=", "X", "X..1=1",
    "X.1.1=1=2", "X.99999999999.1=1", "<b>", "scores.1.1.*.*=1", "E.1.1=1", "context.1.1=1", "X.-1.1=1",
]  # fmt: skip


@pytest.mark.parametrize("piece", ILLEGAL)
def test_an_illegal_change_is_left_out_with_a_note_and_the_legal_ones_stay(piece):
    walk = walk_of(FIVE)
    changes, notes = experiments.read_changes(f"X.1.1=1~{piece}~X.1.2=2", walk)
    assert [c.value for c in changes] == [1.0, 2.0] and len(notes) == 1 and notes[0].values["asked"] == piece[:40]


def test_a_list_without_end_is_cut_and_says_so():
    walk = walk_of(FIVE)
    many = "~".join(f"X.{i}.{j}=1" for i in range(1, 6) for j in range(1, 13))
    changes, notes = experiments.read_changes(many, walk)
    assert len(changes) == 40 and notes[-1].key == "lab_note_changes_many"
    changes, notes = experiments.read_changes("~".join(["x"] * 5000), walk)
    assert not changes
    assert [note.key.removeprefix("lab_note_change") for note in notes] == ["", "", "", "s_more", "s_many"]


def test_overwritten_numbers_are_followed_downstream_as_plain_loops_do():
    walk = walk_of(replace(FIVE, mask="causal"))
    changes, _ = experiments.read_changes("X.2.*=0.5~X.4.3=-2~W_K.1.2.3=7~W_O.5.*=0", walk)
    after = experiments.overwrite(walk, changes).trace
    X, W_K, W_O = (np.array(grid) for grid in (walk.trace.X, walk.trace.parameters.W_K, walk.trace.parameters.W_O))
    X[1], X[3, 2], W_K[0, 1, 2], W_O[4] = 0.5, -2, 7, 0
    for name, grid in fresh(walk, X, allowed=np.tri(5, dtype=bool), W_K=W_K, W_O=W_O).items():
        np.testing.assert_allclose(getattr(after, name), grid, atol=1e-12, err_msg=name)


def test_scores_set_by_hand_stay_when_x_changes_too_and_only_their_row_moves():
    walk = walk_of(FIVE)
    changes, _ = experiments.read_changes("scores.2.3.1=4.5", walk)
    after = experiments.overwrite(walk, changes)
    found = experiments.what_changed(walk, after)
    assert [c.field for c in found] == ["scores", "scaled", "masked", "weights", "heads", "concat", "output"]
    assert (found[0].count, found[0].index, found[0].new) == (1, (1, 2, 0), 4.5)
    assert found[0].old == walk.trace.scores[1, 2, 0]
    assert [c.count for c in found[3:]] == [5, 4, 4, 12]
    both = experiments.overwrite(walk, experiments.read_changes("scores.2.3.1=4.5~X.3.*=0", walk)[0])
    row = np.zeros(5)
    row[0] = 4.5 / walk.trace.divisor
    np.testing.assert_allclose(both.trace.weights[1, 2], np.exp(row) / np.exp(row).sum(), atol=1e-12)


def test_a_long_sentence_does_not_take_rounding_for_a_change():
    walk = walk_of(Settings(" ".join(f"w{i}" for i in range(40)), d_model=12, h=3))
    found = experiments.what_changed(walk, experiments.overwrite(walk, experiments.read_changes("X.7.*=0", walk)[0]))
    counts = {c.field: c.count for c in found}
    assert (counts["Q"], counts["scores"]) == (12, 3 * (40 + 39))
    old = np.array([[1.0, -3.0, -np.inf]])
    assert not moved(old, np.nextafter(old, -np.inf)).any()
    assert moved(old, old + 1e-12).tolist() == [[True, True, False]]


def test_the_page_shows_old_and_new_and_can_undo():
    at = open_app("lab_change", replace(FIVE, changes="scores.2.3.1=4.5~X.1.*=0~oops"))
    assert not at.exception and "oops" in prose(at)
    old = walk_of(FIVE).trace
    X = np.array(old.X)
    X[0] = 0
    assert f"{digits(old.scores[1, 2, 0])} → 4.5" in prose(at)
    scores = fresh(walk_of(FIVE), X)["scores"]
    scores[1, 2, 0] = 4.5
    weights = np.exp(scores / 2) / np.exp(scores / 2).sum(axis=-1, keepdims=True)
    p = walk_of(FIVE).trace.parameters
    output = np.concatenate(weights @ (X @ p.W_V), axis=-1) @ p.W_O
    for row in range(5):
        assert f"<s>{digits(old.output[row, 1])}</s> {digits(output[row, 1])}</td>" in prose(at)
    at.button(key="lab_undo").click().run()
    assert at.session_state["settings"].changes == "scores.2.3.1=4.5"
    at.button(key="lab_reset").click().run()
    assert at.session_state["settings"].changes == "" and not at.exception


def test_a_cell_is_chosen_and_overwritten_by_the_controls():
    at = open_app("lab_change", FIVE)
    at.selectbox(key="lab_field").set_value("scores").run()
    assert at.session_state["settings"].cell == "scores.2.4.1"
    at.selectbox(key="lab_axis_2").set_value(5).run()
    at.number_input(key="lab_value").set_value(-3.25).run()
    at.button(key="lab_do").click().run()
    assert at.session_state["settings"].changes == "scores.2.4.5=-3.25" and not at.exception
    at.toggle(key="lab_whole_row").set_value(True).run()
    at.button(key="lab_do").click().run()
    assert at.session_state["settings"].changes == "scores.2.4.5=-3.25~scores.2.4.*=-3.25"
    for place in range(3):
        at.button(key=f"ready_change_{place}").click().run()
        assert not at.exception and "What changed where" in prose(at)


def test_a_list_that_sends_a_text_it_no_longer_has_stays_where_it_was(monkeypatch):
    calls = []
    monkeypatch.setattr(st, "session_state", {"lab_axis_0": "2 · two", "lab_axis_1": 5, "lab_axis_2": 1})
    monkeypatch.setattr(overwriting, "change", lambda **fields: calls.append(fields))
    overwriting._take_place("scores", (1, 3, 0))
    assert calls == [{"cell": "scores.2.5.1", "trail": ""}]


def test_ready_made_changes_add_up_and_the_form_follows_the_last_one():
    at = open_app("lab_change", FIVE)
    spelled = ["X.4.*=0", "scores.2.4.1=10", "W_O.1.*=0"]
    form = [("X", 4, 1, 0, True), ("scores", 2, 4, 10, False), ("W_O", 1, 1, 0, True)]

    def shown():
        first, second = (at.selectbox(key=f"lab_axis_{axis}").value for axis in (0, 1))
        return at.selectbox(key="lab_field").value, first, second, at.number_input(key="lab_value").value, at.toggle(key="lab_whole_row").value

    for place in range(3):
        at.button(key=f"ready_change_{place}").click().run()
        assert at.session_state["settings"].changes == "~".join(spelled[: place + 1]) and shown() == form[place]
        assert prose(at).count("<li>") == place + 1
    at.button(key="ready_change_0").click().run()
    assert at.session_state["settings"].changes == "~".join((*spelled[1:], spelled[0])) and shown() == form[0]
    for left in (["scores.2.4.1=10", "W_O.1.*=0"], ["scores.2.4.1=10"]):
        at.button(key="lab_undo").click().run()
        assert at.session_state["settings"].changes == "~".join(left) and not at.exception
    assert shown() == form[1]
    at.button(key="lab_undo").click().run()
    assert at.session_state["settings"].changes == "" and not at.exception


# ---- heads off ---------------------------------------------------------------------------------------------------
def test_an_output_without_heads_is_the_rest_of_the_sum():
    walk = walk_of(FIVE)
    without = experiments.walk_without(walk, (0, 2)).trace
    concat = np.array(walk.trace.concat)
    concat[:, :4] = concat[:, 8:] = 0
    rest = concat @ walk.trace.parameters.W_O
    np.testing.assert_allclose(without.output, rest, atol=1e-12)
    np.testing.assert_allclose(experiments.missing(walk, (0, 2)), walk.trace.output - rest, atol=1e-12)
    apart, length = experiments.distances(walk, experiments.walk_without(walk, (0, 2)))
    np.testing.assert_allclose(apart, np.sqrt(((walk.trace.output - rest) ** 2).sum(axis=1)), atol=1e-12)
    np.testing.assert_allclose(length, np.sqrt((walk.trace.output**2).sum(axis=1)), atol=1e-12)
    assert without.weights is walk.trace.weights and experiments.walk_without(walk, ()).trace is walk.trace


def test_heads_are_read_leniently():
    assert experiments.read_off("3, 1,1", 3) == ((0, 2), [])
    for wrong in ("4", "0", "-1", "x", "1.5", "٣", "9" * 9, "<b>"):
        off, notes = experiments.read_off(f"2,{wrong}", 3)
        assert off == (1,) and notes[0].key == "lab_note_off"


def test_the_page_shows_the_distances_and_what_is_missing():
    at = open_app("lab_heads_off", replace(FIVE, off="1,3,7"))
    walk = walk_of(FIVE)
    gone = sum(walk.trace.heads[i] @ walk.trace.parameters.W_O[4 * i : 4 * i + 4] for i in (0, 2))
    for row in gone:
        assert f"<td>{digits(np.sqrt((row * row).sum()))}</td>" in prose(at) and f">{digits(row[0])}</td>" in prose(at)
    assert "no head “7”" in prose(at)
    shown = {(grid["field"], grid["head"]): there for grid, there in sheets(at)}
    assert shown["output", None][0, 0] == pytest.approx(walk.trace.output[0, 0] - gone[0, 0])
    assert set(shown["shares", 1].values()) == {0.0}


def test_heads_are_switched_off_by_their_pills():
    at = open_app("lab_heads_off", FIVE)
    pills = next(one for one in at.get("button_group") if one.key == "lab_off")
    pills.set_value([3, 1]).run()
    assert at.session_state["settings"].off == "1,3" and not at.exception
    gone = sum(walk_of(FIVE).trace.heads[i] @ walk_of(FIVE).trace.parameters.W_O[4 * i : 4 * i + 4] for i in (0, 2))
    assert f"<td>{digits(np.sqrt((gone[0] * gone[0]).sum()))}</td>" in prose(at)
    at = open_app("lab_heads_off", replace(FIVE, d_model=24, h=24))  # too many for pills
    at.multiselect(key="lab_off").set_value([24, 2]).run()
    assert at.session_state["settings"].off == "2,24" and not at.exception


# ---- masks -------------------------------------------------------------------------------------------------------
def test_a_mask_survives_its_spelling():
    rng = np.random.default_rng(5)
    for n in (1, 2, 3, 7, 64, 65):
        allowed = rng.random((n, n)) < 0.5
        np.fill_diagonal(allowed, True)
        kind, back, notes = experiments.read_mask(experiments.spell_mask(allowed), "none", n)
        assert kind == "drawn" and (back == allowed).all() and not notes
    assert experiments.spell_mask(np.tri(3, dtype=bool)) == "1.3.7"


def test_masks_that_cannot_be_are_put_right_with_a_note():
    read = experiments.read_mask
    assert read("", "none", 3) == ("none", None, [])
    assert (read("", "causal", 3)[1] == np.tri(3, dtype=bool)).all()
    kind, allowed, notes = read("1.0.7", "none", 3)
    assert allowed[1].tolist() == [False, True, False] and notes[0].values == {"row": 2}
    kind, allowed, notes = read("1.2", "none", 3)
    assert allowed.tolist() == [[True, False, True], [False, True, True], [True] * 3]
    assert notes[0].key == "lab_note_drawn_size"
    assert read("pad:2", "none", 3)[1].tolist() == [[True, False, False]] * 3
    kind, allowed, notes = read("pad:9", "none", 3)
    assert allowed.sum() == 3 and notes[0].values["used"] == 2
    assert read("pad:1", "none", 1)[1].all()
    for wrong in ("xyz", "1..2", "-1.1.1", "1,2,3", "<b>", "pad:", "pad:-1", "pad:0", "1" * 300):
        assert read(wrong, "causal", 3)[0] == "causal" and read(wrong, "causal", 3)[2][0].key == "lab_note_drawn"


def test_case_a43_multiplying_scores_by_zero_hides_nothing():
    walk = walk_of(SIX)
    rows = np.tile([0.43, -0.21, 0.99, 0.32, -0.35, 0.04], (1, 6, 1))
    walk = replace(walk, trace=resume(walk.trace, scaled=rows))
    allowed = experiments.padding(6, 3)
    sums = experiments.row_sums(walk, allowed)
    np.testing.assert_allclose(sums.leaked, 3 * 0.1244, atol=2e-4)
    right = experiments.masked_walk(walk, allowed).trace.weights[0]
    np.testing.assert_allclose(right, np.tile([0.3051, 0.1609, 0.5341, 0, 0, 0], (6, 1)), atol=5e-5)
    grown = np.exp(rows[0, 0])
    np.testing.assert_allclose(sums.zeroed_after, grown[:3].sum() / grown.sum(), atol=1e-12)
    np.testing.assert_allclose([sums.before, sums.after], 1, atol=1e-12)
    assert sums.open == (3,) * 6


def test_the_page_shows_the_sums_and_the_masked_walk():
    at = open_app("lab_masks", replace(FIVE, drawn="1.3.15.f.1f"))
    assert not at.exception
    walk = walk_of(FIVE)
    allowed = np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 0, 1, 0, 1], [1, 1, 1, 1, 0], [1] * 5], dtype=bool)
    weights = fresh(walk, allowed=allowed)["weights"][1]
    (shown,) = [there for grid, there in sheets(at) if grid["field"] == "weights"]
    np.testing.assert_allclose([[shown[i, j] for j in range(5)] for i in range(5)], weights, atol=1e-12)
    free = fresh(walk)["weights"][1]
    for i in range(4):
        assert f"{digits((free * allowed)[i].sum())}</td>" in prose(at)


def test_the_table_has_every_sum_in_its_column_for_the_chosen_head():
    settings = replace(FIVE, drawn="1.3.15.f.1f", head=3)
    allowed = np.array([[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 0, 1, 0, 1], [1, 1, 1, 1, 0], [1] * 5], dtype=bool)
    scaled = fresh(walk_of(FIVE))["scaled"][2]
    table = prose(open_app("lab_masks", settings)).split(text("lab_sums_title", head=3))[1].split("</table>")[0]
    heads = [re.sub("<[^>]*>", "", cell) for cell in re.findall("<th[^>]*>(.*?)</th>", table.split("</thead>")[0])]
    assert heads == [text(f"lab_sums_{name}") for name in ("open", "before", "zeroed_after", "leaked", "after")]
    rows = [re.findall("<td[^>]*>(.*?)</td>", row) for row in table.split("</thead>")[1].split("</tr>") if "<td" in row]
    assert len(rows) == 5
    for i, row in enumerate(rows):
        free = [np.exp(v) / sum(np.exp(u) for u in scaled[i]) for v in scaled[i]]
        zeros = [v if may else 0.0 for v, may in zip(scaled[i], allowed[i])]
        leaked = sum(np.exp(v) for v, may in zip(zeros, allowed[i]) if not may) / sum(np.exp(v) for v in zeros)
        kept = sum(v for v, may in zip(free, allowed[i]) if may)
        assert row == [digits(x) for x in (allowed[i].sum(), 1, round(kept, 12), round(leaked, 12), 1)]


def test_every_kind_of_mask_can_be_chosen():
    at = open_app("lab_masks", FIVE)
    kinds = lambda: next(one for one in at.get("button_group") if one.key == "lab_mask_kind")  # noqa: E731
    for kind, mask, drawn in [("causal", "causal", ""), ("drawn", "causal", "1.3.7.f.1f"), ("padding", "causal", "pad:1"), ("none", "none", "")]:
        kinds().set_value(kind).run()
        assert not at.exception and kinds().value == kind
        assert (at.session_state["settings"].mask, at.session_state["settings"].drawn) == (mask, drawn)
    kinds().set_value("padding").run()
    at.slider(key="lab_padding").set_value(3).run()
    assert at.session_state["settings"].drawn == "pad:3"
    (shown,) = [there for grid, there in sheets(at) if grid["field"] == "weights"]
    scores = fresh(walk_of(FIVE))["scaled"][1][:, :2]
    np.testing.assert_allclose([[shown[i, j] for j in (0, 1)] for i in range(5)], np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True))


def test_a_row_without_keys_is_refused_with_its_reason():
    at = open_app("lab_masks", replace(FIVE, drawn="1.0.7.f.1f"))
    assert "Word 2 must be able to look at one word at least" in prose(at)


def test_what_the_drawing_sends_is_judged_again(monkeypatch):
    state, calls = {}, []
    monkeypatch.setattr(st, "session_state", state)
    monkeypatch.setattr("walkthrough.frame.masking.change", lambda **fields: calls.append(fields))
    take_drawn("1.3.7", 3)
    take_drawn("7.7.7", 3)
    assert calls == [{"drawn": "1.3.7"}, {"mask": "none", "drawn": ""}]
    for wrong in ("0.3.7", "junk", None, 7, "1.1", "pad:x"):
        take_drawn(wrong, 3)
    assert len(calls) == 2 and state["lab_refused"]


def test_a_mask_that_the_walk_knows_is_set_there_and_of_any_other_the_page_says_what_the_step_shows():
    at = open_app("lab_masks", FIVE)
    kinds = "lab_mask_kind"
    at.segmented_control(key=kinds).set_value("padding").run()
    assert (at.session_state["settings"].mask, at.session_state["settings"].drawn) == ("none", "pad:1")
    assert "you will see the walk without a mask" in prose(at)
    at.segmented_control(key=kinds).set_value("causal").run()
    assert (at.session_state["settings"].mask, at.session_state["settings"].drawn) == ("causal", "")
    assert "behind this link" not in prose(at)
    for kind in ("drawn", "padding"):
        at.segmented_control(key=kinds).set_value(kind).run()
        assert at.session_state["settings"].mask == "causal" and at.session_state["settings"].drawn
        assert "you will see the causal mask, and not the mask of this page" in prose(at)
    at.segmented_control(key=kinds).set_value("none").run()
    assert (at.session_state["settings"].mask, at.session_state["settings"].drawn) == ("none", "")
    assert "behind this link" not in prose(at) and not at.exception


# ---- two sentences -----------------------------------------------------------------------------------------------
def test_the_cross_walk_is_attention_from_one_sentence_to_the_other():
    settings = replace(FIVE, other="six seven eight", mask="causal", divisor="none")
    walk = experiments.cross_walk(settings)
    context = walk_of(replace(FIVE, sentence="six seven eight", word=1)).trace.X
    assert walk.settings.mask == "none" and walk.other_tokens == ("six", "seven", "eight")
    assert walk.trace.weights.shape == (3, 5, 3)
    for name, grid in loops(walk_of(FIVE).trace.X, walk.trace.parameters, context, None, 1.0).items():
        np.testing.assert_allclose(getattr(walk.trace, name), grid, atol=1e-12)


def test_the_second_sentence_is_put_right_where_it_has_to_be():
    assert experiments.other_sentence(Settings()) == ("le chat dort bien", [])
    assert experiments.other_sentence(Settings(other=" \u200b"))[1][0].key == "lab_note_other"
    kept, notes = experiments.other_sentence(Settings(other="w " * 100))
    assert len(tokenize(kept)) == MAX_TOKENS and notes[0].key == "lab_note_other_long"


@pytest.mark.parametrize("step", range(7))
def test_every_step_shows_its_own_grids_of_the_cross_walk(step):
    name = ("one", "two", "three", "four", "five", "six", "seven")[step]
    settings = replace(FIVE, other="six seven", mask="causal", view=f"lab_cross.{name}")
    at = open_app("lab_cross", settings)
    assert not at.exception and "does not apply" in prose(at)
    trace = experiments.cross_walk(settings).trace
    seen = set()
    for grid, there in sheets(at):
        values = grid_of(trace, grid["field"])
        values = values if grid["head"] is None else values[grid["head"] - 1]
        assert all(number == values[place] for place, number in there.items())
        seen.add(grid["field"])
    wanted = ("X context", "Q K V", "scores", "masked weights", "heads", "weights heads", "concat output")
    assert set(wanted[step].split()) <= seen


# ---- free sentences ----------------------------------------------------------------------------------------------
def test_every_sentence_of_the_library_loads_with_one_click_and_fits():
    at = open_app("lab_sentences")
    for name, _ in experiments.LIBRARY:
        button = at.button(key=f"load_{name}")
        button.click().run()
        assert at.session_state["settings"].sentence == button.label and not at.exception
        assert not at.session_state["notes"] and not experiments.left_out(button.label)


def test_a_long_text_is_cut_and_the_page_says_where():
    at = open_app("lab_sentences")
    at.text_area(key="lab_paste").set_value(" ".join(f"w{i}" for i in range(1, 71))).run()
    assert len(tokenize(at.session_state["settings"].sentence)) == 64
    assert "6 words and signs did not fit. The cut is before word 65; left out: “w65 w66" in prose(at)
    assert experiments.left_out("") == ()


# ---- all pages ---------------------------------------------------------------------------------------------------
ADDRESSES = [
    ("lab_compare", replace(FIVE, against="sentence=one+two&h=1"), "cannot be subtracted"),
    ("lab_change", replace(FIVE, changes="X.1.1=2~W_V.1.1.1=0", cell="W_V.1.1.1"), "W^V"),
    ("lab_heads_off", replace(FIVE, off="1,2,3"), "All heads are off"),
    ("lab_masks", replace(FIVE, drawn="pad:2"), "10 of 25 cells are shut"),
    ("lab_cross", replace(FIVE, other="x y z", head=3), "4"),
    ("lab_sentences", FIVE, "64"),
]


@pytest.mark.parametrize("page, settings, said", ADDRESSES, ids=PAGES)
def test_a_page_comes_back_from_its_address_and_its_doors_keep_the_state(page, settings, said):
    at = open_app(page, settings)
    assert not at.exception and at.session_state["settings"] == settings
    assert said in prose(at)
    doors = [link.proto for link in at.get("page_link") if link.proto.label.startswith("To the step")]
    assert doors
    for door in doors:
        there = {name: values[0] for name, values in parse_qs(door.query_string).items()}
        assert there == settings.to_query()


@pytest.mark.parametrize("page", FIELD_OF)
def test_whatever_the_address_says_the_page_stands_and_nothing_becomes_markup(page):
    at = open_app(page, FIVE)
    signs = ["~~~", ",,,", "...", "=" * 50, "a&b&c", "1" * 5000, "sentence=%00&h=999", "\x00", "X.1.1=1e6"]
    for typed in [*HOSTILE, *signs]:
        show(at, replace(FIVE, **{FIELD_OF[page]: typed}))
        assert not at.exception, (typed[:40], at.exception[0].stack_trace)
        assert "<script>alert" not in prose(at) and "<img src" not in prose(at)


BAD = [
    ("lab_compare", "against", "garbage", "", "garbage"), ("lab_compare", "against", "h=5&d_model=8", None, "5 heads cannot"),
    ("lab_change", "changes", "zzz", "", "zzz"), ("lab_change", "changes", "zzz~X.1.1=2", "X.1.1=2", "zzz"),
    ("lab_masks", "drawn", "zzz", "", "zzz"), ("lab_masks", "drawn", "2", "1e.1f.1f.1f.1f", "drawn for 1 word and"), ("lab_masks", "drawn", "11", "", "drawn for 1 word and"),
    ("lab_masks", "drawn", "pad:9", "pad:4", "9 words of padding"), ("lab_heads_off", "off", "2,9", "2", "no head “9”"),
]  # fmt: skip


@pytest.mark.parametrize("page, field, typed, clean, said", BAD)
def test_what_cannot_be_read_leaves_the_address_and_its_note_stays(page, field, typed, clean, said):
    clean = experiments.address_of(Settings(h=4)) if clean is None else clean
    at = open_app(page, replace(FIVE, **{field: typed}))
    for _ in range(2):  # the note stays until something is changed
        assert not at.exception and prose(at).count(said) == 1
        assert at.session_state["settings"] == replace(FIVE, **{field: clean})
        spelled = at.query_params.get(field, "")
        assert (spelled if isinstance(spelled, str) else spelled[0]) == clean
        at.run()
    at.number_input(key="side_seed").set_value(7).run()
    assert said not in prose(at)


@pytest.mark.parametrize("page, box", [("lab_cross", "lab_other"), ("lab_sentences", "lab_paste")])
def test_whatever_is_typed_into_a_box_the_page_stands(page, box):
    at = open_app(page, FIVE)
    for typed in HOSTILE:
        field = at.text_input(key=box) if page == "lab_cross" else at.text_area(key=box)
        field.set_value(typed).run()
        assert not at.exception, (typed[:40], at.exception[0].stack_trace)
        assert "<script>alert" not in prose(at) and "<img src" not in prose(at)


@pytest.mark.parametrize("source", CHOICES["source"])
@pytest.mark.parametrize("page", PAGES)
def test_every_page_runs_with_every_source_of_numbers(page, source):
    chosen = Settings("She is a great leader", source=source, word=2, head=1, off="1", changes="X.1.1=3~W_O.1.*=0")
    at = open_app(page, replace(chosen, drawn="pad:1", other="two words", against="divisor=none"))
    assert not at.exception, at.exception[0].stack_trace


def test_a_table_folds_what_is_wide_but_never_what_matters():
    assert cells.fold(9, 8) == list(range(9)) and cells.fold(512, 4) == [0, 1, 2, -1, 511]
    assert cells.fold(512, 4, [300]) == [0, 1, 2, -1, 300, -1, 511] and cells.fold(12, 4, [3]) == [0, 1, 2, 3, -1, 11]
    html = cells.table(np.array([[1e-23, -np.inf]]), ["<b>"], ["a", "b"], title="", limit=1.0)
    assert "1.0·10⁻²³" in html and "−∞ (masked)" in html and "&lt;b&gt;" in html and "<b>" not in html


def test_kinds_of_masks_and_stages_have_their_words():
    assert all(text(f"lab_mask_{kind}") for kind in KINDS) and all(text(f"lab_stage_{field}") for field in FIELDS)
    assert lab_tables.equations("scores", ()) == ("Q · K.T = scores",)
