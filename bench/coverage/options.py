"""Coverage under the options of a page: rotation, show-if, plain items, and the estimators that assume alike groups."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from bench.coverage.section import Bar, Section, Value
from bench.patterns import SHOWN, Law, Runs, Setting
from mining.inference.intervals import Interval, lift_interval, share_interval
from mining.inference.score import SIDES, SplitTests, support_test
from mining.reconstruction.supports import Estimator, weighted
from mining.rules.sides import splits

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
    def base(self) -> float:
        return self.n * self.setting.asked_all


def settings(*, rules: bool = False) -> Iterator[Setting]:
    """Itemsets of 1 to 3 items in one and two sections, under every option of a page."""
    for size, sections in ITEMSETS:
        if rules and size == 1:
            continue
        for rotation, hidden, some_open, plain, (keep, noise) in product(
            (False, True), (False, True), (False, True), (False, True), MECHANISMS
        ):
            if (rotation or hidden) and (not plain or size - 1 >= sections):
                yield Setting(size, sections, rotation, hidden, some_open, plain, False, keep, noise)


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
            size, sections, rotation, some_open=True, keep=keep, noise=noise, alike=True, share=share
        )
        is_listed = size < 3 and not rotation and share in OPEN_SHARES
        for support, n in product(SUPPORTS, RECORDS):
            cell = Cell(setting, support, n)
            if cell.base >= LEAST_ABOVE_FLOOR and elsewhere is not (
                is_listed and n * support >= LEAST_EXPECTED
            ):
                yield cell


def support_cell(cell: Cell, runs: int, rng: np.random.Generator) -> Iterator[Value]:
    """The share of base(S), and behind show-if that among those shown all of S."""
    simulated = Runs(Law(cell.setting, cell.support), cell.n, runs, rng)
    truth = _truth(simulated)
    yield _covered(cell, "support", share_interval(support_test(simulated.support_table())), truth)
    if cell.setting.hidden:
        shown = share_interval(support_test(simulated.support_table(shown=True)))
        yield _covered(cell, "share among those shown", shown, truth / SHOWN)


def rule_cell(cell: Cell, runs: int, rng: np.random.Generator) -> Iterator[Value]:
    """Confidence both ways and lift, of every split, among those shown all of S."""
    simulated = Runs(Law(cell.setting, cell.support), cell.n, runs, rng)
    law, shape = simulated.law, simulated.group.shape
    group = 1 if shape.disguised_only else None
    whole = law.share_of_eligible(shape.everything, group)
    for split in splits(shape):
        tests = SplitTests(simulated.rule_table(split))
        a, c = (law.share_of_eligible(side, group) for side in split)
        for side, below in zip(SIDES, (a, c), strict=True):
            yield _covered(cell, "confidence", share_interval(tests.confidence(side)), whole / below)
        low, high = lift_interval(tests.lift(), tests.lacking())
        yield _covered(cell, "lift", (low, np.where(np.isnan(high), np.inf, high)), whole / (a * c))


def assuming_cell(cell: Cell, runs: int, rng: np.random.Generator) -> Iterator[Value]:
    """The support by `pooled` and by `combined`."""
    tally = Runs(Law(cell.setting, cell.support), cell.n, runs, rng).tally
    tally = tally.take(np.flatnonzero(tally.enough))
    for estimator in ASSUMING:
        yield _covered(cell, estimator, weighted(tally, estimator)[1].interval(), cell.support)


def _truth(simulated: Runs) -> float:
    """What joins plain and sensitive items is of the disguised alone."""
    law, shape = simulated.law, simulated.group.shape
    return law.share(shape.everything, 1 if shape.disguised_only else None)


def _covered(cell: Cell, measure: str, bounds: Interval, truth: float) -> Value:
    low, high = bounds
    usable = np.isfinite(low)
    held = (low <= truth + 1e-9) & (truth <= high + 1e-9)
    used = int(usable.sum())
    covered = float(held[usable].mean()) if used else np.nan
    return Value(measure, f"{truth:.3f}: {said(cell)}", covered, used, 1 - used / len(low))


def said(cell: Cell) -> str:
    setting = cell.setting
    options = [
        *(["rotation"] if setting.rotation else []),
        *(["show-if"] if setting.hidden else []),
        *([f"{setting.share:.0%} open"] if setting.some_open else []),
        *(["one plain"] if setting.plain else []),
    ]
    where = f"{setting.size} items, sections: {setting.sections}, keep {setting.keep}, noise {setting.noise}"
    return ", ".join([where, *options, f"{cell.n:,} respondents"])


def support_cells() -> list[Cell]:
    return list(cells(SUPPORTS))


def rule_cells() -> list[Cell]:
    return list(cells(RULE_SUPPORTS, rules=True))


def listed_cells() -> list[Cell]:
    return list(alike_cells())


def other_cells() -> list[Cell]:
    return list(alike_cells(elsewhere=True))


OPTIONS = (
    "*Rotation* asks three of five questions of each section, *show-if* hides the last question from a fifth; open "
    "answerers differ. Keep .5 and noise .5, keep .3 and noise .6; 200 to 10,000 respondents"
)
SECTIONS = (
    Section(
        "options",
        "Supports under rotation and show-if",
        f"{OPTIONS}.",
        support_cells,
        support_cell,
        1_500,
        20_000,
        {"support": Bar(0.93), "share among those shown": Bar(0.93)},
    ),
    Section(
        "rules-options",
        "Rules under rotation and show-if",
        f"{OPTIONS}; rules among those shown all of their answers.",
        rule_cells,
        rule_cell,
        1_500,
        20_000,
        {"confidence": Bar(0.93), "lift": Bar(0.92)},
    ),
    Section(
        "alike",
        "Pooled and combined where the groups are alike",
        "Both take those who answer openly to be like the others, and here they are: one or two items that at least "
        f"{LEAST_EXPECTED} respondents have, all asked, 10 to 50 % open.",
        listed_cells,
        assuming_cell,
        1_500,
        20_000,
        {"pooled": Bar(0.93), "combined": Bar(0.93)},
    ),
    Section(
        "alike-elsewhere",
        "Pooled and combined elsewhere",
        "Three of five asked, or three items, or 80 % open, or fewer than that have it. Here *combined* "
        "falls short; the "
        "estimator is not the default, and its page says so.",
        other_cells,
        assuming_cell,
        1_500,
        20_000,
        {"pooled": Bar(0.92), "combined": Bar(0.84)},
    ),
)
