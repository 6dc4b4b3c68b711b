"""Who looks at whom: a beam from the asking word on the left to every word that is asked, as bright as the number."""

import numpy as np
import plotly.graph_objects as go

from walkthrough.digits import digits
from walkthrough.figures import base, labels, words
from walkthrough.palette import Palette

KINDS = ("score", "weight")
POINTS, FAINT_POINTS, LEVELS = 25, 13, 4  # corners of one curve; steps of brightness among the beams that stand back
THIN, THICK = 1.5, 18.0  # pixels
DASH = "15px,5px"
LETTER = 9  # pixels of a narrow letter, enough for every digit


def beams(grid, query_labels, key_labels, chosen: int, palette: Palette, kind: str) -> go.Figure:
    """The chosen query's beams strong, with their numbers; those of the other queries faint. kind: "score" or "weight".

    grid is [n_q, n_k], or the chosen query's row [n_k] alone. A weight's beam is measured against 1, a score's
    against the largest score in size. Negative scores are dashed and of the other hue; what is masked or 0 has none.
    """
    grid, row = _checked(grid, chosen, kind)
    strength = _strength(grid, kind)
    sketch = base.Sketch(_layout(query_labels, key_labels, row, chosen, palette))
    for i, level, negative in _faint(grid, strength, chosen):
        _draw_faint(sketch, grid, strength, i, level, negative, palette, kind)
    own = strength if grid.ndim == 1 else strength[chosen]
    for j in np.argsort(own, kind="stable"):
        if own[j] > 0:
            _draw_strong(
                sketch, chosen, int(j), row[j], own[j], _hover(query_labels, key_labels, chosen, j, row[j], kind),
                palette, kind
            )
    _dots(sketch, query_labels, key_labels, row, chosen, palette, kind)
    return sketch.figure()


def describe_beams(grid, query_labels, key_labels, chosen: int, kind: str) -> str:
    """Whom the chosen word looks at most and least."""
    _, row = _checked(grid, chosen, kind)
    seen = np.flatnonzero(~np.isneginf(row))
    most, least = seen[np.argmax(row[seen])], seen[np.argmin(row[seen])]
    masked, negative = len(row) - len(seen), int((row[seen] < 0).sum())
    said = dict(
        query=labels.named(query_labels, chosen), most=labels.named(key_labels, most), most_number=digits(row[most]),
        least=labels.named(key_labels, least), least_number=digits(row[least]),
        negative=f"{words.counted(negative, 'score')} negative" if negative else "none is negative",
    )
    text = words.SENTENCES["beams_alone" if len(seen) == 1 else f"beams_{kind}"].format(**said)
    return text + (words.SENTENCES["beams_masked"].format(hidden=words.counted(masked, "key")) if masked else "")


def _checked(grid, chosen, kind):
    if kind not in KINDS:
        raise ValueError(f"Beams of {kind!r} were asked for; there are beams of {' and of '.join(KINDS)}.")
    grid = np.array(grid, float)
    return grid, grid if grid.ndim == 1 else grid[chosen]


def _strength(grid, kind):
    """0 … 1: how bright and wide each beam is."""
    finite = np.where(np.isfinite(grid), np.abs(grid), 0.0)
    largest = finite.max()
    return finite if kind == "weight" or largest == 0 else finite / largest


def _hue(number, palette, kind):
    return palette.roles["weight"] if kind == "weight" else base.signed_colours([number], palette)[0]


def _curve(i, j, points=POINTS):
    """A soft S from height i on the left to height j on the right."""
    t = np.linspace(0.0, 1.0, points)
    return t, i + (j - i) * t * t * (3 - 2 * t)


def _draw_strong(sketch, i, j, number, strength, hover, palette, kind):
    x, y = _curve(i, j)
    line = dict(
        color=base.fade(_hue(number, palette, kind), 0.3 + 0.6 * strength), width=THIN + (THICK - THIN) * strength,
        dash=DASH if number < 0 else "solid",
    )
    sketch.scatter(
        x=x, y=y, mode="lines", line=line, hovertext=hover, hoverinfo="text", customdata=np.full(POINTS, number),
        name="beam",
        meta=[i, j],
    )


def _faint(grid, strength, chosen):
    """The groups of faint beams to draw: (query rows, level of brightness, negative)."""
    if grid.ndim == 1:
        return
    others = np.array([i for i in range(len(grid)) if i != chosen], int)
    for level in range(LEVELS):
        for negative in (False, True):
            yield others, level, negative


def _draw_faint(sketch, grid, strength, rows, level, negative, palette, kind):
    """All faint beams of one brightness in a single trace, broken by gaps: a long sentence has thousands."""
    level_of = np.minimum((strength * LEVELS).astype(int), LEVELS - 1)
    wanted = (strength[rows] > 0) & (level_of[rows] == level) & ((grid[rows] < 0) == negative)
    pairs = [(rows[a], b) for a, b in np.argwhere(wanted)]
    if not pairs:
        return
    curves = np.full((2, len(pairs), FAINT_POINTS + 1), np.nan, np.float32)  # each ends in a gap
    for at, pair in enumerate(pairs):
        curves[:, at, :-1] = _curve(*pair, FAINT_POINTS)
    share = (level + 0.5) / LEVELS
    line = dict(
        color=base.fade(_hue(-1.0 if negative else 1.0, palette, kind), 0.06 + 0.14 * share), width=1 + 7 * share,
        dash=DASH if negative else "solid",
    )
    sketch.scatter(x=curves[0].ravel(), y=curves[1].ravel(), mode="lines", line=line, hoverinfo="skip", name="faint")


def _dots(sketch, query_labels, key_labels, row, chosen, palette, kind):
    for at, names, role in ((0.0, query_labels, "query"), (1.0, key_labels, "key")):
        colour = palette.roles[role]
        strong = [role == "key" or i == chosen for i in range(len(names))]
        sketch.scatter(
            x=np.full(len(names), at), y=np.arange(len(names), dtype=float), mode="markers", cliponaxis=False,
            hoverinfo="text",
            hovertext=[_dot_hover(query_labels, key_labels, row, chosen, i, role, kind) for i in range(len(names))],
            name=role,
            marker=dict(
                size=12, color=[colour if s else palette.card for s in strong],
                line=dict(width=2, color=[colour if s else base.fade(colour, 0.55) for s in strong]),
            ),
        )
    most = row.argmax()
    sketch.scatter(
        x=np.full(len(row), 1.0), y=np.arange(len(row), dtype=float), mode="markers+text", cliponaxis=False,
        hoverinfo="skip", yaxis="y2",
        marker=dict(size=18, color="rgba(0,0,0,0)"), textposition="middle right", name="numbers", customdata=row.copy(),
        text=[f"<b>{digits(v)}</b>" if j == most else digits(v) for j, v in enumerate(row)],
        textfont=dict(size=base.SIZE, color=[palette.muted if np.isneginf(v) else palette.text for v in row]),
    )


def _dot_hover(query_labels, key_labels, row, chosen, i, role, kind):
    if role == "key":
        return _hover(query_labels, key_labels, chosen, i, row[i], kind)
    return f"query {labels.named_safely(query_labels, i)}"


def _hover(query_labels, key_labels, i, j, number, kind):
    return (
        f"query {labels.named_safely(query_labels, i)}<br>key {labels.named_safely(key_labels, j)}"
        f"<br>{kind} <b>{digits(number)}</b>"
    )


def _layout(query_labels, key_labels, row, chosen, palette):
    n = max(len(query_labels), len(key_labels))
    pitch = max(base.row_height(query_labels), base.row_height(key_labels)) - 4
    room = 24 + LETTER * max(labels.width(digits(v)) for v in row)
    reach = [n - 0.5, -0.5]
    right = base.rows_axis(key_labels, range=reach, side="right", overlaying="y", anchor="x", ticklabelstandoff=room)
    return base.base_layout(
        palette, base.TOP + base.BOTTOM + n * pitch,
        xaxis=base.bare_axis(range=[-0.03, 1.0]),
        yaxis=base.rows_axis(query_labels, chosen, palette.roles["query"], range=reach),
        yaxis2=right, margin=dict(l=58, r=base.SIDE, t=base.TOP, b=base.BOTTOM, pad=0),
        annotations=[_title("query", 0.0, "right", palette), _title("key", 1.0, "left", palette)],
    )


def _title(role, at, anchor, palette):
    return dict(
        text=f"<b>{words.HEADINGS[role]}</b>", x=at, xref="x", xanchor=anchor, xshift=6 if anchor == "right" else -6,
        y=1, yref="paper",
        yanchor="bottom", yshift=8, showarrow=False, font=dict(size=base.SIZE, color=palette.roles[role]),
    )
