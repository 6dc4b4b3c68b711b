"""Heads built by hand, small enough to read: every column of X has a name, and every number in the matrices a reason.

They are ordinary Parameters, run by the same attend() as everything else. Nobody trained them; each was written down so
that one can see *why* a query meets a key: W_Q says what a feature asks for, W_K what a feature offers, and the score
of two words is the sum over the questions of (how strongly asked) × (how strongly offered).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from types import MappingProxyType

import numpy as np

from mha_core.attention import AttentionTrace, attend
from mha_core.checks import frozen
from mha_core.parameters import Parameters
from mha_core.shapes import Array, Float

D_K = 4  # so that √d_k is 2 and the scaled scores stay readable
Entries = Mapping[tuple[str, str], float | int]  # (row, column) by their names → the number there; all others are 0
Words = Sequence[tuple[str, Sequence[str]]]  # a word and the features it has


@dataclass(frozen=True)
class Meeting:
    """A cell worth looking at: in this head this query word finds this key word (all counted from 0)."""

    head: int
    query: int
    key: int


@dataclass(frozen=True, eq=False)
class HandBuilt:
    """One readable example, with a name for every column."""

    name: str
    sentence: str
    tokens: tuple[str, ...]
    features: tuple[str, ...]  # the columns of X and of the output
    X: Float[Array, "n d_model"]
    parameters: Parameters
    lanes: tuple[tuple[str, ...], ...]  # the columns of each head's Q and K: the questions it knows
    carried: tuple[tuple[str, ...], ...]  # the columns of each head's V: the features it takes over
    titles: tuple[str, ...]
    says: tuple[str, ...]  # one text a head: why its Q and K meet
    meetings: tuple[Meeting, ...]

    def trace(self) -> AttentionTrace:
        """The example, run through the same attention as any other source of numbers."""
        return attend(self.X, self.parameters)


@dataclass(frozen=True)
class Head:
    """The plan of one head: what features ask for, what they offer (feature, question → strength), what is carried."""

    title: str
    asks: Entries
    offers: Entries
    carries: tuple[str, ...]
    says: str

    @property
    def lanes(self) -> tuple[str, ...]:
        """The questions of this head, in the order they first come up, then unused ones up to d_k."""
        named = tuple(dict.fromkeys(lane for _, lane in (*self.asks, *self.offers)))
        return named + ("unused",) * (D_K - len(named))


def build(
    name: str, sentence: str, words: Words, features: tuple[str, ...], heads: tuple[Head, ...], mixes: Entries,
    meetings: tuple[Meeting, ...],
) -> HandBuilt:
    """Write a plan as matrices. Each head carries D_K features; W_O puts them back into their columns, plus `mixes`."""
    X = [[float(feature in has) for feature in features] for _, has in words]
    W_Q = [_matrix(features, head.lanes, head.asks) for head in heads]
    W_K = [_matrix(features, head.lanes, head.offers) for head in heads]
    W_V = [_matrix(features, head.carries, _kept(head.carries)) for head in heads]
    side_by_side = tuple(feature for head in heads for feature in head.carries)
    W_O = _matrix(side_by_side, features, {**_kept(side_by_side), **mixes})
    parameters = Parameters(np.array(W_Q), np.array(W_K), np.array(W_V), W_O)
    tokens = tuple(word for word, _ in words)
    lanes, carried, titles, says = zip(*((head.lanes, head.carries, head.title, head.says) for head in heads))
    return HandBuilt(name, sentence, tokens, features, frozen(X), parameters, lanes, carried, titles, says, meetings)


def _kept(features: Sequence[str]) -> Entries:
    return {(feature, feature): 1 for feature in features}


def _matrix(rows: Sequence[str], columns: Sequence[str], entries: Entries) -> Float[Array, "rows columns"]:
    matrix = np.zeros((len(rows), len(columns)))
    for (row, column), value in entries.items():
        matrix[rows.index(row), columns.index(column)] = value
    return matrix


def two_views() -> HandBuilt:
    """The same word read by two heads: one asks who she is, the other what she is like."""
    features = ("pronoun", "role", "person", "verb", "quality", "praised role", "article", "subject")
    words = (
        ("She", ["pronoun", "person", "subject"]), ("is", ["verb"]), ("a", ["article"]), ("great", ["quality"]),
        ("leader", ["role", "person"]),
    )
    role = Head(
        "role",
        {("pronoun", "which role?"): 3, ("quality", "which role?"): 2}, {("role", "which role?"): 2},
        ("role", "person", "verb", "pronoun"),
        "A pronoun asks “which role?” with strength 3 and a role answers with 2, so She meets leader with a score of "
        "3 × 2 = 6; nobody else answers, and every other score in her row is 0.",
    )
    quality = Head(
        "quality",
        {("pronoun", "what like?"): 3, ("role", "what like?"): 2}, {("quality", "what like?"): 2},
        ("quality", "praised role", "article", "subject"),
        "A pronoun also asks “what like?” with strength 3 and a quality answers with 2, so the same She meets great "
        "here, again with a score of 3 × 2 = 6; in this head a role is no answer at all.",
    )
    # No word comes in as a praised role: the one column that reads both heads' lanes is filled by W_O alone.
    mixes = {("role", "praised role"): 0.5, ("quality", "praised role"): 0.5}
    meetings = (Meeting(0, 0, 4), Meeting(1, 0, 3))
    return build("two views", "She is a great leader", words, features, (role, quality), mixes, meetings)


def led_a_team() -> HandBuilt:
    """A sentence of a CV in which "led" gives exactly 70 % of its attention to "team"."""
    features = ("person", "action", "group", "article", "link", "quality", "thing", "stop")
    words = (
        ("I", ["person"]), ("led", ["action"]), ("a", ["article"]), ("team", ["group"]), ("that", ["link"]),
        ("built", ["action"]), ("a", ["article"]), ("scalable", ["quality"]), ("API", ["thing"]), (".", ["stop"]),
    )
    # Ten words: nine scores of 0 count e⁰ = 1 each, so one that counts 21 takes 21 / (21 + 9) = 0.7. That is a scaled
    # score of ln 21, and a score of √d_k times as much.
    people = Head(
        "with whom",
        {("action", "with whom?"): D_K**0.5 * log(21)}, {("group", "with whom?"): 1},
        ("person", "action", "group", "link"),
        "An action asks “with whom?” with strength 2 ln 21 ≈ 6.09 and a group answers with 1; divided by √d_k = 2 that "
        "is ln 21, so team counts 21 times as much as each of the nine others: 21 / (21 + 9) = 0.70.",
    )
    things = Head(
        "of what",
        {("quality", "of what?"): 4, ("link", "who did?"): 3}, {("thing", "of what?"): 2, ("group", "who did?"): 2},
        ("quality", "thing", "article", "stop"),
        "Two questions side by side: a quality asks “of what?” (4) and a thing answers (2), so scalable meets API with "
        "a score of 8; a link asks “who did?” (3) and a group answers (2), so that meets team with a score of 6.",
    )
    meetings = (Meeting(0, 1, 3), Meeting(1, 7, 8), Meeting(1, 4, 3))
    sentence = "I led a team that built a scalable API."
    return build("led a team", sentence, words, features, (people, things), {}, meetings)


def before_and_same() -> HandBuilt:
    """One head that reads only places and finds the word before, one that reads only words and finds the same word."""
    places, names = ("1st", "2nd", "3rd", "4th"), ("boys", "will", "be")
    words = (
        ("boys", ["1st", "boys"]), ("will", ["2nd", "will", "verb"]), ("be", ["3rd", "be", "verb"]),
        ("boys", ["4th", "boys"]),
    )
    before = Head(
        "previous word",
        {("1st", "1st?"): 6, ("2nd", "1st?"): 6, ("3rd", "2nd?"): 6, ("4th", "3rd?"): 6},
        {(place, f"{place}?"): 2 for place in places},
        places,
        "Each place asks for the place one before it with strength 6 and each place answers to its own name with 2: a "
        "score of 12 one step to the left, 0 elsewhere, whatever the words are. The first asks for itself.",
    )
    same = Head(
        "same word",
        {(word, f"{word}?"): 6 for word in names}, {(word, f"{word}?"): 2 for word in names},
        (*names, "verb"),
        "Each word asks for its own name with strength 6 and answers to it with 2, whatever its place: boys meets both "
        "boys with a score of 12 and gives each of them half; will and be find only themselves.",
    )
    meetings = (Meeting(0, 1, 0), Meeting(0, 2, 1), Meeting(0, 3, 2), Meeting(1, 0, 3), Meeting(1, 3, 0))
    features = (*places, *names, "verb")
    return build("before and same", "boys will be boys", words, features, (before, same), {}, meetings)


EXAMPLES = (two_views(), led_a_team(), before_and_same())
HAND_BUILT: Mapping[str, HandBuilt] = MappingProxyType({example.name: example for example in EXAMPLES})
