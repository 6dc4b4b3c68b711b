"""The first screen: a sentence to type, and the whole picture of it at once."""

import streamlit as st

from walkthrough import frame
from walkthrough.lesson import text

page = frame.Page("start")
page.say("what")
frame.sentence_box("start")
frame.sentence_examples()
page.caption("picture")
frame.whole("start")
frame.origin()
page.say("see", "begin")
if st.button(text("nav_begin"), type="primary", shortcut="Right"):
    frame.go_to("step_1_arrows")
page.folds()
