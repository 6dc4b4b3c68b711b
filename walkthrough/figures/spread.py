"""How far dot products scatter as the vectors get longer: measured points on the lines that theory draws."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from mha_core.spread import Spread
from walkthrough.digits import digits
from walkthrough.figures import base
from walkthrough.palette import Palette

HEIGHT, TICKS = 400, (0.5, 1, 2, 4, 8, 16, 32)


def scatter_of_dots(found: Spread, chosen: int, names: Mapping[str, str], palette: Palette) -> go.Figure:
    """Standard deviation against d_k, both on doubling scales: the bare dot products, and the same divided by √d_k.

    `names` has the texts "bare", "divided", "width" and "height"; the column of the chosen width is marked.
    """
    sketch = base.Sketch(_layout(found, names, palette))
    place = found.widths.index(chosen)
    sketch.shape(type="line", x0=chosen, x1=chosen, y0=0, y1=1, yref="paper", line=dict(color=palette.line, width=16), layer="below")
    ends = {"bare": palette.roles["score"], "divided": palette.roles["weight"]}
    for name, measured, theory in (
        ("bare", found.measured, found.theory), ("divided", found.divided, np.ones(len(found.widths))),
    ):
        colour = ends[name]
        sketch.scatter(
            x=np.array(found.widths, float), y=theory, mode="lines", line=dict(color=base.fade(colour, 0.5), width=3), hoverinfo="skip",
            name=f"{name} theory",
        )
        sketch.scatter(
            x=np.array(found.widths, float), y=measured, mode="markers", name=name, hoverinfo="text",
            hovertext=[f"d_k = {w}<br>{names[name]}<br><b>{digits(m)}</b>" for w, m in zip(found.widths, measured)],
            marker=dict(color=colour, size=[16 if i == place else 10 for i in range(len(measured))], line=dict(width=2, color=palette.background)),
        )
        _name(sketch, names[name], theory, colour)
        _number(sketch, chosen, measured[place], colour)
    return sketch.figure()


def describe_spread(found: Spread, pairs: int, sentence: str) -> str:
    """How far the scatter grows, and between what it stays once divided; `sentence` is the text to fill."""
    return sentence.format(
        pairs=pairs, least=found.widths[0], most=found.widths[-1], first=digits(found.measured[0]), last=digits(found.measured[-1]),
        low=digits(found.divided.min()), high=digits(found.divided.max()),
    )


def _name(sketch, name, theory, colour) -> None:
    """The line's name beside its middle."""
    sketch.note(
        x=np.log10(22.6), y=np.log10(theory[len(theory) // 2]), text=f"<b>{name}</b>", showarrow=False, xanchor="right", xshift=-14,
        yshift=20, font=dict(size=base.SIZE, color=colour),
    )


def _number(sketch, chosen, value, colour) -> None:
    sketch.note(
        x=np.log10(chosen), y=np.log10(value), text=f"<b>{digits(value)}</b>", showarrow=False, yshift=-24,
        font=dict(size=base.SIZE, color=colour),
    )


def _layout(found: Spread, names, palette: Palette) -> dict:
    def axis(values, title, **more):
        return base.bare_axis(
            type="log", showticklabels=True, tickmode="array", tickvals=list(values), ticktext=[f"{v:g}" for v in values],
            title=dict(text=title, font=dict(size=base.SIZE, color=palette.muted)), tickfont=dict(size=base.SMALL, color=palette.muted),
            showgrid=True, gridcolor=base.fade(palette.line, 0.5), automargin=True, **more,
        )

    widths = found.widths
    return base.base_layout(
        palette, HEIGHT, margin=dict(l=20, r=20, t=20, b=20, pad=4),
        xaxis=axis(widths, names["width"], range=[np.log10(widths[0] / 1.5), np.log10(widths[-1] * 1.5)]),
        yaxis=axis(TICKS, names["height"], range=[np.log10(0.4), np.log10(40)]),
    )
