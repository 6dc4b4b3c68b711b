"""A small grid of numbers as an HTML table: for what is shown beside a question or a comparison, without the linked sheet."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from mha_core.shapes import Array, Float
from walkthrough.digits import digits
from walkthrough.lesson import text

FOLD = 6  # so many numbers of a row are drawn before it folds
STYLE = """<style>
.mini-box { overflow-x: auto; max-width: 100%; padding: 0.2rem 0 0.4rem; }
.mini { border-collapse: separate; border-spacing: 2px; font-size: 1rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
.mini caption { text-align: left; color: var(--mha-text); font-weight: 650; padding: 0 0 0.25rem; }
.mini th { font-weight: 500; color: var(--mha-muted); padding: 0.15rem 0.35rem; text-align: right; max-width: 9rem;
  overflow-wrap: anywhere; }
.mini thead th { text-align: center; }
.mini td { padding: 0.22rem 0.4rem; text-align: right; border-radius: 3px; white-space: nowrap; color: var(--mha-text); }
.mini td.signed.plus { background: color-mix(in oklab, var(--mha-signed-high) calc(var(--much) * 0.5), var(--mha-signed-zero)); }
.mini td.signed.minus { background: color-mix(in oklab, var(--mha-signed-low) calc(var(--much) * 0.5), var(--mha-signed-zero)); }
.mini td.weight { background: color-mix(in oklab, var(--mha-weight-all) calc(var(--much) * 0.5), var(--mha-weight-none)); }
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
    """The grid as a table; cells that differ from `against` are ringed. `limit` is the number with the full colour."""
    limit = (1.0 if grid.is_weights else largest(grid)) if limit is None else limit
    rows, columns = folded(len(grid.rows), 10), folded(len(grid.columns), 10 if grid.is_weights else FOLD)
    head = "".join(f'<th scope="col">{_label(grid.columns, j)}</th>' for j in columns)
    body = "".join(
        f'<tr><th scope="row">{_label(grid.rows, i)}</th>{"".join(_cell(grid, i, j, limit, against) for j in columns)}</tr>'
        for i in rows
    )
    name = escape(grid.caption, quote=True)
    return (
        f'<div class="mini-box" role="region" tabindex="0" aria-label="{name}"><table class="mini">'
        f"<caption>{escape(grid.caption)}</caption><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _label(labels: Sequence[str], place: int | None) -> str:
    return "…" if place is None else f"<bdi>{escape(labels[place])}</bdi>"


def _cell(grid: Grid, i: int | None, j: int | None, limit: float, against: Grid | None) -> str:
    if i is None or j is None:
        return '<td class="fold">…</td>'
    if grid.hidden == (i, j):
        return f'<td class="hidden">{escape(text("ask_hidden"))}</td>'
    value = float(grid.values[i, j])
    scale = "weight" if grid.is_weights else "signed plus" if value > 0 else "signed minus"
    much = min(1.0, abs(value) / limit) if limit and np.isfinite(value) else 0.0
    differs = " differs" if against is not None and not close(value, float(against.values[i, j])) else ""
    return f'<td class="{scale}{differs}" style="--much: {100 * much:.0f}%">{escape(digits(value))}</td>'


def close(a: float, b: float) -> bool:
    """Equal up to rounding."""
    return a == b or abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))
