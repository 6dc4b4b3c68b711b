"""What stands on the pages of the walk for one source of numbers alone.

Trained: what X was made of, and what a weight on [CLS] carries (lesson "trained_inside"). Hand-built: why a query and a
key meet.
"""

from collections import ChainMap
from html import escape

import numpy as np
import streamlit as st

from walkthrough import trained
from walkthrough.digits import digits
from walkthrough.frame.parts import fold
from walkthrough.frame.running import live, walk
from walkthrough.frame.shell import page_link
from walkthrough.lesson import load, text
from walkthrough.phrases import percent
from walkthrough.small_grid import STYLE, Grid, largest, places, table
from walkthrough.sources import BY_HAND, pieces_of

PARTS = {"word": "", "position": "+", "kind": "+", "total": "=", "X": "→"}
WIDE = """<style>
.mini-part .mini th[scope="row"] { min-width: 4.4rem; }
.caption .picture_parts p + p { margin-top: 0.5rem; }
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
    columns, whole = places(parts.X.shape[1]), {name: getattr(parts, name)[rows] for name in PARTS}
    mine = np.stack([grid[found.word] for grid in whole.values()])
    labels = [f"{sign} {text(f'parts_{name}')}".strip() for name, sign in PARTS.items()]
    title = text("parts_of_word", word=found.tokens[found.word])
    st.html(f'{STYLE}{WIDE}<div class="mini-part">{table(Grid(title, mine, labels, columns))}</div>')
    with fold("parts"):
        grids = [Grid(label, grid, found.tokens, columns) for label, grid in zip(labels, whole.values())]
        limit = largest(*grids[:-1])
        drawn = [table(grid, limit) for grid in grids[:-1]] + [table(grids[-1])]
        st.html(f'<div class="minis">{"".join(f"<div class=mini-part>{one}</div>" for one in drawn)}</div>')


def why_they_meet() -> None:
    """With hand-built heads: why the chosen head's queries and keys meet, in the words of whoever wrote it."""
    found = walk()
    if found.settings.source != "hand-built":
        return
    built = BY_HAND[found.settings.sentence]
    said = text("hand_built_why", head=found.head + 1, title=built.titles[found.head], says=built.says[found.head])
    st.html(f'<div class="caption">{escape(said)}</div>')


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
