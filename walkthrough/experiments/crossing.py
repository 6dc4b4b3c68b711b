"""One sentence asks, another answers: the same walk with keys and values from a second sentence."""

from dataclasses import replace

from mha_core.attention import attend
from mha_core.tokens import MAX_TOKENS, shorten, tokenize
from walkthrough.lesson import text
from walkthrough.settings import Note, Settings, has_words
from walkthrough.walk import Walk, walk_of


def other_sentence(settings: Settings) -> tuple[str, list[Note]]:
    """The second sentence: the first tokens of what was typed, or the one we offer where nothing was."""
    if settings.source == "hand-built":
        asked = settings.other not in ("", settings.sentence)
        return settings.sentence, [Note("lab_note_other_hand", {})] if asked else []
    if not has_words(settings.other):
        asked = [Note("lab_note_other", {"used": text("lab_other_default")})] if settings.other else []
        return text("lab_other_default"), asked
    kept, n = shorten(settings.other)
    if kept == settings.other:
        return kept, []
    return kept, [Note("lab_note_other_long", {"n": f"{n:,}", "most": MAX_TOKENS, "last": tokenize(kept)[-1]})]


def cross_walk(settings: Settings) -> Walk:
    """The walk in which settings.sentence asks and settings.other is looked at. A causal mask does not apply to it.

    Both sentences are made into numbers the same way, by the source of numbers that the settings name.
    """
    settings = replace(settings, mask="none", cell="", trail="")
    asks = walk_of(settings)
    answers = walk_of(replace(settings, sentence=other_sentence(settings)[0], word=1))
    own = asks.trace
    trace = attend(own.X, own.parameters, context=answers.trace.X, divisor=own.divisor)
    return replace(asks, trace=replace(trace, E=own.E, P=own.P), other_tokens=answers.tokens)
