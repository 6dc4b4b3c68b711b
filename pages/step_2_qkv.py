"""Step 2: three grids from one, by three learned matrices."""

from walkthrough import frame

page = frame.Page("step_2_qkv")
page.say("what", "why")
page.caption("picture", "picture_query", "picture_key", "picture_value")
frame.sheet("X × W_Q = Q", "X × W_K = K", "X × W_V = V", key="step_2")
page.closing("Q")
