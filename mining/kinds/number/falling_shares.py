"""Makes the shares above the limits of a number fall from limit to limit, and its classes their differences
(docs/mathematics.md, Numbers by classes)."""

from dataclasses import dataclass

import numpy as np

from mining.inference.contingency_table import Floats


@dataclass(frozen=True, slots=True)
class SharesWithEnds:
    """Shares, each with the ends of its interval, NaN where the counts contradict each other."""

    share: Floats
    low: Floats
    high: Floats


def falling_shares(above: SharesWithEnds, classes: SharesWithEnds) -> tuple[SharesWithEnds, SharesWithEnds]:
    """Returns the shares above the limits t_1 .. t_N by isotonic regression in [0, 1], and the shares of the N + 1
    classes as their differences, which add up to 1.

    Intervals are only ever widened: each holds its share, and the ends of those above the limits fall too.
    """
    from scipy.optimize import isotonic_regression  # type: ignore[attr-defined]  # late for cost

    if np.isnan(above.share).any():
        return above, classes
    falling = np.clip(isotonic_regression(above.share, increasing=False).x, 0.0, 1.0)
    differences = -np.diff(np.concatenate(([1.0], falling, [0.0])))
    wide, own = _widened(falling, above), _widened(differences, classes)
    low = np.minimum.accumulate(np.nan_to_num(wide.low, nan=np.inf))
    high = np.maximum.accumulate(np.nan_to_num(wide.high, nan=-np.inf)[::-1])[::-1]
    is_known = ~np.isnan(above.low)
    ends = (np.where(is_known, end, np.nan) for end in (low, high))
    return SharesWithEnds(falling, *ends), own


def _widened(share: Floats, before: SharesWithEnds) -> SharesWithEnds:
    return SharesWithEnds(share, np.minimum(before.low, share), np.maximum(before.high, share))
