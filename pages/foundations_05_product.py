"""Foundation 5: one cell of a product, and why the second grid has to be laid on its side."""

from walkthrough import frame
from walkthrough.drag import pictures, reels
from walkthrough.drag.readings import PRODUCT_WORDS
from walkthrough.frame import foundations
from walkthrough.lesson import text

walk = frame.walk()
n, d_model = walk.trace.X.shape
page = frame.Page("foundations_05_product")
page.say("what", "why")
foundations.show(pictures.clash(n, d_model), "clash")
page.caption("picture")
foundations.slide(reels.product(walk.tokens, walk.trace.X), "product")
if n > PRODUCT_WORDS:
    foundations.say(text("found_product_some", m=PRODUCT_WORDS, n=n))
foundations.closing(page.name)
