"""Converts numbers for JSON, which knows neither infinity nor NaN."""

from math import isfinite
from typing import Any

import numpy as np

PLACES = 9
"""Decimal places of the stored estimates of a sensitive number or place."""


def finite_or_none(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def round_or_none(values: Any) -> list[float | None]:
    return [finite_or_none(value) for value in np.round(values, PLACES).tolist()]
