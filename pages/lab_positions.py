"""Lab: positions as a grid and as waves, how they agree, and what a shuffled sentence notices of them."""

from mha_core.positions import sinusoid
from walkthrough import frame, lab_rows, order
from walkthrough.digits import digits
from walkthrough.figures.curves import curves, describe_curves
from walkthrough.figures.waves import waves
from walkthrough.frame import tables
from walkthrough.lesson import text

typed = frame.walk()
walk = order.seeded_view(typed)
n, width = len(walk.tokens), walk.trace.parameters.d_model
page = frame.Page("lab_positions")
page.say("what", "why")
if walk is not typed:
    tables.note(text("note_seeded_rows"))
on = tables.setting_switch("positions", text("label_positions"))
page.caption("picture_on" if on else "picture_off")
frame.sheet("E + P = X" if on else "X", key="lab_positions", of=None if walk is typed else walk)
shown, long = order.waves_shown(width), order.places_drawn(n)
page.caption("picture_waves")
titles = lab_rows.wave_titles(width, shown)
frame.figure(
    lambda palette: waves(sinusoid(long, width), shown, n, titles, text("curve_axis_place"), palette), " ".join(titles), key="waves"
)
lines, x, y = lab_rows.distance_lines(long, width)
page.caption("picture_distance", values=lab_rows.distance_values(long, width))
frame.figure(lambda palette: curves(lines, x, y, palette), describe_curves(lines, x.title, text("curve_said")), key="distance")
turn = tables.next_one("shuffle", text("button_shuffle"))
mixed = order.shuffle_of(n, turn)
with_places, without = (order.moved(walk, mixed, positions) for positions in (True, False))
page.say("picture_shuffle", values={
    "shuffled": " ".join(walk.tokens[i] for i in mixed), "moved_on": digits(with_places.max()), "moved_off": lab_rows.rounding(without.max()),
})
page.caption("picture_masked" if walk.trace.allowed is not None else "picture_unmasked")
head = [text(f"col_{name}") for name in ("word", "moved_to", "with_positions", "without_positions")]
tables.table(head, lab_rows.moved_rows(walk, mixed, with_places, without))
page.edges()
tables.code(sinusoid, order.output_of)
tables.step_link("step_1_arrows")
