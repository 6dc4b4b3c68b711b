"""What the reference pages show: misconceptions with their grids, and the tables of symbols and conventions."""

from collections.abc import Iterable
from html import escape

import numpy as np
import streamlit as st

from walkthrough import notation
from walkthrough.digits import digits
from walkthrough.frame import view
from walkthrough.frame.shell import WALK, go_to, page_link
from walkthrough.frame.state import settings
from walkthrough.lesson import Section, formula_to_html, text
from walkthrough.misconceptions import MISCONCEPTIONS, Demonstration, Shown, demonstrate, of_step
from walkthrough.phrases import shape
from walkthrough.questions.making import Case
from walkthrough.small_grid import STYLE as GRID_STYLE
from walkthrough.small_grid import Grid, largest, places, table
from walkthrough.typeset import to_html, to_label

PAGE = "reference_misconceptions"
FIRST = next(iter(MISCONCEPTIONS))
STYLE = """<style>
.ref { border-collapse: collapse; width: 100%; max-width: 60rem; font-size: 1rem; line-height: 1.4;
  table-layout: fixed; }
.ref col.short { width: 4.8rem; }
.ref col.name { width: 31%; }
.ref caption { text-align: left; font-weight: 700; font-size: 1.2rem; padding: 1rem 0 0.3rem; }
.ref th, .ref td { text-align: left; vertical-align: top; padding: 0.4rem 0.6rem 0.4rem 0;
  border-bottom: 1px solid var(--mha-line); overflow-wrap: break-word; }
.ref thead th { color: var(--mha-muted); font-weight: 600; }
.ref tbody th { font-weight: 650; }
.ref p { margin: 0; }
.ref .made { color: var(--mha-muted); white-space: normal; }
.ref tbody th .formula { white-space: normal; }
.ref td.number { font-variant-numeric: tabular-nums; }
.ref.measures { max-width: 50rem; table-layout: auto; }
.ref.measures tbody th { font-weight: 450; }
.mini-note { color: var(--mha-muted); font-size: 0.95rem; margin: 0 0 0.5rem; max-width: 22rem; }
</style>"""


# ---- misconceptions --------------------------------------------------------------------------------------------
def choose_misconception() -> str:
    """The misconception to show: the one a link asked for, or one chosen here."""
    bound = view.control("misconception", "choose_misconception", MISCONCEPTIONS, FIRST)
    label, names = text("label_misconception"), list(MISCONCEPTIONS)
    return st.selectbox(label, names, format_func=_name_of, width=420, **bound)


def _name_of(name: str) -> str:
    """A misconception by name, for labels that know no superscript: the raised letter is a sign of its own."""
    return text(f"mis_name_{name}").replace("W^O", "Wᴼ")


def misconceptions_here(step: int) -> None:
    """Links to the misconceptions that arise in this step."""
    if not of_step(step):
        return
    with st.container(horizontal=True, key=f"misconceptions_{step}"):
        for name in of_step(step):
            label = to_label(text("mis_open", name=_name_of(name)))
            if st.button(label, key=f"misconception_{name}", type="tertiary"):
                view.choose("misconception", name, FIRST)
                go_to(PAGE)


def demonstration(name: str) -> None:
    """Right and wrong side by side, the largest difference, the invariant that breaks, and where all this arises."""
    walk = st.session_state["walk"]
    shown, values = demonstrate(walk, name), _values(walk)
    for key in _notes(walk, shown):
        st.html(f'<div class="note" role="status">{escape(text(key))}</div>')
    drawn = [_grid(walk, grid, values) for grid in shown.grids]
    limit = 1.0 if drawn[0].is_weights else largest(*drawn)
    pieces = "".join(_piece(grid, part, drawn[0], shown.grids[0], limit) for grid, part in zip(drawn, shown.grids))
    ringed = f'<p class="mini-note">{escape(text("mis_ringed"))}</p>' if " differs" in pieces else ""
    st.html(f'{GRID_STYLE}{STYLE}<div class="minis">{pieces}</div>{ringed}')
    _measures(shown, values)
    with st.container(horizontal=True, vertical_alignment="center", key="misconception_steps"):
        st.html(escape(text("mis_arises")), width="content")
        for step in MISCONCEPTIONS[name].steps:
            page_link(WALK[step], text("nav_numbered", number=step, name=text(f"title_{WALK[step]}")))


def _values(walk) -> dict[str, object]:
    case = Case(walk, 0, 0, 0)
    p = walk.trace.parameters
    return {
        "word": case.word_named(walk.word),
        "partner": case.key_named(walk.partner),
        "head": walk.head + 1,
        "h": p.h,
        "other": (walk.head + 1) % p.h + 1,
        "wide": p.h * p.d_v,
    }


def _notes(walk, shown: Demonstration) -> list[str]:
    """What has to be known before one compares."""
    found = [f"mis_silent_{shown.silent}"] if shown.silent else []
    if shown.name in ("root_d_model", "d_k") and settings().divisor != "sqrt":
        found.append("mis_divisor_note")
    if shown.name == "late_mask" and walk.trace.allowed is None:
        found.append("mis_mask_note")
    if shown.name == "order" and walk.trace.allowed is not None:
        found.append("mis_order_note")
    if shown.name == "order" and walk.trace.E is None:
        found.append("mis_rows_note")
    return found


def _grid(walk, shown: Shown, values) -> Grid:
    kinds = {
        "query": walk.tokens,
        "key": walk.other_tokens,
        "one": (walk.tokens[walk.word],),
        "number": places(shown.values.shape[1]),
    }
    name = text(f"shown_{shown.name}", **values)
    key = "mis_right" if shown.is_right and shown.largest == 0.0 and not shown.name.endswith("late") else None
    key = key or ("mis_also_right" if shown.is_right else "mis_wrong")
    is_weights = shown.columns == "key"
    return Grid(text(key, name=name), shown.values, kinds[shown.rows], kinds[shown.columns], is_weights)


def _piece(grid: Grid, shown: Shown, right: Grid, first: Shown, limit: float) -> str:
    if shown is first:
        return f"<div>{table(grid, limit)}</div>"
    if shown.largest is None:
        sizes = {"wrong": shape(*shown.values.shape), "right": shape(*first.values.shape)}
        return f'<div>{table(grid, limit)}<p class="mini-note">{escape(text("mis_no_difference", **sizes))}</p></div>'
    said = text("mis_difference", gap=_gap(shown.largest, first.values))
    return f'<div>{table(grid, limit, against=right)}<p class="mini-note">{escape(said)}</p></div>'


def _gap(far: float, values) -> str:
    """A difference, and a word to the reader where it is nothing but rounding."""
    rounding = 0 < far < 1000 * np.finfo(values.dtype).eps * max(1.0, float(np.abs(values).max()))
    return text("gap_rounding", gap=digits(far)) if rounding else digits(far)


def _measures(shown: Demonstration, values) -> None:
    """The invariant, and the numbers in which it shows."""
    wrongs = [text(f"shown_{grid.name}", **values) for grid in shown.grids if not grid.is_right]
    names = [text("label_one_wrong_way")] if len(wrongs) == 1 else [text("mis_wrong", name=name) for name in wrongs]
    head = _heads(text("label_measured"), text("label_the_right_way"), *names)
    body = "".join(
        f'<tr><th scope="row">{to_html(text(f"measured_{measure.name}", **values))}</th>'
        + "".join(f'<td class="number">{escape(_settled(number))}</td>' for number in (measure.right, *measure.wrong))
        + "</tr>"
        for measure in shown.measures
    )
    st.html(
        f'<h2>{escape(text("label_invariant"))}</h2><div class="prose"><p>{to_html(text(f"breaks_{shown.name}"))}</p></div>'
        f'<table class="ref measures">{head}<tbody>{body}</tbody></table>'
    )


def _settled(number: float) -> str:
    """Without the last digits that only rounding put there (trained numbers have fewer of them)."""
    return digits(round(float(number), 6 if st.session_state["walk"].trace.X.dtype == np.float32 else 12))


# ---- notation --------------------------------------------------------------------------------------------------
def symbols() -> None:
    """Every symbol with its value and shape, step by step."""
    walk = st.session_state["walk"]
    tables = [(text("notation_sizes"), notation.sizes(walk))]
    tables += [(text("notation_grids_of_step", step=step), rows) for step, rows in notation.grids(walk)]
    head = _heads(text("notation_symbol"), text("notation_meaning"), text("notation_now"))
    st.html(STYLE + "".join(_table(caption, "short", head, (_symbol(row) for row in rows)) for caption, rows in tables))


def _symbol(row: notation.Row) -> str:
    made = f'<br><span class="made formula">{formula_to_html(row.formula)}</span>' if row.formula else ""
    now = "<br>".join(f"<bdi>{escape(line)}</bdi>" for line in row.now)
    symbol = f'<span class="formula">{formula_to_html(row.symbol)}</span>'
    return f'<tr><th scope="row">{symbol}</th><td>{escape(row.meaning)}{made}</td><td>{now}</td></tr>'


def in_numbers() -> None:
    """Conventions of other texts, on the numbers of this walk."""
    rows = (
        f'<tr><th scope="row">{to_html(what)}</th><td>{to_html(here)}</td><td>{to_html(there)}</td></tr>'
        for what, here, there in notation.elsewhere(st.session_state["walk"])
    )
    st.html(
        STYLE
        + _table("", "name", _heads(text("notation_topic"), text("notation_here"), text("notation_elsewhere")), rows)
    )


def explained(section: Section, values, *heads: str) -> None:
    """A section whose parts are read as a table: a name, and what is said of it. `heads` are keys of the catalogue."""
    rows = (f'<tr><th scope="row">{escape(part.name)}</th><td>{part.fill(values)}</td></tr>' for part in section.parts)
    st.html(STYLE + _table("", "name", _heads(*map(text, heads)), rows))


def _table(caption: str, first: str, head: str, rows: Iterable[str]) -> str:
    """`first` says how wide the first column is."""
    said = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f'<table class="ref">{said}<colgroup><col class="{first}"></colgroup>{head}<tbody>{"".join(rows)}</tbody></table>'


def _heads(*names: str) -> str:
    return "<thead><tr>" + "".join(f'<th scope="col">{to_html(name)}</th>' for name in names) + "</tr></thead>"
