"""What a page can show: headline, prose, pictures, code and the way to the next step."""

import inspect
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import replace
from html import escape
from pathlib import Path

import streamlit as st

from mha_core.stages import stage_of
from walkthrough.frame import view
from walkthrough.frame.origins import origin
from walkthrough.frame.pins import follow, pin
from walkthrough.frame.questions import ask_here
from walkthrough.frame.reference import misconceptions_here
from walkthrough.frame.running import live, walk
from walkthrough.frame.shell import PAGES, WALK, page_link, steps, title
from walkthrough.frame.state import change, settings
from walkthrough.lesson import load, text
from walkthrough.sheet.mount import mount, unfolded_in
from walkthrough.sheet.sheet import sheet as build_sheet
from walkthrough.walk import Walk, read_cell

HERE = Path(__file__).parent
COLUMNS = (("walk", "story"), ("foundations",), ("lab", "reference"))  # of the table of contents


class Page:
    """One page of the walk: its lesson, and a way to show its sections by name."""

    def __init__(self, name: str):
        walk()  # a page that was run without its frame starts over here
        self.name, self.lesson = name, load(name)
        self.headline()

    def headline(self) -> None:
        st.html(f"<h1>{self.lesson.headline.fill(live())}</h1>")

    def say(self, *sections: str, css: str = "prose", values: Mapping[str, str] | None = None) -> None:
        """Sections of the lesson, one under the other, with the walk's live numbers and the page's own `values`."""
        filled = ChainMap(values, live()) if values else live()
        body = "".join(f'<div class="{name}">{self.lesson.sections[name].fill(filled)}</div>' for name in sections)
        st.html(f'<div class="{css}">{body}</div>')

    def caption(self, *sections: str, values: Mapping[str, str] | None = None) -> None:
        """The lines beside a picture."""
        self.say(*sections, css="caption", values=values)

    def closing(self, *fields: str) -> None:
        """What ends every step: edge cases, the story, the check, more, and the code that ran for these fields."""
        sections = self.lesson.sections
        if "edges" in sections:
            self.edges()
        if self.name.startswith("step_"):
            ask_here(WALK.index(self.name))
            misconceptions_here(WALK.index(self.name))
        for name in sections:
            if f"{name}_answer" in sections:
                self.check(name)
        self.folds()
        code_that_ran(*fields)
        steps(self.name)

    def folds(self) -> None:
        """The story and a closer look, open on request."""
        for name in ("story", "more"):
            if name in self.lesson.sections:
                with st.expander(text(f"fold_page_{name}")):
                    self.say(name)

    def edges(self) -> None:
        """The cases at the edge, as a quiet row of cards. "Heading | seeded" is a case of seeded numbers alone."""
        values, source = live(), settings().source
        parts = [(*map(str.strip, f"{part.name}|{source}".split("|")[:2]), part) for part in self.lesson.sections["edges"].parts]
        cards = "".join(
            f'<div class="edge"><h3>{escape(name)}</h3>{part.fill(values)}</div>' for name, of, part in parts if of == source
        )
        st.html(f'<h2>{text("label_edges")}</h2><div class="edges">{cards}</div>')

    def check(self, name: str) -> None:
        """Predict, then reveal."""
        with st.container(border=True, key=name):
            self.say(name)
            with st.expander(text("label_reveal")):
                self.say(f"{name}_answer")


def sheet(*equations: str, key: str, fold: int = 8, of: Walk | None = None) -> None:
    """The linked picture of one or several equations; a pin goes into the address, an operand leads to its own step.

    `of` is a what-if in place of the real walk, made by a switch that is in the address too. Its operands do not lead to
    other steps, where the real numbers stand.
    """
    key = f"sheet_{key}"
    shown = of or walk()
    origin_of_each = text(f"origin_short_{shown.settings.source.replace('-', '_')}", seed=shown.settings.seed, model=shown.origin)
    payload = build_sheet(replace(shown, origin=origin_of_each), list(equations), fold=fold, unfolded=unfolded_in(key))
    there = {grid.field for grid in payload.grids.values()}
    doors = {"on_pinned": _pin_here, "on_follow": lambda cell: cell.split(".")[0] in there and _pin_here(cell)} if of else {
        "on_pinned": pin, "on_follow": follow
    }
    mount(payload, key=key, on_pick=lambda choice: change(**choice), **doors)
    origin()


def _pin_here(cell: str) -> None:
    """Pin a number of a what-if, where the walk of the address has a number at this place; else it stays with the reader."""
    if not cell or read_cell(st.session_state["walk"], cell):
        pin(cell)


def code_that_ran(*fields: str) -> None:
    """The source of the very functions that computed these fields."""
    if not fields:
        return
    with st.expander(text("code_label")):
        for stage in (stage_of(field) for field in fields):
            intro = text("code_intro", symbol=stage.symbol, module=f"{stage.code.__module__.replace('.', '/')}.py")
            st.html(f'<div class="caption">{escape(intro)}</div>')
            st.code(inspect.getsource(stage.code), language="python")


def contents() -> None:
    """Links to all pages, each with the question that it answers: the groups in columns, which a phone puts in one."""
    for column, groups in zip(st.columns(len(COLUMNS), gap="large"), COLUMNS):
        with column:
            for group in groups:
                _links(group, WALK if group == "walk" else tuple(name for name in PAGES if name.startswith(group)))


def _links(group: str, names: tuple[str, ...]) -> None:
    with st.container(key=f"group_{group}"):
        st.html(f'<h2 class="contents-head">{escape(text(f"nav_section_{group}"))}</h2>')
        for name in names:
            page_link(name, title(name))
            st.html(f'<div class="asks">{load(name).headline.fill(live())}</div>')


def fold(name: str):
    """A part of a page that is open on request; what is in it is drawn only then."""
    return st.expander(text(f"fold_{name}"), key=f"fold_{name}")


def choose(name: str, options: tuple, label: str):
    """One of a few options for a picture of this page."""
    bound = view.control(name, f"choose_{name}", options, options[0])
    return st.segmented_control(label, options, format_func=lambda option: text(f"{name}_{option}"), **bound) or options[0]


def switch(name: str, label: str) -> bool:
    """An experiment of this page, off until it is switched on."""
    return view.switch(name, f"switch_{name}", label)
