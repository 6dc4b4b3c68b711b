"""Foundation 4: rows on top of each other are a matrix."""

from walkthrough import frame
from walkthrough.drag import reels
from walkthrough.frame import foundations

walk = frame.walk()
page = frame.Page("foundations_04_matrix")
page.say("what", "why")
page.caption("picture")
foundations.slide(reels.stack(walk.tokens, walk.trace.X), "stack")
foundations.closing(page.name)
