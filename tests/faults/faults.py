"""Deliberate faults: mistakes that people really make, each as one replacement in the source of mha_core.

Every one of them must turn the core's own tests red. Where a mistake keeps all shapes, so much the better.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """In mha_core/<module>.py the text `right`, which stands there once, becomes `wrong`."""

    name: str
    module: str
    right: str
    wrong: str


def _of(module, *rows):
    return tuple(Fault(name, module, right, wrong) for name, right, wrong in rows)


FAULTS = (
    *_of(
        "attention",
        ("not scaled", "return scores / float(divisor)", "return scores"),
        ("scaled by the root of d_model", "np.sqrt(parameters.d_k)", "np.sqrt(parameters.d_model)"),
        ("scaled by d_k", "float(np.sqrt(parameters.d_k))", "float(parameters.d_k)"),
        ("softmax down the columns", "softmax(masked)", "softmax(masked.swapaxes(-1, -2)).swapaxes(-1, -2)"),
        ("softmax over the whole grid", "exponentials.sum(axis=-1, keepdims=True)", "exponentials.sum()"),
        ("softmax without the maximum", "np.exp(rows - highest)", "np.exp(rows)"),
        (
            "softmax written into the scores",
            "weights = np.empty(x.shape, np.result_type(x, np.float32))",
            "weights = x",
        ),
        ("softmax leaves float32", "np.result_type(x, np.float32)", "np.float64"),
        ("softmax forgets the last slab", "range(0, len(flat[0]), step)", "range(0, len(flat[0]) - step, step)"),
        ("masked after the softmax", "softmax(masked)", "softmax(scaled) * (True if allowed is None else allowed)"),
        (
            "mask by a factor of 0",
            "np.where(checks.mask(allowed, scaled.shape), scaled, scaled.dtype.type(-np.inf))",
            "scaled * checks.mask(allowed, scaled.shape)",
        ),
        ("mask inverted", "np.where(checks.mask(", "np.where(~checks.mask("),
        (
            "mask of head 0 for all heads",
            "mask(scaled, allowed)",
            "mask(scaled, allowed if allowed is None or allowed.ndim == 2 else allowed[0])",
        ),
        ("causal the wrong way round", "np.tri(n, dtype=bool)", "np.tri(n, dtype=bool).T"),
        ("causal looks one word ahead", "np.tri(n, dtype=bool)", "np.tri(n, k=1, dtype=bool)"),
        ("heads reversed", "return side_by_side(heads)", "return side_by_side(heads[::-1])"),
        ("heads averaged", "return weights @ V", "return np.broadcast_to(weights.mean(axis=0), weights.shape) @ V"),
        ("values from W_K", "project(context, p.W_V, p.b_V)", "project(context, p.W_K, p.b_K)"),
        ("keys from X in cross-attention", "project(context, p.W_K, p.b_K)", "project(X, p.W_K, p.b_K)"),
        ("values from X in cross-attention", "project(context, p.W_V, p.b_V)", "project(X, p.W_V, p.b_V)"),
        (
            "queries and keys mixed up",
            "return Q @ K.swapaxes(-1, -2)",
            "return (Q @ K.swapaxes(-1, -2)).swapaxes(-1, -2)",
        ),
        ("keys not transposed", "Q @ K.swapaxes(-1, -2)", "Q @ K.reshape(*K.shape[:-2], K.shape[-1], K.shape[-2])"),
        ("values blended by column", "return weights @ V", "return weights.swapaxes(-1, -2) @ V"),
        ("W_O left out", "mixed = concat @ W_O", "mixed = concat + 0"),
        ("W_O transposed", "concat @ W_O", "concat @ W_O.T"),
        (
            "projection bias forgotten",
            "return projected if b is None else projected + b[:, None, :]",
            "return projected",
        ),
        ("output bias forgotten", "return mixed if b is None else mixed + b", "return mixed"),
        (
            "long sentence: heads cut without swapping",
            "into_bands(columns, width)",
            "columns.reshape(p.h, len(X), width)",
        ),
        ("long sentence: bias forgotten", "_add_bias(into_bands(columns, width), b)", "into_bands(columns, width)"),
        ("long sentence: bias of the queries for the keys", "p.d_k, p.b_K)", "p.d_k, p.b_Q)"),
        ("arrays left writable", "array.setflags(write=False)", "array.setflags(write=True)"),
    ),
    *_of(
        "parameters",
        ("heads merged without swapping", "bands.swapaxes(0, 1).reshape(", "bands.reshape("),
        ("heads cut without swapping", "W.reshape(len(W), -1, width).swapaxes(0, 1)", "W.reshape(-1, len(W), width)"),
        (
            "long sentence: W_Q and W_K mixed up",
            "[side_by_side(self.W_Q), side_by_side(self.W_K),",
            "[side_by_side(self.W_K), side_by_side(self.W_Q),",
        ),
        ("seeded: spread by d_k", "/ np.sqrt(d_model)", "/ np.sqrt(d_k)"),
        ("heads that do not divide let in", "if d_model % h:", "if False:"),
    ),
    *_of(
        "checks",
        ("the caller's array kept", 'array = np.array(values, order="C")', 'array = np.asarray(values, order="C")'),
        ("the caller's mask kept", "array = np.array(allowed)", "array = np.asarray(allowed)"),
        ("NaN let in", "if not np.isfinite(array).all():", "if False:"),
        ("a query without keys let in", "if blind.any():", "if False:"),
        ("a mask of numbers let in", "if array.dtype != bool:", "if False:"),
    ),
    *_of(
        "arithmetic",
        (
            "explain: row and column of W mixed up",
            "(*head, k, column)",
            "(*head, column % grid.shape[-2], k % grid.shape[-1])",
        ),
        ("explain: last term of a product dropped", "range(grid.shape[-2])", "range(grid.shape[-2] - 1)"),
        (
            "explain: last term of a dot product dropped",
            "grid_of(trace, left).shape[-1])",
            "grid_of(trace, left).shape[-1] - 1)",
        ),
        ("explain: key of the wrong word", "(head, column, k)", "(head, row % grid_of(trace, right).shape[1], k)"),
        (
            "explain: wrong head in copy",
            "head, inside = divmod(column, trace.parameters.d_v)",
            "inside, head = divmod(column, trace.parameters.h)",
        ),
        (
            "explain: bias counted as a share",
            'subtotals = _shares(trace, terms) if field == "output" else ()\n    for name in bias:',
            "subtotals = ()\n    for name in bias:",
        ),
        ("explain: shares cut by h", "range(0, len(terms), d_v)", "range(0, len(terms), trace.parameters.h)"),
        (
            "explain: mask read the wrong way round",
            "cell.value if allowed.value else -inf",
            "-inf if allowed.value else cell.value",
        ),
        ("explain: mask cell of the wrong place", "index[-trace.allowed.ndim :]", "index[: trace.allowed.ndim]"),
        ("explain: divided twice", "total = cell.value / divisor.value", "total = cell.value / divisor.value**2"),
        (
            "explain: softmax down the column",
            "(*row, k)) for k in",
            "(row[0], k % grid_of(trace, needs[0]).shape[1], column)) for k in",
        ),
        ("explain: softmax without the maximum", "exp(cell.value - maximum)", "exp(cell.value)"),
        ("explain: own place is the row", "own=column", "own=row[-1]"),
        ("explain: position forgotten in X", "for name in needs]", "for name in needs[:1]]"),
        ("explain: cells counted from the end let in", "not 0 <= i < size", "not -size <= i < size"),
        (
            "explain: context of self-attention is its own source",
            'return explain(trace, "X", index)',
            "return _given(trace, field, index, needs)",
        ),
    ),
    *_of(
        "stages",
        ("table: V needs W_K", '("context", "W_V", "b_V")', '("context", "W_K", "b_V")'),
        ("table: K needs X", '("context", "W_K", "b_K")', '("X", "W_K", "b_K")'),
        ("table: queries and keys of a pair swapped", '("head", "query", "key")', '("head", "key", "query")'),
        ("table: weights need the scaled scores", '("masked",)', '("scaled",)'),
        (
            "table: context instead of X in self-attention",
            '"X" if n == "context" and trace.is_self_attention else n for n in needs',
            "n for n in needs",
        ),
    ),
)
