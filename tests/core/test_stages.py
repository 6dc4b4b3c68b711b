"""STAGES is complete, in order, and says of every grid what is true of it."""

import dataclasses

import pytest

from mha_core import STAGES, AttentionTrace, Parameters, attention, embedding, positions
from mha_core.stages import BY_FIELD, PARAMETER_FIELDS, RULES, Stage, grid_of, needs_of, stage_of
from tests.core.test_arithmetic import TRACES, explained, grids

NOT_GRIDS = {"parameters", "divisor", "allowed"}
FIELDS = [stage.field for stage in STAGES]
computed = pytest.mark.parametrize("stage", [s for s in STAGES if s.code is not None], ids=lambda s: s.field)
every = pytest.mark.parametrize("stage", STAGES, ids=lambda s: s.field)


def test_every_grid_of_a_trace_and_every_parameter_has_exactly_one_row():
    trace_fields = {field.name for field in dataclasses.fields(AttentionTrace)} - NOT_GRIDS
    parameter_fields = {field.name for field in dataclasses.fields(Parameters)}
    assert sorted(FIELDS) == sorted(trace_fields | parameter_fields)
    assert set(PARAMETER_FIELDS) == parameter_fields
    assert list(BY_FIELD) == FIELDS and all(stage_of(name) is row for name, row in BY_FIELD.items())


def test_symbols_titles_and_names_are_all_different():
    for attribute in ("field", "symbol", "title"):
        values = [getattr(stage, attribute) for stage in STAGES]
        assert len(set(values)) == len(values), attribute


@every
def test_a_row_needs_only_what_stands_above_it(stage):
    above = set(FIELDS[: FIELDS.index(stage.field)]) | {"divisor", "allowed"}
    assert set(stage.needs) <= above


def test_the_rows_stand_in_the_order_in_which_a_trace_is_computed():
    in_trace = [field.name for field in dataclasses.fields(AttentionTrace)]
    trace_order = [name for name in in_trace if name in FIELDS and name not in "EP"]
    assert [name for name in FIELDS if name in trace_order] == trace_order
    steps = [stage.step for stage in STAGES]
    assert steps == sorted(steps) and set(steps) <= set(range(1, 8))


@every
def test_the_row_is_filled_in_sensibly(stage):
    assert isinstance(stage, Stage) and stage.rule in RULES
    assert all((stage.symbol, stage.title, stage.formula, stage.role))
    assert stage.role in {"input", "query", "key", "value", "score", "weight", "head", "output"}
    assert bool(stage.needs) == (stage.rule != "given")
    assert (stage.code is None) == (stage.field in PARAMETER_FIELDS or stage.field == "context")
    assert {axis for axis in stage.axes} <= {"head", "word", "query", "key", "feature", "lane"}


@computed
def test_the_code_of_a_row_is_a_function_that_was_called(stage):
    home = {"E": embedding, "X": embedding, "P": positions}.get(stage.field, attention)
    assert callable(stage.code) and getattr(home, stage.code.__name__) is stage.code


def test_the_code_of_the_rows_are_the_functions_that_attend_calls():
    names = {stage.field: stage.code.__name__ for stage in STAGES if stage.code}
    assert names == {
        "E": "word_row", "P": "sinusoid", "X": "embed", "Q": "project", "K": "project", "V": "project",
        "scores": "score", "scaled": "scale", "masked": "mask",
        "weights": "softmax", "heads": "blend", "concat": "concatenate", "output": "mix",
    }


@pytest.mark.parametrize("name", TRACES)
def test_the_axes_of_a_row_are_the_axes_of_its_array(name):
    trace = explained(name)[0]
    p, found = trace.parameters, grids(trace)
    n_q, n_k = len(trace.X), len(trace.context)
    for field, grid in found.items():
        axes = stage_of(field).axes
        assert len(axes) == grid.ndim, field
        lengths = {"head": p.h, "query": n_q, "key": n_k, "lane": p.h * p.d_v}
        lengths["word"] = n_k if field in ("K", "V", "context") else n_q
        for axis, size in zip(axes, grid.shape):
            assert size == lengths.get(axis, size), (field, axis)


@pytest.mark.parametrize("name", TRACES)
def test_the_needs_of_a_grid_in_a_trace_are_there_and_no_absent_ones(name):
    trace = explained(name)[0]
    for field in grids(trace):
        for need in needs_of(trace, field):
            assert need in ("divisor", "allowed") or grid_of(trace, need) is not None
    assert needs_of(trace, "K")[0] == ("X" if trace.is_self_attention else "context")
    assert ("b_Q" in needs_of(trace, "Q")) == (trace.parameters.b_Q is not None)
    assert needs_of(trace, "X") == tuple(part for part in ("E", "P") if getattr(trace, part) is not None)


def test_a_grid_that_does_not_exist_is_refused_by_name():
    with pytest.raises(ValueError, match="There is no grid named 'attn'; the grids are E, P, X"):
        stage_of("attn")
