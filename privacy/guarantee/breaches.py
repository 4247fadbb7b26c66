"""Finds privacy breaches under one known prior, for every property, by the definition.

A rho1-to-rho2 breach upwards: a property has at most the probability rho1, and with some record at least rho2.
Downwards: it has at least rho2, and with some record at most rho1. A property is any set of true answers. By the lemma
of Neyman and Pearson the worst one has the answers that make the record most likely, as many as rho1 allows; since
answers cannot be divided, filling rho1 is a knapsack problem.

Fractions are compared exactly. A double means the shortest decimal that is read as it, .05 means 1/20; one that misses
a threshold by rounding alone counts as having reached it.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy.guarantee.largest_posterior_knapsack import AnswerKind, Knapsack

Matrix = NDArray[Any]
Vector = NDArray[Any]

CLOSE = 1e-9
"""Largest distance from 1 of the sum of a distribution of doubles."""


def exact_prior_or_refuse(weights: Sequence[Fraction]) -> Vector:
    """Checks that weights are nonnegative and sum to 1; returns them as an array of fractions."""
    prior = np.array(list(weights), dtype=object)
    check_distribution(prior)
    return prior


def check_distribution(weights: Vector) -> None:
    """Raises ValueError unless the weights are nonnegative and sum to 1."""
    total = weights.sum()
    if (weights < 0).any() or (total != 1 if weights.dtype == object else abs(total - 1) > CLOSE):
        raise ValueError(f"probabilities are not negative and sum to 1, not to {total}")


TOLERANCE = Fraction(1, 10**9)
"""Upper bound of the rounding error of sums of doubles."""


@dataclass(frozen=True, slots=True)
class Property:
    """A property of a person: the set of true `answers` (rows of the law) with this property.

    `before`, `after`: its probability before the record with the index `record` (a column of the law), and after it.
    """

    record: int
    answers: frozenset[int]
    before: Fraction
    after: Fraction


def upward_breach(prior: Vector, law: Matrix, rho1: Fraction, rho2: Fraction) -> Property | None:
    """Returns the worst upward breach: a property from at most rho1 to at least rho2 by some record.

    None if there is no breach. `law`: P(record | true answer), true answer x record.
    """
    worst = most_raised_property(prior, law, rho1)
    return worst if worst and worst.after >= rho2 - _tolerance(prior, law) else None


def downward_breach(prior: Vector, law: Matrix, rho1: Fraction, rho2: Fraction) -> Property | None:
    """Returns the worst downward breach: a property from at least rho2 to at most rho1 by some record.

    None if there is no breach. The property is the complement of one that a record makes more likely.
    """
    raised = most_raised_property(prior, law, 1 - rho2)
    if raised is None or raised.after < 1 - rho1 - _tolerance(prior, law):
        return None
    answers = frozenset(range(len(prior))) - raised.answers
    return Property(raised.record, answers, 1 - raised.before, 1 - raised.after)


def most_raised_property(prior: Vector, law: Matrix, largest_prior: Fraction) -> Property | None:
    """Returns the property with the largest posterior for some record, of those with prior at most `largest_prior`.

    None if every answer is more likely than `largest_prior`. Exact, by a knapsack: fast if the prior's fractions have a
    common denominator of some ten thousand, at worst exponential in the number of answers.
    """
    weights = [_exact_fraction(weight) for weight in prior.tolist()]
    scale = lcm(*(weight.denominator for weight in weights))
    best: Property | None = None
    # Records with the highest bound first, so that most need no knapsack.
    room = int((largest_prior + _tolerance(prior, law)) * scale)
    columns = sorted(_distinct_record_knapsacks(weights, scale, law, room), key=lambda column: -column.bound)
    for column in columns:
        if best and column.bound <= best.after:
            break
        gain, answers = column.knapsack.solve()
        if answers and (best is None or gain / column.total > best.after):
            before = sum((weights[answer] for answer in answers), start=Fraction(0))
            best = Property(column.record, answers, before, gain / column.total)
    return best


def _tolerance(prior: Vector, law: Matrix) -> Fraction:
    """Returns the tolerance of thresholds: 0 for fractions, else the rounding error of doubles."""
    return Fraction(0) if prior.dtype == law.dtype == object else TOLERANCE


def _exact_fraction(number: float | Fraction) -> Fraction:
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


@dataclass(frozen=True, slots=True)
class _RecordKnapsack:
    """The knapsack problem for one record, a column of the law; `total`: probability of the record times the prior's
    denominator."""

    record: int
    total: Fraction
    knapsack: Knapsack

    @property
    def bound(self) -> Fraction:
        return self.knapsack.bound / self.total


def _distinct_record_knapsacks(
    weights: list[Fraction], scale: int, law: Matrix, room: int
) -> Iterator[_RecordKnapsack]:
    shapes = set()
    masses = [int(weight * scale) for weight in weights]
    for record in range(law.shape[1]):
        same_column: dict[tuple[float | Fraction, int], list[int]] = defaultdict(list)
        for answer, (mass, likelihood) in enumerate(zip(masses, law[:, record].tolist(), strict=True)):
            if mass:
                same_column[likelihood, mass].append(answer)
        kinds = tuple(
            AnswerKind(mass, _exact_fraction(likelihood), tuple(answers))
            for (likelihood, mass), answers in same_column.items()
        )
        shape = frozenset((kind.mass, kind.likelihood, len(kind.answers)) for kind in kinds)
        total = sum((kind.mass * kind.likelihood * len(kind.answers) for kind in kinds), start=Fraction(0))
        if total and shape not in shapes:
            shapes.add(shape)
            yield _RecordKnapsack(record, total, Knapsack(kinds, room))
