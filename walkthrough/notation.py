"""Every symbol of the lesson with its value and shape in the current walk: the rows of the page on notation."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mha_core.stages import STAGES, Stage, grid_of
from walkthrough.digits import digits
from walkthrough.lesson import text
from walkthrough.phrases import View, shape
from walkthrough.sheet.sheet import cell_name
from walkthrough.walk import Walk


@dataclass(frozen=True)
class Row:
    """A symbol (in our formula signs), what it is, how it is made, and what it is in this walk."""

    symbol: str
    meaning: str
    formula: str = ""
    now: tuple[str, ...] = ()


def sizes(walk: Walk) -> tuple[Row, ...]:
    """The sizes, each with its number."""
    p = walk.trace.parameters
    now = {"n": len(walk.tokens), "d_model": p.d_model, "h": p.h, "d_k": p.d_k, "d_v": p.d_v}
    rows = [
        Row("d_{model}" if name == "d_model" else name, text(f"symbol_{name}"), now=(str(value),))
        for name, value in now.items()
    ]
    rows[3] = Row(
        "d_k",
        text("symbol_d_k"),
        "d_{model} / h",
        (f"{p.d_model}/{p.h} = {p.d_k}",) if p.d_k * p.h == p.d_model else (str(p.d_k),),
    )
    rule = walk.settings.divisor == "sqrt"
    return (*rows, Row("√d_k" if rule else "c", text("symbol_divisor"), now=(digits(walk.trace.divisor),)))


def grids(walk: Walk) -> Iterator[tuple[int, tuple[Row, ...]]]:
    """Step after step, the grids that are made in it."""
    for step in sorted({stage.step for stage in STAGES}):
        yield step, tuple(_grid(walk, stage) for stage in STAGES if stage.step == step)


def _grid(walk: Walk, stage: Stage) -> Row:
    values = grid_of(walk.trace, stage.field)
    formula = "" if stage.code is None else stage.formula
    if values is None:
        return Row(stage.symbol, stage.title, formula, (text("notation_absent"),))
    if stage.axes[0] != "head":
        return Row(stage.symbol, stage.title, formula, (shape(*values.shape), _cell(walk, stage, values)))
    each = f"{shape(*values.shape[1:])} {text('notation_each')}"
    return Row(stage.symbol, stage.title, formula, (each, _cell(walk, stage, values)))


def _cell(walk: Walk, stage: Stage, values: np.ndarray) -> str:
    """One number of the grid: of the chosen word and head, where the grid has them."""
    partner = walk.partner
    of_keys = stage.field in ("K", "V", "context")
    places = {"head": walk.head, "word": partner if of_keys else walk.word, "query": walk.word, "key": partner}
    index = tuple(places.get(axis, 0) for axis in stage.axes)
    if stage.field == "context" and walk.trace.is_self_attention:
        return stage.formula
    name = cell_name(walk, ".".join([stage.field, *(str(i + 1) for i in index)]))
    return text("notation_cell", cell=name, value=digits(values[index]))


def elsewhere(walk: Walk) -> tuple[tuple[str, str, str], ...]:
    """Two conventions that are best seen in numbers: (what, as here, as elsewhere)."""
    view, p = View(walk), walk.trace.parameters
    allowed = walk.trace.masked[walk.head, walk.word] > -np.inf
    shown = [bool(may) for may in allowed[:6]]
    keys = view.listed([view.named(j) for j in range(len(shown))], len(allowed) - len(shown))
    more = " …" if len(allowed) > len(shown) else ""
    said = [
        " ".join(text("notation_true" if may is wanted else "notation_false") for may in shown) + more
        for wanted in (True, False)
    ]
    layout = text("notation_layout", head=walk.head + 1)
    return (
        (text("notation_mask_row", keys=keys, word=view.word()), said[0], said[1]),
        (
            layout,
            text("notation_layout_here", shape=shape(p.d_model, p.d_k)),
            text("notation_layout_there", shape=shape(p.d_k, p.d_model)),
        ),
    )
