"""Every button, switch, list and slider of every page is used once: no page breaks, and no sentence says NaN."""

import re
from dataclasses import replace

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from tests.conftest import ROOT
from tests.walkthrough.test_pages import TEN, drawings, open_app, prose, show
from walkthrough import stopwatch
from walkthrough.experiments import address_of
from walkthrough.frame.shell import PAGES
from walkthrough.settings import Settings

LISTS = {"button_group": "string_array_value", "selectbox": "string_value", "select_slider": "string_array_value", "radio": "string_value",
         "multiselect": "string_array_value"}  # fmt: skip
NOTHING = ""  # what a list says once its only choice was taken back
# A state in which the experiments of the lab have begun, so that all of their controls are there.
BEGUN = Settings(
    "she and he saw her", d_model=12, h=3, head=2, word=2, off="1", changes="X.2.*=0~scores.2.3.1=4", drawn="pad:2", other="two words here",
    against=address_of(Settings("he saw her", seed=5)), view="all_compare.on~pair.on~divisors.on~pattern.pair~768.640_7",
)
TRAINED = replace(BEGUN, source="trained", layer=3, head=7, changes="")
BY_HAND = replace(BEGUN, source="hand-built", sentence="She is a great leader", off="2", changes="W_O.1.*=0")
ELSEWHERE = [
    *((page, TRAINED) for page in ("step_1_arrows", "step_5_blend", "lab_positions", "lab_change")),
    *((page, BY_HAND) for page in ("step_3_scores", "lab_change", "lab_heads_off", "lab_cross", "lab_masks", "foundations_08_heads")),
]


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch):
    monkeypatch.setattr(stopwatch, "LEAST", 1)
    monkeypatch.setattr(stopwatch, "ROOM", 0.0)
    monkeypatch.setattr(stopwatch, "NS", (8, 16))


def name_of(control) -> str:
    """Its key; of a button without one, what is written on it."""
    return control.key or control.label


def uses(control) -> list:
    """The ways to use a control once: the first and the last of a list, both ends of a slider, the other side of a switch."""
    kind = control.type
    if kind in LISTS:
        ends = list(dict.fromkeys((control.options[0], control.options[-1]))) if control.options else []
        return ends + [NOTHING] * (kind in ("button_group", "multiselect"))
    if kind in ("number_input", "slider"):
        return [control.min, control.max]
    return ["press"] if kind == "button" else ["turn"]


def use(control, way) -> None:
    """Do to a control what a browser would send."""
    if control.type == "button":
        control.click()
    elif way == "turn":
        control.set_value(not control.value)
    elif control.type in LISTS:
        sent = WidgetState(id=control.id)
        if LISTS[control.type] == "string_value":
            sent.string_value = way
        else:
            sent.string_array_value.data[:] = [way] if way else []
        control.__class__ = type("Sent", (type(control),), {"_widget_state": property(lambda _: sent)})
    else:
        control.set_value(way)


def controls(part) -> dict:
    kinds = (*LISTS, "toggle", "number_input", "slider", "button")
    return {(kind, name_of(control)): control for kind in kinds for control in part.get(kind)}


def to_use(found: dict) -> dict:
    """Of a row of buttons that are numbered (found_0, found_1, …) the first and the last."""
    rows = {}
    for kind, name in found:
        rows.setdefault((kind, re.sub(r"\d+$", "#", name) if kind == "button" else name), []).append(name)
    return {(kind, name): found[kind, name] for (kind, _), row in rows.items() for name in dict.fromkeys((row[0], row[-1]))}


def assert_sound(at, done) -> None:
    assert not at.exception, (done, at.exception[0].stack_trace)
    said = re.sub("<style>.*?</style>", " ", prose(at), flags=re.DOTALL) + " ".join(text.value for text in at.text)
    wrong = re.findall(r".{0,60}(?:\b[nN]a[nN]\b|\binf\b|>None<|\{\{).{0,20}", said)
    assert not wrong, (done, wrong)
    for tree in drawings(at):
        assert not {"nan", "inf", "-inf"} & {e.get("data-value") for e in tree.iter()}, done


@pytest.fixture(scope="module")
def visitor():
    """One visitor for all pages: what was pressed on one page is still so on the next."""
    return open_app("start")


def use_all(at, page: str, settings: Settings, part) -> None:
    """Use every control of a part of a page, one after the other, in whatever state the others have left."""
    at.switch_page(f"pages/{page}.py")
    show(at, settings)
    assert_sound(at, page)
    for place, control in to_use(controls(part(at))).items():
        for way in uses(control):
            if at.session_state["page"] != page:  # the last one led elsewhere
                at.switch_page(f"pages/{page}.py").run()
            here = controls(part(at)).get(place)
            if here is None or here.type in LISTS and way and way not in here.options or here.proto.disabled:
                show(at, settings)  # another control took it away
                here = controls(part(at)).get(place)
            if here is None or here.proto.disabled:
                continue
            use(here, way)
            at.run()
            assert_sound(at, (page, place, way))


@pytest.mark.parametrize("page", PAGES)
def test_every_control_of_a_page(visitor, page):
    use_all(visitor, page, BEGUN, lambda at: at.main)


@pytest.mark.parametrize(("page", "settings"), ELSEWHERE, ids=[f"{page}-{settings.source}" for page, settings in ELSEWHERE])
def test_every_control_of_a_page_with_other_numbers(visitor, page, settings):
    use_all(visitor, page, settings, lambda at: at.main)


@pytest.mark.parametrize("settings", [BEGUN, TRAINED, BY_HAND], ids=lambda settings: settings.source)
def test_every_control_of_the_sidebar(visitor, settings):
    use_all(visitor, "lab_masks" if settings is BEGUN else "contents", settings, lambda at: at.sidebar)


SENT = """
import sys
sys.path.insert(0, {root!r})
import streamlit as st
from walkthrough import frame
from walkthrough.frame import foundations, masking, parts, pins, trained
frame.restore()
frame.compute()
state, name, sent = st.session_state, *st.session_state["sent"]
there = {{"part": foundations.choose_part, "cut": foundations.cut, "follow": pins.follow, "pin": parts._pin_here,
         "head": lambda place: trained.open_head(*place), "refused": masking.refuse}}
there[name](sent)
"""
ALREADY = Settings(TEN, d_model=16, h=4, word=3, head=2, cell="heads.2.3.1")
SAID = [  # what the script of a picture sends, the settings it makes, and the page it turns to
    ("part", "word:5", replace(ALREADY, word=5), None),
    ("part", "d_model:32", replace(ALREADY, d_model=32, h=4), None),
    ("part", "name:7.4", replace(ALREADY, word=7, head=4), None),
    ("cut", "cut:5", replace(ALREADY, view="cut_by.5"), None),
    ("follow", "V.3.8.1", replace(ALREADY, cell="V.3.8.1", trail="heads.2.3.1", head=3), "step_2_qkv"),
    ("follow", "W_O.4.1", replace(ALREADY, cell="W_O.4.1", trail="heads.2.3.1"), "step_7_mix"),
    ("pin", "X.1.1", replace(ALREADY, cell="X.1.1"), None),
    ("pin", "X.1.99", ALREADY, None),
    ("pin", "", replace(ALREADY, cell=""), None),
    ("head", (2, 9), replace(ALREADY, source="trained", layer=2, head=9, word=4), "step_4_softmax"),
    ("refused", 2, ALREADY, None),
]


@pytest.mark.parametrize(("name", "sent", "made", "turned"), SAID, ids=[f"{name}-{sent}" for name, sent, *_ in SAID])
def test_what_a_picture_sends_becomes_the_setting(name, sent, made, turned):
    at = AppTest.from_string(SENT.format(root=str(ROOT)), default_timeout=60)
    at.session_state["sent"] = (name, sent)
    show(at, ALREADY)
    assert not at.exception, at.exception[0].stack_trace
    assert at.session_state["settings"] == made
    assert (at.session_state["turn_to"] if "turn_to" in at.session_state else None) == turned
