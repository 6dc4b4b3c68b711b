"""Foundation 10: a weighted sum of value rows."""

from mha_core import attention
from walkthrough import frame
from walkthrough.drag import readings
from walkthrough.figures.blend import blend, describe_blend
from walkthrough.frame import foundations
from walkthrough.lesson import text

walk = frame.walk()
V, names = walk.trace.V[walk.head, :3], walk.other_tokens[:3]
page = frame.Page("foundations_10_blend")
page.say("what", "why")
page.caption("picture")
chosen = frame.choose("shares", ("example", "one", "equal", "real"), text("found_blend"))
weights = readings.blends(walk.trace.weights[walk.head, walk.word, :3])[chosen]
parts = weights, V, names, attention.blend(weights[None], V)[0]
frame.drawing(lambda palette: blend(*parts, palette), describe_blend(*parts))
if chosen == "real":
    foundations.say(text("found_blend_real", word=walk.tokens[walk.word], head=walk.head + 1))
elif len(names) == 3:
    foundations.say(text("found_blend_some", head=walk.head + 1))
else:
    foundations.say(text("found_blend_fewer", n=len(names)))
foundations.closing(page.name)
