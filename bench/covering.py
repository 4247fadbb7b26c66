"""Cell by cell: how often the intervals hold the truth, and how often p is below .05 by chance."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from bench.patterns import Law, Runs, Setting
from mining.reconstruction.supports import Estimator, estimates
from mining.rules.errors import errors, lift_denominator
from mining.rules.sides import Sides, Split, splits

RECORDS = (200, 1_000, 10_000)
SUPPORTS = (0.001, 0.01, 0.05, 0.2, 0.5)
RULE_SUPPORTS = (0.05, 0.2, 0.5)
MECHANISMS = (("0.5", "0.5"), ("0.3", "0.6"))
ITEMSETS = ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2))
"""How many items, in how many sections."""
OPEN_SHARES, MOST_OPEN = (0.1, 0.2, 0.5), 0.8
LEAST_EXPECTED = 2
"""Where the groups are alike, cells in which so many respondents would have S are listed."""
LEAST_BASE_OF_RULES = 1_000
LEAST_ABOVE_FLOOR = 60
"""Cells where base(S) would rarely have the 50 records that it needs are left out."""


@dataclass(frozen=True)
class Cell:
    setting: Setting
    support: float
    n: int

    @property
    def base(self) -> float:
        return self.n * self.setting.asked_all


@dataclass(frozen=True)
class SupportCell(Cell):
    runs: int
    covered: float
    least_width: float


@dataclass(frozen=True)
class RuleCell(Cell):
    """`clear`: by how many of its errors the true denominator is above nothing."""

    measure: str
    split: Split
    runs: int
    covered: float
    clear: float


@dataclass(frozen=True)
class ChanceCell(Cell):
    split: Split
    runs: int
    below: float


def settings(*, rules: bool = False) -> Iterator[Setting]:
    """Itemsets of 1 to 3 items in one and two sections, under every option of a page."""
    for size, sections in ITEMSETS:
        if rules and size == 1:
            continue
        for rotation, hidden, opened, plain, (keep, noise) in product(
            (False, True), (False, True), (False, True), (False, True), MECHANISMS
        ):
            if not plain or size - 1 >= sections:
                yield Setting(size, sections, rotation, hidden, opened, plain, False, keep, noise)


def cells(supports: tuple[float, ...], *, rules: bool = False) -> Iterator[Cell]:
    for setting, support, n in product(settings(rules=rules), supports, RECORDS):
        cell = Cell(setting, support, n)
        if cell.base >= LEAST_ABOVE_FLOOR:
            yield cell


def alike_cells(*, elsewhere: bool = False) -> Iterator[Cell]:
    """Open answerers who are like the others: itemsets of 1 and 2 items of which all are asked, or everything else."""
    shares = (*OPEN_SHARES, MOST_OPEN)
    for (size, sections), rotation, share, (keep, noise) in product(
        ITEMSETS, (False, True), shares, MECHANISMS
    ):
        setting = Setting(
            size, sections, rotation, opened=True, keep=keep, noise=noise, alike=True, share=share
        )
        is_listed = size < 3 and not rotation and share in OPEN_SHARES
        for support, n in product(SUPPORTS, RECORDS):
            cell = Cell(setting, support, n)
            if cell.base >= LEAST_ABOVE_FLOOR and elsewhere is not (
                is_listed and n * support >= LEAST_EXPECTED
            ):
                yield cell


def support_cell(
    cell: Cell, runs: int, rng: np.random.Generator, estimator: Estimator = "stratified"
) -> SupportCell:
    tally = Runs(Law(cell.setting, cell.support), cell.n, runs, rng).tally
    found = estimates(tally, estimator, cell.n)
    low, high = found["low"][tally.enough], found["high"][tally.enough]
    covered = (low <= cell.support) & (cell.support <= high)
    return SupportCell(
        cell.setting,
        cell.support,
        cell.n,
        len(covered),
        float(covered.mean()),
        float((high - low).min()),
    )


def rule_cells(cell: Cell, runs: int, rng: np.random.Generator) -> Iterator[RuleCell]:
    """Confidence both ways and lift, of every split."""
    law = Law(cell.setting, cell.support)
    simulated = Runs(law, cell.n, runs, rng)
    enough = simulated.tally.enough
    sides = Sides(simulated.group, simulated.known.laws, simulated.for_rules, "stratified")
    whole = law.share(sides.whole)
    for split in splits(simulated.group.shape):
        found = errors(sides, split)
        a, c = (law.share(side) for side in split)
        _, spread = lift_denominator(sides, split)
        clear = a * c / float(np.sqrt(np.median(spread)))
        for way, below in ((0, a), (1, c)):
            bounds = found.confidence[way]
            yield _rule_cell(cell, "confidence", split, bounds, whole / below, enough, np.inf)
        yield _rule_cell(cell, "lift", split, found.lift, whole / (a * c), enough, clear)


def _rule_cell(
    cell: Cell,
    measure: str,
    split: Split,
    bounds: tuple[NDArray[np.float64], NDArray[np.float64]],
    truth: float,
    enough: NDArray[np.bool_],
    clear: float,
) -> RuleCell:
    usable = enough & np.isfinite(bounds[0])
    low, high = bounds[0][usable], bounds[1][usable]
    covered = float(((low <= truth) & (truth <= high)).mean()) if usable.any() else np.nan
    return RuleCell(cell.setting, cell.support, cell.n, measure, split, int(usable.sum()), covered, clear)


def chance_cells(cell: Cell, runs: int, rng: np.random.Generator) -> Iterator[ChanceCell]:
    """How often p is below .05 although the sides are independent."""
    law = Law(cell.setting, cell.support)
    simulated = Runs(law, cell.n, runs, rng)
    enough = simulated.tally.enough
    sides = Sides(simulated.group, simulated.known.laws, simulated.for_rules, "stratified")
    for split in splits(simulated.group.shape):
        a, c = (law.share(side) for side in split)
        if abs(law.share(sides.whole) - a * c) < 1e-12:
            p = errors(sides, split).p[enough]
            yield ChanceCell(cell.setting, cell.support, cell.n, split, len(p), float((p < 0.05).mean()))
