"""Which number is pinned, and the trail of numbers one came through to reach it."""

import streamlit as st

from walkthrough.frame.shell import WALK, go_to
from walkthrough.frame.state import change, settings
from walkthrough.sheet.grids import stage


def pin(cell: str) -> None:
    """Hold a number (or, with "", let it go); a new start, so the trail begins again."""
    change(cell=cell, trail="")


def follow(cell: str) -> None:
    """Go to where an operand was made, or back along the trail; the page is turned by turn_to_pin."""
    here = settings()
    trail = [step for step in here.trail.split("~") if step]
    trail = trail[: trail.index(cell)] if cell in trail else [*trail, here.cell] if here.cell else trail
    field, *places = cell.split(".")
    made = stage(field)
    head = {"head": int(places[0])} if made.axes[0] == "head" else {}
    change(cell=cell, trail="~".join(trail), **head)
    st.session_state["turn_to"] = WALK[made.step]


def turn_to_pin() -> None:
    """Open the step that made the followed number, where it is not this one."""
    target = st.session_state.pop("turn_to", None)
    if target and target != st.session_state["page"]:
        go_to(target)
