"""Enough digits to tell: the rule by which a number becomes text. Its twin is in rules.js; a test compares the two."""

from decimal import ROUND_HALF_UP, Decimal
from math import inf, isnan

MINUS, RAISED = "−", str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def digits(x: float) -> str:
    """The text of a number: 0.42, −1.07, 2.0·10⁻²³, >0.9999, −∞.

    Never 0.00 for what is not zero, nor 1.00 for what is less than 1.
    """
    x = float(x)
    if isnan(x):
        return "not a number"
    text = _size(abs(x))
    if x >= 0:
        return text
    return f"<{MINUS}{text[1:]}" if text.startswith(">") else MINUS + text


def _size(a: float) -> str:
    if a == inf:
        return "∞"
    if a < 1e5 and a == int(a):
        return str(int(a))
    if a < 1e-3 or a >= 1e5:
        return _scientific(a)
    text = _fixed(a, next(places for least, places in ((1000, 0), (100, 1), (0.1, 2), (0.01, 3), (0, 4)) if a >= least))
    if a > 1 or float(text) < 1:
        return text
    closer = next((t for t in (_fixed(a, 3), _fixed(a, 4)) if float(t) < 1), None)
    return closer or ">0.9999"


def _fixed(a: float, places: int) -> str:
    # Halves go up, as in JavaScript's toFixed: both round the exact binary value.
    return str(Decimal(a).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def _scientific(a: float) -> str:
    exact = Decimal(a)
    power = exact.adjusted()
    mantissa = exact.scaleb(-power).quantize(Decimal("0.1"), ROUND_HALF_UP)
    if mantissa >= 10:
        mantissa, power = Decimal("1.0"), power + 1
    return f"{mantissa}·10{str(power).translate(RAISED)}"
