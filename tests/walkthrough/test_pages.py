"""Every page under every legal (h, d_model), with all divisors, masks and positions: it runs, and what it shows is the trace."""

import base64
import itertools
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mha_core.attention import shares
from mha_core.parameters import legal_heads
from mha_core.projection import projection
from tests.conftest import ROOT
from walkthrough.digits import digits
from walkthrough.frame.shell import PAGES, WALK
from walkthrough.settings import CHOICES, D_MODELS, Settings
from walkthrough.sheet.numbers import unpack
from walkthrough.walk import walk_of

TEN = "I led a team that built a scalable API."
SIZES = [(d_model, h) for d_model in D_MODELS for h in legal_heads(d_model)]
SWITCHES = list(itertools.product(CHOICES["divisor"], CHOICES["mask"], (True, False)))
SENTENCES = ("the cat sat", TEN, "hello", "the the the")


def legal_settings():
    """Every size once, the switches and sentences going round so that every pair of choices meets."""
    for k, (d_model, h) in enumerate(SIZES):
        divisor, mask, positions = SWITCHES[k * 5 % len(SWITCHES)]
        sentence = SENTENCES[k % len(SENTENCES)]
        yield Settings(sentence, d_model=d_model, h=h, divisor=divisor, mask=mask, positions=positions, word=1, head=1 + k % h)


def open_app(page: str, settings: Settings = Settings()) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    show(at, settings)
    if page != "start":
        at.switch_page(f"pages/{page}.py")
        show(at, settings)
    return at


def show(at: AppTest, settings: Settings) -> AppTest:
    at.query_params.clear()
    for name, value in settings.to_query().items():
        at.query_params[name] = value
    return at.run()


class Placed(Mapping):
    """Numbers by the place (row, column) they stand at; a folded grid sends some rows and columns alone."""

    def __init__(self, numbers: np.ndarray, rows, columns):
        self.numbers = numbers
        self.at = [
            {place: k for k, place in enumerate(sent or range(size))} for sent, size in zip((rows, columns), numbers.shape)
        ]

    def __getitem__(self, place):
        return self.numbers[self.at[0][place[0]], self.at[1][place[1]]]

    def __iter__(self):
        return itertools.product(*self.at)

    def __len__(self):
        return self.numbers.size

    def block(self, rows, columns) -> np.ndarray:
        return self.numbers[np.ix_([self.at[0][i] for i in rows], [self.at[1][j] for j in columns])]


def sheets(at: AppTest):
    """The drawn grids of all sheets on a page, each with the number that stands at every one of its places."""
    for element in at.get("bidi_component"):
        if element.proto.component_name != "mha_sheet":
            continue
        header, arrays = unpack(element.proto.bytes)
        for grid in header["grids"].values():
            key = grid["field"] if grid["head"] is None else f"{grid['field']}.{grid['head']}"
            there = header["arrays"][key]
            yield grid, Placed(arrays[key], there["rows"], there["columns"])


def truth(trace, field: str, head: int | None):
    values = shares(trace) if field == "shares" else getattr(trace.parameters if field[1:2] == "_" else trace, field)
    return np.atleast_2d(values if head is None else values[head - 1])


def numbers_in(figure: dict) -> np.ndarray:
    """Every number of a Plotly figure, wherever it stands."""
    found = []

    def visit(node):
        if isinstance(node, dict) and "bdata" in node:
            found.extend(np.frombuffer(base64.b64decode(node["bdata"]), dtype=node["dtype"]).astype(float))
        elif isinstance(node, dict):
            for value in node.values():
                visit(value)
        elif isinstance(node, list):
            for value in node:
                visit(value)
        elif isinstance(node, (int, float)) and not isinstance(node, bool):
            found.append(float(node))

    visit(figure["data"])
    return np.array(found)


def charts(at: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in at.get("plotly_chart")]


def drawings(at: AppTest) -> list[ET.Element]:
    """The flat figures of a page, as the browser gets them."""
    sent = [json.loads(e.proto.json) for e in at.get("bidi_component") if e.proto.component_name == "mha_drawing"]
    assert all(len(data["alt"]) > 20 for data in sent)
    return [ET.fromstring(data["html"]) for data in sent]


def numbers_drawn(tree: ET.Element) -> np.ndarray:
    """Every number that a mark of a flat figure stands for."""
    return np.array([float(e.get("data-value")) for e in tree.iter() if e.get("data-value")])


def prose(at: AppTest) -> str:
    said = " ".join(element.proto.body for element in at.get("html"))
    return re.sub("“<bdi>([^<]*)</bdi>”", r"“\1”", said)  # quoted words are set one by one, see lesson._live


def assert_shows(grid: dict, there: dict, trace) -> None:
    """A drawn grid holds the numbers of the trace at the rows and columns it says it shows."""
    values = truth(trace, grid["field"], grid["head"])
    assert grid["shape"] == list(values.T.shape if grid["transposed"] else values.shape)
    rows, columns = ([i for i in grid[side] if i >= 0] for side in ("rows", "columns"))
    if grid["transposed"]:
        rows, columns = columns, rows
    assert rows and columns
    assert np.array_equal(there.block(rows, columns), values[np.ix_(rows, columns)]), grid["id"]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_in_every_legal_size_and_its_grids_are_the_trace(page):
    """The walk in every size; the pages beside it, which have tests of their own, in a few."""
    at = open_app(page)
    for settings in list(legal_settings())[:: 1 if page in WALK else 40]:
        show(at, settings)
        assert not at.exception, (settings, at.exception[0].stack_trace)
        trace = walk_of(settings).trace
        for grid, there in sheets(at) if page in WALK else ():
            assert_shows(grid, there, trace)


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("step")])
def test_every_step_has_its_linked_picture_and_says_where_its_numbers_come_from(page):
    at = open_app(page, Settings(seed=77))
    assert list(sheets(at))
    assert "seed 77" in prose(at)


FIGURES = {
    "step_4_softmax": lambda walk: [walk.trace.scores[walk.head, walk.word], walk.trace.weights[walk.head, walk.word]],
    "step_5_blend": lambda walk: [walk.trace.weights[walk.head, walk.word]],
    "step_7_mix": lambda walk: [walk.trace.output[walk.word], shares(walk.trace)[0, walk.word]],
}


@pytest.mark.parametrize("page", FIGURES)
@pytest.mark.parametrize("settings", [Settings(), Settings(TEN, d_model=16, h=4, word=2), Settings("a b c d", mask="causal")])
def test_the_numbers_of_a_chart_are_the_trace(page, settings):
    at = open_app(page, settings)
    there = numbers_drawn(drawings(at)[0])
    for row in FIGURES[page](walk_of(settings)):
        for value in row[:6]:
            assert value in there, (value, there)


def test_the_score_in_the_prose_and_beside_the_beam_is_the_trace():
    walk = walk_of(Settings())
    at = open_app("step_3_scores")
    score = digits(walk.trace.scores[walk.head, walk.word, walk.partner])
    assert f"{score}</bdi>" in prose(at)
    assert score in ["".join(e.itertext()) for e in drawings(at)[0].iter("text")]


def test_at_512_and_8_the_ten_tokens_show_exactly_the_shapes_of_the_lesson():
    settings = Settings(TEN, d_model=512, h=8, word=2)
    shapes = {}
    for page in WALK:
        for grid, _ in sheets(open_app(page, settings)):
            shapes.setdefault(grid["field"], set()).add(tuple(grid["shape"]))
    assert shapes["X"] == shapes["concat"] == shapes["output"] == {(10, 512)}
    assert shapes["Q"] == shapes["V"] == shapes["heads"] == {(10, 64)}
    assert shapes["K"] == {(10, 64), (64, 10)}  # turned on its side where the scores are made
    assert shapes["scores"] == shapes["scaled"] == shapes["masked"] == shapes["weights"] == {(10, 10)}


@pytest.mark.parametrize("page", PAGES)
def test_a_change_of_page_keeps_every_setting(page):
    chosen = Settings(TEN, d_model=16, h=4, divisor="none", positions=False, mask="causal", seed=5, word=2, head=3)
    at = open_app("start", chosen)
    at.switch_page(f"pages/{page}.py").run()
    assert at.session_state["settings"] == chosen


def test_h_comes_back_when_d_model_does():
    at = open_app("start", Settings(d_model=8, h=8, head=1))
    slider = lambda: at.select_slider(key="side_d_model")  # noqa: E731
    slider().set_value(6).run()
    assert at.session_state["settings"].h == 6 and "8 heads cannot share 6" in prose(at)
    slider().set_value(16).run()
    assert at.session_state["settings"].h == 8


@pytest.mark.parametrize("typed", ["", "   \t ", "\u200b"])
def test_an_empty_sentence_is_refused_and_nothing_is_lost(typed):
    chosen = Settings(TEN, d_model=16, h=4, word=2)
    at = open_app("start", chosen)
    at.text_input(key="side_sentence").set_value(typed).run()
    assert not at.exception
    assert at.session_state["settings"] == chosen
    assert 'role="status"' in prose(at)


HOSTILE = [
    "<script>alert(1)</script> hi", "$x$ costs $5 and $6", "*bold* _it_ :smile: [x](y) # no", "{{word}} {word} %s", "a" * 5000,
    " ".join(["word"] * 10_000), "👩‍👩‍👧 💩 é שלום 我爱你", "<img src=x onerror=alert(1)>", "a\u202eb", "`code` ~~~", "1E1 2026-01 $5 20% 1,000",
]


@pytest.mark.parametrize("page", WALK)
def test_no_sentence_whatever_breaks_a_page_or_becomes_markup(page):
    at = open_app(page)
    for typed in HOSTILE:
        at.text_input(key="side_sentence").set_value(typed).run()
        assert not at.exception, (typed[:40], at.exception[0].stack_trace)
        assert "<script>alert" not in prose(at) and "<img src" not in prose(at), typed[:40]
        for tree in drawings(at):
            assert not {"img", "script", "b"} & {e.tag for e in tree.iter()}, typed[:40]


def test_a_pinned_cell_that_is_not_there_is_let_go_with_a_note():
    at = open_app("step_3_scores", replace(Settings(), cell="scores.2.3.9"))
    assert not at.exception
    assert at.session_state["settings"].cell == ""
    assert "scores.2.3.9" in prose(at)


def test_an_illegal_number_of_heads_can_be_tried_and_the_rule_answers():
    at = open_app("step_6_heads")
    at.number_input(key="side_try_h").set_value(5).run()
    assert any("5 heads cannot share 8 numbers evenly (8 = 1 × 5 + 3)" in text.value for text in at.text)
    assert at.session_state["settings"] == Settings()


@pytest.mark.parametrize(("page", "name"), [("step_3_scores", "pair"), ("step_4_softmax", "divisors")])
def test_a_second_chart_is_sent_only_when_it_is_asked_for(page, name):
    at = open_app(page)
    assert len(drawings(at)) == 1
    at.toggle(key=f"switch_{name}").set_value(True).run()
    assert not at.exception and len(drawings(at)) == 2


def test_a_switch_on_a_step_shows_the_what_if_from_its_address():
    settings = Settings(TEN, d_model=12, h=3, word=2, head=2, mask="causal")
    walk = walk_of(settings)
    p, trace = walk.trace.parameters, walk.trace
    shared = np.broadcast_to(trace.weights[1], trace.weights.shape)  # all heads with the matrices of head 2 see alike
    drawn = sheets(open_app("step_6_heads", replace(settings, view="shared.on")))
    seen = {grid["id"]: there for grid, there in itertools.islice(drawn, 9)}
    for i in range(3):
        assert np.allclose(seen[f"weights.{i + 1}"].numbers, shared[i], atol=1e-12)
    at = open_app("step_7_mix", replace(settings, view="head_off.on", cell="shares.2.4.1"))
    assert not at.exception and at.session_state["settings"].cell == "shares.2.4.1"
    seen = {grid["id"]: there for grid, there in itertools.islice(sheets(at), 6, 10)}
    blocks = [trace.heads[i] @ p.W_O[i * 4 : i * 4 + 4] for i in range(3)]
    assert not seen["shares.2"].numbers.any()
    assert np.allclose(seen["output"].block(range(10), (0, 11)), (blocks[0] + blocks[2])[:, [0, 11]], atol=1e-12)
    assert numbers_drawn(drawings(at)[0]).size and at.toggle(key="switch_head_off").value


def test_the_arrows_are_drawn_on_the_page_and_in_a_room_on_request():
    at = open_app("step_1_arrows")
    ends = {tuple(map(float, e.get("data-values").split())) for e in drawings(at)[0].iter() if e.get("data-values")}
    shadow = projection(walk_of(Settings()).trace.X, 2).places
    assert ends == {tuple(row) for row in shadow} and not charts(at)
    show(at, Settings(view="dimensions.3"))
    assert not at.exception and charts(at) and not drawings(at)
