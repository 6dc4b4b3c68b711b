"""Step 7: the heads side by side, then one last matrix lets them talk."""

from mha_core.attention import shares
from walkthrough import frame, what_if
from walkthrough.figures.shares import describe_shares, head_shares
from walkthrough.lesson import text

walk = frame.walk()
page = frame.Page("step_7_mix")
page.say("what", "why")
page.caption("picture")
frame.sheet("heads[all] ⇒ concat", "concat × W_O = output", key="step_7")
page.caption("picture_shares")
off = frame.switch("head_off", text("label_head_off_this", head=walk.head + 1))
frame.sheet("shares[all] = output", key="step_7_shares", of=what_if.walk_without_head(walk) if off else None)
if off:
    page.caption("picture_off")
shown = what_if.walk_without_head(walk) if off else walk
parts = shares(shown.trace)[:, walk.word], shown.trace.output[walk.word]
frame.drawing(lambda palette: head_shares(*parts, palette, shown.trace.parameters.b_O), describe_shares(*parts))
page.closing("concat", "output")
