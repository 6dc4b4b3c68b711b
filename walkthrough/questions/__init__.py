"""Predict, then reveal: questions made from the numbers of the current walk, marked at once.

    question = ask(walk, step=4, number=0)
    mark(question, question.right).is_right        # True
    mark(question, 1.77).reply                     # says which mistake leads there

The same walk, step and number always give the same question; two numbers in a row never give the same one.
"""

from walkthrough.questions.making import Case, Marked, Question, mark
from walkthrough.questions.steps_1_to_3 import KINDS as FIRST
from walkthrough.questions.steps_4_and_5 import KINDS as MIDDLE
from walkthrough.questions.steps_6_and_7 import KINDS as LAST
from walkthrough.walk import Walk

KINDS = FIRST | MIDDLE | LAST
__all__ = ["KINDS", "Marked", "Question", "ask", "kinds_of", "mark"]


def ask(walk: Walk, step: int, number: int) -> Question:
    """The question with this number, counted from 0. ValueError for a step that has none, or a negative number."""
    kinds = kinds_of(walk, step)
    if number < 0:
        raise ValueError(f"Questions are counted from 0 up; {number} was asked for.")
    kind, variant = number % len(kinds), number // len(kinds)
    return kinds[kind](Case(walk, step, number, variant))


def kinds_of(walk: Walk, step: int) -> list:
    """The kinds of question that make sense for this walk, in the order they are asked."""
    if step not in KINDS:
        raise ValueError(f"Step {step} has no questions; the steps are {', '.join(map(str, KINDS))}.")
    return [make for make, fits in KINDS[step] if fits(walk)]
