"""Pictures with a slider of their own: HTML whose parts say at which places of the slider they are lit, and what is read there.

data-from="3" is there from place 3 on; data-on="1 4 7" is lit at those places. So the script moves and never reckons.
"""

from dataclasses import dataclass, field
from html import escape

import numpy as np

from walkthrough.digits import digits
from walkthrough.drag.pictures import shade
from walkthrough.drag.readings import PRODUCT_WORDS, products_of
from walkthrough.figures.svg import fold, short
from walkthrough.lesson import text

MANY = 16  # words from which a square is drawn shell by shell instead of cell by cell
SIDE = 420  # pixels of the square
EXAMPLE_N = 10


@dataclass(frozen=True)
class Reel:
    """A picture, the places its slider has (from `first` on, one reading each), where it starts, and shortcuts to places."""

    html: str
    says: list[str]
    label: str
    first: int = 1
    start: int = 1
    presets: list[tuple[str, int]] = field(default_factory=list)


def square(tokens) -> Reel:
    """n words, n × n comparisons: the square grows with the slider; as far as the sentence goes it has its words."""
    n = len(tokens)
    most = max(EXAMPLE_N, n)
    size = SIDE / most
    cells = _square_cells(tokens, most, size) if most <= MANY else _square_shells(most, size)
    words = "".join(_square_word(token, i, size) for i, token in enumerate(tokens)) if n <= MANY else ""
    room = 18 + 9 * min(10, max(map(len, tokens))) if words else 4  # what the words beside it take
    html = f'<svg class="square" viewBox="{-room} {-room} {SIDE + room} {SIDE + room}" aria-hidden="true">{words}{cells}</svg>'
    says = [text("found_square_one")] + [text("found_square", n=k, squared=f"{k * k:,}") for k in range(2, most + 1)]
    presets = [(text("found_square_sentence", n=n), n)]
    if n != EXAMPLE_N:
        presets.append((text("found_square_ten", n=EXAMPLE_N), EXAMPLE_N))
    return Reel(html, says, text("found_square_label"), start=n, presets=presets)


def _square_cells(tokens, most, size) -> str:
    def title(i: int, j: int) -> str:
        if max(i, j) >= len(tokens):
            return ""
        return f'<title>{escape(text("found_meets", asks=tokens[i], asked=tokens[j]))}</title>'

    return "".join(
        f'<rect class="grow" data-from="{max(i, j) + 1}" data-on="{max(i, j) + 1}" x="{j * size:.1f}" y="{i * size:.1f}" width="{size - 2:.1f}"'
        f' height="{size - 2:.1f}" rx="3">{title(i, j)}</rect>'
        for i in range(most) for j in range(most)
    )


def _square_shells(most, size) -> str:
    """The cells that the k-th word adds, as one path."""
    cell = f"h{size - 1:.2f}v{size - 1:.2f}h-{size - 1:.2f}z"
    return "".join(
        f'<path class="grow" data-from="{k + 1}" data-on="{k + 1}" d="'
        + "".join(f"M{j * size:.2f} {i * size:.2f}{cell}" for i, j in [(k, m) for m in range(k + 1)] + [(m, k) for m in range(k)])
        + '"/>'
        for k in range(most)
    )


def _square_word(token, i, size) -> str:
    middle, word, tall = i * size + size / 2, escape(short(token, 10)), min(17, size * 0.8)
    return (
        f'<g class="grow" data-from="{i + 1}" data-on="{i + 1}" style="font-size:{tall:.1f}px"><text x="-8" y="{middle + tall / 3:.1f}" text-anchor="end">{word}</text>'
        f'<text transform="translate({middle + tall / 3:.1f} -8) rotate(-55)">{word}</text></g>'
    )


def stack(tokens, X) -> Reel:
    """Loose rows, one a word, that the slider lays on each other: the grid X."""
    n, d_model = X.shape
    columns, limit = fold(d_model, 5), float(np.abs(X).max())
    rows = "".join(
        f'<div class="stacked" role="row" data-from="{i + 1}" data-on="{i + 1}"><span class="who"><bdi>{escape(short(token, 16))}</bdi></span>'
        f"{_cells(X[i], columns, limit)}</div>"
        for i, token in enumerate(tokens)
    )
    says = [text("found_stack", k=k, d_model=d_model) for k in range(1, n)] + [text("found_stack_all", n=n, d_model=d_model)]
    return Reel(f'<div class="stack" role="table" aria-label="X">{rows}</div>', says, text("found_stack_label"))


def _cells(row, columns, limit) -> str:
    return "".join(
        '<span class="gap">…</span>' if c < 0 else f'<span class="cell" role="cell" style="{shade(row[c], limit)}">{digits(row[c])}</span>'
        for c in columns
    )


def product(tokens, X) -> Reel:
    """X · Xᵀ for the first words, filled cell by cell: a row of X across a column of Xᵀ."""
    answer, first, columns = products_of(X), X[:PRODUCT_WORDS], fold(X.shape[1], 4)
    m = len(first)
    names = [short(token, 9) for token in tokens[:m]]
    places = [(i, j) for i in range(m) for j in range(m)]
    lit_rows = [" ".join(str(i * m + j + 1) for j in range(m)) for i in range(m)]
    lit_columns = [" ".join(str(i * m + j + 1) for i in range(m)) for j in range(m)]
    left = "".join(f'<tr data-on="{lit_rows[i]}">{_th(names[i])}{_tds(first[i], columns)}</tr>' for i in range(m))
    turned = "".join(_turned_row(first, c, lit_columns) for c in columns)
    filled = "".join(
        f"<tr>{_th(names[i])}" + "".join(
            f'<td class="answer" data-from="{i * m + j + 1}" data-on="{i * m + j + 1}"><span>{digits(answer[i, j])}</span></td>' for j in range(m)
        ) + "</tr>" for i in range(m)
    )
    head = "<tr><td></td>" + "".join(f'<th scope="col"><bdi>{escape(name)}</bdi></th>' for name in names) + "</tr>"
    html = (
        f'<div class="product"><table><caption>X</caption>{left}</table><b>·</b><table><caption>X<sup>T</sup></caption>{head.replace("<td></td>", "")}'
        f"{turned}</table><b>=</b><table><caption>X · X<sup>T</sup></caption>{head}{filled}</table></div>"
    )
    says = [_sum(tokens, first, columns, i, j, answer[i, j]) for i, j in places]
    return Reel(html, says, text("found_product_label"))


def _th(name: str) -> str:
    return f'<th scope="row"><bdi>{escape(name)}</bdi></th>'


def _tds(row, columns) -> str:
    return "".join("<td>…</td>" if c < 0 else f"<td>{digits(row[c])}</td>" for c in columns)


def _turned_row(first, c: int, lit) -> str:
    """One row of the turned grid: the same number of every word."""
    cells = "".join(f'<td data-on="{on}">{"…" if c < 0 else digits(row[c])}</td>' for row, on in zip(first, lit))
    return f"<tr>{cells}</tr>"


def _sum(tokens, first, columns, i: int, j: int, total: float) -> str:
    """The products of one cell, written out as far as they are drawn."""
    shown = [c for c in columns if c >= 0]
    terms = [f"{_bracketed(first[i, c])} × {_bracketed(first[j, c])}" for c in shown]
    hidden = first.shape[1] - len(shown)
    if hidden:
        rest = total - sum(float(first[i, c] * first[j, c]) for c in shown)
        terms.insert(-1, text("found_product_rest", hidden=hidden, rest=_bracketed(rest)))
    return text("found_product", row=tokens[i], column=tokens[j], terms=" + ".join(terms), total=digits(total))


def _bracketed(x: float) -> str:
    return f"({digits(x)})" if x < 0 else digits(x)
