"""What stands around every page: the look, the strip of steps, and the notes on what was corrected."""

from functools import cache
from html import escape
from pathlib import Path

import streamlit as st

from walkthrough.frame.state import notes, settings
from walkthrough.lesson import text
from walkthrough.palette import css_variables

HERE = Path(__file__).parent
GROUPS = ("foundations", "story", "lab", "reference")  # a file pages/<group>_….py joins its group, in the order of its name


def _in_group(group: str) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in (HERE.parent.parent / "pages").glob(f"{group}*.py")))


WALK = ("start", *_in_group("step"), "whole_picture")
CONTENTS = "contents"
PAGES = (*WALK, CONTENTS, *(name for group in GROUPS for name in _in_group(group)))


def style() -> None:
    """Role colours and the look of the prose, once a page."""
    st.html(_style())


@cache
def _style() -> str:
    here = ", ".join(f".st-key-strip_{k} > :nth-child({k + 1}) a" for k in range(len(WALK) + 1))
    rules = f":root, .stApp {{ {css_variables()} }}\n{here} {{ background: var(--mha-text) !important; }}\n"
    inside = here.replace(" a", " a *") + " { color: var(--mha-background) !important; }\n"
    inside += here.replace(" a", "") + " { scroll-initial-target: nearest; }\n"  # on a phone the strip begins at this page
    return f"<style>{rules}{inside}{(HERE / 'style.css').read_text(encoding='utf-8')}</style>"


def title(name: str) -> str:
    """A page's title; its file name until it has one (tests/walkthrough/test_catalogue.py asks for all of them)."""
    try:
        return text(f"title_{name}")
    except KeyError:
        return name


def navigate():
    """Declare all pages and find out which one is asked for."""
    state = st.session_state
    if "pages" not in state:  # to declare them anew in every run would cost a tenth of it
        state["pages"] = {
            name: st.Page(f"pages/{name}.py", title=title(name), url_path=name, default=name == PAGES[0]) for name in PAGES
        }
    page = st.navigation(list(state["pages"].values()), position="hidden")
    state["page"] = next(name for name, known in state["pages"].items() if known == page)
    return page


def above_page() -> None:
    """The strip of steps with the way to everything else, and the notes."""
    strip = (*WALK, CONTENTS)
    here = strip.index(st.session_state["page"]) if st.session_state["page"] in strip else strip.index(CONTENTS)
    with st.container(horizontal=True, key=f"strip_{here}", gap="small"):  # style.css marks the link with this number
        for name in strip:
            page_link(name)
    for note in notes():
        st.html(f'<div class="note" role="status">{escape(text(note.key, **note.values))}</div>')


def page_link(name: str, label: str | None = None) -> None:
    """A link to a page that takes the whole state along."""
    st.page_link(st.session_state["pages"][name], label=label or text(f"nav_{name}"), query_params=settings().to_query())


def go_to(page: str) -> None:
    """Open a page and take the whole state along in the address."""
    st.switch_page(st.session_state["pages"][page], query_params=settings().to_query())


def steps(page: str) -> None:
    """Previous and next, also with the arrow keys."""
    if page not in WALK:
        return
    place = WALK.index(page)
    with st.container(horizontal=True, horizontal_alignment="distribute", key="steps"):
        way = (*WALK, CONTENTS)  # after the whole picture, everything else
        for side, arrow, other in (("Left", "← {}", place - 1), ("Right", "{} →", place + 1)):
            if other < 0:
                st.html("<span></span>", width="content")
                continue
            label = arrow.format(title(way[other]))
            kind = "primary" if side == "Right" else "secondary"
            if st.button(label, key=f"go_{side}", shortcut=side, type=kind):
                go_to(way[other])
