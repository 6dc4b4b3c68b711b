"""What a page can show beside the sheet: flat figures, Plotly figures, and pictures whose parts can be opened."""

import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path

import streamlit as st

from mha_core.stages import stage_of
from walkthrough import palette
from walkthrough.figures.drawing import draw
from walkthrough.figures.printable import printable
from walkthrough.figures.whole import whole as draw_whole
from walkthrough.frame.origins import origin_said
from walkthrough.frame.running import walk
from walkthrough.frame.shell import WALK, go_to
from walkthrough.frame.state import change
from walkthrough.lesson import text
from walkthrough.numbers import percent
from walkthrough.walk import Walk

HERE = Path(__file__).parent


def drawing(drawn: Callable, alt: str) -> None:
    """A flat figure as plain SVG, with its finding as the text alternative. It needs no library in the browser."""
    _drawing_component()(data={"html": draw(drawn(palette.LIVE)), "alt": alt})


@cache
def _drawing_component():
    return st.components.v2.component(
        "mha_drawing", html='<div class="drawing" role="img"></div>', css=(HERE / "drawing.css").read_text(),
        js=(HERE / "drawing.js").read_text(),
    )


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
        file = printable(svg, _picture_css(), " ".join(origin_said()[:1]))
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
