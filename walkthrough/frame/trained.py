"""Parts of the pages on trained heads: the gallery, a list of found heads, and what is said where no model is installed."""

from html import escape

import streamlit as st

from mha_core.pretrained import EncoderUnavailable
from walkthrough import trained
from walkthrough.digits import digits
from walkthrough.figures.gallery import gallery as draw_gallery
from walkthrough.frame.pictures import picture
from walkthrough.frame.shell import go_to
from walkthrough.frame.state import change, settings
from walkthrough.lesson import text
from walkthrough.sources import encoder


def is_there(model: str | None = None) -> bool:
    """Whether the chosen trained model (or this one) can be read; where not, the page says what is true and what to do."""
    try:
        encoder(settings().model if model is None else model)
    except EncoderUnavailable as problem:
        st.html(f'<div class="note" role="status">{escape(str(problem))}</div>')
        return False
    return True


def open_head(layer: int, head: int, sentence: str | None = None) -> None:
    """Walk this trained head (counted from 1), in the chosen sentence or in one that shows it well."""
    fields = {"source": "trained", "layer": layer, "head": head, "mask": "none", "divisor": "sqrt"}
    change(**fields, **({"sentence": sentence, "model": ""} if sentence else {}))  # the lesson's finds are the packaged model's
    st.session_state["turn_to"] = "step_4_softmax"


def gallery() -> None:
    """All heads of all layers for the current sentence; a click walks the head."""
    chosen = settings()
    names = {name: text(f"trained_{name}") for name in ("layer", "head", "gallery_describe")}
    weights = [trace.weights for trace in trained.reading(chosen.sentence, chosen.model).traces]
    opened = picture(draw_gallery(weights, (chosen.layer - 1, chosen.head - 1), names), "gallery")
    if opened:
        layer, head = opened.removeprefix("head:").split(".")
        open_head(int(layer), int(head))
        go_to(st.session_state.pop("turn_to"))


def found_heads(found) -> None:
    """Ranked heads, each with the number that ranks it and a way into its walk."""
    for place, one in enumerate(found):
        label = text("trained_found", layer=one.layer + 1, head=one.head + 1, score=digits(one.score))
        st.button(label, key=f"found_{place}", on_click=open_head, args=(one.layer + 1, one.head + 1), type="tertiary")


def name_of_check(name: str) -> str:
    """What the live check compared: "layer 3" and the like, in words."""
    kind, _, layer = name.partition(" ")
    return text(f"check_{kind}", layer=layer)


def check_of_heads(apart) -> tuple[list[str], list[list[str]]]:
    """The head and the rows of a table: a row a layer, a column a head."""
    layers, h = apart.shape
    top = [text("trained_layer"), *(text("option_head", head=head + 1) for head in range(h))]
    return top, [[str(layer + 1), *(digits(float(number)) for number in apart[layer])] for layer in range(layers)]


def lesson_finds() -> None:
    """The finds that the lesson is about, one click each."""
    for place, (pattern, layer, head, sentence) in enumerate(trained.LESSON_FINDS):
        label = text("trained_find", what=text(f"pattern_{pattern}"), layer=layer, head=head)
        st.button(label, key=f"find_{place}", on_click=open_head, args=(layer, head, sentence), type="tertiary")


def table(head: list[str], rows: list[list[str]]) -> None:
    """A small table as plain HTML; the first cell of a row is its heading."""
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    st.html(f'<div class="scroll"><table class="numbers"><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>')
