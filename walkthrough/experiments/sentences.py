"""A small library of sentences worth trying, and where a sentence that is too long is cut."""

from mha_core.tokens import MAX_TOKENS, shorten, tokenize
from walkthrough.settings import has_words

# A name in the catalogue (lab_sentence_… and lab_look_…) and the step where there is something to see.
LIBRARY = (
    ("pronoun", "step_6_heads"), ("repeated", "step_1_arrows"), ("order", "step_1_arrows"),
    ("negation", "step_4_softmax"), ("language", "step_3_scores"), ("scripts", "step_1_arrows"),
    ("code", "step_3_scores"), ("numbers", "step_1_arrows"), ("one", "step_4_softmax"), ("lead", "step_5_blend"),
)  # fmt: skip


def left_out(sentence: str) -> tuple[str, ...]:
    """The tokens beyond the limit, which no page looks at."""
    if not has_words(sentence):
        return ()
    kept, n = shorten(sentence)
    return tokenize(sentence)[MAX_TOKENS:] if n > MAX_TOKENS else ()
