"""Lab: what the divisor does to one row, and to drawn vectors from d_k = 2 to 512."""

from mha_core.gradient import gradient_size, softmax_jacobian
from mha_core.sweep import sweep
from walkthrough import frame, lab_rows
from walkthrough.figures.bars import describe_divisors, divisors
from walkthrough.figures.curves import curves, describe_curves
from walkthrough.frame import tables
from walkthrough.lesson import text

walk = frame.walk()
d_k = walk.trace.parameters.d_k
found, now = sweep(walk.settings.seed), lab_rows.nearest_size(d_k)
values = lab_rows.sweep_values(found, d_k)
head = [text(f"col_{name}") for name in ("divided_by", "largest", "entropy", "gradient", "reaching")]
page = frame.Page("lab_scaling")
rows = lab_rows.row_under_divisors(walk)
values |= lab_rows.row_values(walk, rows)
page.say("what", "why", values=values)
page.caption("picture_row")
frame.drawing(
    lambda palette: divisors(rows, walk.other_tokens, palette, walk.partner), describe_divisors(rows, walk.other_tokens)
)
tables.table(head, lab_rows.row_numbers(rows, d_k), text("table_caption_row"))
page.caption("picture_numbers", values=values)
page.say("picture", values=values)
which = frame.choose("sweep", ("gradient", "spread", "largest", "entropy"), text("label_sweep"))
lines, x, y = lab_rows.sweep_lines(found, which)
page.caption(f"picture_{which}", values=values)
frame.figure(lambda palette: curves(lines, x, y, palette, now), describe_curves(lines, x.title, text("curve_said")), key="sweep")
tables.table(head, lab_rows.sweep_numbers(found, d_k), text("table_caption_sweep", d_k=now))
page.edges()
tables.code(softmax_jacobian, gradient_size)
tables.step_link("step_4_softmax")
