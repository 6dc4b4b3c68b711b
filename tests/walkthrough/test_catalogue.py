"""Labels: every page has its names, and no key is said twice."""

import tomllib
from collections import Counter

import pytest

from walkthrough.frame.shell import GROUPS, PAGES
from walkthrough.lesson import FIRST_LANGUAGE, LESSONS, load, text


def test_no_key_stands_in_two_files():
    keys = [key for path in (LESSONS / FIRST_LANGUAGE).glob("*.toml") for key in tomllib.loads(path.read_text(encoding="utf-8"))]
    assert [key for key, times in Counter(keys).items() if times > 1] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_a_short_name_a_title_and_a_lesson(page):
    assert text(f"nav_{page}") and text(f"title_{page}")
    assert load(page).headline


def test_every_group_has_a_heading():
    assert all(text(f"nav_section_{group}") for group in ("walk", *GROUPS))
