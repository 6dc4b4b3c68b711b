"""Small grids of numbers as HTML tables: every number written in its cell, its size in the shade, words as they are.

For pictures in which grids are held against each other. A table is its own text alternative. Arrays in, strings out.
"""

from collections.abc import Sequence
from html import escape

import numpy as np

from walkthrough.digits import digits
from walkthrough.lesson import text

DEEPEST = 52  # per cent of the full hue: deeper, and the number on it could not be read any more
GAP = -1


def fold(size: int, keep: int, always: Sequence[int] = ()) -> list[int]:
    """The places that are drawn: the first ones, the last, and those that matter; GAP stands for what is left out."""
    if size <= keep + 1:
        return list(range(size))
    kept = sorted({*range(keep - 1), size - 1, *always})
    places = [kept[0]]
    for before, place in zip(kept, kept[1:]):
        places += [place] if place == before + 1 else [GAP, place]
    return places


def table(
    values, rows: Sequence[str], columns: Sequence[str], *, title: str, limit: float, kind: str = "signed",
    corner: str = "", shown: tuple[Sequence[int], Sequence[int]] | None = None, marked=None, old=None,
) -> str:
    """A grid with a caption. `limit` is the number with the deepest shade, kind "signed" or "weight".

    `shown` are the row and column places to draw (see fold). `marked` [True where a number changed] puts a frame
    around a cell; with `old` the former number stands before it, struck out.
    """
    row_places, column_places = shown or (range(len(rows)), range(len(columns)))
    across, down = _labels(columns, column_places), _labels(rows, row_places)
    head = "".join(_heading(label, "col") for label in across)

    def cell(r: int, c: int) -> str:
        if GAP in (r, c):
            return "<td></td>"
        is_marked = marked is not None and bool(marked[r, c])
        former = f"<s>{digits(old[r, c])}</s> " if is_marked and old is not None else ""
        css = ' class="marked"' if is_marked else ""
        return f"<td{css}{_shade(float(values[r, c]), limit, kind)}>{former}{digits(values[r, c])}</td>"

    lines = ((_heading(label, "row"), [cell(r, c) for c in column_places]) for label, r in zip(down, row_places))
    body = "".join(f"<tr>{heading}{''.join(line)}</tr>" for heading, line in lines)
    return (
        f'<div class="cells-host" tabindex="0"><table class="cells"><caption>{title}</caption>'
        f"<thead><tr><td>{escape(corner)}</td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def side_by_side(*tables: str) -> str:
    """Grids next to each other where there is room, else one under the other."""
    return f'<div class="cells-row">{"".join(tables)}</div>'


def bars(rows: Sequence[tuple[str, float, float, str]], title: str, heads: Sequence[str]) -> str:
    """One bar a row: its label, the size of the bar out of 1, its number, and a remark behind it."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    body = "".join(
        f'<tr>{_heading(label, "row")}<td class="bar">{_bar(share)}</td>'
        f"<td>{'' if np.isnan(number) else digits(number)}</td><td>{escape(remark)}</td></tr>"
        for label, share, number, remark in rows
    )
    return (
        f'<div class="cells-host" tabindex="0"><table class="cells bars"><caption>{title}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _bar(share: float) -> str:
    return f'<span style="width:{100 * share:.2f}%"></span>' if share else ""


def limit_of(*grids) -> float:
    """The largest size of any finite number in these grids: their common scale."""
    return max((float(np.abs(grid[np.isfinite(grid)]).max(initial=0)) for grid in map(np.asarray, grids)), default=0.0)


def _labels(names: Sequence[str], places: Sequence[int]) -> list[str]:
    """The names of the drawn places; a gap says how many are folded away in it."""
    known = list(places)
    return [
        text("grid_folded", hidden=known[k + 1] - known[k - 1] - 1) if place == GAP else names[place]
        for k, place in enumerate(known)
    ]


def _heading(label: str, scope: str) -> str:
    """A word as it is, at the head of its row or column."""
    return f'<th scope="{scope}"><bdi>{escape(label)}</bdi></th>'


def _shade(value: float, limit: float, kind: str) -> str:
    if not np.isfinite(value) or not limit:
        return ""
    side = "signed-high" if value > 0 else "signed-low"
    full, none = ("weight-all", "weight-none") if kind == "weight" else (side, "signed-zero")
    share = round(DEEPEST * min(1.0, abs(value) / limit))
    return f' style="background:color-mix(in srgb,var(--mha-{full}) {share}%,var(--mha-{none}))"'
