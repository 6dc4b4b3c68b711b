"""The frame of the app: look, state, navigation and the shared controls around whichever page is open."""

import streamlit as st

from walkthrough import frame
from walkthrough.lesson import text

st.set_page_config(page_title=text("app_title"), page_icon="assets/icon.svg", layout="wide", initial_sidebar_state="auto")
frame.style()
frame.restore()
walk = frame.compute()
page = frame.navigate()
st.set_page_config(page_title=text("page_title", page=page.title, app=text("app_title")))  # a name of its own in every tab
frame.turn_to_pin()
frame.above_page()
frame.sidebar(walk)
frame.run(page)
