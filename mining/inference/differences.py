"""Differences of one answer's share between two sides: waves, versions, arms, open and disguised people.

docs/mathematics.md, Sums of shares. One score test gives z, p and interval, so that they cannot contradict each other.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import Floats
from mining.inference.intervals import two_sided
from mining.inference.selection import holm
from mining.inference.sums_of_shares import Side, SumOfShares, smallest_differences


@dataclass(frozen=True)
class Differences:
    """By answer the share of each side, second less first, its 95 % interval, z and p of no difference.

    `holm` is p after Holm over all answers here. Where a side has too few records all is NaN.
    """

    first: Floats
    second: Floats
    difference: Floats
    low: Floats
    high: Floats
    z: Floats
    p: Floats
    holm: Floats


def compare(first: Side, second: Side, enough: NDArray[np.bool_], *, shared: bool = False) -> Differences:
    """The second side's share less the first's by answer, by one score test of z, p and interval.

    In the rows with `enough` records; `shared`: people may be in both sides, and their answers may alternate.
    """
    rows = np.flatnonzero(enough)
    first, second = first.take(rows), second.take(rows)
    test = SumOfShares.difference(first, second, shared=shared)
    z = test.z(np.zeros(len(test)))
    shares = [SumOfShares.share(side).at_zero() for side in (first, second)]
    columns = np.full((8, len(enough)), np.nan)
    p = two_sided(z)
    columns[:, rows] = np.stack([*shares, test.at_zero(), *test.interval(), z, p, holm(p)])
    return Differences(*columns)


def smallest_found(first: Side, second: Side, share: Floats) -> tuple[Floats, Floats]:
    """The smallest differences, more and fewer, that a test of one answer finds four times out of five.

    The first side has this `share`; NaN where it is not known, and where no difference is found so often.
    """
    rows = np.flatnonzero(np.isfinite(share))
    smallest = np.full((2, len(share)), np.nan)
    smallest[:, rows] = smallest_differences(
        SumOfShares.difference(first.take(rows), second.take(rows)), share[rows]
    )
    return smallest[0], smallest[1]
