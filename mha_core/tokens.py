"""Cut a sentence into words, numbers and signs, in any script, so that nothing typed is lost or changed.

Put the tokens back together and you have the sentence without its white space. How that is done: every character is
first replaced by one letter for its kind (see `_kind`), which gives a string as long as the sentence; one pattern over
the kinds then finds the tokens. No step looks back further than a fixed distance, so time grows with the length alone.

What to expect where scripts and habits differ:

- Chinese characters and Japanese kana stand alone, Korean words stay whole. Thai, Lao, Khmer and Burmese put no
  blanks between words and we carry no dictionary: a phrase stays one token unless a zero width space divides it.
- A mark, a skin tone, a joined emoji, a flag, a keycap stays with what it belongs to. An invisible character goes with
  the token it follows (with the next one where a stretch begins with it); `label` makes it visible.
- Inside a word `' - . : @ / &` join (didn't, state-of-the-art, e.g, a:b@c); `_` counts as a letter; a comma or a short
  dash joins digits only (1,000). Links stay whole. Signs, currency and % stay with their number (-5, $5, 20%, 10€).
- Two or more full stops in a row are one token. Every other sign is a token of its own, `!!` is two.
- `<s>`, `</s>`, `<|end|>` and `[CLS]`-like markers are one token; a longer tag with blanks or `=` falls into pieces.
- A token longer than MAX_LETTERS is cut into pieces of that many, as a sub-word model cuts a rare word.
"""

import re
import unicodedata
from collections.abc import Iterator

MAX_TOKENS = 64
MAX_LETTERS = 200


class EmptySentence(ValueError):
    """There is no visible character in the sentence, so there is no row of X to make."""


# ---- kinds: one letter for each character ----------------------------------------------------------------------
# a letter · A capital A–Z · 0 number · h Chinese character or kana, alone · e emoji or symbol · r half of a flag ·
# t skin tone · p other punctuation · a blank is itself, and so is every ASCII sign (or the ASCII sign it acts like)
# These cling to what stands before them: m mark · k keycap frame · v variant selector · j joiner · n non-joiner ·
# i other invisible. z is invisible too, and ends the token.
_CLING = "mkvjni"
_UNSEEN = "vjniz"

_ACTS_LIKE = {
    "'": "\u2019\u00b7\u05f3\u05f4\u055b\u055c\u055e",  # curly apostrophe, Catalan dot, Hebrew and Armenian word marks
    "-": "\u2010\u2011\u2212\u05be",  # hyphens, the true minus, maqaf
    ",": "\u2013\u066b\u066c",  # en dash between years, Arabic separators
    "%": "\u2030\u2031\u066a",
    "°": "°",
    "a": "\u06dd\u070f\u08e2\U000110bd\U000110cd",  # formally "format" characters, yet drawn
    "m": "\uff9e\uff9f",  # half-width voicing marks
    "k": "\u20e3",
    "j": "\u200d",
    "n": "\u200c",
    "i": "\u034f\u115f\u1160\u17b4\u17b5\u2065",
    "z": "\u200b\u2800\u3164\uffa0",  # zero width space, empty Braille cell, Korean fillers
}
_SINGLE = {ord(character): kind for kind, characters in _ACTS_LIKE.items() for character in characters}
_RANGES = (
    (0x0600, 0x0605, "a"), (0x0890, 0x0891, "a"), (0x2801, 0x28FF, "a"),
    (0xFE00, 0xFE0F, "v"), (0xE0020, 0xE007F, "v"), (0xE0100, 0xE01EF, "v"),
    (0xFFF0, 0xFFF8, "i"), (0xE0000, 0xE0FFF, "i"),
    (0x1F1E6, 0x1F1FF, "r"), (0x1F3FB, 0x1F3FF, "t"),
    (0x2E80, 0x2FDF, "h"), (0x3005, 0x3007, "h"), (0x3021, 0x3029, "h"), (0x3038, 0x303B, "h"), (0x3041, 0x3096, "h"),
    (0x309B, 0x309F, "h"), (0x30A1, 0x30FA, "h"), (0x30FC, 0x30FF, "h"), (0x31F0, 0x31FF, "h"), (0x3400, 0x4DBF, "h"),
    (0x4E00, 0x9FFF, "h"), (0xF900, 0xFAFF, "h"), (0xFF66, 0xFF9D, "h"), (0x1AFF0, 0x1B16F, "h"),
    (0x20000, 0x3FFFF, "h"),
)  # fmt: skip
_BY_CATEGORY = {"L": "a", "N": "0", "M": "m", "S": "e", "P": "p", "C": "e", "Z": " "}
_BY_FULL_CATEGORY = {"Sc": "$", "Pc": "_", "Cf": "i", "Cc": "i"}


def _kind(code: int) -> str:
    character = chr(code)
    if character.isspace():
        return " "
    if code < 0x80 and not character.isalnum() and character.isprintable():
        return character
    if "A" <= character <= "Z":
        return "A"
    if code in _SINGLE:
        return _SINGLE[code]
    for first, last, kind in _RANGES:
        if first <= code <= last:
            return kind
    category = unicodedata.category(character)
    return _BY_FULL_CATEGORY.get(category) or _BY_CATEGORY[category[0]]


class _Kinds(dict):
    """A table for str.translate that works out a kind the first time it is met."""

    def __missing__(self, code: int) -> str:
        self[code] = _kind(code)
        return self[code]


def _kinds(text: str) -> str:
    return text.translate(_Kinds())  # a fresh table each time: nothing of one visitor's text stays behind


# ---- the pattern over kinds ------------------------------------------------------------------------------------
# Every repetition is either possessive (*+, ++: never gives back) or bounded, so no input can make it slow.
_STAY = f"[{_CLING}]*+"
_IN_WORD = f"[aA0_{_CLING}]"
_IN_LINK = rf"[aA0_{_CLING}/#=&%+~@\-]"
_LINK_PAUSE = r"[.,:;!?'*$]"  # part of a link only where more of the link follows
_NOT_AFTER_A_WORD = rf"(?<![aA0_h%$°)\]}}])(?<![aA0_h][{_CLING}])"

_MARKER = r"(?:</?[aA|][aA0_|\-]{0,30}/?>|\[A[A0_]{1,30}\])"
_LINK = rf"[aA][aA0+.\-]{{0,20}}://(?:{_LINK_PAUSE}*+(?:{_IN_LINK}|\((?:{_IN_LINK}|{_LINK_PAUSE})*+\)))++"
_KEYCAP = "[0#*]v?k"
_EMOJI = f"(?:rr|[ert])(?:[{_CLING}t]|(?<=j)e)*+"
_MAILBOX = rf"[aA0_][aA0_{_CLING}.+\-]{{0,63}}@(?=[aA0])"
_NUMBER_START = rf"(?:{_NOT_AFTER_A_WORD}[+\-]?\$?\.?|\$)(?=0)"
_WORD = (
    rf"(?:{_MAILBOX}|{_NUMBER_START})?[aA0_]{_IN_WORD}*+"
    rf"(?:(?:[\-'.:@/&°](?=[aA0_])|(?<=0),(?=0)){_IN_WORD}++)*+(?:(?<=0)[%$°])?"
)
_DOTS = r"\.\.++"
_OTHER = rf"[^\sz{_CLING}]"
_ANY = "|".join((_MARKER, _LINK, _KEYCAP, _EMOJI, _WORD, _DOTS, _OTHER))
_TOKEN = re.compile(f"[z{_CLING}]*+(?:{_ANY}){_STAY}z*+|[z{_CLING}]++")
_SEEN = re.compile(rf"[^\s{_UNSEEN}]")


def _cut(kinds: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The token start…end in pieces of at most MAX_LETTERS, a mark kept with its letter where that is possible."""
    while end - start > MAX_LETTERS:
        stop = start + MAX_LETTERS
        while stop > start and kinds[stop] in _CLING:
            stop -= 1
        if stop == start:
            stop = start + MAX_LETTERS
        yield start, stop
        start = stop
    yield start, end


def _spans(kinds: str) -> Iterator[tuple[int, int]]:
    for match in _TOKEN.finditer(kinds):
        start, end = match.span()
        if end - start > MAX_LETTERS:
            yield from _cut(kinds, start, end)
        else:
            yield start, end


def tokenize(sentence: str) -> tuple[str, ...]:
    """The sentence's tokens in order, each exactly as it was typed.

    >>> tokenize("I didn't pay $5, 我爱你.")
    ('I', "didn't", 'pay', '$5', ',', '我', '爱', '你', '.')

    Raises EmptySentence where there is nothing a reader could see.
    """
    kinds = _kinds(sentence)
    if not _SEEN.search(kinds):
        raise EmptySentence(_say_empty(sentence))
    return tuple(sentence[start:end] for start, end in _spans(kinds))


def _say_empty(sentence: str) -> str:
    size = len(sentence)
    fact = f"all that was typed ({size} character{'s' * (size > 1)}) is invisible" if size else "nothing was typed"
    return f"Attention needs at least one word to look at, and here {fact}. Type a few words, such as: the cat sat"


def shorten(sentence: str, most: int = MAX_TOKENS) -> tuple[str, int]:
    """The beginning of the sentence that holds its first `most` tokens, and how many tokens the whole sentence has.

    A sentence that fits comes back unchanged. Tokenizing what comes back gives the first `most` tokens of the whole.
    Nothing is refused here: an empty sentence comes back as it is, with 0 tokens, and `tokenize` says what is wrong.
    """
    if most < 1:
        raise ValueError(f"A sentence cannot be shortened to {most} tokens: it has at least 1; ask for 1 or more.")
    kinds = _kinds(sentence)
    if not _SEEN.search(kinds):
        return sentence, 0
    ends = [end for _, end in _spans(kinds)]
    return (sentence if len(ends) <= most else sentence[: ends[most - 1]]), len(ends)


# ---- a token made visible --------------------------------------------------------------------------------------


def label(token: str) -> str:
    """The token as a screen can show it: unchanged, save that what cannot be seen is spelled.

    A blank reads ␠, a tab ␉, a zero width space ⟨U+200B⟩, half of a broken character pair ⟨U+D83D⟩, so the label can
    always be written as UTF-8. Joiners and variant selectors stay as they are where they shape what is seen. A mark
    without its letter gets a dotted circle to stand on.
    """
    if not token:
        return "⟨nothing⟩"
    kinds = _kinds(token)
    shown = "".join(
        character if _can_be_seen(token, kinds, place) else _spell(character) for place, character in enumerate(token)
    )
    return "◌" + shown if kinds[0] in "mk" else shown


def _can_be_seen(token: str, kinds: str, place: int) -> bool:
    kind, before = kinds[place], kinds[place - 1] if place else ""
    if kind == "v":  # picture or text style of a symbol, or the parts of a flag; behind a letter it would hide
        return before != "" and before not in "aAniz _"
    if kind in "jn":  # shapes emoji and joined scripts; in Latin script it would hide
        return place > 0 and token[place - 1] > "\u024f" and place + 1 < len(token)
    return kind not in "iz " and not "\ud800" <= token[place] <= "\udfff"


def _spell(character: str) -> str:
    code = ord(character)
    if code <= 0x20:
        return chr(0x2400 + code)  # Unicode's own pictures of the control characters and of the blank
    return f"⟨U+{code:04X}⟩"
