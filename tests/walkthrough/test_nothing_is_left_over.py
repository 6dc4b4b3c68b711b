"""Nothing that was written is left unsaid: every section of a lesson is shown, every text of the catalogue is used."""

import ast
import re
import tomllib
from dataclasses import fields
from functools import cache

import pytest

from tests.conftest import ROOT
from walkthrough.frame.shell import GROUPS, PAGES
from walkthrough.lesson import FIRST_LANGUAGE, LESSONS, load
from walkthrough.settings import Settings

CODE = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py")), *sorted((ROOT / "walkthrough").rglob("*.py"))]
CODE += sorted((ROOT / "mha_core").rglob("*.py"))


@cache
def tree(path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def called(node: ast.AST) -> set[str]:
    """The bare names of all functions that are called."""
    calls = [one.func for one in ast.walk(node) if isinstance(one, ast.Call)]
    return {
        call.attr if isinstance(call, ast.Attribute) else call.id
        for call in calls
        if isinstance(call, (ast.Attribute, ast.Name))
    }


def strings(node: ast.AST) -> tuple[set[str], set[re.Pattern]]:
    """What is said word by word, and what is put together: f"picture_{x}" is the pattern picture_(.+)."""
    said = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    made = [one.values for one in ast.walk(node) if isinstance(one, ast.JoinedStr)]
    patterns = {
        re.compile("".join(re.escape(part.value) if isinstance(part, ast.Constant) else "(.+)" for part in parts))
        for parts in made
        if any(isinstance(part, ast.Constant) and len(part.value) > 2 for part in parts)
    }
    return said, patterns


@cache
def parts_of_pages() -> dict[str, list[ast.AST]]:
    """Every function of walkthrough/frame by its name."""
    found: dict[str, list[ast.AST]] = {}
    for path in sorted((ROOT / "walkthrough" / "frame").glob("*.py")):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name, []).append(node)
    return found


def shown_by(page: str) -> tuple[set[str], set[re.Pattern]]:
    """The strings of a page and of the parts of frame that it calls, and that these call in turn."""
    nodes, names, seen = [tree(ROOT / "pages" / f"{page}.py")], set(), 0
    while seen < len(nodes):
        for name in called(nodes[seen]) - names:
            names.add(name)
            nodes += parts_of_pages().get(name, [])
        seen += 1
    found = [strings(node) for node in nodes]
    return set().union(*(said for said, _ in found)), set().union(*(patterns for _, patterns in found))


SHARED = {"trained_inside": "inside"}  # a lesson whose sections several pages show: the module that shows them


@pytest.mark.parametrize("lesson", sorted(path.stem for path in (LESSONS / FIRST_LANGUAGE).glob("*.md")))
def test_every_section_is_shown_by_its_page(lesson):
    sections = load(lesson).sections
    said, patterns = shown_by(lesson) if lesson in PAGES else strings(tree(ROOT / "walkthrough" / "frame" / f"{SHARED[lesson]}.py"))
    lost = [
        name
        for name in sections
        if name not in said
        and not any(p.fullmatch(name) for p in patterns if p.pattern.startswith("picture_"))
        and not name.startswith("check")
    ]
    assert lost == []
    asked = [
        name for name in sections if name.startswith("check")
    ]  # a question is shown with its answer, or not at all
    assert {f"{name}_answer" for name in asked if not name.endswith("_answer")} == {
        name for name in asked if name.endswith("_answer")
    }
    assert not asked or lesson.startswith("foundations_") or "closing" in called(tree(ROOT / "pages" / f"{lesson}.py"))


@cache
def everything_said():
    found = [strings(tree(path)) for path in CODE]
    said = set().union(*(said for said, _ in found))
    names = {
        one.arg for path in CODE for one in ast.walk(tree(path)) if isinstance(one, (ast.arg, ast.keyword)) and one.arg
    }
    words = said | names | set(PAGES)
    words |= {page.split("_", 1)[1] for page in PAGES if "_" in page} | {
        one.replace("-", "_").replace(" ", "_") for one in said
    }
    choices = {  # frame.choose("job", …) says job_1, job_2
        re.compile(re.escape(one.args[0].value) + "_(.+)")
        for path in CODE
        for one in ast.walk(tree(path))
        if isinstance(one, ast.Call)
        and getattr(one.func, "attr", "") == "choose"
        and one.args
        and isinstance(one.args[0], ast.Constant)
    }
    begins = {p for p in set().union(*(patterns for _, patterns in found)) if not p.pattern.startswith("(.+)")}
    return said, begins | choices, words


def is_used(key: str) -> bool:
    """Said word by word, or put together from a beginning and pieces of the code, numbers, pages."""
    said, patterns, words = everything_said()
    if key in said:
        return True
    if key.startswith(("nav_", "title_")):
        return key.split("_", 1)[1] in (*PAGES, *(f"section_{group}" for group in ("walk", *GROUPS)))
    if key.startswith("label_"):
        return key.removeprefix("label_") in (field.name for field in fields(Settings))
    fits = [found.groups() for pattern in patterns if (found := pattern.fullmatch(key))]
    return any(all(is_piece(piece) for piece in pieces) for pieces in fits)


def is_piece(piece: str) -> bool:
    """A word of the code, a number, or put together itself: root_sum, layer 1."""
    _, patterns, words = everything_said()
    if piece in words or piece.isdigit():
        return True
    made = [
        found.groups() for p in patterns for said in (piece, piece.replace("_", " ")) if (found := p.fullmatch(said))
    ]
    return any(all(part in words or part.isdigit() for part in parts) for parts in made)


@pytest.mark.parametrize("file", sorted(path.name for path in (LESSONS / FIRST_LANGUAGE).glob("*.toml")))
def test_every_text_is_used(file):
    keys = tomllib.loads((LESSONS / FIRST_LANGUAGE / file).read_text(encoding="utf-8"))
    unused = [key for key in keys if not is_used(key) and not is_used(re.sub("_(one|many)$", "", key))]
    assert unused == []
