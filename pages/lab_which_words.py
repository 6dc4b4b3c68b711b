"""Which words matter? Four answers that do not agree."""

from walkthrough import frame, trained
from walkthrough.digits import digits
from walkthrough.figures.ranks import describe_ranks, ranks
from walkthrough.frame import trained as parts
from walkthrough.lesson import text
from walkthrough.sources import pieces_of

page = frame.Page("lab_which_words")
page.say("what", "why")
if parts.is_there():
    sentence, model = frame.settings().sentence, frame.settings().model
    kept = list(pieces_of(sentence, model).kept)
    words = [pieces_of(sentence, model).tokens[place] for place in kept]
    answers = {text(f"matters_{name}"): values for name, values in trained.answers(sentence, model).items()}
    chosen = frame.settings().source
    if chosen != "trained":
        page.caption("picture_source", values={"source": text(f"source_{chosen.replace('-', '_')}")})
    if lowered := trained.written_small(sentence, model):
        page.caption("picture_small", values={"typed": lowered[0], "read": lowered[1]})
    page.caption("picture")
    frame.drawing(lambda palette: ranks(answers, words, palette), describe_ranks(answers, words))
    parts.table([text("limits_word"), *answers], [
        [word, *(digits(float(values[i])) for values in answers.values())] for i, word in enumerate(words)
    ])
    page.say("see")
