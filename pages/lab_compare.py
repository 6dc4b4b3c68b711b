"""Compare: what you see now (B) against what you pinned (A), stage by stage."""

from walkthrough import experiments, frame, own_models
from walkthrough.experiments.compare import FIELDS
from walkthrough.figures import comparison as tables
from walkthrough.frame import comparing, lab
from walkthrough.walk import walk_of

B = frame.walk()
page = lab.page("lab_compare")
page.say("what")
pinned, notes = experiments.pinned(B.settings.against, own_models.is_offered())
comparing.pairs()
comparing.pin_controls(pinned)
lab.put_right(notes, against=experiments.address_of(pinned) if pinned else "")
if pinned is None:
    page.caption("picture_nothing")
else:
    A = walk_of(pinned)
    lab.show(tables.what_differs(A, B))
    pairs = experiments.line_up(A.tokens, B.tokens, comparing.line_up_by())
    page.caption("picture", values=tables.partners(A, B, pairs))
    differences = experiments.compare(A, B, pairs)
    lab.show(tables.largest_bars(differences, A, B, pairs))
    field = lab.pick_stage("compare", FIELDS, "weights")
    page.caption("picture_grids")
    chosen = differences[FIELDS.index(field)]
    lab.show(tables.three_grids(chosen, A, B, pairs, B.head, lab.show_all("compare")))
    frame.origin()
    lab.door_of(field)
page.say("why")
page.closing()
