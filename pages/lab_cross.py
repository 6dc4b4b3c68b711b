"""Cross-attention: one sentence asks, another one answers."""

from walkthrough import experiments, frame
from walkthrough.frame import lab
from walkthrough.lesson import text
from walkthrough.numbers import numbers

SHEETS = {
    "one": ("X", "context"), "two": ("X × W_Q = Q", "context × W_K = K", "context × W_V = V"),
    "three": ("Q · K.T = scores",), "four": ("scores → scaled → masked → weights",),
    "five": ("weights × V = heads",),
    "six": ("Q[all]", "weights[all]", "heads[all]"), "seven": ("heads[all] ⇒ concat", "concat × W_O = output"),
}  # fmt: skip
STEPS = ("step_1_arrows", "step_2_qkv", "step_3_scores", "step_4_softmax", "step_5_blend", "step_6_heads", "step_7_mix")

settings = frame.settings()
sentence, notes = experiments.other_sentence(settings)
walk = experiments.cross_walk(settings)
values = numbers(walk)
page = lab.page("lab_cross")
page.say("what", values=values)
lab.other_box(sentence)
lab.notes(notes)
if settings.mask == "causal":
    page.caption("picture_causal")
step = frame.choose("lab_cross", tuple(SHEETS), text("lab_cross_step"))
page.caption(f"picture_{step}", values=values)
frame.sheet(*SHEETS[step], key=f"lab_cross_{step}", of=walk)
lab.doors(STEPS[list(SHEETS).index(step)])
page.say("why", values=values)
page.closing()
