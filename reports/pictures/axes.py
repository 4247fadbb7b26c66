"""Round numbers for axes of shares."""

from collections.abc import Sequence
from math import ceil, floor, log10

CLOSE = 0.95
"""A step may be so much smaller than wanted: a share just above 100 % does not change the axis."""
FEW_TIMES = 5.0
"""Shares that differ by this factor or more are spread out by a logarithmic axis."""
STEPS = (1, 2, 5)
"""The labels of a logarithmic axis in each power of ten."""


def ticks(low: float, high: float, most: int) -> list[float]:
    """Round values from low to high, about so many steps apart."""
    raw = (high - low) / most
    power = 10 ** floor(log10(raw))
    step = next(step * power for step in (1, 2, 5, 10) if step * power >= raw * CLOSE)
    return [k * step for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def share_marks(values: Sequence[float | None]) -> list[float]:
    """Round shares from 0, or from the noise below it, to the largest, at most 100 %."""
    known = [value for value in values if value is not None]
    low, high = min([0.0, *known]), min(max([0.05, *known]), 1.0)
    marks = ticks(low, high, 6)
    step = marks[1] - marks[0]
    return [place * step for place in range(floor(low / step + 1e-9), ceil(high / step - 1e-9) + 1)]


def helps_log(shares: Sequence[float]) -> bool:
    return min(shares) > 0 and max(shares) >= FEW_TIMES * min(shares)


def log_ticks(low: float, high: float) -> list[float]:
    """Round numbers between these two."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    every = (round(step * 10.0**power, 12) for power in powers for step in STEPS)
    return [one for one in every if low <= one <= high]
