"""Controls of the page that holds two walks against each other."""

from dataclasses import replace

import streamlit as st

from walkthrough.experiments import address_of
from walkthrough.figures.comparison import TOLD
from walkthrough.frame import view
from walkthrough.frame.state import change, settings
from walkthrough.lesson import text
from walkthrough.settings import CHOICES, Settings, correct
from walkthrough.walk import tokens_of


def pairs() -> None:
    """Ready-made pairs. The sizes stay as they are; only what the pair is about is set."""
    with st.container(horizontal=True, key="ready_compare"):
        for name in _pairs():
            st.button(text(f"lab_pair_{name}"), key=f"pair_{name}", on_click=_begin, args=(name,))


def _pairs() -> dict[str, tuple[dict, dict]]:
    man, dog = text("lab_pair_man"), text("lab_pair_dog")
    known = {
        "order": tuple({"source": "seeded", "sentence": each, "positions": False} for each in (man, dog)),
        "positions": tuple({"source": "seeded", "sentence": each, "positions": True} for each in (man, dog)),
        "scaling": ({"divisor": "sqrt"}, {"divisor": "none"}),
        "mask": ({"mask": "none"}, {"mask": "causal"}),
    }
    if "trained" in CHOICES["source"]:
        known["tired"] = tuple({"source": "trained", "sentence": text(f"lab_pair_tired_{each}")} for each in "ab")
    return known


def _begin(name: str) -> None:
    """Set B, pin A, and look at the word that the pair is about."""
    a, b = _pairs()[name]
    A = correct(replace(settings(), cell="", trail="", **a), quiet={"word", "head"})[0]
    told, tokens = text(f"lab_pair_{name}_word"), tokens_of(A)
    word = {"word": tokens.index(told) + 1} if told in tokens else {}
    change(**b, **word, against=address_of(A))


def pin_controls(A: Settings | None) -> None:
    """Pin the present state as A; with an A, change places with it or let it go."""
    with st.container(horizontal=True, key="lab_pins"):
        here = {"against": address_of(settings())}
        st.button(text("lab_pin"), key="lab_pin", type="primary", on_click=change, kwargs=here)
        if A is not None:
            st.button(text("lab_swap"), key="lab_swap", on_click=_swap, args=(A,))
            st.button(text("lab_unpin"), key="lab_unpin", on_click=change, kwargs={"against": ""})


def _swap(A: Settings) -> None:
    fields = {name: getattr(A, name) for name in (*TOLD, "word", "head")}
    change(**fields, against=address_of(settings()), cell="", trail="")


def line_up_by() -> str:
    """Whether words or places are held against each other."""
    ways = {way: text(f"lab_line_up_{way}") for way in ("word", "place")}
    bound = view.control("by", "lab_line_up", ways, "word")
    return st.segmented_control(text("lab_line_up"), ways, format_func=ways.get, **bound) or "word"
