"""A model of one's own, by folder or by name: every size follows it, and what cannot be used is said."""

import json
import os
import shutil
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

os.environ["HF_HUB_OFFLINE"] = "1"

import huggingface_hub
import torch
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel

from mha_core.pretrained import EncoderUnavailable, _packaged_folder, load_encoder
from tests.core.bert import TOLERANCE, differences, eager
from tests.walkthrough.test_pages import assert_shows, open_app, prose, sheets, show
from walkthrough import library, own_models, sources, trained
from walkthrough.experiments import pinned
from walkthrough.frame.shell import PAGES, WALK
from walkthrough.settings import Settings, from_query
from walkthrough.walk import walk_of

LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOCABULARY = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    *LETTERS,
    *(f"##{c}" for c in LETTERS),
    "the",
    "cat",
    "sat",
    "mat",
    "on",
]
SIZES = dict(vocab_size=61, hidden_size=35, num_attention_heads=5, num_hidden_layers=3, intermediate_size=53,
             max_position_embeddings=67, layer_norm_eps=1e-7)  # fmt: skip
MAT, NAME = "the cat sat on the mat", "somebody/little-bert"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A little BERT with sizes unlike any other, as sentence-transformers would leave it on disk."""
    folder = tmp_path_factory.mktemp("own") / "little bert"
    torch.manual_seed(7)
    bert = BertModel(BertConfig(**SIZES)).eval()
    with torch.no_grad():
        for parameter in bert.parameters():
            torch.nn.init.normal_(parameter, std=0.6)
    bert.save_pretrained(folder)
    tokenizer = Tokenizer(models.WordPiece({piece: i for i, piece in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    frame = [("[CLS]", 2), ("[SEP]", 3)]
    tokenizer.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=frame)
    tokenizer.save(str(folder / "tokenizer.json"))
    names = {
        "tokenizer_class": "BertTokenizerFast",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "unk_token": "[UNK]",
        "pad_token": "[PAD]",
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(names))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 35, "pooling_mode_mean_tokens": True})
    )
    steps = {"": "Transformer", "1_Pooling": "Pooling", "2_Normalize": "Normalize"}
    modules = [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for i, (path, kind) in enumerate(steps.items())
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    return folder


@pytest.fixture
def own(saved, tmp_path):
    """A copy of its own, for tests that damage it."""
    return shutil.copytree(saved, tmp_path / "little bert")


@pytest.fixture(autouse=True)
def allowed(monkeypatch):
    monkeypatch.setenv(own_models.SWITCH, "1")


@pytest.fixture
def fetched(saved, monkeypatch):
    """The little BERT as if it had been downloaded under a name."""
    there = lambda name, file: str(saved / file) if name == NAME else None  # noqa: E731
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", there)


def chosen(folder, **fields):
    return Settings(
        **{"sentence": MAT, "source": "trained", "model": str(folder), "word": 2, "head": 5, "layer": 3} | fields
    )


# ---- numbers ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_every_layer_and_head_is_the_librarys_own(saved, dtype):
    worst = differences(load_encoder(saved, dtype), eager(saved, dtype), (MAT, "a gate at the end"))
    assert worst["weights"] <= TOLERANCE[dtype] and max(worst.values()) <= 5 * TOLERANCE[dtype], worst


def test_the_walk_and_the_sentence_vector_are_the_librarys_own(saved):
    theirs = SentenceTransformer(str(saved), device="cpu", model_kwargs={"attn_implementation": "eager"})
    ids = sources.pieces_of(MAT, str(saved)).ids
    with torch.inference_mode():
        weights = theirs[0].auto_model(torch.tensor([ids]), output_attentions=True).attentions
    for layer in (1, 2, 3):
        walk = walk_of(chosen(saved, layer=layer))
        assert np.abs(walk.trace.weights - weights[layer - 1][0].numpy()).max() < 2e-5
        assert walk.origin == "little bert"
    vector = theirs.encode(MAT, normalize_embeddings=True)
    assert np.abs(trained.reading(MAT, str(saved)).vector - vector).max() < 1e-6


def test_the_live_check_asks_the_library_about_the_same_folder(saved):
    found = library.differences(MAT, str(saved))
    assert list(found.largest) == ["X", "weights", "layer 1", "layer 2", "layer 3", "vector"]
    assert 0 < max(found.largest.values()) < 2e-5 and found.heads.shape == (3, 5)


# ---- sizes and names follow the model --------------------------------------------------------------------------
def test_every_page_follows_the_named_model(saved):
    settings = chosen(saved)
    at = open_app("start", settings)
    assert at.session_state["settings"] == settings and not at.session_state["notes"]
    for page in PAGES:
        if page.startswith(("lab_", "step_", "whole")):
            at.switch_page(f"pages/{page}.py")
            show(at, settings)
            assert not at.exception, (page, at.exception[0].stack_trace)
            if page in WALK:
                grids = list(sheets(at))
                assert page == "whole_picture" or grids
                for grid, there in grids:
                    assert_shows(grid, there, walk_of(settings).trace)
                assert "little bert, layer 3" in prose(at) or page == "whole_picture"


def test_the_controls_offer_what_this_model_has(saved):
    at = open_app("step_6_heads", chosen(saved))
    assert list(at.select_slider(key="side_layer").options) == ["1", "2", "3"]
    assert "d_model = 35, h = 5, so d_k = 7" in prose(at)
    shapes = {grid["field"]: tuple(grid["shape"]) for grid, _ in sheets(open_app("step_7_mix", chosen(saved)))}
    assert shapes["concat"] == shapes["output"] == (8, 35)


def test_the_gallery_shows_all_of_its_heads(saved):
    at = open_app("lab_gallery", chosen(saved))
    drawn = next(e.proto.json for e in at.get("bidi_component") if e.proto.component_name == "mha_whole")
    assert "3 layers with 5 heads each" in drawn


def test_going_back_to_the_packaged_model_is_one_press(saved):
    at = open_app("step_4_softmax", chosen(saved))
    at.button(key="own_back").click().run()
    assert at.session_state["settings"] == replace(chosen(saved), model="")
    assert "all-MiniLM-L6-v2, layer 3" in prose(at)


def test_a_find_of_the_lesson_is_one_of_the_packaged_model(saved):
    at = open_app("lab_gallery", chosen(saved))
    next(button for button in at.button if "layer 1, head 3" in button.label).click().run()
    assert at.session_state["settings"].model == ""


def test_the_limits_are_measured_on_the_packaged_model_and_say_so(saved):
    at = open_app("lab_limits", chosen(saved))
    assert not at.exception and "Measured on all-MiniLM-L6-v2" in prose(at)


def test_without_the_packaged_model_the_limits_say_so_while_ones_own_is_walked(saved, monkeypatch):
    def absent():
        raise EncoderUnavailable("The packaged one is not here.")

    monkeypatch.setattr(sources, "packaged", absent)
    at = open_app("lab_limits", chosen(saved))
    assert not at.exception and "The packaged one is not here." in prose(at)


def test_its_hash_is_shown_because_none_is_known(saved):
    import hashlib

    said = prose(open_app("step_2_qkv", chosen(saved)))
    assert "unchecked" in said and hashlib.sha256((saved / "model.safetensors").read_bytes()).hexdigest() in said


def test_a_folder_that_was_changed_is_read_anew(own):
    before = walk_of(chosen(own)).trace.weights
    with (own / "config.json").open("r+") as file:
        text = file.read().replace('"layer_norm_eps": 1e-07', '"layer_norm_eps": 0.5')
        file.seek(0), file.write(text), file.truncate()
    assert np.abs(walk_of(chosen(own)).trace.weights - before).max() > 1e-3


def test_two_models_of_ones_own_are_kept_and_no_more(saved, tmp_path):
    folders = [shutil.copytree(saved, tmp_path / f"copy {i}") for i in range(3)]
    first = sources.trained_by(str(folders[0]))
    assert sources.trained_by(str(folders[0])) is first
    for folder in folders[1:]:
        sources.trained_by(str(folder))
    assert sources.trained_by(str(folders[0])) is not first
    assert sources.trained_by("") is sources.packaged()


@pytest.mark.parametrize("hidden", [False, True])
def test_a_model_that_puts_no_frame_around_a_single_piece_walks_too(own, hidden):
    file = own / "tokenizer.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "post_processor": None}))
    settings = chosen(own, sentence="cat", word=1, view="pattern.pair", hide_special=hidden)
    assert walk_of(settings).tokens == ("cat",) and trained.left_out("cat", str(own)) == [1.0]
    at = open_app("start", settings)
    for page in PAGES:
        if page.startswith(("lab_", "step_")):
            at.switch_page(f"pages/{page}.py")
            show(at, settings)
            assert not at.exception, (page, at.exception[0].stack_trace)


# ---- what cannot be used ---------------------------------------------------------------------------------------
def spoil(folder, what):
    config = json.loads((folder / "config.json").read_text())
    if what in ("roberta", "mpnet", "gpt2"):
        (folder / "config.json").write_text(json.dumps({**config, "model_type": what}))
    elif what == "relu":
        (folder / "config.json").write_text(json.dumps({**config, "hidden_act": "relu"}))
    elif what == "decoder":
        (folder / "config.json").write_text(json.dumps({**config, "is_decoder": True}))
    elif what == "damaged":
        content = (folder / "model.safetensors").read_bytes()
        (folder / "model.safetensors").write_bytes(content[: len(content) // 2])
    else:
        (folder / what).unlink()


UNFIT = {
    "roberta": "model_type as 'roberta'; only BERT encoders", "mpnet": "model_type as 'mpnet'", "gpt2": "model_type as 'gpt2'",
    "relu": "hidden_act as 'relu'", "decoder": "is_decoder as True", "damaged": "is damaged",
    "model.safetensors": "has no model.safetensors", "tokenizer.json": "has no tokenizer.json", "config.json": "has no config.json",
}  # fmt: skip


@pytest.mark.parametrize("what", UNFIT)
def test_an_unfit_folder_is_refused_with_the_reason_and_nothing_else_is_lost(own, what):
    spoil(own, what)
    settings, notes = from_query(chosen(own, mask="causal", seed=5).to_query(), own_models=True)
    assert settings == replace(chosen(own, mask="causal", seed=5, source="seeded", model=""), head=2)
    assert [note.key for note in notes] == ["note_trained"] and UNFIT[what] in notes[0].values["problem"]


@pytest.mark.parametrize(
    "name",
    [
        "/no/such/folder",
        "no such model!",
        "//host/share",
        "\\\\host\\share",
        "~nobody_at_all",
        "a\0b",
        "x" * 5000,
        "..",
        " ",
    ],
)
def test_what_is_neither_folder_nor_name_is_said_to_be_so(name):
    settings, notes = from_query({"source": "trained", "model": name, "sentence": MAT}, own_models=True)
    assert settings == Settings(MAT, word=3) and [note.key for note in notes] == ["note_trained"]
    assert (
        "neither a folder" in notes[0].values["problem"]
        or "has no config.json" in notes[0].values["problem"]
        or len(name) > 400
    )
    assert len(notes[0].values["problem"]) < 400


def test_an_address_never_downloads(monkeypatch):
    monkeypatch.setattr(own_models, "fetch", lambda *a: pytest.fail("an address made the server download"))
    at = open_app("step_1_arrows", chosen(NAME))
    assert at.session_state["settings"].source == "seeded" and "has been fetched" in prose(at)


@pytest.mark.parametrize("value", ["", "0", "no"])
def test_where_the_operator_has_not_allowed_it_no_folder_is_looked_at(saved, monkeypatch, value):
    monkeypatch.setenv(own_models.SWITCH, value)
    monkeypatch.setattr(own_models, "locate", lambda model: pytest.fail("looked at a folder"))
    at = open_app("step_1_arrows", chosen(saved))
    assert at.session_state["settings"] == replace(chosen(saved, layer=3), source="seeded", model="", head=2)
    assert "MHA_OWN_MODELS=1" in prose(at)
    at = open_app("lab_compare", Settings(MAT, against=f"source=trained&model={saved}"))
    assert not at.exception and "switched off" in prose(at)
    assert pinned(f"source=trained&model={saved}")[0].model == ""
    at = open_app("step_1_arrows", Settings(MAT, source="trained"))
    assert "Switched off on this server" in prose(at) and not [box for box in at.text_input if box.key == "own_name"]


# ---- by name, with the network played --------------------------------------------------------------------------
class Hub:
    """A model hub that has the files of one folder, or answers with an error."""

    def __init__(self, folder, error=None, without=(), sizes=None):
        self.folder, self.error, self.without, self.sizes, self.asked = folder, error, without, sizes or {}, []

    def play(self, monkeypatch):
        files = [path for path in sorted(self.folder.rglob("*")) if path.is_file()]
        names = [path.relative_to(self.folder).as_posix() for path in files]
        listed = [
            SimpleNamespace(rfilename=name, size=self.sizes.get(name, path.stat().st_size))
            for name, path in zip(names, files)
        ]
        kept = [file for file in listed if file.rfilename not in self.without]

        def info(api, name, **_):
            if self.error:
                raise self.error
            assert api.token is False  # nobody's account is lent out
            return SimpleNamespace(siblings=kept)

        def download(name, file, token=None, tqdm_class=None):
            assert token is False and name == NAME
            self.asked.append(file)
            with tqdm_class(total=10, initial=0, desc=file) as bar:
                bar.update((self.folder / file).stat().st_size)
            return str(self.folder / file)

        monkeypatch.setattr(huggingface_hub.HfApi, "model_info", info)
        monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
        return self


def ask(at, name):
    at.text_input(key="own_name").set_value(name)
    at.button(key="own_use").click().run()
    return at


def test_a_name_is_fetched_with_progress_small_files_first(saved, monkeypatch):
    hub, told = Hub(saved).play(monkeypatch), []
    assert own_models.fetch(NAME, lambda file, share: told.append((file, share))) == saved
    assert hub.asked[0] == "config.json" and hub.asked[-1] == "model.safetensors"
    assert set(hub.asked) == {
        "config.json",
        "tokenizer.json",
        "model.safetensors",
        "modules.json",
        "1_Pooling/config.json",
        "tokenizer_config.json",
    }
    shares = [share for _, share in told]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 1


def test_a_fetched_name_is_walked(saved, monkeypatch):
    at = open_app("step_4_softmax", Settings(MAT, source="trained", layer=6, head=12, word=2))
    Hub(saved).play(monkeypatch)
    fetched = []
    monkeypatch.setattr(
        huggingface_hub, "try_to_load_from_cache", lambda name, file: str(saved / file) if fetched else None
    )
    bring = own_models.fetch
    monkeypatch.setattr(own_models, "fetch", lambda *a: (bring(*a), fetched.append(True)))
    ask(at, NAME)
    assert not at.exception
    assert at.session_state["settings"] == chosen(NAME, layer=3, head=5)
    assert "somebody/little-bert, layer 3" in prose(at)
    assert at.session_state["settings"].sentence == MAT


def test_a_name_that_is_here_already_needs_no_network(fetched, monkeypatch):
    monkeypatch.setattr(own_models, "fetch", lambda *a: pytest.fail("fetched what is here"))
    at = ask(open_app("step_4_softmax", Settings(MAT, source="trained", word=2)), NAME)
    assert at.session_state["settings"] == chosen(NAME, layer=1, head=2)
    shown = {(grid["field"], grid["head"]): there for grid, there in sheets(at)}
    assert shown["weights", 2][1, 3] == pytest.approx(walk_of(chosen(NAME, layer=1, head=2)).trace.weights[1, 1, 3])


def gated():
    return type("GatedRepoError", (Exception,), {})()


FAILURES = {
    "no network": (ConnectionError("no route"), "could not be fetched (ConnectionError)"),
    "unknown": (type("RepositoryNotFoundError", (Exception,), {})(), "There is no public model “somebody/little-bert”"),
    "gated": (gated(), "only to known accounts"),
}  # fmt: skip


@pytest.mark.parametrize("why", FAILURES)
def test_a_download_that_fails_is_said_and_the_walk_goes_on_seeded(saved, monkeypatch, why):
    error, says = FAILURES[why]
    Hub(saved, error).play(monkeypatch)
    before = Settings(MAT, source="trained", layer=2, word=2, mask="causal", divisor="none")
    at = ask(open_app("step_4_softmax", before), NAME)
    assert not at.exception and says in prose(at)
    assert at.session_state["settings"] == replace(before, source="seeded", word=1)  # “the” again
    assert at.text_input(key="own_name").value == NAME  # what was typed can be corrected


@pytest.mark.parametrize("what", ["roberta", "relu"])
def test_an_unfit_name_is_refused_before_its_weights_are_fetched(own, monkeypatch, what):
    spoil(own, what)
    hub = Hub(own).play(monkeypatch)
    with pytest.raises(EncoderUnavailable, match="BERT encoders"):
        own_models.fetch(NAME)
    assert "model.safetensors" not in hub.asked


def test_a_name_without_the_needed_files_or_too_large_is_refused_at_once(saved, monkeypatch):
    hub = Hub(saved, without=("model.safetensors", "tokenizer.json")).play(monkeypatch)
    with pytest.raises(EncoderUnavailable, match="without tokenizer.json and without model.safetensors"):
        own_models.fetch(NAME)
    hub = Hub(saved, sizes={"model.safetensors": 2 * 10**9}).play(monkeypatch)
    with pytest.raises(EncoderUnavailable, match="2,000 MB; up to 1,500 MB"):
        own_models.fetch(NAME)
    assert not hub.asked


def test_without_the_library_that_fetches_the_install_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    at = ask(open_app("step_4_softmax", Settings(MAT, source="trained")), NAME)
    assert "pip install huggingface_hub" in prose(at) and at.session_state["settings"].source == "seeded"


def test_a_name_without_owner_is_one_of_the_sentence_transformers(monkeypatch):
    asked = []
    monkeypatch.setattr(huggingface_hub, "try_to_load_from_cache", lambda name, file: asked.append(name))
    assert not own_models.is_here("all-MiniLM-L12-v2") and set(asked) == {"sentence-transformers/all-MiniLM-L12-v2"}


def test_the_packaged_folder_by_its_path_gives_the_packaged_numbers():
    folder = _packaged_folder()
    ours, theirs = (sources.encoder(model).encode(MAT) for model in (str(folder), ""))
    assert (ours == theirs).all()
