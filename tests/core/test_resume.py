"""A trace taken up in the middle: downstream as if computed afresh, upstream untouched."""

from dataclasses import replace

import numpy as np
import pytest

from mha_core import Parameters, attend, causal, explain
from mha_core.resume import RESUMABLE, resume
from mha_core.stages import PARAMETER_FIELDS, STAGES, grid_of
from tests.core.reference import loops

N, M, H, D_MODEL, D_K, D_V, D_OUT = 5, 7, 3, 11, 2, 13, 17
COMPUTED = ("Q", "K", "V", "scores", "scaled", "masked", "weights", "heads", "concat", "output")
dice = {}


@pytest.fixture(autouse=True)
def same_numbers_for_every_test():
    dice["rng"] = np.random.default_rng(23)


def draw(*shape):
    return dice["rng"].standard_normal(shape) / 2


def parameters():
    return Parameters(
        draw(H, D_MODEL, D_K), draw(H, D_MODEL, D_K), draw(H, D_MODEL, D_V), draw(H * D_V, D_OUT),
        draw(H, D_K), draw(H, D_K), draw(H, D_V), draw(D_OUT),
    )  # fmt: skip


def cross():
    allowed = dice["rng"].random((H, N, M)) < 0.6
    allowed[..., 3] = True
    return attend(draw(N, D_MODEL), parameters(), context=draw(M, D_MODEL), allowed=allowed, divisor=1.3)


def self_attention():
    return attend(draw(N, D_MODEL), parameters(), allowed=causal(N))


def downstream(field):
    """Every field made from this one, by the table of stages alone."""
    found = {field}
    for stage in STAGES:
        if found & set(stage.needs):
            found.add(stage.field)
    return found - {field}


@pytest.mark.parametrize("field", ["X", "context", *PARAMETER_FIELDS])
def test_a_new_input_gives_what_attend_and_plain_loops_give(field):
    trace = cross()
    new = draw(*grid_of(trace, field).shape)
    resumed = resume(trace, **{field: new})
    given = {name: grid_of(resumed, name) for name in ("X", "context", *PARAMETER_FIELDS)}
    p = Parameters(**{name: given[name] for name in PARAMETER_FIELDS})
    again = attend(given["X"], p, context=given["context"], allowed=trace.allowed, divisor=1.3)
    slow = loops(given["X"], p, given["context"], trace.allowed, 1.3)
    assert (grid_of(resumed, field) == new).all()
    for name in COMPUTED:
        assert (getattr(resumed, name) == getattr(again, name)).all(), name
        np.testing.assert_allclose(getattr(resumed, name), slow[name], rtol=0, atol=1e-12)


@pytest.mark.parametrize("field", [stage.field for stage in STAGES if stage.field not in ("E", "P")])
def test_what_lies_upstream_or_beside_stays_the_same_object(field):
    trace = cross()
    resumed = resume(trace, **{field: np.array(grid_of(trace, field)) * 1.5})
    renewed = downstream(field) | {field}
    for stage in STAGES:
        before, after = grid_of(trace, stage.field), grid_of(resumed, stage.field)
        if stage.field in renewed:
            assert before is not after and not np.array_equal(before, after), stage.field
        elif stage.field in PARAMETER_FIELDS and field in PARAMETER_FIELDS:
            assert np.array_equal(before, after)
        else:
            assert before is after, stage.field
    assert field in PARAMETER_FIELDS or resumed.parameters is trace.parameters


def test_overwritten_scores_go_on_by_hand():
    trace = self_attention()
    scores = np.array(trace.scores)
    scores[1, 2, 0] = 3.0
    resumed = resume(trace, scores=scores)
    row = np.exp(scores[1, 2, :3] / np.sqrt(D_K))
    row /= row.sum()
    np.testing.assert_allclose(resumed.weights[1, 2], [*row, 0, 0], atol=1e-15)
    np.testing.assert_allclose(resumed.heads[1, 2], row @ trace.V[1, :3], atol=1e-12)
    assert resumed.Q is trace.Q and resumed.V is trace.V
    same = [i for i in range(N) if i != 2]
    assert (resumed.output[same] == trace.output[same]).all()
    assert np.abs(resumed.output[2] - trace.output[2]).max() > 0.01


def test_a_replaced_field_keeps_its_numbers_although_its_own_needs_were_replaced():
    trace = self_attention()
    X, scores = draw(N, D_MODEL), draw(H, N, N)
    both = resume(trace, X=X, scores=scores)
    one_by_one = resume(resume(trace, X=X), scores=scores)
    assert (both.scores == scores).all()
    for name in COMPUTED:
        assert (getattr(both, name) == getattr(one_by_one, name)).all()


def test_a_sentence_that_looks_at_itself_goes_on_doing_so():
    resumed = resume(self_attention(), X=draw(N, D_MODEL))
    assert resumed.is_self_attention
    assert not resume(self_attention(), context=draw(N, D_MODEL)).is_self_attention


def test_x_written_by_hand_is_no_sum_any_more_and_a_new_part_makes_a_new_sum():
    trace = self_attention()
    E, P = draw(N, D_MODEL), draw(N, D_MODEL)
    summed = replace(attend(E + P, trace.parameters), E=E, P=P)
    by_hand = resume(summed, X=draw(N, D_MODEL))
    assert by_hand.E is None and by_hand.P is None
    moved = resume(summed, P=2 * P)
    assert (moved.X == E + 2 * P).all() and moved.E is E and moved.is_self_attention
    np.testing.assert_allclose(moved.output, attend(E + 2 * P, trace.parameters).output, atol=1e-12)


def test_mask_and_divisor_can_be_replaced_too():
    trace = self_attention()
    opened = resume(trace, allowed=None, divisor=1)
    again = attend(trace.X, trace.parameters, divisor=1)
    assert opened.scores is trace.scores and opened.allowed is None and opened.divisor == 1.0
    assert (opened.output == again.output).all()


def test_every_recomputed_cell_can_still_say_how_it_was_made():
    resumed = resume(self_attention(), W_K=draw(H, D_MODEL, D_K))
    for field in COMPUTED:
        grid = getattr(resumed, field)
        for index in np.ndindex(grid.shape):
            total = explain(resumed, field, index).total
            assert total == grid[index] or abs(total - grid[index]) < 1e-12


def test_everything_stays_read_only_and_the_callers_array_his_own():
    mine = draw(H, N, N)
    resumed = resume(self_attention(), scores=mine)
    mine[0, 0, 0] = 99
    assert resumed.scores[0, 0, 0] != 99
    assert not any(getattr(resumed, name).flags.writeable for name in COMPUTED)


def test_nothing_changed_gives_the_trace_itself():
    trace = cross()
    assert resume(trace) is trace
    assert set(COMPUTED) < set(RESUMABLE)


def test_float32_stays_float32():
    p = Parameters.seeded(12, 3, dtype=np.float32)
    trace = attend(draw(N, 12).astype(np.float32), p)
    assert resume(trace, X=draw(N, 12).astype(np.float32)).output.dtype == np.float32


REFUSED = {
    "unknown": (lambda t: {"logits": 1}, "cannot be resumed from 'logits'"),
    "shape": (lambda t: {"scores": np.zeros((H, N, N + 1))}, "keep the shape"),
    "not finite": (lambda t: {"X": np.full((N, D_MODEL), np.nan)}, "must be finite"),
    "minus infinity": (lambda t: {"scores": np.full((H, N, N), -np.inf)}, "must be finite"),
    "no part": (lambda t: {"P": np.zeros((N, D_MODEL))}, "no P"),
    "blind row": (lambda t: {"allowed": np.zeros((N, N), bool)}, "may look at no key"),
    "blind masked row": (lambda t: {"masked": np.full((H, N, N), -np.inf)}, "softmax has no answer"),
    "divisor": (lambda t: {"divisor": 0}, "cannot be divided by 0"),
    "too large": (lambda t: {"W_O": np.full((H * D_V, D_OUT), 1e308)}, "the output holds"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_with_its_reason(name):
    make, said = REFUSED[name]
    trace = self_attention()
    with pytest.raises(ValueError, match=said):
        resume(trace, **make(trace))
