"""Every symbol with its current value and shape, and the conventions, here and elsewhere."""

from walkthrough import frame
from walkthrough.frame import reference
from walkthrough.frame.parts import live

SECTIONS = {"conventions": ("topic", "here"), "elsewhere": ("topic", "elsewhere"), "words": ("word", "sentence")}

frame.walk()
page = frame.Page("reference_notation")
page.say("what")
reference.symbols()
for section, heads in SECTIONS.items():
    page.say(f"picture_{section}")
    reference.explained(page.lesson.sections[f"picture_{section}_table"], live(), *(f"notation_{head}" for head in heads))
    if section == "elsewhere":
        reference.in_numbers()
frame.origin()
