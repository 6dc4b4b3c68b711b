"""Lab: what a layer costs, counted by formula and measured on this machine."""

from mha_core import cost
from walkthrough import frame, lab_rows, stopwatch
from walkthrough.figures.curves import curves, describe_curves
from walkthrough.frame import tables
from walkthrough.lesson import text

walk = frame.walk()
sizes = lab_rows.sizes_of(walk)
page = frame.Page("lab_cost")
page.say("what", "why")
tables.table([text(f"col_{name}") for name in ("cost", "formula", "now")], lab_rows.cost_rows(sizes))
page.caption("picture")
along = frame.choose("along", ("n", "d_model", "h"), text("label_along"))
lines, x, y, now = lab_rows.cost_lines(sizes, along)
page.caption(f"picture_{along}", values=lab_rows.cost_values(sizes))
frame.figure(lambda palette: curves(lines, x, y, palette, now), describe_curves(lines, x.title, text("curve_said")), key="cost")
page.say("picture_heads", values=lab_rows.cost_values(sizes))
heads = stopwatch.some_heads(sizes.d_model, sizes.h)
times = tables.on_request(
    "times", (sizes.n, sizes.d_model, sizes.h), text("button_measure"), lambda: stopwatch.time_all(sizes.n, sizes.d_model, sizes.h)
)
head = ["h", "d_k", "parameters", "multiplications", "weights_kept", "bytes"] + (["time", "times_one"] if times else [])
tables.table(
    [text(f"col_{name}") for name in head], lab_rows.heads_rows(sizes, heads, times and times[0]), text("table_caption_heads"),
    now=heads.index(sizes.h),
)
if times:
    page.caption("picture_times")
    timed, x_time, y_time = lab_rows.length_lines(times[1])
    frame.figure(
        lambda palette: curves(timed, x_time, y_time, palette), describe_curves(timed, x_time.title, text("curve_said")), key="times"
    )
    page.caption("picture_how", values={"least": str(stopwatch.LEAST), "most": str(stopwatch.RUNS)})
page.edges()
tables.code(cost.parameters, cost.multiplications, cost.weights_kept)
tables.step_link("step_6_heads")
