"""Each deliberate fault must turn the core's tests red, and the core without a fault must leave them green."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.faults import FAULTS

ROOT = Path(__file__).parents[2]
every_fault = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)


@pytest.fixture(scope="session")
def verdicts(request):
    """What the tests said of every copy that this run asks about, by the name of its fault."""
    drawn = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    asked = {params["fault"].name for params in drawn if "fault" in params}
    command = [sys.executable, Path(__file__).with_name("runner.py"), "none", *sorted(asked)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    return {verdict["fault"]: verdict for verdict in map(json.loads, run.stdout.splitlines())}


def test_faults_have_names_of_their_own():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 20


@every_fault
def test_the_text_that_a_fault_replaces_stands_in_the_source_once(fault):
    source = (ROOT / "mha_core" / f"{fault.module}.py").read_text(encoding="utf-8")
    assert source.count(fault.right) == 1 and fault.wrong != fault.right


def test_without_a_fault_everything_is_green(verdicts):
    assert verdicts["none"]["exit"] == 0 and verdicts["none"]["failed"] is None and verdicts["none"]["passed"] > 200


@every_fault
def test_a_fault_turns_the_tests_red(fault, verdicts):
    verdict = verdicts[fault.name]
    assert verdict["exit"] == 1 and verdict["failed"], f"nobody noticed: {verdict}"
