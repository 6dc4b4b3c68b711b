"""Which of its pictures a page shows. All such choices share one field of the address, `view`: "job.2~sweep.spread".

A choice that this page does not have, or no longer has, gives way to the page's own beginning; the others are kept, so
that a page that one comes back to looks as one left it.
"""

from collections.abc import Iterable

import streamlit as st

from walkthrough.frame.controls import hold
from walkthrough.frame.state import change, settings


def choices() -> dict[str, str]:
    """All choices of the address, by name."""
    return dict(piece.split(".", 1) for piece in settings().view.split("~") if piece)


def chosen(name: str, options: Iterable, default):
    """The option of this name in the address; the default where it says nothing, or nothing that there is."""
    said = choices().get(name)
    return next((option for option in options if str(option) == said), default)


def choose(name: str, value, default) -> None:
    """Put a choice into the address; what a page begins with is not written."""
    kept = {other: said for other, said in choices().items() if other != name}
    if value is not None and value != default:
        kept[name] = str(value)
    change(view="~".join(f"{other}.{said}" for other, said in kept.items()))


def control(name: str, key: str, options: Iterable, default) -> dict:
    """What binds a control to a choice: its key, holding what is chosen, and its callback."""
    return {"key": hold(key, chosen(name, options, default)), "on_change": _take, "args": (name, key, default)}


def _take(name: str, key: str, default) -> None:
    choose(name, st.session_state[key], default)


def switch(name: str, key: str, label: str) -> bool:
    """A toggle that is off at first."""
    hold(key, chosen(name, ("on",), None) == "on")
    return st.toggle(label, key=key, on_change=_take_switch, args=(name, key))


def _take_switch(name: str, key: str) -> None:
    choose(name, "on" if st.session_state[key] else None, None)
