"""Shares as people say them. The number itself always stands next to these words."""

from math import floor, log10

SMALL = [(1, 2), (1, 3), (2, 3), (1, 4), (3, 4)]
"""Said of what is at most 2.5 points away."""
LARGER = [(m, 10) for m in range(1, 10)] + [(m, n) for n in (6, 7, 8, 9) for m in (1, n - 1)]
"""Said of what is at most 1.5 points away."""


def odds(share: float) -> tuple[int, int] | None:
    """Return (m, n) for "about m in n", at most 3 points off; None where there are no odds to speak of."""
    if not 0 < share < 1:
        return None
    rare = min(share, 1 - share)
    if rare < 0.095:
        n = _round(1 / rare)
        return (1, n) if share < 0.5 else (n - 1, n)
    for said, most in ((SMALL, 0.025), (LARGER, 0.015)):
        m, n = min(said, key=lambda pair: abs(pair[0] / pair[1] - share))
        if abs(m / n - share) <= most:
            return m, n
    return round(share * 20), 20


def _round(number: float) -> int:
    """To one figure and a half: 10, 12, 15, 20, 25, 30, 40, 50 … 90 and their tens."""
    ten: int = 10 ** floor(log10(number))
    steps = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9, 10)
    return round(min(steps, key=lambda step: abs(step - number / ten)) * ten)
