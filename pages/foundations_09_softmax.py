"""Foundation 9: softmax turns scores into shares of 1."""

from walkthrough import frame
from walkthrough.drag.readings import SLIDERS
from walkthrough.frame import foundations
from walkthrough.lesson import text

walk = frame.walk()
page = frame.Page("foundations_09_softmax")
page.say("what", "why")
page.caption("picture")
foundations.sliders(walk)
if len(walk.other_tokens) > SLIDERS:
    foundations.say(text("found_share_some", m=SLIDERS, n=len(walk.other_tokens)))
foundations.closing(page.name)
