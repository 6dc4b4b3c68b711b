"""The map of the foundations: what needs what."""

from walkthrough import frame
from walkthrough.frame import foundations

page = frame.Page("foundations_12_map")
page.say("what")
foundations.map_of_symbols()
foundations.closing(page.name, origin=False)
