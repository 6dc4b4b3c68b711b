"""A model of one's own: a folder on the server's machine, or a name whose files are fetched once, on request.

Only fetch() touches the network, and only a pressed button calls it: a link that names a model reads what is there
already. Where nobody who runs the server said MHA_OWN_MODELS=1, neither folders nor names are looked at.
"""

import hashlib
import inspect
import os
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from mha_core.pretrained import CONFIG, TOKENIZER, WEIGHTS, EncoderUnavailable, check_kind

SWITCH = "MHA_OWN_MODELS"
NEEDED = (CONFIG, TOKENIZER, WEIGHTS)
HELPFUL = ("modules.json", "1_Pooling/config.json", "sentence_bert_config.json", "tokenizer_config.json")
LARGEST = 1_500_000_000  # bytes: more than the largest BERT has, and an end to what a visitor can make us fetch
LONGEST_NAME = 400
HOME = "sentence-transformers"  # whose models may be named without their owner
NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?", re.ASCII)
Tell = Callable[[str, float], None]  # a file, and the share of all bytes that has arrived


def is_offered() -> bool:
    """Whether whoever runs this server lets its visitors name models: folders are read, names downloaded for them."""
    return os.environ.get(SWITCH, "").strip() == "1"


def locate(model: str) -> Path:
    """The folder of a model that is on this machine. Raises EncoderUnavailable, with what to do, where there is none."""
    if (folder := _folder(model)) is not None or (folder := _fetched(_full(model))) is not None:
        return folder
    if NAME.fullmatch(model):
        raise EncoderUnavailable(
            f"There is no folder “{model[:80]}” on the server's machine, and no model of that name has been fetched to it; "
            f"choose “trained”, open “A model of your own” and press the button to fetch it."
        )
    raise EncoderUnavailable(
        f"“{model[:80]}” is neither a folder on the server's machine nor the name of a model (such as {HOME}/all-MiniLM-L12-v2); "
        f"check how it is spelled."
    )


def is_here(model: str) -> bool:
    """Whether the model can be read without fetching anything; also where fetching could not help."""
    return _folder(model) is not None or not NAME.fullmatch(model) or _fetched(_full(model)) is not None


def named(model: str) -> str:
    """How a model is called on screen: the last part of its folder, or its full name."""
    folder = _folder(model)
    return _full(model) if folder is None else folder.resolve().name or model


def stamp(folder: Path) -> tuple:
    """Size and time of every file that counts: a folder that was changed is read anew."""
    files = (folder / name for name in (*NEEDED, *HELPFUL))
    return tuple((stat.st_size, stat.st_mtime_ns) if (stat := _stat(file)) else None for file in files)


def fingerprint(model: str) -> str:
    """The SHA-256 of the weights that are read, for whoever wants to hold it against a published one."""
    folder = locate(model)
    return _hashed(str(folder / WEIGHTS), stamp(folder))


@lru_cache(maxsize=4)
def _hashed(file: str, stamp: tuple) -> str:
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def fetch(model: str, tell: Tell = lambda file, share: None) -> Path:
    """Download what is needed of a named model and give back its folder; the small files first, which say if it is unfit.

    Raises EncoderUnavailable: nothing to download with, no network, no such model, too large, or of another kind.
    """
    hub, name = _hub(), _full(model)
    try:
        sizes = _listed(hub, name)
        _check_listed(name, sizes)
        wanted = [file for file in (CONFIG, *HELPFUL, TOKENIZER, WEIGHTS) if file in sizes]
        total, done, folder = sum(sizes[file] for file in wanted), 0, Path()
        for file in wanted:
            if file == TOKENIZER:
                check_kind(folder)
            folder = _bring(hub, name, file, lambda bytes: tell(file, min(1.0, (done + bytes) / total)))  # noqa: B023
            done += sizes[file]
    except EncoderUnavailable:
        raise
    except Exception as error:  # the library lets whatever its network layer raises pass through
        raise EncoderUnavailable(_why(name, error)) from error
    return folder


def _listed(hub, name: str) -> dict[str, int]:
    """Every file of the model with its size; asked without anybody's account, so that visitors borrow none."""
    found = hub.HfApi(token=False).model_info(name, files_metadata=True, timeout=10)
    return {file.rfilename: file.size or 0 for file in found.siblings or ()}


def _check_listed(name: str, sizes: dict[str, int]) -> None:
    missing = [file for file in NEEDED if file not in sizes]
    if missing:
        raise EncoderUnavailable(
            f"The model “{name}” is published without {' and without '.join(missing)}, which is needed here; choose another, "
            f"or save it anew with the sentence-transformers library and name the folder."
        )
    total = sum(sizes[file] for file in NEEDED)
    if total > LARGEST:
        raise EncoderUnavailable(
            f"The model “{name}” has {total / 1e6:,.0f} MB; up to {LARGEST / 1e6:,.0f} MB are fetched here. Choose a smaller one."
        )


def _bring(hub, name: str, file: str, arrived: Callable[[int], None]) -> Path:
    """One file into the library's own store; the folder that it stands for."""
    newer = {"tqdm_class": _meter(arrived)} if "tqdm_class" in inspect.signature(hub.hf_hub_download).parameters else {}
    arrived(0)
    path = Path(hub.hf_hub_download(name, file, token=False, **newer))
    return path.parents[file.count("/")]


def _meter(arrived: Callable[[int], None]) -> type:
    """What the library takes for a progress bar; it hands the number of bytes on."""

    class Meter:
        def __init__(self, *_, initial=0, **__):
            self.bytes = initial or 0

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def update(self, more=1):
            self.bytes += more or 0
            arrived(int(self.bytes))

        def close(self):
            return None

    return Meter


def _hub():
    try:
        import huggingface_hub
    except ImportError as missing:
        raise EncoderUnavailable(
            "A model by its name is fetched with the huggingface_hub package, which sentence-transformers brings along and "
            "which is not installed here; install it with: pip install huggingface_hub, or name a folder instead."
        ) from missing
    # Its faster way reports progress from a thread of its own, which a page cannot listen to.
    huggingface_hub.constants.HF_HUB_DISABLE_XET = True
    return huggingface_hub


def _why(name: str, error: Exception) -> str:
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if "GatedRepoError" in kinds:
        return f"The model “{name}” is given out only to known accounts; download it yourself and name its folder."
    if "RepositoryNotFoundError" in kinds or "HFValidationError" in kinds:
        return f"There is no public model “{name}”; check its name, which is spelled owner/model."
    return (
        f"The model “{name}” could not be fetched ({type(error).__name__}): the server's machine may have no way to the "
        f"network. Try again, or download the model elsewhere and name its folder."
    )


def _full(model: str) -> str:
    return model if "/" in model else f"{HOME}/{model}"


def _folder(model: str) -> Path | None:
    """The folder of that name; None for anything else, also for what only looks like one (another machine's, too long)."""
    if not model or len(model) > LONGEST_NAME or model.startswith(("//", "\\\\")):
        return None
    try:
        folder = Path(model).expanduser()
        return folder if folder.is_dir() else None
    except (OSError, RuntimeError, ValueError):  # not allowed to look, no such user, a sign no path can have
        return None


def _fetched(name: str) -> Path | None:
    """The folder of a model that was fetched before, whole; None where it was not."""
    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        return None
    try:
        from huggingface_hub import try_to_load_from_cache

        found = [try_to_load_from_cache(name, file) for file in NEEDED]
    except (ImportError, ValueError):  # nothing to look with; or no name a model can have
        return None
    return Path(found[0]).parent if all(isinstance(file, str) for file in found) else None


def _stat(file: Path) -> os.stat_result | None:
    try:
        return file.stat()
    except OSError:
        return None
