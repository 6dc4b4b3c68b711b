"""One query's row on its way from scores to weights, and what the divisor does to it."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from walkthrough.digits import digits
from walkthrough.figures import base, words
from walkthrough.figures.labels import escape_phrase, named, named_safely
from walkthrough.palette import Palette

WITH_MASK = (0.85, 1.3, 0.85)  # a masked score is a long text: how three panels share the room then


def row_to_weights(raw, scaled, masked, weights, labels, chosen: int | None, palette: Palette) -> go.Figure:
    """Three panels, a row a key: the scores, the same divided (and masked), the weights that add up to 1.

    All arrays are one query's row [n_k]; masked may be None. `chosen` marks the query's own word, if it is a key.
    """
    raw, scaled, weights = (np.array(a, float) for a in (raw, scaled, weights))
    masked = scaled if masked is None else np.array(masked, float)
    hidden = np.flatnonzero(np.isneginf(masked))
    sketch, limits = _panels(
        labels, chosen, palette, (base.span_of(raw, scaled),) * 2 + ((0.0, 1.0),), WITH_MASK if len(hidden) else None
    )
    hover = [[_hover(labels, j, title, row[j]) for j in range(len(labels))]
             for title, row in (("score", raw), ("scaled", masked), ("weight", weights))]
    for k, row in ((1, raw), (2, masked)):
        base.add_bars(sketch, k, row, base.signed_colours(row, palette), hover[k - 1])
        base.add_numbers(
            sketch, k, row, limits[k - 1][0], [palette.muted if j in hidden else palette.text for j in range(len(row))]
        )
    if len(hidden):
        words_hidden = [f"{hover[1][j]}<br>scaled score {digits(scaled[j])}, before the mask" for j in hidden]
        base.add_masked(sketch, 2, hidden, limits[1], words_hidden, palette)
    _weights_panel(sketch, 3, weights, hover[2], palette)
    for k, (name, role) in enumerate(
        (("score", "score"), ("masked" if len(hidden) else "scaled", "score"), ("weight", "weight")), 1
    ):
        base.heading(sketch, k, f"<b>{words.HEADINGS[name]}</b>", palette.roles[role])
    return sketch.figure()


def divisors(rows: Mapping[str, np.ndarray], labels, palette: Palette, chosen: int | None = None) -> go.Figure:
    """The weights of one query under several divisors, side by side: a panel for each name in `rows`, in that order."""
    sketch, _ = _panels(labels, chosen, palette, ((0.0, 1.0),) * len(rows))
    heads = ["<br>".join(map(escape_phrase, base.two_lines(name))) for name in rows]
    if any("<br>" in head for head in heads):
        base.raise_top(sketch, base.LINE)
    for k, (name, weights) in enumerate(rows.items(), 1):
        hover = [f"{_hover(labels, j, 'weight', w)}<br>{escape_phrase(name)}" for j, w in enumerate(weights)]
        _weights_panel(sketch, k, np.array(weights, float), hover, palette)
        base.heading(sketch, k, f"<b>{heads[k - 1]}</b>", palette.roles["weight"])
    return sketch.figure()


def describe_row(raw, scaled, masked, weights, labels) -> str:
    """What the row shows, in a sentence or two."""
    weights = np.asarray(weights, float)
    most, least = int(np.argmax(weights)), int(np.argmin(weights))
    hidden = 0 if masked is None else int(np.isneginf(masked).sum())
    said = {
        "most": named(labels, most), "weight": digits(weights[most]), "score": digits(raw[most]),
        "scaled": digits(scaled[most])
    }
    if len(weights) == 1:
        return words.SENTENCES["row_alone"].format(**said)
    text = words.SENTENCES["row"].format(**said)
    if np.ptp(weights) == 0:
        text = words.SENTENCES["row_equal"].format(n=len(weights), weight=digits(weights[0]))
    elif not hidden:
        text += words.SENTENCES["row_least"].format(least=named(labels, least), weight=digits(weights[least]))
    return text + (words.SENTENCES["row_masked"].format(hidden=words.counted(hidden, "key")) if hidden else "")


def describe_divisors(rows: Mapping[str, np.ndarray], labels) -> str:
    """How sharp each divisor leaves the row: the largest weight of each."""
    tops = [(name, np.asarray(w, float)) for name, w in rows.items()]
    return words.SENTENCES["divisors"].format(
        tops="; ".join(f"{name}: {digits(w.max())} on {named(labels, int(w.argmax()))}" for name, w in tops)
    )


def _panels(labels, chosen, palette, limits, shares=None):
    """An empty figure with a row a key and a panel for each pair of limits."""
    n, height = len(labels), base.row_height(labels)
    sketch = base.Sketch(base.base_layout(palette, base.TOP + base.BOTTOM + n * height))
    for k, (ends, reach) in enumerate(zip(base.domains(shares or [1] * len(limits), 0.035), limits), 1):
        sketch.layout[base.axis_key("x", k)] = base.bare_axis(domain=ends, range=list(reach), anchor="y")
        base.zero_line(sketch, k, n, palette)
    sketch.layout["yaxis"] = base.rows_axis(labels, chosen, anchor="x")
    return sketch, limits


def _weights_panel(sketch, k, weights, hover, palette):
    base.full_track(sketch, k, len(weights), palette)
    base.add_bars(sketch, k, weights, palette.roles["weight"], hover)
    most = largest_of(weights)
    base.add_numbers(sketch, k, weights, 0.0, palette.text, bold=set(most) if len(most) < len(weights) else ())


def largest_of(weights) -> list[int]:
    """The place of the largest number, and of every other one that is written just the same."""
    return [j for j, weight in enumerate(weights) if digits(weight) == digits(np.max(weights))]


def _hover(labels, j, title, number):
    return f"key {named_safely(labels, j)}<br>{title} <b>{digits(number)}</b>"
