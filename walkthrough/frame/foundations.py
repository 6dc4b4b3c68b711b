"""Puts the pictures of the foundations on a page, and what ends each of these pages: the next sign, the step that uses it."""

from collections.abc import Callable
from functools import cache
from html import escape
from pathlib import Path

import streamlit as st

from walkthrough.drag import map as chart
from walkthrough.drag import readings
from walkthrough.drag.reels import Reel
from walkthrough.drag.symbols import BY_PAGE, EXTRAS, GOAL, PAGES
from walkthrough.frame import origins, view
from walkthrough.frame.running import live
from walkthrough.frame.shell import go_to, page_link
from walkthrough.frame.state import change
from walkthrough.lesson import load, text

HERE = Path(__file__).parent.parent
ORDER = (*PAGES, *EXTRAS)
ANSWERS = "foundations_answers"
CUTS = range(1, 17)


# ---- pictures
def press(html: str, key: str, on_open: Callable[[str], None], reel: Reel | None = None) -> None:
    """A picture whose parts can be pressed; on_open gets the part's data-open before the page runs again."""
    key = f"found_{key}"

    def opened() -> None:
        if part := st.session_state[key].get("open"):
            on_open(part)

    data = {"html": html} | ({"reel": _slider_of(reel)} if reel else {})
    _component("press")(key=key, data=data, on_open_change=opened)


def slide(reel: Reel, key: str) -> None:
    """A picture that moves with a slider of its own, in the browser."""
    press(reel.html, key, lambda part: None, reel)


def show(html: str, key: str) -> None:
    """A picture with nothing to press."""
    press(html, key, lambda part: None)


def _slider_of(reel: Reel) -> dict:
    return {name: getattr(reel, name) for name in ("says", "label", "first", "start", "presets")}


def choose_part(part: str) -> None:
    """What pressing a word, a size or a name does: it becomes the setting."""
    kind, value = part.split(":")
    if kind == "name":
        word, head = value.split(".")
        change(word=int(word), head=int(head))
    else:
        change(**{kind: int(value)})


def one_arrow(walk) -> None:
    """The chosen word's first two numbers as an arrow that can be dragged."""
    a = tuple(map(float, walk.trace.X[walk.word, :2]))
    _arrows([(walk.tokens[walk.word], a)], ["start"], "one")


def two_arrows(walk) -> None:
    """Two words' first two numbers as arrows, their dot product and their angle."""
    a, b, other = readings.two_words(walk.trace.X, walk.word)
    name = text("found_second_arrow") if other is None else walk.tokens[other]
    _arrows([(walk.tokens[walk.word], a), (name, b)], ["start", "same", "right", "opposite"], "two")


def _arrows(named, presets, key: str) -> None:
    said = ("page", "handle", "one", "dot", "same", "right", "opposite", "none")
    _component("arrows")(key=f"found_arrows_{key}", data={
        "arrows": [{"label": label, "point": point} for label, point in named],
        "reach": readings.reach(*(point for _, point in named)),
        "presets": [(way, text(f"found_way_{way}")) for way in presets],
        "texts": {name: text(f"found_arrow_{name}") for name in said},
    })


def sliders(walk) -> None:
    """The first scores of the chosen word under sliders, and the weights softmax makes of them."""
    presets = readings.score_presets(walk.trace.scores[walk.head, walk.word, : readings.SLIDERS])
    _component("shares")(key="found_shares", data={
        "words": walk.other_tokens[: readings.SLIDERS],
        "reach": readings.slider_reach(presets),
        "presets": [{"label": text(f"found_scores_{name}"), "scores": scores} for name, scores in presets.items()],
        "texts": {name: text(f"found_share_{name}") for name in ("sum", "slider")},
    })


@cache
def _component(name: str):
    """The script beside its pictures; those that write numbers bring the sheet's rule for digits along."""
    drag = HERE / "drag"
    script = (drag / f"{name}.js").read_text(encoding="utf-8")
    if name != "press":
        script = f"{_digits()}\n{script}"
    return st.components.v2.component(
        f"mha_{name}", html='<div class="drag"></div>', css=(drag / "drag.css").read_text(encoding="utf-8"), js=script
    )


def _digits() -> str:
    """The part of the sheet's rules that writes numbers: one rule for both."""
    rules = (HERE / "sheet" / "rules.js").read_text(encoding="utf-8")
    start, end = rules.index("export function digits"), rules.index("export const inBrackets")
    return rules[start:end].replace("export function", "function")


# ---- the map and the checklist
def map_of_symbols() -> None:
    """The map; a sign opens its page."""
    press(chart.map_of(frozenset(answers())), "map", lambda page: st.session_state.update(turn_to=page))


def answers() -> dict[str, str]:
    """What this visitor answered, by page; kept while the session lasts."""
    return st.session_state.setdefault(ANSWERS, {})


def ask(page: str) -> None:
    """One question of the checklist; what we would have said opens only once there is an answer."""
    asked = load(page).sections
    key, given = f"answer_{page}", answers()
    st.session_state.setdefault(key, given.get(page, ""))
    with st.container(border=True, key=f"ask_{page}"):
        st.html(f'<div class="prose">{asked["check"].fill(live())}</div>')
        st.text_input(text("found_answer", title=text(f"title_{page}")), key=key, on_change=_take, args=(page, key), max_chars=500)
        if given.get(page):
            with st.expander(text("label_reveal")):
                st.html(f'<div class="prose">{asked["check_answer"].fill(live())}</div>')
                page_link(page, text("found_again", title=text(f"title_{page}")))
        else:
            st.html(f'<div class="under">{escape(text("found_answer_first"))}</div>')


def _take(page: str, key: str) -> None:
    answer = st.session_state[key].strip()
    answers().pop(page, None)
    if answer:
        answers()[page] = answer


def checklist() -> None:
    """A question a symbol, and how many were answered so far."""
    say(text("found_tally", done=len(answers()), all=len(PAGES)))
    for page in PAGES:
        ask(page)


# ---- what stands under a picture
def say(line: str) -> None:
    """One line under a picture, as plain text."""
    st.html(f'<div class="caption" role="status">{escape(line)}</div>')


def closing(page: str, origin: bool = True) -> None:
    """The foundation before, the step where the symbol is at work, and the next foundation.

    `origin` is off where the picture shows no numbers of the walk, or a sheet has said it already.
    """
    if origin:
        origins.origin()
    place = ORDER.index(page)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="steps"):
        _turn("Left", ORDER[place - 1] if place else None)
        step = BY_PAGE[page].step if page in BY_PAGE else GOAL
        page_link(step, text("found_used", title=text(f"title_{step}")))
        _turn("Right", ORDER[place + 1] if place + 1 < len(ORDER) else "step_1_arrows")


def _turn(side: str, page: str | None) -> None:
    if page is None:
        st.html("<span></span>", width="content")
        return
    title = text(f"title_{page}")
    label, kind = (f"← {title}", "secondary") if side == "Left" else (f"{title} →", "primary")
    if st.button(label, key=f"go_{side}", shortcut=side, type=kind):
        go_to(page)


def draw_again(first: int) -> int:
    """The seed of a random picture: the walk's, and one more at every press of the button."""
    key = "found_draw"
    drawn = st.session_state.setdefault(key, 0)
    st.button(text("found_draw_again"), on_click=lambda: st.session_state.update({key: drawn + 1}))
    return first + st.session_state[key]


def pick(key: str, options, start, label: str):
    """A slider over a few values; the choice is in the address."""
    return st.select_slider(label, options, **view.control(key, f"found_{key}", options, start))


def cut_by() -> int:
    """Into how many bands the list is cut on the page of heads."""
    return view.chosen("cut_by", CUTS, 8)


def cut(part: str) -> None:
    view.choose("cut_by", int(part.split(":")[1]), 8)
