"""Questions on Steps 6 and 7: several heads, and how their answers become one."""

from math import sqrt

import numpy as np

from mha_core.attention import shares
from mha_core.parameters import head_width, legal_heads
from walkthrough import what_if, wrong_ways
from walkthrough.digits import digits
from walkthrough.lesson import text
from walkthrough.phrases import shape, whole
from walkthrough.questions.making import Case, Question, always, has_one_top, has_two_heads
from walkthrough.small_grid import Grid
from walkthrough.walk import Walk

SUMMED = 4  # the shares of so many heads can be added up by hand


# ---- step 6 ----------------------------------------------------------------------------------------------------
def width_512(case: Case) -> Question:
    d_model, h = 512, 8
    slips = [
        ("full_width_each", d_model),
        ("that_is_h", h),
        ("sizes_multiplied", d_model * h),
        ("root_taken", sqrt(d_model)),
    ]
    return case.count("width", head_width(d_model, h), *slips, tolerance=0.01, d_model=d_model, h=h)


def own_width(case: Case) -> Question:
    d_model, h = case.p.d_model, case.p.h
    slips = [("full_width_each", d_model), ("that_is_h", h), ("sizes_multiplied", d_model * h)]
    return case.count("width", case.trace.Q.shape[2], *slips)


def legal(case: Case) -> Question:
    d_model = case.p.d_model
    good = [h for h in legal_heads(d_model) if h not in (1, d_model)] or [d_model]
    bad = [h for h in range(2, d_model + 9) if d_model % h]
    right, start = good[case.variant % len(good)], case.variant * 3
    tried = [bad[(start + k * max(1, len(bad) // 3)) % len(bad)] for k in range(3)]
    slips = [("illegal", str(h), {"tried": h, "rest": d_model % h, "whole": d_model // h}) for h in tried]
    return case.choose("legal", str(right), *slips, width=d_model // right)


def one_head(case: Case) -> Question:
    said = {name: text(f"say_one_{name}", d_model=case.p.d_model) for name in ("plain", "none", "narrow", "average")}
    slips = [(f"one_{name}", said[name]) for name in ("none", "narrow", "average")]
    return case.choose("one_head", said["plain"], *slips)


def same_work(case: Case) -> Question:
    pairs, h, d_k = case.n * case.n_k, case.p.h, case.p.d_k
    work = pairs * h * d_k
    slips = [("work_times_h", whole(work * h)), ("work_one_head", whole(pairs * d_k)), ("work_pairs", whole(pairs))]
    return case.choose(
        "same_work", whole(case.trace.scores.size * d_k), *slips, one=whole(pairs * case.p.d_model), pairs=whole(pairs)
    )


def weight_cells(case: Case) -> Question:
    pairs, h = case.n * case.n_k, case.p.h
    slips = [("one_grid_only", pairs), ("numbers_of_Q", case.n * h * case.p.d_k), ("words_times_heads", case.n * h)]
    return case.count("weight_cells", case.trace.weights.size, *slips)


def columns_read(case: Case) -> Question:
    return case.count("columns_read", case.p.W_Q.shape[1], ("reads_band", case.p.d_k), ("counted_words", case.n))


def which_head(case: Case) -> Question:
    turn = case.variant
    case = case.where(np.array([[_heads_differ(case.walk, word, turn) for word in range(case.n)]] * case.p.h))
    asked = _asked_key(case.walk, case.word, turn)
    column = case.trace.weights[:, case.word, asked]
    named = [text("option_head", head=i + 1) for i in range(case.p.h)]
    top, least = int(column.argmax()), int(column.argmin())
    slips = [("least_head", named[least])]
    percent = case.view.percent(top, case.word, asked)
    return case.choose("which_head", named[top], *slips, fillers=named, percent=percent, partner=case.key_named(asked))


def _asked_key(walk: Walk, word: int, turn: int) -> int:
    """One of the words that this one may look at, another one each turn."""
    open_to = np.flatnonzero(walk.trace.masked[walk.head, word] > -np.inf)
    return int(open_to[(word + turn + 1) % len(open_to)])


def _heads_differ(walk: Walk, word: int, turn: int) -> bool:
    return bool(has_one_top(walk.trace.weights[:, word, _asked_key(walk, word, turn)]))


def _has_a_head(walk: Walk) -> bool:
    rounds = range(len(walk.tokens))
    return has_two_heads(walk) and all(any(_heads_differ(walk, word, k) for word in rounds) for k in rounds)


def shared_views(case: Case) -> Question:
    grids = what_if.heads_sharing(case.walk).weights
    return case.count(
        "shared_views", wrong_ways.different(grids), ("still_different", case.p.h), head=case.walk.head + 1
    )


# ---- step 7 ----------------------------------------------------------------------------------------------------
def concat_shape(case: Case) -> Question:
    n, h, d_v = case.n, case.p.h, case.p.d_v
    slips = [("averaged_shape", shape(n, d_v)), ("stacked_below", shape(n * h, d_v)), ("pairs", shape(n, case.n_k))]
    return case.choose(
        "concat_shape", shape(n, h * d_v), *slips, fillers=[shape(n + 1, h * d_v)], shape_head=shape(n, d_v)
    )


def why_concat(case: Case) -> Question:
    said = {name: text(f"say_concat_{name}") for name in ("keeps", "mixes", "cheap", "ones")}
    slips = [(f"concat_{name}", said[name]) for name in ("mixes", "cheap", "ones")]
    return case.choose("why_concat", said["keeps"], *slips)


def lanes(case: Case) -> Question:
    i, h, width = case.head, case.p.h, case.p.d_v
    right = (i * width + 1, (i + 1) * width)
    slips = []
    if width > 1:
        slips.append(
            ("interleaved", text("say_every", columns=", ".join(str(i + 1 + k * h) for k in range(min(width, 3)))))
        )
    slips.append(("lanes_from_zero", _lane(right[0] - 1, right[1] - 1)))
    slips.append(("other_lane", _lane(*((right[0] + width, right[1] + width) if i + 1 < h else (1, width)))))
    return case.choose("lanes", _lane(*right), *slips)


def _lane(first: int, last: int) -> str:
    return text("say_lane", first=first, last=last) if first != last else text("say_lane_one", first=first)


def output_cell(case: Case) -> Question:
    column = case.variant % case.p.d_out
    parts, bias = shares(case.trace)[:, case.word, column], case.p.b_O
    row = parts if bias is None else np.append(parts, bias[column])
    titles = [text("option_head", head=i + 1) for i in range(case.p.h)] + [text("ask_bias")] * (bias is not None)
    slips = [("averaged", row.mean()), ("own_share", parts[case.head])]
    if case.trace.concat.shape[1] > column:
        slips.insert(0, ("forgot_W_O", case.trace.concat[case.word, column]))
    shown = Grid(text("ask_shares", word=case.word_named(case.word)), row[None], [case.walk.tokens[case.word]], titles)
    return case.number_or_choice(
        case.p.h <= SUMMED,
        "output_cell",
        float(case.trace.output[case.word, column]),
        *slips,
        tolerance=0.006 * len(row) + 0.005,
        shows=[shown],
        column=column + 1,
    )


def output_shape(case: Case) -> Question:
    n, p = case.n, case.p
    slips = [("not_widened", shape(n, p.d_v)), ("that_is_W_O", shape(*p.W_O.shape)), ("pairs", shape(n, case.n_k))]
    fillers = [shape(p.d_out, n), shape(n + 1, p.d_out)]
    return case.choose(
        "output_shape", shape(n, p.d_out), *slips, fillers=fillers, shape_concat=shape(*case.trace.concat.shape)
    )


def identity(case: Case) -> Question:
    column = case.variant % case.trace.concat.shape[1]
    right = float(what_if.unmixed(case.walk)[case.word, column])
    slips = [("as_before_mix", digits(case.trace.output[case.word, column]))] if column < case.p.d_out else []
    slips += [
        ("averaged_lane", digits(case.trace.heads[:, case.word, column % case.p.d_v].mean())),
        ("all_ones", digits(case.trace.concat[case.word].sum())),
    ]
    return case.choose("identity", digits(right), *slips, fillers=[digits(right + 1.5)], column=column + 1)


KINDS = {
    6: (
        (which_head, _has_a_head),
        (width_512, always),
        (columns_read, always),
        (legal, always),
        (shared_views, has_two_heads),
        (one_head, always),
        (own_width, always),
        (same_work, has_two_heads),
        (weight_cells, always),
    ),
    7: (
        (output_cell, always),
        (why_concat, always),
        (lanes, has_two_heads),
        (concat_shape, always),
        (identity, always),
        (output_shape, always),
    ),
}
