"""Two walks held against each other: what differs in their settings, at every stage, and in the cells of one stage."""

from collections.abc import Sequence
from html import escape

import numpy as np

from walkthrough.experiments import Difference
from walkthrough.experiments.compare import OF_HEADS, PAIRS_OF_WORDS
from walkthrough.figures import cells
from walkthrough.figures.lab_tables import grid_table, head_or_none, numbered, places, title
from walkthrough.lesson import text
from walkthrough.settings import Settings
from walkthrough.sheet.sheet import cell_name
from walkthrough.walk import Walk

TOLD = ("sentence", "source", "layer", "d_model", "h", "divisor", "positions", "mask", "seed", "hide_special", "model")
FEW = 6  # words without a partner that are named; the rest is counted


def what_differs(A: Walk, B: Walk) -> str:
    """The settings in which A and B differ, one a line."""
    names = [name for name in TOLD if getattr(A.settings, name) != getattr(B.settings, name)]
    if not names:
        return f'<div class="caption">{escape(text("lab_no_setting_differs"))}</div>'
    lines = "".join(
        f"<tr><th scope='row'>{escape(text(f'label_{name}'))}</th>"
        + "".join(f"<td><bdi>{escape(_value(walk.settings, name))}</bdi></td>" for walk in (A, B)) + "</tr>"
        for name in names
    )  # fmt: skip
    heads = "".join(f'<th scope="col">{escape(text(f"lab_side_{side}"))}</th>' for side in ("A", "B"))
    return (
        f'<div class="cells-host"><table class="cells told"><caption>{escape(text("lab_told_title"))}</caption>'
        f"<thead><tr><td></td>{heads}</tr></thead><tbody>{lines}</tbody></table></div>"
    )


def _value(settings: Settings, name: str) -> str:
    value = getattr(settings, name)
    if isinstance(value, bool):
        return text("lab_on" if value else "lab_off")
    if name in ("source", "divisor", "mask"):
        return text(f"{name}_{value}".replace("-", "_"))
    if name == "model":
        return value or text("own_none")
    return str(value)


def partners(A: Walk, B: Walk, pairs) -> dict[str, str]:
    """How many words are held against each other, and which are in one sentence only."""
    alone = [(text("lab_side_A"), A, {i for i, _ in pairs}), (text("lab_side_B"), B, {j for _, j in pairs})]
    said = [_alone(side, walk, known) for side, walk, known in alone if len(known) < len(walk.tokens)]
    return {"lined_up": str(len(pairs)), "alone": " ".join(said) or text("lab_alone_none")}


def _alone(side: str, walk: Walk, known: set[int]) -> str:
    words = [text("quoted_place", word=word, place=i + 1) for i, word in enumerate(walk.tokens) if i not in known]
    more = [text("list_more", n=len(words) - FEW)] if len(words) > FEW else []
    return text("lab_alone", side=side, words=", ".join(words[:FEW] + more))


def largest_bars(differences: Sequence[Difference], A: Walk, B: Walk, pairs) -> str:
    """The largest difference of every stage, on one scale, with the words where it sits."""
    top = max((abs(one.largest) for one in differences), default=0.0)
    rows = []
    for one in differences:
        label = text(f"lab_stage_{one.field}")
        if one.gap is None:
            rows.append((label, 0.0, np.nan, text("lab_no_fit") if pairs else text("lab_no_words")))
        elif one.is_rounding or one.largest == 0:
            rows.append((label, 0.0, one.largest, text("lab_rounding" if one.largest else "lab_equal")))
        else:
            rows.append((label, abs(one.largest) / top, one.largest, _where(one, B, pairs)))
    heads = [text(f"lab_bars_{name}") for name in ("stage", "bar", "number", "where")]
    return cells.bars(rows, text("lab_bars_title"), heads)


def _where(one: Difference, B: Walk, pairs) -> str:
    row, column = one.place
    place = [pairs[row][1], pairs[column][1] if one.field in PAIRS_OF_WORDS else column]
    address = [str(i + 1) for i in ([] if one.head is None else [one.head]) + place]
    return cell_name(B, ".".join((one.field, *address)))


def three_grids(one: Difference, A: Walk, B: Walk, pairs, head: int, unfold: bool) -> str:
    """A, B and B − A of one stage and one head, the nearest that both have, on one scale.

    Words without a partner have no difference.
    """
    head = min(head, len(one.A) - 1, len(one.B) - 1) if one.field in OF_HEADS else 0
    a, b, gap = (one.of_head(name, head) for name in ("A", "B", "gap"))
    limit = 1.0 if one.field == "weights" else cells.limit_of(a, b)
    kind = "weight" if one.field == "weights" else "signed"
    tables = [
        grid_table(walk, one.field, grid, text(f"lab_side_{side}"), head, limit, kind, unfold, place=(walk.word, 0))
        for side, walk, grid in zip("AB", (A, B), (a, b))
    ]
    if gap is None:
        return cells.side_by_side(*tables)
    rows = [_pair_label(A, B, *pair) for pair in pairs]
    columns = rows if one.field in PAIRS_OF_WORDS else numbered(gap.shape[1])
    most = np.unravel_index(int(np.abs(gap).argmax()), gap.shape)
    shown = places(gap.shape, one.field in PAIRS_OF_WORDS, unfold, [int(i) for i in most])
    caption = title(one.field, text("lab_side_gap"), head_or_none(one.field, head))
    return cells.side_by_side(*tables, cells.table(gap, rows, columns, title=caption, limit=limit, shown=shown))


def _pair_label(A: Walk, B: Walk, i: int, j: int) -> str:
    return B.tokens[j] if i == j else text("lab_pair_label", word=B.tokens[j], a=i + 1, b=j + 1)
