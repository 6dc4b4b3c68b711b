"""Foundation 7: query, key and value, and how their names are read."""

from walkthrough import frame
from walkthrough.drag import pictures
from walkthrough.frame import foundations
from walkthrough.lesson import text

walk = frame.walk()
trace = walk.trace
page = frame.Page("foundations_07_qkv")
page.say("what", "why")
page.caption("picture")
letter = frame.choose("letter", ("q", "k", "v"), text("found_letter"))
grid = {"q": trace.Q, "k": trace.K, "v": trace.V}[letter]
picture = pictures.names(walk.tokens, trace.parameters.h, letter, walk.word, walk.head, grid[walk.head, walk.word])
foundations.press(picture, "names", foundations.choose_part)
big = letter.upper()
frame.sheet(f"X × W_{big} = {big}", key="foundations_07")
foundations.closing(page.name, origin=False)
