"""The control for a model of one's own: a folder or a name, fetched with progress where it is not here yet."""

from html import escape

import streamlit as st

from walkthrough import own_models
from walkthrough.frame.state import change, notes, settings
from walkthrough.lesson import text
from walkthrough.settings import Note
from walkthrough.sources import EncoderUnavailable, encoder

BOX, ASKED, FAILED, SHOWN = "own_name", "own_asked", "own_failed", "own_shown"


def own_model() -> None:
    """Under the trained source: which model it is. Stays open with what was typed while that could not be used."""
    state, chosen = st.session_state, settings()
    if chosen.source != "trained" and not state.get(FAILED):
        return
    with st.expander(text("label_own_model"), expanded=bool(state.get(FAILED))):
        if not own_models.is_offered():
            _under(text("own_off"))
            return
        if BOX not in state or state.get(SHOWN) != chosen.model:  # the address or a button chose another one
            state[SHOWN], state[BOX] = chosen.model, chosen.model or state.get(BOX, "")
        with st.form("own_form", border=False):
            st.text_input(text("label_own_name"), key=BOX, help=text("help_own_name"))
            st.form_submit_button(text("button_own_use"), key="own_use", on_click=_ask)
        if chosen.model:
            st.button(text("button_own_back"), key="own_back", on_click=_back)
        _say_what_it_is(chosen)
        if (asked := state.pop(ASKED, None)) is not None:
            _bring(asked)


def _ask() -> None:
    st.session_state[ASKED], st.session_state[FAILED] = st.session_state[BOX].strip(), False


def _back() -> None:
    st.session_state[BOX], st.session_state[FAILED] = "", False
    change(model="", source="trained")


def _say_what_it_is(chosen) -> None:
    if not chosen.model or chosen.source != "trained":
        _under(text("own_where"))
        return
    _under(text("own_hash", model=encoder(chosen.model).name, hash=own_models.fingerprint(chosen.model)))


def _bring(model: str) -> None:
    """Fetch the model if it has to be fetched, and walk with it; or say why not and go on with seeded numbers."""
    bar = st.progress(0.0, text("own_reading", model=model))
    try:
        if not own_models.is_here(model):
            own_models.fetch(model, lambda file, share: bar.progress(share, text("own_fetching", file=file)))
        change(source="trained", model=model)
    except EncoderUnavailable as problem:
        change(source="seeded", model="")
        st.session_state["notes"] = [Note("note_trained", {"problem": str(problem)}), *notes()]
    st.session_state[FAILED] = settings().source != "trained"
    st.rerun()


def _under(says: str) -> None:
    st.html(f'<div class="under own">{escape(says)}</div>')
