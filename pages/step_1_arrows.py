"""Step 1: a sentence becomes a grid of numbers, one row a word."""

from functools import partial

from mha_core.projection import projection
from walkthrough import frame
from walkthrough.figures.arrows import arrows, describe_arrows
from walkthrough.frame import inside
from walkthrough.lesson import text

walk = frame.walk()
trace = walk.trace
page = frame.Page("step_1_arrows")
page.say("what", "why")
if trace.P is None:
    page.caption("picture")
    frame.sheet("X", key="step_1")
    inside.trained_sum()
else:
    page.caption("picture", "picture_sum")
    frame.sheet("E + P = X", key="step_1")
dims = frame.choose("dimensions", (2, 3), text("label_dimensions"))
shadow = projection(trace.X, dims)
page.caption("picture_arrows")
picture = partial(arrows, shadow.places, walk.tokens, walk.word, dims=dims)
said = describe_arrows(shadow.places, walk.tokens, walk.word)
if dims == 3:  # a room that one turns by hand: worth its library, and only then loaded
    frame.figure(picture, said, key="arrows")
else:
    frame.drawing(picture, said)
page.closing("E", "P", "X")
