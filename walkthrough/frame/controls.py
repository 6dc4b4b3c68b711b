"""The controls that every page shares, in the sidebar; each one writes one field of Settings."""

from zlib import crc32

import streamlit as st

from mha_core.parameters import head_width, legal_heads
from mha_core.tokens import MAX_TOKENS
from walkthrough.frame.own_model import own_model
from walkthrough.frame.state import change, settings
from walkthrough.lesson import counted, text
from walkthrough.settings import CHOICES, D_MODELS, SEEDS, sizes
from walkthrough.walk import Walk

EXAMPLES = (
    "the cat sat", "I led a team that built a scalable API.", "She is a great leader", "the dog saw the other dog",
    "man bites dog", "我爱你",
)


def hold(key: str, value) -> str:
    """Make a control show the current setting: written only where it differs, so that nothing typed is overwritten."""
    if st.session_state.get(key) != value:
        st.session_state[key] = value
    return key


def take(field: str, key: str) -> None:
    """Callback of a control: its value becomes the setting. What is no value of this field is passed over: nothing chosen,
    or the text of an option that the control no longer has."""
    value = st.session_state[key]
    if type(value) is type(getattr(settings(), field)):
        change(**{field: value})


def key_of(name: str, labels) -> str:
    """A key for a choice among these labels. Other labels make another control: Streamlit remembers a choice by its text."""
    return f"{name}_{crc32(repr(labels).encode('utf-8', 'replace'))}"


def sentence_box(place: str) -> None:
    """The box for the sentence; `place` tells the sidebar's from the start page's."""
    key = hold(f"{place}_sentence", settings().sentence)
    st.text_input(text("label_sentence"), key=key, on_change=take, args=("sentence", key), help=text("help_sentence", most=MAX_TOKENS))


def sentence_examples() -> None:
    """Good sentences to begin with, one click each."""
    with st.container(horizontal=True, key="examples"):
        for place, example in enumerate(EXAMPLES):
            st.button(example, key=f"example_{place}", on_click=change, kwargs={"sentence": example, "word": 64}, type="tertiary")


def sidebar(walk: Walk) -> None:
    """All shared controls."""
    with st.sidebar:
        st.html(f'<div class="brand">{text("app_title")}</div>')
        sentence_box("side")
        _source(walk)
        _width(walk)
        _divisor(walk)
        _looking_at(walk)
        with st.expander(text("label_more_controls")):
            _switches()


def _source(walk: Walk) -> None:
    """Where the numbers come from, and what only trained numbers have: a layer, and special tokens."""
    chosen = settings()
    key = hold("side_source", chosen.source)
    st.segmented_control(
        text("label_source"), CHOICES["source"], key=key, on_change=_take_source, args=(key,), width="stretch",
        format_func=lambda source: text(f"source_{source.replace('-', '_')}"), help=text("help_source"),
    )
    if chosen.source == "trained":
        key = hold("side_layer", chosen.layer)
        layers = range(1, sizes(chosen).layers + 1)
        st.select_slider(text("label_layer"), layers, key=key, on_change=take, args=("layer", key), help=text("help_layer"))
        key = hold("side_hide_special", chosen.hide_special)
        st.toggle(text("label_hide_special"), key=key, on_change=take, args=("hide_special", key), help=text("help_hide_special"))


def _take_source(key: str) -> None:
    """Another source. Hand-built heads know few sentences: what was typed is put aside, and comes back when one leaves them."""
    state, before, source = st.session_state, settings(), st.session_state[key]
    aside = state.get("put_aside") if before.source == "hand-built" else None
    if aside and source and source != before.source and aside["instead"] == before.sentence:
        change(source=source, sentence=aside["sentence"], word=aside["word"])
    else:
        take("source", key)
    if settings().source != before.source:
        chosen, state["put_aside"] = settings(), None
        if chosen.source == "hand-built" and chosen.sentence != before.sentence:
            state["put_aside"] = {"sentence": before.sentence, "word": before.word, "instead": chosen.sentence}


def _width(walk: Walk) -> None:
    chosen, p = settings(), walk.trace.parameters
    if chosen.source != "seeded":
        fixed = text(f"fixed_{chosen.source.replace('-', '_')}", d_model=p.d_model, h=p.h, d_k=p.d_k)
        st.html(f'<div class="under fixed">{fixed}</div>')
        own_model()
        return
    key = hold("side_d_model", chosen.d_model)
    st.select_slider(text("label_d_model"), D_MODELS, key=key, on_change=take, args=("d_model", key), help=text("help_d_model"))
    legal = legal_heads(chosen.d_model)
    key = hold(key_of("side_h", legal), chosen.h)
    st.select_slider(
        text("label_h"), legal, key=key, on_change=take, args=("h", key),
        help=text("help_h", d_model=chosen.d_model),
    )
    st.html(f'<div class="under">{text("value_h", heads=counted("heads", chosen.h), d_k=p.d_k)}</div>')
    with st.popover(text("label_try_h"), width="stretch"):
        try_heads("side")
    own_model()


def try_heads(place: str) -> None:
    """Any number of heads may be tried here, and the rule answers."""
    d_model = settings().d_model
    tried = st.number_input(text("label_try_h"), 1, 1024, 5, key=f"{place}_try_h", help=text("help_try_h"))
    try:
        says = text("try_h_works", h=tried, d_model=d_model, d_k=head_width(d_model, tried))
    except ValueError as refusal:
        says = str(refusal)
    st.text(says)


def _divisor(walk: Walk) -> None:
    key = hold("side_divisor", settings().divisor)
    st.segmented_control(
        text("label_divisor"), CHOICES["divisor"], key=key, on_change=take, args=("divisor", key),
        format_func=lambda choice: text(f"divisor_{choice}"), help=text("help_divisor"), width="stretch",
    )
    st.html(f'<div class="under">{text("under_divisor", divisor=f"{walk.trace.divisor:.4g}")}</div>')


def _looking_at(walk: Walk) -> None:
    chosen = settings()
    key = hold(key_of("side_word", walk.tokens), chosen.word)
    st.selectbox(
        text("label_word"), range(1, len(walk.tokens) + 1), key=key, on_change=take, args=("word", key),
        format_func=lambda place: f"{place} · {walk.tokens[place - 1]}",
    )
    heads = range(1, walk.trace.parameters.h + 1)
    key = hold(key_of("side_head", heads), chosen.head)
    st.selectbox(
        text("label_head"), heads, key=key, on_change=take, args=("head", key),
        format_func=lambda head: text("option_head", head=head),
    )


def _switches() -> None:
    chosen = settings()
    if chosen.source == "seeded":
        key = hold("side_positions", chosen.positions)
        st.toggle(text("label_positions"), key=key, on_change=take, args=("positions", key), help=text("help_positions"))
    key = hold("side_mask", chosen.mask)
    st.segmented_control(
        text("label_mask"), CHOICES["mask"], key=key, on_change=take, args=("mask", key),
        format_func=lambda choice: text(f"mask_{choice}"), help=text("help_mask"), width="stretch",
    )
    if chosen.source == "seeded":
        key = hold("side_seed", chosen.seed)
        st.number_input(text("label_seed"), *SEEDS, key=key, step=1, on_change=take, args=("seed", key), help=text("help_seed"))
