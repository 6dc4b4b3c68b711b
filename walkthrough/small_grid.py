"""A small grid of numbers as an HTML table, for what stands beside a question or in a comparison."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from mha_core.shapes import Array, Float
from walkthrough.digits import digits
from walkthrough.lesson import text
from walkthrough.typeset import to_html

FOLD = 6  # so many numbers of a row are drawn before it folds
STYLE = """<style>
.mini-box { overflow-x: auto; max-width: 100%; padding: 0.2rem 0 0.4rem; }
.mini { border-collapse: separate; border-spacing: 2px; font-size: 1rem; line-height: 1.25;
  font-variant-numeric: tabular-nums; }
.mini-title { font-weight: 650; padding: 0 0 0.15rem; line-height: 1.3; max-width: 24rem; }
.mini th { font-weight: 500; color: var(--mha-muted); padding: 0.15rem 0.35rem; text-align: right; max-width: 9rem;
  overflow-wrap: break-word; }
.mini th bdi { display: inline-block; max-width: 9rem; }
.mini thead th { text-align: center; }
.mini td { padding: 0.22rem 0.4rem; text-align: right; border-radius: 3px; white-space: nowrap;
  color: var(--mha-text); }
.mini td.plus { --ink: var(--mha-signed-high); --ground: var(--mha-signed-zero); }
.mini td.minus { --ink: var(--mha-signed-low); --ground: var(--mha-signed-zero); }
.mini td.weight { --ink: var(--mha-weight-all); --ground: var(--mha-weight-none); }
.mini td.full { background: color-mix(in oklab, var(--ink) calc(var(--much) * 0.5), var(--ground)); }
.mini td.differs { outline: 2px solid var(--mha-key); outline-offset: -2px; }
.mini td.hidden { border: 2px dashed var(--mha-text); font-weight: 700; text-align: center; }
.mini td.fold { color: var(--mha-muted); }
.minis { display: flex; flex-wrap: wrap; gap: 0.4rem 1.6rem; }
.minis > * { min-width: 0; }
</style>"""


@dataclass(frozen=True, eq=False)
class Grid:
    """Numbers with a caption and a label for every row and column. `hidden` is the cell a question asks for."""

    caption: str
    values: Float[Array, "rows columns"]
    rows: Sequence[str]
    columns: Sequence[str]
    is_weights: bool = False
    hidden: tuple[int, int] | None = None


def places(n: int) -> tuple[str, ...]:
    """1, 2, 3, …: the labels of numbers that have no word."""
    return tuple(str(place + 1) for place in range(n))


def folded(size: int, fold: int = FOLD) -> list[int | None]:
    """The places that are drawn, None where some are left out."""
    return list(range(size)) if size <= fold else [*range(fold - 2), None, size - 1]


def largest(*grids: Grid) -> float:
    """One colour scale for several grids: the largest size of any finite number in them."""
    sizes = [np.abs(grid.values[np.isfinite(grid.values)]).max(initial=0.0) for grid in grids]
    return float(max(sizes, default=0.0))


def table(grid: Grid, limit: float | None = None, against: Grid | None = None) -> str:
    """The grid as a table. Cells that differ from `against` are ringed, unless all do; `limit` has the full colour."""
    limit = (1.0 if grid.is_weights else largest(grid)) if limit is None else limit
    rows, columns = folded(len(grid.rows), 10), folded(len(grid.columns), 10 if grid.is_weights else FOLD)
    against = against if against is not None and _agree_somewhere(grid, against) else None
    head = "".join(f'<th scope="col">{_label(grid.columns, j)}</th>' for j in columns)
    body = "".join(
        f'<tr><th scope="row">{_label(grid.rows, i)}</th>{"".join(_cell(grid, i, j, limit, against) for j in columns)}</tr>'
        for i in rows
    )
    title = f'<div class="mini-title">{to_html(grid.caption)}</div>' if grid.caption else ""
    name = escape(grid.caption, quote=True)
    return (
        f'{title}<div class="mini-box" role="region" tabindex="0" aria-label="{name}"><table class="mini" aria-label="{name}">'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _label(labels: Sequence[str], place: int | None) -> str:
    return "…" if place is None else f"<bdi>{escape(labels[place])}</bdi>"


def _cell(grid: Grid, i: int | None, j: int | None, limit: float, against: Grid | None) -> str:
    if i is None or j is None:
        return '<td class="fold">…</td>'
    if grid.hidden == (i, j):
        return f'<td class="hidden">{escape(text("ask_hidden"))}</td>'
    value = float(grid.values[i, j])
    scale = "weight" if grid.is_weights else "plus" if value > 0 else "minus"
    much = min(1.0, abs(value) / limit) if limit and np.isfinite(value) else 0.0
    differs = " differs" if against is not None and not close(value, float(against.values[i, j])) else ""
    return f'<td class="full {scale}{differs}" style="--much: {100 * much:.0f}%">{escape(digits(value))}</td>'


def close(a: float, b: float) -> bool:
    """Equal up to rounding."""
    return a == b or abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))


def _agree_somewhere(a: Grid, b: Grid) -> bool:
    return bool(np.isclose(a.values, b.values, rtol=1e-9, atol=1e-9).any())
