"""The prose: Markdown files with live numbers, turned into HTML in which a learner's own words stay words.

A file of assets/lessons/<language>/ is `# headline`, then one `## section` after another, which may hold `### parts`.
Three small signs are added to plain Markdown, everything else of HTML is switched off:

    {{word}}          a live value. It is put in after the conversion and escaped, so it can never turn into markup
    [query]{.query}   a word in the colour of its role
    $Q K^T / √d_k$    a formula: one or two letters in italics, _ and ^ (one character, or {several}) below and above
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape, unescape
from pathlib import Path

from markdown_it import MarkdownIt

LESSONS = Path(__file__).resolve().parent.parent / "assets" / "lessons"
FIRST_LANGUAGE = "en"
ROLES = ("input", "query", "key", "value", "score", "weight", "head", "output")
SECTIONS = ("what", "why", "picture", "edges", "story", "more", "see", "begin", "retelling")
_SECTION_NAME = re.compile(rf"(?:{'|'.join(SECTIONS)}|picture_[a-z_]+|check(?:_\d)?(?:_answer)?)")
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_ROLE = re.compile(r"\[([^\[\]\n]+)\]\{\.(\w+)\}")
_QUOTED = re.compile(r"“([^“”]*)”")
_FORMULA = re.compile(r"\$([^$\n]+)\$")
_IN_FORMULA = re.compile(r"\{\{\w+\}\}|([_^])(?:\{((?:\{\{\w+\}\}|[^{}])*)\}|(\S))|([A-Za-z]+)|(.)", re.DOTALL)


@dataclass(frozen=True)
class Section:
    """One piece of prose. `html` still holds its placeholders; `parts` are its ### pieces, named by their headings."""

    name: str
    html: str
    file: str
    parts: tuple["Section", ...] = ()

    @property
    def placeholders(self) -> frozenset[str]:
        """The names this piece needs values for."""
        return frozenset(_PLACEHOLDER.findall(self.html))

    def fill(self, values: Mapping[str, str]) -> str:
        """HTML with every value in its place, escaped, inside <bdi class="live">. KeyError names what has no value."""
        return _replace(self.html, values, self.file, _live)

    def plain(self, values: Mapping[str, str]) -> str:
        """The same as bare text, for titles and for descriptions that are read aloud."""
        bare = self.html.replace("<sub>", "_").replace("<sup>", "^")
        return _replace(unescape(re.sub("<[^>]*>", "", bare)).strip(), values, self.file, str)


class Sections(dict):
    """Section by name; a missing one is a KeyError that lists what the file has."""

    def __init__(self, sections: Mapping[str, Section], file: str):
        super().__init__(sections)
        self.file = file

    def __missing__(self, name: str):
        raise KeyError(f"{self.file} has no section {name!r}; its sections are {', '.join(self)}.")


@dataclass(frozen=True)
class Lesson:
    """One page of prose: the question at its top, and its sections by name, in the order of the file."""

    headline: Section
    sections: Sections


@cache
def load(page: str, language: str = FIRST_LANGUAGE) -> Lesson:
    """The lesson of one page, such as "step_3_scores"; in English where the language does not have it (yet).

    Raises ValueError for a page that does not exist, an unknown section name, an unknown role or a stray brace.
    """
    path = _path(f"{page}.md", language)
    if path is None:
        known = ", ".join(sorted(file.stem for file in (LESSONS / FIRST_LANGUAGE).glob("*.md")))
        raise ValueError(f"There is no lesson {page!r}; the lessons are {known}.")
    file = f"{path.parent.name}/{path.name}"
    top, *pieces = re.split(r"^## +", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if not top.startswith("# "):
        raise ValueError(f"{file} must begin with its headline, '# …'.")
    sections = [_read_section(piece, file) for piece in pieces]
    if len({section.name for section in sections}) < len(sections):
        raise ValueError(f"{file} has a section twice; give each name once: {', '.join(s.name for s in sections)}.")
    headline = Section("headline", to_html(top[2:].strip(), file, inline=True), file)
    return Lesson(headline, Sections({section.name: section for section in sections}, file))


def text(key: str, language: str = FIRST_LANGUAGE, **values: object) -> str:
    """One label or message of the catalogue as plain text. Whoever shows it decides how to escape it."""
    for spoken in (language, FIRST_LANGUAGE):
        if key in (words := _catalogue(spoken)):
            return _replace(words[key], values, f"{spoken}/catalogue.toml, {key}", str)
    raise KeyError(f"The catalogue has no {key!r}; add it to {FIRST_LANGUAGE}/catalogue.toml.")


def counted(key: str, n: int, language: str = FIRST_LANGUAGE) -> str:
    """A number with its noun: counted("heads", 1) is "1 head", counted("heads", 2) is "2 heads"."""
    return text(f"{key}_one" if n == 1 else f"{key}_many", language, n=f"{n:,}")


def to_html(source: str, file: str = "text", *, inline: bool = False) -> str:
    """Markdown with our three signs as HTML; placeholders stay as they are."""
    html = (_markdown().renderInline if inline else _markdown().render)(source, {"file": file})
    if stray := re.search(r"\{\{|\}\}", _PLACEHOLDER.sub("", html)):
        raise ValueError(f"{file} has a stray {stray[0]}; a live value is written {{{{name}}}}.")
    return html


def formula_to_html(source: str) -> str:
    """d_{model}, W^Q, √d_k, {{n}}^2 … as HTML."""

    def piece(found: re.Match) -> str:
        sign, several, one, letters, other = found.groups()
        if sign:
            tag = "sub" if sign == "_" else "sup"
            return f"<{tag}>{formula_to_html(several or one)}</{tag}>"
        if letters:
            return f"<i>{letters}</i>" if len(letters) < 3 else letters
        return escape(other) if other else found[0]

    return _IN_FORMULA.sub(piece, source)


def _read_section(piece: str, file: str) -> Section:
    name, _, body = piece.partition("\n")
    name = name.strip()
    if not _SECTION_NAME.fullmatch(name):
        raise ValueError(f"{file} has an unknown section {name!r}; use {', '.join(SECTIONS)}, picture_… or check….")
    _, *parts = re.split(r"^### +", body, flags=re.MULTILINE)
    return Section(name, to_html(body, file), file, tuple(_read_part(part, file) for part in parts))


def _read_part(part: str, file: str) -> Section:
    heading, _, body = part.partition("\n")
    return Section(heading.strip(), to_html(body, file), file)


def _live(value: str) -> str:
    """A value as it stands in the prose. Where it quotes words, each is set by itself, so that the quotation marks around a
    word written from right to left stay where the sentence has them.
    """
    said = escape(value)
    if "“" in said:
        said = _QUOTED.sub(r"“<bdi>\1</bdi>”", said)
        return f'<bdi class="live" dir="ltr">{said}</bdi>'
    return f'<bdi class="live">{said}</bdi>'


def _replace(template: str, values: Mapping[str, object], where: str, show) -> str:
    """One pass, so that a value which looks like a placeholder is left alone."""

    def value(found: re.Match) -> str:
        try:
            return show(str(values[found[1]]))
        except KeyError as missing:
            raise KeyError(f"{where}: there is no value for {found[0]}.") from missing

    return _PLACEHOLDER.sub(value, template)


def _path(name: str, language: str) -> Path | None:
    """The file in this language, else in the first one, else None. A language is a folder, never a path."""
    for spoken in (language, FIRST_LANGUAGE):
        path = LESSONS / spoken / name
        if spoken.replace("-", "").isalnum() and path.parent == LESSONS / spoken and path.is_file():
            return path
    return None


@cache
def _catalogue(language: str) -> Mapping[str, str]:
    """All labels of one language: every .toml file of its folder (a group of pages may bring its own). No key stands in two files."""
    found: dict[str, str] = {}
    for path in sorted((LESSONS / language).glob("*.toml")) if language.replace("-", "").isalnum() else ():
        found = tomllib.loads(path.read_text(encoding="utf-8")) | found
    return found


@cache
def _markdown() -> MarkdownIt:
    """CommonMark without HTML, plus our signs. Tokens named html_inline are written out as they are."""
    markdown = MarkdownIt("commonmark", {"html": False})
    signs = {"live": (_PLACEHOLDER, _show_live), "role": (_ROLE, _show_role), "formula": (_FORMULA, _show_formula)}
    for name, (pattern, show) in signs.items():
        markdown.inline.ruler.before("emphasis", name, _rule(pattern, show))
    return markdown


def _rule(pattern: re.Pattern, show):
    def rule(state, silent: bool) -> bool:
        found = pattern.match(state.src, state.pos)
        if found is None:
            return False
        if not silent:
            state.push("html_inline", "", 0).content = show(found, state.env)
        state.pos = found.end()
        return True

    return rule


def _show_live(found: re.Match, env: Mapping) -> str:
    return found[0]


def _show_role(found: re.Match, env: Mapping) -> str:
    if found[2] not in ROLES:
        raise ValueError(f"{env['file']} colours {found[1]!r} as {found[2]!r}; the roles are {', '.join(ROLES)}.")
    return f'<span class="role-{found[2]}">{_markdown().renderInline(found[1], env)}</span>'


def _show_formula(found: re.Match, env: Mapping) -> str:
    return f'<span class="formula">{formula_to_html(found[1])}</span>'
