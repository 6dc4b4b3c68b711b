"""The four stories: every number they tell, worked out a second time."""

import math
import re

import numpy as np
import pytest

from mha_core.hand_built import HAND_BUILT
from mha_core.pretrained import EncoderUnavailable
from tests.conftest import ROOT
from tests.walkthrough.test_lab_2 import table_rows
from tests.walkthrough.test_pages import TEN, drawings, numbers_drawn, open_app, prose, sheets, show
from walkthrough import stories, story_rows
from walkthrough.digits import digits
from walkthrough.figures.bands import bands
from walkthrough.frame.shell import PAGES
from walkthrough.lesson import load, text
from walkthrough.settings import Settings, from_query
from walkthrough.sheet.numbers import unpack
from walkthrough.sheet.sheet import sheet
from walkthrough.walk import walk_of
from walkthrough.widths import Widths, lanes

STORIES = ("story_768", "story_cv", "story_specialists", "story_two_heads")
SHE, LED = HAND_BUILT["two views"], HAND_BUILT["led a team"]


@pytest.mark.parametrize("page", STORIES)
def test_a_story_is_a_page_that_runs_in_every_kind_of_state(page):
    assert page in PAGES
    at = open_app(page)
    for settings in (Settings(), Settings(TEN, d_model=512, h=8, word=2), Settings("hello", d_model=4, h=4, word=1, head=1, mask="causal")):
        show(at, settings)
        assert not at.exception, at.exception[0].stack_trace
        assert at.session_state["settings"] == settings


@pytest.mark.parametrize("page", STORIES)
def test_every_section_of_the_story_is_asked_for(page):
    source = (ROOT / "pages" / f"{page}.py").read_text(encoding="utf-8")
    steps = {f"picture_{step}" for step in ("arrows", "qkv", "scores", "softmax", "blend", "heads", "mix")} if "steps_of_story" in source else set()
    assert set(load(page).sections) <= set(re.findall(r'"(what|why|picture\w*)"', source)) | steps | {"edges"}


# ---- the CV ----------------------------------------------------------------------------------------------------
def test_the_shapes_of_the_story_are_computed():
    first, second = stories.two_jobs(1753)
    for walk in (first, second):
        t = walk.trace
        assert t.X.shape == t.concat.shape == t.output.shape == (10, 512)
        assert t.Q.shape == t.K.shape == t.V.shape == t.heads.shape == (8, 10, 64)
        assert t.scores.shape == t.weights.shape == (8, 10, 10) and t.divisor == 8


def test_two_jobs_share_keys_and_values_and_part_where_they_ask():
    first, second = stories.two_jobs(1753)
    p, q = first.trace.parameters, second.trace.parameters
    for name in ("W_K", "W_V", "W_O"):
        assert (getattr(p, name) == getattr(q, name)).all()
    gaps = stories.apart(first, second)
    assert {name for name, gap in gaps.items() if gap == 0} == {"X", "K", "V"}
    draw = np.random.RandomState(1754).standard_normal((512, 512)) / math.sqrt(512)  # the second job's queries, by hand
    scores = (first.trace.X @ draw[:, 64:128]) @ first.trace.K[1].T / 8
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    assert second.trace.weights[1] == pytest.approx(powers / powers.sum(axis=1, keepdims=True))
    moved = np.abs(first.trace.output - second.trace.output).max(axis=1)
    assert gaps["output"] == moved.max() and moved.min() > 0.1  # every word's row is another one


def test_the_page_shows_both_jobs_and_led_gives_exactly_seventy_per_cent_to_team():
    at = open_app("story_cv", Settings(seed=7))
    walks = stories.two_jobs(7)
    drawn = numbers_drawn(drawings(at)[0])
    for walk in walks:
        assert all(np.abs(drawn - weight).min() < 1e-6 for weight in walk.trace.weights[0, 1])
    V = [there for grid, there in sheets(at) if grid["field"] == "V"]
    show(at, Settings(seed=7, view="job.2"))
    weights = next(there for grid, there in sheets(at) if grid["field"] == "weights")
    assert weights[1, 3] == walks[1].trace.weights[0, 1, 3]
    assert [there for grid, there in sheets(at) if grid["field"] == "V"] == V  # the content has not moved
    led = [there for grid, there in sheets(at) if grid["field"] == "weights"][-1]
    assert led[1, 3] == pytest.approx(0.7, abs=1e-15) and ">70%</bdi>" in prose(at)
    assert 21 / (21 + 9) == pytest.approx(0.7)


def test_the_prose_says_whom_each_job_looks_at_and_the_table_where_the_jobs_part():
    at, tokens = open_app("story_cv", Settings(seed=7)), TEN.removesuffix(".").split() + ["."]
    first, second = (walk.trace for walk in stories.two_jobs(7))
    tops = [max(range(10), key=lambda j: t.weights[0, 1, j]) for t in (first, second)]
    said = re.sub("<[^>]*>", "", prose(at))
    one, two = (f"“{tokens[j]}” ({100 * t.weights[0, 1, j]:.0f}%)" for j, t in zip(tops, (first, second)))
    assert f"For the first job it looks most at {one}, for the second at {two}." in said
    rows = [cells for cells in table_rows(at) if len(cells) == 3][1:]
    for name, cells in zip(("X", "Q", "K", "V", "scores", "weights", "heads", "concat", "output"), rows, strict=True):
        gap = np.abs(getattr(first, name) - getattr(second, name)).max()
        assert cells[0] == text(f"cv_grid_{name}") and cells[1] == (digits(gap) if gap else "0")


def test_every_step_of_the_story_has_its_door_at_the_sizes_of_the_story():
    at = open_app("story_cv", Settings(seed=7, d_model=16, h=4))
    doors = [link.proto for link in at.get("page_link") if "d_model=512" in link.proto.query_string]
    assert [door.page.split("/")[-1].split("_")[1] for door in doors] == list("1234567")
    for door in doors:
        query = dict(pair.split("=") for pair in door.query_string.split("&"))
        settings, notes = from_query({name: value.replace("+", " ") for name, value in query.items()})
        assert (settings.sentence, settings.d_model, settings.h, settings.seed, notes) == (TEN, 512, 8, 7, [])


# ---- two heads -------------------------------------------------------------------------------------------------
def test_she_finds_leader_in_one_head_and_great_in_the_other():
    walk = stories.walk_from(SHE, 0, 0, "by hand")
    assert walk.tokens == ("She", "is", "a", "great", "leader") and walk.settings.source == "hand-built"
    weight = math.exp(3) / (math.exp(3) + 4)  # a score of 3 · 2 = 6, halved, beside four scores of 0
    assert walk.trace.scores[0, 0].tolist() == [0, 0, 0, 0, 6] and walk.trace.scores[1, 0].tolist() == [0, 0, 0, 6, 0]
    assert walk.trace.weights[0, 0, 4] == pytest.approx(weight) and walk.trace.weights[1, 0, 3] == pytest.approx(weight)
    values = story_rows.meeting_values(walk, SHE)
    assert (values["score_one"], values["scaled_one"], values["percent_one"], values["finds_two"]) == ("6", "3", "83%", "great")


def test_the_plan_is_read_off_the_matrices():
    assert story_rows.plan_rows(SHE, 0) == [["which role?", "pronoun 3, quality 2", "role 2"]]
    assert story_rows.plan_rows(SHE, 1) == [["what like?", "pronoun 3, role 2", "quality 2"]]
    assert story_rows.word_rows(SHE)[-1] == ["leader", "role, person"]


def test_the_praised_role_is_filled_by_both_heads():
    rows = {row[0]: row[1:] for row in story_rows.feature_rows(stories.walk_from(SHE, 0, 0, ""), SHE)}
    weight = math.exp(3) / (math.exp(3) + 4)
    before, *brought, after = (float(cell) for cell in rows["praised role"])
    assert before == 0 and brought == [pytest.approx(weight / 2, abs=0.005)] * 2 and after == pytest.approx(weight, abs=0.005)


def test_the_sheets_name_their_columns_and_rows_and_keep_their_numbers():
    walk = stories.walk_from(SHE, 0, 1, "by hand")
    payload = sheet(walk, ["X × W_Q = Q", "Q · K.T = scores", "concat × W_O = output"])
    header, numbers = unpack(payload.data)
    assert (numbers["X"] == SHE.X).all() and (numbers["W_Q.2"] == SHE.parameters.W_Q[1]).all()
    grids = header["grids"]
    assert grids["X"]["column_labels"] == list(SHE.features) and grids["X"]["row_labels"] == list(SHE.tokens)
    assert grids["W_Q.2"]["row_labels"] == list(SHE.features) and grids["W_Q.2"]["column_labels"][0] == "what like?"
    assert grids["K.2.T"]["row_labels"] == list(SHE.lanes[1]) and grids["K.2.T"]["column_labels"] == list(SHE.tokens)
    assert grids["W_O"]["row_labels"] == [*SHE.carried[0], *SHE.carried[1]] == grids["concat"]["column_labels"]
    assert grids["scores.2"]["row_labels"] == grids["scores.2"]["column_labels"] == list(SHE.tokens)
    assert header["names"]["W_Q.2"] == {"rows": list(SHE.features), "columns": list(SHE.lanes[1])}
    assert header["names"]["K.2"] == {"rows": [], "columns": list(SHE.lanes[1])} and "scores.2" not in header["names"]
    assert "input(She, pronoun)" in grids["X"]["finding"]


def test_the_page_shows_the_hand_built_numbers_and_another_word_on_request():
    at = open_app("story_two_heads")
    trace = SHE.trace()
    for grid, there in sheets(at):
        whole = getattr(trace.parameters if grid["field"] == "W_O" else trace, grid["field"])
        values = whole if grid["head"] is None else whole[grid["head"] - 1]
        assert all(there[place] == values[place] for place in there)
    assert "hand-built" in prose(at)
    show(at, Settings(view="two_word.3"))
    assert not at.exception and "“great” on its way" in prose(at)


PAIRS = (("She", "leader"), ("She", "great"))


def test_the_nearest_trained_heads_are_those_that_were_measured_before():
    try:
        found = stories.neighbours(SHE.sentence, PAIRS)
    except EncoderUnavailable as reason:
        pytest.skip(str(reason))
    assert [[(near.layer, near.head) for near in pair] for pair in found] == [[(2, 3), (0, 1)], [(5, 9), (0, 3)]]
    assert [round(near.weight, 2) for pair in found for near in pair] == [0.5, 0.35, 0.33, 0.24]
    assert all(near.row.sum() == pytest.approx(1, abs=1e-5) for pair in found for near in pair)
    rows = table_rows(open_app("story_two_heads"))
    assert ["She → leader", "layer 3, head 4", "50%"] in rows and ["She → leader", "hand-built, head 1", "83%"] in rows
    assert ["She → great", "layer 1, head 4", "24%"] in rows


def test_without_the_trained_weights_the_page_says_what_to_install(monkeypatch):
    def missing():
        raise EncoderUnavailable("not here; install it with: pip install something")

    stories.neighbours.cache_clear()
    monkeypatch.setattr(stories, "encoder", missing)
    at = open_app("story_two_heads")
    assert not at.exception and "install it with" in prose(at) and not drawings(at)
    assert ["She → leader", "hand-built, head 1", "83%"] not in table_rows(at)


# ---- 768 -------------------------------------------------------------------------------------------------------
def test_the_sizes_of_the_story_fit():
    chosen = Widths(768, 12, 64)
    assert chosen.fits and chosen.share == 64 and chosen.concat == 768 and chosen.refusal == "" and chosen.is_even_share
    strips = story_rows.width_strips(chosen)
    assert [sum(band.width for band in strip.bands) for strip in strips] == [768] * 5
    assert [band.text for band in strips[2].bands][:2] + [strips[2].bands[-1].text] == ["1–64", "65–128", "705–768"]


@pytest.mark.parametrize(("d_model", "h"), [(768, 5), (8, 3), (3, 7)])
def test_an_illegal_pair_is_answered_with_the_rule_and_what_is_left_over(d_model, h):
    at = open_app("story_768")
    at.number_input(key="768_d_model").set_value(d_model)
    at.number_input(key="768_h").set_value(h).run()
    assert not at.exception
    assert f"{h} heads cannot share {d_model} numbers evenly ({d_model} = {d_model // h} × {h} + {d_model % h})" in prose(at)
    strips = story_rows.broken_strips(Widths(d_model, h, max(1, d_model // h)))
    assert sum(band.width for band in strips[1].bands) == d_model
    at.button(key="768_back").click().run()
    assert "cannot share" not in prose(at) and at.number_input(key="768_d_v").value == 64


def test_a_free_width_is_allowed_and_leads_back(d_model=640, h=4, d_v=256):
    at = open_app("story_768")
    at.toggle(key="768_share").set_value(False).run()
    for field, value in (("d_model", d_model), ("h", h), ("d_v", d_v)):
        at.number_input(key=f"768_{field}").set_value(value)
    at.run()
    assert not at.exception and "1,024 → 640" in prose(at) and "1,024 rows, 640 columns" in prose(at)
    at.number_input(key="768_h").set_value(7).run()  # no even share is asked for, so nothing is refused
    assert "cannot share" not in prose(at) and "1,792 → 640" in prose(at)


def test_bands_are_drawn_to_scale_in_the_hues_of_their_heads():
    html = bands(story_rows.width_strips(Widths(12, 3, 4)), "alt <b>")
    assert html.count("width:33.333%") == 6 and html.count("var(--mha-head-2)") == 2 and "alt &lt;b&gt;" in html
    assert lanes(20, 3)[:1] == [(1, 1, 3)] and lanes(20, 3)[-2:] == [None, (20, 58, 60)] and len(lanes(20, 3)) == 12
    assert sum(band.width for band in story_rows.lane_bands(20, 3)) == 60


# ---- specialists -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("settings", [Settings(), Settings(TEN, d_model=24, h=4, word=2), Settings(d_model=4, h=1, head=1)])
def test_the_parts_of_the_specialists_make_the_whole_output(settings):
    walk = walk_of(settings)
    t, W_O = walk.trace, walk.trace.parameters.W_O
    d_v, output = t.parameters.d_v, t.output[walk.word]
    found = stories.reports(walk)
    for i, report in enumerate(found):
        columns = slice(i * d_v, (i + 1) * d_v)
        share = t.concat[walk.word, columns] @ W_O[columns]
        assert (report.first, report.last) == (columns.start + 1, columns.stop)
        assert report.length == pytest.approx(np.linalg.norm(share))
        assert report.part == pytest.approx(share @ output / (output @ output))
    assert sum(report.part for report in found) == pytest.approx(1)
    rows = [cells for cells in table_rows(open_app("story_specialists", settings)) if len(cells) == 4][1:]
    shares = [t.heads[i, walk.word] @ W_O[i * d_v : (i + 1) * d_v] for i in range(len(found))]
    for i, (cells, share) in enumerate(zip(rows, shares, strict=True)):
        part = 100 * float(share @ output) / float(output @ output)
        assert [cells[0], cells[2]] == [f"Head {i + 1}", digits(np.linalg.norm(share))]
        assert [int(place) for place in re.findall(r"\d+", cells[1])] == ([i * d_v + 1, (i + 1) * d_v])
        assert cells[3].replace("−", "-") == f"{part:.0f}%" or not 1.5 <= abs(part) <= 98.5
    loudest = max(found, key=lambda report: report.part)
    assert story_rows.report_values(found, 0.0)["most_head"] == str(loudest.head)


def test_a_bias_has_a_part_of_its_own():
    from dataclasses import replace

    from mha_core import attend

    walk = walk_of(Settings())
    biased = replace(walk.trace.parameters, b_O=np.arange(8.0))
    walk = replace(walk, trace=attend(walk.trace.X, biased))
    found, bias = stories.reports(walk), stories.bias_part(walk)
    assert sum(report.part for report in found) + bias == pytest.approx(1)
    assert story_rows.report_values(found, bias)["total_part"] == "100%"
    assert story_rows.report_rows(found, bias)[-1][-1] == story_rows.signed_percent(bias)


def test_parts_never_claim_too_much():
    assert [story_rows.signed_percent(p) for p in (1.0, 0.72, -0.08, 0.9999, 1.31, -2.5)] == ["100%", "72%", "−8%", ">99.9%", "131%", "−250%"]
