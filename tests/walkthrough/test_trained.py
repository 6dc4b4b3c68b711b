"""Trained and hand-built numbers on the pages: every layer, the special tokens, what is said where the model is missing."""

from html import escape

import numpy as np
import pytest

from mha_core.pretrained import EncoderUnavailable
from tests.walkthrough.test_lab_2 import table_rows
from tests.walkthrough.test_pages import TEN, assert_shows, open_app, prose, sheets, show
from walkthrough import library, sources, trained
from walkthrough.digits import digits
from walkthrough.figures.bars import largest_of
from walkthrough.figures.ranks import describe_ranks
from walkthrough.frame import origins
from walkthrough.frame import trained as trained_parts
from walkthrough.frame.shell import PAGES, WALK
from walkthrough.lesson import text
from walkthrough.settings import Settings, from_query
from walkthrough.sources import BY_HAND
from walkthrough.walk import walk_of

MAT = "the cat sat on the mat"


@pytest.mark.parametrize("page", WALK)
def test_every_page_of_the_walk_shows_every_layer_as_it_is(page):
    at = open_app(page)
    for layer in range(1, 7):
        settings = Settings(TEN, source="trained", layer=layer, head=2 * layer, word=3, hide_special=layer == 4)
        show(at, settings)
        assert not at.exception, at.exception[0].stack_trace
        assert at.session_state["settings"] == settings
        for grid, there in sheets(at):
            assert_shows(grid, there, walk_of(settings).trace)


def test_the_sizes_are_those_of_the_model_and_the_page_says_why():
    at = open_app("step_7_mix", Settings(MAT, source="trained", layer=2, head=12, word=2))
    shapes = {grid["field"]: tuple(grid["shape"]) for grid, _ in sheets(at)}
    assert shapes["heads"] == (8, 32) and shapes["concat"] == shapes["output"] == (8, 384)
    assert "384" in prose(at) and "all-MiniLM-L6-v2, layer 2" in prose(at)


def test_hiding_the_special_tokens_shares_their_weight_out_again_and_says_so():
    shown = walk_of(Settings(MAT, source="trained", layer=3, word=2)).trace.weights
    hidden = walk_of(Settings(MAT, source="trained", layer=3, word=2, hide_special=True)).trace.weights
    inside = shown[:, 1:-1, 1:-1].astype(float)
    np.testing.assert_allclose(hidden, inside / inside.sum(axis=-1, keepdims=True), atol=2e-6)
    assert "hidden" in prose(open_app("step_4_softmax", Settings(MAT, source="trained", hide_special=True)))


def test_sub_words_are_shown_as_the_model_cuts_them():
    assert walk_of(Settings(TEN, source="trained")).tokens[8:11] == ("scala", "##ble", "api")


def test_a_missing_model_is_said_and_the_walk_goes_on_with_seeded_numbers(monkeypatch):
    def absent():
        raise EncoderUnavailable("The trained model is not installed here; install it.")

    monkeypatch.setattr(sources, "load_encoder", absent)
    sources.packaged.cache_clear()
    try:
        settings, notes = from_query({"source": "trained", "sentence": TEN, "word": "2"})
        assert settings == Settings(TEN, word=2)
        assert [note.key for note in notes] == ["note_trained"] and "not installed" in notes[0].values["problem"]
        for page in ("lab_gallery", "lab_finder", "lab_limits", "lab_which_words", "lab_check"):
            at = open_app(page, Settings(TEN))
            assert not at.exception and "not installed here" in prose(at)
    finally:
        monkeypatch.undo()
        sources.packaged.cache_clear()


def test_a_sentence_without_hand_built_heads_is_shown_seeded_with_a_note():
    settings, notes = from_query({"source": "hand-built"})
    assert settings == Settings() and [note.key for note in notes] == ["note_hand_built"]


def test_choosing_hand_built_brings_a_sentence_that_has_them():
    at = open_app("start")
    at.segmented_control(key="side_source").set_value("hand-built").run()
    chosen = at.session_state["settings"]
    assert (chosen.source, chosen.sentence) == ("hand-built", "She is a great leader")
    assert "the cat sat" in prose(at)


def test_leaving_hand_built_brings_the_sentence_back_that_was_typed_before():
    at = open_app("start", Settings("my own few words", word=4))
    source = "side_source"
    at.segmented_control(key=source).set_value("hand-built").run()
    assert at.session_state["settings"].sentence in BY_HAND and "your own comes back" in prose(at)
    at.segmented_control(key=source).set_value("seeded").run()
    assert at.session_state["settings"] == Settings("my own few words", word=4) and not at.exception
    at.segmented_control(key=source).set_value("hand-built").run()
    other = [sentence for sentence in BY_HAND if sentence != at.session_state["settings"].sentence][0]
    at.text_input(key="side_sentence").set_value(other).run()
    at.segmented_control(key=source).set_value("seeded").run()
    assert at.session_state["settings"].sentence == other  # chosen since, so it stays


@pytest.mark.parametrize("page", WALK)
@pytest.mark.parametrize("sentence", BY_HAND)
def test_hand_built_heads_walk_like_any_other(page, sentence):
    settings = Settings(sentence, source="hand-built", word=2, head=1)
    at = open_app(page, settings)
    assert not at.exception
    for grid, there in sheets(at):
        assert_shows(grid, there, walk_of(settings).trace)


def test_led_gives_exactly_70_percent_to_team_on_the_page():
    walk = walk_of(Settings(TEN, source="hand-built", word=2, head=1))
    assert walk.trace.weights[0, 1, 3] == pytest.approx(0.7, abs=1e-12)
    assert "70%" in prose(open_app("step_4_softmax", walk.settings))


def test_the_lesson_finds_are_first_where_the_lesson_says():
    for pattern, layer, head, sentence in trained.LESSON_FINDS:
        if pattern in ("previous", "first"):
            best = trained.find(sentence, pattern)[0]
            assert (best.layer + 1, best.head + 1) == (layer, head) or best.score > 0.8
    assert trained.find(TEN, "previous")[0].score > 0.99


def test_a_find_opens_its_walk():
    at = open_app("lab_gallery", Settings(MAT))
    next(button for button in at.button if "layer 1, head 3" in button.label).click().run()
    chosen = at.session_state["settings"]
    assert (chosen.source, chosen.layer, chosen.head) == ("trained", 1, 3)


def test_the_limits_are_the_models_own_numbers():
    tired, wide = trained.pronoun_looks(trained.TIRED), trained.pronoun_looks(trained.WIDE)
    assert tired["animal"] > 0.5 and wide["animal"] > 5 * wide["street"]
    assert trained.without_heads(MAT, (1, 3)) > 0.98
    assert 0.3 < trained.special_share(MAT)["[CLS]"] < 0.8
    traces = trained.reading(MAT).traces
    for name, place in (("[CLS]", 0), ("[SEP]", -1)):
        rests = [float(row[place]) for trace in traces for head in trace.weights for row in head]
        assert trained.special_share(MAT)[name] == pytest.approx(sum(rests) / len(rests), abs=1e-6)
    encode = sources.encoder().encode  # counts layers and heads from 0
    for heads in ([(1, 3)], [(1, head) for head in range(1, 7)], [(6, 12), (2, 5)]):
        silent = encode(MAT, [(layer - 1, head - 1) for layer, head in heads])
        assert trained.without_heads(MAT, *heads) == pytest.approx(float(encode(MAT) @ silent), abs=1e-6)
    tokens = sources.pieces_of(trained.TIRED).tokens
    row = trained.reading(trained.TIRED).traces[5].weights[11, tokens.index("it")]
    for word in ("animal", "street", "the"):  # "the" stands there twice
        assert tired[word] == pytest.approx(sum(float(w) for w, token in zip(row, tokens) if token == word), abs=1e-6)


def test_which_words_matter_against_plain_loops():
    found = trained.answers(MAT)
    traces = trained.reading(MAT).traces
    n, h = traces[0].weights.shape[-1], 12
    weight, size = np.zeros(n), np.zeros(n)
    for trace in traces:
        p = trace.parameters
        for head in range(h):
            for key in range(n):
                given = trace.weights[head, :, key].astype(float)
                weight[key] += given.sum()
                size[key] += given.sum() * np.linalg.norm(trace.V[head, key].astype(float) @ p.W_O[32 * head : 32 * head + 32])
    np.testing.assert_allclose(found["weights"], weight[1:-1] / weight[1:-1].sum(), atol=1e-5)
    np.testing.assert_allclose(found["carried"], size[1:-1] / size[1:-1].sum(), atol=1e-5)
    whole, shorter = (sources.encoder().encode(s).astype(float) for s in (MAT, "the sat on the mat"))
    turned = trained.left_out(MAT)
    assert turned[1] == pytest.approx(1 - whole @ shorter, abs=1e-5)
    np.testing.assert_allclose(found["left_out"], turned / turned.sum(), atol=1e-6)


def test_leaving_a_word_out_leaves_out_that_word_each_time():
    words, whole = MAT.split(), sources.encoder().encode(MAT).astype(float)
    for place, turned in enumerate(trained.left_out(MAT)):
        rest = sources.encoder().encode(" ".join(words[:place] + words[place + 1 :])).astype(float)
        assert turned == pytest.approx(1 - sum(a * b for a, b in zip(whole, rest)), abs=1e-5), words[place]


def test_rollout_against_plain_loops():
    """Half of every row comes through the heads, half goes straight on; then paths are followed from the top layer down."""
    traces = trained.reading(MAT).traces
    n, h = traces[0].weights.shape[-1], len(traces[0].weights)
    paths = [[float(i == j) for j in range(n)] for i in range(n)]
    for trace in reversed(traces):  # the product from the other end: the same number in another order of work
        mean = [[sum(float(trace.weights[a, i, j]) for a in range(h)) / h for j in range(n)] for i in range(n)]
        step = [[0.5 * mean[i][j] + 0.5 * (i == j) for j in range(n)] for i in range(n)]
        paths = [[sum(paths[i][m] * step[m][j] for m in range(n)) for j in range(n)] for i in range(n)]
    np.testing.assert_allclose(trained.rollout(MAT), paths, atol=1e-6)
    given = [sum(paths[i][j] for i in range(n)) for j in range(1, n - 1)]  # to each word, from all final rows
    np.testing.assert_allclose(trained.answers(MAT)["rollout"], np.array(given) / sum(given), atol=1e-6)


def test_the_pages_on_trained_heads_show_these_numbers_each_in_its_column():
    rows, found = table_rows(open_app("lab_which_words", Settings(MAT))), trained.answers(MAT)
    names = ("weights", "carried", "rollout", "left_out")
    assert rows[0][1:] == [text(f"matters_{name}") for name in names]
    assert rows[1:7] == [[word, *(digits(float(found[name][i])) for name in names)] for i, word in enumerate(MAT.split())]
    rows = table_rows(open_app("lab_limits", Settings(MAT)))
    for which, sentence in (("tired", trained.TIRED), ("wide", trained.WIDE)):
        looks = trained.pronoun_looks(sentence)
        assert [text(f"limits_{which}"), digits(looks["animal"]), digits(looks["street"])] in rows
    traces = trained.reading(MAT).traces  # the head that looks from each word to the one before it, among the words alone
    back = {(k, a): np.mean([head[i, i - 1] for i in range(2, 7)]) for k, trace in enumerate(traces) for a, head in enumerate(trace.weights)}
    (layer, head), most = max(back.items(), key=lambda one: one[1])
    at = open_app("lab_finder", Settings(MAT))
    assert at.button(key="found_0").label == text("trained_found", layer=layer + 1, head=head + 1, score=digits(float(most)))
    at.button(key="found_0").click().run()
    assert (at.session_state["settings"].layer, at.session_state["settings"].head) == (layer + 1, head + 1)


def test_which_words_says_whose_numbers_these_are_and_that_capitals_are_gone():
    said = prose(open_app("lab_which_words", Settings("My dog eats")))
    assert "“<bdi class=\"live\">My</bdi>” stands here as “<bdi class=\"live\">my</bdi>”" in said
    assert "always asks the trained model" in said
    said = prose(open_app("lab_which_words", Settings("my dog eats", source="trained")))
    assert "stands here as" not in said and "always asks" not in said


def test_words_that_share_the_first_place_are_all_bold_and_all_named():
    answers, labels = {"a": np.array([0.3101, 0.38, 0.3099]), "b": np.array([0.3501, 0.3, 0.3499])}, ("one", "two", "three")
    assert [largest_of(row) for row in answers.values()] == [[1], [0, 2]]
    said = describe_ranks(answers, labels)
    assert "a: " in said and said.count("one") == 1 and said.count("two") == 1 and said.count("three") == 1


def test_the_live_check_finds_nothing_but_rounding():
    found = library.differences(TEN)
    assert set(found.largest) == {"X", "weights", "vector", *(f"layer {i}" for i in range(1, 7))}
    assert max(found.largest.values()) < 2e-5
    assert max(found.largest.values()) > 0  # it did compare two computations
    assert found.heads.shape == (6, 12) and found.heads.max() == found.largest["weights"]
    assert (found.heads > 0).sum() > 60  # each head against its own


def test_the_table_of_the_check_has_a_row_a_layer_and_a_column_a_head():
    apart = np.arange(15.0).reshape(3, 5)
    top, rows = trained_parts.check_of_heads(apart)
    assert top == ["Layer", "Head 1", "Head 2", "Head 3", "Head 4", "Head 5"]
    assert [row[0] for row in rows] == ["1", "2", "3"] and rows[2][1:] == [digits(n) for n in (10.0, 11.0, 12.0, 13.0, 14.0)]


OTHERS = [page for page in PAGES if page not in WALK]


@pytest.mark.parametrize("layer", range(1, 7))
def test_the_pages_beside_the_walk_run_at_every_layer(layer):
    at = open_app("contents")
    for page in OTHERS:
        if layer == 1 or page.startswith(("lab_", "story_", "reference_")):
            at.switch_page(f"pages/{page}.py")
            show(at, Settings(MAT, source="trained", layer=layer, head=2 * layer, word=3))
            assert not at.exception, (page, at.exception[0].stack_trace)
            assert at.session_state["settings"].layer == layer


# ---- what was typed --------------------------------------------------------------------------------------------
def test_a_typed_special_token_is_taken_for_the_models_own_and_the_page_says_so():
    said = prose(open_app("step_3_scores", Settings("the [SEP] cat", source="trained")))
    assert "You typed [SEP]" in said
    assert "You typed" not in prose(open_app("step_3_scores", Settings("the cat", source="trained")))


def test_pieces_that_do_not_fit_are_said_to_be_left_out():
    sentence = " ".join(f"qzxv{i}kwj" for i in range(60))
    pieces = sources.pieces_of(sentence)
    assert pieces.left_out > 0
    assert origins._said_of_pieces(pieces) == [f"{pieces.left_out} more pieces did not fit into the longest sentence that this model reads."]


@pytest.mark.parametrize("sentence", BY_HAND)
@pytest.mark.parametrize("head", [1, 2])
def test_step_3_says_why_a_hand_built_query_meets_its_key(sentence, head):
    said = prose(open_app("step_3_scores", Settings(sentence, source="hand-built", head=head)))
    built = BY_HAND[sentence]
    assert escape(built.says[head - 1]) in said and escape(built.says[2 - head]) not in said


def test_without_the_library_the_check_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with pytest.raises(library.LibraryMissing, match="pip install torch==2.13.0"):
        library.differences(TEN)
