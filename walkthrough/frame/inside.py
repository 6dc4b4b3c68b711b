"""What stands on the pages of the walk with trained numbers alone: what X was made of, and what a weight on [CLS] carries.

Both are said in sections of the lesson "trained_inside".
"""

from collections import ChainMap

from html import escape

import streamlit as st

from walkthrough import trained
from walkthrough.digits import digits
from walkthrough.frame.parts import live, walk
from walkthrough.frame.shell import page_link
from walkthrough.lesson import load, text
from walkthrough.phrases import percent
from walkthrough.small_grid import STYLE, Grid, places, table
from walkthrough.sources import pieces_of

PARTS = (("word", ""), ("position", "+"), ("kind", "+"), ("total", "="), ("X", "→"))
SIGNS = """<style>
.mini-part { display: flex; gap: 0.7rem; align-items: center; min-width: 0; }
.mini-part > :last-child { min-width: 0; }
.mini-sign { font-size: 1.5rem; color: var(--mha-muted); }
</style>"""


def trained_sum() -> None:
    """Under X of a trained model's first layer; nothing for any other X, which is not such a sum."""
    found = walk()
    chosen = found.settings
    if chosen.source != "trained" or chosen.layer != 1:
        return
    parts = trained.embedded(chosen.sentence, chosen.model)
    pieces = pieces_of(chosen.sentence, chosen.model)
    rows = list(pieces.kept) if chosen.hide_special else list(range(len(pieces.tokens)))
    _say("picture_parts", _said(trained.norm_at(parts, rows[found.word], chosen.model)))
    grids = [Grid(text(f"parts_{name}"), getattr(parts, name)[rows], found.tokens, places(parts.X.shape[1])) for name, _ in PARTS]
    drawn = (f'<div class="mini-part">{_sign(sign)}<div>{table(grid)}</div></div>' for grid, (_, sign) in zip(grids, PARTS))
    st.html(f'{STYLE}{SIGNS}<div class="minis">{"".join(drawn)}</div>')


def carried_by_the_frame() -> None:
    """How much of the chosen word's weight rests on [CLS] in this head, and how little or much that carries."""
    found = walk()
    chosen = found.settings
    if chosen.source != "trained" or chosen.hide_special or not pieces_of(chosen.sentence, chosen.model).added[0]:
        return
    brought = trained.brought_by_first(found.trace, found.head, found.word)
    said = {name: digits(brought[name]) for name in ("size", "others")}
    said |= {name: percent(brought[name]) for name in ("percent", "part")} | {"first": found.tokens[0]}
    _say("picture_carried", {f"carried_{name}": value for name, value in said.items()})
    page_link("lab_which_words", text("carried_more"))


def _say(section: str, values: dict[str, str]) -> None:
    filled = load("trained_inside").sections[section].fill(ChainMap(values, live()))
    st.html(f'<div class="caption"><div class="{section}">{filled}</div></div>')


def _said(found: dict[str, float]) -> dict[str, str]:
    """The numbers as text; those that follow a sign also in brackets where they are negative."""
    said = {name: digits(value) for name, value in found.items()}
    return said | {f"{name}_bracketed": f"({shown})" if found[name] < 0 else shown for name, shown in said.items()}


def _sign(sign: str) -> str:
    return f'<span class="mini-sign" aria-hidden="true">{escape(sign)}</span>' if sign else ""
