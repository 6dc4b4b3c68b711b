"""Foundation 1: n words, n × n meetings."""

from walkthrough import frame
from walkthrough.drag import reels
from walkthrough.frame import foundations

page = frame.Page("foundations_01_n")
page.say("what", "why")
page.caption("picture")
foundations.slide(reels.square(frame.walk().tokens), "square")
foundations.closing(page.name, origin=False)
