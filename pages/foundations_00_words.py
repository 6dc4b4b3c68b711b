"""Foundation 0: what we look at, words in a row, each with a list of numbers."""

from walkthrough import frame
from walkthrough.drag import pictures
from walkthrough.frame import foundations

walk = frame.walk()
page = frame.Page("foundations_00_words")
page.say("what")
page.caption("picture")
foundations.press(pictures.words(walk.tokens, walk.trace.X[walk.word], walk.word), "words", foundations.choose_part)
foundations.closing(page.name)
