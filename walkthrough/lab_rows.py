"""What the lab's tables, curves and sentences say about scaling, positions and cost: numbers in, texts and lines out."""

from collections.abc import Mapping

import numpy as np

from mha_core import cost
from mha_core.gradient import entropy, gradient_size
from mha_core.parameters import legal_heads
from mha_core.sweep import DEAD, DIVISORS, SIZES, Sweep, divide_by
from walkthrough import order, what_if
from walkthrough.digits import digits
from walkthrough.figures.curves import LIMIT, Axis, Line
from walkthrough.lesson import text
from walkthrough.phrases import percent, shape, whole
from walkthrough.stopwatch import Timed
from walkthrough.walk import Walk

LOOK = {
    "sqrt": {"ink": "weight", "dash": "solid", "symbol": "circle"}, "none": {"ink": "text", "dash": "dash", "symbol": "diamond"},
    "d_k": {"ink": "muted", "dash": "dot", "symbol": "square"},
}  # fmt: skip
WIDTH_TICKS = (2, 8, 32, 128, 512)
LENGTHS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)  # of sentences, for the curves of what they cost
MODELS = (8, 16, 32, 64, 128, 256, 512, 1024)
MAPS_KEPT = 3  # scores, scaled and weights; a masked map is a fourth one


# ---- scaling ---------------------------------------------------------------------------------------------------
def divisor_name(name: str, d_k: int) -> str:
    return text(f"lab_divisor_{name}", d_k=d_k, value=digits(divide_by(name, d_k)))


def row_under_divisors(walk: Walk) -> dict[str, np.ndarray]:
    """The chosen row of weights under each divisor, by the divisor's name on screen."""
    return {divisor_name(name, walk.trace.parameters.d_k): what_if.weights_with(walk, name) for name in DIVISORS}


def row_numbers(rows: Mapping[str, np.ndarray], d_k: int) -> list[list[str]]:
    """For each divisor: largest weight, entropy, size of the gradient, and what of it reaches q · k."""
    made = []
    for name, (label, row) in zip(DIVISORS, rows.items()):
        size = float(gradient_size(row))
        numbers = float(row.max()), float(entropy(row)), size, size / divide_by(name, d_k)
        made.append([label, *map(digits, numbers)])
    return made


def row_values(walk: Walk, rows: Mapping[str, np.ndarray]) -> dict[str, str]:
    """What leaving the division away does to this very row, and the most entropy it could have."""
    sqrt, none = (float(gradient_size(row)) for row in list(rows.values())[:2])
    less = "same" if digits(sqrt) == digits(none) else "less" if none < sqrt else "more"
    open_words = int(what_if.allowed_row(walk).sum())
    return {
        "row_sqrt": digits(sqrt), "row_none": digits(none), "row_verdict": text(f"scaling_row_{less}"),
        "most_entropy": digits(float(np.log(open_words))),
    }


def begins_at(found: Sweep) -> int | None:
    """The smallest d_k from which on the typical gradient without a divisor stays below the one with √d_k; None: nowhere."""
    sqrt, none = (found.gradient[DIVISORS.index(name)] for name in ("sqrt", "none"))
    ahead = np.flatnonzero(none >= sqrt)
    first = int(ahead[-1]) + 1 if len(ahead) else 0
    return found.sizes[first] if first < len(found.sizes) else None


def _from_on(d_k: int | None) -> str:
    return text("dies_at", d_k=d_k) if d_k else text("dies_never", d_k=SIZES[-1])


def nearest_size(d_k: int) -> int:
    """The width in the sweep that is closest to this one."""
    return min(SIZES, key=lambda size: abs(size - d_k))


def sweep_numbers(found: Sweep, d_k: int) -> list[list[str]]:
    """The sweep at one width, in the columns of row_numbers."""
    at = SIZES.index(nearest_size(d_k))
    columns = (found.largest, found.entropy, found.gradient)
    return [
        [divisor_name(name, SIZES[at]), *(digits(column[i][at]) for column in columns), digits(found.reaching(name)[at])]
        for i, name in enumerate(DIVISORS)
    ]


def sweep_lines(found: Sweep, which: str) -> tuple[list[Line], Axis, Axis]:
    """The curves of one quantity: "spread", "largest", "entropy" or "gradient"."""
    x = Axis(text("curve_axis_d_k"), log=True, ticks=WIDTH_TICKS)
    if which == "spread":
        lines = [Line(text("curve_line_theory"), found.sizes, found.theory, "muted"),
                 Line(text("curve_line_measured"), found.sizes, found.spread, "text", points=True)]
        return lines, x, Axis(text("sweep_spread"), log=True, ticks=(1, 2, 5, 10, 20))
    values = getattr(found, which)
    lines = [Line(text(f"divisor_{name}"), found.sizes, row, **LOOK[name]) for name, row in zip(DIVISORS, values)]
    if which == "gradient":
        lines.append(Line(text("curve_line_dead"), found.sizes, [DEAD] * len(found.sizes), "key", LIMIT))
    return lines, x, Axis(text(f"sweep_{which}"), log=which == "gradient")


def sweep_values(found: Sweep, d_k: int) -> dict[str, str]:
    """What the prose of the scaling page needs beside the walk's own numbers."""
    at = SIZES.index(nearest_size(d_k))
    last = {name: found.reaching(name)[-1] for name in DIVISORS}
    return {
        "spread_now": digits(found.spread[at]), "theory_now": digits(found.theory[at]), "width_now": str(SIZES[at]),
        "spread_last": digits(found.spread[-1]), "theory_last": digits(found.theory[-1]), "width_last": str(SIZES[-1]),
        "dies": _from_on(found.dies_at("none")), "begins": _from_on(begins_at(found)),
        "largest_none": percent(found.largest[1][-1]), "largest_sqrt": percent(found.largest[0][-1]),
        "largest_d_k": percent(found.largest[2][-1]), "gradient_none": digits(found.gradient[1][-1]),
        "gradient_sqrt": digits(found.gradient[0][-1]), "reach_sqrt": digits(last["sqrt"]),
        "reach_none": digits(last["none"]), "reach_d_k": digits(last["d_k"]), "dead": digits(DEAD),
    }


# ---- positions -------------------------------------------------------------------------------------------------
def wave_titles(d_model: int, shown: tuple[int, ...]) -> list[str]:
    """A title for each pair of columns: which they are, and after how many words their wave comes round."""
    return [
        text("position_wave", sine=c + 1, cosine=c + 2, length=digits(order.wave_length(c, d_model))) for c in shown
    ]


def distance_lines(n: int, d_model: int) -> tuple[list[Line], Axis, Axis]:
    """The dot product of two positions over their distance."""
    dots = order.by_distance(n, d_model)
    return [Line(text("curve_line_dot"), range(n), dots)], Axis(text("curve_axis_distance")), Axis(text("curve_axis_dot"))


def distance_values(n: int, d_model: int) -> dict[str, str]:
    dots = order.by_distance(n, d_model)
    return {
        "dot_self": digits(dots[0]), "dot_next": digits(dots[1]), "dot_far": digits(dots[n // 2]), "far": str(n // 2),
        "places": str(n), "dot_gap": rounding(order.unevenness(n, d_model)),
    }


def rounding(gap: float) -> str:
    """A difference, with a word to the reader where it is nothing but rounding."""
    return text("gap_rounding", gap=digits(gap)) if 0 < gap < 1e-10 else digits(gap)


def moved_rows(walk: Walk, mixed, on, off) -> list[list[str]]:
    """Word by word: where it was moved to, and how far its output moved with and without positions."""
    to = np.argsort(mixed)
    return [
        [f"{i + 1} · {word}", str(int(to[i]) + 1), digits(on[i]), digits(off[i])] for i, word in enumerate(walk.tokens)
    ]


# ---- cost ------------------------------------------------------------------------------------------------------
def sizes_of(walk: Walk) -> cost.Sizes:
    p = walk.trace.parameters
    return cost.Sizes(len(walk.tokens), p.d_model, p.h, len(walk.other_tokens), p.d_k, p.d_v)


def cost_rows(sizes: cost.Sizes) -> list[list[str]]:
    """What is counted, by which formula, and how much it is now."""
    made = cost.multiplications(sizes)
    counts = {
        "parameters": cost.parameters(sizes), "projections": made["Q"] + made["K"] + made["V"],
        "between": cost.between_words(sizes), "mix": made["output"], "all": sum(made.values()),
        "exponentials": cost.weights_kept(sizes), "bytes": cost.bytes_of_maps(sizes, MAPS_KEPT),
    }
    return [[text(f"cost_{name}"), text(f"formula_{name}"), whole(n)] for name, n in counts.items()]


def cost_lines(sizes: cost.Sizes, along: str) -> tuple[list[Line], Axis, Axis, int]:
    """Parameters, multiplications and bytes as functions of n, d_model or h; the last answer is where we are now."""
    now = {"n": sizes.n, "d_model": sizes.d_model, "h": sizes.h}
    steps = {"n": LENGTHS, "d_model": [m for m in MODELS if m % sizes.h == 0], "h": legal_heads(sizes.d_model)}[along]
    places = sorted({*steps, now[along]})
    layers = [cost.Sizes(**(now | {along: place})) for place in places]
    counts = {
        "all": [sum(cost.multiplications(layer).values()) for layer in layers],
        "parameters": [cost.parameters(layer) for layer in layers],
        "bytes": [cost.bytes_of_maps(layer, MAPS_KEPT) for layer in layers],
    }
    looks = {"all": ("text", "solid"), "parameters": ("query", "dash"), "bytes": ("weight", "dot")}
    lines = [Line(text(f"cost_{name}"), places, values, *looks[name]) for name, values in counts.items()]
    thinned = [p for p in places if p & (p - 1) == 0] if along != "h" else places[:: max(1, len(places) // 6)]
    ticks = thinned[:: 2 if len(thinned) > 7 else 1]
    return lines, Axis(text(f"curve_axis_{along}"), log=True, ticks=ticks), Axis(text("curve_axis_cost"), log=True), now[along]


def heads_rows(sizes: cost.Sizes, heads: list[int], times: list[Timed] | None) -> list[list[str]]:
    """One fat head beside more and more thin ones; the time as a multiple of one head's."""
    rows = []
    for k, h in enumerate(heads):
        layer = cost.Sizes(sizes.n, sizes.d_model, h)
        row = [str(h), str(layer.d_k), whole(cost.parameters(layer)), whole(sum(cost.multiplications(layer).values())),
               whole(cost.weights_kept(layer)), whole(cost.bytes_of_maps(layer, MAPS_KEPT))]
        rows.append(row + ([duration(times[k].seconds), f"× {digits(times[k].seconds / times[0].seconds)}"] if times else []))
    return rows


def duration(seconds: float) -> str:
    """12 µs, 3.4 ms or 1.2 s."""
    for unit, size in (("time_unit_s", 1.0), ("time_unit_ms", 1e-3)):
        if seconds >= size:
            return text(unit, n=digits(seconds / size))
    return text("time_unit_us", n=digits(seconds / 1e-6))


def length_lines(times: list[Timed]) -> tuple[list[Line], Axis, Axis]:
    """Measured milliseconds over n, beside what multiplications alone would make of the longest sentence's time."""
    ns = [t.n for t in times]
    work = [sum(cost.multiplications(cost.Sizes(t.n, t.d_model, t.h)).values()) for t in times]
    rate = times[-1].seconds / work[-1]
    lines = [Line(text("curve_line_work"), ns, [1000 * rate * w for w in work], "muted", "dash"),
             Line(text("curve_line_time"), ns, [1000 * t.seconds for t in times], "text", points=True)]
    return lines, Axis(text("curve_axis_n"), log=True, ticks=ns), Axis(text("curve_axis_ms"), log=True)


def cost_values(sizes: cost.Sizes) -> dict[str, str]:
    one = cost.Sizes(sizes.n, sizes.d_model, 1)
    return {
        "maps_one": whole(cost.weights_kept(one)), "maps_now": whole(cost.weights_kept(sizes)),
        "parameters_now": whole(cost.parameters(sizes)), "between_now": whole(cost.between_words(sizes)),
        "between_one": whole(cost.between_words(one)), "map_shape": shape(sizes.n, sizes.n_k),
    }
