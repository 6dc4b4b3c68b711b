"""The learned numbers of one attention layer, checked once and never changed afterwards."""

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from mha_core.checks import finite, frozen
from mha_core.shapes import Array, Float


def legal_heads(d_model: int) -> tuple[int, ...]:
    """Every h that shares d_model numbers evenly, smallest first."""
    return tuple(h for h in range(1, d_model + 1) if d_model % h == 0)


def head_width(d_model: int, h: int) -> int:
    """d_k = d_model / h, the width of one head.

    Raises ValueError, with the legal values of h, where the division leaves a remainder.
    """
    if h < 1 or d_model < 1:
        raise ValueError(f"d_model={d_model} and h={h} count numbers and heads, so both must be at least 1.")
    if d_model % h:
        choices = ", ".join(map(str, legal_heads(d_model)))
        raise ValueError(
            f"{h} heads cannot share {d_model} numbers evenly ({d_model} = {d_model // h} × {h} + {d_model % h}); "
            f"choose a divisor: {choices}."
        )
    return d_model // h


def _fused_from() -> int:
    """From how many tokens one wide projection beats many thin ones (bench/core.py measures it).

    It depends on the processor: OpenBLAS has a quick way with small matrices only where there is AVX-512.
    """
    found = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", ())
    return 32 if any("AVX512" in name or name == "X86_V4" for name in found) else 8


FUSED_FROM = _fused_from()


@dataclass(frozen=True, eq=False)
class Parameters:
    """The projections of h heads and the matrix that mixes them. Sizes are read off the arrays, never stored.

    d_v may differ from d_k, and h·d_v from d_model. Copies are taken, so what happens to the caller's arrays later
    does nothing. Raises ValueError where two shapes contradict each other or a number is not finite.
    Source: Vaswani et al. 2017, section 3.2.2.
    """

    W_Q: Float[Array, "h d_model d_k"]
    W_K: Float[Array, "h d_context d_k"]
    W_V: Float[Array, "h d_context d_v"]
    W_O: Float[Array, "h_d_v d_out"]
    b_Q: Float[Array, "h d_k"] | None = None
    b_K: Float[Array, "h d_k"] | None = None
    b_V: Float[Array, "h d_v"] | None = None
    b_O: Float[Array, " d_out"] | None = None

    def __post_init__(self):
        for field in fields(self):
            values = getattr(self, field.name)
            if values is not None:
                object.__setattr__(self, field.name, frozen(values, field.name))
        self._check_shapes()
        for field in fields(self):
            values = getattr(self, field.name)
            if values is not None:
                finite(values, field.name)

    def _check_shapes(self):
        for name in ("W_Q", "W_K", "W_V"):
            if getattr(self, name).ndim != 3:
                shape = getattr(self, name).shape
                raise ValueError(f"{name} needs three axes [h, d_model, width]; its shape is {shape}.")
        h, _, d_k = self.W_Q.shape
        d_context, d_v = self.W_K.shape[1], self.W_V.shape[2]
        width_out = self.W_O.shape[1] if self.W_O.ndim == 2 else -1
        wanted = {
            "W_Q": self.W_Q.shape, "W_K": (h, d_context, d_k), "W_V": (h, d_context, d_v), "W_O": (h * d_v, width_out),
            "b_Q": (h, d_k), "b_K": (h, d_k), "b_V": (h, d_v), "b_O": (width_out,),
        }
        for name, shape in wanted.items():
            array = getattr(self, name)
            if array is not None and array.shape != shape:
                raise ValueError(f"{name} has shape {array.shape}; beside W_Q {self.W_Q.shape} it must be {shape}.")
            if array is not None and 0 in array.shape:
                raise ValueError(f"{name} has shape {array.shape}; every size must be at least 1.")

    @property
    def h(self) -> int:
        return self.W_Q.shape[0]

    @property
    def d_model(self) -> int:
        return self.W_Q.shape[1]

    @property
    def d_k(self) -> int:
        return self.W_Q.shape[2]

    @property
    def d_v(self) -> int:
        return self.W_V.shape[2]

    @property
    def d_out(self) -> int:
        return self.W_O.shape[1]

    @cached_property
    def fused(self) -> Float[Array, "d_model all_columns"]:
        """W_Q, W_K and W_V of all heads side by side: what FUSED_FROM tokens or more are multiplied by."""
        wide = np.concatenate([side_by_side(self.W_Q), side_by_side(self.W_K), side_by_side(self.W_V)], axis=1)
        wide.setflags(write=False)
        return wide

    @classmethod
    def seeded(cls, d_model: int, h: int, seed: int = 0, dtype=np.float64) -> "Parameters":
        """Random parameters that are the same on every machine, with d_k = d_v = d_model / h and no biases.

        Drawn from numpy RandomState(seed), whose stream NumPy has promised never to change, in the order W_Q, W_K, W_V,
        W_O, each as one [d_model, d_model] grid of normal numbers with standard deviation 1/√d_model; head i owns the
        i-th band of columns. So another h cuts the same grids differently, and nothing else changes.
        """
        d_k = head_width(d_model, h)
        draw = np.random.RandomState(seed)
        W_Q, W_K, W_V, W_O = (draw.standard_normal((d_model, d_model)) / np.sqrt(d_model) for _ in range(4))
        bands = (into_bands(W, d_k).astype(dtype) for W in (W_Q, W_K, W_V))
        return cls(*bands, W_O.astype(dtype))


def into_bands(W: Float[Array, "rows h_width"], width: int) -> Float[Array, "h rows width"]:
    """Cut a wide grid into bands of columns, one a head."""
    return W.reshape(len(W), -1, width).swapaxes(0, 1)


def side_by_side(bands: Float[Array, "h rows width"]) -> Float[Array, "rows h_width"]:
    """Lay the bands of all heads next to each other again."""
    h, rows, width = bands.shape
    return bands.swapaxes(0, 1).reshape(rows, h * width)
