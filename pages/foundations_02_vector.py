"""Foundation 2: a list of numbers is an arrow, on a page or in a room."""

from walkthrough import frame
from walkthrough.figures.arrows import arrows, describe_arrows
from walkthrough.frame import foundations
from walkthrough.lesson import text

walk = frame.walk()
page = frame.Page("foundations_02_vector")
page.say("what", "why")
dims = frame.choose("vector", (2, 3), text("found_dimensions"))
if dims == 2:
    page.caption("picture")
    foundations.one_arrow(walk)
else:
    page.caption("picture_room")
    rows = walk.trace.X[:, :3], walk.tokens, walk.word
    frame.figure(lambda palette: arrows(*rows, palette, 3), describe_arrows(*rows), key="room")
foundations.closing(page.name)
