"""The linked picture of a step: equations of one walk become one payload whose every cell can say how it was made.

Arrays in, bytes out; no Streamlit here. sheet.js draws the payload, mount.py puts it on a page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt

from walkthrough.feature_names import names_of
from walkthrough.sheet import grids as g
from walkthrough.sheet.digits import digits
from walkthrough.sheet.numbers import gather, pack

TEXTS = {
    "name.E": "embedding", "name.P": "position", "name.X": "input", "name.context": "other input",
    "name.W_Q": "query matrix", "name.W_K": "key matrix", "name.W_V": "value matrix", "name.W_O": "mixing matrix",
    "name.b_Q": "query bias", "name.b_K": "key bias", "name.b_V": "value bias", "name.b_O": "output bias",
    "name.Q": "query", "name.K": "key", "name.V": "value", "name.scores": "score", "name.scaled": "scaled score",
    "name.masked": "masked score", "name.weights": "weight", "name.heads": "answer", "name.concat": "lane",
    "name.shares": "share", "name.output": "output",
    "title.heads": "the head’s answer", "title.shares": "what head {head} adds", "turned": ", turned", "bias": "bias",
    "axis.row.query": "query ↓", "axis.column.key": "key →", "axis.row.key": "key ↓", "axis.column.query": "query →",
    "cell.pair": "{name}({row} → {column}{head})", "cell.word": "{name}({row}, number {column}{head})",
    "cell.named": "{name}({row}, {column}{head})",
    "cell.number": "{name}(row {row}, column {column}{head})", "cell.bias": "{name}(number {column}{head})",
    "cell.head": ", head {head}",
    "finding": "Furthest from zero: {value}, {cell}.",
    "grid": "{symbol}, {name}, {rows} × {columns}. {finding} Arrow keys walk, Enter pins, Escape lets go, u unfolds.",
    "invite": "Follow {word}{head}: point at any number, and see how it was made.",
    "invite.head": " in head {head}",
    "more": "… {count} more …", "fewer": "fold the sum", "rounded": "written numbers are rounded, the sum is not", "unfold": "show {count} more", "fold": "fold",
    "arrow.scaled": "÷ {divisor}", "arrow.masked": "mask", "arrow.weights": "softmax", "arrow.concat": "side by side",
    "scaling.off": "scaling is off", "divided": "{cell} ÷ {divisor}",
    "mask.none": "{value}: no mask, so the score stays as it is",
    "mask.allowed": "{value}: {row} may look at {column}, so the score stays as it is",
    "mask.forbidden": "−∞ (masked): {row} may not look at {column}, whatever the score {value} says",
    "masked": "−∞ (masked)",
    "copy": "{value}: number {column} of head {head}, set at its place beside the other heads",
    "term.word": "{weight} of {word}:", "term.head": "head {head}:", "term.bias": "bias:",
    "softmax.row": "masked score", "softmax.exp": "e to (score − largest)", "softmax.share": "divided by the sum",
    "softmax.sum": "largest {maximum}, sum {sum}",
    "given": "{value}: {origin}",
    "pinned": "Pinned. Press a coloured number to see where it was made; Esc lets go.",
    "follow": "where does {value} come from?", "trail": "the way here",
    "cells.blank": "␠", "compact": "{rows} × {columns}: point to read the words", "legend.masked": "masked",
    "origin.E": "the embedding of {row}. {origin}", "origin.P": "the position, sines and cosines of the place of {row}",
    "origin.X": "what {row} brings along. {origin}",
    "origin.context": "what {row} of the other sentence brings along. {origin}",
    "origin.learned": "a parameter: in a trained model it is learned. {origin}",
}


@dataclass(frozen=True)
class Payload:
    """data is what the component receives; grids are the drawn grids by id; equations list operators and grid ids."""

    data: bytes
    grids: dict[str, g.Grid]
    equations: list


def sheet(walk, equations: Sequence[str], *, fold: int = 8, unfolded=frozenset(), texts=TEXTS) -> Payload:
    """The payload of some equations of one walk.

    An equation is fields and operators with blanks between: "Q · K.T = scores". A field of a head means the chosen
    head; Q[2] means head 2, Q[all] every head, K.T a grid drawn turned. Axes of numbers longer than `fold` draw the
    first ones and the last, unless `unfolded` names the grid ("X") or one side of it ("W_Q.2/rows").
    Raises ValueError for a field or a head that is not there.
    """
    drawn, read = {}, []
    for equation in equations:
        parts = []
        for part in g.read(equation, walk.trace):
            if isinstance(part, str):
                parts.append({"operator": part})
                continue
            made = g.draw(walk, part, fold, unfolded, texts)
            drawn |= {grid.id: grid for grid in made}
            parts += _summed(made) if made[0].field == "shares" else [{"grids": [grid.id for grid in made]}]
        read.append(_with_arrow_labels(parts, drawn, walk, texts))
    header = _header(walk, drawn, read, unfolded, texts)
    return Payload(pack(header, gather(walk.trace, list(drawn.values()))), drawn, read)


def cell_name(walk, cell: str, texts=TEXTS) -> str:
    """An address such as scores.2.3.2 in words: score(sat → cat, head 2). An address of no cell comes back as it is."""
    place = g.place_of(walk, cell)
    return cell if place is None else g.cell_label(walk, place[0], place[1], *place[2], texts)


def _summed(grids: list) -> list:
    """What the heads add is added: a plus between every two."""
    return [part for grid in grids for part in ({"operator": "+"}, {"grids": [grid.id]})][1:]


def _with_arrow_labels(parts: list, drawn: dict, walk, texts) -> list:
    for operator, after in zip(parts, parts[1:]):
        if operator.get("operator") in ("→", "⇒"):
            label = texts.get(f"arrow.{drawn[after['grids'][0]].field}", "")
            operator["label"] = label.format(divisor=_divisor(walk.trace))
    return parts


def _divisor(trace) -> str:
    """The divisor as it is spoken of: √4, 1 or 4."""
    d_k = trace.parameters.d_k
    is_root = trace.divisor == d_k**0.5 and isqrt(d_k) > 1
    return f"√{d_k}" if is_root else digits(trace.divisor)


def _header(walk, drawn: dict, equations: list, unfolded, texts) -> dict:
    trace, settings = walk.trace, walk.settings
    names = dict.fromkeys(name for grid in drawn.values() for name in (grid.field, *grid.needs))
    return {
        "grids": {name: grid.header() for name, grid in drawn.items()},
        "equations": equations,
        "fields": {name: _field(trace, name, texts) for name in names if name not in ("divisor", "allowed")},
        "names": {name.removesuffix(".T"): sides for name, grid in drawn.items() if (sides := _named(walk, grid))},
        "words": {"query": list(walk.tokens), "key": list(walk.other_tokens)},
        "divisor": {"value": trace.divisor, "text": _divisor(trace)},
        "mask": "" if trace.allowed is None else "heads" if trace.allowed.ndim == 3 else "all",
        "lanes": trace.parameters.d_v,
        "word": walk.word + 1, "head": walk.head + 1, "pinned": settings.cell, "unfolded": sorted(unfolded),
        "trail": [{"cell": cell, "label": cell_name(walk, cell, texts)} for cell in settings.trail.split("~") if cell],
        "origin": walk.origin,
        "texts": dict(texts),
    }


def _named(walk, grid: g.Grid) -> dict:
    """The names of a grid's numbers as they stand in the array, turned or not; {} where they have none."""
    rows, columns = names_of(walk, grid.field, grid.head)
    return {"rows": rows, "columns": columns} if rows or columns else {}


def _field(trace, name: str, texts) -> dict:
    """One row of STAGES as the browser needs it: enough to do the arithmetic of a cell and to name it."""
    stage, whole = g.stage(name), g.values(trace, name)
    return {
        "rule": g.rule(trace, name), "needs": list(g.needs(trace, name)), "headed": g.is_headed(name),
        "axes": g.axes(name), "role": stage.role, "name": texts[f"name.{name}"],
        "size": list(whole.shape[g.is_headed(name):]),
    }
