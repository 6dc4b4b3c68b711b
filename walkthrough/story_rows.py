"""What the stories' tables and bands say: numbers in, texts out."""

import numpy as np

from mha_core.attention import shares
from mha_core.hand_built import HandBuilt
from walkthrough.digits import digits
from walkthrough.figures.bands import Band, Strip
from walkthrough.lesson import text
from walkthrough.phrases import percent, whole
from walkthrough.stories import Neighbour, Report, entries, loudest
from walkthrough.walk import Walk
from walkthrough.widths import Widths, lanes


# ---- one biography, two jobs -----------------------------------------------------------------------------------
def apart_rows(differences: dict[str, float]) -> list[list[str]]:
    """Grid by grid: how far the two readings of the same sentence are apart."""
    return [
        [text(f"cv_grid_{name}"), digits(gap) if gap else "0", text("told_the_same" if not gap else "told_differs")]
        for name, gap in differences.items()
    ]


def job_rows(first: Walk, second: Walk) -> dict[str, np.ndarray]:
    """The chosen word's weights in the chosen head, by job."""
    return {text(f"job_{i}"): np.array(walk.trace.weights[walk.head, walk.word]) for i, walk in enumerate((first, second), 1)}


def describe_rows(rows: dict[str, np.ndarray], labels) -> str:
    """Whom each row looks at most."""
    pieces = (text("told_looks_most", who=who, word=labels[int(row.argmax())], percent=percent(row.max())) for who, row in rows.items())
    return " ".join(pieces)


def top_values(rows: dict[str, np.ndarray], labels) -> dict[str, str]:
    """Whom the word looks at most under the first and under the second job, and how much."""
    said = {}
    for name, row in zip(("one", "two"), rows.values()):
        said |= {f"top_{name}": labels[int(row.argmax())], f"top_{name}_percent": percent(row.max())}
    return said


# ---- hand-built heads ------------------------------------------------------------------------------------------
def plan_rows(built: HandBuilt, head: int) -> list[list[str]]:
    """Question by question: which features ask it, which answer it, and how strongly. head is counted from 0."""
    p, lanes_of = built.parameters, built.lanes[head]
    asked = entries(p.W_Q[head], built.features, lanes_of)
    offered = entries(p.W_K[head], built.features, lanes_of)
    said = []
    for lane in dict.fromkeys(lane for _, lane, _ in (*asked, *offered)):
        asks, answers = (", ".join(f"{who} {digits(n)}" for who, what, n in side if what == lane) for side in (asked, offered))
        said.append([lane, asks, answers])
    return said


def word_rows(built: HandBuilt) -> list[list[str]]:
    """What each word is made of."""
    return [[word, ", ".join(built.features[c] for c in np.flatnonzero(row))] for word, row in zip(built.tokens, built.X)]


def feature_rows(walk: Walk, built: HandBuilt) -> list[list[str]]:
    """The chosen word's output feature by feature: before, from each head, after."""
    brought, trace = shares(walk.trace)[:, walk.word], walk.trace
    return [
        [feature, digits(trace.X[walk.word, c]), *(digits(row[c]) for row in brought), digits(trace.output[walk.word, c])]
        for c, feature in enumerate(built.features)
    ]


def meeting_values(walk: Walk, built: HandBuilt) -> dict[str, str]:
    """Score, divided score and weight of the first meeting of every head, and the word's own blend."""
    said: dict[str, str] = {}
    for name, meeting in zip(("one", "two"), built.meetings):
        at = (meeting.head, meeting.query, meeting.key)
        trace = walk.trace
        said |= {
            f"score_{name}": digits(trace.scores[at]), f"scaled_{name}": digits(trace.scaled[at]),
            f"percent_{name}": percent(trace.weights[at]), f"asks_{name}": built.tokens[meeting.query],
            f"finds_{name}": built.tokens[meeting.key],
        }
    return said


def neighbour_name(found: Neighbour) -> str:
    return text("told_layer_and_head", layer=found.layer + 1, head=found.head + 1)


def neighbour_rows(pairs: tuple[tuple[Neighbour, ...], ...], walk: Walk, built: HandBuilt) -> list[list[str]]:
    """Beside each hand-built meeting the trained heads that come nearest to it."""
    rows = []
    for meeting, found in zip(built.meetings, pairs):
        pair = text("told_pair_of_words", asks=built.tokens[meeting.query], found=built.tokens[meeting.key])
        ours = percent(walk.trace.weights[meeting.head, meeting.query, meeting.key])
        rows.append([pair, text("told_hand_built_head", head=meeting.head + 1), ours])
        rows += [[pair, neighbour_name(near), percent(near.weight)] for near in found]
    return rows


# ---- widths ----------------------------------------------------------------------------------------------------
def width_strips(chosen: Widths) -> list[Strip]:
    """From d_model through the heads and back, as bands on one scale."""
    d, h, v, wide = chosen.d_model, chosen.h, chosen.d_v, chosen.concat
    heads = lane_bands(h, v)
    return [
        Strip("X", text("told_numbers_a_word", n=whole(d)), [Band(d, whole(d))]),
        Strip(text("strip_heads"), text("strip_heads_size", h=h, d_v=whole(v)), heads),
        Strip("Concat", text("told_numbers_a_word", n=whole(wide)), lane_bands(h, v, columns=True)),
        Strip(text("strip_mixing"), text("strip_leads", rows=whole(wide), columns=whole(d)), [Band(d, f"{whole(wide)} → {whole(d)}", "out")]),
        Strip(text("strip_output"), text("told_numbers_a_word", n=whole(d)), [Band(d, whole(d), "out")]),
    ]


def broken_strips(chosen: Widths) -> list[Strip]:
    """What sharing evenly would need, and the piece that is left over."""
    pieces = lane_bands(chosen.h, chosen.share) if chosen.share else []
    rest = Band(chosen.left_over, text("told_left_over", n=whole(chosen.left_over)), "left")
    return [
        Strip("X", text("told_numbers_a_word", n=whole(chosen.d_model)), [Band(chosen.d_model, whole(chosen.d_model))]),
        Strip(text("strip_heads"), text("strip_broken", h=chosen.h, d_v=whole(chosen.share), rest=whole(chosen.left_over)), [*pieces, rest]),
    ]


def width_values(chosen: Widths) -> dict[str, str]:
    """What the prose of the calculator needs."""
    return {
        "d_model_now": whole(chosen.d_model), "h_now": whole(chosen.h), "d_v_now": whole(chosen.d_v), "concat_now": whole(chosen.concat),
        "share_now": whole(chosen.share), "rest_now": whole(chosen.left_over), "used_now": whole(chosen.h * chosen.share),
        "legal_now": ", ".join(map(whole, chosen.legal)),
    }


def lane_bands(h: int, width: int, columns: bool = False) -> list[Band]:
    """A band a head; with `columns` it says which columns it fills."""
    made = []
    for lane in (shown := lanes(h, width)):
        if lane is None:
            hidden = h - sum(known is not None for known in shown)
            made.append(Band(hidden * width, text("told_bands_more", n=hidden), "more"))
            continue
        head, first, last = lane
        span = text("told_column_span", first=whole(first), last=whole(last)) if width > 1 else whole(first)
        title = text("told_band_title", head=head, first=whole(first), last=whole(last))
        made.append(Band(width, span if columns else whole(width), f"head {head}", title))
    return made


# ---- specialists -----------------------------------------------------------------------------------------------
def table_strips(h: int, d_v: int) -> list[Strip]:
    """The table on which the reports lie, column by column."""
    return [Strip("Concat", text("told_numbers_a_word", n=h * d_v), lane_bands(h, d_v, columns=True))]


def report_values(found: tuple[Report, ...], bias: float) -> dict[str, str]:
    """Which head brings most, and how much of the output that is."""
    most = loudest(found)
    return {
        "most_head": str(most.head), "most_part": signed_percent(most.part), "most_columns": text("told_column_span", first=most.first, last=most.last),
        "total_part": signed_percent(sum(report.part for report in found) + bias),
    }


def report_rows(found: tuple[Report, ...], bias: float | None) -> list[list[str]]:
    """Head, its columns, the size of its share, and its part of the output; last the bias, where there is one."""
    rows = [
        [text("option_head", head=r.head), text("told_column_span", first=r.first, last=r.last), digits(r.length), signed_percent(r.part)]
        for r in found
    ]
    return rows if bias is None else [*rows, [text("told_bias"), "", "", signed_percent(bias)]]


def signed_percent(part: float) -> str:
    """72%, −8%: a part of a whole may pull the other way."""
    size = abs(part)
    shown = "100%" if abs(size - 1) < 1e-6 else percent(size) if size < 1 else f"{100 * size:.0f}%"
    return ("−" if part < 0 else "") + shown
