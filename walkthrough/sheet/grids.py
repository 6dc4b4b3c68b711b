"""What is drawn: equations read into grids, with their labels, folds and colour limits."""

import re
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from mha_core import attention
from mha_core.stages import Stage, grid_of, needs_of, stage_of
from walkthrough.sheet.digits import digits

# One grid more than STAGES has: it shows the output as a sum of what every head adds.
SHARES = Stage("shares", "Y", "what each head adds", "Y_i = head_i W^O_i", ("heads", "W_O"), "product", 7, "output",
               ("head", "word", "feature"), attention.shares)
NAMES = re.compile(r"([A-Za-z_]+)(?:\[(all|\d+)\])?(\.T)?")
READS_OTHER = ("context", "K", "V")  # whose rows are the words that are looked at
BIAS_OF = {"Q": "b_Q", "K": "b_K", "V": "b_V", "output": "b_O"}


def stage(name: str) -> Stage:
    return SHARES if name == "shares" else stage_of(name)


def values(trace, name: str) -> np.ndarray | None:
    """The whole array of a field; biases keep their own number of axes."""
    return attention.shares(trace) if name == "shares" else grid_of(trace, name)


def needs(trace, name: str) -> tuple[str, ...]:
    return SHARES.needs if name == "shares" else needs_of(trace, name)


def rule(trace, name: str) -> str:
    """How the cells of a field are made in this trace; a sum with one part left, or none, is simply given."""
    made = stage(name).rule
    return "given" if made == "sum" and len(needs(trace, name)) < 2 else made


def is_headed(name: str) -> bool:
    return stage(name).axes[0] == "head"


def axes(name: str) -> list[str]:
    """What the two drawn axes count: query and key words, plain numbers, or lanes (columns that belong to heads)."""
    word = "key" if name in READS_OTHER else "query"
    kinds = {"word": word, "feature": "number"}
    return [kinds.get(axis, axis) for axis in stage(name).axes if axis != "head"]


@dataclass(frozen=True)
class Grid:
    """One drawn grid. rows and columns are the places (counted from 0) that are drawn; gaps between them are folded away."""

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
    numbers: np.ndarray = field(repr=False, compare=False, default=None)  # the drawn cells, for tests and figures; not sent

    def header(self) -> dict:
        return {name: value for name, value in asdict(replace(self, numbers=None)).items() if name != "numbers"}


def read(equation: str, trace) -> list:
    """The parts of an equation: a string for an operator, (field, which head, transposed) for a grid.

    Fields that this trace does not have (no positions, no bias) leave with their operator; a bias that is there joins in.
    """
    parts = []
    for word in equation.split():
        match = NAMES.fullmatch(word)
        parts.append((match[1], match[2] or "", bool(match[3])) if match else word)
    return _with_biases(_without_absent(parts, trace), trace)


def _without_absent(parts: list, trace) -> list:
    kept = []
    for part in parts:
        if isinstance(part, str) or values(trace, part[0]) is not None:
            kept.append(part)
    tidy = []
    for i, part in enumerate(kept):
        joins = 0 < i < len(kept) - 1 and not isinstance(kept[i + 1], str)
        if not isinstance(part, str) or (joins and tidy and not isinstance(tidy[-1], str)):
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
    stage(name)
    if not is_headed(name):
        if which:
            raise ValueError(f"{name} belongs to no head, so {name}[{which}] is not there; write {name}.")
        return [_grid(walk, name, None, transposed, fold, unfolded, texts)]
    h = walk.trace.parameters.h
    if which and which != "all" and not 1 <= int(which) <= h:
        raise ValueError(f"There is no head {which}; this layer has {h} heads, counted from 1.")
    if which == "all":
        width = fold if name == "shares" else max(2, fold // h)
        return [_grid(walk, name, i, transposed, width, unfolded, texts, hue=i + 1) for i in range(h)]
    return [_grid(walk, name, int(which or walk.head + 1) - 1, transposed, fold, unfolded, texts)]


def _grid(walk, name, head, transposed, fold, unfolded, texts, hue=None) -> Grid:
    whole, made = values(walk.trace, name), stage(name)
    cells = np.atleast_2d(whole if head is None else whole[head])
    kinds = axes(name) if len(axes(name)) == 2 else ["bias", *axes(name)]
    identity = name + ("" if head is None else f".{head + 1}") + (".T" if transposed else "")
    at, place = pinned_place(walk), (name, None if head is None else head + 1)
    kept = at[2] if at and at[:2] == place else (None, None)
    order = (1, 0) if transposed else (0, 1)
    rows, columns = (
        _shown(kinds[i], cells.shape[i], fold, _is_open(identity, side, unfolded), kept[i])
        for i, side in zip(order, ("rows", "columns"))
    )
    labels = [_labels(walk, kinds[i], shown, texts) for i, shown in zip(order, (rows, columns))]
    drawn = cells.T if transposed else cells
    titles = [texts[f"axis.{side}.{kinds[i]}"] if "key" in kinds and "query" in kinds else "" for i, side in zip(order, ("row", "column"))]
    return Grid(
        identity, name, None if head is None else head + 1, transposed, _symbol(walk, made, head, transposed),
        texts.get(f"title.{name}", made.title).format(head=(head or 0) + 1) + (texts["turned"] if transposed else ""), list(drawn.shape), rows, columns,
        labels[0], labels[1], titles[0], titles[1], "weight" if name == "weights" else "signed", limit(whole), made.role, hue,
        rule(walk.trace, name), list(needs(walk.trace, name)), [s for s in ("rows", "columns") if _is_open(identity, s, unfolded)],
        _finding(walk, name, head, cells, texts), drawn[np.ix_(rows, columns)],
    )


def limit(whole: np.ndarray) -> float:
    """The largest size among the finite numbers of all heads: one colour scale for a field, centred on 0."""
    sizes = np.abs(whole[np.isfinite(whole)])
    return float(sizes.max()) if sizes.size else 0.0


def _is_open(identity: str, side: str, unfolded) -> bool:
    return identity in unfolded or f"{identity}/{side}" in unfolded


def _shown(kind: str, size: int, fold: int, is_open: bool, kept: int | None) -> list[int]:
    """The places of one axis that are drawn. Words always are; of many numbers the first ones, the last, and a pinned one."""
    if kind in ("query", "key", "bias") or is_open or size <= fold:
        return list(range(size))
    return sorted({*range(fold - 1), size - 1, *(() if kept is None else (kept,))})


def _labels(walk, kind: str, shown: list[int], texts) -> list[str]:
    if kind == "bias":
        return [texts["bias"]]
    words = {"query": walk.tokens, "key": walk.other_tokens}.get(kind)
    return [str(i + 1) if words is None else words[i] for i in shown]


def _symbol(walk, made: Stage, head: int | None, transposed: bool) -> list:
    """The symbol in pieces [text, "" | "sup" | "sub"], so that S/√d_k of head 2 reads S₂/√dₖ."""
    text = made.symbol
    if made.field == "scaled":
        text = {"none": "S/1", "d_k": "S/d_k"}.get(walk.settings.divisor, text)
    pieces = [[piece[piece[0] in "^_":], {"^": "sup", "_": "sub"}.get(piece[0], "")] for piece in re.findall(r"[\^_]\w|[^\^_]+", text)]
    if head is not None:
        base = re.match(r"[^/]+", pieces[0][0])[0]
        pieces[:1] = [[base, ""], [str(head + 1), "sub"], *([[pieces[0][0][len(base):], ""]] if base != pieces[0][0] else [])]
    return pieces + ([["T", "sup"]] if transposed else [])


def _finding(walk, name: str, head: int | None, cells: np.ndarray, texts) -> str:
    """One sentence for those who cannot see the colours: which cell stands out."""
    sizes = np.where(np.isfinite(cells), np.abs(cells), -1)
    row, column = (int(i) for i in np.unravel_index(sizes.argmax(), cells.shape))
    where = cell_label(walk, name, None if head is None else head + 1, row, column, texts)
    return texts["finding"].format(value=digits(cells[row, column]), cell=where)


def cell_label(walk, name: str, head: int | None, row: int, column: int, texts) -> str:
    """A cell in words: score(sat → cat, head 2). Head counted from 1, row and column from 0."""
    kinds = axes(name)
    words = {"query": walk.tokens, "key": walk.other_tokens}
    said = [words[kind][i] if kind in words else str(i + 1) for kind, i in zip(kinds, (row, column)[-len(kinds):])]
    shape = "pair" if kinds == ["query", "key"] else "bias" if len(kinds) == 1 else "word" if kinds[0] in words else "number"
    of_head = texts["cell.head"].format(head=head) if head is not None else ""
    return texts[f"cell.{shape}"].format(name=texts[f"name.{name}"], row=said[0], column=said[-1], head=of_head)


def place_of(walk, cell: str):
    """(field, head from 1 or None, (row, column) from 0) of an address such as scores.2.3.2, or None where no such cell is."""
    name, *counted = cell.split(".")
    try:
        index = [int(i) - 1 for i in counted]
        whole = values(walk.trace, name)
    except (ValueError, KeyError):
        return None
    if whole is None or len(index) != whole.ndim or any(not 0 <= i < size for i, size in zip(index, whole.shape)):
        return None
    head = index.pop(0) + 1 if is_headed(name) else None
    return name, head, (index[0] if len(index) == 2 else 0, index[-1])


def pinned_place(walk):
    return place_of(walk, walk.settings.cell) if walk.settings.cell else None
