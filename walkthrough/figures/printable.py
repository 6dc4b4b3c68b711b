"""A picture of the page as a file of its own: style inside, colours for paper, and a line on its numbers."""

import re
from html import escape

from walkthrough.palette import LIGHT, css_variables

FONTS = "'Atkinson Hyperlegible Next', 'Noto Sans', 'DejaVu Sans', Arial, sans-serif"
EDGE, FOOT = 24, 34  # paper around the picture; room for the line below it
SHOWN = re.compile(
    r'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ([\d.]+) ([\d.]+)" class="whole" style="[^"]*"'
)


def printable(svg: str, css: str, caption: str) -> str:
    """The same picture, self-contained: no variable, no style sheet and no font is looked for anywhere else."""
    width, height = map(float, SHOWN.match(svg).groups())
    box = (-EDGE, -EDGE, width + 2 * EDGE, height + 2 * EDGE + FOOT)
    opened = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{" ".join(f"{side:g}" for side in box)}" class="whole"'
        f' width="{box[2]:g}" height="{box[3]:g}"'
    )
    style = "".join(re.findall(r"^\.whole [.\w][^{]*\{[^}]*\}$", css, re.MULTILINE))
    paper = f'<rect x="{box[0]}" y="{box[1]}" width="{box[2]:g}" height="{box[3]:g}" style="fill:{LIGHT.background}"/>'
    line = f'<text class="note" x="0" y="{height + FOOT:g}">{escape(caption)}</text></svg>'
    head, start = re.match(r"(<svg[^>]*>)(.*)", SHOWN.sub(opened, svg), re.DOTALL).groups()
    body = re.sub(
        r'style="[^"]*"', lambda found: _resolve(found[0]), start.removesuffix("</svg>")
    )  # and never in a typed word
    return f"{head}<style>.whole{{font-family:{FONTS}}}{_resolve(style)}</style>{paper}{body}{line}"


def _resolve(style: str) -> str:
    """Every variable by its colour in the light."""
    colours = dict(re.findall(r"(--mha-[\w-]+): light-dark\((#\w+),", css_variables()))
    colours["--st-primary-color"] = LIGHT.roles["query"]
    return re.sub(r"var\((--[\w-]+)\)", lambda found: colours[found[1]], style)
