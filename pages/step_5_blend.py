"""Step 5: every word takes its share of every value row."""

from walkthrough import frame
from walkthrough.figures.blend import blend, describe_blend
from walkthrough.frame import inside

walk = frame.walk()
trace = walk.trace
parts = trace.weights[walk.head, walk.word], trace.V[walk.head], walk.other_tokens, trace.heads[walk.head, walk.word]
page = frame.Page("step_5_blend")
page.say("what", "why")
page.caption("picture")
frame.sheet("weights × V = heads", key="step_5")
inside.carried_by_the_frame()
page.caption("picture_blend")
frame.drawing(lambda palette: blend(*parts, palette), describe_blend(*parts))
page.closing("heads")
