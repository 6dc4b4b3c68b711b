"""The pages to look things up: what they show is the walk, from any state, and misconceptions are reached from their steps."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_core.stages import STAGES, grid_of
from tests.conftest import ROOT
from tests.walkthrough.test_pages import open_app, prose, show
from walkthrough import notation
from walkthrough.digits import digits
from walkthrough.frame.shell import WALK
from walkthrough.lesson import load, text
from walkthrough.misconceptions import MISCONCEPTIONS, demonstrate
from walkthrough.settings import Settings, correct
from walkthrough.small_grid import folded
from walkthrough.walk import walk_of

TEN = "I led a team that built a scalable API."
SETTINGS = [
    Settings(), Settings("hello", h=1, word=1, head=1), Settings(TEN, d_model=512, h=8, word=2, divisor="d_k"),
    Settings("the dog saw the dog", d_model=12, h=12, mask="causal", word=2, head=11, positions=False, divisor="none"),
    Settings("the cat sat", source="trained"), Settings("She is a great leader", source="hand-built", word=1),
    Settings("<img src=x onerror=alert(1)> $5 *b*", word=1),
]


def cells(html: str) -> list[str]:
    return re.findall(r'<td class="full[^>]*>([^<]*)</td>', html)


@pytest.mark.parametrize("page", ["reference_misconceptions", "reference_notation"])
def test_the_pages_run_in_every_kind_of_state_and_no_word_becomes_markup(page):
    at = open_app(page)
    for settings in SETTINGS:
        show(at, settings)
        assert not at.exception, (settings, at.exception[0].stack_trace)
        assert "<img" not in prose(at) and "{{" not in prose(at)


def test_every_misconception_shows_its_grids_and_its_largest_difference():
    at = open_app("reference_misconceptions")
    walk = walk_of(Settings())
    for name in MISCONCEPTIONS:
        at.selectbox(key="choose_misconception").set_value(name).run()
        assert not at.exception, at.exception[0].stack_trace
        html, shown = prose(at), demonstrate(walk, name)
        expected = [
            digits(grid.values[i, j]) for grid in shown.grids for i in range(len(grid.values))
            for j in folded(grid.values.shape[1]) if j is not None
        ]
        assert cells(html) == expected, name
        for grid in shown.grids[1:]:
            if grid.largest > 1e-9:
                assert text("mis_difference", gap=digits(grid.largest)) in html
        for measure in shown.measures:
            assert all(f">{digits(round(x, 12))}</td>" in html for x in (measure.right, *measure.wrong)), (name, measure)
        assert text("mis_arises") in html


def test_only_some_cells_differ_and_those_have_a_ring():
    at = open_app("reference_misconceptions", Settings(mask="causal"))
    at.selectbox(key="choose_misconception").set_value("late_mask").run()
    html = prose(at)
    assert "differs" in html and text("mis_ringed") in html
    assert html.count(' differs"') < len(cells(html))


def test_notes_say_what_is_compared():
    at = open_app("reference_misconceptions", Settings("hello", h=1, word=1, head=1, divisor="none"))
    at.selectbox(key="choose_misconception").set_value("slicing").run()
    assert text("mis_silent_one_head") in prose(at)
    at.selectbox(key="choose_misconception").set_value("d_k").run()
    assert text("mis_divisor_note") in prose(at) and text("mis_silent_one_word") in prose(at)
    show(at, Settings())
    assert text("mis_divisor_note") not in prose(at)
    at.selectbox(key="choose_misconception").set_value("late_mask").run()
    assert text("mis_mask_note") in prose(at)


SCRIPT = """
import sys
sys.path.insert(0, {root!r})
import streamlit as st
from walkthrough import frame
from walkthrough.frame import reference
frame.restore()
frame.compute()
reference.misconceptions_here({step})
"""


@pytest.mark.parametrize("step", range(1, 8))
def test_each_step_has_doors_to_its_misconceptions(step):
    at = AppTest.from_string(SCRIPT.format(root=str(ROOT), step=step), default_timeout=60).run()
    names = [name for name, known in MISCONCEPTIONS.items() if step in known.steps]
    assert [button.key for button in at.button] == [f"misconception_{name}" for name in names]
    assert bool(names) == (step != 3)


def test_the_choice_comes_from_the_address_and_is_kept_on_the_way():
    at = open_app("reference_misconceptions", Settings(view="misconception.columns"))
    assert at.selectbox(key="choose_misconception").value == "columns"
    at.selectbox(key="choose_misconception").set_value("averaging").run()
    at.switch_page("pages/reference_notation.py").run()
    at.switch_page("pages/reference_misconceptions.py").run()
    assert at.selectbox(key="choose_misconception").value == "averaging"
    show(at, Settings(view="misconception.no_such_thing"))
    assert not at.exception and at.selectbox(key="choose_misconception").value in MISCONCEPTIONS


def test_from_every_misconception_a_link_leads_to_its_step():
    at = open_app("reference_misconceptions")
    for name, known in MISCONCEPTIONS.items():
        at.selectbox(key="choose_misconception").set_value(name).run()
        labels = [link.proto.label for link in at.get("page_link")]
        for step in known.steps:
            assert any(label.startswith(f"{step} ") and text(f"title_{WALK[step]}") in label for label in labels), (name, labels)


# ---- notation --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("settings", SETTINGS, ids=range(len(SETTINGS)))
def test_every_symbol_has_its_present_value_and_shape(settings):
    settings = correct(settings)[0]
    walk = walk_of(settings)
    trace = walk.trace
    rows = {row.meaning: row for _, group in notation.grids(walk) for row in group}
    assert len(rows) == len(STAGES)
    for stage in STAGES:
        values, said = grid_of(trace, stage.field), " ".join(rows[stage.title].now)
        if values is None:
            assert said == text("notation_absent")
            continue
        size = values.shape[1:] if stage.axes[0] == "head" else values.shape
        assert f"({', '.join(map(str, size))})" in said
        if stage.field == "context":
            continue
        number = re.search(r" is (\S+?)(?: \(masked\))?$", said)[1]
        assert number in {digits(value).removesuffix(" (masked)") for value in np.unique(values if values.size < 900 else values[..., 0])}, (stage.field, said)
    if trace.weights.size:
        weight = digits(trace.weights[walk.head, walk.word, walk.partner])
        assert rows["attention weights"].now[1].endswith(f" is {weight}")
    p = trace.parameters
    now = [row.now[0] for row in notation.sizes(walk)]
    assert now[0] == str(len(walk.tokens)) and now[1:3] == [str(p.d_model), str(p.h)]
    assert now[3] == f"{p.d_model}/{p.h} = {p.d_k}" and now[5] == digits(trace.divisor)


def test_the_notation_page_shows_all_of_it_as_a_real_table():
    at = open_app("reference_notation", SETTINGS[2])
    html = prose(at)
    assert html.count("<table") == html.count("</table>") >= 9
    for said in ("(10, 512)", "(10, 64)", "(512, 64)", "(10, 10)", "512/8 = 64"):
        assert said in html
    assert html.count('<th scope="row">') >= len(STAGES) + 6
    for part in load("reference_notation").sections["picture_words_table"].parts:
        assert f'<th scope="row">{part.name}</th>' in html


def test_a_mask_is_spelled_both_ways():
    walk = walk_of(Settings("a b c d", mask="causal", word=2))
    (_, here, there), (_, ours, theirs) = notation.elsewhere(walk)
    assert here == "True True False False" and there == "False False True True"
    assert "(8, 4)" in ours and "(4, 8)" in theirs
    many = notation.elsewhere(walk_of(Settings(TEN, word=3)))[0]
    assert many[1] == "True " * 5 + "True …"
