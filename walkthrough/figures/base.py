"""One look for all figures: type, margins, quiet axes, and the row in which a number stands over its bar."""

import numpy as np
import plotly.graph_objects as go

from walkthrough.digits import digits
from walkthrough.figures import labels as words
from walkthrough.palette import Palette

FONT = "Atkinson Hyperlegible Next, Noto Sans, DejaVu Sans, sans-serif"
SIZE, SMALL = 16, 15
ROW, LINE_HEIGHT = 50, 20  # pixels a row of a figure takes, and what each further line of its label adds
TOP, BOTTOM, SIDE = 34, 12, 8
LINE = 20  # a further line of a heading
BAR, BAR_AT, NUMBER_AT = 0.28, 0.17, -0.2  # thickness of a bar and where bar and number stand, in rows from the middle
MASKED = "masked"


class Sketch:
    """Traces, shapes and notes as plain dicts, made into a figure in one go: one by one is slow."""

    def __init__(self, layout: dict):
        self.layout, self.traces = layout, []
        self.notes: list[dict] = list(layout.pop("annotations", ()))
        self.shapes: list[dict] = []

    def add(self, type: str, **trace) -> None:
        self.traces.append(dict(type=type) | trace)

    def bar(self, **trace) -> None:
        self.add("bar", **trace)

    def scatter(self, **trace) -> None:
        self.add("scatter", **trace)

    def note(self, **annotation) -> None:
        self.notes.append(annotation)

    def shape(self, **shape) -> None:
        self.shapes.append(shape)

    def figure(self) -> go.Figure:
        # Checking every property takes longer than all the rest; the tests do it for every figure instead.
        return go.Figure(
            data=self.traces, layout=self.layout | dict(annotations=self.notes, shapes=self.shapes), _validate=False
        )


def base_layout(palette: Palette, height: int, **more) -> dict:
    """What every figure has in common; `more` overrides it."""
    return dict(
        height=height, autosize=True, showlegend=False, hovermode="closest", dragmode=False, minreducedwidth=20,
        barmode="overlay", barcornerradius=5,
        paper_bgcolor="rgba(0,0,0,0)", plot_bgcolor="rgba(0,0,0,0)",
        margin=dict(l=SIDE, r=SIDE, t=TOP, b=BOTTOM, pad=0),
        font=dict(family=FONT, size=SIZE, color=palette.text), bargap=0, template={"layout": {}},
        hoverlabel=dict(
            bgcolor=palette.card, bordercolor=palette.line, font=dict(family=FONT, size=SIZE, color=palette.text),
            align="left"
        ),
    ) | more


def bare_axis(**more) -> dict:
    """An axis that draws nothing of its own and never moves."""
    return dict(
        showgrid=False, zeroline=False, showline=False, ticks="", showticklabels=False, fixedrange=True, autorange=False
    ) | more


def row_height(labels) -> int:
    """Pixels a row needs so that the tallest of these labels has room."""
    return max(ROW, (words.most_lines(labels) - 1) * LINE_HEIGHT + 34)


def rows_axis(labels, chosen: int | None = None, colour: str | None = None, **more) -> dict:
    """The axis of words: word i at height i, the first one on top, none left out."""
    places = np.arange(len(labels), dtype=float)
    return bare_axis(
        range=[len(labels) - 0.5, -0.5], showticklabels=True, tickmode="array", tickvals=places, automargin=True,
        ticktext=words.ticks(labels, chosen, colour), ticklabelstandoff=8, tickfont=dict(size=SIZE),
    ) | more


def domains(shares, gap: float = 0.035) -> list[tuple[float, float]]:
    """Where panels of these relative widths stand side by side, from 0 to 1."""
    room = (1 - gap * (len(shares) - 1)) / sum(shares)
    ends, at = [], 0.0
    for share in shares:
        ends.append((at, min(1.0, at + share * room)))
        at += share * room + gap
    return ends


def axis_key(letter: str, k: int) -> str:
    """The layout's key of the k-th axis, counted from 1: xaxis, xaxis2, …"""
    return f"{letter}axis{k if k > 1 else ''}"


def axis_name(letter: str, k: int) -> str:
    """What traces and shapes call the k-th axis: x, x2, …"""
    return letter if k == 1 else f"{letter}{k}"


def fade(colour: str, alpha: float) -> str:
    """A palette's colour made transparent: alpha 0 is gone, 1 is full."""
    if colour.startswith("var("):
        return f"color-mix(in srgb, {colour} {100 * float(alpha):.4g}%, transparent)"
    return f"rgba({int(colour[1:3], 16)},{int(colour[3:5], 16)},{int(colour[5:7], 16)},{round(float(alpha), 3)})"


def signed_colours(values, palette: Palette) -> list[str]:
    """One of the two hues of signed numbers for each value."""
    return [palette.signed[0] if value < 0 else palette.signed[2] for value in values]


def span_of(*arrays) -> tuple[float, float]:
    """A range that holds every finite number and 0, with a little air; (0, 1) where all are 0."""
    finite = np.concatenate([np.ravel(a)[np.isfinite(np.ravel(a))] for a in arrays] + [np.zeros(1)])
    low, high = float(finite.min()), float(finite.max())
    if low == high:
        return 0.0, 1.0
    air = 0.02 * high - 0.02 * low
    return low - (air if low < 0 else 0.0), high + (air if high > 0 else 0.0)


def heading(sketch: Sketch, k: int, text: str, colour: str, lift: int = 8) -> None:
    """The name of panel k, over its left edge."""
    sketch.note(
        text=text, x=0, xref=f"{axis_name('x', k)} domain", y=1, yref="paper", yshift=lift, xshift=-2, xanchor="left",
        yanchor="bottom", showarrow=False, font=dict(size=SIZE, color=colour), align="left",
    )


def two_lines(text: str, most: int = 10) -> list[str]:
    """A longer heading, broken at the blank nearest its middle, so that it stays over its panel on a phone."""
    blanks = [place for place, sign in enumerate(text) if sign == " "]
    if len(text) <= most or not blanks:
        return [text]
    middle = min(blanks, key=lambda place: abs(2 * place - len(text)))
    return [text[:middle], text[middle + 1:]]


def raise_top(sketch: Sketch, more: int) -> None:
    """More room over the panels."""
    sketch.layout["margin"]["t"] += more
    sketch.layout["height"] += more


def footnote(sketch: Sketch, text: str, palette: Palette) -> None:
    """A quiet line at the very bottom right, such as what was folded away."""
    sketch.note(
        text=text, x=1, xref="paper", xanchor="right", y=0, yref="paper", yanchor="bottom",
        yshift=4 - sketch.layout["margin"]["b"],
        showarrow=False, font=dict(size=SMALL, color=palette.muted),
    )


def zero_line(sketch: Sketch, k: int, count: int, palette: Palette) -> None:
    """The line that the bars of panel k grow from; it leaves room for the numbers."""
    ends = ((row + BAR_AT - 0.22, row + BAR_AT + 0.22) for row in range(count))
    sketch.shape(
        type="path", path=" ".join(f"M0,{top:.3f} L0,{bottom:.3f}" for top, bottom in ends), xref=axis_name("x", k),
        yref="y",
        line=dict(color=fade(palette.muted, 0.6), width=1.5), layer="below",
    )


def full_track(sketch: Sketch, k: int, count: int, palette: Palette) -> None:
    """The whole of 1 behind every weight of panel k, so that a bar reads as a share."""
    edges = ((row + BAR_AT - BAR / 2, row + BAR_AT + BAR / 2) for row in range(count))
    sketch.shape(
        type="path", path=" ".join(f"M0,{top:.3f} L1,{top:.3f} L1,{low:.3f} L0,{low:.3f} Z" for top, low in edges),
        xref=axis_name("x", k), yref="y", line=dict(width=0), fillcolor=fade(palette.line, 0.45), layer="below",
    )


def add_bars(sketch: Sketch, k: int, values, colours, hover, rows=None, base=None, **more) -> None:
    """Lying bars in panel k, one a row, with its true number as its length."""
    rows = np.arange(len(values), dtype=float) if rows is None else np.asarray(rows, float)
    marker = dict(color=colours, line=dict(width=0)) | more.pop("marker", {})
    sketch.bar(
        orientation="h", x=np.array(values, float), y=rows + BAR_AT, base=base, width=BAR, marker=marker,
        hovertext=hover,
        hoverinfo="text", textposition="none", xaxis=axis_name("x", k), yaxis="y", **more,
    )


def add_numbers(sketch: Sketch, k: int, values, at: float, colour, rows=None, bold=()) -> None:
    """The numbers of panel k, each over its bar, from the panel's left edge `at` on; those in `bold` are bold."""
    rows = np.arange(len(values), dtype=float) if rows is None else np.asarray(rows, float)
    texts = [f"<b>{digits(v)}</b>" if i in bold else digits(v) for i, v in enumerate(values)]
    sketch.scatter(
        mode="text", x=np.full(len(values), float(at)), y=rows + NUMBER_AT, text=texts, textposition="middle right",
        textfont=dict(size=SIZE, color=colour), cliponaxis=False, hoverinfo="skip", xaxis=axis_name("x", k), yaxis="y",
        customdata=np.array(values, float), name="numbers",
    )


def add_masked(sketch: Sketch, k: int, rows, limits, hover, palette: Palette) -> None:
    """A hatched strip across panel k for every key that may not be looked at. Its length says nothing."""
    low, high = limits
    sketch.bar(
        orientation="h", x=np.full(len(rows), high - low), base=np.full(len(rows), low),
        y=np.array(rows, float) + BAR_AT,
        width=BAR, hovertext=hover, hoverinfo="text", xaxis=axis_name("x", k), yaxis="y", name=MASKED,
        marker=dict(
            color="rgba(0,0,0,0)", line=dict(width=1, color=palette.line),
            pattern=dict(shape="/", fgcolor=palette.muted, size=7, solidity=0.22),
        ),
    )
