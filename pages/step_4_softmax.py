"""Step 4: divide the scores, then let softmax share 1 among the words."""

from walkthrough import frame, what_if
from walkthrough.figures.bars import describe_divisors, describe_row, divisors, row_to_weights
from walkthrough.lesson import text
from walkthrough.settings import CHOICES

walk = frame.walk()
trace = walk.trace
row = [grid[walk.head, walk.word] for grid in (trace.scores, trace.scaled, trace.masked, trace.weights)]
page = frame.Page("step_4_softmax")
page.say("what", "why")
page.caption("picture")
frame.sheet("scores → scaled → masked → weights", key="step_4")
page.caption("picture_row")
frame.drawing(
    lambda palette: row_to_weights(*row, walk.other_tokens, walk.partner, palette), describe_row(*row, walk.other_tokens)
)
if frame.switch("divisors", text("fold_divisors")):  # a chart that nobody asked for is not sent
    rows = {text(f"divisor_{name}"): what_if.weights_with(walk, name) for name in CHOICES["divisor"]}
    page.caption("picture_divisors")
    frame.drawing(
        lambda palette: divisors(rows, walk.other_tokens, palette, walk.partner), describe_divisors(rows, walk.other_tokens),
    )
page.closing("scaled", "masked", "weights")
