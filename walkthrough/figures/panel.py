"""Where a number of a flat figure stands, and the smallest parts of its SVG: lines, words, tooltips.

Across, everything is in per cent, so the browser fits it to any width; down, in pixels.
"""

import re
from html import escape, unescape

from walkthrough.figures.base import LINE_HEIGHT, SIZE
from walkthrough.figures.labels import width as letters

LETTER = 9  # pixels of a narrow letter
SPAN = 1000  # units across a panel for what cannot be said in per cent: curves
TAGS = re.compile(r"(<br>|</?(?:b|sub|span)[^>]*>)")
WAYS = {"b": 'font-weight="700"', "sub": 'font-size="75%" dy="4"'}


class Panel:
    """One x axis of a Plotly layout with the y axis that belongs to it."""

    def __init__(self, layout: dict, number: str, height: float):
        self.x, self.y, self.height = layout[f"xaxis{number}"], layout["yaxis"], height
        self.second = layout.get("yaxis2", {}) if not number else {}
        self.begin, self.end = self.x.get("domain", (0.0, 1.0))
        self.corner = min(layout.get("barcornerradius", 0), 4)

    def inside(self, value: float) -> float:
        """Per cent of the panel."""
        low, high = self.x["range"]
        return 100 * (float(value) - low) / (high - low)

    def across(self, value: float) -> float:
        """Per cent of the whole figure."""
        return 100 * self.begin + (self.end - self.begin) * self.inside(value)

    def along(self, length: float) -> float:
        """Per cent of the whole figure that a length takes."""
        low, high = self.x["range"]
        return 100 * (self.end - self.begin) * abs(float(length)) / abs(high - low)

    def down(self, value: float) -> float:
        """Pixels from the top."""
        bottom, top = self.y["range"]
        return self.height * (top - float(value)) / (top - bottom)

    def share(self, value: float) -> float:
        """Per cent of the figure's height, from the top."""
        return 100 * self.down(value) / self.height

    def tall(self, length: float) -> float:
        """Pixels that a length takes."""
        bottom, top = self.y["range"]
        return self.height * abs(float(length) / (top - bottom))

    def point(self, x: float, y: float) -> str:
        """A corner of a curve."""
        return f"{SPAN / 100 * self.inside(x):.2f} {self.down(y):.2f}"

    def curve(self, content: str) -> str:
        """Content in SPAN units across the panel, stretched to it; lines keep their thickness."""
        place = f'x="{100 * self.begin:.3f}%" width="{100 * (self.end - self.begin):.3f}%" height="{self.height:.1f}"'
        return f'<svg {place} viewBox="0 0 {SPAN} {self.height:.1f}" preserveAspectRatio="none">{content}</svg>'

    def ticks(self):
        """The words beside the rows, the column numbers over a panel."""
        for axis in (self.y, self.second):
            if axis.get("showticklabels") and not self.begin:
                away = axis.get("ticklabelstandoff", 8)
                at, anchor, shift = ("100%", "start", away) if axis.get("side") == "right" else ("0%", "end", -away)
                for value, words in zip(axis["tickvals"], axis["ticktext"]):
                    yield text(words, at, self.down(value), anchor, axis.get("tickfont", {}), dx=shift)
        if self.x.get("showticklabels"):
            for value, words in zip(self.x["tickvals"], self.x["ticktext"]):
                yield text(words, f"{self.across(value):.3f}%", -12, "middle", self.x.get("tickfont", {}))

    def zero_lines(self) -> str:
        """The lines through 0, where the layout asks for them."""
        lines = ""
        if self.x.get("zeroline"):
            at = f"{self.across(0):.3f}%"
            lines += line(at, "0%", at, "100%", self.x["zerolinecolor"], self.x["zerolinewidth"])
        if self.y.get("zeroline") and not self.begin:
            at = f"{self.share(0):.3f}%"
            lines += line("0%", at, "100%", at, self.y["zerolinecolor"], self.y["zerolinewidth"])
        return lines


def tick_room(layout: dict) -> dict[str, int]:
    """Pixels that the words beside the rows need, at the left ("l") and at the right ("r")."""
    room = {}
    for key in ("yaxis", "yaxis2"):
        axis = layout.get(key, {})
        if axis.get("showticklabels"):
            rows = [row for words in axis["ticktext"] for row in words.split("<br>")]
            longest = max(letters(unescape(TAGS.sub("", row))) for row in rows)
            side = "r" if axis.get("side") == "right" else "l"
            room[side] = longest * LETTER + axis.get("ticklabelstandoff", 8) + 6
    return room


def line(x1, y1, x2, y2, colour: str, width: float) -> str:
    """A straight line between two places, each in pixels or per cent."""
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-width="{width}"/>'


def text(words: str, x: str, y: float, anchor: str, font: dict, dx: float = 0, more: str = "") -> str:
    """Words with the few tags that labels use: <br>, <b>, <sub>, <span style>."""
    rows = words.split("<br>")
    top = y - (len(rows) - 1) * LINE_HEIGHT / 2
    body = "".join(
        f'<tspan x="{x}" dx="{dx:g}" y="{top + k * LINE_HEIGHT:.2f}">{_spans(row)}</tspan>' for k, row in enumerate(rows)
    )
    look = f'font-size="{font.get("size", SIZE)}"' + (f' fill="{font["color"]}"' if font.get("color") else "")
    return f'<text text-anchor="{anchor}" {look}{more}>{body}</text>'


def _spans(row: str) -> str:
    parts = []
    for part in TAGS.split(row):
        tag = re.match(r"<(/?)(b|sub|span)(.*)>", part)
        colour = tag and re.search(r"color:\s*([^;\"]+)", tag[3])
        look = WAYS.get(tag[2], f'fill="{colour[1]}"' if colour else "") if tag else ""
        parts.append(escape(unescape(part)) if not tag else "</tspan>" if tag[1] else f"<tspan {look}>")
    return "".join(parts)


def tip(trace: dict, i: int = 0) -> str:
    """The tooltip of a mark."""
    hover = trace.get("hovertext")
    if hover is None or trace.get("hoverinfo") == "skip":
        return ""
    words = hover if isinstance(hover, str) else hover[i]
    return f"<title>{escape(unescape(TAGS.sub('', words.replace('<br>', ' · '))))}</title>"


def value(trace: dict, i: int) -> str:
    """The exact number of a mark, for whoever reads the picture by program."""
    return "" if trace.get("customdata") is None else f' data-value="{float(trace["customdata"][i])!r}"'


def of(look, i: int):
    """One mark's own of a look that may be said once for all."""
    return look if isinstance(look, (str, int, float)) else look[i]
