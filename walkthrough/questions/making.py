"""What a question is, how an answer is marked, and the desk at which the kinds of questions are made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

import numpy as np

from walkthrough.digits import digits
from walkthrough.lesson import text
from walkthrough.phrases import View, shape
from walkthrough.small_grid import Grid
from walkthrough.walk import Walk

MOST_CHOICES = 4
LETTERS = "ABCD"
Answer = str | float


@dataclass(frozen=True)
class Question:
    """One question in plain text. kind: "choice" of `choices`, "number" within `tolerance`, "grids" by letter.

    `wrong` replies to recognised mistakes; `slips` names the mistake behind each of those answers. `shows` are grids to
    look at; of a question of kind "grids" the last ones, a letter each, are the choices.
    """

    name: str
    prompt: str
    kind: str
    right: Answer
    reason: str
    wrong: Mapping[Answer, str]
    slips: Mapping[Answer, str]
    choices: tuple[str, ...] = ()
    tolerance: float = 0.0
    shows: tuple[Grid, ...] = ()


@dataclass(frozen=True)
class Marked:
    """Whether an answer is right, and what is said to it: the reply to a known mistake, and the reason."""

    is_right: bool
    reply: str
    reason: str


def mark(question: Question, answer: Answer) -> Marked:
    """Mark one answer. A number counts as the right one, or as a known mistake, within the question's tolerance."""
    if _same(question, answer, question.right):
        return Marked(True, text("mark_right"), question.reason)
    known = [slip for slip in question.wrong if _same(question, answer, slip)]
    if isinstance(answer, str):
        reply = question.wrong[known[0]] if known else text("mark_wrong")
    else:
        reply = question.wrong[min(known, key=lambda slip: abs(slip - answer))] if known else text("mark_wrong_number")
    return Marked(False, reply, question.reason)


def _same(question: Question, a: Answer, b: Answer) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return abs(a - b) <= question.tolerance + 1e-9 * max(1.0, abs(b))


@dataclass
class Case:
    """A walk looked at for one question: the chosen word and head first, others in the rounds (`variant`) after it."""

    walk: Walk
    step: int
    number: int
    variant: int
    view: View = field(init=False, repr=False)

    def __post_init__(self):
        self.trace, self.p, self.view = self.walk.trace, self.walk.trace.parameters, View(self.walk)
        self.n, self.n_k = len(self.walk.tokens), len(self.walk.other_tokens)
        self.word = (self.walk.word + self.variant) % self.n
        self.head = (self.walk.head + self.variant // self.n) % self.p.h
        self.at = (self.head, self.word)
        self.partner = int(self.trace.masked[self.at].argmax())
        self.column = self.variant % self.p.d_v

    def where(self, good: np.ndarray) -> "Case":
        """The case of the next word (and head) for which the question has an answer; `good` is [head, word]."""
        for variant in range(self.variant, self.variant + good.size):
            head, word = (self.walk.head + variant // self.n) % self.p.h, (self.walk.word + variant) % self.n
            if good[head, word]:
                return self if variant == self.variant else replace(self, variant=variant)
        return self

    @property
    def is_self(self) -> bool:
        return self.trace.is_self_attention

    def key_named(self, j: int) -> str:
        return self.view.named(j)

    def word_named(self, i: int) -> str:
        return self.view.named(i, self.walk.tokens)

    def choose(self, name: str, right: str, *slips: tuple, fillers: Sequence[str] = (), shows=(), **values) -> Question:
        """A question with a few choices. `slips` are (mistake, its answer[, values for the reply])."""
        values = self._values(values)
        wrong, names = self._replies(slips, right, values)
        others = [*wrong, *(choice for choice in dict.fromkeys(fillers) if choice != right and choice not in wrong)]
        choices = self._mixed([right, *others[: MOST_CHOICES - 1]])
        wrong = {answer: reply for answer, reply in wrong.items() if answer in choices}
        names = {answer: names[answer] for answer in wrong}
        return Question(
            name,
            self.say(f"ask_{name}", values),
            "choice",
            right,
            self.say(f"why_{name}", values | {"right": right}),
            wrong,
            names,
            tuple(choices),
            shows=tuple(shows),
        )

    def count(self, name: str, right: float, *slips: tuple, tolerance: float = 0.0, shows=(), **values) -> Question:
        """A question for a number to type. A mistake that cannot be told from the right answer is left out."""
        values, right = self._values(values), float(right)
        apart = [slip for slip in slips if abs(slip[1] - right) > 2.5 * tolerance + 1e-9]
        wrong, names = self._replies([(slip[0], float(slip[1]), *slip[2:]) for slip in apart], right, values)
        reason = self.say(f"why_{name}", values | {"right": digits(right)})
        return Question(
            name,
            self.say(f"ask_{name}", values),
            "number",
            right,
            reason,
            wrong,
            names,
            tolerance=tolerance,
            shows=tuple(shows),
        )

    def pick(self, name: str, right: Grid, *slips: tuple, given: Sequence[Grid] = (), **values) -> Question:
        """Which of these grids is it? Each gets a letter."""
        grids = {"": right} | {slip: grid for slip, grid in slips[: MOST_CHOICES - 1]}
        letters = dict(zip(self._mixed(list(grids)), LETTERS))
        shows = [replace(grids[slip], caption=letter) for slip, letter in letters.items()]
        values = self._values(values)
        wrong = {letters[slip]: self.say(f"slip_{slip}", values) for slip in grids if slip}
        names = {letters[slip]: slip for slip in grids if slip}
        reason = self.say(f"why_{name}", values | {"right": letters[""]})
        return Question(
            name,
            self.say(f"ask_{name}", values),
            "grids",
            letters[""],
            reason,
            wrong,
            names,
            tuple(LETTERS[: len(grids)]),
            shows=(*given, *shows),
        )

    def number_or_choice(
        self, by_hand: bool, name: str, right: float, *slips: tuple, tolerance=0.0, shows=(), **values
    ):
        """A number where it can be worked out by hand; where rows are long, a choice among numbers."""
        if by_hand:
            return self.count(name, right, *slips, tolerance=tolerance, shows=shows, **values)
        written = [(slip[0], digits(slip[1]), *slip[2:]) for slip in slips]
        near = [digits(right + 1.5), digits(right - 2.5)]
        return self.choose(name, digits(right), *written, fillers=near, **values)

    def say(self, key: str, values: Mapping[str, object]) -> str:
        return text(key, self.view.language, **values)

    def _replies(self, slips, right, values) -> tuple[dict, dict]:
        wrong, names = {}, {}
        for slip, answer, *more in slips:
            if answer != right and answer not in wrong:
                wrong[answer] = self.say(f"slip_{slip}", values | (more[0] if more else {}))
                names[answer] = slip
        return wrong, names

    def _mixed(self, choices: list[str]) -> list[str]:
        """An order that gives nothing away, and is the same at every run."""
        start = f"{self.walk.settings.seed} {self.step} {self.number} "
        return sorted(choices, key=lambda choice: sha256((start + choice).encode("utf-8", "surrogatepass")).digest())

    def _values(self, more: Mapping[str, object]) -> dict[str, object]:
        """What every text may speak of."""
        p = self.p
        return {
            "word": self.word_named(self.word),
            "place": self.word + 1,
            "index": self.word,
            "head": self.head + 1,
            "partner": self.key_named(self.partner),
            "n": self.n,
            "n_k": self.n_k,
            "h": p.h,
            "d_model": p.d_model,
            "d_k": p.d_k,
            "d_v": p.d_v,
            "column": self.column + 1,
            "wide": p.h * p.d_v,
            "n_words": self.view.count("words", self.n),
            "h_heads": self.view.count("heads", p.h),
            "bare_word": self.walk.tokens[self.word],
            "shape_X": shape(*self.trace.X.shape),
            "shape_W": shape(p.d_model, p.d_k),
        } | dict(more)


def always(walk: Walk) -> bool:
    return True


def has_two_words(walk: Walk) -> bool:
    return len(walk.other_tokens) > 1


def looks_at_itself(walk: Walk) -> bool:
    return walk.trace.is_self_attention and len(walk.tokens) > 1


def has_two_heads(walk: Walk) -> bool:
    return walk.trace.parameters.h > 1


def has_one_top(rows: np.ndarray) -> np.ndarray:
    """For each row of numbers: is there one largest, with no other (nearly) as large?"""
    if rows.shape[-1] == 1:
        return np.ones(rows.shape[:-1], dtype=bool)
    second, top = np.moveaxis(np.sort(rows, axis=-1)[..., -2:], -1, 0)
    return top - second > 1e-6


def partner_scores(walk: Walk) -> np.ndarray:
    """For each head and word: is the score of its partner anything but 0?"""
    best = walk.trace.masked.argmax(axis=-1)[..., None]
    return np.abs(np.take_along_axis(walk.trace.scores, best, axis=-1))[..., 0] > 0.01


def shown_error(values) -> np.ndarray:
    """How far each number may be from what is shown of it (see digits)."""
    sizes = np.abs(np.atleast_1d(values))
    steps = [sizes >= least for least in (1000, 100, 0.1, 0.01)]
    return np.select(steps, (0.5, 0.05, 0.005, 0.0005), 0.00005)


def rounding_of(a: np.ndarray, b: np.ndarray) -> float:
    """How far a sum of products may be off when it is worked out from two rows as they are shown."""
    return 0.01 + float((np.abs(a) * shown_error(b) + np.abs(b) * shown_error(a)).sum())
