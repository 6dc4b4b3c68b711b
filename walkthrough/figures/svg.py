"""The few SVG parts that the whole picture is made of: grids of cells, text, bands, links. Strings in, strings out."""

from html import escape

import numpy as np

LEVELS = 32  # shades a side, for grids too large for one rectangle a cell
MANY = 500  # cells from which a grid is drawn by shade instead of cell by cell


def fold(width: int, keep: int) -> list[int]:
    """The columns that are drawn: all of them, or the first ones and the last with −1 for the gap between."""
    return list(range(width)) if width <= keep + 1 else [*range(keep - 1), -1, width - 1]


def grid(values: np.ndarray, size: float, limit: float, kind: str, columns: list[int]) -> tuple[str, float, float]:
    """A grid at 0, 0 as rectangles whose opacity is |value| / limit; returns it with its width and height.

    kind: "signed" (two hues, one a sign) or "weight". `columns` says which are drawn, −1 leaves a gap. Masked cells are −∞
    and come hatched.
    """
    xs = [k * size for k in range(len(columns))]
    cells = [(x, r * size, float(values[r, c])) for r in range(len(values)) for x, c in zip(xs, columns) if c >= 0]
    draw = _by_cell if len(cells) <= MANY else _by_shade
    dots = "".join(
        f'<text class="fold" x="{x + size / 2:g}" y="{len(values) * size / 2 + 4:g}">⋯</text>' for x, c in zip(xs, columns) if c < 0
    )
    width, height = len(columns) * size, len(values) * size
    back = f'<rect class="{kind}-0" width="{width:g}" height="{height:g}" rx="2"/>'
    return f'<g class="cells">{back}{draw(cells, size, limit, kind)}{dots}</g>', width, height


def _shade(value: float, limit: float, kind: str) -> tuple[str, float]:
    if value == -np.inf:
        return "masked", 1.0
    side = "weight-1" if kind == "weight" else "plus" if value >= 0 else "minus"
    return side, min(1.0, abs(value) / limit) if limit else 0.0


def _by_cell(cells, size, limit, kind) -> str:
    gap, parts = min(1.5, size * 0.12), []
    for x, y, value in cells:
        side, shade = _shade(value, limit, kind)
        parts.append(
            f'<rect class="{side}" x="{x:g}" y="{y:g}" width="{size - gap:g}" height="{size - gap:g}" rx="{min(3, size / 6):g}"'
            f' fill-opacity="{shade:.3f}"/>'
        )
    return "".join(parts)


def _by_shade(cells, size, limit, kind) -> str:
    gap, paths = min(1.5, size * 0.12), {}
    for x, y, value in cells:
        side, shade = _shade(value, limit, kind)
        level = round(shade * LEVELS)
        if level:
            paths.setdefault((side, level), []).append(f"M{x:g} {y:g}h{size - gap:g}v{size - gap:g}h-{size - gap:g}z")
    return "".join(
        f'<path class="{side}" fill-opacity="{level / LEVELS:.3f}" d="{"".join(d)}"/>' for (side, level), d in sorted(paths.items())
    )


def symbol(text: str) -> str:
    """W^Q and d_k as SVG text spans with the raised or lowered part smaller."""
    for mark, shift in (("^", "-0.4em"), ("_", "0.3em")):
        if mark in text:
            stem, small = text.split(mark, 1)
            return f'{escape(stem)}<tspan dy="{shift}" font-size="72%">{escape(small)}</tspan>'
    return escape(text)


def words(x: float, y: float, text: str, css: str = "", anchor: str = "start") -> str:
    """One line of text exactly as given."""
    return f'<text x="{x:g}" y="{y:g}" class="{css}" text-anchor="{anchor}">{escape(text)}</text>'


def band(x1: float, y1: float, x2: float, y2: float, colour: str, css: str = "band") -> str:
    """A soft band from one place to another, leaving and arriving level. css: "band", "band lit" or "thread"."""
    middle = (x1 + x2) / 2
    return (
        f'<path class="{css}" d="M{x1:g} {y1:g}C{middle:g} {y1:g} {middle:g} {y2:g} {x2:g} {y2:g}"'
        f' style="stroke:var({colour})"/>'
    )


def link(page: str, label: str, body: str) -> str:
    """A part of the picture that opens a page, by click or by keyboard."""
    return f'<a class="part" data-page="{escape(page)}" tabindex="0" role="link" aria-label="{escape(label)}">{body}</a>'


def moved(x: float, y: float, body: str) -> str:
    return f'<g transform="translate({x:g} {y:g})">{body}</g>'


def short(text: str, letters: int) -> str:
    """A long word by its beginning and its end; the whole word stays in the title beside it."""
    return text if len(text) <= letters else f"{text[: letters - 3]}…{text[-2:]}"
