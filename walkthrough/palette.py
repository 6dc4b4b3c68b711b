"""Colour means role, everywhere: the one place where a colour is chosen, for light and for dark.

Every role and head colour has a contrast of at least 4.5 against its background, and query, key, value and weight stay
apart for colour-blind eyes (tests/walkthrough/test_palette.py). Fills of signed grids use two hues that no role uses.
"""

from dataclasses import dataclass
from types import MappingProxyType

HEADS_LIGHT = ("#0072bc", "#006147", "#b3420a", "#5a1f82", "#c42d78", "#3f4a00", "#007e80", "#7a5230")
HEADS_DARK = ("#74c4f7", "#23a97c", "#ff9559", "#b27af0", "#ff85b5", "#dce66a", "#8af0ea", "#b98f63")


@dataclass(frozen=True)
class Palette:
    """All colours of one theme, as #rrggbb, or as CSS variables that follow the theme."""

    name: str
    background: str
    card: str
    text: str
    muted: str
    line: str
    roles: MappingProxyType
    heads: tuple[str, ...]
    signed: tuple[str, str, str]  # most negative, zero, most positive
    weight: tuple[str, str]  # 0, 1

    def head(self, i: int) -> str:
        """The hue of head i (counted from 0); after eight heads the hues come round again."""
        return self.heads[i % len(self.heads)]


LIGHT = Palette(
    "light", "#fbfaf6", "#ffffff", "#1b1b1f", "#5d5d66", "#dedcd5",
    MappingProxyType({
        "input": "#44444c", "query": "#0072bc", "key": "#b3420a", "value": "#006147", "score": "#44444c",
        "weight": "#5a1f82", "head": "#44444c", "output": "#c42d78",
    }),
    HEADS_LIGHT, ("#4a5fa5", "#f5f2ea", "#bd8200"), ("#f6f2f9", "#5a1f82"),
)
DARK = Palette(
    "dark", "#15161a", "#1d1e23", "#ececf0", "#a0a1ab", "#34353c",
    MappingProxyType({
        "input": "#c9c9d1", "query": "#74c4f7", "key": "#ff9559", "value": "#23a97c", "score": "#c9c9d1",
        "weight": "#b27af0", "head": "#c9c9d1", "output": "#ff85b5",
    }),
    HEADS_DARK, ("#6d88e8", "#26272d", "#e3a51c"), ("#25222b", "#b27af0"),
)


LIVE = Palette(  # what follows the theme by itself: the custom properties of css_variables, for HTML and SVG
    "live", *(f"var(--mha-{name})" for name in ("background", "card", "text", "muted", "line")),
    MappingProxyType({role: f"var(--mha-{role})" for role in LIGHT.roles}),
    tuple(f"var(--mha-head-{i + 1})" for i in range(len(HEADS_LIGHT))),
    tuple(f"var(--mha-signed-{n})" for n in ("low", "zero", "high")), tuple(f"var(--mha-weight-{n})" for n in ("none", "all")),
)


def css_variables() -> str:
    """The palette as CSS custom properties (--mha-query, --mha-head-1, …) that follow light and dark."""
    pairs = {f"--mha-{role}": (colour, DARK.roles[role]) for role, colour in LIGHT.roles.items()}
    grounds = ("background", "card", "text", "muted", "line")
    pairs |= {f"--mha-{name}": (getattr(LIGHT, name), getattr(DARK, name)) for name in grounds}
    pairs |= {f"--mha-head-{i + 1}": both for i, both in enumerate(zip(LIGHT.heads, DARK.heads))}
    pairs |= {f"--mha-signed-{n}": both for n, both in zip(("low", "zero", "high"), zip(LIGHT.signed, DARK.signed))}
    pairs |= {f"--mha-weight-{n}": both for n, both in zip(("none", "all"), zip(LIGHT.weight, DARK.weight))}
    return "\n".join(f"{name}: light-dark({light}, {dark});" for name, (light, dark) in pairs.items())
