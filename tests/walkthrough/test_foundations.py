"""The foundations: in order, short, on the walk's own numbers, and each leads on."""

import html
import json
import math
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.walkthrough.test_pages import TEN, assert_shows, charts, drawings, numbers_drawn, numbers_in, open_app, prose, sheets, show
from walkthrough.digits import digits
from walkthrough.drag import map as chart
from walkthrough.drag import pictures, readings, reels
from walkthrough.drag.symbols import BY_PAGE, END, EXTRAS, GOAL, PAGES, SYMBOLS, needed_for
from walkthrough.frame.shell import PAGES as ALL
from walkthrough.lesson import load, text
from walkthrough.numbers import numbers
from walkthrough.settings import Settings
from walkthrough.walk import walk_of

WALKS = (
    Settings(), Settings(TEN, d_model=16, h=4, word=2), Settings("hello", d_model=4, h=1, word=1, head=1),
    Settings("She is a great leader", source="hand-built", word=1, head=1),
)
HOSTILE = "<b>&\"' {{n}} $x$"


@cache
def opened(page: str):
    """The app at one page, kept: showing other settings costs one run instead of three."""
    return open_app(page)


def seen(page: str, settings: Settings):
    """A page under some settings."""
    at = opened(page)
    show(at, settings)
    assert not at.exception
    return at


def drawn(at, name: str, which: int = 0) -> dict:
    """What the picture of a page was given."""
    found = [e.proto for e in at.get("bidi_component") if e.proto.component_name == f"mha_{name}"]
    return json.loads(found[which].json)


def bare(markup: str) -> str:
    return html.unescape(re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", markup))).strip()


def cells(markup: str) -> list[str]:
    return [bare(cell) for cell in re.findall(r'<span class="cell"[^>]*>(.*?)</span>', markup)]


# ---- order, map and prose
def test_the_twelve_stand_in_order_and_need_only_what_came_before():
    assert [page for page in ALL if page.startswith("foundations")] == [*PAGES, *EXTRAS] and len(PAGES) == 12
    for place, symbol in enumerate(SYMBOLS):
        assert symbol.page == PAGES[place] and set(symbol.needs) <= set(PAGES[:place])
        assert symbol.step in ALL
    assert needed_for(GOAL) == set(PAGES)  # everything ends in multi-head attention


def test_the_map_has_every_sign_once_as_a_link_and_every_need_as_a_line():
    picture = chart.map_of({PAGES[3]})
    assert re.findall(r'data-open="(\w+)"', picture) == [*PAGES, GOAL]
    lines = set(re.findall(r'data-need="(\w+)" data-for="(\w+)"', picture))
    assert lines == {(need, s.page) for s in (*SYMBOLS, END) for need in s.needs}
    assert all(BY_PAGE[a].at[1] < BY_PAGE[b].at[1] for a, b in lines)  # every line runs downwards
    assert len({s.at for s in BY_PAGE.values()}) == 13
    assert picture.count("✓") == 1 and text("found_map_answered") in picture


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_one_question_and_at_most_seventy_words(page):
    lesson = load(page)
    for settings in WALKS[:3]:
        live = numbers(walk_of(settings))
        said = " ".join(s.plain(live) for name, s in lesson.sections.items() if name in ("what", "why"))
        assert lesson.headline.plain(live).endswith("?") and len(said.split()) <= 70, len(said.split())
    assert {"what", "check", "check_answer"} <= set(lesson.sections)


@pytest.mark.parametrize("page", [*PAGES, *EXTRAS])
def test_every_page_leads_on_and_to_where_its_symbol_is_used(page):
    order, at = [*PAGES, *EXTRAS, "step_1_arrows"], seen(page, Settings())
    following = order[order.index(page) + 1]
    assert at.button(key="go_Right").label == f"{text(f'title_{following}')} →"
    step = BY_PAGE[page].step if page in BY_PAGE else GOAL
    links = {link.proto.label: link.proto.page for link in at.get("page_link")}
    assert links[text("found_used", title=text(f"title_{step}"))].strip("/") == step


# ---- the pictures hold the walk's own numbers
@pytest.mark.parametrize("settings", WALKS)
def test_rows_words_and_budget_are_those_of_the_walk(settings):
    walk = walk_of(settings)
    row = walk.trace.X[walk.word]
    at = seen(PAGES[0], settings)
    picture = drawn(at, "press")["html"]
    assert re.findall(r'data-open="word:(\d+)"', picture) == [str(i + 1) for i in range(len(walk.tokens))]
    wanted = row if len(row) <= 9 else np.append(row[:7], row[-1])
    assert cells(picture) == [digits(v) for v in wanted]
    budget = drawn(seen(PAGES[3], settings), "press")["html"]
    assert re.findall(r'title="(\d+: [^"]+)"', budget) == [f"{i + 1}: {digits(v)}" for i, v in enumerate(row)]
    sizes = re.findall(r'data-open="d_model:(\d+)"', budget)
    assert str(len(row)) in sizes and (len(sizes) > 1) == (settings.source == "seeded")


@pytest.mark.parametrize("settings", WALKS)
def test_the_square_has_n_times_n_cells_at_every_place_of_its_slider(settings):
    reel = reels.square(walk_of(settings).tokens)
    for place in range(1, len(reel.says) + 1):
        there = [int(k) for k in re.findall(r'<rect class="grow" data-from="(\d+)"', reel.html)]
        assert sum(k <= place for k in there) == place**2
        assert f"{place} × {place} = {place**2} " in reel.says[place - 1]
    assert reel.start == len(walk_of(settings).tokens)


def test_a_large_square_is_drawn_in_shells_that_make_the_same_square():
    reel = reels.square(("a",) * 19)
    shells = re.findall(r'<path class="grow" data-from="(\d+)"[^>]* d="([^"]+)"', reel.html)
    assert [len(re.findall("M", d)) for _, d in shells] == [2 * k - 1 for k in range(1, 20)]
    assert reel.says[18].endswith(f"{19 * 19} meetings")


@pytest.mark.parametrize("settings", WALKS)
def test_the_stacked_rows_are_X(settings):
    walk = walk_of(settings)
    n, d_model = walk.trace.X.shape
    reel = reels.stack(walk.tokens, walk.trace.X)
    columns = list(range(d_model)) if d_model <= 6 else [0, 1, 2, 3, d_model - 1]
    found = [bare(cell) for cell in re.findall(r'role="cell"[^>]*>(.*?)</span>', reel.html)]
    assert found == [digits(v) for v in walk.trace.X[:, columns].ravel()]
    assert [line.split(":")[0] for line in reel.says] == [f"{k} × {d_model}" for k in range(1, n + 1)]


@pytest.mark.parametrize("settings", WALKS)
def test_every_cell_of_the_product_is_the_sum_that_is_read_there(settings):
    walk = walk_of(settings)
    X, m = walk.trace.X, min(6, len(walk.tokens))
    reel = reels.product(walk.tokens, X)
    wanted = [sum(float(a) * float(b) for a, b in zip(X[i], X[j])) for i in range(m) for j in range(m)]
    answers = re.findall(r'class="answer" data-from="(\d+)" data-on="(\d+)"><span>(.*?)</span>', reel.html)
    assert answers == [(str(k + 1), str(k + 1), digits(total)) for k, total in enumerate(wanted)]
    for k, line in enumerate(reel.says):
        i, j = divmod(k, m)
        assert f"“{walk.tokens[i]}”" in line and f"“{walk.tokens[j]}”" in line and line.endswith(f"= {digits(wanted[k])}")
        rest = re.search(r"\((\d+) more products: ", line)
        assert line.count("×") + (int(rest[1]) if rest else 0) == X.shape[1]
        lit = re.findall(r'<tr data-on="([\d ]+)"', reel.html)
        assert [place for place, on in enumerate(lit) if str(k + 1) in on.split()] == [i]


def test_shapes_clash_before_the_transpose_and_fit_after_it():
    picture = pictures.clash(10, 64)
    assert re.findall(r'class="shapes (\w+)"', picture) == ["clash", "fits"]
    assert re.findall(r"<em>(\d+)</em>", picture) == ["64", "10", "64", "64"] and "10 × 10" in picture
    assert "by chance" in pictures.clash(4, 4) and pictures.clash(4, 4).count("fits\"") == 2


@pytest.mark.parametrize("settings", WALKS)
@pytest.mark.parametrize("letter", ["q", "k", "v"])
def test_a_name_is_read_aloud_beside_its_own_row(settings, letter):
    at = seen(PAGES[7], replace(settings, view=f"letter.{letter}"))
    walk = walk_of(settings)
    picture = drawn(at, "press")["html"]
    row = getattr(walk.trace, letter.upper())[walk.head, walk.word]
    assert cells(picture) == [digits(v) for v in row][: len(cells(picture))] and cells(picture)
    part = {"q": "query", "k": "key", "v": "value"}[letter]
    assert f"the {part} of word {walk.word + 1} in head {walk.head + 1}" in bare(picture)
    pressed = re.findall(r'data-open="name:([\d.]+)" aria-pressed="true"', picture)
    assert pressed == [f"{walk.word + 1}.{walk.head + 1}"]
    for grid, there in sheets(at):
        assert_shows(grid, there, walk.trace)


def test_q_3_1_is_said_as_in_the_lesson():
    walk = walk_of(Settings(word=3, head=1))
    picture = pictures.names(walk.tokens, 2, "q", 2, 0, walk.trace.Q[0, 2])
    assert "<i>q</i><sub>3,1</sub>" in picture and "“q 3 1”: the query of word 3 in head 1" in bare(picture)


def test_512_is_cut_into_8_times_64_and_an_illegal_cut_is_refused_by_the_core():
    at = seen(PAGES[8], Settings())
    picture = drawn(at, "press")["html"]
    assert re.findall(r'<span class="band"[^>]*>(\d+)</span>', picture) == ["64"] * 8 and "8 × 64 = 512" in picture
    picture = drawn(seen(PAGES[8], Settings(view="cut_by.5")), "press")["html"]
    assert "5 heads cannot share 512 numbers evenly (512 = 102 × 5 + 2)" in picture and 'class="band broken"' in picture
    assert re.findall(r'class="band"[^>]*>(\d+)<', pictures.bands(768, 12, range(1, 17))) == ["64"] * 12


# ---- arrows and sliders start from the walk, and their numbers are right
def angle_between(a, b) -> float:
    return math.degrees(math.acos(max(-1, min(1, (a[0] * b[0] + a[1] * b[1]) / (math.hypot(*a) * math.hypot(*b))))))


@pytest.mark.parametrize("settings", WALKS)
def test_arrows_start_as_the_first_numbers_of_two_words(settings):
    walk = walk_of(settings)
    X = walk.trace.X
    one = drawn(seen(PAGES[2], settings), "arrows")
    assert one["arrows"] == [{"label": walk.tokens[walk.word], "point": X[walk.word, :2].tolist()}]
    two = drawn(seen(PAGES[6], settings), "arrows")
    points = [arrow["point"] for arrow in two["arrows"]]
    other = (walk.word + 1) % len(X)
    wanted = X[other, :2].tolist() if len(X) > 1 else [-X[0, 1], X[0, 0]]
    assert points == [X[walk.word, :2].tolist(), wanted]
    assert all(abs(x) < two["reach"] for point in points for x in point)
    assert [way for way, _ in two["presets"]] == ["start", "same", "right", "opposite"]


def test_two_arrows_meet_as_plain_geometry_says():
    draw = np.random.RandomState(5)
    for a, b in draw.standard_normal((50, 2, 2)):
        met = readings.meet(a, b)
        assert met.dot == pytest.approx(a[0] * b[0] + a[1] * b[1], abs=1e-12) and sum(met.products) == met.dot
        assert met.angle == pytest.approx(angle_between(a, b), abs=1e-6)
        assert met.lengths == pytest.approx([np.linalg.norm(a), np.linalg.norm(b)])
    a = (1.3, -0.7)
    same, right, opposite = (readings.meet(a, readings.turned(a, way)) for way in ("same", "right", "opposite"))
    assert (same.angle, right.angle, opposite.angle) == (0.0, 90.0, 180.0)
    assert same.dot > 0 == right.dot > opposite.dot == -same.dot
    assert readings.meet((0.0, 0.0), a).angle is None


@pytest.mark.parametrize("settings", WALKS)
def test_sliders_start_at_the_real_scores_and_every_preset_is_what_it_says(settings):
    walk = walk_of(settings)
    given = drawn(seen(PAGES[9], settings), "shares")
    real, large, equal, negative = (preset["scores"] for preset in given["presets"])
    assert real == walk.trace.scores[walk.head, walk.word, :6].tolist()
    n = len(real)
    assert readings.shared(equal) == pytest.approx([1 / n] * n, abs=1e-15)
    assert max(negative) < 0 and readings.shared(negative) == pytest.approx(readings.shared(real), abs=1e-12)
    assert n == 1 or 0.98 < readings.shared(large).max() < 1
    powers = [math.exp(s) for s in real]
    assert readings.shared(real) == pytest.approx([p / sum(powers) for p in powers], rel=1e-12)
    assert all(abs(s) <= given["reach"] for preset in given["presets"] for s in preset["scores"])


# ---- charts
@pytest.mark.parametrize("choice", ["example", "one", "equal", "real"])
@pytest.mark.parametrize("settings", WALKS)
def test_the_blend_is_the_weighted_sum_of_three_value_rows(settings, choice):
    at = seen(PAGES[10], replace(settings, view=f"shares.{choice}"))
    walk = walk_of(settings)
    V = walk.trace.V[walk.head, :3]
    real = walk.trace.weights[walk.head, walk.word, :3]
    shares = {"example": [0.6, 0.3, 0.1][: len(V)], "one": [1, 0, 0][: len(V)], "equal": [1] * len(V), "real": real}[choice]
    shares = np.array(shares, float) / sum(shares)
    figure = drawings(at)[0]
    there = numbers_drawn(figure)
    for value in [*shares, *(sum(w * v for w, v in zip(shares, column)) for column in V.T[:8])]:
        assert np.abs(there - value).min() < 1e-6
    if choice == "example" and len(V) == 3:
        for said in ("0.60", "0.30", "0.10"):
            assert said in ["".join(e.itertext()) for e in figure.iter("text")]


def test_the_spread_is_drawn_as_measured_and_40_becomes_5():
    at = open_app(PAGES[11], Settings(seed=77))
    q, k = np.random.RandomState(77).standard_normal((2, 1000, 512))
    measured = [float(np.std([x[:w] @ y[:w] for x, y in zip(q, k)])) for w in (2, 64, 512)]
    there = numbers_in(charts(at)[0])
    for value, width in zip(measured, (2, 64, 512)):
        assert np.abs(there - value).min() < 1e-9 and np.abs(there - value / width**0.5).min() < 1e-9
    said = bare(prose(at))
    assert "40 / √64 = 40 / 8 = 5 ." in said and "A score of 40 would become 40 / 8 = 5." in said
    assert f"scatter by {digits(measured[1])} (theory: √64 = 8)" in said
    at.select_slider(key="found_width").set_value(4).run()
    assert "40 / 2 = 20" in prose(at)
    before = numbers_in(charts(at)[0])
    next(b for b in at.button if b.label == text("found_draw_again")).click().run()
    assert not at.exception and (numbers_in(charts(at)[0]) != before).any()


# ---- the checklist
def test_an_answer_opens_only_after_ones_own_and_stays_for_the_session():
    at = open_app(EXTRAS[1])
    answers = [load(page).sections["check_answer"].plain(numbers(walk_of(Settings()))) for page in PAGES]
    shown = lambda: bare(prose(at))  # noqa: E731
    assert len([i for i in at.text_input if i.key.startswith("answer_")]) == 12 and text("found_tally", done=0, all=12) in shown()
    assert not any(bare(html.escape(answer))[:25] in shown() for answer in answers if "_" not in answer[:25])
    at.text_input(key=f"answer_{PAGES[0]}").set_value("into a list").run()
    assert answers[0][:40] in shown() and answers[2][:40] not in shown() and text("found_tally", done=1, all=12) in shown()
    at.switch_page("pages/start.py").run()
    at.switch_page(f"pages/{EXTRAS[1]}.py").run()
    assert at.text_input(key=f"answer_{PAGES[0]}").value == "into a list" and answers[0][:40] in shown()
    at.switch_page(f"pages/{EXTRAS[0]}.py").run()
    assert drawn(at, "press")["html"].count("✓") == 1
    at.switch_page(f"pages/{EXTRAS[1]}.py").run()
    at.text_input(key=f"answer_{PAGES[0]}").set_value("   ").run()
    assert answers[0][:40] not in shown() and text("found_tally", done=0, all=12) in shown()


# ---- what was typed stays text
def test_words_never_become_markup_in_a_picture():
    settings = Settings(HOSTILE, word=1)
    walk = walk_of(settings)
    for page in PAGES:
        at = seen(page, settings)
        for element in at.get("bidi_component"):
            if element.proto.component_name == "mha_press":
                picture = json.loads(element.proto.json)["html"]
                assert not re.search(r"<(b|script)>&", picture) and "<b><" not in picture
    square = reels.square(walk.tokens).html
    assert html.escape(walk.tokens[0]) in square
    assert html.escape(walk.tokens[0]) in pictures.words(walk.tokens, walk.trace.X[0], 0)
