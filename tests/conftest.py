"""What all tests share: a real browser, the running app, and walks to look at."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.find_browser import FLAGS, find_browser

ROOT = Path(__file__).resolve().parent.parent
NO_BROWSER = "no Chromium on this machine (install chromium, or run: playwright install chromium)"


def pytest_addoption(parser):
    parser.addoption("--require-browser", action="store_true", help="fail, instead of skipping, where there is no browser")


def pytest_collection_modifyitems(config, items):
    """Browser tests run last; without a browser they are skipped with the one reason there is, or refused."""
    items.sort(key=lambda item: "browser" in item.keywords)
    if any("browser" in item.keywords for item in items) and find_browser() is None:
        if config.getoption("--require-browser"):
            raise pytest.UsageError(f"--require-browser, but there is {NO_BROWSER}")
        for item in items:
            if "browser" in item.keywords:
                item.add_marker(pytest.mark.skip(reason=NO_BROWSER))


@pytest.fixture(scope="session")
def chromium():
    """A running Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def app_url(tmp_path_factory):
    """The address of the app, served by a real Streamlit of its own; its log must stay free of tracebacks."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log.txt"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), "--server.address", "127.0.0.1"]
    with log.open("w") as out:
        server = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        try:
            _wait(f"http://127.0.0.1:{port}/_stcore/health", server, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(20)
    assert "Traceback" not in log.read_text(), log.read_text()


def _wait(address: str, server, log: Path) -> None:
    for _ in range(240):
        try:
            urllib.request.urlopen(address, timeout=2).read()
            return
        except OSError:
            assert server.poll() is None, log.read_text()
            time.sleep(0.25)
    raise AssertionError(f"the app did not start: {log.read_text()}")
