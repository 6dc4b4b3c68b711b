"""The output row taken apart again: how much of every number each head brought."""

import numpy as np
import plotly.graph_objects as go

from walkthrough.digits import digits
from walkthrough.figures import base, words
from walkthrough.figures.blend import stacked
from walkthrough.palette import Palette

SHOWN = 8


def head_shares(shares_row, output_row, palette: Palette, bias=None) -> go.Figure:
    """A row a number of the output: the shares [h, d_out] stacked in the heads' hues, the total [d_out] marked.

    The parameters' bias [d_out], where there is one, is one more piece, in grey. Wide rows show their first columns.
    """
    shares_row, output_row = np.array(shares_row, float), np.array(output_row, float)
    h, (shown, width) = len(shares_row), _folded(output_row)
    pieces = shares_row if bias is None else np.vstack((shares_row, np.array(bias, float)))
    pieces, output = pieces[:, :shown], output_row[:shown]
    begin = stacked(pieces)
    sketch = base.Sketch(_layout(begin, pieces, output, width, palette))
    for i, piece in enumerate(pieces):
        name, colour = (_head(i), palette.head(i)) if i < h else (words.HEADINGS["bias"], palette.muted)
        hover = [f"{name}, output number {c + 1}<br>adds <b>{digits(p)}</b>" for c, p in enumerate(piece)]
        _bars(sketch, piece, begin[i], name, colour, hover, palette)
    _totals(sketch, output, palette)
    if shown < width:
        base.footnote(sketch, words.HEADINGS["folded"].format(shown=shown, all=width), palette)
    return sketch.figure()


def describe_shares(shares_row, output_row) -> str:
    """How the output row begins and which head adds most to it."""
    sizes = np.abs(np.asarray(shares_row, float)).sum(axis=1)
    most = int(sizes.argmax())
    return words.SENTENCES["shares"].format(
        row=", ".join(digits(v) for v in np.asarray(output_row, float)[:4]), head=most + 1, length=digits(sizes[most])
    )


def _folded(row):
    return min(SHOWN, len(row)), len(row)


def _head(i):
    return words.HEADINGS["head"].format(number=i + 1)


def _bars(sketch, piece, begin, name, colour, hover, palette):
    sketch.bar(
        orientation="h", x=piece, base=begin, y=np.arange(len(piece), dtype=float), width=0.5, name=name,
        hovertext=hover,
        hoverinfo="text", textposition="none", showlegend=True,
        marker=dict(color=colour, line=dict(width=1, color=palette.background)),
    )


def _totals(sketch, output, palette):
    rows = np.arange(len(output), dtype=float)
    hover = [f"output number {c + 1}<br><b>{digits(v)}</b>" for c, v in enumerate(output)]
    mark = dict(symbol="line-ns", size=20)
    sketch.scatter(
        mode="markers", x=output, y=rows, hoverinfo="skip", name="halo", showlegend=False, cliponaxis=False,
        marker=mark | dict(line=dict(width=8, color=palette.background)),
    )
    sketch.scatter(
        mode="markers", x=output, y=rows, hovertext=hover, hoverinfo="text", name=words.HEADINGS["total_mark"],
        cliponaxis=False,
        marker=mark | dict(line=dict(width=3.5, color=palette.text)), showlegend=True,
    )
    sketch.scatter(
        mode="text", x=np.ones(len(output)), y=rows, xaxis="x2", text=[f"<b>{digits(v)}</b>" for v in output],
        hoverinfo="skip",
        textposition="middle left", textfont=dict(size=base.SIZE, color=palette.text), customdata=output,
        cliponaxis=False,
        name="numbers", showlegend=False,
    )


def _layout(begin, pieces, output, width, palette):
    shown = len(output)
    low, high = base.span_of(begin, begin + pieces, output)
    bottom = base.BOTTOM + 26 * -(-(len(pieces) + 1) // 3) + (30 if shown < width else 0)
    bars, texts = base.domains([0.8, 0.2], 0.03)
    return base.base_layout(
        palette, base.TOP + bottom + 44 * shown, barcornerradius=4, showlegend=True,
        margin=dict(l=34, r=base.SIDE, t=base.TOP, b=bottom, pad=0),
        legend=dict(
            orientation="h", x=0, y=0, xanchor="left", yanchor="top", itemclick=False, itemdoubleclick=False,
            traceorder="normal",
            font=dict(size=base.SIZE), bgcolor="rgba(0,0,0,0)",
        ),
        xaxis=base.bare_axis(
            range=[low, high], domain=bars, zeroline=True, zerolinecolor=palette.line, zerolinewidth=1.5
        ),
        xaxis2=base.bare_axis(range=[0.0, 1.0], domain=texts),
        yaxis=base.rows_axis([str(c + 1) for c in range(shown)], tickfont=dict(size=base.SIZE, color=palette.muted)),
        annotations=[
            _title("shares", 0.0, "left", palette.text), _title("output", 1.0, "right", palette.roles["output"])
        ],
    )


def _title(name, at, anchor, colour):
    return dict(
        text=f"<b>{words.HEADINGS[name]}</b>", x=at, xref="paper", xanchor=anchor, y=1, yref="paper", yanchor="bottom",
        yshift=8,
        showarrow=False, font=dict(size=base.SIZE, color=colour),
    )
