"""All heads of the trained model at a glance, and the ones that are easy to name."""

from walkthrough import frame
from walkthrough.frame import trained

page = frame.Page("lab_gallery")
page.say("what", "why")
if trained.is_there():
    page.caption("picture")
    trained.gallery()
    page.say("see")
    trained.lesson_finds()
