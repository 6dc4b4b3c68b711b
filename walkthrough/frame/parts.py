"""What a page can show: headline, prose, pictures, code and the way to the next step."""

import inspect
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from html import escape
from pathlib import Path

import streamlit as st

from mha_core.stages import stage_of
from walkthrough import palette
from walkthrough.figures.printable import printable
from walkthrough.figures.whole import whole as draw_whole
from walkthrough.frame import view
from walkthrough.frame.pins import follow, pin
from walkthrough.frame.questions import ask_here
from walkthrough.frame.reference import misconceptions_here
from walkthrough.frame.shell import PAGES, WALK, go_to, navigate, page_link, steps, title
from walkthrough.frame.state import change, drop_cells, notes, settings
from walkthrough.lesson import load, text
from walkthrough.numbers import numbers, percent
from walkthrough.settings import Note
from walkthrough.sheet.mount import mount, unfolded_in
from walkthrough.sheet.sheet import sheet as build_sheet
from walkthrough.walk import Walk, read_cell, walk_of

HERE = Path(__file__).parent
COLUMNS = (("walk", "story"), ("foundations",), ("lab", "reference"))  # of the table of contents


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

    `of` is a what-if in place of the real walk: it can be pointed at, but its numbers have no address.
    """
    key = f"sheet_{key}"
    shown = of or walk()
    origin_of_each = text(f"origin_short_{shown.settings.source.replace('-', '_')}", seed=shown.settings.seed, model=shown.origin)
    payload = build_sheet(replace(shown, origin=origin_of_each), list(equations), fold=fold, unfolded=unfolded_in(key))
    doors = {} if of else {"on_pinned": pin, "on_follow": follow, "on_pick": lambda choice: change(**choice)}
    mount(payload, key=key, **doors)
    origin()


def figure(drawing: Callable, alt: str, key: str) -> None:
    """A Plotly figure in the theme's colours, with its finding as the text alternative."""
    st.plotly_chart(
        drawing(colours()), theme=None, key=key, config={"displaylogo": False, "toImageButtonOptions": {"format": "svg"},
        "modeBarButtonsToRemove": ["select2d", "lasso2d"], "displayModeBar": False}, **_known(st.plotly_chart, alt=alt),
    )


def colours() -> palette.Palette:
    """The palette of the theme the visitor sees."""
    return palette.DARK if st.context.theme.type == "dark" else palette.LIGHT


def _known(function: Callable, **newer) -> dict:
    """Only those arguments that this Streamlit's function has: the one door for features newer than 1.62."""
    return {name: value for name, value in newer.items() if name in _parameters(function)}


@cache
def _parameters(function: Callable) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)


def whole(key: str, keep: bool = False) -> None:
    """The whole picture; its parts open their steps, a head's small grid makes that head the chosen one. With `keep` it can
    be taken home as one file.
    """
    found = walk()
    svg = draw_whole(found.trace, found.tokens, found.word, found.head, _whole_names(found), percent)
    opened = picture(svg, key)
    if keep:
        file = printable(svg, _picture_css(), " ".join(_origin_said()[:1]))
        st.download_button(text("whole_keep"), file, "attention.svg", "image/svg+xml", key=f"keep_{key}", on_click="ignore")
    if opened and opened.startswith("head:"):
        change(head=int(opened.removeprefix("head:")))
        st.rerun()
    elif opened:
        go_to(opened)


def picture(svg: str, key: str) -> str | None:
    """An SVG whose parts can be opened; the name of the part that was opened just now."""
    return _picture_component()(key=key, data={"svg": svg}, on_open_change=lambda: None).open


def _whole_names(found: Walk) -> dict[str, str]:
    names = {field: stage_of(field).symbol for field in ("X", "Q", "K", "V", "output")}
    names |= {field: text(f"whole_{field}") for field in ("scores", "weights", "heads", "concat")}
    names |= {key: text(f"whole_{key}") for key in ("opens", "gives", "gives_long", "describe", "others", "follow", "head")}
    names |= {page: text(f"nav_{page}") for page in WALK}
    return names | {"divisor": text("whole_divisor", divisor=f"{found.trace.divisor:.4g}")}


@cache
def _picture_css() -> str:
    return (HERE / "whole.css").read_text(encoding="utf-8")


@cache
def _picture_component():
    return st.components.v2.component(
        "mha_whole", html='<div class="whole-host"></div>', css=_picture_css(), js=(HERE / "whole.js").read_text()
    )


def code_that_ran(*fields: str) -> None:
    """The source of the very functions that computed these fields."""
    if not fields:
        return
    with st.expander(text("code_label")):
        for stage in (stage_of(field) for field in fields):
            intro = text("code_intro", symbol=stage.symbol, module=f"{stage.code.__module__.replace('.', '/')}.py")
            st.html(f'<div class="caption">{escape(intro)}</div>')
            st.code(inspect.getsource(stage.code), language="python")


def origin() -> None:
    """Where the numbers come from, said where they are shown."""
    st.html(f'<div class="origin">{escape(" ".join(_origin_said()))}</div>')


def _origin_said() -> list[str]:
    """Whose numbers these are, that all are computed, and whether special tokens are hidden, wherever they are."""
    found = walk()
    chosen = found.settings
    key = f"origin_{chosen.source.replace('-', '_')}"
    said = [text(key, seed=chosen.seed, layer=chosen.layer, model=found.origin), text("origin_every")]
    if chosen.source == "trained":
        said.append(text("origin_hidden" if chosen.hide_special else "origin_special"))
    return said


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
