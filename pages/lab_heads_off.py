"""Switch heads off: the output as a sum of shares, and what is missing from it."""

from walkthrough import experiments, frame
from walkthrough.figures import cells
from walkthrough.figures import lab_tables as tables
from walkthrough.frame import lab

walk = frame.walk()
page = lab.page("lab_heads_off")
page.say("what")
off, notes = experiments.read_off(walk.settings.off, walk.trace.parameters.h)
lab.put_right(notes, off=",".join(str(i + 1) for i in off))
lab.choose_heads_off(walk.trace.parameters.h, off)
without = experiments.walk_without(walk, off)
page.caption("picture", values=tables.heads_said(walk, off))
if off:
    page.caption("picture_missing")
    apart, length = experiments.distances(walk, without)
    lab.show(tables.distance_bars(walk, apart, length))
frame.sheet("shares[all] = output", key="lab_heads_off", of=without if off else None)
if off:
    limit = cells.limit_of(walk.trace.output)
    lab.show(tables.missing_grid(walk, experiments.missing(walk, off), limit, lab.show_all("heads_off")))
lab.doors("step_7_mix", "step_6_heads")
page.say("why")
page.closing("output")
