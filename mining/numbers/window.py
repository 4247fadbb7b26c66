"""The distribution of a number that the law R3 disguised (docs/mathematics.md, Likeliest distribution)."""

from dataclasses import dataclass

import numpy as np

from mining.inference.contingency_table import Floats
from mining.numbers.floors import Counts, enough
from privacy.kinds.number.inverse import blurred, modes
from privacy.kinds.number.window import BANDED, WindowLaw

STEPS = 1_000
GAP = 1e-9
"""Expectation maximisation ends where no distribution has a mean log likelihood of a record this much higher."""


@dataclass(frozen=True, slots=True)
class WindowEstimate:
    """Distributions by value, each with sum 1.

    `received`: the records as received. `blurred`: the distribution blurred by the Fejer kernel of so many `modes`;
    `low` and `high` are its 95 % bands, point by point, NaN with fewer than BANDED records. `illustration`: the
    likeliest distribution, without bands.
    """

    received: Floats
    blurred: Floats
    low: Floats
    high: Floats
    illustration: Floats
    modes: int


def estimate_window(law: WindowLaw, counts: Counts, *, illustrated: bool = True) -> WindowEstimate | None:
    """From the records by group (open, disguised) and value; None below the floors.

    About .1 s for 1,001 values, nearly all of it for the illustration; where none is wanted it is NaN.
    """
    if not enough(counts.sum(axis=1)):
        return None
    records = counts.astype(np.float64)
    n = records.sum()
    fejer = blurred(law, records[1], records[0])
    none = np.full(law.values, np.nan)
    low, high = (fejer.low, fejer.high) if n >= BANDED else (none, none)
    return WindowEstimate(
        records.sum(axis=0) / n,
        fejer.share,
        low,
        high,
        likeliest_distribution(law, counts).share if illustrated else none,
        modes(law),
    )


@dataclass(frozen=True, slots=True)
class LikeliestDistribution:
    """`share` by value after so many `steps`; no distribution's mean log likelihood is higher by more than `gap`."""

    share: Floats
    steps: int
    gap: float


def likeliest_distribution(law: WindowLaw, counts: Counts, steps: int = STEPS) -> LikeliestDistribution:
    """Expectation maximisation from even shares on, at most so many steps; ends where the gap is below GAP.

    Open answers are exact observations in the same likelihood: this assumes that the groups are alike.
    """
    opened, disguised = counts / counts.sum()
    share = np.full(law.values, 1 / law.values)
    slope = _slope(law, opened, disguised, share)
    taken = 0
    while taken < steps and slope.max() >= 1 + GAP:
        share = share * slope
        slope = _slope(law, opened, disguised, share)
        taken += 1
    return LikeliestDistribution(share, taken, float(slope.max()) - 1)


def _slope(law: WindowLaw, opened: Floats, disguised: Floats, share: Floats) -> Floats:
    """By value, how fast the mean log likelihood of a record rises with the share; a step multiplies the share by it.

    The likelihood is concave and the mean slope is 1, so that no distribution is better by more than the largest
    slope minus 1.
    """
    slope = _disguised(law, disguised / _disguised(law, share))
    known = np.flatnonzero(opened)
    slope[known] += opened[known] / share[known]
    return slope


def log_likelihood(law: WindowLaw, counts: Counts, share: Floats) -> float:
    """The mean over the records of the log of how likely each is if the numbers have these shares."""
    chances = np.stack([share, _disguised(law, share)])
    seen = counts > 0
    return float((counts[seen] * np.log(chances[seen])).sum() / counts.sum())


def _disguised(law: WindowLaw, values: Floats) -> Floats:
    """SUM_x values(x) P(y|x) by y. R3 is symmetric, so this is also the sum over y by x."""
    width = 2 * law.half + 1
    around = np.concatenate((values[law.values - law.half :], values, values[: law.half]))
    sums = np.cumsum(around)
    windows = sums[width - 1 :].copy()
    windows[1:] -= sums[:-width]
    u = float(law.windowed)
    return np.asarray(windows * (u / width) + values.sum() * ((1 - u) / law.values))
