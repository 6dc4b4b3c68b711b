"""The component's script and style as two texts: the modules beside this file, joined in the order of their needs."""

import re
from pathlib import Path

HERE = Path(__file__).parent
MODULES = ("rules.js", "reading.js", "layout.js", "paint.js", "build.js", "show.js", "hands.js", "sheet.js")


def script() -> str:
    """One module with one default export.

    Streamlit takes a component's script as one text and sends it with every change: comments and indentation stay here.
    """
    return "\n".join(_bare((HERE / name).read_text(encoding="utf-8")) for name in MODULES)


def style() -> str:
    return (HERE / "sheet.css").read_text(encoding="utf-8")


def _bare(source: str) -> str:
    """A module's lines without its imports, its named exports' keyword, comment lines and indentation."""
    lines = (line.strip() for line in source.splitlines())
    kept = (line for line in lines if line and not line.startswith(("//", "import ")))
    return "\n".join(re.sub(r"^export (?!default)", "", line) for line in kept)
