"""Change a number: overwrite it, and see everything downstream follow."""

from mha_core.stages import grid_of
from walkthrough import experiments, frame
from walkthrough.figures import lab_tables as tables
from walkthrough.frame import lab, overwriting

walk = frame.walk()
page = lab.page("lab_change")
page.say("what")
changes, notes = experiments.read_changes(frame.settings().changes, walk)
lab.put_right(notes, changes=experiments.spell_changes(changes, walk))
after = experiments.overwrite(walk, changes)
overwriting.beginnings(walk, changes)
field, index = overwriting.target(walk, changes)
overwriting.choose_target(walk, field, index)
overwriting.write_controls(walk, changes, field, index, float(grid_of(after.trace, field)[index]))
if changes:
    lab.show(tables.change_list(changes, walk, after))
    found = experiments.what_changed(walk, after)
    page.caption("picture")
    lab.show(tables.changed_bars(found, after))
    if found:
        fields = tuple(one.field for one in found)
        chosen = lab.pick_stage("change", fields, fields[-1])
        page.caption("picture_grids")
        lab.show(tables.before_and_after(walk, after, found[fields.index(chosen)], lab.show_all("change")))
        with frame.fold("lab_change"):
            page.caption("picture_sheet")
            frame.sheet(*tables.equations(chosen, changes), key="lab_change", of=after)
        lab.door_of(chosen)
else:
    page.caption("picture_nothing")
    frame.sheet("X", "Q · K.T = scores", key="lab_change_real")
page.say("why")
page.closing()
