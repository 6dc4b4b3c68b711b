"""Foundation 8: d_model numbers are cut into h pieces of d_k."""

from walkthrough import frame
from walkthrough.drag import pictures
from walkthrough.frame import foundations
from walkthrough.lesson import text

page = frame.Page("foundations_08_heads")
page.say("what", "why")
page.caption("picture")
chosen = frame.choose("cut", ("512", "768", "own"), text("found_cut_of"))
d_model = frame.walk().trace.parameters.d_model if chosen == "own" else int(chosen)
foundations.press(pictures.bands(d_model, foundations.cut_by(), foundations.CUTS), "bands", foundations.cut)
foundations.closing(page.name, origin=False)
