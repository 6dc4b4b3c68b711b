"""The only room that knows Streamlit, beside app.py and pages/: what a page says in one line is drawn here."""

from walkthrough.frame.controls import sentence_box, sentence_examples, sidebar, try_heads
from walkthrough.frame.origins import origin
from walkthrough.frame.parts import Page, choose, contents, fold, sheet, switch
from walkthrough.frame.pictures import drawing, figure, whole
from walkthrough.frame.pins import turn_to_pin
from walkthrough.frame.running import compute, run, walk
from walkthrough.frame.shell import PAGES, above_page, go_to, navigate, page_link, steps, style
from walkthrough.frame.state import restore, settings

__all__ = [
    "PAGES", "Page", "above_page", "choose", "compute", "contents", "drawing", "figure", "fold", "go_to", "navigate", "origin", "page_link", "restore", "run",
    "sentence_box", "sentence_examples", "settings", "sheet", "sidebar", "steps", "style", "switch", "try_heads",
    "turn_to_pin", "walk", "whole",
]
