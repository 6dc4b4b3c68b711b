"""Plain text with symbols in it, made ready for a screen: as HTML, or as a label that stays as it was typed."""

import re
from html import escape

from walkthrough.lesson import formula_to_html

SYMBOL = re.compile(r"\bd_(?:model|[kv])\b|\b[WX]\^[QKVOT]\b|√d_\w+")
JOINER = "\u2060"  # a mark of no width: keeps signs from being read together as an emoji, an arrow or an address
PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def to_html(plain: str) -> str:
    """Escaped, with d_k, W^Q and the like set as formulas."""
    spans = (f'<span class="formula">{formula_to_html(found)}</span>' for found in SYMBOL.findall(plain))
    pieces = [escape(piece) for piece in SYMBOL.split(plain)]
    return pieces[0] + "".join(span + piece for span, piece in zip(spans, pieces[1:]))


def to_label(plain: str) -> str:
    """For labels that Streamlit reads as Markdown: every sign is shown, none of them means anything."""
    apart = re.sub(r"(?<=[!-/:-@\[-`{-~])(?=[!-/:-@\[-`{-~])|(?<=[:@.])(?=[^\W\d_])", JOINER, plain)
    return PUNCTUATION.sub(r"\\\1", apart)
