"""Cell by cell: how often intervals hold the truth, how wide they are, and how often p is below .05 by chance."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from bench import former_intervals
from bench.drawn_tables import Cell, Layout, Mechanism, itemset, rule
from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, PLAIN
from mining.inference.intervals import Interval, lift_interval, share_interval, two_sided
from mining.inference.score import SplitTests, support_test

KEEPS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
NOISES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95)
RECORDS = (60, 200, 1_000, 5_000)
SUPPORTS = (0.003, 0.02, 0.1, 0.3, 0.6, 0.9, 0.999)
OPEN = (0.0, 0.3, 0.9)
AGAIN_BELOW = 0.93
LEAST_USED = 0.5
"""Cells of which fewer runs are above the floors say nothing."""

A, C = ANTECEDENT, CONSEQUENT
ITEMSETS = (
    Layout("1 item", ((A, 0, 1),)),
    Layout("2 items, one section", ((A, 0, 2),)),
    Layout("2 items, two sections", ((A, 0, 1), (A, 1, 1))),
    Layout("3 items, one section", ((A, 0, 3),)),
    Layout("3 items, two sections", ((A, 0, 2), (A, 1, 1))),
    Layout("3 items, three sections", ((A, 0, 1), (A, 1, 1), (A, 2, 1))),
    Layout("plain and 1 item", ((A, PLAIN, 1), (A, 0, 1))),
    Layout("plain and 2 items, one section", ((A, PLAIN, 1), (A, 0, 2))),
    Layout("plain and 2 items, two sections", ((A, PLAIN, 1), (A, 0, 1), (A, 1, 1))),
)
RULES = (
    Layout("one section", ((A, 0, 1), (C, 0, 1))),
    Layout("two sections", ((A, 0, 1), (C, 1, 1))),
    Layout("plain to sensitive", ((A, PLAIN, 1), (C, 0, 1))),
    Layout("sensitive to plain", ((C, PLAIN, 1), (A, 0, 1))),
    Layout("two items to one, one section", ((A, 0, 2), (C, 0, 1))),
    Layout("two sections to a third", ((A, 0, 1), (A, 1, 1), (C, 2, 1))),
    Layout("plain and sensitive to sensitive", ((A, PLAIN, 1), (A, 0, 1), (C, 1, 1))),
    Layout("plain to plain", ((A, PLAIN, 1), (C, PLAIN, 1))),
)
ANTECEDENTS = (0.05, 0.3, 0.7, 0.95)
CONFIDENCES = (0.05, 0.3, 0.6, 0.9, 1.0)
WITHOUT = (0.05, 0.5, 0.9)


@dataclass(frozen=True)
class Measured:
    """One cell: the share of `used` runs whose interval held the truth, its median width, and the former one's.

    `null` is the share of runs above the floors in which there was no interval.
    """

    cell: Cell
    measure: str
    truth: float
    used: int
    null: float
    covered: float
    width: float
    former_covered: float
    former_width: float


@dataclass(frozen=True)
class Chance:
    """One cell of independent sides: how many of the p values were below .05."""

    cell: Cell
    used: int
    below: float


def mechanisms() -> Iterator[Mechanism]:
    for keep, noise, n, k in product(KEEPS, NOISES, RECORDS, OPEN):
        yield Mechanism(keep, noise, n, k)


def itemset_cells() -> Iterator[Cell]:
    for layout, mechanism, support in product(ITEMSETS, mechanisms(), SUPPORTS):
        yield itemset(layout, mechanism, support)


def rule_cells() -> list[tuple[Layout, Mechanism, float, float, float]]:
    return list(product(RULES, mechanisms(), ANTECEDENTS, CONFIDENCES, WITHOUT))


def chance_cells() -> list[tuple[Layout, Mechanism, float, float]]:
    return list(product(RULES, mechanisms(), (0.05, 0.3, 0.7), (0.05, 0.3, 0.7)))


def is_ordinary(cell: Cell) -> bool:
    of = cell.mechanism
    return 0.2 <= of.noise <= 0.8 and of.keep >= 0.2 and of.n >= 200


def support_cell(cell: Cell, runs: int, rng: np.random.Generator) -> Measured:
    table = cell.draw(runs, rng)
    if not len(table):
        return Measured(cell, "support", cell.share(), 0, 0.0, *[np.nan] * 4)
    found, former = share_interval(support_test(table)), former_intervals.support(table)
    return _measured(cell, "support", cell.share(), len(table), found, former)


def rule_cell(
    of: tuple[Layout, Mechanism, float, float, float], runs: int, rng: np.random.Generator
) -> Iterator[Measured]:
    """Confidence of A -> C, and lift."""
    cell = rule(*of)
    table = cell.draw(runs, rng)
    if not len(table):
        return
    tests = SplitTests(table)
    a, c, s = cell.share(A), cell.share(C), cell.share()
    confidence = share_interval(tests.confidence(A))
    former = former_intervals.confidence(tests, A)
    yield _measured(cell, "confidence", s / a, len(table), confidence, former)
    lift = lift_interval(tests.lift(), tests.lacking())
    # A lift without an upper end holds whatever lies above its lower one.
    low, high = lift[0], np.where(np.isnan(lift[1]) & ~np.isnan(lift[0]), np.inf, lift[1])
    yield _measured(cell, "lift", s / (a * c), len(table), (low, high), former_intervals.lift(tests))


def chance_cell(of: tuple[Layout, Mechanism, float, float], runs: int, rng: np.random.Generator) -> Chance:
    layout, mechanism, a, c = of
    cell = rule(layout, mechanism, a, c, c)
    table = cell.draw(runs, rng)
    if not len(table):
        return Chance(cell, 0, np.nan)
    p = two_sided(SplitTests(table).lift().z(np.ones(len(table))))
    return Chance(cell, len(p), float((p < 0.05).mean()) if len(p) else np.nan)


def _measured(
    cell: Cell, measure: str, truth: float, above_floors: int, found: Interval, former: Interval
) -> Measured:
    low, high = found
    usable = np.isfinite(low)
    rounding = 1e-9
    held = (low <= truth + rounding) & (truth <= high + rounding)
    both = usable & np.isfinite(former[0]) & np.isfinite(high)
    former_held = (former[0] <= truth) & (truth <= former[1])
    width = high - low
    return Measured(
        cell,
        measure,
        truth,
        int(usable.sum()),
        1 - float(usable.sum()) / max(above_floors, 1),
        float(held[usable].mean()) if usable.any() else np.nan,
        float(np.median(width[both])) if both.any() else np.nan,
        float(former_held[both].mean()) if both.any() else np.nan,
        float(np.median((former[1] - former[0])[both])) if both.any() else np.nan,
    )
