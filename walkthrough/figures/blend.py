"""A new row out of value rows: each value row times its weight, laid on top of each other column by column."""

import numpy as np
import plotly.graph_objects as go

from mha_core.parts import weighted_rows
from walkthrough.digits import digits
from walkthrough.figures import base, labels, words
from walkthrough.palette import Palette

SHOWN = 8  # columns that are drawn; the rest is said, not drawn
PITCH, WIDE = 2.35, 0.62  # distance of two rows in units of the largest value; width of a standing bar in columns
STAGGER_FROM = 5  # columns from which the numbers under the new row stand on two levels
TALL, LESS_TALL = 78, 62  # pixels of a row in a short and in a long sentence
NEW_ROW = 1.25  # how much further down the new row stands


def blend(weights_row, V, names, result, palette: Palette) -> go.Figure:
    """Left the weights [n_k], right the value rows [n_k, d_v], outlined, filled to their weight, below the sum [d_v].

    In the sum each piece keeps the tint of its word: the more weight, the stronger. All bars share one scale.
    """
    weights_row, V, result = (np.array(a, float) for a in (weights_row, V, result))
    shown = min(SHOWN, V.shape[1])
    parts = weighted_rows(weights_row, V)[:, :shown]
    unit = float(np.abs(np.concatenate((V[:, :shown].ravel(), result[:shown]))).max()) or 1.0
    levels = -unit * PITCH * np.append(np.arange(len(names)), len(names) - 1 + NEW_ROW)
    sketch = base.Sketch(_layout(names, levels, unit, (shown, V.shape[1]), palette))
    _weights(sketch, weights_row, names, levels, unit, palette)
    _outlines(sketch, V[:, :shown], names, levels, palette)
    _pieces(sketch, weights_row, V, parts, names, levels, palette)
    _new_row(sketch, result[:shown], levels[-1], unit, palette)
    _headings(sketch, shown, V.shape[1], levels, unit, palette)
    return sketch.figure()


def describe_blend(weights_row, V, names, result) -> str:
    """Whose value row the new row is mostly made of."""
    weights_row = np.asarray(weights_row, float)
    most = int(weights_row.argmax())
    return words.SENTENCES["blend"].format(
        n=len(weights_row), weight=digits(weights_row[most]), most=labels.named(names, most),
        row=", ".join(digits(v) for v in np.asarray(result, float)[:4]),
    )


def tint(weight: float, largest: float) -> float:
    """How strong the colour of a word's pieces is."""
    return 0.22 + 0.78 * weight / largest if largest > 0 else 1.0


def stacked(parts):
    """Where each piece of a signed stack [pieces, columns] begins: positive ones pile up, negative ones pile down."""
    up, down = np.maximum(parts, 0).cumsum(axis=0), np.minimum(parts, 0).cumsum(axis=0)
    return np.where(parts >= 0, up, down) - parts


def _layout(names, levels, unit, size, palette):
    shown, width = size
    pixels = _pitch(names) / (unit * PITCH)
    low = levels[-1] - unit * 1.25
    left, right = base.domains([0.24, 0.76], 0.05)
    ticks = [*labels.ticks(names), f"<b>{words.HEADINGS['sum']}</b>"]
    reach = [low, unit * 1.15]
    bottom = (58 if shown >= STAGGER_FROM else 36) + (28 if shown < width else 0)
    return base.base_layout(
        palette, round(base.TOP + 22 + bottom + pixels * (reach[1] - reach[0])),
        margin=dict(l=base.SIDE, r=base.SIDE + 10, t=base.TOP + 22, b=bottom, pad=0), barcornerradius=3,
        xaxis=base.bare_axis(domain=left, range=[0.0, 1.0], anchor="y"),
        xaxis2=base.bare_axis(
            domain=right, range=[-0.5, shown - 0.5], anchor="y", side="top", showticklabels=True, tickmode="array",
            tickvals=np.arange(shown, dtype=float), ticktext=[str(c + 1) for c in range(shown)],
            tickfont=dict(size=base.SMALL, color=palette.muted),
        ),
        yaxis=base.rows_axis(names, range=reach, tickvals=levels, ticktext=ticks),
    )


def _pitch(names):
    """Pixels from one row to the next."""
    return max(base.row_height(names), TALL if len(names) <= 8 else LESS_TALL)


def _weights(sketch, weights_row, names, levels, unit, palette):
    row = unit * PITCH
    bar = base.BAR * base.ROW / _pitch(names)
    low, high = levels[:-1] - row * (0.14 + bar / 2), levels[:-1] - row * (0.14 - bar / 2)
    for a, b in zip(low, high):
        sketch.shape(
            type="rect", x0=0, x1=1, y0=a, y1=b, line=dict(width=0), fillcolor=base.fade(palette.line, 0.45),
            layer="below"
        )
    sketch.bar(
        orientation="h", x=weights_row, y=(low + high) / 2, width=row * bar, marker=dict(color=palette.roles["weight"]),
        hoverinfo="text", textposition="none", name="weights",
        hovertext=[
            f"key {labels.named_safely(names, j)}<br>weight <b>{digits(w)}</b>" for j, w in enumerate(weights_row)
        ],
    )
    sketch.scatter(
        mode="text", x=np.zeros(len(names)), y=levels[:-1] + row * 0.14, text=[digits(w) for w in weights_row],
        textposition="middle right", textfont=dict(size=base.SIZE, color=palette.text), cliponaxis=False,
        hoverinfo="skip",
        customdata=weights_row, name="numbers",
    )


def _outlines(sketch, V, names, levels, palette):
    n, shown = V.shape
    colour = palette.roles["value"]
    sketch.bar(
        x=np.tile(np.arange(shown, dtype=float), n), y=V.ravel(), base=np.repeat(levels[:-1], shown), width=WIDE,
        xaxis="x2",
        marker=dict(color=base.fade(colour, 0.07), line=dict(width=1, color=base.fade(colour, 0.45))), hoverinfo="skip",
        textposition="none", name="values",
    )
    for level in levels:
        sketch.shape(
            type="line", x0=-0.5, x1=shown - 0.5, y0=level, y1=level, xref="x2",
            line=dict(color=palette.line, width=1), layer="below"
        )


def _pieces(sketch, weights_row, V, parts, names, levels, palette):
    """One trace a word: its pieces beside its name, and the same pieces again in the sum."""
    begin, columns = stacked(parts), np.arange(parts.shape[1], dtype=float)
    for j, piece in enumerate(parts):
        hover = [
            f"{labels.named_safely(names, j)}, column {c + 1}"
            f"<br>{digits(weights_row[j])} × {digits(V[j, c])} = <b>{digits(p)}</b>"
            for c, p in enumerate(piece)
        ]
        sketch.bar(
            x=np.tile(columns, 2), y=np.tile(piece, 2),
            base=np.concatenate((np.full(len(piece), levels[j]), levels[-1] + begin[j])),
            width=WIDE, xaxis="x2", hovertext=hover * 2, hoverinfo="text", textposition="none", name="parts", meta=j,
            marker=dict(
                color=base.fade(palette.roles["value"], tint(weights_row[j], weights_row.max())),
                line=dict(width=[0.0] * len(piece) + [0.7] * len(piece), color=palette.background),
            ),
        )


def _new_row(sketch, result, level, unit, palette):
    columns = np.arange(len(result), dtype=float)
    sketch.scatter(
        mode="markers", x=columns, y=level + result, xaxis="x2", customdata=result, name="result", hoverinfo="text",
        hovertext=[f"new row, column {c + 1}<br><b>{digits(v)}</b>" for c, v in enumerate(result)], cliponaxis=False,
        marker=dict(symbol="line-ew", size=9, line=dict(width=3, color=palette.text)),
    )
    many = len(result) >= STAGGER_FROM
    for c, v in enumerate(result):
        sketch.note(
            text=digits(v) if many else f"<b>{digits(v)}</b>", x=c, xref="x2", y=level - unit * 1.25, yref="y",
            yanchor="top", showarrow=False,
            yshift=-22 * (c % 2) if many else 0, font=dict(size=base.SMALL if many else base.SIZE, color=palette.text),
        )


def _headings(sketch, shown, width, levels, unit, palette):
    for k, name, role in ((1, "share", "weight"), (2, "parts", "value")):
        base.heading(sketch, k, f"<b>{words.HEADINGS[name]}</b>", palette.roles[role], lift=28)
    if shown < width:
        base.footnote(sketch, words.HEADINGS["folded"].format(shown=shown, all=width), palette)
    between = (levels[-2] + levels[-1]) / 2
    sketch.shape(
        type="line", x0=0, x1=1, xref="paper", y0=between, y1=between, line=dict(color=palette.text, width=1.5),
        layer="below"
    )
