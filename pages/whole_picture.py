"""The whole in one picture, and once more in plain words."""

from walkthrough import frame

page = frame.Page("whole_picture")
page.say("what")
frame.whole("whole")
frame.origin()
page.say("retelling")
page.closing()
