"""Controls of the page on masks: the kind, how much padding, and a grid whose cells are opened and shut by hand."""

from functools import cache
from html import escape
from pathlib import Path

import numpy as np
import streamlit as st

from walkthrough.experiments import padding, read_mask, spell_kind, spell_mask
from walkthrough.experiments.masks import KINDS
from walkthrough.frame.controls import hold
from walkthrough.frame.lab import put_right
from walkthrough.frame.state import change, settings
from walkthrough.lesson import text
from walkthrough.settings import Note
from walkthrough.walk import Walk

HERE = Path(__file__).parent
MOST_DRAWN = 40  # words whose grid of switches can still be drawn in


def choose_kind(walk: Walk, kind: str, allowed) -> None:
    """None, causal, padding or drawn; a drawn mask begins with the one that is there."""
    key = hold("lab_mask_kind", kind)
    st.segmented_control(
        text("lab_mask_kind"), KINDS, key=key, on_change=_take_kind, args=(key, _open(walk, allowed)),
        format_func=lambda name: text(f"lab_mask_{name}"),
    )
    n = len(walk.tokens)
    if kind == "padding" and n > 2:
        key = hold("lab_padding", int((~allowed[0]).sum()))
        st.slider(text("lab_padding"), 1, n - 1, key=key, on_change=_take_padding, args=(key,))


def _open(walk: Walk, allowed):
    n = len(walk.tokens)
    return np.ones((n, n), dtype=bool) if allowed is None else allowed


def _take_kind(key: str, allowed) -> None:
    kind = st.session_state[key]
    if kind in ("none", "causal"):
        change(mask=kind, drawn="")
    elif kind == "padding":
        change(drawn="pad:1")
    elif kind == "drawn":
        change(drawn=spell_mask(allowed))


def _take_padding(key: str) -> None:
    change(drawn=f"pad:{st.session_state[key]}")


def draw_mask(walk: Walk, allowed) -> None:
    """The grid of open and shut cells: click one, or walk with the arrow keys and press Space."""
    if len(walk.tokens) > MOST_DRAWN:
        st.html(f'<div class="caption">{escape(text("lab_too_many", n=len(walk.tokens), most=MOST_DRAWN))}</div>')
        return
    words = {name: text(f"lab_draw_{name}") for name in ("label", "open", "shut", "query", "key")}
    data = {"words": list(walk.tokens), "rows": _open(walk, allowed).tolist(), "texts": words}
    key = "lab_draw"
    _component()(
        key=key, data=data, on_drawn_change=lambda: take_drawn(st.session_state[key].get("drawn"), len(walk.tokens)),
        on_refused_change=lambda: refuse(st.session_state[key].get("refused")),
    )


def take_drawn(drawn: str | None, n: int) -> None:
    """A mask that was drawn: kept where it can be read, refused where a row would see nothing."""
    if not isinstance(drawn, str) or drawn == spell_mask(padding(n, 0)):
        if isinstance(drawn, str):
            change(mask="none", drawn="")
        return
    _, allowed, notes = read_mask(drawn, "none", n)
    if notes or allowed is None:
        st.session_state["lab_refused"] = notes
    else:
        change(drawn=spell_mask(allowed))


def refuse(row) -> None:
    """The last open cell of a row stays open, and the page says why."""
    if isinstance(row, int):
        st.session_state["lab_refused"] = [Note("lab_note_blind", {"row": row})]


def refused() -> list[Note]:
    """Why the last click did nothing, once."""
    return st.session_state.pop("lab_refused", [])


def kind_and_mask(walk: Walk):
    """What the address says about the mask; what had to be put right is put right there as well."""
    kind, allowed, notes = read_mask(settings().drawn, settings().mask, len(walk.tokens))
    put_right(notes, drawn=spell_kind(kind, allowed))
    return kind, allowed


def what_the_step_shows(kind: str) -> list[Note]:
    """The walk knows no other masks than none and causal: which of them its step will show instead of this one."""
    return [Note("lab_note_step_mask", {"shown": text(f"lab_step_mask_{settings().mask}")})] if kind in ("padding", "drawn") else []


@cache
def _component():
    css, js = ((HERE / f"lab_mask.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    return st.components.v2.component("mha_mask", html='<div class="mask-host"></div>', css=css, js=js)
