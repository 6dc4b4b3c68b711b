"""The same sentence through the library that owns the model: how far are our numbers from its?"""

import streamlit as st

from walkthrough import frame, library
from walkthrough.digits import digits
from walkthrough.frame import trained
from walkthrough.lesson import text

page = frame.Page("lab_check")
page.say("what", "why")
if trained.is_there() and st.button(text("label_check_now"), key="check_now", type="primary"):
    try:
        with st.spinner(text("check_runs")):
            found = library.differences(frame.settings().sentence, frame.settings().model)
        rows = [[trained.name_of_check(name), digits(apart)] for name, apart in found.largest.items()]
        trained.table([text("check_what"), text("check_apart")], rows)
        page.caption("picture")
        trained.table(*trained.check_of_heads(found.heads))
        page.say("see")
    except ValueError as problem:
        st.text(str(problem))
