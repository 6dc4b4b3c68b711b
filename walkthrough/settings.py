"""Everything a link must restore, and nothing else: one frozen Settings, read from an address and written back to it.

An impossible address is corrected to the nearest legal state, and every correction leaves a Note that says so.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from mha_core.parameters import legal_heads
from mha_core.tokens import MAX_TOKENS, EmptySentence, shorten, tokenize
from walkthrough.sources import BY_HAND, SOURCES, EncoderUnavailable, Extent, extent

D_MODELS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
CHOICES = {
    "source": SOURCES,
    "divisor": ("sqrt", "none", "d_k"),
    "mask": ("none", "causal"),
}
SEEDS = (0, 9999)
VIEW = re.compile(r"[a-z0-9_]{1,30}\.\w{1,30}(?:~[a-z0-9_]{1,30}\.\w{1,30}){0,29}", re.ASCII)
MOST_LAYERS = 99  # a model of one's own that is not in use keeps its layer, up to here


@dataclass(frozen=True)
class Note:
    """A correction, as a key of the catalogue and the values its sentence needs."""

    key: str
    values: Mapping[str, object]


@dataclass(frozen=True)
class Settings:
    """One state of the walk. Words, heads and layers are counted from 1, as on screen."""

    sentence: str = "the cat sat"
    source: str = "seeded"
    layer: int = 1
    d_model: int = 8
    h: int = 2
    divisor: str = "sqrt"
    positions: bool = True
    mask: str = "none"
    seed: int = 1753  # one whose default walk has no number too small to print, and two heads that disagree
    word: int = 3
    head: int = 2
    hide_special: bool = False  # trained only: without [CLS] and [SEP], the rest renormalised
    model: str = ""  # trained only: a model of one's own, by folder or name; "" is the packaged one
    cell: str = ""
    trail: str = ""
    # The lab's experiments; "" where nothing was tried. Their pages say how each one is spelled.
    other: str = ""  # a second sentence, which gives keys and values
    off: str = ""  # heads that are switched off
    changes: str = ""  # numbers that were overwritten
    drawn: str = ""  # a mask drawn by hand
    against: str = ""  # the address of the walk to compare with
    view: str = ""  # which of its pictures a page shows, "job.2~sweep.spread"; frame/view.py reads it

    def to_query(self) -> dict[str, str]:
        """The fields that differ from the default, spelled as in the address; {} for the default walk."""
        return {f.name: _spell(getattr(self, f.name)) for f in fields(self) if getattr(self, f.name) != f.default}


DEFAULT = Settings()


def from_query(query: Mapping[str, str], own_models: bool = False) -> tuple[Settings, list[Note]]:
    """Settings from an address. What is missing takes its default; what is impossible is corrected, with a note.

    own_models: whether an address may name a model of one's own, which makes this machine read a folder.
    """
    read, notes = {}, []
    for field in fields(Settings):
        if field.name in query:
            read[field.name] = _read(field.name, query[field.name], field.default, notes)
    settings = Settings(**read)
    if settings.model and not own_models:
        notes.append(Note("note_model_off", {"asked": settings.model[:60]}))
        settings = replace(settings, model="", source="seeded" if settings.source == "trained" else settings.source)
    return correct(settings, notes, quiet={"word", "head"} - read.keys())


def correct(settings: Settings, notes: list[Note] | None = None, quiet=frozenset()) -> tuple[Settings, list[Note]]:
    """The nearest legal state and the notes on what was changed (after those already in `notes`).

    Fields named in `quiet` were not asked for by anybody and give way without a note.
    """
    notes = list(notes or [])
    settings = _correct_sentence(settings, notes)
    settings = _correct_width(settings, notes)
    asked = settings.source
    settings, sizes = _correct_source(settings, notes)
    quiet = quiet if settings.source == asked else {*quiet, "head", "layer"}  # they were meant for other numbers
    for name, most in (("word", sizes.n), ("head", sizes.h)):
        settings = _clamp(settings, name, 1, most, f"note_{name}", [] if name in quiet else notes)
    settings = _clamp(settings, "seed", *SEEDS, "note_seed", notes)
    most = sizes.layers if settings.source == "trained" else MOST_LAYERS if settings.model else 6
    return _clamp(settings, "layer", 1, most, "note_layer", [] if "layer" in quiet else notes), notes


def _correct_width(settings: Settings, notes: list[Note]) -> Settings:
    d_model = min(D_MODELS, key=lambda legal: abs(legal - settings.d_model))
    if d_model != settings.d_model:
        notes.append(Note("note_d_model", {"asked": settings.d_model, "used": d_model, "least": D_MODELS[0], "most": D_MODELS[-1]}))
    h = nearest_heads(d_model, settings.h)
    if h != settings.h:
        choices = ", ".join(map(str, legal_heads(d_model)))
        notes.append(Note("note_h", {"asked": settings.h, "d_model": d_model, "used": h, "choices": choices}))
    return replace(settings, d_model=d_model, h=h)


def _correct_source(settings: Settings, notes: list[Note]) -> tuple[Settings, Extent]:
    """A source that has this sentence, and the sizes of the walk with it."""
    if settings.source == "hand-built" and settings.sentence not in BY_HAND:
        notes.append(Note("note_hand_built", {"sentences": " / ".join(BY_HAND)}))
        settings = replace(settings, source="seeded")
    try:
        return settings, sizes(settings)
    except EncoderUnavailable as problem:
        notes.append(Note("note_trained", {"problem": str(problem)}))
        settings = replace(settings, source="seeded", model="")
        return settings, sizes(settings)


def sizes(settings: Settings) -> Extent:
    """How many tokens, heads, numbers a token and layers the walk of these settings has."""
    return extent(settings.source, settings.sentence, settings.d_model, settings.h, settings.hide_special, settings.model)


def nearest_heads(d_model: int, wished: int) -> int:
    """The legal h closest to the wished one; of two equally close the smaller."""
    return min(legal_heads(d_model), key=lambda h: (abs(h - wished), h))


def has_words(sentence: str) -> bool:
    """Whether there is anything to attend to."""
    try:
        return bool(tokenize(sentence))
    except EmptySentence:
        return False


def _correct_sentence(settings: Settings, notes: list[Note]) -> Settings:
    if not has_words(settings.sentence):
        notes.append(Note("note_empty", {"used": DEFAULT.sentence}))
        return replace(settings, sentence=DEFAULT.sentence, word=min(settings.word, DEFAULT.word))
    kept, n = shorten(settings.sentence)
    if kept != settings.sentence:
        tokens = tokenize(kept)
        notes.append(Note("note_long", {"n": f"{n:,}", "most": MAX_TOKENS, "used": len(tokens), "last": tokens[-1]}))
    return replace(settings, sentence=kept)


def _clamp(settings: Settings, name: str, least: int, most: int, key: str, notes: list[Note]) -> Settings:
    asked = getattr(settings, name)
    used = min(max(asked, least), most)
    if used != asked:
        notes.append(Note(key, {"asked": asked, "used": used, "least": least, "most": most}))
    return replace(settings, **{name: used})


def _spell(value) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def _read(name: str, text: str, default, notes: list[Note]):
    """One value of the address; the default, with a note, where it cannot be read."""
    if isinstance(default, bool):
        value = {"on": True, "off": False}.get(text.lower())
    elif isinstance(default, int):
        value = _whole_number(text)
    elif name == "view":
        value = text if not text or VIEW.fullmatch(text) else None
    elif name in CHOICES:
        value = text if text in CHOICES[name] else None
    else:
        value = text
    if value is None:
        notes.append(Note("note_unreadable", {"name": name, "asked": text[:60], "used": _spell(default)}))
        return default
    return value


def _whole_number(text: str) -> int | None:
    """A whole number of at most forty digits, in plain digits; None for anything else."""
    text = text.strip()
    digits = text[1:] if text[:1] in "+-" else text
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= 40 else None
