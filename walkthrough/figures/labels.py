"""Words as figures write them: every character as it is, never markup, never a coordinate."""

import unicodedata
from html import escape as _escape_html

from mha_core.tokens import label as visible

LINE, LINES = 12, 5  # a word longer than a line is broken; sixty letters still stand there whole
JOINED = ("\u200d", "\ufe0f")


def escape(text: str) -> str:
    """The text for Plotly, which reads &, < and > as markup. Invisible characters are spelled out."""
    return _escape_html(visible(text), quote=False)


def escape_phrase(text: str) -> str:
    """The same for our own headings, whose blanks are meant to be blanks."""
    return _escape_html(text, quote=False)


def width(text: str) -> int:
    """About how many narrow letters wide the text is: Chinese characters and emoji count twice, marks not at all."""
    return sum(_cell(cluster[0]) or 1 for cluster in _clusters(text))


def _cell(character: str) -> int:
    if unicodedata.combining(character) or character in JOINED:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def lines(text: str, line: int = LINE, most: int = LINES) -> list[str]:
    """The word broken into lines. Where even `most` lines cannot hold it, its middle gives way to an ellipsis."""
    clusters = _clusters(visible(text))
    room = line * most
    if sum(map(width, clusters)) > room:
        clusters = _take(clusters, room // 2) + ["…"] + _take(clusters[::-1], room - room // 2 - 1)[::-1]
    rows = [""]
    for cluster in clusters:
        if rows[-1] and width(rows[-1]) + width(cluster) > line:
            rows.append("")
        rows[-1] += cluster
    return rows


def _clusters(text: str) -> list[str]:
    """The text in pieces that must not be cut apart: a letter with its marks, a joined emoji."""
    pieces: list[str] = []
    for character in text:
        if pieces and (_cell(character) == 0 or unicodedata.category(character) == "Sk" or pieces[-1][-1] == JOINED[0]):
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces


def _take(clusters: list[str], room: int) -> list[str]:
    taken = []
    for cluster in clusters:
        room -= width(cluster)
        if room < 0:
            break
        taken.append(cluster)
    return taken


def ticks(labels, chosen: int | None = None, colour: str | None = None) -> list[str]:
    """One tick text a word, in order; the chosen word bold (and in `colour`)."""
    return [_strong(_tick(word), colour) if i == chosen else _tick(word) for i, word in enumerate(labels)]


def _tick(word: str) -> str:
    return "<br>".join(escape_phrase(row) for row in lines(word))


def _strong(text: str, colour: str | None) -> str:
    bold = "<br>".join(f"<b>{row}</b>" for row in text.split("<br>"))
    return f'<span style="color:{colour}">{bold}</span>' if colour else bold


def most_lines(labels) -> int:
    """How many lines the tallest of these labels needs."""
    return max(len(lines(word)) for word in labels)


def named(labels, i: int) -> str:
    """A word with its place, for sentences: “cat” (word 2)."""
    return f"“{visible(labels[i])}” (word {i + 1})"


def named_safely(labels, i: int) -> str:
    """The same for hover boxes, escaped."""
    return f"<b>{escape(labels[i])}</b> (word {i + 1})"
