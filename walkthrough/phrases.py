"""Numbers in the form a reader sees: percentages, shapes, counts, and short lists such as “the” 33%, “cat” 39%.

A View is one walk seen through its chosen word and head. The partner is the key that this word looks at most in this
head.
"""

from functools import cached_property
from math import acos, degrees

import numpy as np

from mha_core.attention import shares
from mha_core.parameters import head_width
from walkthrough import what_if
from walkthrough.digits import digits
from walkthrough.lesson import counted, text
from walkthrough.walk import Walk

LISTED = 8  # so many words or heads are told in a sentence; the rest is counted
SHORT = 48  # letters of a sentence that fit a headline


class View:
    """A walk, its trace and parameters at hand, and the words that speak about them."""

    def __init__(self, walk: Walk, language: str = "en"):
        self.walk, self.trace, self.parameters, self.language = walk, walk.trace, walk.trace.parameters, language
        self.at = (walk.head, walk.word)

    @cached_property
    def partner(self) -> int:
        return int(self.trace.masked[self.at].argmax())

    @cached_property
    def other(self) -> int | None:
        """The word, not itself, that the chosen word scores highest with; None where there is no other way round."""
        if not self.trace.is_self_attention or len(self.walk.tokens) == 1:
            return None
        row = np.array(self.trace.scores[self.at])
        row[self.walk.word] = -np.inf
        return int(row.argmax())

    @cached_property
    def query(self) -> np.ndarray:
        return self.trace.Q[self.at]

    @cached_property
    def key(self) -> np.ndarray:
        return self.trace.K[self.walk.head, self.partner]

    @cached_property
    def partner_value(self) -> np.ndarray:
        return self.trace.V[self.walk.head, self.partner]

    def say(self, key: str, **values) -> str:
        return text(key, self.language, **values)

    def count(self, key: str, n: int) -> str:
        return counted(key, n, self.language)

    def word(self) -> str:
        return self.say("quoted", word=self.walk.tokens[self.walk.word])

    def named(self, j: int, words: tuple[str, ...] = ()) -> str:
        """A word in quotes, with its place where its sentence has it twice. No `words`: of those that are asked."""
        words = words or self.walk.other_tokens
        if words.count(words[j]) > 1:
            return self.say("quoted_place", word=words[j], place=j + 1)
        return self.say("quoted", word=words[j])

    def named_for(self, i: int, j: int) -> str:
        """The same, or “itself” where word i looks at itself."""
        return self.say("itself") if self.trace.is_self_attention and i == j else self.named(j)

    def percent(self, head: int, i: int, j: int) -> str:
        row = self.trace.masked[head, i]
        return percent(self.trace.weights[head, i, j], allowed=row[j] > -np.inf, only=np.sum(row > -np.inf) == 1)

    def listed(self, pieces: list[str], hidden: int, joint: str = ", ") -> str:
        return joint.join(pieces + [self.say("list_more", n=hidden)] * (hidden > 0))


# ---- plain numbers ---------------------------------------------------------------------------------------------
def percent(weight: float, *, allowed: bool = True, only: bool = False) -> str:
    """A weight as a percentage that never claims too much: 100% and 0% are kept for what a mask makes certain."""
    shown = 100 * float(weight)
    if only or not allowed:
        return "100%" if allowed else "0%"
    if shown >= 99.95:
        return ">99.9%"
    if shown < 0.05:
        return "<0.1%"
    return f"{shown:.1f}%" if shown > 98.5 or shown < 1.5 else f"{shown:.0f}%"


def whole(n: int) -> str:
    """A count: 72, 2,097,152."""
    return f"{n:,}"


def gap(view: View, a: np.ndarray, b: np.ndarray) -> str:
    """The largest difference of two grids, and a word to the reader where it is nothing but rounding."""
    largest = float(np.abs(a - b).max())
    rounding_only = 0 < largest < 1000 * np.finfo(b.dtype).eps * max(1.0, float(np.abs(b).max()))
    return view.say("gap_rounding", gap=digits(largest)) if rounding_only else digits(largest)


def at_most(view: View, verb: str, gap: str) -> str:
    """“move by at most 0.21”, or “do not move at all” where that is 0."""
    return view.say(f"not_at_all_{verb}") if gap == "0" else view.say(f"at_most_{verb}", gap=gap)


def settled(total: np.floating) -> str:
    """A sum without the last digits that only rounding put there: 1, not 0.9999999999999999."""
    return digits(round(float(total), 5 if total.dtype == np.float32 else 12))


def shape(*sizes: int) -> str:
    """(3, 8), as in the titles of the grids."""
    return f"({', '.join(map(str, sizes))})"


def shortened(sentence: str) -> str:
    """At most SHORT letters of a sentence, cut between words where that is possible."""
    if len(sentence) <= SHORT:
        return sentence
    cut = sentence[: SHORT - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[SHORT // 2 :] else cut).rstrip() + "…"


def illegal_heads(d_model: int) -> tuple[int, str]:
    """The smallest number of heads that does not divide d_model, and what the core says about it."""
    h = next(h for h in range(2, d_model + 2) if d_model % h)
    try:
        head_width(d_model, h)
    except ValueError as refused:
        return h, str(refused)
    raise AssertionError(f"{h} heads for {d_model} numbers should have been refused")


# ---- short lists and sentences about the chosen word -----------------------------------------------------------
def row(view: View) -> str:
    """Whom the chosen word looks at, the strongest first left in the order of the sentence."""
    weights = view.trace.weights[view.at]
    order = sorted(np.argsort(-weights, kind="stable")[:LISTED])
    pieces = [view.say("list_item", name=view.named(j), percent=view.percent(*view.at, j)) for j in order]
    return view.listed(pieces, len(weights) - len(order))


def rounding(view: View) -> str:
    """Why the percentages of the row may not come to 100."""
    shown = [view.percent(*view.at, j) for j in range(len(view.walk.other_tokens))]
    true = settled(view.trace.weights[view.at].sum())
    if any(text[0] in "<>" for text in shown):
        return view.say("rounding_bounds", sum=true)
    total = round(sum(float(text.strip("%")) for text in shown), 1)
    return view.say("no_rounding", sum=true) if total == 100 else view.say("rounding", total=f"{total:g}", sum=true)


def looks(view: View, head: int, i: int) -> dict[str, str]:
    """The key that word i looks at most in a head, and how much."""
    j = int(view.trace.masked[head, i].argmax())
    return {"partner": view.named_for(i, j), "percent": view.percent(head, i, j)}


def heads_looking(view: View) -> str:
    """Where the chosen word looks in each head."""
    h = view.parameters.h
    pieces = [view.say("head_looks", head=i + 1, **looks(view, i, view.walk.word)) for i in range(min(h, LISTED))]
    return view.listed(pieces, h - len(pieces), "; ")


def words_looking(view: View) -> str:
    """Where each word looks in the chosen head."""
    words = view.walk.tokens
    pieces = [
        view.say("word_looks", word=view.named(i, words), **looks(view, view.walk.head, i))
        for i in range(min(len(words), LISTED))
    ]
    return view.listed(pieces, len(words) - len(pieces), "; ")


def order_of_lanes(view: View) -> str:
    """Which columns of the concatenated grid belong to which head: the first two heads and the last."""
    h, width = view.parameters.h, view.parameters.d_v
    key = "head_column" if width == 1 else "head_columns"
    pieces = [
        view.say(key, head=i + 1, first=i * width + 1, last=(i + 1) * width) for i in sorted({0, min(1, h - 1), h - 1})
    ]
    return ", ".join(pieces[:-1] + ["…"] * (h > 3) + pieces[-1:])


def shares_of_first(view: View) -> str:
    """What each head gives to the first number of the chosen word's output."""
    column, bias = shares(view.trace)[:, view.walk.word, 0], view.parameters.b_O
    pieces = [view.say("share_of_head", number=digits(float(x)), head=i + 1) for i, x in enumerate(column[:LISTED])]
    hidden = len(column) - len(pieces)
    pieces += [] if bias is None else [view.say("share_bias", number=digits(float(bias[0])))]
    return view.listed(pieces, hidden)


def cut_early(view: View) -> str:
    """What goes wrong where X itself is cut into bands; one head has nothing to cut."""
    right = view.trace.Q[view.walk.head]
    off_by = gap(view, what_if.queries_cut_early(view.walk), right)
    return view.say("cut_early_many" if view.parameters.h > 1 else "cut_early_one", head=view.walk.head + 1, gap=off_by)


def mutual(view: View) -> str:
    """The score of the chosen word with another one, and the score the other way round."""
    if view.other is None:
        return view.say("mutual_one" if view.trace.is_self_attention else "mutual_two_sentences")
    scores, i, j = view.trace.scores[view.walk.head], view.walk.word, view.other
    there, back = digits(float(scores[i, j])), digits(float(scores[j, i]))
    return view.say("mutual_many", word=view.word(), other=view.named(j), there=there, back=back)


def masking(view: View) -> str:
    """What the mask shuts in the chosen head."""
    if view.trace.allowed is None:
        return view.say("mask_said_none")
    shut = np.isneginf(view.trace.masked[view.walk.head])
    words = view.count("words", len(view.walk.other_tokens))
    visible, hidden = int((~shut[view.walk.word]).sum()), int(shut.sum())
    cells = view.count("cells", hidden)
    return view.say("mask_said_causal", word=view.word(), words=words, visible=visible, cells=cells)


def divisor(view: View) -> str:
    """What the scores were divided by, and whether that is the rule."""
    name = view.walk.settings.divisor
    return view.say(f"divisor_said_{name}", d_k=view.parameters.d_k, divisor=digits(view.trace.divisor))


def angle(view: View) -> str:
    """Between the chosen word's query and its partner's key."""
    lengths = np.linalg.norm(view.query) * np.linalg.norm(view.key)
    cosine = float(view.trace.scores[view.at][view.partner] / lengths) if lengths else 0.0
    return view.say("degrees", n=f"{degrees(acos(min(1.0, max(-1.0, cosine)))):.0f}")
