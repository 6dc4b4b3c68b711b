"""The positions as waves: a lane for each pair of columns, its sine drawn, its cosine dotted, the words' places marked."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from walkthrough.digits import digits
from walkthrough.figures import base
from walkthrough.figures.labels import escape_phrase
from walkthrough.palette import Palette

LANE, GAP = 92, 44  # pixels of a lane, and of the line of text over it


def waves(P, shown: Sequence[int], n: int, titles: Sequence[str], place: str, palette: Palette) -> go.Figure:
    """P [places, d_model]; `shown` are the sine columns (from 0). The first n places are those of the sentence."""
    P = np.asarray(P, float)
    count, lanes = len(P), len(shown)
    total = lanes * (LANE + GAP)
    sketch = base.Sketch(base.base_layout(
        palette, base.BOTTOM + 44 + total, margin=dict(l=34, r=12, t=4, b=base.BOTTOM + 40, pad=0),
        xaxis=base.bare_axis(
            range=[0.2, count + 0.8], showticklabels=True, tickmode="array", tickvals=_ticks(count), anchor="free",
            ticktext=[str(int(t)) for t in _ticks(count)], position=0.0,
            tickfont=dict(size=base.SMALL, color=palette.muted),
        ),
    ))
    for k, column in enumerate(shown):
        low = 1 - (k + 1) * (LANE + GAP) / total
        sketch.layout[base.axis_key("y", k + 1)] = base.bare_axis(
            domain=[max(0.0, low), low + LANE / total], range=[-1.15, 1.15], showticklabels=True, tickmode="array",
            tickvals=np.array([-1.0, 0.0, 1.0]), ticktext=["−1", "0", "1"], anchor="x",
            tickfont=dict(size=base.SMALL, color=palette.muted),
        )
        _lane(sketch, P, column, n, k + 1, palette)
        sketch.note(
            text=f"<b>{escape_phrase(titles[k])}</b>", x=0, xref="paper", xanchor="left", y=low + LANE / total,
            yref="paper", yanchor="bottom", yshift=4, showarrow=False, font=dict(size=base.SIZE, color=palette.text),
        )
    sketch.note(
        text=escape_phrase(place), x=1, xref="paper", xanchor="right", y=0, yref="paper", yanchor="top", yshift=-22,
        showarrow=False, font=dict(size=base.SIZE, color=palette.muted),
    )
    return sketch.figure()


def _ticks(count: int) -> np.ndarray:
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100) if count / s <= 8)
    return np.array([1, *range(step, count + 1, step)] if step > 1 else range(1, count + 1), float)


def _lane(sketch, P, column, n, k, palette) -> None:
    places, axis = np.arange(1.0, len(P) + 1), base.axis_name("y", k)
    sketch.shape(
        type="line", x0=0.2, x1=len(P) + 0.8, y0=0, y1=0, yref=axis, line=dict(color=palette.line, width=1), layer="below"
    )
    for offset, dash in ((0, "solid"), (1, "dot")):
        if column + offset >= P.shape[1]:
            continue
        wave = P[:, column + offset]
        sketch.scatter(
            mode="lines", x=places, y=wave, yaxis=axis, hoverinfo="text", name=str(column + offset + 1), cliponaxis=False,
            hovertext=[f"{column + offset + 1} · {int(p)}: <b>{digits(v)}</b>" for p, v in zip(places, wave)],
            line=dict(color=palette.text if not offset else palette.muted, width=2.5, dash=dash),
        )
        sketch.scatter(
            mode="markers", x=places[:n], y=wave[:n], yaxis=axis, hoverinfo="skip", name="words", cliponaxis=False,
            marker=dict(color=palette.signed[2], size=9 if not offset else 7, symbol="circle" if not offset else "circle-open"),
        )
