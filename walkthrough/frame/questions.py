"""The card that asks before it tells, and the box for one's own retelling. Answers stay in the session only."""

from html import escape
from zlib import crc32

import streamlit as st

from walkthrough.digits import digits
from walkthrough.frame.controls import hold
from walkthrough.lesson import text
from walkthrough.questions import Question, ask, mark
from walkthrough.small_grid import STYLE as GRID_STYLE
from walkthrough.small_grid import table
from walkthrough.typeset import to_html, to_label

STYLE = """<style>
.ask { max-width: 42rem; font-size: 1.12rem; line-height: 1.5; }
.ask h2 { padding-top: 0; }
.reply { max-width: 42rem; border-left: 5px solid var(--mha-key); padding: 0.1rem 0 0.1rem 0.8rem;
  font-size: 1.05rem; line-height: 1.45; }
.reply.right { border-color: var(--mha-value); }
.tally { color: var(--mha-muted); font-size: 0.95rem; }
</style>"""
POINTS = ("rows", "qkv", "softmax", "blend", "heads", "mix")


def ask_here(step: int) -> None:
    """A question about this step, made from the numbers on the screen; another one on request."""
    _card(st.session_state["walk"], step)


@st.fragment
def _card(walk, step: int) -> None:
    """A fragment: answering runs this card again, not the page around it."""
    kept = _kept()
    question = ask(walk, step, kept["numbers"].get(step, 0))
    key = _key(question, step)
    st.html(STYLE + GRID_STYLE)
    with st.container(border=True, key=f"question_{step}"):
        st.html(f'<div class="ask"><h2>{escape(text("question_label"))}</h2><p>{to_html(question.prompt)}</p></div>')
        _show(question)
        with st.form(f"form_{key}", border=False):
            _input(question, key)
            st.form_submit_button(
                text("question_check"), key=f"check_{step}", on_click=_check, args=(question, step, key)
            )
        if kept["marks"].get(step, ("",))[0] == key:
            _reply(question, kept["marks"][step][1])
        with st.container(horizontal=True, vertical_alignment="center", key=f"after_{step}"):
            st.button(text("question_another"), key=f"another_{step}", on_click=_another, args=(step,))
            _tally(kept["first"])


def _key(question: Question, step: int) -> str:
    """Another question is another widget, with nothing chosen yet."""
    said = repr((question.prompt, question.choices, question.right)).encode("utf-8", "surrogatepass")
    return f"question_{step}_{crc32(said):08x}"


def _kept() -> dict:
    """Which question each step is at, what was answered last, and how every question went at the first try."""
    return st.session_state.setdefault("questions", {"numbers": {}, "marks": {}, "first": {}})


def _show(question: Question) -> None:
    """The grids to look at; those to choose among carry their letter."""
    letters = question.choices if question.kind == "grids" else ()
    given = len(question.shows) - len(letters)
    shown = "".join(table(grid) for grid in question.shows[:given])
    choices = "".join(f"<div>{table(grid, limit=1.0)}</div>" for grid in question.shows[given:])
    if shown or choices:
        st.html(f'{shown}<div class="minis">{choices}</div>')


def _input(question: Question, key: str) -> None:
    if question.kind == "number":
        st.number_input(text("question_answer"), value=None, step=None, format="%g", key=key, width=240)
        return
    st.radio(
        text("question_choose"),
        range(len(question.choices)),
        index=None,
        key=key,
        horizontal=question.kind == "grids",
        format_func=lambda place: to_label(question.choices[place]),
    )


def _check(question: Question, step: int, key: str) -> None:
    given = st.session_state.get(key)
    answer = question.choices[given] if given is not None and question.choices else given
    kept = _kept()
    kept["marks"][step] = (key, answer)
    if answer is not None:
        kept["first"].setdefault(key, mark(question, answer).is_right)


def _another(step: int) -> None:
    numbers = _kept()["numbers"]
    numbers[step] = numbers.get(step, 0) + 1


def _reply(question: Question, answer) -> None:
    if answer is None:
        st.html(f'<div class="reply" role="status">{escape(text("mark_nothing"))}</div>')
        return
    marked = mark(question, answer)
    css, said = ("reply right" if marked.is_right else "reply"), digits(answer) if isinstance(answer, float) else str(answer)
    yours = f'<div class="tally">{escape(text("mark_yours"))} {to_html(said)}</div>'  # another one may be chosen by now
    st.html(f'<div class="{css}" role="status">{yours}<strong>{to_html(marked.reply)}</strong> {to_html(marked.reason)}</div>')


def _tally(first: dict) -> None:
    if first:
        said = text("question_tally", right=sum(first.values()), asked=len(first))
        st.html(f'<div class="tally">{escape(said)}</div>')


# ---- say it back -----------------------------------------------------------------------------------------------
def say_it_back(page) -> None:
    """One's own retelling first; then the lesson's, with this sentence's numbers, beside it."""
    state = st.session_state
    st.html(STYLE + f"<h2>{escape(text('label_say_it_back'))}</h2>")
    key = hold("say_it_back", state.get("own_retelling", ""))
    st.text_area(
        text("label_own_retelling"),
        key=key,
        height=150,
        help=text("help_own_retelling"),
        on_change=_keep_retelling,
        max_chars=4000,
    )
    st.button(text("button_reveal_retelling"), key="reveal_retelling", on_click=_reveal)
    if state.get("retelling_asked") and not state.get("own_retelling", "").strip():
        st.html(f'<div class="reply" role="status">{escape(text("retelling_first"))}</div>')
    elif state.get("retelling_asked"):
        page.say("retelling")
        points = "".join(f"<li>{to_html(text(f'retelling_point_{name}'))}</li>" for name in POINTS)
        st.html(f'<div class="prose"><p><strong>{escape(text("retelling_check"))}</strong></p><ul>{points}</ul></div>')


def _keep_retelling() -> None:
    st.session_state["own_retelling"] = st.session_state["say_it_back"]


def _reveal() -> None:
    _keep_retelling()
    st.session_state["retelling_asked"] = True
