"""Supports, confidences and lifts of tables: how often intervals hold the truth, and how often p is below .05."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeVar

import numpy as np

from bench.coverage.drawn_tables import Cell, Layout, Mechanism, itemset, rule
from bench.coverage.section import Bar, Section, Value
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
ROUNDING = 1e-9


def mechanisms() -> Iterator[Mechanism]:
    for keep, noise, n, k in product(KEEPS, NOISES, RECORDS, OPEN):
        yield Mechanism(keep, noise, n, k)


def itemset_cells() -> Iterator[Cell]:
    for layout, mechanism, support in product(ITEMSETS, mechanisms(), SUPPORTS):
        yield itemset(layout, mechanism, support)


def rule_cells() -> list[RuleCell]:
    return list(product(RULES, mechanisms(), ANTECEDENTS, CONFIDENCES, WITHOUT))


def chance_cells() -> list[ChanceCell]:
    return list(product(RULES, mechanisms(), (0.05, 0.3, 0.7), (0.05, 0.3, 0.7)))


def by_lot(cells: Sequence[T], many: int) -> list[T]:
    """So many of them, in their order."""
    rows = np.sort(np.random.default_rng(1).choice(len(cells), many, replace=False))
    return [cells[row] for row in rows.tolist()]


def all_itemset_cells() -> list[Cell]:
    return list(itemset_cells())


def some_rule_cells() -> list[RuleCell]:
    return by_lot(rule_cells(), RULE_CELLS)


def some_chance_cells() -> list[ChanceCell]:
    return by_lot(chance_cells(), CHANCE_CELLS)


def support_cell(cell: Cell, runs: int, rng: np.random.Generator) -> Iterator[Value]:
    table = cell.draw(runs, rng)
    if len(table):
        yield _measured(cell, "support", cell.share(), len(table), share_interval(support_test(table)))


def rule_cell(of: RuleCell, runs: int, rng: np.random.Generator) -> Iterator[Value]:
    """Confidence of A -> C, and lift."""
    cell = rule(*of)
    table = cell.draw(runs, rng)
    if not len(table):
        return
    tests = SplitTests(table)
    a, c, s = cell.share(A), cell.share(C), cell.share()
    yield _measured(cell, "confidence", s / a, len(table), share_interval(tests.confidence(A)))
    low, high = lift_interval(tests.lift(), tests.lacking())
    # A lift without an upper end holds whatever lies above its lower one.
    ends = low, np.where(np.isnan(high) & ~np.isnan(low), np.inf, high)
    yield _measured(cell, "lift", s / (a * c), len(table), ends)


def chance_cell(of: ChanceCell, runs: int, rng: np.random.Generator) -> Iterator[Value]:
    layout, mechanism, a, c = of
    cell = rule(layout, mechanism, a, c, c)
    table = cell.draw(runs, rng)
    if len(table):
        p = two_sided(SplitTests(table).lift().z(np.ones(len(table))))
        yield Value("p of lift below .05", said(cell), float((p < 0.05).mean()), len(p))


def _measured(cell: Cell, measure: str, truth: float, above_floors: int, result: Interval) -> Value:
    low, high = result
    usable = np.isfinite(low)
    held = (low <= truth + ROUNDING) & (truth <= high + ROUNDING)
    used = int(usable.sum())
    covered = float(held[usable].mean()) if used else np.nan
    return Value(measure, f"{truth:.3f}: {said(cell)}", covered, used, 1 - used / max(above_floors, 1))


def said(cell: Cell) -> str:
    of = cell.mechanism
    return (
        f"{cell.layout.name}, keep {of.keep:g}, noise {of.noise:g}, {of.n:,} respondents, {of.open:.0%} open"
    )


SECTIONS = (
    Section(
        "supports",
        "Supports",
        "Keep .1 to .9, noise .05 to .95, 60 to 5,000 respondents, supports of .003 to .999, 0, 30 and 90 % "
        "open who have "
        "the itemset .4 times as often; where it contains a plain item, of those who chose disguise.",
        all_itemset_cells,
        support_cell,
        1_500,
        20_000,
        {"support": Bar(0.93)},
    ),
    Section(
        "rules",
        "Confidence and lift",
        "At random from all combinations of the same mechanisms with P(A) of .05 to .95, confidences of .05 to 1 and "
        "P(C) without A of .05 to .9.",
        some_rule_cells,
        rule_cell,
        1_500,
        20_000,
        {"confidence": Bar(0.93), "lift": Bar(0.92)},
    ),
    Section(
        "independent",
        "p where the two sides are independent",
        "The same mechanisms at random, P(A) and P(C) of .05 to .7.",
        some_chance_cells,
        chance_cell,
        1_500,
        20_000,
        {"p of lift below .05": Bar(0.065, most=True)},
    ),
)
