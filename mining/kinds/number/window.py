"""The distribution of a number that the law R3 disguised (docs/mathematics.md, Likeliest distribution)."""

from dataclasses import dataclass

import numpy as np

from mining.inference.contingency_table import Floats
from mining.kinds.counted import Likeliest
from mining.kinds.number.floors import Counts, enough
from privacy.kinds.number.window.inverse import blurred, modes
from privacy.kinds.number.window.law import BANDED, WindowLaw

STEPS = 1_000
PER_KERNEL = 100
"""Of so many values each step is smoothed once more."""


@dataclass(frozen=True, slots=True)
class WindowEstimate:
    """Distributions by value, each with sum 1.

    `received`: the records as received. `blurred`: the distribution blurred by the Fejer kernel of so many `modes`;
    `low` and `high` are its 95 % bands, point by point, NaN with fewer than BANDED records. `illustration`: the
    likeliest distribution, smoothed, without bands.
    """

    received: Floats
    blurred: Floats
    low: Floats
    high: Floats
    illustration: Floats
    modes: int


def estimate_window(law: WindowLaw, counts: Counts, *, illustrated: bool = True) -> WindowEstimate | None:
    """From the records by group (open, disguised) and value; None below the floors.

    Where no illustration is wanted it is NaN.
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


def likeliest_distribution(law: WindowLaw, counts: Counts) -> Likeliest:
    """Expectation maximisation from even shares on, smoothed in each step, until the records fit as well as the truth.

    The misfit is chi square of the disguised records, at the truth V - 1.

    More steps would fit chance. Open answers are exact observations in the same likelihood: this assumes that the
    groups are alike.
    """
    opened, disguised = counts.astype(np.float64)
    share = np.full(law.values, 1 / law.values)
    received = _disguised(law, share)
    misfit, taken = _misfit(disguised, received), 0
    while taken < STEPS and (misfit > law.values - 1 or (not taken and opened.any())):
        share = _smoothed(share * _disguised(law, disguised / received) + opened)
        received = _disguised(law, share)
        misfit, taken = _misfit(disguised, received), taken + 1
    return Likeliest(share, taken, misfit)


def _misfit(records: Floats, received: Floats) -> float:
    expected = records.sum() * received
    return float(((records - expected) ** 2 / np.where(expected > 0, expected, 1.0)).sum())


def _smoothed(share: Floats) -> Floats:
    """To sum 1, then by the kernel [1/4, 1/2, 1/4] once for each hundred values, the ends mirrored."""
    from scipy.fft import dct, idct  # late for cost

    values = len(share)
    share = share / share.sum()
    if values < PER_KERNEL:
        return share
    damping = np.cos(np.pi * np.arange(values) / (2 * values)) ** (2 * (values // PER_KERNEL))
    # The cosines are the kernel's own vectors; what rounding leaves below 0 is nothing.
    return np.asarray(np.maximum(idct(dct(share) * damping), 0.0))


def _disguised(law: WindowLaw, values: Floats) -> Floats:
    """SUM_x values(x) P(y|x) by y. R3 is symmetric, so this is also the sum over y by x."""
    width = 2 * law.half + 1
    around = np.concatenate((values[law.values - law.half :], values, values[: law.half]))
    sums = np.cumsum(around)
    windows = sums[width - 1 :].copy()
    windows[1:] -= sums[:-width]
    u = float(law.windowed)
    return np.asarray(windows * (u / width) + values.sum() * ((1 - u) / law.values))
