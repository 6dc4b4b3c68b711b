"""Two arrows and what their dot product says: same direction, right angle, opposite."""

import numpy as np
import plotly.graph_objects as go

from mha_core.attention import score
from walkthrough.digits import digits
from walkthrough.figures import base, words
from walkthrough.palette import Palette

HEIGHT = 260
NEARLY = 1e-9  # a cosine this small is a right angle to every eye


def two_arrows(q, k, palette: Palette) -> go.Figure:
    """q and k, two numbers each, as arrows from one origin in query and key colour; below, their dot product."""
    q, k = _checked(q), _checked(k)
    reach = 1.4 * float(np.abs(np.concatenate((q, k))).max() or 1.0)
    sketch = base.Sketch(_layout(reach, palette))
    _angle(sketch, q, k, reach, palette)
    for row, role in ((k, "key"), (q, "query")):
        colour = palette.roles[role]
        sketch.scatter(
            x=np.array([0.0, row[0]]), y=np.array([0.0, row[1]]), mode="lines+markers",
            line=dict(color=colour, width=10 if role == "key" and _close(q, k) else 5),
            marker=dict(
                symbol=["circle", "arrow" if row.any() else "circle"],
                size=[0, 26 if role == "key" and _close(q, k) else 18], angleref="previous", color=colour, opacity=1,
                line=dict(width=0)
            ),
            hovertext=["", f"{role}<br>({digits(row[0])}, {digits(row[1])})"], hoverinfo="text", cliponaxis=False,
            name=role,
        )
        sketch.note(**_label(row, role, q, k, palette))
    sketch.note(
        text=f"q · k = <b>{digits(_score(q, k))}</b>", x=0.5, xref="paper", y=0, yref="paper", yanchor="top", yshift=-4,
        showarrow=False, font=dict(size=base.SIZE + 2, color=palette.text), name="score",
    )
    return sketch.figure()


def describe_pair(q, k) -> str:
    """Same way, right angle or opposite, and the dot product."""
    q, k = _checked(q), _checked(k)
    product, lengths = _score(q, k), float(np.linalg.norm(q) * np.linalg.norm(k))
    if lengths == 0:
        return words.SENTENCES["pair_nothing"]
    kind = "right" if abs(product) <= NEARLY * lengths else "same" if product > 0 else "opposite"
    return words.SENTENCES[f"pair_{kind}"].format(score=digits(product))


def _checked(row):
    row = np.array(row, float)
    if row.shape != (2,):
        raise ValueError(f"An arrow on a page has two numbers; this one has shape {row.shape}.")
    return row


def _score(q, k):
    return float(score(q[None], k[None])[0, 0])


def _label(row, role, q, k, palette):
    """The name beyond the arrow's end, pushed aside where both arrows point the same way."""
    length = np.hypot(*row)
    out = row / length if length else np.array([0.0, 1.0])
    left_of_key = q[1] * k[0] - q[0] * k[1] >= 0
    aside = np.array([-out[1], out[0]]) * (1 if left_of_key == (role == "query") else -1)
    shift = aside * 24 if _close(q, k) else out * 20
    return dict(
        x=row[0], y=row[1], text=f"<b>{words.HEADINGS[role]}</b>", showarrow=False, xshift=shift[0] * 1.6,
        yshift=shift[1],
        font=dict(size=base.SIZE, color=palette.roles[role]),
    )


def _close(q, k):
    """Whether the arrows all but cover each other."""
    return float(q @ k) > 0.93 * float(np.linalg.norm(q) * np.linalg.norm(k))


def _angle(sketch, q, k, reach, palette):
    """A thin arc from one arrow to the other."""
    if not (q.any() and k.any()):
        return
    start, end = np.arctan2(q[1], q[0]), np.arctan2(k[1], k[0])
    turn = (end - start + np.pi) % (2 * np.pi) - np.pi
    at = start + turn * np.linspace(0.0, 1.0, 40)
    radius = 0.22 * reach
    sketch.scatter(
        x=radius * np.cos(at), y=radius * np.sin(at), mode="lines", line=dict(color=palette.muted, width=2),
        hoverinfo="skip", name="angle"
    )


def _layout(reach, palette):
    axis = dict(zeroline=True, zerolinecolor=palette.line, zerolinewidth=1.5, range=[-reach, reach])
    return base.base_layout(
        palette, HEIGHT, margin=dict(l=base.SIDE, r=base.SIDE, t=base.SIDE, b=40, pad=0), xaxis=base.bare_axis(**axis),
        yaxis=base.bare_axis(scaleanchor="x", scaleratio=1, **axis),
    )
