"""Words as arrows from one origin, on a page or in a room."""

from collections import Counter
from html import unescape

import numpy as np
import plotly.graph_objects as go

from walkthrough.digits import digits
from walkthrough.figures import base, labels, words
from walkthrough.figures.placing import place_labels
from walkthrough.palette import Palette

HEIGHT, EDGE = 440, 26
HEADS_SHOWN = 0.09  # length of an arrow's head in the room, as a share of the room's size


def arrows(rows, names, chosen: int, palette: Palette, dims: int = 2) -> go.Figure:
    """Row i of `rows` [n, dims] as an arrow from the origin, the chosen word's strong; dims is 2 or 3.

    Longer rows are projected first (mha_core.projection). Arrows that end at one point keep a label each.
    """
    rows = np.array(rows, float)
    if dims not in (2, 3) or rows.ndim != 2 or rows.shape[1] != dims:
        raise ValueError(
            f"Arrows in {dims} dimensions need rows of {dims} numbers (2 or 3); these have shape {rows.shape}."
        )
    return (_on_a_page if dims == 2 else _in_a_room)(rows, names, chosen, palette)


def describe_arrows(rows, names, chosen: int) -> str:
    """Which arrow is longest, where the chosen one points, and which ones coincide."""
    rows = np.array(rows, float)
    lengths = np.linalg.norm(rows, axis=1)
    longest = int(lengths.argmax())
    text = words.SENTENCES["arrows"].format(
        n=len(rows), longest=labels.named(names, longest), length=digits(lengths[longest])
    )
    place = f"({', '.join(digits(v) for v in rows[chosen])})"
    text += words.SENTENCES["arrows_chosen"].format(chosen=labels.named(names, chosen), place=place)
    for same in _coinciding(rows):
        if len(same) > 1:
            text += words.SENTENCES["arrows_same"].format(same=" and ".join(labels.named(names, i) for i in same))
    return text


def _coinciding(rows):
    """Indices of arrows that end at the same point, grouped, each group in order."""
    size = np.abs(rows).max() or 1.0
    groups: dict[tuple, list[int]] = {}
    for i, point in enumerate(np.round(rows / size, 6) + 0.0):
        groups.setdefault(tuple(point.tolist()), []).append(i)
    return list(groups.values())


def _text(names, i, repeated):
    """The word, and its place where the sentence has it more than once."""
    text = "<br>".join(labels.escape_phrase(line) for line in labels.lines(names[i]))
    return f"{text}<sub>{i + 1}</sub>" if repeated[names[i]] > 1 else text


def _hover(names, rows, i):
    return f"{labels.named_safely(names, i)}<br>({', '.join(digits(v) for v in rows[i])})"


def _order(n, chosen):
    """The chosen one last, so that it lies on top."""
    return [i for i in range(n) if i != chosen] + [chosen]


def _on_a_page(rows, names, chosen, palette):
    reach = [_reach(rows[:, axis]) for axis in (0, 1)]
    sketch = base.Sketch(_page_layout(reach, palette))
    for i in _order(len(rows), chosen):
        strong = i == chosen
        colour = palette.text if strong else palette.muted
        sketch.scatter(
            x=np.array([0.0, rows[i, 0]]), y=np.array([0.0, rows[i, 1]]), mode="lines+markers", cliponaxis=False,
            line=dict(color=colour, width=4.5 if strong else 2.5), hovertext=["", _hover(names, rows, i)],
            hoverinfo="text",
            marker=dict(
                symbol=["circle", "arrow" if rows[i].any() else "circle"], size=[0, 17 if strong else 13],
                angleref="previous",
                color=colour, opacity=1, line=dict(width=0),
            ),
            name="arrow", meta=i,
        )
    repeated = Counter(names)
    texts = [_text(names, i, repeated) for i in range(len(rows))]
    sizes = [_size(text) for text in texts]
    for i, way in enumerate(place_labels(rows, sizes, reach, HEIGHT - 2 * EDGE)):
        sketch.note(**_label(rows[i], texts[i], way, i == chosen, palette))
    return sketch.figure()


def _label(point, text, way, strong, palette):
    """A word near the end of its arrow, with a thin line to it where it stands further off."""
    far = np.hypot(*way) > 34
    return dict(
        x=point[0], y=point[1], ax=way[0], ay=way[1], axref="pixel", ayref="pixel", showarrow=True, arrowhead=0,
        arrowwidth=1, arrowcolor=base.fade(palette.muted, 0.5 if far else 0.0), standoff=6, borderpad=1,
        text=f"<b>{text}</b>" if strong else text, bgcolor=base.fade(palette.background, 0.75),
        font=dict(size=base.SIZE, color=palette.text if strong else palette.muted),
    )


def _size(text):
    """About how many pixels wide and high a label is."""
    lines = unescape(text.replace("<sub>", "").replace("</sub>", "")).split("<br>")
    return max(map(labels.width, lines)) * 9 + 8, len(lines) * 20 + 4


def _reach(values):
    """A range that holds 0 and every end point, with air; never empty."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    air = 0.16 * (high - low) or 1.0
    return [low - air, high + air]


def _page_layout(reach, palette):
    axis = dict(zeroline=True, zerolinecolor=palette.line, zerolinewidth=1.5, constrain="range")
    return base.base_layout(
        palette, HEIGHT, margin=dict(l=EDGE, r=EDGE, t=EDGE, b=EDGE, pad=0),
        xaxis=base.bare_axis(range=reach[0], **axis),
        yaxis=base.bare_axis(range=reach[1], scaleanchor="x", scaleratio=1, **axis),
    )


def _in_a_room(rows, names, chosen, palette):
    sketch = base.Sketch(_room_layout(rows, palette))
    _axes(sketch, sketch.layout["scene"]["xaxis"]["range"][1], palette)
    for i in _order(len(rows), chosen):
        strong = i == chosen
        colour = palette.text if strong else palette.muted
        line = np.vstack((np.zeros(3), rows[i]))
        sketch.add(
            "scatter3d",
            x=line[:, 0], y=line[:, 1], z=line[:, 2], mode="lines", line=dict(color=colour, width=8 if strong else 4),
            name="arrow",
            hoverinfo="text", hovertext=_hover(names, rows, i), meta=i,
        )
    _cones(sketch, rows, chosen, palette)
    repeated = Counter(names)
    for same in _coinciding(rows):
        strong = chosen in same
        texts = [f"<b>{_text(names, i, repeated)}</b>" if i == chosen else _text(names, i, repeated) for i in same]
        point = _beyond(rows[same[0]], rows)
        sketch.add(
            "scatter3d",
            x=point[:1], y=point[1:2], z=point[2:], mode="text", text=[", ".join(texts)], name="label",
            textposition="middle center",
            textfont=dict(size=base.SIZE + 1, color=palette.text if strong else palette.muted), hoverinfo="text",
            meta=same,
            hovertext=["<br>".join(_hover(names, rows, i) for i in same)],
        )
    return sketch.figure()


def _beyond(point, rows):
    """A place for a label a little further out than the arrow goes."""
    length = np.linalg.norm(point)
    away = np.array([0.0, 0.0, 1.0]) if length == 0 else point / length
    return point + away * 0.13 * (np.abs(rows).max() or 1.0)


def _axes(sketch, size, palette):
    """Three thin lines that cross in the origin."""
    ends = np.array([-size, size])
    for k in range(3):
        line = {letter: ends if k == m else np.zeros(2) for m, letter in enumerate("xyz")}
        sketch.add(
            "scatter3d", **line, mode="lines", line=dict(color=palette.line, width=3), hoverinfo="skip", name="axis"
        )


def _cones(sketch, rows, chosen, palette):
    """The arrows' heads: one cone at every end, of one size."""
    size = np.abs(rows).max() or 1.0
    lengths = np.linalg.norm(rows, axis=1)
    for strong in (False, True):
        some = [i for i in range(len(rows)) if (i == chosen) == strong and lengths[i] > 0]
        if some:
            colour = palette.text if strong else palette.muted
            along = rows[some] / lengths[some, None]
            sketch.add(
                "cone",
                x=rows[some, 0], y=rows[some, 1], z=rows[some, 2], u=along[:, 0], v=along[:, 1], w=along[:, 2],
                anchor="tip",
                sizemode="raw", sizeref=float(size * HEADS_SHOWN * (1.3 if strong else 1)),
                colorscale=[[0, colour], [1, colour]],
                cmin=0, cmax=1, showscale=False, hoverinfo="skip", name="heads",
                lighting=dict(ambient=1, diffuse=0, specular=0, fresnel=0),
            )


def _room_layout(rows, palette):
    size = float(np.abs(rows).max() or 1.0) * 1.15
    axis = dict(
        range=[-size, size], autorange=False, showgrid=False, showbackground=False, showticklabels=False, ticks="",
        title=dict(text=""),
        zeroline=False, showspikes=False, showline=False,
    )
    return base.base_layout(
        palette, HEIGHT, margin=dict(l=0, r=0, t=0, b=0, pad=0), dragmode="orbit",
        scene=dict(
            xaxis=axis, yaxis=axis, zaxis=axis, aspectmode="cube", bgcolor="rgba(0,0,0,0)",
            camera=dict(eye=dict(x=0.95, y=1.05, z=0.55)),
        ),
    )
