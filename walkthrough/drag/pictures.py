"""Pictures that one presses: HTML with every word escaped; what carries data-open tells the page when it is pressed."""

from html import escape

import numpy as np

from mha_core.parameters import head_width
from walkthrough.digits import digits
from walkthrough.figures.svg import fold
from walkthrough.lesson import text

KEEP = 8  # numbers of a row that are written out; the rest is said
NAMES = 6  # words and heads whose names are drawn side by side
STRONGEST = 46  # how much of the hue a cell takes at most, so that its number can still be read


def words(tokens, row, chosen: int) -> str:
    """The words of the sentence as buttons in a row, and under them the list of numbers of the chosen one."""
    chips = "".join(
        _button(f"word:{i + 1}", f"<bdi>{escape(token)}</bdi>", i == chosen, "chip word") for i, token in enumerate(tokens)
    )
    return f'<div class="chips">{chips}</div><p class="says">{_e("found_becomes")}</p>{numbers(row)}'


def budget(tokens, X, chosen: int, sizes) -> str:
    """Every number of the chosen word as a swatch, and a button for each size of the budget that can be had."""
    n, d_model = X.shape
    chips = "".join(_button(f"d_model:{size}", str(size), size == d_model, "chip") for size in sizes)
    label = _e("found_budget_label" if len(sizes) > 1 else "found_budget_fixed")
    limit = _limit(X)
    swatches = "".join(f'<i style="{shade(v, limit)}" title="{i + 1}: {digits(v)}"></i>' for i, v in enumerate(X[chosen]))
    says = _e("found_budget", word=tokens[chosen], d_model=d_model, n=n, total=f"{n * d_model:,}")
    return (
        f'<p class="label">{label}</p><div class="chips">{chips}</div>'
        f'<div class="swatches" role="img" aria-label="{_e("found_swatches", d_model=d_model)}">{swatches}</div><p class="says">{says}</p>'
    )


def clash(n: int, d: int) -> str:
    """The shapes of X · X and of X · Xᵀ, their inner numbers marked; the first pair fits at most by chance."""
    before = "found_clash_chance" if n == d else "found_clash"
    rows = (("X · X", (n, d), (n, d), n == d, _e(before, n=n, d=d)), ("X · Xᵀ", (n, d), (d, n), True, _e("found_fits", n=n, d=d)))
    return "".join(
        f'<div class="shapes {"fits" if fits else "clash"}"><b>{name}</b> <span class="box">{left[0]} × <em>{left[1]}</em></span>'
        f'<span class="box"><em>{right[0]}</em> × {right[1]}</span> <span class="says">{says}</span></div>'
        for name, left, right, fits, says in rows
    )


def names(tokens, h: int, letter: str, word: int, head: int, row) -> str:
    """Who is called what: a button for every word and head, and how the chosen name is read aloud. Counted from 0."""
    rows, heads = some(len(tokens), word, NAMES), some(h, head, NAMES)
    top = "".join(f'<th scope="col">{_e("option_head", head=j + 1) if j >= 0 else "…"}</th>' for j in heads)
    body = "".join(_names_of_word(tokens, i, heads, letter, word, head) for i in rows)
    role = {"q": "query", "k": "key", "v": "value"}[letter]
    say = _e(f"found_aloud_{letter}", i=word + 1, j=head + 1)
    means = _e(f"found_means_{letter}", word=tokens[word], i=word + 1, j=head + 1)
    return (
        f'<table class="names role-{role}"><thead><tr><td></td>{top}</tr></thead><tbody>{body}</tbody></table>'
        f'<div aria-live="polite"><p class="aloud role-{role}">{_name(letter, word, head)} <span>{say}</span></p>'
        f'<p class="says">{means}</p></div>{numbers(row)}'
    )


def _names_of_word(tokens, i, heads, letter, word, head) -> str:
    if i < 0:
        return f'<tr><th scope="row">…</th>{"<td></td>" * len(heads)}</tr>'
    cells = "".join(
        "<td>…</td>" if j < 0 else
        f'<td>{_button(f"name:{i + 1}.{j + 1}", _name(letter, i, j), (i, j) == (word, head), "name")}</td>' for j in heads
    )
    return f'<tr><th scope="row"><bdi>{escape(tokens[i])}</bdi></th>{cells}</tr>'


def _name(letter: str, i: int, j: int) -> str:
    return f"<i>{letter}</i><sub>{i + 1},{j + 1}</sub>"


def bands(d_model: int, h: int, choices) -> str:
    """d_model numbers cut into h bands, or the reason why that cannot be done; a button for each h."""
    chips = "".join(_button(f"h:{k}", str(k), k == h, "chip") for k in choices)
    try:
        d_k, says = head_width(d_model, h), ""
    except ValueError as refusal:
        d_k, says = 0, escape(str(refusal))
    if d_k:
        says = _e("found_cut", h=h, d_k=d_k, d_model=d_model)
        band = "".join(_band(i, d_k) for i in range(h))
    else:
        band = f'<span class="band broken">{d_model}</span>'
    return (
        f'<p class="label">{_e("found_cut_label", d_model=d_model)}</p><div class="chips">{chips}</div>'
        f'<div class="whole-row">{d_model}</div><div class="bands">{band}</div><p class="says" aria-live="polite">{says}</p>'
    )


def _band(i: int, d_k: int) -> str:
    columns = _e("found_columns", head=i + 1, first=i * d_k + 1, last=(i + 1) * d_k)
    return f'<span class="band" style="--hue:var(--mha-head-{i % 8 + 1})" title="{columns}">{d_k}</span>'


def numbers(row, keep: int = KEEP) -> str:
    """A row of numbers in cells: the first ones and the last, and how many stand between."""
    row = np.asarray(row, float)
    limit, cells = _limit(row), []
    for c in fold(len(row), keep):
        hidden = len(row) - keep
        cells.append(f'<span class="more">{_e("found_more", hidden=hidden)}</span>' if c < 0 else
                     f'<span class="cell" style="{shade(row[c], limit)}">{digits(row[c])}</span>')
    return f'<div class="row">{"".join(cells)}</div>'


def some(count: int, chosen: int, keep: int) -> list[int]:
    """Which of many are drawn: all, or the first ones, the chosen one and the last, with −1 for every gap."""
    if count <= keep:
        return list(range(count))
    kept = sorted({*range(keep - 2), chosen, count - 1})
    return [kept[0], *(place for a, b in zip(kept, kept[1:]) for place in ([b] if b == a + 1 else [-1, b]))]


def shade(value: float, limit: float) -> str:
    """The background of a signed number as an inline style."""
    side = "high" if value >= 0 else "low"
    strength = round(STRONGEST * min(1.0, abs(value) / limit)) if limit else 0
    return f"background:color-mix(in srgb,var(--mha-signed-{side}) {strength}%,var(--mha-signed-zero))"


def _limit(values) -> float:
    return float(np.abs(values).max(initial=0.0))


def _button(opens: str, body: str, pressed: bool, css: str) -> str:
    return f'<button type="button" class="{css}" data-open="{opens}" aria-pressed="{"true" if pressed else "false"}">{body}</button>'


def _e(key: str, **values) -> str:
    """A text of the catalogue, escaped."""
    return escape(text(key, **values))
