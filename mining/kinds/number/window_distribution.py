"""Estimates the distribution of a window number, disguised by the law R3 (docs/mathematics.md, Likeliest
distribution).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from mining.inference.contingency_table import Floats
from mining.kinds.counted_kind import LikeliestShares
from mining.kinds.minimum_record_counts import Counts, has_enough_records
from privacy.kinds.number.window.law import BANDED, WindowLaw
from privacy.kinds.number.window.smoothed_distribution_estimate import (
    count_shown_modes,
    estimate_distribution,
)

STEPS, PATIENCE = 1_000, 50
"""Largest number of steps of the fit; number of steps without a better fit that ends the search."""
LEAST_OF_BIN = 20
"""Expected number of records of one half in a bin, if all values were equally frequent."""
HALVES_SEED = 0
"""Seed of the random halves of the records: the same records are always divided in the same way."""
PER_KERNEL = 100
"""Number of values for each smoothing: a step smooths once per hundred values."""


@dataclass(frozen=True, slots=True)
class WindowEstimate:
    """Distributions by value of a window number, each with sum 1.

    `received`: of the records as received. `blurred`: estimated, and blurred by the Fejer kernel of so many
    `modes`; `low` and `high` are its 95 % bands, point by point, NaN with fewer than BANDED records.
    `illustration`: the likeliest distribution, smoothed, without bands.
    """

    received: Floats
    blurred: Floats
    low: Floats
    high: Floats
    illustration: Floats
    modes: int


def estimate_window(law: WindowLaw, counts: Counts, *, illustrated: bool = True) -> WindowEstimate | None:
    """Estimates the distribution from counts by group (open, disguised) and value; None if there are too few records.

    The illustration is NaN unless `illustrated`.
    """
    if not has_enough_records(counts.sum(axis=1)):
        return None
    records = counts.astype(np.float64)
    n = records.sum()
    fejer = estimate_distribution(law, records[1], records[0])
    none = np.full(law.values, np.nan)
    low, high = (fejer.low, fejer.high) if n >= BANDED else (none, none)
    return WindowEstimate(
        records.sum(axis=0) / n,
        fejer.share,
        low,
        high,
        likeliest_distribution(law, counts).share if illustrated else none,
        count_shown_modes(law),
    )


def likeliest_distribution(law: WindowLaw, counts: Counts, steps: int | None = None) -> LikeliestShares:
    """Fits the maximum-likelihood distribution by expectation maximisation from equal shares, smoothed in each step.

    By default cross-validation chooses the number of steps; more would overfit. Open answers are exact observations in
    the same likelihood, which assumes that the groups are alike.
    """
    records = counts.astype(np.float64)
    taken = _choose_step_count(law, counts) if steps is None else steps
    share = next(islice(_shares_by_step(law, records), taken, None))
    return LikeliestShares(share, taken)


def _choose_step_count(law: WindowLaw, counts: Counts) -> int:
    """Returns the number of steps that cross-validation chooses: fitted on one half of the records, judged on the
    other, both ways."""
    first = np.random.default_rng(HALVES_SEED).binomial(counts, 0.5)
    halves = first.astype(np.float64), (counts - first).astype(np.float64)
    width = -(-2 * LEAST_OF_BIN * law.values // max(int(counts.sum()), 1))
    starts = np.arange(0, law.values, width)
    others = [np.add.reduceat(half, starts, axis=1) for half in reversed(halves)]
    best, most = 0, -np.inf
    by_step = zip(*(_shares_by_step(law, half) for half in halves), strict=True)
    for taken, shares in enumerate(islice(by_step, STEPS + 1)):
        fit = sum(
            _log_likelihood(other, np.add.reduceat([share, _apply_law(law, share)], starts, axis=1))
            for other, share in zip(others, shares, strict=True)
        )
        if fit > most:
            best, most = taken, fit
        elif taken - best >= PATIENCE:
            break
    return best


def _log_likelihood(records: Floats, chances: Floats) -> float:
    """Returns the log likelihood of the records; -inf if some lie in bins of probability 0."""
    some = records > 0
    with np.errstate(divide="ignore"):
        return float((records[some] * np.log(chances[some])).sum())


def _shares_by_step(law: WindowLaw, records: Floats) -> Iterator[Floats]:
    """Yields the fitted shares after 0, 1, 2 and so on steps of expectation maximisation, without end."""
    opened, disguised = records
    share = np.full(law.values, 1 / law.values)
    while True:
        yield share
        share = _smooth(share * _apply_law(law, disguised / _apply_law(law, share)) + opened)


def _smooth(share: Floats) -> Floats:
    """Scales the shares to sum 1, then smooths them by [1/4, 1/2, 1/4] once per hundred values, the ends mirrored."""
    from scipy.fft import dct, idct  # late for cost

    values = len(share)
    share = share / share.sum()
    if values < PER_KERNEL:
        return share
    damping = np.cos(np.pi * np.arange(values) / (2 * values)) ** (2 * (values // PER_KERNEL))
    # The cosines are the kernel's own vectors; what rounding leaves below 0 is nothing.
    return np.asarray(np.maximum(idct(dct(share) * damping), 0.0))


def _apply_law(law: WindowLaw, values: Floats) -> Floats:
    """Returns the values after the disguise: SUM_x values(x) P(y|x), for each y. The law R3 is symmetric, so this is
    also the sum over y for each x."""
    width = 2 * law.half + 1
    around = np.concatenate((values[law.values - law.half :], values, values[: law.half]))
    sums = np.cumsum(around)
    windows = sums[width - 1 :].copy()
    windows[1:] -= sums[:-width]
    u = float(law.windowed)
    return np.asarray(windows * (u / width) + values.sum() * ((1 - u) / law.values))
