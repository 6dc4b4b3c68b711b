"""What the pages of the lab share: their look, notes on what could not be read, doors into the walk, beginnings."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from html import escape
from pathlib import Path

import streamlit as st

from mha_core.stages import BY_FIELD
from walkthrough.experiments import LIBRARY, left_out
from walkthrough.frame import view
from walkthrough.frame.controls import hold, take
from walkthrough.frame.parts import Page
from walkthrough.frame.shell import WALK, page_link
from walkthrough.frame.state import change, settings, write_address
from walkthrough.frame.state import notes as noted
from walkthrough.lesson import counted, text
from walkthrough.settings import Note

MANY_HEADS = 16  # beyond so many, heads are chosen from a list instead of from pills


def page(name: str) -> Page:
    """A page of the lab: its headline, in the look of the lab."""
    st.html(_style())
    return Page(name)


@cache
def _style() -> str:
    return f"<style>{Path(__file__).with_suffix('.css').read_text(encoding='utf-8')}</style>"


def notes(found: Iterable[Note]) -> None:
    """What was put right on this page, and why."""
    for note in found:
        st.html(f'<div class="note" role="status">{escape(text(note.key, **note.values))}</div>')


def put_right(found: list[Note], **fields) -> None:
    """Say what was put right on this page, and put the address right too: these fields become what the page shows.

    The notes join those of the frame, so that they stay until the next change, as those of every other field do.
    """
    if found:
        notes(found)
        st.session_state["settings"] = replace(settings(), **fields)
        st.session_state["notes"] = [*noted(), *found]
        write_address()


def show(html: str) -> None:
    """A table or a row of tables of figures/."""
    st.html(html)


def doors(*steps: str) -> None:
    """The steps where this experiment's numbers are made; the whole state goes along."""
    with st.container(horizontal=True, key="lab_doors"):
        for step in steps:
            page_link(step, text("to_the_step", title=text(f"title_{step}")))


def door_of(field: str) -> None:
    """The step where this grid is made."""
    doors(WALK[BY_FIELD[field].step])


def pick_stage(name: str, fields: tuple[str, ...], default: str) -> str:
    """Which grid is held against its other self."""
    names = {field: text(f"lab_stage_{field}") for field in fields}
    return st.segmented_control(text("lab_stage"), fields, format_func=names.get, **view.control(name, f"pick_{name}", fields, default)) or default


def show_all(name: str) -> bool:
    """Wide grids are folded until this is switched on."""
    return view.switch(f"all_{name}", f"all_{name}", text("lab_show_all"))


def choose_heads_off(h: int, off: tuple[int, ...]) -> None:
    """One or several heads to switch off; the choice goes into the address."""
    key = hold("lab_off", [i + 1 for i in off])
    box = {"options": range(1, h + 1), "key": key, "on_change": _take_heads, "args": (key,), "format_func": _head_name}
    if h > MANY_HEADS:
        st.multiselect(text("lab_off_label"), placeholder=text("lab_off_choose"), **box)
    else:
        st.pills(text("lab_off_label"), selection_mode="multi", **box)


def _take_heads(key: str) -> None:
    change(off=",".join(map(str, sorted(st.session_state[key]))))


def _head_name(head: int) -> str:
    return text("option_head", head=head)


def other_box(shown: str) -> None:
    """The box for the second sentence."""
    key = hold("lab_other", settings().other or shown)
    st.text_input(text("lab_other_label"), key=key, on_change=take, args=("other", key), help=text("apply_sentence"))


def paste_box(limit: int) -> None:
    """A large box for a sentence of one's own; what does not fit is named, with the place of the cut."""
    key = hold("lab_paste", settings().sentence)
    st.text_area(text("lab_paste_label", most=limit), key=key, on_change=_paste, args=(key,), height=130)
    lost = st.session_state.get("lab_left_out", ())
    if lost and st.session_state.get("lab_kept") == settings().sentence:
        begin = " ".join(lost[:6]) + (" …" if len(lost) > 6 else "")
        said = {"words": counted("lab_left_out", len(lost)), "begin": begin[:120], "place": limit + 1}
        notes([Note("lab_note_left_out", said)])


def _paste(key: str) -> None:
    typed = st.session_state[key]
    change(sentence=typed)
    st.session_state["lab_left_out"], st.session_state["lab_kept"] = left_out(typed), settings().sentence


def library() -> None:
    """Good sentences, each with what to look for and the step where it shows."""
    for name, step in LIBRARY:
        with st.container(horizontal=True, vertical_alignment="center", key=f"sentence_{name}"):
            sentence = text(f"lab_sentence_{name}")
            st.button(sentence, key=f"load_{name}", on_click=change, kwargs={"sentence": sentence})
            page_link(step, text("to_the_step", title=text(f"title_{step}")))
        st.html(f'<div class="looks">{escape(text(f"lab_look_{name}"))}</div>')
