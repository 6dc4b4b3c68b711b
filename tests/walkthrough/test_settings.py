"""Addresses: what they restore, and what becomes of impossible ones."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mha_core.tokens import tokenize
from walkthrough.settings import CHOICES, D_MODELS, Settings, correct, from_query, nearest_heads

TEN = "I led a team that built a scalable API."


def keys(notes):
    return [note.key for note in notes]


def test_the_default_walk_has_an_empty_address():
    assert Settings().to_query() == {}
    assert from_query({}) == (Settings(), [])


def test_an_address_spells_the_fields_by_their_names():
    query = {"sentence": TEN, "d_model": "16", "h": "4", "divisor": "none", "mask": "causal", "word": "2", "head": "3"}
    settings, notes = from_query(query)
    assert not notes
    assert settings == Settings(sentence=TEN, d_model=16, h=4, divisor="none", mask="causal", word=2, head=3)
    assert settings.to_query() == query


@given(
    st.sampled_from(D_MODELS), st.integers(0, 20), st.sampled_from(CHOICES["divisor"]), st.booleans(),
    st.sampled_from(CHOICES["mask"]), st.integers(0, 9999), st.sampled_from(["the cat sat", TEN, "我爱你", "$5 20% 1,000", "<s> a"]), st.integers(1, 2),
)
def test_every_legal_state_comes_back_from_its_address(d_model, pick, divisor, positions, mask, seed, sentence, word):
    h = nearest_heads(d_model, pick)
    legal = Settings(sentence, d_model=d_model, h=h, divisor=divisor, positions=positions, mask=mask, seed=seed, word=word, head=h)
    assert from_query(legal.to_query()) == (legal, [])


@pytest.mark.parametrize(("query", "changed", "notes"), [
    ({"h": "5", "d_model": "8"}, {"h": 4}, ["note_h"]),
    ({"h": "abc"}, {}, ["note_unreadable"]),
    ({"h": "٣"}, {}, ["note_unreadable"]),
    ({"h": "1e3"}, {}, ["note_unreadable"]),
    ({"h": "99999999999999999999"}, {"h": 8}, ["note_h"]),
    ({"seed": "9" * 20}, {"seed": 9999}, ["note_seed"]),
    ({"h": "9" * 5000}, {}, ["note_unreadable"]),
    ({"h": "-3"}, {"h": 1, "head": 1}, ["note_h"]),
    ({"h": "0"}, {"h": 1, "head": 1}, ["note_h"]),
    ({"d_model": "999999"}, {"d_model": 512}, ["note_d_model"]),
    ({"d_model": "7"}, {"d_model": 6}, ["note_d_model"]),
    ({"d_model": "-8"}, {"d_model": 4}, ["note_d_model"]),
    ({"divisor": "sideways"}, {}, ["note_unreadable"]),
    ({"positions": "perhaps"}, {}, ["note_unreadable"]),
    ({"mask": ""}, {}, ["note_unreadable"]),
    ({"word": "99"}, {}, ["note_word"]),
    ({"word": "0"}, {"word": 1}, ["note_word"]),
    ({"head": "7"}, {}, ["note_head"]),
    ({"seed": "123456"}, {"seed": 9999}, ["note_seed"]),
    ({"sentence": "  \t "}, {}, ["note_empty"]),
    ({"unknown": "field"}, {}, []),
])
def test_an_impossible_address_is_corrected_to_the_nearest_state_and_says_so(query, changed, notes):
    settings, said = from_query(query)
    assert settings == Settings(**changed)
    assert keys(said) == notes


def test_a_sentence_that_is_too_long_is_cut_and_the_note_says_where():
    settings, notes = from_query({"sentence": " ".join(f"w{i}" for i in range(10_000))})
    assert len(tokenize(settings.sentence)) == 64
    assert keys(notes) == ["note_long"]
    assert notes[0].values == {"n": "10,000", "most": 64, "used": 64, "last": "w63"}
    assert settings.word == 3


def test_a_word_that_nobody_asked_for_gives_way_without_a_note():
    assert from_query({"sentence": "one two three four five"}) == (Settings("one two three four five", word=3), [])
    assert from_query({"sentence": "hello"}) == (Settings("hello", word=1), [])


def test_one_head_is_looked_at_where_there_is_one():
    assert from_query({"h": "1"}) == (Settings(h=1, head=1), [])


@given(st.dictionaries(st.sampled_from([f.name for f in fields(Settings)]), st.text(max_size=40), max_size=6))
def test_no_address_whatever_raises_or_leaves_an_illegal_state(query):
    settings, _ = from_query(query)
    assert correct(settings) == (settings, [])
    assert settings.d_model % settings.h == 0
    assert 1 <= settings.word <= len(tokenize(settings.sentence))
    assert 1 <= settings.head <= settings.h


def test_of_two_legal_h_equally_near_the_smaller_is_taken():
    assert nearest_heads(8, 3) == 2
    assert nearest_heads(8, 100) == 8
    assert nearest_heads(6, 8) == 6
