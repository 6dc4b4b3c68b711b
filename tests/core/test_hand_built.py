"""What the hand-built heads claim about themselves, held against what attention really computes for them."""

import re

import numpy as np
import pytest
import torch

from mha_core import explain
from mha_core.hand_built import HAND_BUILT
from mha_core.stages import STAGES, grid_of
from mha_core.tokens import tokenize

EXAMPLES = list(HAND_BUILT.values())
each = pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])


def weight(example, head, query, key):
    """The weight between two words named by their text (their first place)."""
    return example.trace().weights[head, example.tokens.index(query), example.tokens.index(key)]


def test_she_finds_leader_in_one_head_and_great_in_the_other():
    example = HAND_BUILT["two views"]
    for head, wanted, score in ((0, "leader", 6), (1, "great", 6)):
        row = example.trace().weights[head, 0]
        assert weight(example, head, "She", wanted) == row.max() and sorted(row)[-2] < 0.05
        assert abs(row.max() - np.exp(score / 2) / (np.exp(score / 2) + 4)) < 1e-15
    assert example.parameters.h == 2 and example.titles == ("role", "quality")


def test_both_finds_meet_in_the_output_and_only_there():
    """After W_O the row of She holds a role and a quality, and one column that reads both heads."""
    example, place = HAND_BUILT["two views"], HAND_BUILT["two views"].features.index
    trace = example.trace()
    row, found = trace.output[0], weight(example, 0, "She", "leader")
    assert abs(row[place("role")] - found) < 1e-15 and abs(row[place("quality")] - found) < 1e-15
    assert abs(row[place("praised role")] - (0.5 * found + 0.5 * found)) < 1e-15
    reads_both = [
        name
        for name, column in zip(example.features, example.parameters.W_O.T)
        if column[:4].any() and column[4:].any()
    ]
    assert reads_both == ["praised role"]


def test_led_gives_team_exactly_seventy_percent():
    example = HAND_BUILT["led a team"]
    assert len(example.tokens) == 10 and abs(weight(example, 0, "led", "team") - 0.70) < 1e-12
    rest = np.delete(example.trace().weights[0, 1], 3)
    assert np.allclose(rest, 1 / 30, rtol=0, atol=1e-15)
    assert weight(example, 1, "scalable", "API") > 0.8 and weight(example, 1, "that", "team") > 0.6


def test_one_head_finds_the_word_before_and_one_the_same_word():
    example = HAND_BUILT["before and same"]
    before, same = example.trace().weights
    assert list(before.argmax(axis=1)) == [0, 0, 1, 2] and before.max(axis=1).min() > 0.99
    assert abs(same[0, 0] - same[0, 3]) < 1e-15 and same[0, 3] > 0.49 and same[3, 0] > 0.49
    assert same[1, 1] > 0.99 and same[2, 2] > 0.99


@each
def test_every_meeting_is_the_highest_weight_of_its_row(example):
    weights = example.trace().weights
    for found in example.meetings:
        row = weights[found.head, found.query]
        assert row[found.key] == row.max() and row[found.key] > 1.5 / len(row)
    assert {found.head for found in example.meetings} == set(range(example.parameters.h))


@each
def test_every_part_has_a_name(example):
    p, n = example.parameters, len(example.tokens)
    assert example.X.shape == (n, len(example.features)) and len(set(example.features)) == p.d_model == p.d_out
    assert p.d_model == p.h * p.d_k == p.h * p.d_v and np.sqrt(p.d_k) == 2
    for names, width in ((example.lanes, p.d_k), (example.carried, p.d_v)):
        assert [len(of_head) for of_head in names] == [width] * p.h
    assert len(example.says) == len(example.titles) == p.h
    assert example.X.any(axis=1).all(), "a word without a feature"
    nobody_has = [name for name, column in zip(example.features, example.X.T) if not column.any()]
    assert nobody_has == (["praised role"] if example.name == "two views" else [])


@each
def test_the_matrices_can_be_read(example):
    """Mostly zeros, few different numbers, and no number in a lane that has no name."""
    p = example.parameters
    for W in (p.W_Q, p.W_K, p.W_V, p.W_O):
        assert (W == 0).mean() > 0.75 and len(np.unique(W)) <= 4
    for head, lanes in enumerate(example.lanes):
        unused = [lane == "unused" for lane in lanes]
        assert not p.W_Q[head][:, unused].any() and not p.W_K[head][:, unused].any()
        assert p.W_Q[head][:, np.logical_not(unused)].any(axis=0).sum() >= 1


@each
def test_the_sentence_is_cut_as_the_app_cuts_it(example):
    assert tokenize(example.sentence) == example.tokens


@each
def test_what_is_said_names_the_features_and_numbers_that_do_it(example):
    """Every question in quotation marks is a lane, and every product that is spelled out is a score of that head."""
    scores = example.trace().scores
    for head, says in enumerate(example.says):
        assert set(re.findall("“(.+?)”", says)) <= set(example.lanes[head])
        for product in re.findall(r"score of (?:\d × \d = )?(\d+)", says):
            assert np.isclose(scores[head], float(product)).any(), product


@each
def test_they_run_through_the_same_attention_as_everything_else(example):
    """Against torch, and every cell of every stage against its own arithmetic."""
    p, trace = example.parameters, example.trace()
    Q, K, V = (torch.einsum("nd,hdk->hnk", torch.tensor(example.X), torch.tensor(W)) for W in (p.W_Q, p.W_K, p.W_V))
    heads = torch.nn.functional.scaled_dot_product_attention(Q, K, V)
    theirs = heads.transpose(0, 1).reshape(len(example.tokens), -1) @ torch.tensor(p.W_O)
    assert np.abs(trace.output - theirs.numpy()).max() < 1e-14
    for stage in STAGES:
        grid = grid_of(trace, stage.field)
        for index in () if grid is None else np.ndindex(grid.shape):
            assert abs(explain(trace, stage.field, index).total - grid[index]) < 1e-14


@each
def test_an_example_cannot_be_changed(example):
    assert not example.X.flags.writeable and not example.parameters.W_Q.flags.writeable
    with pytest.raises(TypeError):
        HAND_BUILT["another"] = example
