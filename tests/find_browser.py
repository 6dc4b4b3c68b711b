"""Where is a Chromium? Debian's or the system's first, then playwright's own; `--install` lets playwright fetch one."""

import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MACOS = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]


def find_browser() -> str | None:
    """The path of a Chromium that is there, or None."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    if MACOS.exists():
        return str(MACOS)
    return _playwrights_own()


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return str(path) if path.exists() else None


if __name__ == "__main__" and "--install" in sys.argv and find_browser() is None:
    if subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"]).returncode:
        print("No Chromium found and none could be fetched: the browser tests will be skipped. Install chromium to run them.")
