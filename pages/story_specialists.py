"""Story: every head hands in a report, concatenation lays the reports on one table, W_O decides."""

from mha_core.attention import shares
from walkthrough import frame, stories, story_rows
from walkthrough.figures.shares import describe_shares, head_shares
from walkthrough.frame import tables
from walkthrough.lesson import text

walk = frame.walk()
p = walk.trace.parameters
found = stories.reports(walk)
bias = stories.bias_part(walk)
values = story_rows.report_values(found, bias or 0.0)
page = frame.Page("story_specialists")
page.say("what", "why")
page.caption("picture_table")
tables.bands(story_rows.table_strips(p.h, p.d_v), text("strip_heads_size", h=p.h, d_v=p.d_v))
page.caption("picture")
frame.sheet("heads[all] ⇒ concat", key="specialists_table")
page.say("picture_decides")
frame.sheet("concat × W_O = output", key="specialists_mix")
page.caption("picture_sum")
frame.sheet("shares[all] = output", key="specialists_shares")
page.say("picture_most", values=values)
tables.table(
    [text(f"col_{name}") for name in ("report", "columns", "length", "part")], story_rows.report_rows(found, bias),
    text("table_caption_reports", word=walk.tokens[walk.word]), now=stories.loudest(found).head - 1, hues=True,
)
parts = shares(walk.trace)[:, walk.word], walk.trace.output[walk.word]
frame.drawing(lambda palette: head_shares(*parts, palette), describe_shares(*parts))
page.edges()
tables.step_link("step_7_mix")
