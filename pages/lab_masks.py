"""Masks: who may look at whom, ready-made or drawn by hand, and why the order of masking and softmax matters."""

from walkthrough import experiments, frame
from walkthrough.figures import lab_tables as tables
from walkthrough.frame import lab, masking

walk = frame.walk()
page = lab.page("lab_masks")
page.say("what")
kind, allowed = masking.kind_and_mask(walk)
masking.choose_kind(walk, kind, allowed)
lab.notes(masking.refused())
page.caption("picture_draw")
masking.draw_mask(walk, allowed)
masked = experiments.masked_walk(walk, allowed)
page.caption("picture_sums", values=tables.sums_said(walk, allowed))
lab.show(tables.sums_table(walk, experiments.row_sums(walk, allowed)))
page.caption("picture")
frame.sheet("scaled → masked → weights", key="lab_masks", of=masked)
lab.notes(masking.what_the_step_shows(kind))
lab.doors("step_4_softmax")
page.say("why")
page.closing("masked")
