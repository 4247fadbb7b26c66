"""Differences of an answer's share between two sides: waves, versions, arms, or open and disguised people
(docs/mathematics.md, Sums of shares).

One score test gives z, p and interval, so that they cannot contradict each other.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import Floats
from mining.inference.intervals import Interval, two_sided_p
from mining.inference.selection_correction import FamilyCriticalZ, holm
from mining.inference.share_sum_score_test import ReceivedSide, SumOfShares, smallest_detectable_differences


@dataclass(frozen=True)
class Differences:
    """Comparison of two sides, by answer: both shares, their difference (second less first) with its interval, and z
    and p of the test of no difference.

    `holm` is p corrected by Holm over all answers of the comparison; NaN for answers that a plan names. All is NaN if a
    side has too few records.
    """

    first: Floats
    second: Floats
    difference: Floats
    low: Floats
    high: Floats
    z: Floats
    p: Floats
    holm: Floats


def compare_side_shares(
    first: ReceivedSide,
    second: ReceivedSide,
    enough: NDArray[np.bool_],
    *,
    shared: bool = False,
    critical_zs: FamilyCriticalZ | None = None,
) -> Differences:
    """Returns, for each answer, the share of the second side less that of the first, with z, p and interval of one
    score test.

    Rows without `enough` records are NaN. `shared`: the same people may be in both sides, and their answers may
    alternate. `critical_zs` has the critical z of each interval; without it all are of 95 %.
    """
    rows = np.flatnonzero(enough)
    first, second = first.take(rows), second.take(rows)
    test = SumOfShares.from_difference(first, second, shared=shared)
    z = test.z(np.zeros(len(test)))
    shares = [SumOfShares.from_share(side).point_estimate() for side in (first, second)]
    columns = np.full((8, len(enough)), np.nan)
    p = two_sided_p(z)
    planned = critical_zs.planned[rows] if critical_zs else np.zeros(len(rows), np.bool_)
    adjusted = np.full(len(rows), np.nan)
    adjusted[~planned] = holm(p[~planned])
    ends = (
        intervals_by_row(test, replace(critical_zs, planned=planned).critical_z_by_row(z))
        if critical_zs
        else test.interval()
    )
    columns[:, rows] = np.stack([*shares, test.point_estimate(), *ends, z, p, adjusted])
    return Differences(*columns)


def intervals_by_row(test: SumOfShares, critical_zs: Floats) -> Interval:
    """Returns the interval of each row of the test at the row's own critical z."""
    ends = np.empty((2, len(test)))
    for critical_z in np.unique(critical_zs):
        rows = np.flatnonzero(critical_zs == critical_z)
        ends[:, rows] = test.take(rows).interval(float(critical_z))
    return ends[0], ends[1]


def detectable_differences(first: ReceivedSide, second: ReceivedSide, share: Floats) -> tuple[Floats, Floats]:
    """Returns the smallest differences, upwards and downwards, that a test of one answer finds four times out of five.

    The first side has this `share`. NaN where it is not known, and where no difference is found so often.
    """
    rows = np.flatnonzero(np.isfinite(share))
    smallest = np.full((2, len(share)), np.nan)
    smallest[:, rows] = smallest_detectable_differences(
        SumOfShares.from_difference(first.take(rows), second.take(rows)), share[rows]
    )
    return smallest[0], smallest[1]
