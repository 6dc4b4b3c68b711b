"""Free sentences: a small library with something to look for in each, and room for your own."""

from mha_core.tokens import MAX_TOKENS
from walkthrough import frame
from walkthrough.frame import lab

walk = frame.walk()
page = lab.page("lab_sentences")
page.say("what")
lab.paste_box(MAX_TOKENS)
page.caption("picture", values={"most": str(MAX_TOKENS)})
lab.library()
page.say("why")
page.closing()
