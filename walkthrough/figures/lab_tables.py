"""What the lab's pages show beside the sheet: changed cells, what is missing from an output, sums of rows."""

from collections.abc import Sequence
from html import escape

import numpy as np

from mha_core.shapes import Array, Bool, Float
from mha_core.stages import grid_of
from walkthrough.digits import digits
from walkthrough.experiments import Change, Changed, RowSums
from walkthrough.experiments.compare import PAIRS_OF_WORDS
from walkthrough.experiments.overwrite import moved
from walkthrough.figures import cells
from walkthrough.lesson import counted, text
from walkthrough.sheet import grids as g
from walkthrough.sheet.sheet import cell_name
from walkthrough.walk import Walk

KEEP, KEEP_WORDS, KEEP_ROWS, ALL = 6, 12, 16, 10**6  # numbers, words across, words down that are drawn before unfolding
ANSWER = ("context", "K", "V")  # whose rows are the words that are asked


def title(field: str, before: str = "", head: int | None = None) -> str:
    """A caption: what the grid is, and whose. Weights are not called A here, since a walk is."""
    of_head = text("lab_of_head", head=head + 1) if head is not None else ""
    return f"{before}: {stage_name(field)}{of_head}"


def grid_table(
    walk: Walk, field: str, grid, side: str, head: int, limit: float, kind: str, unfold: bool, **more
) -> str:
    """One grid of a walk with the labels that belong to it; `more` goes to cells.table."""
    rows = list(walk.other_tokens if field in ANSWER else walk.tokens)
    is_pairs = field in PAIRS_OF_WORDS or field == "masked"
    columns = list(walk.other_tokens) if is_pairs else numbered(grid.shape[1])
    if not g.is_headed(field) and field.startswith("W_"):
        rows = numbered(grid.shape[0])
    elif field.startswith(("W_", "b_")):
        rows = numbered(grid.shape[0]) if len(grid) > 1 else [text("lab_bias")]
    shown = places(grid.shape, is_pairs, unfold, more.pop("place", None))
    caption = title(field, side, head_or_none(field, head))
    corner = text("axis_query") if is_pairs else ""
    return cells.table(grid, rows, columns, title=caption, limit=limit, kind=kind, corner=corner, shown=shown, **more)


def head_or_none(field: str, head: int) -> int | None:
    return head if g.is_headed(field) else None


def numbered(count: int) -> list[str]:
    return [str(i + 1) for i in range(count)]


def places(shape, is_pairs: bool, unfold: bool, place=None):
    """Rows and columns to draw: folded unless asked otherwise, and always those of the place that matters."""
    keep = (ALL, ALL) if unfold else (KEEP_ROWS, KEEP_WORDS if is_pairs else KEEP)
    row, column = ([place[0]], [place[1]]) if place else ([], [])
    return cells.fold(shape[0], keep[0], row), cells.fold(shape[1], keep[1], column)


# ---- change a number ---------------------------------------------------------------------------------------------
def changed_bars(found: Sequence[Changed], walk: Walk) -> str:
    """What changed where: for each grid the share of its numbers that moved, and the largest move from old to new."""
    rows = []
    for one in found:
        where = cell_name(walk, ".".join((one.field, *(str(i + 1) for i in one.index))))
        said = text("lab_changed_where", old=digits(one.old), new=digits(one.new), where=where)
        label = text("lab_changed_label", name=stage_name(one.field), n=f"{one.count:,}", size=f"{one.size:,}")
        rows.append((label, one.count / one.size, one.new - one.old, said))
    heads = [text(f"lab_changed_{name}") for name in ("stage", "bar", "number", "most")]
    return cells.bars(rows, text("lab_changed_title"), heads)


def stage_name(field: str) -> str:
    return text(f"lab_stage_{field}")


def before_and_after(before: Walk, after: Walk, changed: Changed, unfold: bool) -> str:
    """One grid as it was and as it is now; every number that moved stands framed, the old one struck out beside it."""
    field = changed.field
    old, new = grid_of(before.trace, field), grid_of(after.trace, field)
    marked, limit = moved(old, new), cells.limit_of(old, new)
    head = _head_that_changed(marked, before.head, changed.index) if g.is_headed(field) else 0
    flat = [np.atleast_2d(grid[head] if g.is_headed(field) else grid) for grid in (old, new, marked)]
    place = np.argwhere(flat[2])[0].tolist() if flat[2].any() else None
    kind, limit = ("weight", 1.0) if field == "weights" else ("signed", limit)
    look = (head, limit, kind, unfold)
    return cells.side_by_side(
        grid_table(before, field, flat[0], text("lab_before"), *look, place=place),
        grid_table(after, field, flat[1], text("lab_after"), *look, place=place, marked=flat[2], old=flat[0]),
    )


def _head_that_changed(marked: Bool[Array, "h ..."], wished: int, index) -> int:
    """The chosen head where something moved in it, else the head with the largest move."""
    return wished if marked[wished].any() else index[0]


def change_list(changes: Sequence[Change], before: Walk, after: Walk) -> str:
    """What was overwritten, oldest first: each place with its number before and now."""
    lines = [_one_change(change, before, after) for change in changes]
    return f'<ol class="changes">{"".join(f"<li>{escape(line)}</li>" for line in lines)}</ol>'


def _one_change(change: Change, before: Walk, after: Walk) -> str:
    grid = grid_of(before.trace, change.field)
    whole_row = len(change.index) < grid.ndim
    address = ".".join((change.field, *(str(i + 1) for i in change.index), *["1"] * whole_row))
    if whole_row:
        return text("lab_change_row", where=cell_name(before, address), new=digits(change.value))
    old, new = digits(grid[change.index]), digits(change.value)
    return text("lab_change_cell", where=cell_name(before, address), old=old, new=new)


def equations(field: str, changes: Sequence[Change]) -> tuple[str, ...]:
    """The equations in which a grid is made. Scores set by hand are no dot products any more, so they stand in none."""
    if field == "scores" and any(change.field == "scores" for change in changes):
        field = "scaled"
    made = field.replace("W_O", "output").replace("b_O", "output").removeprefix("W_").removeprefix("b_")
    if made in ("Q", "K", "V"):
        return (f"X × W_{made} = {made}",)
    return {
        "X": ("X",), "scores": ("Q · K.T = scores",), "heads": ("weights × V = heads",),
        "concat": ("heads[all] ⇒ concat",), "output": ("concat × W_O = output",),
    }.get(made, ("scaled → masked → weights",))


# ---- heads off ---------------------------------------------------------------------------------------------------
def missing_grid(walk: Walk, gone: Float[Array, "n d_out"], limit: float, unfold: bool) -> str:
    """What the heads that are off would have added, on the scale of the full output."""
    shown = places(gone.shape, False, unfold)
    return cells.table(
        gone, list(walk.tokens), numbered(gone.shape[1]), title=text("lab_missing_title"), limit=limit, shown=shown
    )


def distance_bars(walk: Walk, apart: Float[Array, " n"], length: Float[Array, " n"]) -> str:
    """How far each word's output moved, beside the length of its full output."""
    top = max(float(apart.max()), float(length.max())) or 1.0
    rows = [
        (word, float(a) / top, float(a), text("lab_distance_of", length=digits(float(full))))
        for word, a, full in zip(walk.tokens, apart, length)
    ]
    heads = [text(f"lab_distance_{name}") for name in ("word", "bar", "number", "full")]
    return cells.bars(rows, text("lab_distance_title"), heads)


def heads_said(walk: Walk, off: Sequence[int]) -> dict[str, str]:
    """Which heads are off, in words."""
    h = walk.trace.parameters.h
    if not off:
        return {"heads_said": text("lab_off_none")}
    if len(off) == h:
        bias = walk.trace.parameters.b_O
        return {"heads_said": text("lab_off_all" if bias is None else "lab_off_all_bias")}
    named = ", ".join(str(i + 1) for i in off)
    return {"heads_said": text("lab_off_some", heads=named, left=counted("heads", h - len(off)))}


# ---- masks -------------------------------------------------------------------------------------------------------
def sums_table(walk: Walk, sums: RowSums) -> str:
    """What every row adds up to without a mask, under two tempting mistakes, and with the mask in its right place."""
    names = ("open", "before", "zeroed_after", "leaked", "after")
    table = np.array([np.array(getattr(sums, name), float) for name in names]).T
    rounded = np.round(table, 12)  # sums of a softmax differ from 1 in the last digit only
    marked = np.zeros(table.shape, dtype=bool)
    marked[:, 2], marked[:, 3] = np.abs(table[:, 2] - 1) > 1e-9, table[:, 3] > 1e-9
    columns = [text(f"lab_sums_{name}") for name in names]
    caption = text("lab_sums_title", head=walk.head + 1)
    return cells.table(rounded, list(walk.tokens), columns, title=caption, limit=0.0, marked=marked)


def sums_said(walk: Walk, allowed: Bool[Array, "n n"] | None) -> dict[str, str]:
    """How many cells are shut, in words."""
    shut = 0 if allowed is None else int((~allowed).sum())
    n = len(walk.tokens)
    return {"shut": text(f"lab_sums_shut_{'one' if shut == 1 else 'many'}", n=shut, all=counted("cells", n * n))}
