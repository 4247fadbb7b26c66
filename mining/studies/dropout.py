"""Tests whether an arm or a drawn version made people leave (docs/mathematics.md, Who left)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import Floats
from mining.inference.intervals import NORMAL_95, two_sided


def arm_dropout(direct: NDArray[Any], disguised: NDArray[Any], share: float) -> dict[str, Floats]:
    """From all records of each arm; `share` is d, the stated share of the direct arm.

    By name: `completion` is q, the direct arm's completion rate over the disguised arm's, with the ends `low` and
    `high` of its 95 % interval, which are NaN where an arm has no record; `z` and `p` test q = 1.
    """
    direct, disguised = np.asarray(direct, np.float64), np.asarray(disguised, np.float64)
    n = direct + disguised
    with np.errstate(divide="ignore", invalid="ignore"):
        completion = direct * (1 - share) / (disguised * share)
        error = np.sqrt(1 / direct + 1 / disguised)
        low, high = completion * np.exp(-NORMAL_95 * error), completion * np.exp(NORMAL_95 * error)
        z = (direct - n * share) / np.sqrt(n * share * (1 - share))
    known = (direct > 0) & (disguised > 0)
    low, high = np.where(known, low, np.nan), np.where(known, high, np.nan)
    return {"completion": completion, "low": low, "high": high, "z": z, "p": two_sided(z)}


def drawn_dropout(counts: NDArray[Any], shares: Floats) -> float:
    """p of a chi-square test of the records by drawn choice against the stated shares."""
    from scipy.special import chdtrc  # late for cost

    expected = counts.sum() * np.asarray(shares)
    return float(chdtrc(len(expected) - 1, ((counts - expected) ** 2 / expected).sum()))
