"""Puts a sheet on a Streamlit page and brings back what the reader does there."""

import streamlit as st

from walkthrough.sheet.assets import script, style

_COMPONENT = st.components.v2.component("mha_sheet", css=style(), js=script())


def unfolded_in(key: str) -> frozenset:
    """What the reader has unfolded in the sheet of this key so far; pass it to sheet(…, unfolded=)."""
    return frozenset(st.session_state.get(key, {}).get("unfolded") or ())


def mount(payload, key: str, *, on_pinned=None, on_unfolded=None, on_follow=None, on_pick=None):
    """Draw the payload. Each callback is called with what was done, before the page runs again:

    on_pinned(cell)     "scores.2.3.2", or "" when the cell is let go
    on_unfolded(ids)    every grid ("X") or side of a grid ("W_Q.2/rows") that is unfolded now
    on_follow(cell)     the reader asks where this operand was made, or goes back along the trail
    on_pick(choice)     {"word": 3} or {"head": 2}, counted from 1
    `unfolded` stays in session state; the others are events, their lasting home is the address.
    """
    said = {"pinned": on_pinned, "unfolded": on_unfolded, "follow": on_follow, "pick": on_pick}
    tellers = {f"on_{name}_change": _teller(key, name, call) for name, call in said.items()}
    return _COMPONENT(key=key, data=payload.data, **tellers)


def _teller(key: str, name: str, call):
    def tell():
        value = st.session_state[key].get(name)
        if call is not None and value is not None:
            call(value)

    return tell
