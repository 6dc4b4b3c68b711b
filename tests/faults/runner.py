"""Runs the core's tests against one faulty copy of mha_core after the other; prints a verdict on each, a line of JSON.

usage: runner.py NAME …      (a name from faults.py, or "none" for a copy without a fault)

Everything slow to import is imported once; each copy is then tested in a forked process of its own, two at a time. A
copy lies in a folder of its own together with the tests, so that nothing of the real mha_core can be reached.
"""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

os.environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OPENBLAS_NUM_THREADS": "1"}
sys.dont_write_bytecode = True
sys.modules["jaxtyping"] = None  # a fault must change numbers, not merely offend the shape checker

import hypothesis.extra.numpy  # noqa: E402, F401
import numpy  # noqa: E402, F401
import pytest  # noqa: E402
from faults import FAULTS  # noqa: E402
from hypothesis import Phase, settings  # noqa: E402

# Few examples, and no search for the smallest one that fails: all that is asked is whether one does.
settings.register_profile(
    "faults", deadline=None, derandomize=True, database=None, max_examples=10, phases=[Phase.generate]
)
settings.load_profile("faults")

ROOT = Path(__file__).parents[2]
# The quickest to notice first: a run stops at its first red test. A49 is left out because it imports torch.
NUMBERS, EXPLANATIONS = ("cases", "against_loops", "worked_examples", "properties"), ("stages", "arithmetic")
BY_NAME = {fault.name: fault for fault in FAULTS}


def copy_with(name, folder):
    """The core and its tests in `folder`, with the fault in it."""
    for part in ("mha_core", "tests/core"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "conftest.py"))
    shutil.copy(ROOT / "tests" / "__init__.py", folder / "tests")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    if name != "none":
        fault = BY_NAME[name]
        module = folder / "mha_core" / f"{fault.module}.py"
        module.write_text(module.read_text(encoding="utf-8").replace(fault.right, fault.wrong), encoding="utf-8")


def tests_for(name):
    """The modules that a fault can show in; all of them for the copy without one."""
    explaining = name != "none" and BY_NAME[name].module in ("stages", "arithmetic")
    modules = EXPLANATIONS if explaining else NUMBERS + EXPLANATIONS * (name == "none")
    return [f"tests/core/test_{module}.py" for module in modules]


class Watch:
    """Counts what passed and remembers what failed first."""

    passed, failed = 0, None

    def pytest_runtest_logreport(self, report):
        self.passed += report.when == "call" and report.passed
        if report.failed and self.failed is None:
            self.failed = report.nodeid

    def pytest_collectreport(self, report):
        if report.failed and self.failed is None:
            self.failed = f"{report.nodeid} (while collecting)"


def run_copy(name):
    """In the forked process: test the copy, print the verdict, and end."""
    with tempfile.TemporaryDirectory() as folder:
        copy_with(name, Path(folder))
        os.chdir(folder)
        sys.path[0] = folder
        watch, silent = Watch(), os.open(os.devnull, os.O_WRONLY)
        verdicts = os.dup(1)
        os.dup2(silent, 1)
        options = ["-x", "-q", "--tb=no", "--assert=plain", "--import-mode=importlib", "-k", "not A49"]
        options += ["-p", "no:cacheprovider", "-p", "no:unraisableexception"]
        code = int(pytest.main([*options, *tests_for(name)], plugins=[watch]))
        verdict = {"fault": name, "exit": code, "passed": watch.passed, "failed": watch.failed}
        os.write(verdicts, (json.dumps(verdict) + "\n").encode())


def main(names):
    running = set()
    for name in names:
        if len(running) == 2:
            running.discard(os.wait()[0])
        pid = os.fork()
        if pid == 0:
            try:
                run_copy(name)
            finally:
                os._exit(0)
        running.add(pid)
    while running:
        running.discard(os.wait()[0])


if __name__ == "__main__":
    main(sys.argv[1:])
