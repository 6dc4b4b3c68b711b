"""A few journeys through the running app, in a real browser."""

import os
import re
import socket
import subprocess
import sys
from urllib.parse import parse_qs, urlparse

import pytest

from mha_core.tokens import tokenize
from tests.conftest import ROOT, _wait
from walkthrough.frame.shell import WALK

pytestmark = pytest.mark.browser
TEN = "I led a team that built a scalable API."


@pytest.fixture
def visit(chromium, app_url):
    """Open an address of the app in a session of its own; afterwards, no script may have failed."""
    contexts, errors = [], []

    def open_page(path="", width=1280, scheme="light", url=app_url):
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: errors.append(dialog.message))
        page.goto(f"{url}/{path}")
        settled(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not errors


def settled(page) -> None:
    """Wait until the page has its headline and Streamlit is done with the run."""
    page.wait_for_selector(".stApp h1")
    page.wait_for_selector('.stApp[data-test-script-state="notRunning"]')
    page.wait_for_function("!document.querySelector('[data-testid=stSkeleton]')")


def heading(page) -> str:
    return page.locator(".stApp h1").first.inner_text()


def settings_of(page) -> dict:
    return {name: values[0] for name, values in parse_qs(urlparse(page.url).query).items()}


def grid(page, name: str):
    return page.locator(f'[role=grid][data-grid="{name}"]').first


def test_a_newcomer_types_a_sentence_and_walks_to_the_end_by_keyboard(visit):
    page = visit()
    box = page.locator(".stMain input[type=text]").first
    box.fill(TEN)
    box.press("Enter")
    page.wait_for_function(f"document.querySelector('.stApp h1').innerText.includes({TEN!r})")
    page.locator("button", has_text="Begin").click()
    for name in WALK[1:]:
        page.wait_for_url(f"**/{name}?**")
        settled(page)
        assert settings_of(page)["sentence"] == TEN
        assert page.locator(".stException").count() == 0
        if name != WALK[-1]:
            assert grid(page, "X" if name == "step_1_arrows" else page.locator("[role=grid]").first.get_attribute("data-grid")).count()
            page.locator(".stApp h1").first.click()
            page.keyboard.press("ArrowRight")
    assert "API" in heading(page) or "led" in heading(page)


def test_an_address_restores_everything_and_an_impossible_one_says_what_was_corrected(visit):
    page = visit("step_3_scores?sentence=man+bites+dog&d_model=16&h=4&divisor=none&mask=causal&word=2&head=3&seed=7&positions=off")
    assert "bites" in heading(page)
    assert page.locator("input[aria-label='Your sentence']").first.input_value() == "man bites dog"
    assert page.locator(".origin").first.inner_text().count("seed 7") == 1
    page = visit("?h=5&d_model=8&word=99")
    notes = page.locator(".note").all_inner_texts()
    assert any("5 heads cannot share 8" in note for note in notes) and any("no word 99" in note for note in notes)
    assert settings_of(page) == {"h": "4"}


def test_the_very_first_visitor_of_a_server_may_open_any_page(visit):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), "--server.address", "127.0.0.1"]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ.copy())
    try:
        _wait(f"http://127.0.0.1:{port}/_stcore/health", server, ROOT / "README.md")
        page = visit("step_5_blend?word=1", url=f"http://127.0.0.1:{port}")
        page.wait_for_selector(".stSidebar input")
        assert "the" in heading(page) and "step_5_blend" in page.url
    finally:
        server.terminate()
        server.wait(20)


def test_a_pinned_number_goes_into_the_address_opens_elsewhere_and_leads_back_to_the_word(visit):
    page = visit("step_3_scores")
    cells = grid(page, "scores.2")
    cells.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**cell=scores.2.**")
    address = page.url
    said = page.locator(".reading").first.inner_text()
    again = visit(address.split("/", 3)[3])
    again.wait_for_function("document.querySelector('[data-testid=stBidiComponent] , .stBidiComponent') !== null")
    assert settings_of(again)["cell"] == settings_of(page)["cell"]
    assert again.locator(".reading").first.inner_text().split("=")[0] == said.split("=")[0]
    again.locator(".reading button.operand").first.click()
    again.wait_for_url("**/step_2_qkv?**")
    settled(again)
    assert settings_of(again)["cell"].startswith("Q.2.")
    assert settings_of(again)["trail"] == settings_of(page)["cell"]
    again.locator(f'.reading[data-cell="{settings_of(again)["cell"]}"]').first.wait_for()
    again.locator(".stApp h1").first.click()
    again.keyboard.press("Escape")  # lets go, wherever the focus is
    again.wait_for_function("!location.search.includes('cell=')")


def test_a_pinned_number_of_a_what_if_is_there_in_a_new_window_too(visit):
    page = visit("step_7_mix?view=head_off.on")
    page.locator('[role=grid][data-grid="shares.2"]').focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**cell=shares.2.**")
    assert settings_of(page)["view"] == "head_off.on"
    again = visit(page.url.split("/", 3)[3])
    said = again.locator(f'.reading[data-cell="{settings_of(page)["cell"]}"]')
    said.first.wait_for()
    assert [float(said.nth(k).get_attribute("data-total")) for k in range(said.count())] == [0.0]  # head 2 is off: its share is nothing


def test_the_back_button_brings_the_former_state_back(visit):
    page = visit("step_3_scores?sentence=man+bites+dog")
    box = page.locator("input[aria-label='Your sentence']").first
    box.fill("dog bites cat")
    box.press("Enter")
    page.wait_for_url("**sentence=dog+bites+cat**")
    page.wait_for_function("document.querySelector('.stApp h1').innerText.includes('cat')")
    settled(page)
    page.go_back()
    page.wait_for_url("**sentence=man+bites+dog**")
    page.wait_for_function("!document.querySelector('.stApp h1').innerText.includes('cat')")
    settled(page)
    assert box.input_value() == "man bites dog"


def test_two_visitors_never_see_each_other(visit):
    one, two = visit("step_1_arrows?sentence=only+mine"), visit("step_1_arrows")
    assert "mine" in heading(one) and "mine" not in two.content()


@pytest.mark.parametrize("sentence", ["<script>alert(1)</script> $x$ *b* :smile: {{word}}", "$5 20% 1,000 2026-01 1E1 <s> <b>"])
def test_what_is_typed_is_shown_as_it_is(visit, sentence):
    page = visit()
    box = page.locator(".stMain input[type=text]").first
    box.fill(sentence)
    box.press("Enter")
    page.wait_for_function("location.search.includes('sentence')")
    settled(page)
    assert sentence[:30] in heading(page)
    page.goto(re.sub(r"^(https?://[^/]+)/", r"\1/step_3_scores", page.url))
    settled(page)
    page.locator(".rows .label").first.wait_for()
    labels = page.locator(".rows .label").all_inner_texts()
    assert set(tokenize(sentence)) <= set(labels)


def test_a_theme_change_repaints_the_sheet(visit):
    light, dark = visit("step_3_scores"), visit("step_3_scores", scheme="dark")
    tell = "getComputedStyle(document.querySelector('.stApp')).colorScheme"
    assert (light.evaluate(tell), dark.evaluate(tell)) == ("light", "dark")
