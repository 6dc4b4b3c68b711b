"""One run of the app: the walk it is about, worked out once, and the page inside its frame."""

import streamlit as st

from walkthrough.frame.shell import navigate
from walkthrough.frame.state import drop_cells, notes, settings
from walkthrough.numbers import numbers
from walkthrough.settings import Note
from walkthrough.walk import Walk, read_cell, walk_of


def walk() -> Walk:
    """The walk of this visitor's settings, computed once a run by app.py."""
    if not st.session_state.get("framed"):
        _run_with_the_frame()
    return st.session_state["walk"]


def run(page) -> None:
    """Run a page inside its frame."""
    st.session_state["framed"] = True
    try:
        page.run()
    finally:
        st.session_state["framed"] = False


def _run_with_the_frame() -> None:
    """A server whose very first visitor opens a page's own address runs that page without app.py, because of the folder's
    name. Naming the pages ends that way of working for the whole server; then the run starts over, with app.py.
    """
    navigate()
    st.rerun()


def compute() -> Walk:
    """Work out the walk for this run; pinned cells that it does not have are dropped, and a note says so."""
    state, found = st.session_state, walk_of(settings())
    named = [cell for cell in (found.settings.cell, *found.settings.trail.split("~")) if cell]
    lost = [cell for cell in named if read_cell(found, cell) is None]
    if lost:
        kept = notes()
        drop_cells(lost)
        state["notes"] = [*kept, Note("note_cell", {"asked": ", ".join(lost)[:60]})]
        found = walk_of(settings())
    state["walk"], state["numbers"] = found, None
    return found


def live() -> dict[str, str]:
    """The live numbers of the prose, worked out when the first sentence needs them."""
    if st.session_state.get("numbers") is None:
        st.session_state["numbers"] = numbers(walk())
    return st.session_state["numbers"]
