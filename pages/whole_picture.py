"""The whole in one picture, and once more in plain words."""

from walkthrough import frame
from walkthrough.frame.questions import say_it_back

page = frame.Page("whole_picture")
page.say("what")
page.caption("picture")
frame.whole("whole", keep=True)
frame.origin()
say_it_back(page)
page.closing()
