"""What is drawn: equations read into grids, with their labels, folds and colour limits."""

import re
from dataclasses import asdict, dataclass, field, replace
from weakref import WeakKeyDictionary

import numpy as np

from mha_core import attention
from mha_core.stages import Stage, grid_of, needs_of, stage_of
from walkthrough.feature_names import names_of
from walkthrough.sheet.digits import digits

# One grid more than STAGES has: it shows the output as a sum of what every head adds.
SHARES = Stage("shares", "Y", "what each head adds", "Y_i = head_i W^O_i", ("heads", "W_O"), "product", 7, "output",
               ("head", "word", "feature"), attention.shares)
NAMES = re.compile(r"([A-Za-z_]+)(?:\[(all|\d+)\])?(\.T)?")
READS_OTHER = ("context", "K", "V")  # whose rows are the words that are looked at
BIAS_OF = {"Q": "b_Q", "K": "b_K", "V": "b_V", "output": "b_O"}
WORDS = ("query", "key")
SIDES = ("rows", "columns")
_shares = WeakKeyDictionary()  # of a trace, as long as the trace lives


def stage(name: str) -> Stage:
    return SHARES if name == "shares" else stage_of(name)


def values(trace, name: str) -> np.ndarray | None:
    """The whole array of a field; biases keep their own number of axes."""
    if name != "shares":
        return grid_of(trace, name)
    if trace not in _shares:
        _shares[trace] = attention.shares(trace)
    return _shares[trace]


def needs(trace, name: str) -> tuple[str, ...]:
    return SHARES.needs if name == "shares" else needs_of(trace, name)


def rule(trace, name: str) -> str:
    """How the cells of a field are made in this trace; a sum with one part left, or none, is simply given."""
    made = stage(name).rule
    return "given" if made == "sum" and len(needs(trace, name)) < 2 else made


def is_headed(name: str) -> bool:
    return stage(name).axes[0] == "head"


def axes(name: str) -> list[str]:
    """What the axes beside the heads count: query or key words, plain numbers, lanes (columns that belong to heads)."""
    kinds = {"word": "key" if name in READS_OTHER else "query", "feature": "number"}
    return [kinds.get(axis, axis) for axis in stage(name).axes if axis != "head"]


@dataclass(frozen=True)
class Grid:
    """One drawn grid. rows and columns are the places (from 0) that are drawn; gaps between them are folded away."""

    id: str
    field: str
    head: int | None  # counted from 1, as on screen
    transposed: bool
    symbol: list
    name: str
    shape: list
    rows: list
    columns: list
    row_labels: list
    column_labels: list
    row_title: str
    column_title: str
    scale: str
    limit: float
    role: str
    hue: int | None
    rule: str
    needs: list
    unfolded: list
    finding: str
    numbers: np.ndarray = field(repr=False, compare=False, default=None)  # the drawn cells, for tests; not sent

    def header(self) -> dict:
        """What is sent of the grid, beside its numbers."""
        return {name: value for name, value in asdict(replace(self, numbers=None)).items() if name != "numbers"}


def read(equation: str, trace) -> list:
    """The parts of an equation: a string for an operator, (field, which head, transposed) for a grid.

    Fields that this trace does not have (no positions) leave with their operator; a bias that is there joins in.
    """
    parts = []
    for word in equation.split():
        match = NAMES.fullmatch(word)
        parts.append((match[1], match[2] or "", bool(match[3])) if match else word)
    return _with_biases(_without_absent(parts, trace), trace)


def _is_sign(part) -> bool:
    return isinstance(part, str)


def _without_absent(parts: list, trace) -> list:
    kept = [part for part in parts if _is_sign(part) or values(trace, part[0]) is not None]
    tidy = []
    for i, part in enumerate(kept):
        joins_two = tidy and not _is_sign(tidy[-1]) and i + 1 < len(kept) and not _is_sign(kept[i + 1])
        if not _is_sign(part) or joins_two:
            tidy.append(part)
    return tidy


def _with_biases(parts: list, trace) -> list:
    if len(parts) < 3 or parts[-2] != "=":
        return parts
    bias = BIAS_OF.get(parts[-1][0])
    if bias is None or values(trace, bias) is None or any(part[0] == bias for part in parts):
        return parts
    return [*parts[:-2], "+", (bias, parts[-1][1], False), *parts[-2:]]


def draw(walk, part: tuple, fold: int, unfolded, texts) -> list[Grid]:
    """The grids of one part: one, or one a head for [all]."""
    name, which, transposed = part
    if name == "context" and walk.trace.is_self_attention:
        name = "X"
    whole = values(walk.trace, name)

    def grid(head: int | None, width: int, hue: int | None = None) -> Grid:
        seen = whole if which == "all" or not head else whole[head - 1]  # one head alone has all the colours to itself
        return _grid(walk, name, head, transposed, width, unfolded, texts, limit(seen), hue)

    if not is_headed(name):
        if which:
            raise ValueError(f"{name} belongs to no head, so {name}[{which}] is not there; write {name}.")
        return [grid(None, fold)]
    h = walk.trace.parameters.h
    if which not in ("", "all") and not 1 <= int(which) <= h:
        raise ValueError(f"There is no head {which}; this layer has {h} heads, counted from 1.")
    if which == "all":
        width = fold if name == "shares" else max(2, fold // h)
        return [grid(i + 1, width, i + 1) for i in range(h)]
    return [grid(int(which or walk.head + 1), fold)]


def _grid(walk, name, head, transposed, fold, unfolded, texts, largest, hue) -> Grid:
    """One grid; head counted from 1. Rows and columns are those of the picture, so a turned grid swaps them."""
    trace, made = walk.trace, stage(name)
    cells = of_head(values(trace, name), head)
    turn = (lambda pair: pair[::-1]) if transposed else (lambda pair: pair)
    kinds, sizes, names = turn((["bias"] + axes(name))[-2:]), turn(cells.shape), turn(names_of(walk, name, head))
    identity = name + (f".{head}" if head else "") + (".T" if transposed else "")
    open_sides = [side for side in SIDES if identity in unfolded or f"{identity}/{side}" in unfolded]
    kept = turn(_pinned_in(walk, name, head))
    each = zip(kinds, sizes, SIDES, kept)
    rows, columns = (_shown(kind, size, fold, side in open_sides, place) for kind, size, side, place in each)
    row_title, column_title = _axis_titles(kinds, texts)
    title = texts.get(f"title.{name}", made.title).format(head=head) + (texts["turned"] if transposed else "")
    return Grid(
        identity, name, head, transposed, _symbol(walk, made, head, transposed), title, list(sizes), rows, columns,
        _labels(walk, kinds[0], rows, texts, names[0]), _labels(walk, kinds[1], columns, texts, names[1]),
        row_title, column_title,
        "weight" if name == "weights" else "signed", largest, made.role, hue, rule(trace, name),
        list(needs(trace, name)), open_sides, _finding(walk, name, head, cells, texts),
        (cells.T if transposed else cells)[np.ix_(rows, columns)],
    )


def of_head(whole: np.ndarray, head: int | None) -> np.ndarray:
    """The two-dimensional grid of one head (from 1), or of a field that has no heads; a bias is a grid of one row."""
    return np.atleast_2d(whole[head - 1] if head else whole)


def limit(whole: np.ndarray | None) -> float:
    """The largest size among the finite numbers that are drawn beside each other: one colour scale, centred on 0."""
    sizes = np.abs(whole[np.isfinite(whole)]) if whole is not None else np.empty(0)
    return float(sizes.max()) if sizes.size else 0.0


def _shown(kind: str, size: int, fold: int, is_open: bool, kept: int | None) -> list[int]:
    """The places of one axis that are drawn: every word; of many numbers the first ones, the last, and a pinned one."""
    if kind in ("query", "key", "bias") or is_open or size <= fold:
        return list(range(size))
    return sorted({*range(fold - 1), size - 1, *(() if kept is None else (kept,))})


def _axis_titles(kinds, texts) -> tuple[str, str]:
    """Where words meet words, which side asks and which is asked has to be said."""
    if set(kinds) != set(WORDS):
        return "", ""
    return texts[f"axis.row.{kinds[0]}"], texts[f"axis.column.{kinds[1]}"]


def _labels(walk, kind: str, shown: list[int], texts, names) -> list[str]:
    if kind == "bias":
        return [texts["bias"]]
    return [_label(walk, kind, place, names) for place in shown]


def _label(walk, kind: str, place: int, names=()) -> str:
    """A word as it is; the name of a number that has one; else its place counted from 1."""
    if names:
        return names[place]
    return {"query": walk.tokens, "key": walk.other_tokens}[kind][place] if kind in WORDS else str(place + 1)


def _symbol(walk, made: Stage, head: int | None, transposed: bool) -> list:
    """The symbol in pieces [text, "" | "sup" | "sub"], so that S/√d_k of head 2 reads S₂/√dₖ."""
    text = made.symbol
    if made.field == "scaled":
        text = {"none": "S/1", "d_k": "S/d_k"}.get(walk.settings.divisor, text)
    base, rest = re.fullmatch(r"([^/^_]+)(.*)", text).groups()
    marks = [f"_{head}"] * bool(head), re.findall(r"[\^_]\w|[^\^_]+", rest), ["^T"] * transposed
    pieces = [base, *(mark for group in marks for mark in group)]
    kinds = {"^": "sup", "_": "sub"}
    return [[piece[1:], kinds[piece[0]]] if piece[0] in kinds else [piece, ""] for piece in pieces]


def _finding(walk, name: str, head: int | None, cells: np.ndarray, texts) -> str:
    """One sentence for those who cannot see the colours: which cell stands out."""
    sizes = np.where(np.isfinite(cells), np.abs(cells), -1)
    row, column = (int(i) for i in np.unravel_index(sizes.argmax(), cells.shape))
    where = cell_label(walk, name, head, row, column, texts)
    return texts["finding"].format(value=digits(cells[row, column]), cell=where)


def cell_label(walk, name: str, head: int | None, row: int, column: int, texts) -> str:
    """A cell in words: score(sat → cat, head 2). Head counted from 1, row and column from 0."""
    kinds = axes(name)
    names = names_of(walk, name, head)[-len(kinds):]
    said = [_label(walk, *of) for of in zip(kinds, (row, column)[-len(kinds):], names)]
    of_words = [kind in WORDS for kind in kinds]
    shape = "bias" if len(kinds) == 1 else "pair" if all(of_words) else "word" if any(of_words) else "number"
    shape = "named" if any(names) else shape
    of_the_head = texts["cell.head"].format(head=head) if head else ""
    return texts[f"cell.{shape}"].format(name=texts[f"name.{name}"], row=said[0], column=said[-1], head=of_the_head)


def place_of(walk, cell: str):
    """(field, head from 1 or None, (row, column) from 0) of an address such as scores.2.3.2; None for no such cell."""
    name, *counted = cell.split(".")
    try:
        index = [int(i) - 1 for i in counted]
        whole = values(walk.trace, name)
    except ValueError:
        return None
    if whole is None or len(index) != whole.ndim or any(not 0 <= i < size for i, size in zip(index, whole.shape)):
        return None
    head = index.pop(0) + 1 if is_headed(name) else None
    return name, head, (index[0] if len(index) == 2 else 0, index[-1])


def _pinned_in(walk, name: str, head: int | None) -> tuple:
    """The row and column of the pinned cell, if it is one of this grid's."""
    place = place_of(walk, walk.settings.cell)
    return place[2] if place and place[:2] == (name, head) else (None, None)
