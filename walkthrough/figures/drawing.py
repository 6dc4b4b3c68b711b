"""A flat figure as plain SVG: it is there with the page, fits every width, and loads no library.

Reads the subset of Plotly that the figures of rows, bars, beams and arrows are made of. Every mark carries its number as
data-value, and a tooltip.
"""

import re
from html import escape, unescape

import numpy as np
import plotly.graph_objects as go

from walkthrough.figures.base import LINE_HEIGHT
from walkthrough.figures.marks import MARKS
from walkthrough.figures.panel import Panel, line, text, tick_room

FAR_ENDS = {"left": "start", "center": "middle", "right": "end"}
FAR = 34  # pixels from its point at which a word gets a thread to it
HATCH = (
    '<defs><pattern id="mha-hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<rect class="hatch" width="1.6" height="7"/></pattern></defs>'
)


def draw(figure: go.Figure) -> str:
    """The figure as HTML and SVG, without its text alternative, which belongs to whatever holds it."""
    data, layout = [trace.to_plotly_json() for trace in figure.data], figure.layout.to_plotly_json()
    is_square = "scaleanchor" in layout["yaxis"]
    if is_square:
        _equal_spans(layout["xaxis"], layout["yaxis"])
    margin, room = layout["margin"], tick_room(layout)
    height = layout["height"] - margin["t"] - margin["b"]
    panels = {f"x{key[5:]}": Panel(layout, key[5:], height) for key in layout if key.startswith("xaxis")}
    body = "".join((HATCH, *_parts(data, layout, panels)))
    sides = {side: max(margin[side], room.get(side, 0)) for side in "lr"}
    edges = f'--left:{sides["l"]}px;--right:{sides["r"]}px;padding-top:{margin["t"]}px'
    kind, size = ("square", "") if is_square else ("wide", f' height="{height}"')
    keys = f'<div class="keys" style="min-height:{margin["b"]}px">{_keys(data)}</div>'
    return f'<div class="{kind}" style="{edges}"><svg width="100%"{size}>{body}</svg>{keys}</div>'


def _equal_spans(x: dict, y: dict) -> None:
    """Both axes of a square reach equally far, each around its own middle."""
    half = max(end - begin for begin, end in (x["range"], y["range"])) / 2
    for axis in (x, y):
        middle = sum(axis["range"]) / 2
        axis["range"] = [middle - half, middle + half]


def _parts(data, layout, panels):
    """Everything that is drawn, from the back to the front."""
    shapes = layout.get("shapes", ())
    yield from (panel.zero_lines() for panel in panels.values())
    yield from (_shape(shape, panels) for shape in shapes if shape.get("layer") == "below")
    for trace in data:
        yield from MARKS[trace["type"]](trace, panels[trace.get("xaxis", "x")])
    yield from (_shape(shape, panels) for shape in shapes if shape.get("layer") != "below")
    for panel in panels.values():
        yield from panel.ticks()
    yield from (_note(note, panels) for note in layout.get("annotations", ()))


def _shape(shape: dict, panels: dict[str, Panel]) -> str:
    panel, edge = panels.get(shape.get("xref", "x"), panels["x"]), shape.get("line", {})
    if shape["type"] == "path":
        path = re.sub(r"([ML])([-\d.e]+),([-\d.e]+)", lambda m: f"{m[1]}{panel.point(m[2], m[3])}", shape["path"])
        stroke = f' stroke="{edge["color"]}" stroke-width="{edge["width"]}"' if edge.get("width") else ""
        return panel.curve(f'<path class="curve" d="{path}" fill="{shape.get("fillcolor", "none")}"{stroke}/>')
    on_paper = shape.get("xref") == "paper"
    left, right = (100 * shape[x] if on_paper else panel.across(shape[x]) for x in ("x0", "x1"))
    top, bottom = sorted(panel.down(shape[y]) for y in ("y0", "y1"))
    if shape["type"] == "line":
        return line(f"{left:.3f}%", f"{top:.2f}", f"{right:.3f}%", f"{bottom:.2f}", edge["color"], edge["width"])
    place = f'x="{left:.3f}%" y="{top:.2f}" width="{right - left:.3f}%" height="{bottom - top:.2f}"'
    return f'<rect {place} fill="{shape["fillcolor"]}"/>'


def _note(note: dict, panels: dict[str, Panel]) -> str:
    xref = note.get("xref", "x")
    panel = panels.get(xref.split()[0], panels["x"])
    ends = {"paper": 100 * note["x"], f"{xref.split()[0]} domain": 100 * panel.begin}
    x = ends[xref] if xref in ends else panel.across(note["x"])
    y = panel.height * (1 - note["y"]) if note.get("yref") == "paper" else panel.down(note["y"])
    if note.get("showarrow"):
        return _flag(note, x, 100 * y / panel.height)
    half = LINE_HEIGHT * (note["text"].count("<br>") + 1) / 2
    y += {"bottom": -half, "top": half}.get(note.get("yanchor"), 0) - note.get("yshift", 0)
    anchor = FAR_ENDS[note.get("xanchor", "center")]
    return text(note["text"], f"{x:.3f}%", y, anchor, note["font"], dx=note.get("xshift", 0))


def _flag(note: dict, x: float, y: float) -> str:
    """A word that stands a few pixels off its point, with a thin line to it where it stands far off."""
    is_far = np.hypot(note["ax"], note["ay"]) > FAR
    thread = line(0, 0, f'{note["ax"]:.1f}', f'{note["ay"]:.1f}', note["arrowcolor"], 1) if is_far else ""
    word = text(note["text"], f'{note["ax"]:.1f}', note["ay"], "middle", note["font"])
    return f'<svg x="{x:.3f}%" y="{y:.3f}%">{thread}{word}</svg>'


def _keys(data: list[dict]) -> str:
    """What each colour stands for, where the figure says so."""
    keys = ""
    for trace in data:
        if trace.get("showlegend"):
            marker, is_mark = trace["marker"], "symbol" in trace["marker"]
            colour = marker["line"]["color"] if is_mark else marker["color"]
            name = escape(unescape(trace["name"]))
            keys += f'<span><i class="{"mark" if is_mark else "bar"}" style="background:{colour}"></i>{name}</span>'
    return keys
