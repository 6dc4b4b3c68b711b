"""Which trained head does what you have in mind, in your own sentence?"""

import streamlit as st

from walkthrough import frame
from walkthrough.frame import trained, view
from walkthrough.frame.controls import key_of
from walkthrough.lesson import text
from walkthrough.sources import pieces_of
from walkthrough.trained import PATTERNS, find

page = frame.Page("lab_finder")
page.say("what", "why")
if trained.is_there():
    sentence, model = frame.settings().sentence, frame.settings().model
    tokens = pieces_of(sentence, model).tokens
    pattern = st.selectbox(
        text("label_pattern"), PATTERNS, format_func=lambda name: text(f"pattern_{name}"),
        **view.control("pattern", "finder_pattern", PATTERNS, PATTERNS[0]),
    )
    query, key = 1, 1
    if pattern == "pair":
        places, second = range(len(tokens)), min(1, len(tokens) - 1)
        name = lambda place: f"{place + 1} · {tokens[place]}"  # noqa: E731
        query = st.selectbox(text("label_from_word"), places, index=second, format_func=name, key=key_of("finder_from", tokens))
        key = st.selectbox(text("label_to_word"), places, index=second, format_func=name, key=key_of("finder_to", tokens))
    page.caption("picture")
    try:
        trained.found_heads(find(sentence, pattern, query, key, model=model))
    except ValueError as impossible:
        st.text(str(impossible))
    page.say("see")
    trained.lesson_finds()
