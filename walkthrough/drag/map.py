"""The map of what needs what, as one SVG: every sign opens its page, and its needs light up when it is pointed at."""

from html import escape

from walkthrough.drag.symbols import BY_PAGE, END, GOAL, SYMBOLS, needed_for
from walkthrough.figures.svg import symbol
from walkthrough.lesson import text

BOX, STEP_X, STEP_Y, EDGE = (104, 50), 118, 74, 6


def map_of(answered=frozenset()) -> str:
    """The picture; pages in `answered` carry a tick."""
    width, height = 3 * STEP_X + BOX[0] + 2 * EDGE, END.at[1] * STEP_Y + BOX[1] + 2 * EDGE
    edges = "".join(_edge(need, s.page) for s in (*SYMBOLS, END) for need in s.needs)
    boxes = "".join(_box(s, s.page in answered) for s in (*SYMBOLS, END))
    alt = escape(text("found_map_alt"))
    return f'<svg class="map" viewBox="0 0 {width} {height}" role="group" aria-label="{alt}">{edges}{boxes}</svg>'


def _wide(page: str) -> float:
    """A box as wide as a column; the goal spans two."""
    return BOX[0] + STEP_X * (page == GOAL)


def _corner(page: str) -> tuple[float, float]:
    x, y = BY_PAGE[page].at
    return EDGE + x * STEP_X, EDGE + y * STEP_Y


def _edge(need: str, page: str) -> str:
    (x1, y1), (x2, y2) = _corner(need), _corner(page)
    x1, y1, x2 = x1 + BOX[0] / 2, y1 + BOX[1], x2 + _wide(page) / 2
    bend = (y2 - y1) / 2
    return f'<path class="edge" data-need="{need}" data-for="{page}" d="M{x1:g} {y1:g}C{x1:g} {y1 + bend:g} {x2:g} {y2 - bend:g} {x2:g} {y2:g}"/>'


def _box(s, answered: bool) -> str:
    x, y = _corner(s.page)
    goal, wide = s.page == GOAL, _wide(s.page)
    sign = text("found_map_goal") if goal else text(f"found_sign_{s.page.removeprefix('foundations_')}")
    place = "" if goal else str(SYMBOLS.index(s))
    needs = " ".join(sorted(needed_for(s.page)))
    label = escape(text("found_map_opens", title=text(f"title_{s.page}")) + (f" {text('found_map_answered')}" if answered else ""))
    mark = f'<text class="tick" x="{BOX[0] - 12}" y="17" text-anchor="middle">✓</text>' if answered else ""
    return (
        f'<a class="box{" goal" if goal else ""}" data-open="{s.page}" data-needs="{needs}" tabindex="0" role="link" aria-label="{label}"'
        f' transform="translate({x:g} {y:g})"><title>{label}</title><rect width="{wide}" height="{BOX[1]}" rx="10"/>'
        f'<text class="place" x="8" y="16">{place}</text><text class="sign" x="{wide / 2}" y="33" text-anchor="middle">{symbol(sign)}</text>{mark}</a>'
    )
