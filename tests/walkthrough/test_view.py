"""Which picture a page shows is in the address: restored from a link, written by a choice, corrected if impossible."""

import json
from dataclasses import replace
from urllib.parse import urlencode

import pytest

from tests.walkthrough.test_pages import TEN, open_app, prose, show
from walkthrough.experiments import address_of
from walkthrough.frame.shell import PAGES
from walkthrough.settings import Settings, from_query

PINNED = Settings(against=address_of(Settings("man bites dog")), sentence="dog bites man")
CHANGED = Settings(changes="X.1.*=0")
# page, settings, kind and key of the control, the value of a link, how it is spelled, and what the page begins with
CHOICES = [
    ("lab_compare", PINNED, "button_group", "pick_compare", "scores", "compare.scores", "weights"),
    ("lab_compare", PINNED, "button_group", "lab_line_up", "place", "by.place", "word"),
    ("lab_compare", replace(PINNED, d_model=64), "toggle", "all_compare", True, "all_compare.on", False),
    ("lab_change", CHANGED, "button_group", "pick_change", "Q", "change.Q", "output"),
    ("lab_cross", Settings(), "button_group", "choose_lab_cross", "four", "lab_cross.four", "one"),
    ("lab_cost", Settings(), "button_group", "choose_along", "d_model", "along.d_model", "n"),
    ("lab_scaling", Settings(), "button_group", "choose_sweep", "entropy", "sweep.entropy", "gradient"),
    ("lab_finder", Settings(), "selectbox", "finder_pattern", "broad", "pattern.broad", "previous"),
    ("story_cv", Settings(), "button_group", "pick_cv_word", 3, "cv_word.3", 1),
    ("story_cv", Settings(), "button_group", "pick_cv_head", 5, "cv_head.5", 0),
    ("story_cv", Settings(), "button_group", "choose_job", 2, "job.2", 1),
    ("story_two_heads", Settings(), "button_group", "pick_two_word", 3, "two_word.3", 0),
    ("foundations_02_vector", Settings(), "button_group", "choose_vector", 3, "vector.3", 2),
    ("foundations_07_qkv", Settings(), "button_group", "choose_letter", "v", "letter.v", "q"),
    ("foundations_08_heads", Settings(), "button_group", "choose_cut", "768", "cut.768", "512"),
    ("foundations_10_blend", Settings(), "button_group", "choose_shares", "real", "shares.real", "example"),
    ("foundations_11_root", Settings(), "select_slider", "found_width", 4, "width.4", 64),
    ("reference_misconceptions", Settings(), "selectbox", "choose_misconception", "d_k", "misconception.d_k", "order"),
    ("step_1_arrows", Settings(), "button_group", "choose_dimensions", 3, "dimensions.3", 2),
    ("step_3_scores", Settings(), "toggle", "switch_pair", True, "pair.on", False),
]


def control(at, kind: str, key: str):
    return next(one for one in at.get(kind) if one.key == key)


def value_of(at, kind: str, key: str):
    found = control(at, kind, key).value
    return found[0] if isinstance(found, list) else found


@pytest.mark.parametrize(
    ("page", "settings", "kind", "key", "value", "spelled", "begins"), CHOICES, ids=[c[5] for c in CHOICES]
)
def test_a_choice_is_written_into_the_address_and_read_from_it(page, settings, kind, key, value, spelled, begins):
    at = open_app(page, settings)
    assert value_of(at, kind, key) == begins
    linked = replace(settings, view=f"other_page.7~{spelled}")
    show(at, linked)
    assert not at.exception and value_of(at, kind, key) == value
    assert at.session_state["settings"] == linked
    show(at, replace(settings, view=f"{spelled.split('.')[0]}.no_such_thing"))
    assert not at.exception and value_of(at, kind, key) == begins
    show(at, replace(settings, view="other_page.7"))
    control(at, kind, key).set_value(value).run()
    assert not at.exception and at.session_state["settings"] == linked
    assert at.session_state["address"]["view"] == linked.view
    control(at, kind, key).set_value(begins).run()
    assert at.session_state["settings"] == replace(settings, view="other_page.7")


@pytest.mark.parametrize(
    "view",
    ["weights", ".", "~", "a.b~", "A.b", "a.b c", "a." + "x" * 31, "~".join(["a.b"] * 31), "<b>.x", "a.<b>", "a.é"],
)
def test_a_view_that_cannot_be_read_is_let_go_with_a_note(view):
    found, notes = from_query({"view": view})
    assert found == Settings() and [note.key for note in notes] == ["note_unreadable"]


@pytest.mark.parametrize(
    ("page", "views"),
    [
        ("story_768", ["768.0_0", "768.999999_1", "768.12", "768.1_2_3_4", "768.a_b"]),
        ("foundations_08_heads", ["cut_by.99", "cut_by.x", "cut.64"]),
        ("foundations_11_root", ["width.3"]),
        ("lab_cross", ["lab_cross.eight"]),
    ],
)
def test_a_value_that_a_page_does_not_have_leaves_it_as_it_begins(page, views):
    at = open_app(page)
    begins = prose(at), [one.proto.json for one in at.get("bidi_component")]
    for view in views:
        show(at, Settings(view=view))
        assert not at.exception and (prose(at), [one.proto.json for one in at.get("bidi_component")]) == begins


def test_typed_widths_are_in_the_address():
    at = open_app("story_768", Settings(view="768.640_7"))
    assert (
        at.number_input(key="768_d_v").value == 91
        and at.number_input(key="768_h").value == 7
        and "cannot share" in prose(at)
    )
    at.toggle(key="768_share").set_value(False).run()
    assert at.session_state["settings"].view == "768.640_7_91"
    at.number_input(key="768_d_v").set_value(5).run()
    show(at, Settings(view=at.session_state["settings"].view))
    assert at.number_input(key="768_d_v").value == 5 and not at.toggle(key="768_share").value


def test_the_cut_of_the_bands_is_in_the_address():
    at = open_app("foundations_08_heads", Settings(view="cut_by.5"))
    assert any("512 = 102 × 5 + 2" in str(json.loads(one.proto.json)) for one in at.get("bidi_component"))


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("lab_")])
def test_from_a_page_of_the_lab_the_matching_step_opens_with_everything_as_it_is(page):
    """Every link of such a page carries the whole state, the experiment with it."""
    chosen = Settings(
        TEN, d_model=16, h=4, divisor="none", positions=False, mask="causal", seed=5, word=2, head=3, view="by.place"
    )
    at = open_app(page, chosen)
    assert not at.exception
    links = [link.proto for link in at.get("page_link")]
    steps = {link.page for link in links if link.page.startswith("step_") or link.page == "start"}
    assert {link.query_string for link in links if link.page in steps} == {urlencode(chosen.to_query())}
    at.switch_page("pages/step_4_softmax.py").run()
    assert at.session_state["settings"] == chosen
