"""Numbers for JSON, which knows neither infinity nor NaN."""

from math import isfinite


def finite(value: float) -> float | None:
    return float(value) if isfinite(value) else None
