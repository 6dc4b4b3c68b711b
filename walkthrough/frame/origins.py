"""Where the numbers come from: said wherever numbers are shown."""

from html import escape

import streamlit as st

from walkthrough.frame.running import walk
from walkthrough.lesson import text
from walkthrough.sources import Pieces, pieces_of


def origin() -> None:
    """Where the numbers come from, said where they are shown."""
    st.html(f'<div class="origin">{escape(" ".join(origin_said()))}</div>')


def origin_said() -> list[str]:
    """Whose numbers these are, that all are computed, and whether special tokens are hidden, wherever they are."""
    found = walk()
    chosen = found.settings
    key = f"origin_{chosen.source.replace('-', '_')}"
    said = [text(key, seed=chosen.seed, layer=chosen.layer, model=found.origin), text("origin_every")]
    if chosen.source == "trained":
        said.append(text("origin_hidden" if chosen.hide_special else "origin_special"))
        said += _said_of_pieces(pieces_of(chosen.sentence, chosen.model))
    return said


def _said_of_pieces(pieces: Pieces) -> list[str]:
    """What happened to text that looks like a special token, and to what did not fit into the model."""
    typed = dict.fromkeys(pieces.tokens[place] for place in pieces.typed)
    said = [text("origin_typed", typed=", ".join(typed))] if typed else []
    return said + ([text("origin_left_out", n=pieces.left_out)] if pieces.left_out else [])
