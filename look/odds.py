"""Shares as people say them. The number itself always stands beside these words."""

from math import floor, log10

WHOLE = ((1, 2), (1, 3), (2, 3), (1, 4), (3, 4))


def odds(share: float) -> tuple[int, int] | None:
    """Return (m, n) for "about m in n", at most 3 points off; None where there are no odds to speak of."""
    if not 0 < share < 1:
        return None
    for m, n in WHOLE:
        if abs(share - m / n) < 0.005:
            return m, n
    rare = min(share, 1 - share)
    if rare < 0.095:
        n = _round(1 / rare)
        return (1, n) if share < 0.5 else (n - 1, n)
    n = 10 if abs(share * 10 - round(share * 10)) <= 0.3 else 20
    return round(share * n), n


def _round(number: float) -> int:
    """To one figure and a half: 10, 12, 15, 20, 25, 30, 40, 50 … 90 and their tens."""
    ten: int = 10 ** floor(log10(number))
    steps = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9, 10)
    return round(min(steps, key=lambda step: abs(step - number / ten)) * ten)
