"""Take a trace up again in the middle: replace some of its numbers and recompute exactly what lies downstream of them.

This is no second attention. Each stage is made by the same function of attention.py that attend() calls; resume() only
knows which of them still have to run.
"""

from dataclasses import fields, replace

import numpy as np

from mha_core import attention, checks
from mha_core.attention import AttentionTrace
from mha_core.parameters import Parameters
from mha_core.stages import PARAMETER_FIELDS

# What each computed field is made of, and how, in the order of computing. "bias" fields may be None.
_RECIPES = {
    "Q": (("X", "W_Q", "b_Q"), attention.project),
    "K": (("context", "W_K", "b_K"), attention.project),
    "V": (("context", "W_V", "b_V"), attention.project),
    "scores": (("Q", "K"), attention.score),
    "scaled": (("scores", "divisor"), attention.scale),
    "masked": (("scaled", "allowed"), attention.mask),
    "weights": (("masked",), attention.softmax),
    "heads": (("weights", "V"), attention.blend),
    "concat": (("heads",), attention.concatenate),
    "output": (("concat", "W_O", "b_O"), attention.mix),
}
_GIVEN = ("E", "P", "X", "context", "divisor", "allowed", *PARAMETER_FIELDS)
RESUMABLE = (*_GIVEN, *_RECIPES)


@np.errstate(over="ignore", invalid="ignore")  # numbers too large are answered with a ValueError, as in attend()
def resume(trace: AttentionTrace, **changed) -> AttentionTrace:
    """The trace with these fields replaced and everything made from them made again; all the rest are the same objects.

    changed: any fields of the trace or of its parameters (X, W_Q, scores, divisor, allowed, …), in their own shapes.
    A replaced field keeps the numbers it was given, also where something upstream of it was replaced too. Where a
    sentence looks at itself, a new X is what it looks at. X replaced by hand is no longer E + P, so E and P are
    dropped; E or P replaced makes a new X. `allowed` may be None. With nothing changed the trace itself comes back.
    Raises ValueError for an unknown field, another shape, a number that is not finite (−∞ is legal in `masked`) or a
    mask that leaves a query nothing to see.
    """
    if not changed:
        return trace
    values = _values(trace) | {name: _checked(trace, name, value) for name, value in changed.items()}
    fresh = set(changed) | _renew_sentence(trace, values, set(changed))
    parameters = _renew_parameters(trace, values, fresh)
    for name, (needs, make) in _RECIPES.items():
        if name not in changed and fresh.intersection(needs):
            made = make(*(values[need] for need in needs))
            made.setflags(write=False)
            values[name] = made
            fresh.add(name)
    checks.finite(values["output"], "the output")
    own = {field.name: values[field.name] for field in fields(trace) if field.name != "parameters"}
    return replace(trace, parameters=parameters, **own)


def _values(trace: AttentionTrace) -> dict:
    return {name: _of(trace, name) for name in RESUMABLE}


def _of(trace: AttentionTrace, name: str):
    return getattr(trace.parameters if name in PARAMETER_FIELDS else trace, name)


def _checked(trace: AttentionTrace, name: str, value):
    """A replacement as a read-only array of the shape it replaces."""
    if name not in RESUMABLE:
        raise ValueError(f"A trace cannot be resumed from {name!r}; choose among {', '.join(RESUMABLE)}.")
    if name == "divisor":
        return float(value)
    if name == "allowed":
        return None if value is None else checks.mask(value, trace.scores.shape)
    old, new = _of(trace, name), checks.frozen(value, name)
    if old is None:
        raise ValueError(f"This trace has no {name}, so there is nothing to replace.")
    if new.shape != old.shape:
        raise ValueError(f"{name} has shape {old.shape} in this trace and {new.shape} was handed over; keep the shape.")
    checks.finite(np.where(np.isneginf(new), 0, new) if name == "masked" else new, name)
    return new


def _renew_sentence(trace: AttentionTrace, values: dict, changed: set[str]) -> set[str]:
    """Bring X, its parts and the context into line; the names of those that became new by it."""
    renewed = set()
    if "X" in changed:
        values["E"] = values["P"] = None
    elif changed & {"E", "P"}:
        total = values["E"] if values["P"] is None else values["E"] + values["P"]
        values["X"] = checks.frozen(total, "X")
        renewed.add("X")
    if trace.is_self_attention and (renewed or "X" in changed) and "context" not in changed:
        values["context"] = values["X"]
        renewed.add("context")
    return renewed


def _renew_parameters(trace: AttentionTrace, values: dict, fresh: set[str]) -> Parameters:
    if not fresh.intersection(PARAMETER_FIELDS):
        return trace.parameters
    return replace(trace.parameters, **{name: values[name] for name in PARAMETER_FIELDS})
