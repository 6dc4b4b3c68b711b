"""Step 3: one dot product a pair of words."""

from walkthrough import frame
from walkthrough.figures.beams import beams, describe_beams
from walkthrough.figures.dot import describe_dot, dot
from walkthrough.frame import inside
from walkthrough.lesson import text

walk = frame.walk()
trace, head = walk.trace, walk.head
page = frame.Page("step_3_scores")
page.say("what", "why")
page.caption("picture", "picture_grid")
frame.sheet("Q · K.T = scores", key="step_3")
inside.why_they_meet()
page.caption("picture_beams")
grid = trace.scores[head], walk.tokens, walk.other_tokens, walk.word
frame.drawing(lambda palette: beams(*grid, palette, "score"), describe_beams(*grid, "score"))
if frame.switch("pair", text("fold_pair")):  # a chart that nobody asked for is not sent
    pair = trace.Q[head, walk.word], trace.K[head, walk.partner]
    page.caption("picture_pair")
    frame.drawing(lambda palette: dot(*pair, palette), describe_dot(*pair))
page.closing("scores")
