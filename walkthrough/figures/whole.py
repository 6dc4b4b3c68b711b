"""The whole of multi-head attention for one sentence, on one canvas of its real grids. Every part opens its step."""

from html import escape

import numpy as np

from mha_core.attention import AttentionTrace
from walkthrough.figures import svg

FULL_LANES = 3  # up to so many heads are drawn in full; with more, the chosen one is, and the others by their weights
TOP, HEADER = 30, 32
LEADER = 34  # room for the lines between words and rows


class Canvas:
    """What the picture of one walk shares: cell size, colour limits, the chosen row, and the parts drawn so far."""

    def __init__(self, trace: AttentionTrace, tokens, word: int, head: int, names, percent):
        self.trace, self.tokens, self.word, self.head = trace, tokens, word, head
        self.names, self.percent = names, percent  # texts of the catalogue; a weight in words
        n = len(trace.X)
        self.size = 24 if n <= 4 else 19 if n <= 12 else max(4.5, 230 / n)
        self.rows = n * self.size
        self.parts: list[str] = []

    def css(self, head: int, plain: str = "band") -> str:
        """How a part of this head is drawn: that of the chosen head is lit."""
        return f"{plain} lit" if head == self.head else plain

    def row(self, middle: float) -> float:
        """The height of the chosen word's row in a grid with this middle."""
        return middle - self.rows / 2 + (self.word + 0.5) * self.size

    def thread(self, x1: float, middle_1: float, x2: float, middle_2: float) -> None:
        """The way of the chosen word through the chosen head: from its row in one grid to its row in the next."""
        colour = f"--mha-head-{self.head % 8 + 1}"
        self.parts.append(svg.band(x1, self.row(middle_1), x2, self.row(middle_2), colour, "thread"))

    def limit(self, field: str) -> float:
        values = getattr(self.trace, field)
        return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))

    def columns(self, field: str, width: int, keep: int) -> list[int]:
        """Which columns are drawn: all keys; of the heads side by side the first ones of each head; else the first and last."""
        if field in ("weights", "scores") or width <= keep + 1:
            return list(range(width))
        h, d_v = self.trace.parameters.h, self.trace.parameters.d_v
        if field != "concat" or h == 1 or h > 12:
            return svg.fold(width, keep)
        each = [list(range(i * d_v, i * d_v + min(d_v, max(1, keep // h)))) for i in range(h)]
        return [c for i, band in enumerate(each) for c in ([-1] if i and len(band) < d_v else []) + band]

    def bars(self, columns: list[int]) -> str:
        """Under each column of the concatenation a bar in the hue of the head that wrote it."""
        d_v, y = self.trace.parameters.d_v, self.rows + 4
        return "".join(
            f'<rect x="{k * self.size:g}" y="{y:g}" width="{self.size:g}" height="4" style="fill:var(--mha-head-{c // d_v % 8 + 1})"/>'
            for k, c in enumerate(columns) if c >= 0
        )

    def draw(self, field, x, y, page, head=None, keep=7):
        """One titled grid that links to its step; returns its right edge and its middle."""
        values, size = getattr(self.trace, field), self.size
        values = values if head is None else values[head]
        kind = "weight" if field == "weights" else "signed"
        columns = self.columns(field, values.shape[1], keep)
        body, width, height = svg.grid(values, size, 1.0 if kind == "weight" else self.limit(field), kind, columns)
        body += self.bars(columns) if field == "concat" else ""
        colour = "var(--mha-text)" if head is None else f"var(--mha-head-{head % 8 + 1})"
        mark = "" if head is None else str(head + 1)
        title = (
            f'<text class="title" y="-8" style="fill:{colour}">{svg.symbol(self.names[field] + ("_" + mark if mark else ""))}'
            f'<tspan class="shape" dx="6" dy="{"-0.3em" if mark else 0}">{values.shape[0]} × {values.shape[1]}</tspan></text>'
        )
        ring = (
            f'<rect class="{self.css(self.head if head is None else head, "ring")}" x="-2" y="{self.word * size - 2:g}" width="{width + 3:g}" height="{size + 3:g}" rx="4"'
            f' style="stroke:{colour}"/>'
        )
        label = f"{self.names[field]} {mark}: {values.shape[0]} × {values.shape[1]}. {self.names['opens']} {self.names[page]}"
        self.parts.append(svg.moved(x, y, svg.link(page, label, title + body + ring)))
        return x + width, y + height / 2


def whole(trace: AttentionTrace, tokens, word: int, head: int, names, percent) -> str:
    """The picture as one SVG string. `names` holds the texts; `percent` writes a weight; word and head count from 0."""
    canvas = Canvas(trace, tokens, word, head, names, percent)
    h = trace.parameters.h
    lanes = list(range(h)) if h <= FULL_LANES else [head]
    lane_height = 3 * (canvas.rows + HEADER) + 44
    small = _gallery_size(canvas) if len(lanes) < h else (0, 0, 0)
    bottom = TOP + len(lanes) * lane_height + (small[2] + 56 if small[2] else 0)
    middle = TOP + len(lanes) * lane_height / 2
    x_right, y_x = _sentence(canvas, middle)
    right, joins = x_right, []
    for place, lane in enumerate(lanes):
        edge, y_out = _lane(canvas, lane, x_right, y_x, TOP + place * lane_height)
        right, joins = max(right, edge), [*joins, (lane, edge, y_out)]
    if small[2]:
        _gallery(canvas, [i for i in range(h) if i not in lanes], x_right, bottom - small[2] - 20, small)
    width = _end(canvas, right, middle, joins)
    return _frame(canvas, width, max(bottom, middle + canvas.rows), _describe(canvas))


def _sentence(canvas: Canvas, middle: float) -> tuple[float, float]:
    """The words at the left, each at its row of X; where the rows are too close for words, a line leads from one to the other."""
    top, left, n = middle - canvas.rows / 2, _margin(canvas), len(canvas.tokens)
    pitch = max(canvas.size, min(15.0, 2 * (middle - TOP) / n))
    is_wider = pitch > canvas.size
    right = left - (LEADER if is_wider else 10)
    for i, token in enumerate(canvas.tokens):
        css = ("word tight" if is_wider else "word") + (" chosen" if i == canvas.word else "")
        y = middle + (i + 0.5 - n / 2) * pitch
        canvas.parts.append(f"<g><title>{escape(token)}</title>{svg.words(right, y + 5, svg.short(token, 13), css, 'end')}</g>")
        if is_wider:
            row = top + (i + 0.5) * canvas.size
            canvas.parts.append(f'<path class="leader" d="M{right + 4:g} {y:g}L{left - 4:g} {row:g}"/>')
    return canvas.draw("X", left, top, "step_1_arrows")


def _margin(canvas: Canvas) -> float:
    """Room for the words at the left."""
    return 22 + 10 * min(13, max(map(len, canvas.tokens))) + (LEADER if canvas.size < 15 else 0)


def _lane(canvas: Canvas, head: int, x_right: float, y_x: float, top: float) -> tuple[float, float]:
    """One head from Q, K, V to its answer; returns where the answer ends."""
    colour, x = f"--mha-head-{head % 8 + 1}", x_right + 58
    _lane_title(canvas, head, x, top)
    edges, bands = {}, []
    for k, field in enumerate(("Q", "K", "V")):
        y = top + 42 + k * (canvas.rows + HEADER)
        edges[field] = canvas.draw(field, x, y, "step_2_qkv", head, keep=5)
        bands.append((x_right + 6, y_x, x - 6, edges[field][1]))
    far = max(edge for edge, _ in edges.values()) + 60
    y = top + 42 + (canvas.rows + HEADER) / 2
    score = canvas.draw("scores", far, y, "step_3_scores", head)
    weight = canvas.draw("weights", score[0] + 88, y, "step_4_softmax", head)
    answer = canvas.draw("heads", weight[0] + 88, y, "step_5_blend", head, keep=5)
    bands += [(edges[f][0] + 6, edges[f][1], far - 6, score[1]) for f in ("Q", "K")]
    bands.append((score[0] + 6, score[1], score[0] + 82, score[1]))
    bands.append((weight[0] + 6, score[1], weight[0] + 82, score[1]))
    bands.append((edges["V"][0] + 6, edges["V"][1], weight[0] + 82, score[1] + 6))
    canvas.parts[:0] = [svg.band(*ends, colour, canvas.css(head)) for ends in bands]
    if head == canvas.head:
        stations = ((x, edges["Q"]), (far, score), (score[0] + 88, weight), (weight[0] + 88, answer))
        _threads(canvas, (x_right, y_x), stations)
    for text, down in ((canvas.names["divisor"], -12), ("softmax", 21)):
        canvas.parts.append(svg.words(score[0] + 44, y + canvas.rows / 2 + down, text, "note", "middle"))
    return answer


def _threads(canvas: Canvas, start: tuple[float, float], stations) -> None:
    """From grid to grid; a station is where a grid begins, and where it ends with its middle."""
    for begins, ends in stations:
        canvas.thread(start[0] + 3, start[1], begins - 4, ends[1])
        start = ends


def _lane_title(canvas: Canvas, head: int, x: float, top: float) -> None:
    """The head's name in its hue, and whom the chosen word looks at most here."""
    weights = canvas.trace.weights[head, canvas.word]
    best = int(np.argmax(weights))
    says = canvas.names["gives"].format(
        word=svg.short(canvas.tokens[canvas.word], 14), share=canvas.percent(weights[best]), other=svg.short(canvas.tokens[best], 14)
    )
    canvas.parts.append(
        f'<text class="lane" x="{x:g}" y="{top + 2:g}" style="fill:var(--mha-head-{head % 8 + 1})">{escape(canvas.names["head"])} '
        f'{head + 1}<tspan class="says" dx="10">{escape(says)}</tspan></text>'
    )


def _gallery_size(canvas: Canvas) -> tuple[float, int, float]:
    """Cell size, grids a row and height of the small weight grids of the heads that have no lane of their own."""
    n, others = len(canvas.trace.X), canvas.trace.parameters.h - 1
    cell = max(1.2, min(9.0, 92 / n))
    a_row = max(1, int(820 // (n * cell + 26)))
    return cell, a_row, int(np.ceil(others / a_row)) * (n * cell + 38)


def _gallery(canvas: Canvas, heads: list[int], x: float, top: float, small) -> None:
    cell, a_row, _ = small
    pitch = len(canvas.trace.X) * cell
    canvas.parts.append(svg.words(x, top - 4, canvas.names["others"], "says"))
    for place, head in enumerate(heads):
        down, across = divmod(place, a_row)
        body, *_ = svg.grid(canvas.trace.weights[head], cell, 1.0, "weight", list(range(len(canvas.trace.context))))
        title = f'<text class="small" y="-5" style="fill:var(--mha-head-{head % 8 + 1})">{head + 1}</text>'
        part = svg.link(f"head:{head + 1}", f"{canvas.names['follow']} {canvas.names['head']} {head + 1}", title + body)
        canvas.parts.append(svg.moved(x + across * (pitch + 26), top + 24 + down * (pitch + 38), part))


def _end(canvas: Canvas, right: float, middle: float, joins) -> float:
    """The heads side by side, mixed by W^O into the output; returns the picture's width."""
    x, top = right + 58, middle - canvas.rows / 2
    edge, y = canvas.draw("concat", x, top, "step_7_mix")
    bands = [svg.band(out + 6, out_y, x - 6, y, f"--mha-head-{lane % 8 + 1}", canvas.css(lane)) for lane, out, out_y in joins]
    bands.append(svg.band(edge + 6, y, edge + 66, y, "--mha-muted", "band lit"))
    chosen = next((out, out_y) for lane, out, out_y in joins if lane == canvas.head)
    _threads(canvas, chosen, ((x, (edge, y)), (edge + 72, (edge, y))))
    canvas.parts.append(f'<text class="note" x="{edge + 36:g}" y="{y - 14:g}" text-anchor="middle">· {svg.symbol("W^O")}</text>')
    final, _ = canvas.draw("output", edge + 72, top, "step_7_mix")
    canvas.parts[:0] = bands
    return final + 8


def _describe(canvas: Canvas) -> str:
    said = [
        canvas.names["gives_long"].format(
            head=i + 1, word=canvas.tokens[canvas.word], share=canvas.percent(row.max()), other=canvas.tokens[int(row.argmax())]
        )
        for i, row in enumerate(canvas.trace.weights[:, canvas.word])
    ]
    return " ".join([canvas.names["describe"].format(n=len(canvas.tokens), h=len(said)), *said])


def _frame(canvas: Canvas, width: float, height: float, description: str) -> str:
    hatch = (
        '<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<rect width="5" height="5" class="hatch-back"/><rect width="1.4" height="5" class="hatch-line"/></pattern></defs>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" class="whole" style="--wide:{width:g}px"'
        f' role="group" aria-label="{escape(description)}">{hatch}{"".join(canvas.parts)}</svg>'
    )
