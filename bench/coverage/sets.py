"""Questions of 21 choices that are sent as sets: shares of choices, and rules of a choice and a yes/no question.

Of one choice a record says only whether its set holds it, and its score has the same moments whichever other choice is
true. So two classes, the choice and the others, give the same intervals as the table of 20,349 sets
(tests/mining/reconstruction/test_exact_law.py).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from bench.coverage.numbers import drawn_counts, rule_table
from bench.coverage.section import Measures, Value, grid, held, held_by_rule
from mining.inference.contingency_table import Floats
from mining.inference.score_test import SplitTests
from mining.kinds.number.estimates_by_classes import item_shares
from privacy.grammar.json_node import PARTS
from privacy.kinds.score_table import ScoreTable
from privacy.kinds.subset.law import SubsetLaw, best_set_size_above_one, largest_keep

CHOICES, GAMMA = 21, Fraction(3)
RECORDS, OPEN = (300, 1_000), (0.0, 0.1, 0.3, 0.6, 0.9)
SHARES = (0.002, 0.01, 0.05, 0.1, 0.2, 0.4, 0.7, 0.97)


def law() -> SubsetLaw:
    size = best_set_size_above_one(CHOICES, GAMMA)
    assert size
    return SubsetLaw(CHOICES, size, Fraction(largest_keep(CHOICES, size, GAMMA), PARTS))


def one_choice(subset_law: SubsetLaw) -> ScoreTable:
    """The choice and the others as two classes; the codes are a set with and without it, and both as open answers."""
    keep, other = float(subset_law.keep), float(subset_law.false_inclusion_probability)
    inside, outside = float(subset_law.score_inside), float(subset_law.score_outside)
    nobody, classes = np.zeros((2, 2)), np.arange(2)
    return ScoreTable(
        np.concatenate([[[keep, 1 - keep], [other, 1 - other]], nobody], axis=1),
        np.concatenate([[[inside, 1 - inside], [outside, 1 - outside]], nobody]),
        np.array([[True, False], [False, True], [False, False], [False, False]]),
        np.array([-1, -1, 0, 1]),
        np.array([[True, False]]),
        np.stack([classes, 1 - classes], axis=1)[:1],
    )


@dataclass(frozen=True)
class Chosen:
    share: float
    n: int
    open_share: float
    keep: float = 0.0
    """Of the yes/no question, if there is one."""

    def __str__(self) -> str:
        question = f", keep of the question {self.keep}" if self.keep else ""
        return f"share {self.share}, {self.n:,} records, {self.open_share:.0%} open{question}"

    @property
    def shares(self) -> Floats:
        return np.array([self.share, 1 - self.share])

    def chances(self, table: ScoreTable, shares: Floats) -> Floats:
        """By group and code, of people with these shares of both classes."""
        opened = np.concatenate([[0.0, 0.0], shares])
        return np.stack([self.open_share * opened, (1 - self.open_share) * (shares @ table.chance)])


def chosen(setting: Chosen, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    table = one_choice(law())
    result = item_shares(table, drawn_counts(setting.n, setting.chances(table, setting.shares), surveys, rng))
    yield held("share", setting, (result.low[:, 0], result.high[:, 0]), setting.share)


def rule_cells() -> list[Chosen]:
    cells = product(SHARES[2:7], RECORDS, OPEN[::2])
    return [Chosen(*cell, (0.5, 0.9)[index % 2]) for index, cell in enumerate(cells)]


def ruled(setting: Chosen, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    """Half of the people with the choice say yes, of the others a quarter."""
    table, yes = one_choice(law()), np.array([0.5, 0.25])
    # Group by answer by code; the answer of the disguised is disguised, too.
    sent = np.stack([setting.chances(table, setting.shares * answer) for answer in (1 - yes, yes)], axis=1)
    sent[1] = setting.keep * sent[1] + (1 - setting.keep) / 2 * sent[1].sum(axis=0)
    counts = drawn_counts(setting.n, sent, surveys, rng)
    tests = SplitTests(rule_table(table, 0, counts.astype(np.float64), setting.keep))
    yield from held_by_rule(setting, tests, setting.share, float(setting.shares @ yes), setting.share * 0.5)


MEASURES: Measures = {
    "sets": (grid(Chosen, SHARES, RECORDS, OPEN), chosen),
    "sets-rules": (rule_cells, ruled),
}
