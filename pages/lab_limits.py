"""What attention weights do not tell, with live numbers of the trained model."""

from walkthrough import frame, trained
from walkthrough.digits import digits
from walkthrough.frame import tables
from walkthrough.frame import trained as parts
from walkthrough.lesson import text
from walkthrough.sources import encoder

page = frame.Page("lab_limits")
page.say("what")
if parts.is_there(""):
    sentence = frame.settings().sentence
    tired, wide = (trained.pronoun_looks(one) for one in (trained.TIRED, trained.WIDE))
    rests = trained.special_share(sentence)
    values = {
        "tired_animal": digits(tired["animal"]), "tired_street": digits(tired["street"]),
        "wide_animal": digits(wide["animal"]), "wide_street": digits(wide["street"]),
        "cls": digits(rests["[CLS]"]), "sep": digits(rests["[SEP]"]),
        "cosine": digits(trained.without_heads(sentence, (1, 3))),
        "cosine_six": digits(trained.without_heads(sentence, *((1, head) for head in range(1, 7)))),
    }
    page.say("picture_understands", "picture_importance", "picture_rests", values=values)
    parts.table([text("limits_word"), "animal", "street"], [
        [text("limits_tired"), values["tired_animal"], values["tired_street"]],
        [text("limits_wide"), values["wide_animal"], values["wide_street"]],
    ])
    tables.told_origin(text("limits_model", model=encoder().name))
frame.page_link("lab_which_words")
