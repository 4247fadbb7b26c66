"""Supports, confidences and lifts of tables: how often intervals hold the truth, and how often p is below .05.

Contingency tables of one itemset or rule are drawn from a known law, many surveys of one cell. Nothing in that is the
product's but the class that holds a table: the disguise is written out anew.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product, starmap
from typing import TypeVar

import numpy as np

from bench.coverage.section import Measures, Value, grid, held
from mining.inference import contingency_table
from mining.inference.contingency_table import PLAIN, ContingencyTable, Floats, ItemsetPart
from mining.inference.intervals import Interval, lift_interval, share_interval, two_sided_p
from mining.inference.score_test import SplitTests, support_test
from mining.reconstruction.score_moments_by_group import LEAST_BASE, LEAST_GROUP

T = TypeVar("T")
A, C = contingency_table.ANTECEDENT, contingency_table.CONSEQUENT
ELSE = 0.3
"""Whoever has not all of a side has each of its items this often."""
OPEN_AS_OFTEN = 0.4
"""Open answerers have the itemset, or A, .4 times as often as all do, where that leaves a share for the others."""


@dataclass(frozen=True)
class Layout:
    """The parts of an itemset or a split: side, section (PLAIN for plain items) and how many items."""

    name: str
    parts: tuple[tuple[int, int, int], ...]

    @property
    def sections(self) -> int:
        return len({section for _side, section, _items in self.parts if section != PLAIN})

    @property
    def joins(self) -> bool:
        """Whether plain and sensitive items meet: then the disguised records alone count."""
        return len({section == PLAIN for _side, section, _items in self.parts}) == 2


@dataclass(frozen=True)
class Mechanism:
    keep: float
    noise: float
    n: int
    open: float


@dataclass(frozen=True)
class Cell:
    """`truth` are the shares of the true cells, in the open and in the disguised group."""

    layout: Layout
    mechanism: Mechanism
    truth: Floats

    def __str__(self) -> str:
        of = self.mechanism
        return f"{self.layout.name}, keep {of.keep:g}, noise {of.noise:g}, {of.n:,} respondents, {of.open:.0%} open"

    @cached_property
    def noises(self) -> list[float]:
        parts = self.layout.parts
        return [1.0 if section == PLAIN else self.mechanism.noise**items for _side, section, items in parts]

    @cached_property
    def received(self) -> Floats:
        """The law of the cells as received, in both groups: how likely each is, of every true cell, entry by entry."""
        parts, keep = self.layout.parts, self.mechanism.keep
        cells = 1 << len(parts)
        law = np.ones((cells, cells))
        for true, seen in product(range(cells), repeat=2):
            for section in {section for _side, section, _items in parts}:
                mine = [bit for bit, part in enumerate(parts) if part[1] == section]
                same = all(true >> bit & 1 == seen >> bit & 1 for bit in mine)
                chances = [self.noises[bit] if seen >> bit & 1 else 1 - self.noises[bit] for bit in mine]
                law[true, seen] *= same if section == PLAIN else keep * same + (1 - keep) * np.prod(chances)
        return np.stack([self.truth[0], self.truth[1] @ law])

    def share(self, side: int | None = None) -> float:
        """Of those whose records count, those who have all of a side, or of both."""
        wanted = sum(1 << bit for bit, part in enumerate(self.layout.parts) if side in (None, part[0]))
        has = np.array([cell & wanted == wanted for cell in range(self.truth.shape[1])])
        k = 0.0 if self.layout.joins else self.mechanism.open
        return float(k * self.truth[0, has].sum() + (1 - k) * self.truth[1, has].sum())

    def draw(self, runs: int, rng: np.random.Generator) -> ContingencyTable:
        """So many surveys, those left out of which too few were asked."""
        n_open = rng.binomial(self.mechanism.n, self.mechanism.open, runs)
        counts = np.zeros((self.truth.shape[1], 2, runs))
        for group, records in enumerate((n_open, self.mechanism.n - n_open)):
            if not (group == 0 and self.layout.joins):
                counts[:, group] = rng.multinomial(records, self.received[group], runs).T
        for bit in range(len(self.layout.parts)):
            halves = counts.reshape(-1, 2, 1 << bit, 2, runs)
            halves[:, 0] += halves[:, 1]
        parts = tuple(ItemsetPart(side, section) for side, section, _items in self.layout.parts)
        keep = np.full((self.layout.sections, 1), self.mechanism.keep)
        table = ContingencyTable(parts, counts, keep, np.array(self.noises)[:, None])
        plain = sum(1 << bit for bit, part in enumerate(parts) if part.section == PLAIN)
        in_groups = ((counts[0] == 0) | (counts[plain] >= LEAST_GROUP)).all(axis=0)
        return table.take(np.flatnonzero(in_groups & (counts[0].sum(axis=0) >= LEAST_BASE)))


def itemset(layout: Layout, mechanism: Mechanism, support: float) -> Cell:
    """People of whom this share has all parts; open answerers have them less often."""
    chances = [ELSE**items for _side, _section, items in layout.parts]
    truth = [_spread(share, chances) for share in _by_group(support, mechanism.open)]
    return Cell(layout, mechanism, np.array(truth))


def rule(layout: Layout, mechanism: Mechanism, a: float, confidence: float, c_without_a: float) -> Cell:
    """People of whom a share `a` has A, of these `confidence` C, of the others `c_without_a`."""
    truth = np.zeros((2, 1 << len(layout.parts)))
    sides = [[bit for bit, part in enumerate(layout.parts) if part[0] == side] for side in (A, C)]
    for group, share in enumerate(_by_group(a, mechanism.open)):
        for has_a, has_c in product((True, False), repeat=2):
            of_a = share if has_a else 1 - share
            of_c = confidence if has_a else c_without_a
            chance = of_a * (of_c if has_c else 1 - of_c)
            laws = [_side(layout, bits, has) for bits, has in zip(sides, (has_a, has_c), strict=True)]
            for (cell_a, of_cell_a), (cell_c, of_cell_c) in product(*laws):
                truth[group, cell_a | cell_c] += chance * of_cell_a * of_cell_c
    return Cell(layout, mechanism, truth)


def _by_group(share: float, opened: float) -> tuple[float, float]:
    """The share of the open and of the disguised."""
    others = share * (1 - opened * OPEN_AS_OFTEN) / (1 - opened)
    return (share, share) if others > 1 else (OPEN_AS_OFTEN * share, others)


def _side(layout: Layout, bits: list[int], has: bool) -> Iterator[tuple[int, float]]:
    """The cells of one side for people who have all of it, or not all, with their shares."""
    if has:
        yield sum(1 << bit for bit in bits), 1.0
        return
    law = _spread(0.0, [ELSE ** layout.parts[bit][2] for bit in bits])
    for cell, chance in enumerate(law.tolist()):
        yield sum(1 << bits[index] for index in range(len(bits)) if cell >> index & 1), chance


def _spread(whole: float, chances: list[float]) -> Floats:
    """All parts with this share; of the others, each part by itself."""
    cells = range(1 << len(chances))
    bits = [[p if cell >> bit & 1 else 1 - p for bit, p in enumerate(chances)] for cell in cells]
    law = np.array([np.prod(row) for row in bits])
    law[-1] = 0.0
    law *= (1 - whole) / law.sum()
    law[-1] = whole
    return law


# --- what is measured of them ---------------------------------------------------------------------

KEEPS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
NOISES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95)
RECORDS = (60, 200, 1_000, 5_000)
SUPPORTS = (0.003, 0.02, 0.1, 0.3, 0.6, 0.9, 0.999)
OPEN = (0.0, 0.3, 0.9)
RULE_CELLS, CHANCE_CELLS = 20_000, 10_000
"""The number drawn at random of all."""

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


RuleCell = tuple[Layout, Mechanism, float, float, float]
ChanceCell = tuple[Layout, Mechanism, float, float]
mechanisms = grid(Mechanism, KEEPS, NOISES, RECORDS, OPEN)


def itemset_cells() -> Iterator[Cell]:
    return starmap(itemset, product(ITEMSETS, mechanisms(), SUPPORTS))


def rule_cells() -> list[RuleCell]:
    return list(product(RULES, mechanisms(), ANTECEDENTS, CONFIDENCES, WITHOUT))


def chance_cells() -> list[ChanceCell]:
    return list(product(RULES, mechanisms(), (0.05, 0.3, 0.7), (0.05, 0.3, 0.7)))


def by_lot(cells: Sequence[T], many: int) -> list[T]:
    """So many of them, in their order."""
    rows = np.sort(np.random.default_rng(1).choice(len(cells), many, replace=False))
    return [cells[row] for row in rows.tolist()]


def support_cell(cell: Cell, runs: int, rng: np.random.Generator) -> Iterator[Value]:
    table = cell.draw(runs, rng)
    if len(table):
        yield _held(cell, "support", share_interval(support_test(table)), cell.share())


def rule_cell(of: RuleCell, runs: int, rng: np.random.Generator) -> Iterator[Value]:
    """Confidence of A -> C, and lift."""
    cell = rule(*of)
    table = cell.draw(runs, rng)
    if not len(table):
        return
    tests = SplitTests(table)
    a, c, both = cell.share(A), cell.share(C), cell.share()
    yield _held(cell, "confidence", share_interval(tests.confidence(A)), both / a)
    yield _held(
        cell, "lift", lift_interval(tests.lift(), tests.fewest_records_lacking_side()), both / (a * c)
    )


def chance_cell(of: ChanceCell, runs: int, rng: np.random.Generator) -> Iterator[Value]:
    layout, mechanism, a, c = of
    cell = rule(layout, mechanism, a, c, c)
    table = cell.draw(runs, rng)
    if len(table):
        p = two_sided_p(SplitTests(table).lift().z(np.ones(len(table))))
        yield Value("p of lift below .05", str(cell), float((p < 0.05).mean()), len(p))


def _held(cell: Cell, measure: str, interval: Interval, truth: float) -> Value:
    return held(measure, f"{truth:.3f}: {cell}", interval, truth)


MEASURES: Measures = {
    "supports": (itemset_cells, support_cell),
    "rules": (lambda: by_lot(rule_cells(), RULE_CELLS), rule_cell),
    "independent": (lambda: by_lot(chance_cells(), CHANCE_CELLS), chance_cell),
}
