"""Small tables, coloured bands and sheets of told walks, for the stories and the lab."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape

import streamlit as st

from walkthrough.figures import bands as drawn_bands
from walkthrough.frame.state import settings
from walkthrough.sheet.mount import mount, unfolded_in
from walkthrough.sheet.sheet import sheet as build_sheet
from walkthrough.stories import relabel, story_settings
from walkthrough.walk import Walk

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
    st.html(drawn_bands.STYLE)
    st.html(drawn_bands.bands(strips, alt))


def note(message: str) -> None:
    """Something the reader should know before going on."""
    st.html(f'<div class="note" role="status">{escape(message)}</div>')


def told_sheet(*equations: str, of: Walk, key: str, origin: str, columns=None, rows=None, on_pick=None) -> None:
    """The linked picture of a walk that a story tells, with its own origin and, where given, names for its columns."""
    key = f"sheet_{key}"
    payload = build_sheet(of, list(equations), unfolded=unfolded_in(key))
    named = replace(payload, data=relabel(payload.data, columns or {}, rows or {}))
    mount(named, key=key, on_pick=on_pick)
    st.html(f'<div class="origin">{escape(origin)}</div>')


def story_link(page: str, label: str, word: int = 2) -> None:
    """A link to a step with the sentence and the sizes of the story."""
    query = story_settings(settings(), word).to_query()
    st.page_link(st.session_state["pages"][page], label=label, query_params=query)
