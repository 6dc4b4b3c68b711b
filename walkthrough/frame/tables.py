"""Small tables, coloured bands and sheets of told walks, for the stories and the lab."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from html import escape

import streamlit as st

from walkthrough.figures import bands as drawn_bands
from walkthrough.frame import view
from walkthrough.frame.controls import hold, take
from walkthrough.frame.parts import Page
from walkthrough.frame.shell import WALK, page_link
from walkthrough.frame.state import settings
from walkthrough.lesson import text
from walkthrough.sheet.mount import mount, unfolded_in
from walkthrough.sheet.sheet import sheet as build_sheet
from walkthrough.stories import story_settings
from walkthrough.walk import Walk

MOST_WIDE = (16384, 256, 16384)  # what may be typed for d_model, h, d_v
STYLE = """<style>
.mha-scroll { overflow-x: auto; max-width: 100%; margin: 0.3rem 0 0.6rem; }
.mha-table { border-collapse: collapse; font-size: 1.02rem; line-height: 1.35; }
.mha-table caption { text-align: left; color: var(--mha-muted); padding-bottom: 0.3rem; caption-side: top; }
.mha-table th, .mha-table td { padding: 0.35rem 0.9rem 0.35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--mha-line); }
.mha-table thead th { color: var(--mha-muted); font-weight: 600; vertical-align: bottom; }
.mha-table td { font-variant-numeric: tabular-nums; }
.mha-table tr.now th, .mha-table tr.now td { background: var(--mha-card); font-weight: 700; }
.mha-table .dot { display: inline-block; width: 0.8em; height: 0.8em; border-radius: 50%; margin-right: 0.45em; }
</style>"""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", now: int | None = None, hues: bool = False) -> None:
    """Plain text in rows; the first column names the row. `now` marks one row, `hues` gives row i the colour of head i."""
    top = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join(
        f'<tr class="now">{_row(row, i, hues)}</tr>' if i == now else f"<tr>{_row(row, i, hues)}</tr>" for i, row in enumerate(rows)
    )
    said = f"<caption>{escape(caption)}</caption>" if caption else ""
    st.html(STYLE)
    st.html(
        f'<div class="mha-scroll" tabindex="0"><table class="mha-table">{said}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _row(row: Sequence[str], i: int, hues: bool) -> str:
    dot = f'<span class="dot" style="background:var(--mha-head-{i % 8 + 1})"></span>' if hues else ""
    first, *others = (escape(cell) for cell in row)
    return f'<th scope="row">{dot}{first}</th>' + "".join(f"<td>{cell}</td>" for cell in others)


def bands(strips: Sequence[drawn_bands.Strip], alt: str) -> None:
    """Widths as coloured bands."""
    st.html(drawn_bands.STYLE.replace("</style>", f"{drawn_bands.FITS}</style>"))
    st.html(drawn_bands.bands(strips, alt))


def note(message: str) -> None:
    """Something the reader should know before going on."""
    st.html(f'<div class="note" role="status">{escape(message)}</div>')


def told_sheet(*equations: str, of: Walk, key: str, origin: str, fold: int = 8) -> None:
    """The linked picture of a walk that a story tells, with its own origin."""
    key = f"sheet_{key}"
    payload = build_sheet(of, list(equations), fold=fold, unfolded=unfolded_in(key))
    mount(payload, key=key)
    told_origin(origin)


def story_link(page: str, label: str, word: int = 2) -> None:
    """A link to a step with the sentence and the sizes of the story."""
    query = story_settings(settings(), word).to_query()
    st.page_link(st.session_state["pages"][page], label=label, query_params=query)


def pick(name: str, options: Sequence, label: str, show, default=None):
    """One of some options of this page, shown as `show` says."""
    first = options[0] if default is None else default
    bound = view.control(name, f"pick_{name}", options, first)
    chosen = st.segmented_control(label, options, format_func=show, **bound)
    return first if chosen is None else chosen


def on_request(name: str, what, label: str, work: Callable):
    """The result of `work`, done when its button is pressed and kept until `what` changes; None before that."""
    asked, kept = f"asked_{name}", f"kept_{name}"

    def ask():
        st.session_state[asked] = True

    st.button(label, key=f"ask_{name}", on_click=ask)
    if st.session_state.pop(asked, False):
        with st.spinner(text("told_measuring")):
            st.session_state[kept] = (what, work())
    of, result = st.session_state.get(kept, (None, None))
    return result if of == what else None


def next_one(name: str, label: str) -> int:
    """How often the button was pressed."""
    key = f"turn_{name}"
    st.session_state.setdefault(key, 0)

    def turn():
        st.session_state[key] += 1

    st.button(label, key=f"next_{name}", on_click=turn)
    return st.session_state[key]


def setting_switch(field: str, label: str) -> bool:
    """A toggle of one setting, beside the one in the sidebar."""
    key = hold(f"here_{field}", getattr(settings(), field))
    st.toggle(label, key=key, on_change=take, args=(field, key))
    return getattr(settings(), field)


def code(*functions: Callable) -> None:
    """The source of the functions that made what this page shows."""
    with st.expander(text("code_label")):
        for function in functions:
            st.code(inspect.getsource(function), language="python")


def step_link(page: str) -> None:
    """To the step that an experiment belongs to, with everything as it is."""
    page_link(page, text("to_the_step", title=text(f"title_{page}")))


def remark(says: str) -> None:
    """A line of plain text beside a picture."""
    st.html(f'<div class="caption">{escape(says)}</div>')


def told_origin(says: str) -> None:
    """Where the numbers of a story come from."""
    st.html(f'<div class="origin">{escape(says)}</div>')


def steps_of_story(page: Page) -> None:
    """The seven steps as the story tells them, each with the door to the step at the sizes of the story."""
    for number, step in enumerate((name for name in WALK if name.startswith("step")), 1):
        tale, door = st.columns([5, 2], vertical_alignment="center")
        with tale:
            page.caption(f"picture_{step.rsplit('_', 1)[1]}")
        with door:
            story_link(step, text("to_step_number", number=number))


def three_widths(name: str, first: tuple[int, int, int]) -> tuple[int, int, int]:
    """d_model, h and d_v, each typed; d_v is the even share, rounded down, unless one is chosen freely. In the address
    they are three numbers, or two where the share is even.
    """
    keys = [f"{name}_{field}" for field in ("d_model", "h", "d_v", "share")]
    typed, is_shared = _widths(name, first)
    for key, value in zip(keys, (*typed, is_shared)):
        hold(key, value)
    bound = {"on_change": _take_widths, "args": (name, keys, first)}
    columns = st.columns(3)
    st.toggle(text("width_share"), key=keys[3], **bound)
    for column, key, field, most in zip(columns, keys, ("d_model", "h", "d_v"), MOST_WIDE):
        column.number_input(text(f"width_{field}"), 1, most, key=key, disabled=is_shared and field == "d_v", **bound)
    st.button(text(f"button_{name}"), key=f"{name}_back", on_click=view.choose, args=(name, None, None))
    return typed


def _widths(name: str, first: tuple[int, int, int]) -> tuple[tuple[int, int, int], bool]:
    """The three widths of the address and whether d_v is the even share; the first ones where it has none that can be."""
    said = [int(part) for part in view.choices().get(name, "").split("_") if part.isascii() and part.isdigit()]
    if not (2 <= len(said) <= 3 and all(1 <= size <= most for size, most in zip(said, MOST_WIDE))):
        return first, True
    return (*said[:2], said[2] if len(said) == 3 else max(1, said[0] // said[1])), len(said) == 2


def _take_widths(name: str, keys: list[str], first: tuple[int, int, int]) -> None:
    *typed, is_shared = (st.session_state[key] for key in keys)
    if None not in typed:
        spelled = "_".join(map(str, typed[:2] if is_shared else typed))
        view.choose(name, spelled, "_".join(map(str, first[:2])))
