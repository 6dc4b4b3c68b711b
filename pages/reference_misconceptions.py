"""Mistakes that have a name: right and wrong side by side on this sentence, and the invariant that breaks."""

from walkthrough import frame
from walkthrough.frame import reference

frame.walk()
page = frame.Page("reference_misconceptions")
page.say("what")
name = reference.choose_misconception()
page.say(f"picture_{name.lower()}")
reference.demonstration(name)
frame.origin()
