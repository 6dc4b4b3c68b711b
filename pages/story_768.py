"""Story: why 768. A small calculator for d_model, h and d_v that also takes pairs which do not fit."""

from walkthrough import frame, story_rows
from walkthrough.frame import tables
from walkthrough.lesson import text
from walkthrough.widths import Widths

frame.walk()
page = frame.Page("story_768")
page.say("what", "why")
chosen = Widths(*tables.three_widths("768", (768, 12, 64)))
values = story_rows.width_values(chosen)
if chosen.is_even_share and not chosen.fits:
    tables.note(chosen.refusal)
    tables.bands(story_rows.broken_strips(chosen), text("strip_broken", h=chosen.h, d_v=chosen.share, rest=chosen.left_over))
    page.say("picture_broken", values=values)
else:
    tables.bands(story_rows.width_strips(chosen), text("strip_heads_size", h=chosen.h, d_v=chosen.d_v))
    page.say("picture" if chosen.concat == chosen.d_model else "picture_free", values=values)
page.edges()
tables.step_link("step_7_mix")
