"""The app as it runs compiled to WebAssembly: no pandas, PIL, altair, pyarrow or torch, no threads, no subprocesses."""

import ast
import subprocess
import sys

import pytest

from tests.conftest import ROOT

RUN_EVERY_PAGE = """
import sys
for name in ("pandas", "PIL", "altair", "pyarrow", "torch", "sentence_transformers", "transformers", "sklearn", "scipy"):
    sys.modules[name] = None
from tests.walkthrough.test_pages import Settings, open_app
from walkthrough.frame.shell import PAGES
for page in PAGES:
    at = open_app(page, Settings("I led a team that built a scalable API.", d_model=16, h=4, word=2))
    assert not at.exception, (page, at.exception[0].stack_trace)
print("every page:", len(PAGES))
"""
SOURCES = [ROOT / "app.py", *(path for room in ("pages", "walkthrough", "mha_core") for path in (ROOT / room).rglob("*.py"))]
FORBIDDEN_IMPORTS = {"threading", "multiprocessing", "subprocess", "concurrent", "pandas", "PIL", "altair", "pyarrow", "express"}
FORBIDDEN_CALLS = {"dataframe", "table", "image", "line_chart", "bar_chart", "area_chart", "write_stream", "data_editor"}


def test_every_page_runs_where_those_modules_do_not_exist():
    found = subprocess.run([sys.executable, "-c", RUN_EVERY_PAGE], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stderr[-3000:]
    assert found.stdout.startswith("every page:")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_source_asks_for_what_is_not_there(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.name for alias in node.names] + [getattr(node, "module", None) or ""]
            parts = {part for name in names for part in name.split(".")}
            assert not parts & FORBIDDEN_IMPORTS, (node.lineno, parts & FORBIDDEN_IMPORTS)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            assert not (node.func.value.id == "st" and node.func.attr in FORBIDDEN_CALLS), (node.lineno, node.func.attr)
