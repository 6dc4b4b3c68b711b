"""A dot product, pair by pair: two numbers, their product, and the sum so far."""

import numpy as np
import plotly.graph_objects as go

from mha_core.attention import score
from mha_core.parts import pair_products
from walkthrough.digits import digits
from walkthrough.figures import base, words
from walkthrough.palette import Palette

SHOWN = 8  # pairs that are drawn one by one; the rest is one row that says how many
PANELS = (("query", "query"), ("key", "key"), ("product", "score"), ("running", "score"))


def dot(q, k, palette: Palette) -> go.Figure:
    """Rows are the pairs of q [d_k] and k [d_k]: query number, key number, product, and the sum so far."""
    q, k = np.array(q, float), np.array(k, float)
    products, total = pair_products(q, k), _score(q, k)
    shown = len(q) if len(q) <= SHOWN else SHOWN - 1
    sums = np.append(0.0, products.cumsum())
    sketch = base.Sketch(_layout(shown, len(q), palette))
    ends = _limits(sketch, (q[:shown], k[:shown]), (products[:shown], sums, [total]))
    for panel, row, colour in ((1, q, palette.roles["query"]), (2, k, palette.roles["key"])):
        hover = [f"{PANELS[panel - 1][0]} number {c + 1}<br><b>{digits(v)}</b>" for c, v in enumerate(row[:shown])]
        base.add_bars(sketch, panel, row[:shown], colour, hover)
        base.add_numbers(sketch, panel, row[:shown], ends[panel - 1][0], colour)
    _products(sketch, q, k, products[:shown], ends[2], palette)
    _staircase(sketch, products, sums, shown, total, ends[3], palette)
    for panel, (name, role) in enumerate(PANELS, 1):
        base.heading(sketch, panel, f"<b>{words.HEADINGS[name]}</b>", palette.roles[role])
        base.zero_line(sketch, panel, shown if panel < 4 else len(sketch.layout["yaxis"]["tickvals"]), palette)
    return sketch.figure()


def describe_dot(q, k) -> str:
    """How many products there are, what they add up to, and which is largest in size."""
    q, k = np.asarray(q, float), np.asarray(k, float)
    products = pair_products(q, k)
    most = int(np.abs(products).argmax())
    return words.SENTENCES["dot"].format(
        count=len(products), score=digits(_score(q, k)), product=digits(products[most]), pair=most + 1
    )


def _score(q, k):
    return float(score(q[None], k[None])[0, 0])


def _layout(shown, width, palette):
    rows = [str(c + 1) for c in range(shown)]
    if shown < width:
        rows.append(words.HEADINGS["more"].format(count=width - shown))
    rows.append(words.HEADINGS["total"])
    axes = {
        base.axis_key("x", k): base.bare_axis(domain=ends, anchor="y")
        for k, ends in enumerate(base.domains([1, 1, 1, 1.25], 0.03), 1)
    }
    return base.base_layout(
        palette, base.TOP + base.BOTTOM + base.ROW * len(rows),
        yaxis=base.rows_axis(rows, ticktext=[*rows[:-1], f"<b>{rows[-1]}</b>"]), **axes
    )


def _limits(sketch, numbers, sums):
    """The query and key panels share one scale, the product and sum panels another."""
    ends = (base.span_of(*numbers),) * 2 + (base.span_of(*sums),) * 2
    for k, reach in enumerate(ends, 1):
        sketch.layout[base.axis_key("x", k)]["range"] = list(reach)
    return ends


def _products(sketch, q, k, products, ends, palette):
    hover = [f"{digits(a)} × {digits(b)} = <b>{digits(p)}</b>" for a, b, p in zip(q, k, products)]
    base.add_bars(sketch, 3, products, base.signed_colours(products, palette), hover)
    base.add_numbers(sketch, 3, products, ends[0], palette.text)


def _staircase(sketch, products, sums, shown, total, ends, palette):
    """Each product begins where the sum so far ended; the folded ones make one step; the last row is the score."""
    reached = sums[1 : shown + 1]
    steps, begin = products[:shown], sums[:shown]
    if shown < len(products):
        steps, begin = np.append(steps, sums[-1] - sums[shown]), np.append(begin, sums[shown])
        reached = np.append(reached, sums[-1])
    hover = [f"{digits(a)} and {digits(s)} make <b>{digits(r)}</b>" for a, s, r in zip(begin, steps, reached)]
    base.add_bars(
        sketch, 4, steps, [base.fade(c, 0.75) for c in base.signed_colours(steps, palette)], hover, base=begin,
        name="steps"
    )
    base.add_numbers(sketch, 4, reached, ends[0], palette.muted)
    last = [len(steps)]
    base.add_bars(sketch, 4, [total], palette.text, [f"score <b>{digits(total)}</b>"], rows=last, name="score")
    base.add_numbers(sketch, 4, [total], ends[0], palette.text, rows=last, bold=(0,))
