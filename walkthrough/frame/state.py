"""One visitor's Settings: kept in the session, mirrored in the address, changed by controls.

The address is the truth whenever it changed without a control being touched (a link, the back button); otherwise the
control is, since a quick second change still carries the address from before the first.
"""

from dataclasses import replace

import streamlit as st

from walkthrough import own_models
from walkthrough.settings import DEFAULT, Note, Settings, correct, from_query, has_words, nearest_heads
from walkthrough.sources import BY_HAND
from walkthrough.walk import tokens_of

FOLLOWS_SHAPE = {"sentence", "d_model", "h", "source", "hide_special", "model"}  # a pinned cell may not exist after these change


def settings() -> Settings:
    """The current settings of this visitor."""
    return st.session_state.get("settings", DEFAULT)


def notes() -> list[Note]:
    """What was corrected at the last change of address or control."""
    return st.session_state.get("notes", [])


def restore() -> Settings:
    """Settings for this run: from the session, or from the address where that has changed by itself."""
    state, query = st.session_state, dict(st.query_params)
    touched = state.pop("touched", False)
    if "settings" not in state or (not touched and query != state.get("address")):
        state["settings"], state["notes"] = from_query(query, own_models.is_offered())
        state["wished_h"] = state["settings"].h
    write_address()
    return state["settings"]


def write_address() -> None:
    """Spell the settings in the address, if they are not there already."""
    query = settings().to_query()
    if dict(st.query_params) != query:
        st.query_params.from_dict(query)
    st.session_state["address"] = query


def change(**fields) -> None:
    """Set some fields from a control; what does not fit is corrected with a note, and nothing else is lost."""
    state, old = st.session_state, settings()
    found = []
    if "sentence" in fields and not has_words(fields["sentence"]):
        found.append(Note("note_empty", {"used": old.sentence}))
        fields.pop("sentence")
    if "h" in fields:
        state["wished_h"] = fields["h"]
    new = replace(old, **fields)
    if new.d_model != old.d_model:
        new = _regroup(new, state.get("wished_h", old.h), found)
    if (new.source, new.model) != (old.source, old.model):
        new = _fitting_sentence(new, found)
    quiet = set()
    if FOLLOWS_SHAPE & fields.keys():
        quiet = {"word", "head"} - fields.keys()
        new = replace(new, trail="", word=new.word if "word" in fields else _same_word(old, new))
    state["settings"], state["notes"] = correct(new, found, quiet)
    state["touched"] = True


def drop_cells(lost: list[str]) -> None:
    """Forget pinned cells that this walk does not have, in the session and in the address."""
    old = settings()
    trail = "~".join(cell for cell in old.trail.split("~") if cell not in lost)
    st.session_state["settings"] = replace(old, cell="" if old.cell in lost else old.cell, trail=trail)
    write_address()


def _regroup(new: Settings, wished: int, found: list[Note]) -> Settings:
    """After a change of d_model: the wished h again where it fits, the nearest one where it does not."""
    h = nearest_heads(new.d_model, wished)
    if h != wished:
        found.append(Note("note_h_waits", {"asked": wished, "d_model": new.d_model, "used": h}))
    return replace(new, h=h)


def _fitting_sentence(new: Settings, found: list[Note]) -> Settings:
    """Hand-built heads know a few sentences; with another one, the first of theirs is shown, and the note says so."""
    if new.source != "hand-built" or new.sentence in BY_HAND:
        return new
    sentence = next(iter(BY_HAND))
    found.append(Note("note_hand_sentence", {"was": new.sentence, "used": sentence}))
    return replace(new, sentence=sentence, word=1)


def _same_word(old: Settings, new: Settings) -> int:
    """The chosen word again, where the new tokens have it; else its old place (which gives way if it is too far)."""
    try:
        before, after = tokens_of(old), tokens_of(new)
    except ValueError:  # no tokens to compare: the sentence is empty, or the trained model is not there
        return new.word
    word = before[old.word - 1].lower()
    return next((place + 1 for place, token in enumerate(after) if token.lower() == word), new.word)
