"""The plan of the house: which room may import which, how long a room may be, and that tests check shapes."""

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mha_core.attention import score

ROOT = Path(__file__).parents[2]
CORE, SHOWN, PAGES = (sorted((ROOT / room).rglob("*.py")) for room in ("mha_core", "walkthrough", "pages"))
APP = [path for path in [ROOT / "app.py"] if path.is_file()]
OURS = {"mha_core", "walkthrough", "pages", "app", "tests", "bench"}
MAY_IMPORT_STREAMLIT = ("walkthrough/frame.py", "walkthrough/frame/", "walkthrough/sheet/mount.py")
EXTRA_OF_CORE = {"mha_core/pretrained.py": {"safetensors", "tokenizers"}, "mha_core/shapes.py": {"jaxtyping"}}
KEPT_OUT = {"threading", "subprocess", "multiprocessing", "concurrent", "pandas", "PIL", "altair", "pyarrow"}


def name(path):
    return path.relative_to(ROOT).as_posix()


def imports(path):
    """Every module that a file imports, wherever in the file it stands, relative ones spelled out."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = list(path.relative_to(ROOT).parts[: -node.level]) if node.level else []
            module = ".".join([*package, *filter(None, [node.module])])
            found |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return found


def packages(path):
    return {module.split(".")[0] for module in imports(path)}


def each(paths):
    return pytest.mark.parametrize("path", paths, ids=name)


def test_the_rooms_were_found():
    assert {"attention.py", "stages.py", "arithmetic.py", "parameters.py", "shapes.py"} <= {path.name for path in CORE}


@each(CORE)
def test_the_core_imports_numpy_and_the_standard_library_only(path):
    allowed = {"numpy", "mha_core"} | set(sys.stdlib_module_names) | EXTRA_OF_CORE.get(name(path), set())
    assert packages(path) <= allowed
    assert "__future__.annotations" not in imports(path)  # it would switch the shape checks off


@each(SHOWN)
def test_only_the_frame_and_the_mount_of_the_sheet_import_streamlit(path):
    assert "streamlit" not in packages(path) or name(path).startswith(MAY_IMPORT_STREAMLIT)


@each(CORE + SHOWN)
def test_imports_run_one_way(path):
    seen = packages(path) & OURS
    assert seen <= ({"mha_core"} if path in CORE else {"mha_core", "walkthrough"})


@each(PAGES)
def test_pages_do_not_import_each_other(path):
    assert packages(path) & OURS <= {"mha_core", "walkthrough"}


@each(CORE + SHOWN + PAGES + APP)
def test_what_a_browser_cannot_run_is_kept_out(path):
    assert not packages(path) & KEPT_OUT


def test_inside_the_core_the_arrows_run_from_attention_to_stages_to_arithmetic():
    floors = ("checks", "parameters", "attention", "stages", "arithmetic")
    for floor, module in enumerate(floors):
        above = {f"mha_core.{other}" for other in floors[floor + 1 :]}
        assert not imports(ROOT / "mha_core" / f"{module}.py") & above
    used = {module: imports(ROOT / "mha_core" / f"{module}.py") for module in ("stages", "arithmetic")}
    assert "mha_core.attention" in used["stages"] and "mha_core.stages" in used["arithmetic"]


@each(CORE + SHOWN + PAGES + APP)
def test_no_file_and_no_function_is_too_long_to_read(path):
    text = path.read_text(encoding="utf-8")
    lines = len(text.splitlines())
    budget = 200 if name(path) == "mha_core/attention.py" else 60 if path in PAGES else 300
    assert lines <= budget, f"{name(path)} has {lines} lines of {budget}"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            length = node.end_lineno - node.lineno + 1
            assert length <= 30, f"{name(path)}: {node.name} has {length} lines of 30"


def test_no_script_of_the_browser_is_too_long_to_read():
    for path in (ROOT / "walkthrough").rglob("*.js"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 300, path.name


def test_shapes_are_checked_while_testing():
    with pytest.raises(TypeError, match="n_k|d_k"):
        score(np.ones((2, 3)), np.ones((5, 4)))


def test_the_core_works_without_jaxtyping():
    plain = ["-q", "-p", "no:cacheprovider", "-o", "addopts="]
    command = [sys.executable, "-m", "pytest", *plain, "tests/core/unchecked.py"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr


def test_no_name_is_unknown_and_none_is_idle():
    """A page that nobody opened in a test may still hold a name that does not exist."""
    run = subprocess.run([sys.executable, "-m", "ruff", "check", "--no-cache", str(ROOT)], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
