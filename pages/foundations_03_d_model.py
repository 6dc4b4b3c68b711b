"""Foundation 3: d_model, the budget of numbers a word."""

from walkthrough import frame
from walkthrough.drag import pictures
from walkthrough.frame import foundations
from walkthrough.settings import D_MODELS

walk = frame.walk()
page = frame.Page("foundations_03_d_model")
page.say("what", "why")
page.caption("picture")
sizes = D_MODELS if walk.settings.source == "seeded" else (walk.trace.parameters.d_model,)
foundations.press(pictures.budget(walk.tokens, walk.trace.X, walk.word, sizes), "budget", foundations.choose_part)
foundations.closing(page.name)
