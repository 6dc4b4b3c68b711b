"""The lab pages on scaling, positions and cost: what they show against calculations of their own."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from mha_core.parameters import legal_heads
from mha_core.sweep import sweep
from tests.conftest import ROOT
from tests.walkthrough.test_pages import TEN, charts, drawings, numbers_drawn, numbers_in, open_app, prose, sheets, show
from walkthrough import lab_rows, order, stopwatch
from walkthrough.digits import digits
from walkthrough.figures.curves import Axis, Line, curves, describe_curves, tick_text
from walkthrough.figures.waves import waves
from walkthrough.frame.shell import PAGES
from walkthrough.lesson import load, text
from walkthrough.palette import DARK, LIGHT
from walkthrough.settings import Settings
from walkthrough.walk import walk_of

LAB = ("lab_scaling", "lab_positions", "lab_cost")
SETTINGS = (
    Settings(), Settings(TEN, d_model=24, h=3, word=5, head=3, mask="causal"), Settings("hello", d_model=4, h=4, word=1, head=1),
    Settings("the dog saw the other dog", d_model=6, h=2, positions=False, word=4, divisor="none"),
)


def table_rows(at) -> list[list[str]]:
    """The cells of all tables of a page, row by row."""
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", prose(at))
    return [[re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]


@pytest.mark.parametrize("page", LAB)
def test_a_page_runs_in_every_kind_of_state_and_leads_to_its_step(page):
    assert page in PAGES
    at = open_app(page)
    for settings in SETTINGS:
        show(at, settings)
        assert not at.exception, at.exception[0].stack_trace
        assert at.session_state["settings"] == settings
    link = at.get("page_link")[-1].proto
    assert link.page.startswith("step_") and "positions=off" in link.query_string


@pytest.mark.parametrize("page", LAB)
def test_every_section_of_the_lesson_is_asked_for(page):
    source = (ROOT / "pages" / f"{page}.py").read_text(encoding="utf-8")
    chosen = {f"picture_{name}" for names in re.findall(r'choose\("\w+", \(([^)]*)\)', source) for name in re.findall(r"\w+", names)}
    asked = set(re.findall(r'"(what|why|picture\w*)"', source)) | chosen | {"edges"}
    assert set(load(page).sections) <= asked


# ---- scaling ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("settings", SETTINGS)
def test_the_row_under_three_divisors_and_its_gradient(settings):
    walk = walk_of(settings)
    d_k, row = walk.trace.parameters.d_k, torch.tensor(np.array(walk.trace.scores[walk.head, walk.word]))
    if settings.mask == "causal":
        row[settings.word:] = -torch.inf
    shown = [cells for cells in table_rows(open_app("lab_scaling", settings)) if len(cells) == 5][1:4]
    drawn = numbers_drawn(drawings(open_app("lab_scaling", settings))[0])
    for divisor, cells in zip((d_k**0.5, 1, d_k), shown):
        weights = torch.softmax(row / divisor, 0)
        slopes = torch.autograd.functional.jacobian(lambda x: torch.softmax(x, 0), row / divisor)
        size = float(torch.linalg.norm(slopes))
        expected = (float(weights.max()), float(torch.special.entr(weights).sum()), size, size / divisor)
        assert cells[1:3] == [digits(number) for number in expected[:2]] or weights.max() > 0.9999
        assert [abs(float(cell) - number) < 0.006 for cell, number in zip(cells[3:], expected[2:])] == [True, True]
        assert all(np.abs(drawn - float(weight)).min() < 1e-6 for weight in weights)


def drawn_scores(seed: int, d_k: int) -> np.ndarray:
    """The sweep's draw once more: 192 queries with 16 keys each, whose first d_k numbers are used."""
    draw = np.random.RandomState(seed)
    queries, keys = draw.standard_normal((192, 512)), draw.standard_normal((192, 16, 512))
    return np.array([[q[:d_k] @ key[:d_k] for key in row] for q, row in zip(queries, keys)])


def measured(seed: int, d_k: int) -> dict[str, tuple[float, ...]]:
    """Largest weight, entropy in nats, size of the gradient and what of it reaches q · k, under each divisor."""
    made = {}
    for name, divisor in (("sqrt", d_k**0.5), ("none", 1.0), ("d_k", float(d_k))):
        rows = torch.softmax(torch.tensor(drawn_scores(seed, d_k) / divisor), -1)
        size = float(np.median([float(torch.linalg.norm(torch.diag(row) - torch.outer(row, row))) for row in rows]))
        made[name] = float(rows.max(-1).values.mean()), float(torch.special.entr(rows).sum(-1).mean()), size, size / divisor
    return made


def test_each_curve_of_the_sweep_bears_the_name_of_its_divisor():
    by_hand, at = {d_k: measured(5, d_k) for d_k in (2, 24, 512)}, open_app("lab_scaling")
    for place, which in enumerate(("largest", "entropy", "gradient")):
        chart = charts(show(at, Settings(seed=5, view=f"sweep.{which}")))[0]
        for name in ("sqrt", "none", "d_k"):
            (line,) = [trace for trace in chart["data"] if trace.get("name") == text(f"divisor_{name}")]
            x, y = numbers_of(line["x"]), numbers_of(line["y"])
            for d_k, found in by_hand.items():
                assert y[x.index(d_k)] == pytest.approx(found[name][place]), (which, name, d_k)
    chart = charts(show(at, Settings(seed=5, view="sweep.spread")))[0]
    theory, drawn = (next(t for t in chart["data"] if t.get("name") == text(f"curve_line_{name}")) for name in ("theory", "measured"))
    for d_k in by_hand:
        assert numbers_of(theory["y"])[numbers_of(theory["x"]).index(d_k)] == pytest.approx(d_k**0.5)
        assert numbers_of(drawn["y"])[numbers_of(drawn["x"]).index(d_k)] == pytest.approx(drawn_scores(5, d_k).std())


def numbers_of(axis) -> list[float]:
    return numbers_in({"data": [{"axis": axis}]}).tolist()


@pytest.mark.parametrize(("settings", "d_k"), [(Settings(seed=5), 4), (Settings(TEN, d_model=96, h=2, seed=8), 48)])
def test_the_table_of_the_sweep_is_measured_at_the_present_width(settings, d_k):
    rows = [cells for cells in table_rows(open_app("lab_scaling", settings)) if len(cells) == 5][-3:]
    for cells, found in zip(rows, measured(settings.seed, d_k).values()):
        assert cells[1:] == [digits(number) for number in found]


def test_the_prose_says_where_gradients_die():
    at, found = open_app("lab_scaling", Settings(seed=5)), sweep(5)
    assert f"from d_k = {found.dies_at('none')} on" in prose(at)
    assert f"{digits(found.spread[-1])}</bdi>" in prose(at)


@pytest.mark.parametrize("settings", SETTINGS)
def test_what_the_page_says_of_the_gradient_is_true_of_the_row_it_shows(settings):
    at = open_app("lab_scaling", settings)
    sqrt, none = (float(row[3]) for row in [cells for cells in table_rows(at) if len(cells) == 5][1:3])
    said = "already costs" if none < sqrt else "does no harm" if none > sqrt else "makes no difference"
    assert f'leaving the division away <bdi class="live">{said}</bdi>' in prose(at)
    found = sweep(settings.seed)
    begins = lab_rows.begins_at(found)
    after = [none < sqrt for size, sqrt, none in zip(found.sizes, found.gradient[0], found.gradient[1]) if size >= begins]
    before = [none < sqrt for size, sqrt, none in zip(found.sizes, found.gradient[0], found.gradient[1]) if size < begins]
    assert all(after) and not before[-1] and f"from d_k = {begins} on" in prose(at)


def test_the_lines_of_the_divisors_differ_in_their_signs_too():
    lines = lab_rows.sweep_lines(sweep(3), "gradient")[0][:3]
    figure = json.loads(curves(lines, Axis("x"), Axis("y"), LIGHT, now=4).to_json())
    signs = [trace["marker"]["symbol"] for trace in figure["data"]]
    assert len(set(signs[:3])) == 3 and signs[3:] == signs[:3]


# ---- positions -------------------------------------------------------------------------------------------------
def by_torch(walk, X: np.ndarray) -> np.ndarray:
    """The output of torch's own layer with this walk's parameters."""
    p = walk.trace.parameters
    layer = torch.nn.MultiheadAttention(p.d_model, p.h, bias=False, batch_first=True, dtype=torch.float64).eval()
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.tensor(np.hstack([np.hstack(list(W)) for W in (p.W_Q, p.W_K, p.W_V)]).T))
        layer.out_proj.weight.copy_(torch.tensor(p.W_O.T))
        rows = torch.tensor(X)[None]
        return layer(rows, rows, rows)[0][0].numpy()


def wave(n: int, d: int) -> np.ndarray:
    angle = np.arange(n)[:, None] / 10_000 ** (np.arange(0, d, 2) / d)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


@pytest.mark.parametrize("turn", [0, 3])
def test_a_shuffle_moves_the_output_only_where_positions_are_added(turn):
    walk = walk_of(Settings(TEN, d_model=12, h=3))
    mixed = order.shuffle_of(10, turn)
    E, P = walk.trace.E, wave(10, 12)
    straight, shuffled = by_torch(walk, E + P), by_torch(walk, E[mixed] + P)
    expected = np.abs(shuffled - straight[mixed]).max(axis=1)
    assert order.moved(walk, mixed, True)[mixed] == pytest.approx(expected)
    assert order.moved(walk, mixed, True).max() > 0.1
    assert 0 <= order.moved(walk, mixed, False).max() < 1e-13


def test_under_a_causal_mask_order_shows_even_without_positions():
    walk = walk_of(Settings(TEN, d_model=12, h=3, mask="causal"))
    assert order.moved(walk, order.shuffle_of(10, 0), False).max() > 0.1


@pytest.mark.parametrize("n", range(1, 8))
def test_a_shuffle_is_a_real_one(n):
    for turn in range(20):
        mixed = order.shuffle_of(n, turn)
        assert sorted(mixed) == list(range(n)) and (n == 1 or (mixed != np.arange(n)).any())


def test_positions_agree_by_distance_alone():
    grid = wave(13, 10) @ wave(13, 10).T
    assert order.agreements(13, 10) == pytest.approx(grid)
    assert order.by_distance(13, 10) == pytest.approx(grid[0])
    assert order.unevenness(13, 10) < 1e-12
    assert order.by_distance(13, 10)[0] == pytest.approx(5)  # sin² + cos² of five waves


def test_the_waves_shown_run_from_the_fastest_to_the_slowest():
    assert order.waves_shown(8) == (0, 2, 4, 6) and order.waves_shown(512) == (0, 170, 340, 510)
    assert order.waves_shown(4) == (0, 2)
    assert order.wave_length(0, 8) == pytest.approx(2 * np.pi) and order.wave_length(7, 8) == pytest.approx(2000 * np.pi)
    assert lab_rows.wave_titles(8, (0, 6)) == [
        "Columns 1 and 2: round again after 6.28 words", f"Columns 7 and 8: round again after {digits(2000 * np.pi)} words"
    ]


@pytest.mark.parametrize("settings", [s for s in SETTINGS])
def test_the_page_on_positions_shows_its_grid_its_waves_and_the_shuffle(settings):
    at, walk = open_app("lab_positions", settings), walk_of(settings)
    n, width = len(walk.tokens), walk.trace.parameters.d_model
    assert {grid["field"] for grid, _ in sheets(at)} == ({"E", "P", "X"} if settings.positions else {"X"})
    first, second = (numbers_in(chart) for chart in charts(at))
    P = wave(48, width)
    for value in (*P[:, 0], *P[:, -1]):
        assert np.abs(first - value).min() < 1e-6
    for value in P[0] @ P.T:
        assert np.abs(second - value).min() < 1e-6
    mixed = order.shuffle_of(n, 0)
    rows = [cells for cells in table_rows(at) if len(cells) == 4][1:]
    assert [int(cells[1]) - 1 for cells in rows] == [list(mixed).index(i) for i in range(n)]
    assert [cells[2] for cells in rows] == [digits(x) for x in order.moved(walk, mixed, True)]


def test_another_shuffle_on_request_and_a_switch_that_is_the_setting():
    at = open_app("lab_positions", Settings(TEN))
    before = table_rows(at)
    at.button(key="next_shuffle").click().run()
    assert table_rows(at) != before
    at.toggle(key="here_positions").set_value(False).run()
    assert at.session_state["settings"].positions is False and not at.exception
    assert {grid["field"] for grid, _ in sheets(at)} == {"X"}


# ---- cost ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("settings", [Settings(), Settings(TEN, d_model=512, h=8, word=2)])
def test_the_costs_are_those_of_the_walk_itself(settings):
    trace = walk_of(settings).trace
    n, d, h = len(trace.X), settings.d_model, settings.h
    rows = {cells[0]: cells[-1] for cells in table_rows(open_app("lab_cost", settings))}
    p = trace.parameters
    assert rows["Parameters"] == f"{sum(W.size for W in (p.W_Q, p.W_K, p.W_V, p.W_O)):,}" == f"{4 * d * d:,}"
    assert rows["Multiplications for Q, K and V"] == f"{3 * n * d * d:,}" and rows["Multiplications in the mixing"] == f"{n * d * d:,}"
    assert rows["Multiplications, all"] == f"{4 * n * d * d + 2 * n * n * d:,}"
    assert rows["Multiplications between words"] == f"{2 * n * n * d:,}"
    assert rows["Exponentials, and weights kept"] == f"{trace.weights.size:,}" == f"{h * n * n:,}"
    assert rows["Bytes of kept maps"] == f"{trace.scores.nbytes + trace.scaled.nbytes + trace.weights.nbytes:,}"


@pytest.mark.parametrize("along", ["n", "d_model", "h"])
def test_the_curves_of_cost_pass_through_the_present(along):
    sizes = lab_rows.sizes_of(walk_of(Settings(TEN, d_model=24, h=4)))
    lines, _, _, now = lab_rows.cost_lines(sizes, along)
    assert now == {"n": 10, "d_model": 24, "h": 4}[along]
    work, parameters, maps = (dict(zip(line.x, line.y)) for line in lines)
    assert parameters[now] == 4 * 24**2 and work[now] == 4 * 10 * 24**2 + 2 * 10**2 * 24 and maps[now] == 3 * 4 * 10**2 * 8
    if along == "h":
        assert set(work) == set(legal_heads(24)) and len(set(work.values())) == len(set(parameters.values())) == 1
    if along == "n":
        assert work[128] == 4 * 128 * 24**2 + 2 * 128**2 * 24 and maps[64] == 4 * maps[32]


def test_thin_heads_are_measured_on_request_and_no_sooner(monkeypatch):
    monkeypatch.setattr(stopwatch, "RUNS", 5)
    monkeypatch.setattr(stopwatch, "ROOM", 0.0)
    at = open_app("lab_cost", Settings(TEN, d_model=16, h=4))
    assert len(charts(at)) == 1 and "Time here" not in prose(at)
    at.button(key="ask_times").click().run()
    rows = [cells for cells in table_rows(at) if len(cells) == 8][1:]
    assert [int(cells[0]) for cells in rows] == list(legal_heads(16)) and len(charts(at)) == 2
    assert rows[0][7] == "× 1" and all(re.fullmatch(r"[\d.]+ (µs|ms|s)", cells[6]) for cells in rows)
    assert len({tuple(cells[2:4]) for cells in rows}) == 1  # the same parameters, the same multiplications
    for cells in rows:
        h = int(cells[0])
        assert cells[1:6] == [f"{x:,}" for x in (16 // h, 4 * 16**2, 4 * 10 * 16**2 + 2 * 10**2 * 16, h * 10**2, 3 * 8 * h * 10**2)]
    show(at, Settings(TEN, d_model=16, h=8))
    assert "Time here" not in prose(at)  # those times were of another layer


def test_measured_times_stand_beside_what_multiplications_alone_would_take():
    timed = [stopwatch.Timed(n, 6, 2, seconds, 5) for n, seconds in ((8, 0.001), (64, 0.004), (256, 0.05))]
    heads = [stopwatch.Timed(7, 6, h, seconds, 5) for h, seconds in ((1, 0.002), (2, 0.003), (3, 0.005))]
    (work, found), *_ = lab_rows.length_lines(timed)
    counted = [4 * n * 36 + 2 * n * n * 6 for n in (8, 64, 256)]
    assert list(found.y) == pytest.approx([1, 4, 50])  # in milliseconds
    assert list(work.y) == pytest.approx([50 * c / counted[-1] for c in counted])
    rows = lab_rows.heads_rows(lab_rows.cost.Sizes(7, 6, 2), [1, 2, 3], heads)
    assert [row[-2:] for row in rows] == [["2 ms", "× 1"], ["3 ms", "× 1.50"], ["5 ms", "× 2.50"]]


def test_the_stopwatch_takes_the_median_of_its_runs():
    ticks = iter([0.0, *(t for k in range(5) for t in (10.0 * k, 10.0 * k + (1, 9, 2, 7, 4)[k]))])
    timed = stopwatch.time_once(3, 4, 2, clock=lambda: next(ticks, 1e9))
    assert timed.seconds == 4 and timed.runs == 5


def test_every_size_is_warmed_up_before_any_is_timed(monkeypatch):
    calls = []
    monkeypatch.setattr(stopwatch, "ROOM", 0.0)
    monkeypatch.setattr(stopwatch, "attend", lambda X, parameters: calls.append((len(X), parameters.h)))
    stopwatch.time_all(5, 12, 3)
    sizes = [*((5, h) for h in stopwatch.some_heads(12, 3)), *((n, 3) for n in stopwatch.NS)]
    assert calls[: len(sizes) * stopwatch.WARM] == [size for size in sizes for _ in range(stopwatch.WARM)]
    assert calls[len(sizes) * stopwatch.WARM :] == [size for size in sizes for _ in range(stopwatch.WARM + stopwatch.LEAST)]


@pytest.mark.parametrize(("d_model", "now"), [(512, 8), (12, 4), (384, 96), (4, 1)])
def test_a_few_heads_are_timed_among_them_one_now_and_the_most(d_model, now):
    heads = stopwatch.some_heads(d_model, now)
    assert heads == sorted(set(heads)) and {1, now, d_model} <= set(heads) <= set(legal_heads(d_model)) and len(heads) <= 6


def test_durations_are_said_in_a_fitting_unit():
    assert [lab_rows.duration(s) for s in (2.5, 0.0341, 12e-6)] == ["2.50 s", "34.10 ms", "12 µs"]


# ---- figures ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_plotly_knows_every_property_of_the_new_figures(palette):
    import plotly.graph_objects as go

    lines = [Line("<b>a", (1, 2, 4), (3.0, 0.5, 20.0)), Line("b", (1, 4), (2.0, 1e-6), "weight", "dot", points=True)]
    for x, y in ((Axis("x", log=True), Axis("y", log=True)), (Axis("x"), Axis("y"))):
        figure = curves(lines, x, y, palette, now=2)
        go.Figure(json.loads(figure.to_json()))
        assert "&lt;b&gt;a" in figure.to_json() and "<b>a" not in [trace.name for trace in figure.data]
        there = numbers_in(json.loads(figure.to_json()))
        assert all(np.abs(there - value).min() == 0 for value in (3, 0.5, 20, 2, 1e-6))
    go.Figure(json.loads(waves(wave(9, 6), (0, 2), 4, ("one", "two"), "place", palette).to_json()))
    assert describe_curves(lines[:1], "x", "{name}: {first} to {last}") == "<b>a: 3 to 20"


def test_ticks_are_short():
    assert [tick_text(x) for x in (0, 0.5, 512, 1000, 1e4, 1e-5, 3e7)] == ["0", "0.5", "512", "1,000", "10⁴", "10⁻⁵", "30,000,000"]


@pytest.mark.parametrize("page", LAB)
def test_rows_of_other_sources_are_welcome(page):
    at = open_app(page, replace(Settings(), sentence="She is a great leader", source="hand-built", d_model=8, h=2))
    assert not at.exception
