"""The marks of a flat figure as SVG: bars, beams, arrows, dots, numbers. One function a kind of trace."""

from collections.abc import Callable, Iterator

import numpy as np

from walkthrough.figures.panel import Panel, line, of, text, tip, value

TEXT_SIDES = {"right": ("start", 4), "left": ("end", -4), "center": ("middle", 0)}
UNSEEN = "rgba(0,0,0,0)"


def _bars(trace: dict, panel: Panel) -> Iterator[str]:
    lying = trace.get("orientation") == "h"
    lengths, places = (trace["x"], trace["y"]) if lying else (trace["y"], trace["x"])
    starts = np.broadcast_to(0.0 if trace.get("base") is None else trace["base"], np.shape(lengths))
    for i, (length, place, start) in enumerate(zip(lengths, places, starts)):
        if np.isfinite(length):
            box = _box(panel, lying, float(length), float(place), float(start), trace["width"])
            yield f'<rect {box}{_look(trace["marker"], i)} data-value="{float(length)!r}">{tip(trace, i)}</rect>'


def _box(panel: Panel, lying: bool, length: float, place: float, start: float, thick: float) -> str:
    """Where a bar stands. It is `thick` across its length, with its middle at `place`."""
    low, high = sorted((start, start + length))
    if lying:
        x, wide, tall = panel.across(low), panel.along(length), panel.tall(thick)
        y = panel.down(place) - tall / 2
    else:
        x, wide, tall = panel.across(place - thick / 2), panel.along(thick), panel.tall(length)
        y = panel.down(high)
    corner = min(panel.corner, tall / 2)
    return f'x="{x:.3f}%" y="{y:.2f}" width="{wide:.3f}%" height="{tall:.2f}" rx="{corner:.1f}"'


def _look(marker: dict, i: int) -> str:
    if "pattern" in marker:
        return f' class="masked" stroke="{marker["line"]["color"]}"'
    edge = marker.get("line", {})
    width = of(edge.get("width", 0), i)
    stroke = f' stroke="{of(edge["color"], i)}" stroke-width="{width}"' if width else ""
    return f' fill="{of(marker["color"], i)}"{stroke}'


def _scatter(trace: dict, panel: Panel) -> Iterator[str]:
    mode = trace["mode"]
    if trace.get("name") == "arrow":
        yield _arrow(trace, panel)
    elif "lines" in mode:
        yield _curve(trace, panel)
    elif "markers" in mode and trace["marker"].get("color") != UNSEEN:
        yield from _markers(trace, panel)
    if "text" in mode:
        yield from _texts(trace, panel)


def _curve(trace: dict, panel: Panel) -> str:
    """A line through its points; NaN breaks it."""
    whole = np.column_stack((trace["x"], trace["y"]))
    pieces = (piece[~np.isnan(piece[:, 0])] for piece in np.split(whole, np.flatnonzero(np.isnan(whole[:, 0]))))
    path = "".join("M" + "L".join(panel.point(x, y) for x, y in piece) for piece in pieces if len(piece))
    dash = trace["line"].get("dash", "solid").replace("px", "")
    look = f'stroke="{trace["line"]["color"]}" stroke-width="{trace["line"]["width"]:.2f}"'
    look += f' stroke-dasharray="{dash}"' if dash != "solid" else ""
    number = value(trace, 0)
    return panel.curve(f'<path class="curve" fill="none" d="{path}" {look}{number}>{tip(trace)}</path>')


def _arrow(trace: dict, panel: Panel) -> str:
    """A shaft from the origin and a head that points where it goes. The plot is a square: the angle holds at any size."""
    (x0, x1), (y0, y1), colour = trace["x"], trace["y"], trace["marker"]["color"]
    begin, end = ((f"{panel.across(x):.3f}%", f"{panel.share(y):.3f}%") for x, y in ((x0, y0), (x1, y1)))
    shaft = line(*begin, *end, colour, trace["line"]["width"])
    head = f'<svg x="{end[0]}" y="{end[1]}">{_head(trace, panel, colour)}</svg>'
    return f'<g class="arrow" data-values="{float(x1)!r} {float(y1)!r}">{shaft}{head}{tip(trace, 1)}</g>'


def _head(trace: dict, panel: Panel, colour: str) -> str:
    (x0, x1), (y0, y1), size = trace["x"], trace["y"], trace["marker"]["size"][1]
    if trace["marker"]["symbol"][1] != "arrow":
        return f'<circle r="{size / 3:.1f}" fill="{colour}"/>'
    turn = np.degrees(np.arctan2(panel.share(y1) - panel.share(y0), panel.inside(x1) - panel.inside(x0)))
    path = f"M{0.2 * size:.1f} 0L-{0.8 * size:.1f} {size / 2.4:.1f}V-{size / 2.4:.1f}Z"
    return f'<path d="{path}" fill="{colour}" transform="rotate({turn:.2f})"/>'


def _markers(trace: dict, panel: Panel) -> Iterator[str]:
    marker = trace["marker"]
    for i, (x, y) in enumerate(zip(trace["x"], trace["y"])):
        at, down = f"{panel.across(x):.3f}%", f"{panel.down(y):.2f}"
        if marker.get("symbol") in ("line-ns", "line-ew"):
            standing = marker["symbol"] == "line-ns"
            number = "" if trace.get("hoverinfo") == "skip" else value({"customdata": trace["x"]} if standing else trace, i)
            yield f'<svg x="{at}" y="{down}"{number}>{_stroke(marker, standing)}{tip(trace, i)}</svg>'
        else:
            yield f'<circle cx="{at}" cy="{down}" r="{marker["size"] / 2:.1f}"{_look(marker, i)}>{tip(trace, i)}</circle>'


def _stroke(marker: dict, standing: bool) -> str:
    """A short thick line around its place, upright or flat."""
    reach, width = marker["size"], marker["line"]["width"]
    wide, tall = (width, 2 * reach) if standing else (2 * reach, width)
    place = f'x="{-wide / 2:.1f}" y="{-tall / 2:.1f}" width="{wide:.1f}" height="{tall:.1f}"'
    return f'<rect {place} fill="{marker["line"]["color"]}"/>'


def _texts(trace: dict, panel: Panel) -> Iterator[str]:
    anchor, shift = TEXT_SIDES[trace["textposition"].split()[-1]]
    shift += (trace.get("marker") or {}).get("size", 0) / 2 * np.sign(shift)
    for i, (x, y, words) in enumerate(zip(trace["x"], trace["y"], trace["text"])):
        font = {name: of(look, i) for name, look in trace["textfont"].items()}
        yield text(words, f"{panel.across(x):.3f}%", panel.down(y), anchor, font, dx=shift, more=value(trace, i))


MARKS: dict[str, Callable[[dict, Panel], Iterator[str]]] = {"bar": _bars, "scatter": _scatter}
