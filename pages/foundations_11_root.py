"""Foundation 11: dot products scatter by √d_k, so they are divided by it."""

from walkthrough import frame
from walkthrough.drag import readings
from walkthrough.figures.spread import describe_spread, scatter_of_dots
from walkthrough.frame import foundations
from walkthrough.lesson import text

page = frame.Page("foundations_11_root")
page.say("what", "why")
page.caption("picture")
d_k = foundations.pick("width", readings.WIDTHS, 64, text("found_width"))
found = readings.drawn(foundations.draw_again(frame.settings().seed))
names = {name: text(f"found_spread_{name}") for name in ("bare", "divided", "width", "height")}
frame.figure(
    lambda palette: scatter_of_dots(found, d_k, names, palette), describe_spread(found, readings.PAIRS, text("found_spread_alt")),
    key="spread",
)
foundations.say(text("found_spread", **readings.spread_at(found, d_k)))
foundations.closing(page.name, origin=False)
