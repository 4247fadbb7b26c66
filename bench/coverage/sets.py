"""Questions of 21 choices that are sent as sets: shares of choices, and rules of a choice and a yes/no question.

Of one choice a record says only whether its set holds it, and its score has the same moments whichever other choice is
true. So two classes, the choice and the others, give the same intervals as the table of 20,349 sets
(tests/mining/reconstruction/test_sets.py).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from bench.coverage.numbers import held, rule_table
from bench.coverage.section import Bar, Section, Value
from mining.inference.contingency_table import Floats
from mining.inference.intervals import lift_interval, share_interval
from mining.inference.score import SplitTests
from mining.kinds.number.classes import item_shares
from privacy.grammar.node import PARTS
from privacy.kinds.score_table import ScoreTable
from privacy.kinds.subset.law import SubsetLaw, best_size, largest_keep

CHOICES, GAMMA = 21, Fraction(3)
RECORDS, OPEN = (300, 1_000), (0.0, 0.1, 0.3, 0.6, 0.9)
SHARES = (0.002, 0.01, 0.05, 0.1, 0.2, 0.4, 0.7, 0.97)


def law() -> SubsetLaw:
    size = best_size(CHOICES, GAMMA)
    assert size
    return SubsetLaw(CHOICES, size, Fraction(largest_keep(CHOICES, size, GAMMA), PARTS))


def one_choice(subset_law: SubsetLaw) -> ScoreTable:
    """The choice and the others as two classes; the codes are a set with and without it, and both as open answers."""
    keep, other = float(subset_law.keep), float(subset_law.other)
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

    def __str__(self) -> str:
        return f"share {self.share}, {self.n:,} records, {self.open_share:.0%} open"

    def chances(self, table: ScoreTable, shares: Floats) -> Floats:
        """By group and code, of people with these shares of both classes."""
        opened = np.concatenate([[0.0, 0.0], shares])
        return np.stack([self.open_share * opened, (1 - self.open_share) * (shares @ table.chance)])


@dataclass(frozen=True)
class ChosenRule:
    of: Chosen
    keep: float

    def __str__(self) -> str:
        return f"{self.of}, keep of the question {self.keep}"


def chosen_cells() -> list[Chosen]:
    return [Chosen(*values) for values in product(SHARES, RECORDS, OPEN)]


def chosen(setting: Chosen, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    table = one_choice(law())
    chances = setting.chances(table, np.array([setting.share, 1 - setting.share]))
    counts = rng.multinomial(setting.n, chances.ravel() / chances.sum(), surveys).reshape(surveys, 2, -1)
    result = item_shares(table, counts)
    yield held("share", str(setting), result.low[:, 0], result.high[:, 0], setting.share)


def rule_cells() -> list[ChosenRule]:
    result = product(SHARES[2:7], RECORDS, OPEN[::2])
    return [ChosenRule(Chosen(*values), (0.5, 0.9)[index % 2]) for index, values in enumerate(result)]


def ruled(rule: ChosenRule, surveys: int, rng: np.random.Generator) -> Iterator[Value]:
    """Half of the people with the choice say yes, of the others a quarter."""
    setting, table = rule.of, one_choice(law())
    shares, yes = np.array([setting.share, 1 - setting.share]), np.array([0.5, 0.25])
    # Group by answer by code; the answer of the disguised is disguised, too.
    sent = np.stack(
        [setting.chances(table, shares * (1 - yes)), setting.chances(table, shares * yes)], axis=1
    )
    sent[1] = rule.keep * sent[1] + (1 - rule.keep) / 2 * sent[1].sum(axis=0)
    counts = rng.multinomial(setting.n, sent.ravel() / sent.sum(), surveys).reshape(surveys, *sent.shape)
    tests = SplitTests(rule_table(table, 0, counts.astype(np.float64), rule.keep))
    p_c, p_s = float(shares @ yes), setting.share * 0.5
    yield held("confidence", str(rule), *share_interval(tests.confidence(0)), p_s / setting.share)
    yield held("confidence back", str(rule), *share_interval(tests.confidence(1)), p_s / p_c)
    low, high = lift_interval(tests.lift(), tests.lacking())
    high = np.where(np.isnan(high) & ~np.isnan(low), np.inf, high)
    yield held("lift", str(rule), low, high, p_s / setting.share / p_c)


SECTIONS = (
    Section(
        "sets",
        "Sets of choices",
        "21 choices sent as sets of five, gamma 3; 300 and 1,000 respondents, none to 90 % open.",
        chosen_cells,
        chosen,
        2_000,
        5_000,
        {"share": Bar(0.93)},
    ),
    Section(
        "sets-rules",
        "Rules of a choice sent in sets and a yes/no question",
        "The question has keep .5 or .9; half of the people with the choice say yes, of the others a quarter.",
        rule_cells,
        ruled,
        2_000,
        5_000,
        {"confidence": Bar(0.92), "confidence back": Bar(0.92), "lift": Bar(0.92)},
    ),
)
