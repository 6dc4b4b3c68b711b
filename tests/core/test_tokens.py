"""Tokens: nothing typed is lost, every script and sign comes out readable, and no input is slow."""

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mha_core.tokens import MAX_LETTERS, MAX_TOKENS, EmptySentence, label, shorten, tokenize

TRICKY = "aZé5½ \t\u00a0.,:;!?'’\"-–—_@/&+#$€%°()[]<>{}|=*`~^\\我々かカー가ก"
TRICKY += "\u0301\u093f\u05b0\u200b\u200c\u200d\ufe0f\u20e3"
TRICKY += "\u2800\u3164\u00ad\u202e\ufeff\x00\x1f\x7f\u0085\ud83d\ude00👩👧🏽🇩🇪🏴\U000e0067\U000e007f❤→\uffff\ue000"
ANY_CHARACTER = st.one_of(st.sampled_from(TRICKY), st.characters(exclude_categories=()))
ANY_TEXT = st.text(ANY_CHARACTER, max_size=60)


def tokens_or_none(sentence: str) -> tuple[str, ...]:
    try:
        return tokenize(sentence)
    except EmptySentence:
        return ()


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("the cat sat", "the cat sat"),
        ("I led a team that built a scalable API.", "I led a team that built a scalable API ."),
        ("She is a great leader", "She is a great leader"),
        ("man bites dog", "man bites dog"),
        # words with something inside
        ("I didn't; we didn’t", "I didn't ; we didn’t"),
        ("a state-of-the-art idea", "a state-of-the-art idea"),
        ("snake_case_name *bold* :+1: [x](y)", "snake_case_name * bold * : +1 : [ x ] ( y )"),
        ("__init__ a‿b a--b -x", "__init__ a‿b a - - b - x"),
        ("a:b@c R&D and/or e.g.", "a:b@c R&D and/or e.g ."),
        ("ask jo.smith+news@mail.example.org.", "ask jo.smith+news@mail.example.org ."),
        ("col·lecció צה״ל", "col·lecció צה״ל"),
        # links
        ("(see https://example.org/a_(b)?x=1&y=2#z).", "( see https://example.org/a_(b)?x=1&y=2#z ) ."),
        ("見https://example.org是 ftp://x.y/z, ok", "見 https://example.org 是 ftp://x.y/z , ok"),
        ("x:// y", "x : / / y"),
        # stops, brackets, quotes
        ("Stop. Go, now! Why? So: yes; no… 好。", "Stop . Go , now ! Why ? So : yes ; no … 好 。"),
        ("“so” 'n' (a) {b} «c»", "“ so ” ' n ' ( a ) { b } « c »"),
        ("wait... what?! no!!", "wait ... what ? ! no ! !"),
        ("yes,no a—b", "yes , no a — b"),
        # numbers
        ("$5 20% 1,000", "$5 20% 1,000"),
        ("1E1 3E2 2026-01 3.14 3.14.", "1E1 3E2 2026-01 3.14 3.14 ."),
        ("-5 (-5) x=-5 +5 .5 −5", "-5 ( -5 ) x = -5 +5 .5 −5"),
        ("10€ €10 -$5 $.50 US$5 20°C 5°", "10€ €10 -$5 $.50 US $5 20°C 5°"),
        ("1+5 a+b 5-3 3-x )-5 e\u0301+5", "1 + 5 a + b 5-3 3-x ) - 5 e\u0301 + 5"),
        ("10:30 24/7 2010–2020 ١٬٠٠٠", "10:30 24/7 2010–2020 ١٬٠٠٠"),
        ("H₂O x² Ⅳ ½", "H₂O x² Ⅳ ½"),
        ("from $113 to $115, $x$", "from $113 to $115 , $ x $"),
        # markers and markup
        ("<s>hi</s><b><pad>[PAD][CLS]", "<s> hi </s> <b> <pad> [PAD] [CLS]"),
        ("<|endoftext|> <br/> <unk>", "<|endoftext|> <br/> <unk>"),
        ("a<b<c", "a < b < c"),
        ("<img src=x onerror=alert(1)>", "< img src = x onerror = alert ( 1 ) >"),
        ("1<2>3 [x] [A] [5]", "1 < 2 > 3 [ x ] [ A ] [ 5 ]"),
        # scripts without blanks, and with
        ("我爱你", "我 爱 你"),
        ("GPT4模型5月", "GPT4 模 型 5 月"),
        ("ひらがカナーー人々々。", "ひ ら が カ ナ ー ー 人 々 々 。"),
        ("ﾊﾟﾝ", "ﾊﾟ ﾝ"),
        ("나는 학교에 갔다.", "나는 학교에 갔다 ."),
        ("ฉันรักเธอ", "ฉันรักเธอ"),
        ("ฉัน\u200bรัก", "ฉัน\u200b รัก"),
        ("नमस्ते दुनिया।", "नमस्ते दुनिया ।"),
        ("שָׁלוֹם בֵּית־סֵפֶר", "שָׁלוֹם בֵּית־סֵפֶר"),
        ("مُحَمَّد، نمی\u200cخواهم؟", "مُحَمَّد ، نمی\u200cخواهم ؟"),
        ("e\u0301te\u0301 naïve", "e\u0301te\u0301 naïve"),
        ("⠓⠑⠇⠇⠕\u2800⠓⠊", "⠓⠑⠇⠇⠕\u2800 ⠓⠊"),
        # emoji
        ("Seán 💩 👩‍👩‍👧", "Seán 💩 👩‍👩‍👧"),
        ("hi👋🏽👋you", "hi 👋🏽 👋 you"),
        ("🇩🇪🇫🇷🇩", "🇩🇪 🇫🇷 🇩"),
        ("1️⃣2️⃣#️⃣*️⃣10", "1️⃣ 2️⃣ #️⃣ *️⃣ 10"),
        ("❤️‍🔥🏳️‍🌈👩🏽‍🚀🙂‍↔️❤❤️", "❤️‍🔥 🏳️‍🌈 👩🏽‍🚀 🙂‍↔️ ❤ ❤️"),
        ("🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴‍☠️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴‍☠️"),
        # what cannot be seen goes along with a neighbour
        ("\ufeffthe c\u00adat", "\ufeffthe c\u00adat"),
        ("a\u200b\u0301b", "a\u200b \u0301b"),
        ("\u200e-5", "\u200e-5"),
        ("a \u200b b", "a \u200b b"),
    ],
)
def test_a_sentence_is_cut_where_a_reader_would_cut_it(sentence, expected):
    assert tokenize(sentence) == tuple(expected.split(" "))


def test_the_numbers_of_the_lesson():
    assert len(tokenize("I led a team that built a scalable API.")) == 10
    assert len(tokenize("the cat sat")) == len(tokenize("我爱你")) == len(tokenize("$5 20% 1,000")) == 3


@settings(deadline=None)
@given(ANY_TEXT)
@example("<img src=x onerror=alert(1)>")
@example("\ud83d a\u200b")
def test_nothing_is_lost_and_nothing_is_changed(sentence):
    tokens = tokens_or_none(sentence)
    if tokens:
        assert "".join(tokens) == "".join(sentence.split())
        assert all(tokens)
        assert all(len(token) <= MAX_LETTERS for token in tokens)


@settings(deadline=None)
@given(st.lists(ANY_TEXT, max_size=4))
def test_white_space_always_divides(parts):
    whole = tokens_or_none("\n".join(parts))
    by_part = [tokens_or_none(part) or tuple(part.split()) for part in parts]
    if whole:
        assert whole == tuple(token for tokens in by_part for token in tokens)


@pytest.mark.parametrize(
    "sentence",
    ["", " ", "  \t ", "\n", "\u00a0\u3000", "\u200b", "\u200d\ufe0f", "\x00\x07", "\ufeff \u2800\u3164"],
)
def test_a_sentence_nobody_can_see_is_refused_kindly(sentence):
    with pytest.raises(EmptySentence, match="at least one word") as refusal:
        tokenize(sentence)
    assert isinstance(refusal.value, ValueError)
    assert ("nothing was typed" in str(refusal.value)) == (sentence == "")
    assert (f"({len(sentence)} character" in str(refusal.value)) == (sentence != "")
    assert "Type a few words" in str(refusal.value)
    assert shorten(sentence) == (sentence, 0)


@pytest.mark.parametrize("sentence", [".", "0", "\u0301", "\ud800", "\ue000", "💩", "_", "\u200b."])
def test_one_visible_sign_is_a_sentence(sentence):
    assert tokenize(sentence) == (sentence,)


# ---- shorten -------------------------------------------------------------------------------------------------------


def test_a_sentence_that_fits_comes_back_as_typed():
    sentence = "  " + " ".join(["word"] * MAX_TOKENS) + "  "
    assert shorten(sentence) == (sentence, MAX_TOKENS)


def test_a_sentence_that_does_not_fit_ends_with_its_last_token_allowed():
    assert shorten("the cat  sat, on the mat", 4) == ("the cat  sat,", 7)
    assert shorten("我爱你", 1) == ("我", 3)
    sentence = " ".join(f"w{number}" for number in range(10_000))
    beginning, size = shorten(sentence)
    assert size == 10_000
    assert tokenize(beginning) == tuple(f"w{number}" for number in range(MAX_TOKENS))


def test_shortening_to_no_token_is_refused():
    with pytest.raises(ValueError, match="shortened to 0 tokens.*ask for 1"):
        shorten("the cat", 0)


@settings(max_examples=300, deadline=None)
@given(ANY_TEXT, st.integers(1, 7))
def test_the_beginning_has_the_same_tokens_as_the_whole(sentence, most):
    beginning, size = shorten(sentence, most)
    tokens = tokens_or_none(sentence)
    assert sentence.startswith(beginning)
    assert size == len(tokens)
    visible = any(label(token) == token for token in tokens[:most])
    assert tokens_or_none(beginning) == tokens[:most] or not visible


# ---- long words ----------------------------------------------------------------------------------------------------


def test_a_word_is_cut_only_where_it_is_longer_than_the_limit():
    longest = "x" * MAX_LETTERS
    assert tokenize("y" * 60 + " " + longest) == ("y" * 60, longest)
    assert tokenize(longest + "yz") == (longest, "yz")


def test_a_cut_does_not_part_a_mark_from_its_letter():
    syllable = "n\u0303\u0323"
    tokens = tokenize(syllable * MAX_LETTERS)
    assert "".join(tokens) == syllable * MAX_LETTERS
    assert all(token.startswith("n") and len(token) % 3 == 0 for token in tokens)
    assert [len(token) for token in tokenize("a" + "\u0301" * 3 * MAX_LETTERS)] == [MAX_LETTERS] * 3 + [1]


def test_one_word_of_a_million_letters_is_cut_and_shortened():
    beginning, size = shorten("a" * 1_000_000)
    assert beginning == "a" * MAX_TOKENS * MAX_LETTERS
    assert size == 1_000_000 // MAX_LETTERS


@pytest.mark.parametrize(
    "nasty",
    "a+ a. . <a [A a://( a://.a a://(a a@ ( -$. \u0301 0\ufe0f 👩\u200d 🇩 1, +1 \u200ba https://x? _' a|".split(" ")
    + ["a ", "a\n \t"],
)
def test_time_grows_with_the_length_alone(nasty):
    """Not timed: were any of these quadratic, the suite would stand still here for minutes."""
    sentence = nasty * (60_000 // len(nasty))
    beginning, size = shorten(sentence)
    tokens = tokenize(sentence)
    assert len(tokens) == size
    assert sum(map(len, tokens)) == len("".join(sentence.split()))
    assert len(beginning) <= MAX_TOKENS * (MAX_LETTERS + 3)


# ---- label ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "token",
    "the $5 1E1 2026-01 <s> </s> <b> [PAD] été e\u0301 我 שָׁלוֹם नमस्ते नमस्\u200dते نمی\u200cخواهم 👩‍👩‍👧 👋🏽 🇩🇪 1️⃣ #️⃣ ❤️ ‼️ "
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿 葛\U000e0100 \uffff \ue000 ▁the ##ing Ġthe".split(" ") + ["x" * MAX_LETTERS],
)
def test_what_can_be_seen_is_its_own_label(token):
    assert label(token) == token


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("", "⟨nothing⟩"),
        (" ", "␠"),
        ("a ", "a␠"),
        (" a", "␠a"),
        ("\t\n\x00", "␉␊␀"),
        ("\u00a0", "⟨U+00A0⟩"),
        ("\x7f", "⟨U+007F⟩"),
        ("the\u200b", "the⟨U+200B⟩"),
        ("\ufeffthe", "⟨U+FEFF⟩the"),
        ("co\u00adop", "co⟨U+00AD⟩op"),
        ("\u202eabc", "⟨U+202E⟩abc"),
        ("a\u200db", "a⟨U+200D⟩b"),
        ("a\U000e0041", "a⟨U+E0041⟩"),
        ("می\u200c", "می⟨U+200C⟩"),
        ("\u200d", "⟨U+200D⟩"),
        ("\ufe0f", "⟨U+FE0F⟩"),
        ("\ud83d", "⟨U+D83D⟩"),
        ("\u2800", "⟨U+2800⟩"),
        ("\u0301", "◌\u0301"),
    ],
)
def test_what_cannot_be_seen_is_spelled(token, expected):
    assert label(token) == expected


@settings(deadline=None)
@given(ANY_TEXT)
def test_every_label_is_visible_and_can_be_sent(sentence):
    for token in tokens_or_none(sentence):
        shown = label(token)
        assert shown.encode("utf-8")
        assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cs", "Zs", "Zl", "Zp"}
        assert label(shown) == shown
        assert tokenize(shown)
