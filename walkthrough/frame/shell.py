"""What stands around every page: the look, the strip of steps, and the notes on what was corrected."""

from functools import cache
from html import escape
from pathlib import Path

import streamlit as st

from walkthrough.frame.state import notes, settings
from walkthrough.lesson import text
from walkthrough.palette import css_variables

HERE = Path(__file__).parent
PAGES = (
    "start", "step_1_arrows", "step_2_qkv", "step_3_scores", "step_4_softmax", "step_5_blend", "step_6_heads", "step_7_mix",
    "whole_picture",
)


def style() -> None:
    """Role colours and the look of the prose, once a page."""
    st.html(_style())


@cache
def _style() -> str:
    return f"<style>:root, .stApp {{ {css_variables()} }}\n{(HERE / 'style.css').read_text(encoding='utf-8')}</style>"


def navigate():
    """Declare all pages and find out which one is asked for."""
    pages = {
        name: st.Page(f"pages/{name}.py", title=text(f"title_{name}"), url_path=name, default=name == PAGES[0]) for name in PAGES
    }
    page = st.navigation(list(pages.values()), position="hidden")
    st.session_state["pages"] = pages
    st.session_state["page"] = next(name for name, known in pages.items() if known == page)
    return page


def above_page() -> None:
    """The strip of steps and the notes."""
    pages = st.session_state["pages"]
    with st.container(horizontal=True, key="strip", gap="small"):
        for name in PAGES:
            here = "here" if name == st.session_state["page"] else "there"
            st.container(key=f"{here}_{name}", width="content").page_link(pages[name], label=text(f"nav_{name}"), query_params=settings().to_query())
    for place, note in enumerate(notes()):
        st.html(f'<div class="note" role="status">{escape(text(note.key, **note.values))}</div>')


def go_to(page: str) -> None:
    """Open a page and take the whole state along in the address."""
    st.switch_page(st.session_state["pages"][page], query_params=settings().to_query())


def steps(page: str) -> None:
    """Previous and next, also with the arrow keys."""
    place = PAGES.index(page)
    with st.container(horizontal=True, horizontal_alignment="distribute", key="steps"):
        for side, arrow, other in (("Left", "← {}", place - 1), ("Right", "{} →", place + 1)):
            if not 0 <= other < len(PAGES):
                st.html("<span></span>", width="content")
                continue
            label = arrow.format(text(f"title_{PAGES[other]}"))
            kind = "primary" if side == "Right" else "secondary"
            if st.button(label, key=f"go_{side}", shortcut=side, type=kind):
                go_to(PAGES[other])
