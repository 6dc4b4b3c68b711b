"""Numbers as a function of a size: a few lines over one axis, linear or logarithmic, with the current size marked."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from walkthrough.digits import digits
from walkthrough.figures import base
from walkthrough.figures.labels import escape_phrase
from walkthrough.palette import Palette

HEIGHT, LEGEND_ROW = 330, 28
LIMIT = "longdash"  # the dash of a line that is only a limit: the current size gets no point on it


@dataclass(frozen=True, eq=False)
class Line:
    """One line. `ink` is a role of the palette, "text" or "muted"; lines differ in their dashes too."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    ink: str = "text"
    dash: str = "solid"
    points: bool = False  # measured points beside a line that is computed
    symbol: str = ""  # a sign on every point of the line, so that lines are told apart without their colour


@dataclass(frozen=True)
class Axis:
    """A title, whether it is logarithmic, and for x the places that get a number (all others keep silent)."""

    title: str
    log: bool = False
    ticks: Sequence[float] = ()
    zero: bool = True  # a linear axis begins at 0


def curves(lines: Sequence[Line], x: Axis, y: Axis, palette: Palette, now: float | None = None) -> go.Figure:
    """All lines in one plot; `now` marks one place on x with an upright line and a point on every line that has it."""
    rows = len(lines) if len(lines) > 1 else 0
    low = base.BOTTOM + 52 + LEGEND_ROW * rows
    layout = base.base_layout(
        palette, HEIGHT + low, margin=dict(l=base.SIDE, r=18, t=base.TOP, b=low, pad=0), showlegend=rows > 0,
        legend=dict(
            orientation="v", x=0, y=0, xanchor="left", yanchor="top", yref="paper", itemclick=False,
            itemdoubleclick=False, font=dict(size=base.SIZE), bgcolor="rgba(0,0,0,0)", traceorder="normal",
        ),
        xaxis=_axis(x, [line.x for line in lines], palette, now),
        yaxis=_axis(y, [line.y for line in lines], palette, automargin=True),
    )
    layout["legend"]["y"] = -56 / HEIGHT
    sketch = base.Sketch(layout)
    _headings(sketch, x, y, palette)
    for line in lines:
        _draw(sketch, line, x.title, palette)
    if now is not None:
        _mark(sketch, lines, now, x, palette)
    return sketch.figure()


def describe_curves(lines: Sequence[Line], x_title: str, template: str) -> str:
    """Every line from its first point to its last, said with the sentence `template`."""
    said = (
        template.format(name=line.name, first=digits(line.y[0]), last=digits(line.y[-1]), start=digits(line.x[0]),
                        end=digits(line.x[-1]), axis=x_title)
        for line in lines
    )
    return " ".join(said)


def ink(name: str, palette: Palette) -> str:
    return {"text": palette.text, "muted": palette.muted}.get(name) or palette.roles[name]


def _axis(axis: Axis, columns, palette, now=None, **more) -> dict:
    values = np.concatenate([np.asarray(column, float) for column in columns] + [[now] if now is not None else []])
    if axis.log:
        ends = np.log10([values.min(), values.max()])
        air = 0.04 * max(float(np.ptp(ends)), 0.3)
        reach = [float(ends[0] - air), float(ends[1] + air)]
        ticks = axis.ticks or _powers(values)
    else:
        low, high = float(values.min()), float(values.max())
        air = 0.05 * ((high - min(low, 0.0) if axis.zero else high - low) or 1.0)
        reach = [min(0.0, low) - (air if low < 0 else 0.0) if axis.zero else low - air, high + air]
        ticks = axis.ticks or _even(reach)
    return base.bare_axis(
        type="log" if axis.log else "linear", range=reach, showgrid=True, gridcolor=palette.line, gridwidth=1,
        showticklabels=True, tickmode="array", tickvals=np.array(ticks, float), ticktext=[tick_text(t) for t in ticks],
        tickfont=dict(size=base.SMALL, color=palette.muted), tickangle=0, **more,
    )


def tick_text(value: float) -> str:
    """A place on an axis: 0.01, 512, 10⁶."""
    power = round(float(np.log10(abs(value)))) if value else 0
    if value and abs(power) > 3 and np.isclose(value, 10.0**power):
        return "10" + str(power).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
    return f"{value:,.12g}"


def _powers(values) -> list[float]:
    low, high = np.floor(np.log10(values.min())), np.ceil(np.log10(values.max()))
    step = max(1, round((high - low) / 6))
    return [10.0**k for k in np.arange(low, high + 1, step)]


def _even(reach) -> list[float]:
    """About five round places between two ends."""
    rough = (reach[1] - reach[0]) / 5
    unit = 10.0 ** np.floor(np.log10(rough))
    step = unit * min((1, 2, 5, 10), key=lambda times: abs(times * unit - rough))
    return [float(round(k * step, 12)) for k in range(int(np.ceil(reach[0] / step)), int(np.floor(reach[1] / step)) + 1)]


def _headings(sketch, x, y, palette) -> None:
    font = dict(size=base.SIZE, color=palette.muted)
    sketch.note(
        text=f"<b>{escape_phrase(y.title)}</b>", x=0, xref="paper", xanchor="left", y=1, yref="paper", yanchor="bottom",
        yshift=8, showarrow=False, font=font | dict(color=palette.text),
    )
    sketch.note(
        text=escape_phrase(x.title), x=1, xref="paper", xanchor="right", y=0, yref="paper", yanchor="top", yshift=-26,
        showarrow=False, font=font,
    )


def _draw(sketch, line, x_title, palette) -> None:
    colour = ink(line.ink, palette)
    hover = [
        f"{escape_phrase(line.name)}<br>{escape_phrase(x_title)} {digits(a)}: <b>{digits(b)}</b>"
        for a, b in zip(line.x, line.y)
    ]
    sketch.scatter(
        mode="markers" if line.points else "lines+markers" if line.symbol else "lines", x=np.array(line.x, float), y=np.array(line.y, float),
        name=escape_phrase(line.name), hovertext=hover, hoverinfo="text", showlegend=True, cliponaxis=False,
        line=dict(color=colour, width=3, dash=line.dash), marker=dict(color=colour, size=8 if line.symbol else 9, symbol=line.symbol or "circle-open-dot"),
    )


def _mark(sketch, lines, now, x, palette) -> None:
    sketch.shape(
        type="line", x0=float(now), x1=float(now), y0=0, y1=1, yref="y domain",
        line=dict(color=palette.muted, width=2, dash="dot"), layer="below",
    )
    for line in lines:
        places = np.flatnonzero(np.asarray(line.x, float) == now)
        if not line.points and line.dash != LIMIT and len(places):
            sketch.scatter(
                mode="markers", x=np.array([now], float), y=np.array([line.y[places[0]]], float), hoverinfo="skip",
                showlegend=False, cliponaxis=False, name="now",
                marker=dict(color=ink(line.ink, palette), size=13, symbol=line.symbol or "circle", line=dict(width=2, color=palette.background)),
            )
