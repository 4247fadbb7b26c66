"""Coverage under the options of a page: rotation, show-if, plain items, and the estimators that assume alike groups."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from bench.coverage.patterns import SHOWN, Law, Runs, Setting
from bench.coverage.section import Measures, Value, held
from mining.inference.intervals import Interval, lift_interval, share_interval
from mining.inference.score_test import SIDES, SplitTests, support_test
from mining.reconstruction.supports import Estimator, weighted_estimates
from mining.rules.itemset_splits import list_splits

ASSUMING: tuple[Estimator, ...] = ("pooled", "combined")
RECORDS = (200, 1_000, 10_000)
SUPPORTS = (0.001, 0.01, 0.05, 0.2, 0.5)
RULE_SUPPORTS = (0.05, 0.2, 0.5)
MECHANISMS = (("0.5", "0.5"), ("0.3", "0.6"))
ITEMSETS = ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2))
"""How many items, in how many sections."""
OPEN_SHARES, MOST_OPEN = (0.1, 0.2, 0.5), 0.8
LEAST_EXPECTED = 2
"""Where the groups are alike, cells in which so many respondents would have S are listed."""
LEAST_ABOVE_FLOOR = 60
"""Cells where base(S) would rarely have the 50 records that it needs are left out."""


@dataclass(frozen=True)
class Cell:
    setting: Setting
    support: float
    n: int

    @property
    def is_above_floor(self) -> bool:
        return self.n * self.setting.asked_all >= LEAST_ABOVE_FLOOR

    def __str__(self) -> str:
        of = self.setting
        options = {
            "rotation": of.rotation,
            "show-if": of.hidden,
            f"{of.share:.0%} open": of.some_open,
            "one plain": of.plain,
        }
        where = f"{of.size} items, sections: {of.sections}, keep {of.keep}, noise {of.noise}"
        return ", ".join([where, *(name for name in options if options[name]), f"{self.n:,} respondents"])


def cells(supports: tuple[float, ...] = SUPPORTS, *, rules: bool = False) -> Iterator[Cell]:
    """Itemsets of 1 to 3 items in one and two sections, under every option of a page."""
    either = (False, True)
    for (size, sections), *options, (keep, noise) in product(ITEMSETS[rules:], *(either,) * 4, MECHANISMS):
        rotation, hidden, some_open, plain = options
        if (rotation or hidden) and (not plain or size - 1 >= sections):
            setting = Setting(size, sections, rotation, hidden, some_open, plain, keep, noise)
            every = (Cell(setting, support, n) for support, n in product(supports, RECORDS))
            yield from (cell for cell in every if cell.is_above_floor)


def rule_cells() -> Iterator[Cell]:
    return cells(RULE_SUPPORTS, rules=True)


def alike_cells(*, elsewhere: bool = False) -> Iterator[Cell]:
    """Open answerers who are like the others: itemsets of 1 and 2 items of which all are asked, or everything else."""
    shares = (*OPEN_SHARES, MOST_OPEN)
    for itemset, rotation, share, mechanism in product(ITEMSETS, (False, True), shares, MECHANISMS):
        (size, sections), (keep, noise) = itemset, mechanism
        setting = Setting(size, sections, rotation, False, True, False, keep, noise, alike=True, share=share)
        is_listed = size < 3 and not rotation and share in OPEN_SHARES
        for support, n in product(SUPPORTS, RECORDS):
            cell = Cell(setting, support, n)
            if cell.is_above_floor and elsewhere is not (is_listed and n * support >= LEAST_EXPECTED):
                yield cell


def support_cell(cell: Cell, runs: int, rng: np.random.Generator) -> Iterator[Value]:
    """The share of base(S), and behind show-if that among those shown all of S."""
    simulated = Runs(Law(cell.setting, cell.support), cell.n, runs, rng)
    law, shape = simulated.law, simulated.group.shape
    # What joins plain and sensitive items is of the disguised alone.
    truth = law.share(shape.all_positions, 1 if shape.uses_disguised_only else None)
    yield _covered(cell, "support", share_interval(support_test(simulated.support_table())), truth)
    if cell.setting.hidden:
        shown = share_interval(support_test(simulated.support_table(shown=True)))
        yield _covered(cell, "share among those shown", shown, truth / SHOWN)


def rule_cell(cell: Cell, runs: int, rng: np.random.Generator) -> Iterator[Value]:
    """Confidence both ways and lift, of every split, among those shown all of S."""
    simulated = Runs(Law(cell.setting, cell.support), cell.n, runs, rng)
    law, shape = simulated.law, simulated.group.shape
    group = 1 if shape.uses_disguised_only else None
    whole = law.share_of_eligible(shape.all_positions, group)
    for split in list_splits(shape):
        tests = SplitTests(simulated.rule_table(split))
        a, c = (law.share_of_eligible(side, group) for side in split)
        for side, below in zip(SIDES, (a, c), strict=True):
            yield _covered(cell, "confidence", share_interval(tests.confidence(side)), whole / below)
        yield _covered(
            cell, "lift", lift_interval(tests.lift(), tests.fewest_records_lacking_side()), whole / (a * c)
        )


def assuming_cell(cell: Cell, runs: int, rng: np.random.Generator) -> Iterator[Value]:
    """The support by `pooled` and by `combined`."""
    tally = Runs(Law(cell.setting, cell.support), cell.n, runs, rng).tally
    tally = tally.take(np.flatnonzero(tally.has_enough_records))
    for estimator in ASSUMING:
        yield _covered(cell, estimator, weighted_estimates(tally, estimator)[1].interval(), cell.support)


def _covered(cell: Cell, measure: str, bounds: Interval, truth: float) -> Value:
    return held(measure, f"{truth:.3f}: {cell}", bounds, truth)


MEASURES: Measures = {
    "options": (cells, support_cell),
    "rules-options": (rule_cells, rule_cell),
    "alike": (alike_cells, assuming_cell),
    "alike-elsewhere": (partial(alike_cells, elsewhere=True), assuming_cell),
}
