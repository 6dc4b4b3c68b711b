"""Step 6: the same machine h times, each on its own narrow band."""

from walkthrough import frame, what_if
from walkthrough.lesson import text

walk = frame.walk()
page = frame.Page("step_6_heads")
page.say("what", "why")
page.caption("picture", "picture_heads")
shared = frame.switch("shared", text("label_shared", head=walk.head + 1))
if shared:
    page.caption("picture_shared")
frame.sheet("Q[all]", "weights[all]", "heads[all]", key="step_6", of=what_if.walk_sharing(walk) if shared else None)
with frame.fold("try_h"):
    frame.try_heads("step_6")
page.closing("Q", "scores", "weights", "heads")
