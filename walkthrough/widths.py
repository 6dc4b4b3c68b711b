"""The arithmetic of d_model, h and d_v: which widths fit together, and what happens where they do not."""

from dataclasses import dataclass

from mha_core.parameters import head_width, legal_heads


@dataclass(frozen=True)
class Widths:
    """One choice of sizes. `d_v` is what a head hands over; `fits` says whether h divides d_model."""

    d_model: int
    h: int
    d_v: int

    @property
    def fits(self) -> bool:
        return self.d_model % self.h == 0

    @property
    def is_even_share(self) -> bool:
        """Whether d_v is what sharing d_model evenly would give, remainder or not (and at least 1)."""
        return self.d_v == max(1, self.share)

    @property
    def share(self) -> int:
        """What each head gets of d_model, rounded down."""
        return self.d_model // self.h

    @property
    def left_over(self) -> int:
        return self.d_model % self.h

    @property
    def concat(self) -> int:
        return self.h * self.d_v

    @property
    def refusal(self) -> str:
        """Why d_model cannot be shared, with the legal h; "" where it can."""
        try:
            head_width(self.d_model, self.h)
        except ValueError as reason:
            return str(reason)
        return ""

    @property
    def legal(self) -> tuple[int, ...]:
        return legal_heads(self.d_model)


def lanes(h: int, width: int, most: int = 12) -> list[tuple[int, int, int] | None]:
    """(head, first column, last column) of every band, all counted from 1; None stands for those left out."""
    if h <= most:
        return [(i + 1, i * width + 1, (i + 1) * width) for i in range(h)]
    shown = [(i + 1, i * width + 1, (i + 1) * width) for i in range(most - 2)]
    return [*shown, None, (h, (h - 1) * width + 1, h * width)]
