"""A number as figures write it: the sheet's rule, with the masked score named."""

from math import inf

from walkthrough.sheet.digits import digits as bare_digits


def digits(x: float) -> str:
    """0.42, −1.07, 2.0·10⁻²³, >0.9999; a masked score reads −∞ (masked)."""
    text = bare_digits(x)
    return f"{text} (masked)" if x == -inf else text
