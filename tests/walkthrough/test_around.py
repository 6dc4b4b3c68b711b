"""From any page to any other in two clicks with everything as it is; whatever is typed anywhere, every page stands."""

from dataclasses import fields
from html import escape
from urllib.parse import urlencode

import pytest

from tests.walkthrough.test_pages import HOSTILE, TEN, open_app, prose
from walkthrough.frame.shell import CONTENTS, PAGES, WALK
from walkthrough.settings import Settings

CHOSEN = Settings(TEN, d_model=16, h=4, mask="causal", seed=5, word=2, head=3, view="by.place")
FOUNDATION = "answer_foundations_06_dot"
BOXES = [  # every box into which words can be typed, on a page that has it (test_lab_1.py types into those of its pages)
    ("start", "text_input", "start_sentence"),
    ("lab_check", "text_input", "side_sentence"),
    ("foundations_13_checklist", "text_input", FOUNDATION),
    ("whole_picture", "text_area", "say_it_back"),
]


def links(at) -> dict[str, str]:
    """Page → query of every link on a page."""
    return {link.proto.page: link.proto.query_string for link in at.get("page_link")}


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_the_contents_one_click_away(page):
    at = open_app(page, CHOSEN)
    assert not at.exception
    assert links(at)[CONTENTS] == urlencode(CHOSEN.to_query())


def test_the_contents_have_every_page_one_click_away_with_its_question():
    at = open_app(CONTENTS, CHOSEN)
    found = {page or "start": query for page, query in links(at).items()}
    assert set(found) == set(PAGES)
    assert set(found.values()) == {urlencode(CHOSEN.to_query())}
    assert prose(at).count('class="asks"') == len(PAGES) - 1  # all but the contents


@pytest.mark.parametrize("page", [page for page in PAGES if page not in WALK])
def test_no_sentence_breaks_a_page_beside_the_walk_or_becomes_markup(page):
    at = open_app(page)
    for typed in (*HOSTILE[:2], *HOSTILE[5:8]):  # markup, formulas, far too long, every script, an image; test_pages.py tries all
        at.text_input(key="side_sentence").set_value(typed).run()
        assert not at.exception, (typed[:40], at.exception[0].stack_trace)
        assert "<script>alert" not in prose(at) and "<img src" not in prose(at)


@pytest.mark.parametrize(("page", "kind", "key"), BOXES)
def test_whatever_is_typed_into_a_box_the_page_stands(page, kind, key):
    at = open_app(page)
    for typed in HOSTILE:
        next(box for box in at.get(kind) if box.key == key).set_value(typed).run()
        assert not at.exception, (typed[:40], at.exception[0].stack_trace)
        assert "<script>alert" not in prose(at) and "<img src" not in prose(at)


def test_whatever_stands_in_the_address_the_page_stands_and_says_it_as_text():
    at = open_app("contents")
    for typed in ("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "1e9", "-7", "\x00", "99999999999"):
        at.query_params.clear()
        for field in fields(Settings):
            at.query_params[field.name] = typed
        at.run()
        assert not at.exception, (typed, at.exception[0].stack_trace)
        assert "<script>alert" not in prose(at) and "<img src" not in prose(at)
        if not typed.lstrip("-").isdigit():
            unread = [field.name for field in fields(Settings) if type(field.default) in (bool, int)]
            assert prose(at).count(escape(typed)) >= len(unread)
