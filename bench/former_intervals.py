"""The plug-in intervals that the score test replaced, for comparing widths: Wilson mapped, and Fieller."""

import numpy as np

from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, PLAIN, ContingencyTable, Floats
from mining.inference.intervals import NORMAL_95, Interval
from mining.inference.score import SplitTests
from mining.rules.weighted import Ratio


def support(table: ContingencyTable) -> Interval:
    """Each group's Wilson interval mapped through the inverse, both put together."""
    z = table.score((ANTECEDENT, CONSEQUENT))
    mean, second = ((table.received * z**power).sum(axis=0) for power in (1, 2))
    slope = np.ones((2, len(table)))
    for section, of in table.by_section((ANTECEDENT, CONSEQUENT)):
        if section != PLAIN:
            p = table.keep[section]
            slope[1] *= (1 - 2 * (1 - p) * table.noise[of].prod(axis=0)) / p
    level = NORMAL_95**2 / np.maximum(table.n, 1)
    middle = 2 * mean + level * slope
    root = np.sqrt(np.maximum(middle**2 - 4 * (1 + level) * (mean**2 - level * (second - slope * mean)), 0.0))
    low, high = (middle - root) / (2 * (1 + level)), (middle + root) / (2 * (1 + level))
    weight = table.weight
    estimate = (weight * mean).sum(axis=0)
    between = weight[0] * weight[1] * (NORMAL_95 * (mean[0] - mean[1])) ** 2 / np.maximum(table.records, 1)
    below = np.sqrt(((weight * (mean - low)) ** 2).sum(axis=0) + between)
    above = np.sqrt(((weight * (high - mean)) ** 2).sum(axis=0) + between)
    return np.clip(estimate - below, 0, 1), np.clip(estimate + above, 0, 1)


def confidence(tests: SplitTests, side: int) -> Interval:
    a, s = tests.supports[side], tests.supports[2]
    ratio = Ratio(s, a, tests.covariance(2, 2), tests.covariance(side, side), tests.covariance(side, 2))
    low, high = ratio.interval()
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


def lift(tests: SplitTests) -> Interval:
    a, c, s = tests.supports
    aa, cc, ac = tests.covariance(0, 0), tests.covariance(1, 1), tests.covariance(0, 1)
    spread: Floats = c**2 * aa + a**2 * cc + 2 * a * c * ac + aa * cc + ac**2
    cov = c * tests.covariance(0, 2) + a * tests.covariance(1, 2)
    return Ratio(s, a * c - ac, tests.covariance(2, 2), spread, cov).interval()
