"""The equipment checklist: a question a symbol, an own answer, and only then ours."""

from walkthrough import frame
from walkthrough.frame import foundations

page = frame.Page("foundations_13_checklist")
page.say("what")
foundations.checklist()
foundations.closing(page.name, origin=False)
