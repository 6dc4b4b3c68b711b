"""What one attention layer costs, counted and not measured: parameters, multiplications, exponentials, kept numbers.

n words look at n_k words (n_k = n in self-attention). d_k and d_v are d_model / h unless they are given.
"""

from dataclasses import dataclass

from mha_core.parameters import head_width
from mha_core.positions import count


@dataclass(frozen=True)
class Sizes:
    """The sizes of one layer. Raises ValueError where h does not divide d_model and a width has to be worked out."""

    n: int
    d_model: int
    h: int
    n_k: int | None = None
    d_k: int | None = None
    d_v: int | None = None

    def __post_init__(self):
        filled = {"n_k": lambda: self.n, "d_k": self._width, "d_v": self._width}
        for name, value in filled.items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value())
        for name in ("n", "d_model", "h", "n_k", "d_k", "d_v"):
            count(getattr(self, name), name)

    def _width(self) -> int:
        return head_width(self.d_model, self.h)


def parameters(sizes: Sizes, biases: bool = False) -> int:
    """Learned numbers: W_Q, W_K, W_V of all heads and W_O; 4·d_model² where the heads share d_model."""
    s = sizes
    added = s.h * (2 * s.d_k + s.d_v) + s.d_model if biases else 0
    return s.d_model * s.h * (2 * s.d_k + 2 * s.d_v) + added


def multiplications(sizes: Sizes) -> dict[str, int]:
    """How many products each stage makes, by the stage's field. Their sum is 4·n·d_model² + 2·n²·d_model."""
    s = sizes
    return {
        "Q": s.n * s.d_model * s.h * s.d_k,
        "K": s.n_k * s.d_model * s.h * s.d_k,
        "V": s.n_k * s.d_model * s.h * s.d_v,
        "scores": s.h * s.n * s.n_k * s.d_k,
        "heads": s.h * s.n * s.n_k * s.d_v,
        "output": s.n * s.h * s.d_v * s.d_model,
    }


def between_words(sizes: Sizes) -> int:
    """Multiplications in which words meet: Q Kᵀ and weights V; 2·n²·d_model, whatever h is."""
    made = multiplications(sizes)
    return made["scores"] + made["heads"]


def weights_kept(sizes: Sizes) -> int:
    """Attention weights of all heads, h·n². It is also how many exponentials the softmax takes."""
    return sizes.h * sizes.n * sizes.n_k


def bytes_of_maps(sizes: Sizes, maps: int = 1, bytes_each: int = 8) -> int:
    """Memory of the n × n maps of all heads: `maps` of them are kept (scores, scaled, weights …), in float64 by default."""
    return maps * weights_kept(sizes) * bytes_each
