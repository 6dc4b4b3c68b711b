"""Controls of the page that holds two walks against each other."""

from dataclasses import fields, replace

import streamlit as st

from walkthrough.experiments import address_of
from walkthrough.figures.comparison import TOLD
from walkthrough.frame import view
from walkthrough.frame.state import change, settings
from walkthrough.lesson import text
from walkthrough.settings import CHOICES, DEFAULT, Settings, correct
from walkthrough.trained import PRONOUN_HEAD
from walkthrough.walk import tokens_of

# What every ready-made pair begins with, so that nothing of the pair before it, or of the walk, is left over.
PLAIN = {
    name: getattr(DEFAULT, name)
    for name in ("sentence", "source", "layer", "divisor", "positions", "mask", "hide_special", "model")
}


def pairs() -> None:
    """Ready-made pairs. The sizes and the seed stay as they are; everything else is set, for A and for B."""
    with st.container(horizontal=True, key="ready_compare"):
        for name in _pairs():
            st.button(text(f"lab_pair_{name}"), key=f"pair_{name}", on_click=_begin, args=(name,))


def _pairs() -> dict[str, tuple[dict, dict]]:
    """What A and B of every pair set differently from PLAIN."""
    man, dog = text("lab_pair_man"), text("lab_pair_dog")
    known = {
        "order": tuple({"sentence": each, "positions": False} for each in (man, dog)),
        "positions": tuple({"sentence": each} for each in (man, dog)),
        "scaling": ({}, {"divisor": "none"}),
        "mask": ({}, {"mask": "causal"}),
    }
    if "trained" in CHOICES["source"]:
        layer, head = PRONOUN_HEAD
        known["tired"] = tuple(
            {"source": "trained", "layer": layer, "head": head, "sentence": text(f"lab_pair_tired_{each}")} for each in "ab"
        )
    return known


def _begin(name: str) -> None:
    """Set B, pin A, and look at the word that the pair is about; what was there before is kept for _let_go."""
    if not _is_as_begun():
        st.session_state["pair_before"] = settings()
    a, b = (PLAIN | side for side in _pairs()[name])
    A = correct(replace(settings(), cell="", trail="", **a), quiet={"word", "head"})[0]
    told, tokens = text(f"lab_pair_{name}_word"), tokens_of(A)
    word = {"word": tokens.index(told) + 1} if told in tokens else {}
    change(**b, **word, against=address_of(A), cell="", trail="")
    st.session_state["pair_begun"] = _told()


def _told() -> tuple:
    """What makes the two walks of this page; where one looks in them is left out."""
    return tuple(getattr(settings(), name) for name in (*TOLD, "against"))


def _is_as_begun() -> bool:
    """Whether this is still a ready-made pair as it was set, and nothing was changed since."""
    return st.session_state.get("pair_begun") == _told()


def _let_go() -> None:
    """Without A. After a ready-made pair the walk from before it comes back, unless something was changed since."""
    before = st.session_state.get("pair_before")
    if _is_as_begun() and before is not None:
        change(**{field.name: getattr(before, field.name) for field in fields(before)} | {"against": "", "view": settings().view})
    else:
        change(against="")
    st.session_state["pair_begun"] = None


def pin_controls(A: Settings | None) -> None:
    """Pin the present state as A; with an A, change places with it or let it go."""
    with st.container(horizontal=True, key="lab_pins"):
        here = {"against": address_of(settings())}
        st.button(text("lab_pin"), key="lab_pin", type="primary", on_click=change, kwargs=here)
        if A is not None:
            st.button(text("lab_swap"), key="lab_swap", on_click=_swap, args=(A,))
            st.button(text("lab_unpin"), key="lab_unpin", on_click=_let_go)


def _swap(A: Settings) -> None:
    was_begun = _is_as_begun()
    theirs = {name: getattr(A, name) for name in (*TOLD, "word", "head")}
    change(**theirs, against=address_of(settings()), cell="", trail="")
    if was_begun:
        st.session_state["pair_begun"] = _told()


def line_up_by() -> str:
    """Whether words or places are held against each other."""
    ways = {way: text(f"lab_line_up_{way}") for way in ("word", "place")}
    bound = view.control("by", "lab_line_up", ways, "word")
    return st.segmented_control(text("lab_line_up"), ways, format_func=ways.get, **bound) or "word"
