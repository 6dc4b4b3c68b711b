"""Foundation 6: two arrows, their dot product and their angle."""

from walkthrough import frame
from walkthrough.frame import foundations

page = frame.Page("foundations_06_dot")
page.say("what", "why")
page.caption("picture")
foundations.two_arrows(frame.walk())
foundations.closing(page.name)
