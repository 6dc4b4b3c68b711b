"""Controls of the page on which single numbers are overwritten: which cell, what value, undo and reset."""

import streamlit as st

from mha_core.stages import grid_of, stage_of
from walkthrough.digits import digits
from walkthrough.experiments import Change, read_changes, spell_changes
from walkthrough.experiments.overwrite import LARGEST, OVERWRITABLE
from walkthrough.frame.controls import hold
from walkthrough.frame.state import change, settings
from walkthrough.lesson import text
from walkthrough.walk import Walk, read_cell

KINDS = {"word": "word", "query": "query", "key": "key", "head": "head", "feature": "number", "lane": "number"}


def target(walk: Walk, changes: tuple[Change, ...]) -> tuple[str, tuple[int, ...]]:
    """The cell to overwrite: the pinned one where that is possible, else that of the last change, else the chosen word's first."""
    cell = read_cell(walk, settings().cell) if settings().cell else None
    if cell and cell[0] in OVERWRITABLE:
        return cell
    return _place(walk, changes[-1]) if changes else ("X", (walk.word, 0))


def _place(walk: Walk, last: Change) -> tuple[str, tuple[int, ...]]:
    """The cell of a change; of a whole row its first one."""
    return last.field, last.index + (0,) * (grid_of(walk.trace, last.field).ndim - len(last.index))


def choose_target(walk: Walk, field: str, index: tuple[int, ...]) -> None:
    """A list for the grid and one for each axis; the choice is the pinned cell of the address."""
    fields = [name for name in OVERWRITABLE if grid_of(walk.trace, name) is not None]
    stage, shape = stage_of(field), grid_of(walk.trace, field).shape
    columns = st.columns([1.5, *[1] * len(shape)])
    key = hold("lab_field", field)
    columns[0].selectbox(
        text("lab_field"), fields, key=key, on_change=_take_field, args=(walk, key),
        format_func=lambda name: f"{stage_of(name).symbol} · {stage_of(name).title}",
    )
    for axis, (kind, size) in enumerate(zip(stage.axes, shape)):
        key = hold(f"lab_axis_{axis}", index[axis] + 1)
        columns[axis + 1].selectbox(
            text(f"lab_axis_{_axis(stage, axis)}"), range(1, size + 1), key=key, format_func=_namer(walk, kind),
            on_change=_take_place, args=(field, index),
        )


def _axis(stage, axis: int) -> str:
    """Numbers against numbers are a row and a column."""
    kinds = [KINDS[kind] for kind in stage.axes]
    if kinds.count("number") < 2 or kinds[axis] == "head":
        return kinds[axis]
    return "row" if axis == len(kinds) - 2 else "column"


def _namer(walk: Walk, kind: str):
    words = {"word": walk.tokens, "query": walk.tokens, "key": walk.other_tokens}.get(kind)
    return (lambda place: f"{place} · {words[place - 1]}" if place <= len(words) else str(place)) if words else str


def _take_field(walk: Walk, key: str) -> None:
    """Another grid: its cell of the chosen head and word, as far as it has them."""
    field = st.session_state[key]
    first = {"head": walk.head + 1, "word": walk.word + 1, "query": walk.word + 1}
    places = [str(first.get(axis, 1)) for axis in stage_of(field).axes]
    change(cell=".".join((field, *places)), trail="")


def _take_place(field: str, index: tuple[int, ...]) -> None:
    """Another place. A list that still sends the text of an option it no longer has ("3 · cat") stays where it was."""
    chosen = [st.session_state[f"lab_axis_{axis}"] for axis in range(len(index))]
    places = [str(place if isinstance(place, int) else was + 1) for place, was in zip(chosen, index)]
    change(cell=".".join((field, *places)), trail="")


def write_controls(walk: Walk, changes: tuple[Change, ...], field: str, index: tuple[int, ...], now: float) -> None:
    """The new value, for one number or the whole row; undo and reset."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="lab_write"):
        label = text("lab_value", now=digits(now))
        _begin_form(walk, changes)
        st.number_input(label, -LARGEST, LARGEST, step=0.5, format="%g", key="lab_value", width=220)
        if len(index) > 1:
            st.toggle(text("lab_whole_row"), key="lab_whole_row")
        st.button(text("lab_write"), key="lab_do", type="primary", on_click=_write, args=(walk, changes, field, index))
        st.button(text("lab_undo"), key="lab_undo", on_click=_follow, args=(walk, changes[:-1]), disabled=not changes)
        st.button(text("lab_reset"), key="lab_reset", on_click=_follow, args=(walk, ()), disabled=not settings().changes)


def _begin_form(walk: Walk, changes: tuple[Change, ...]) -> None:
    """What the form shows when the page is opened: the last change of the list, or the number 0."""
    last = changes[-1] if changes else None
    st.session_state.setdefault("lab_value", last.value if last else 0.0)
    st.session_state.setdefault("lab_whole_row", bool(last) and len(last.index) < grid_of(walk.trace, last.field).ndim)


def _follow(walk: Walk, changes: tuple[Change, ...]) -> None:
    """Keep this list of changes, and let the form show the last one: its cell, its value, and whether it is a whole row."""
    change(changes=spell_changes(changes, walk), cell="", trail="")
    if changes:
        last = changes[-1]
        st.session_state["lab_value"] = last.value
        st.session_state["lab_whole_row"] = len(last.index) < grid_of(walk.trace, last.field).ndim


def _add(changes: tuple[Change, ...], new: Change) -> tuple[Change, ...]:
    """The list with one more change; one of the same place gives way to it."""
    return (*(old for old in changes if (old.field, old.index) != (new.field, new.index)), new)


def _write(walk: Walk, changes: tuple[Change, ...], field: str, index: tuple[int, ...]) -> None:
    value, whole_row = st.session_state["lab_value"], len(index) > 1 and st.session_state.get("lab_whole_row")
    if value is not None:
        new = Change(field, index[:-1] if whole_row else index, float(value))
        change(changes=spell_changes(_add(changes, new), walk))


def beginnings(walk: Walk, changes: tuple[Change, ...]) -> None:
    """Three changes worth seeing, one click each; each is added to the list."""
    word, head = walk.word + 1, walk.head + 1
    some = {"x": f"X.{word}.*=0", "score": f"scores.{head}.{word}.1=10", "mix": "W_O.1.*=0"}
    with st.container(horizontal=True, key="ready_change"):
        for place, (name, spelled) in enumerate(some.items()):
            (new,), _ = read_changes(spelled, walk)
            label = text(f"lab_begin_{name}", word=walk.tokens[walk.word])
            st.button(label, key=f"ready_change_{place}", on_click=_follow, args=(walk, _add(changes, new)))
