"""Supports, confidences and lifts of tables: how often intervals hold the truth, and how often p is below .05."""

from collections.abc import Iterator, Sequence
from itertools import product, starmap
from typing import TypeVar

import numpy as np

from bench.coverage.drawn_tables import Cell, Layout, Mechanism, itemset, rule
from bench.coverage.section import Measures, Value, held
from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT, PLAIN
from mining.inference.intervals import Interval, lift_interval, share_interval, two_sided
from mining.inference.score import SplitTests, support_test

T = TypeVar("T")
KEEPS = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
NOISES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95)
RECORDS = (60, 200, 1_000, 5_000)
SUPPORTS = (0.003, 0.02, 0.1, 0.3, 0.6, 0.9, 0.999)
OPEN = (0.0, 0.3, 0.9)
RULE_CELLS, CHANCE_CELLS = 20_000, 10_000
"""The number drawn at random of all."""

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


RuleCell = tuple[Layout, Mechanism, float, float, float]
ChanceCell = tuple[Layout, Mechanism, float, float]


def mechanisms() -> Iterator[Mechanism]:
    return starmap(Mechanism, product(KEEPS, NOISES, RECORDS, OPEN))


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
    yield _held(cell, "lift", lift_interval(tests.lift(), tests.lacking()), both / (a * c))


def chance_cell(of: ChanceCell, runs: int, rng: np.random.Generator) -> Iterator[Value]:
    layout, mechanism, a, c = of
    cell = rule(layout, mechanism, a, c, c)
    table = cell.draw(runs, rng)
    if len(table):
        p = two_sided(SplitTests(table).lift().z(np.ones(len(table))))
        yield Value("p of lift below .05", str(cell), float((p < 0.05).mean()), len(p))


def _held(cell: Cell, measure: str, interval: Interval, truth: float) -> Value:
    return held(measure, f"{truth:.3f}: {cell}", interval, truth)


MEASURES: Measures = {
    "supports": (itemset_cells, support_cell),
    "rules": (lambda: by_lot(rule_cells(), RULE_CELLS), rule_cell),
    "independent": (lambda: by_lot(chance_cells(), CHANCE_CELLS), chance_cell),
}
