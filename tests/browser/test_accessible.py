"""Every page in a real browser, light and dark, wide and narrow: nothing serious for axe, no sideways scroll."""

import pytest
from axe_playwright_python.base import AXE_SCRIPT

from tests.browser.test_journeys import settled
from walkthrough.frame.shell import PAGES, title

pytestmark = pytest.mark.browser
# A sentence that is long enough to be in the way, an unusual mask and several heads.
QUERY = "sentence=I+led+a+team+that+built+a+scalable+API.&d_model=16&h=4&mask=causal"
WIDE, NARROW = 1280, 390
LOOKS = (("light", WIDE), ("dark", WIDE), ("dark", NARROW), ("light", NARROW))
BAD = ("serious", "critical")
FINDINGS = """options => axe.run(document, {resultTypes: ["violations"], ...options}).then(
    found => found.violations.flatMap(rule => rule.nodes.map(node => [
        rule.impact, rule.id, node.target.flat().join(" "), node.any.concat(node.all, node.none)[0]?.message])))"""
SIDEWAYS = "[document.documentElement, document.querySelector('.stMain')].map(e => e.scrollWidth - e.clientWidth)"
THEME = "getComputedStyle(document.querySelector('.stApp')).colorScheme"
# What Streamlit draws itself and what no style or argument of ours reaches: (rule, part of the selector, why).
STREAMLITS_OWN = ()


@pytest.fixture(scope="module")
def page(chromium, app_url):
    """One browser page for all visits: a page of the app is opened by its address, without loading Streamlit anew."""
    context = chromium.new_context(viewport={"width": WIDE, "height": 900})
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(f"{app_url}/?{QUERY}")
    settled(page)
    page.evaluate(AXE_SCRIPT)
    yield page
    context.close()


def open_page(page, name: str) -> None:
    """Open a page as the back button would: the address changes, and Streamlit follows it."""
    address = "/" if name == PAGES[0] else f"/{name}"
    page.evaluate(
        "to => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')); }", f"{address}?{QUERY}"
    )
    page.wait_for_function("title => document.title.startsWith(title)", arg=title(name))
    settled(page)


def look(page, scheme: str, width: int) -> None:
    """Change theme and width without loading anything."""
    page.emulate_media(color_scheme=scheme)
    if page.evaluate(THEME) != scheme:
        page.wait_for_function(f"scheme => {THEME} === scheme", arg=scheme)
    if page.viewport_size["width"] != width:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(50)  # the pictures measure their room


def findings(page, scheme: str) -> list:
    """What is serious and not Streamlit's alone. Only colours can be wrong in the dark and right in the light."""
    found = [
        tuple(one) for one in page.evaluate(FINDINGS, {} if scheme == "light" else {"runOnly": ["color-contrast"]})
    ]
    return [
        one
        for one in found
        if one[0] in BAD and not any(one[1] == rule and part in one[2] for rule, part, _ in STREAMLITS_OWN)
    ]


def test_axe_finds_nothing_serious_and_no_page_scrolls_sideways(page):
    bad, wide = {}, {}
    for place, name in enumerate(PAGES):
        open_page(page, name)
        assert page.locator(".stException").count() == 0, name
        for scheme, width in LOOKS[
            :: -1 if place % 2 else 1
        ]:  # there and back: a page begins in the look the last one ended in
            look(page, scheme, width)
            if width == WIDE and (found := findings(page, scheme)):
                bad[name, scheme] = found
            if max(over := page.evaluate(SIDEWAYS)) > 0:
                wide[name, scheme, width] = over
    assert bad == {}
    assert wide == {}
