"""Widths as coloured bands, one hue a head, in plain HTML: it follows the width of the screen and the theme by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from walkthrough.lesson import formula_to_html

STYLE = """<style>
.mha-bands { display: grid; grid-template-columns: minmax(4.5rem, max-content) minmax(0, 1fr); gap: 0.55rem 0.9rem; max-width: 60rem; margin: 0.4rem 0 0.8rem; align-items: center; }
.mha-bands .what { font-size: 1rem; line-height: 1.25; }
.mha-bands .what small { display: block; color: var(--mha-muted); font-size: 0.9rem; }
.mha-bands .strip { display: flex; min-height: 2.5rem; }
.mha-bands .strip > span > span { display: block; }
.mha-bands .strip > span { flex: 0 0 auto; min-width: 0; box-sizing: border-box; overflow: hidden; text-align: center; padding: 0.2rem 0; font-size: 0.8rem; line-height: 1.15; display: flex; justify-content: center; align-items: center; overflow-wrap: normal; color: var(--mha-background); border-right: 2px solid var(--mha-background); border-radius: 0.35rem; }
.mha-bands .strip > .plain { color: var(--mha-text); background: var(--mha-card); border: 1px solid var(--mha-muted); }
.mha-bands .strip > .out { background: var(--mha-output); }
.mha-bands .strip > .left { color: var(--mha-text); border: 2px dashed var(--mha-key); background: repeating-linear-gradient(45deg, transparent 0 6px, var(--mha-line) 6px 12px); }
.mha-bands .strip > .more { color: var(--mha-muted); background: transparent; }
.mha-bands .strip > span { container-type: inline-size; white-space: nowrap; }
@media (max-width: 640px) { .mha-bands { grid-template-columns: minmax(0, 1fr); gap: 0.2rem; } .mha-bands .strip { margin-bottom: 0.6rem; } }
</style>"""
NARROW = 0.02  # a band below this part of the whole carries no text of its own; its title still says it
LONGEST = 24  # letters of a text whose room is known; a longer one asks for the room of so many
# Texts are shown where the bands of their strip are wide enough for the longest, whatever the screen: all of them, or none.
FITS = "".join(
    f"@container (max-width: {0.47 * n + 0.05:.2f}rem) {{ .mha-bands .strip .n{n} {{ display: none; }} }}\n" for n in range(1, LONGEST + 1)
)


@dataclass(frozen=True)
class Band:
    """One piece: its width in numbers, what stands on it, and "head 3" (a hue), "plain", "out", "left" or "more"."""

    width: float
    text: str
    kind: str = "plain"
    title: str = ""


@dataclass(frozen=True)
class Strip:
    """One row: what it is, its size in words, and its bands from left to right."""

    name: str
    size: str
    bands: Sequence[Band]


def bands(strips: Sequence[Strip], alt: str) -> str:
    """All strips on one scale: equal widths look equal."""
    widest = max(sum(band.width for band in strip.bands) for strip in strips)
    rows = "".join(
        f'<div class="what"><b>{formula_to_html(strip.name) if "^" in strip.name else escape(strip.name)}</b><small>{escape(strip.size)}</small></div>'
        f'<div class="strip">{"".join(_band(band, widest, _letters(strip, band)) for band in strip.bands)}</div>'
        for strip in strips
    )
    return f'<div class="mha-bands" role="img" aria-label="{escape(alt)}">{rows}</div>'


def _letters(strip: Strip, band: Band) -> int:
    """The longest text among the bands of this width and kind in the strip."""
    return min(LONGEST, max(len(one.text) for one in strip.bands if one.width == band.width and (one.kind[:4] == band.kind[:4])))


def _band(band: Band, widest: float, letters: int) -> str:
    part = band.width / widest
    hue = band.kind.removeprefix("head ")
    look = f"background:var(--mha-head-{(int(hue) - 1) % 8 + 1});" if band.kind.startswith("head ") else ""
    kind = "head" if look else band.kind
    shown = escape(band.text) if part >= NARROW else "\u00a0"
    title = escape(band.title or band.text)
    return f'<span class="{kind}" style="{look}width:{100 * part:.3f}%" title="{title}"><span class="n{letters}">{shown}</span></span>'
