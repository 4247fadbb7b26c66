"""Estimates from a sample how many people of a population are unique, by models of class sizes;
finds special uniques.

docs/mathematics.md, Risks. Functions return None if a model does not fit a table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, exp, isfinite, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.searches.lattice import renumber
from privacy.anonymity.tables.table import Column

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
EDGE = 1e-4
"""Distance of alpha from 0 or 1 below which a fit counts as having no maximum inside."""
FARTHEST = 30.0
"""Largest logarithm that the search for a likeliest model tries; where no maximum is inside, it would not end."""


@dataclass(frozen=True, slots=True)
class PitmanModel:
    """Pitman's sampling formula for class sizes, `alpha` in (0, 1) and `theta` > -alpha (Hoshino, 2001)."""

    theta: float
    alpha: float

    def expected_uniques(self, population: float) -> float:
        """Returns the expected number of people alone in their class: N PROD_(i < N) (theta + alpha + i - 1) /
        (theta + i)."""
        from scipy.special import gammaln  # late for cost

        theta, alpha = self.theta, self.alpha
        grown = gammaln(theta + alpha + population - 1) - gammaln(theta + population)
        return float(population * exp(grown + gammaln(theta + 1) - gammaln(theta + alpha)))


@dataclass(frozen=True, slots=True)
class NegativeBinomialModel:
    """Slide negative binomial model (SNB): `classes` of 1 + NB(alpha, beta) people (Chen, Keller-McNulty, 1998)."""

    classes: float
    alpha: float
    beta: float

    @property
    def expected_uniques(self) -> float:
        """Expected number of people of the population who are alone in their class."""
        return float(self.classes * self.beta**self.alpha)

    def expected_singles_and_pairs(self, fraction: float) -> tuple[float, float]:
        """Returns the expected numbers of classes with exactly one person, and exactly two, in a sample.

        With G(s) = s (beta / (1 - (1 - beta) s))^alpha of the size of a class, and s = 1 - fraction, these
        are K fraction G'(s) and K fraction^2 G''(s) / 2.
        """
        remaining = 1 - fraction
        ratio = (1 - self.beta) / (1 - (1 - self.beta) * remaining)
        power = (self.beta / (1 - (1 - self.beta) * remaining)) ** self.alpha
        first = power * (1 + remaining * self.alpha * ratio)
        second = power * self.alpha * ratio * (2 + remaining * (self.alpha + 1) * ratio)
        return self.classes * fraction * first, self.classes * fraction**2 * second / 2


def fit_pitman_model(sizes: Integers) -> PitmanModel | None:
    """Fits Pitman's model to the class sizes of a sample by maximum likelihood; None if there is no maximum inside."""
    from scipy import optimize  # late for cost
    from scipy.special import gammaln  # late for cost

    count, records = len(sizes), int(sizes.sum())
    if not 1 < count < records:
        return None
    values, times = np.unique(sizes, return_counts=True)

    def theta_and_alpha(point: Floats) -> tuple[float, float]:
        alpha = 1 / (1 + exp(-point[0]))
        return exp(point[1]) - alpha, alpha

    def negative_log_likelihood(point: Floats) -> float:
        theta, alpha = theta_and_alpha(point)
        classes = (count - 1) * np.log(alpha) + gammaln(theta / alpha + count) - gammaln(theta / alpha + 1)
        people = gammaln(theta + records) - gammaln(theta + 1)
        inside = (times * (gammaln(values - alpha) - gammaln(1 - alpha))).sum()
        return float(people - classes - inside)

    minimize: Any = optimize.minimize
    best = minimize(
        negative_log_likelihood,
        np.array([0.0, np.log(max(count / 10, 1.0))]),
        method="Nelder-Mead",
        bounds=[(-FARTHEST, FARTHEST)] * 2,
        options={"xatol": 1e-8, "fatol": 1e-9, "maxiter": 4000},
    )
    theta, alpha = theta_and_alpha(best.x)
    inside = best.success and EDGE < alpha < 1 - EDGE and isfinite(theta)
    return PitmanModel(theta, alpha) if inside else None


def fit_negative_binomial_model(sizes: Integers, fraction: float) -> NegativeBinomialModel | None:
    """Fits the slide negative binomial model to the class `sizes` of a sample, the share `fraction` of a population.

    Its expected size of the population, and of uniques and pairs in the sample, equal those observed; K (1 + alpha (1 -
    beta) / beta) = n / fraction. None if no such model exists.
    """
    from scipy import optimize  # late for cost

    population = float(sizes.sum()) / fraction
    ones, twos = int((sizes == 1).sum()), int((sizes == 2).sum())
    if not ones or not twos or fraction >= 1:
        return None

    def model_at_point(point: Floats) -> NegativeBinomialModel:
        alpha, beta = exp(point[0]), 1 / (1 + exp(-point[1]))
        return NegativeBinomialModel(population / (1 + alpha * (1 - beta) / beta), alpha, beta)

    def equation_errors(point: Floats) -> Floats:
        expected = model_at_point(point).expected_singles_and_pairs(fraction)
        return np.asarray(np.log(np.array(expected) / np.array([ones, twos])))

    starts = [np.array([alpha, beta]) for alpha in (-3.0, 0.0) for beta in (-6.0, -2.0, 1.0)]
    solve: Any = optimize.least_squares
    solutions = [solve(equation_errors, start, bounds=([-12, -18], [6, 12])) for start in starts]
    best = min(solutions, key=lambda result: result.cost)
    return model_at_point(best.x) if best.cost < 1e-10 else None


@dataclass(frozen=True, slots=True)
class PopulationUniqueness:
    """Estimated uniqueness by one `model` of class sizes.

    `population`: share of the people who are unique in the population. `sample`: share of the records alone in their
    class whose people are also unique in the population.
    """

    model: str
    population: float
    sample: float


def population_uniqueness(sizes: Integers, fraction: float) -> list[PopulationUniqueness]:
    """Estimates the population uniqueness by each model that fits.

    `sizes`: class sizes of the sample; `fraction`: share of the population that the sample is.
    """
    records, ones = float(sizes.sum()), int((sizes == 1).sum())
    population = records / fraction
    likeliest, matching = fit_pitman_model(sizes), fit_negative_binomial_model(sizes, fraction)
    uniques = {
        "pitman": likeliest.expected_uniques(population) if likeliest else None,
        "snb": matching.expected_uniques if matching else None,
    }
    # Each of them is in the sample with the probability `fraction`; there are no more than the sample's uniques.
    people = {
        name: min(number, ones / fraction) for name, number in uniques.items() if number is not None and ones
    }
    return [
        PopulationUniqueness(name, number / population, number * fraction / ones)
        for name, number in people.items()
    ]


# --- special uniques
# Special uniques (SUDA): records that few columns make unique (Elliot, Manning and Ford, 2002).
# A minimal sample unique is a set of columns in whose values a record is alone, and in no smaller part of them.

Numbered = tuple[Integers, int]
LARGEST = 3
"""Most columns of a set that is examined for special uniques."""
MOST_LOOKED_AT = 50_000_000
"""Most records times sets of columns that are examined; larger tables get only smaller sets."""


@dataclass(frozen=True, slots=True)
class SpecialUniques:
    """Scores of records that are unique in a few columns (special unique detection, SUDA).

    `scores`: for each record, 0 if no few columns make it unique. `columns`: by column its share of the sum of all
    scores. `largest`: number of columns of the largest sets that were examined.
    """

    scores: Integers
    columns: dict[str, float]
    largest: int

    def as_json(self) -> dict[str, object]:
        return {
            "records": int((self.scores > 0).sum()),
            "largest": self.largest,
            "columns": self.columns,
        }


def special_uniqueness_scores(columns: Sequence[Column], largest: int = LARGEST) -> SpecialUniques:
    """Scores each record by the smallest sets of columns in which its values are unique (SUDA).

    A set of s columns scores PROD_(i = s..largest) (number of columns - i), a record the sum over its sets.
    """
    many, records = len(columns), len(columns[0].codes)
    while largest > 1 and records * sum(comb(many, size) for size in range(1, largest + 1)) > MOST_LOOKED_AT:
        largest -= 1
    scores, parts = np.zeros(records, np.int64), np.zeros(many, np.int64)
    unique: dict[tuple[int, ...], NDArray[np.bool_]] = {}
    classes: dict[tuple[int, ...], Numbered] = {(): (np.zeros(records, np.int64), 1)}
    for size in range(1, min(largest, many) + 1):
        score = prod(many - step for step in range(size, min(largest, many - 1) + 1))
        before, classes = classes, {}
        for chosen in combinations(range(many), size):
            labels, number = _split_classes(before[chosen[:-1]], columns[chosen[-1]])
            if size < largest:
                classes[chosen] = labels, number
            alone = np.bincount(labels)[labels] == 1
            smaller = [unique[part] for part in combinations(chosen, size - 1) if part in unique]
            # A record that is unique in a part of the set is so in the set, too, but not minimally.
            minimal = alone & ~np.any(smaller, axis=0) if smaller else alone
            if alone.any():
                unique[chosen] = alone
            scores[minimal] += score
            parts[list(chosen)] += score * int(minimal.sum())
    total = max(int(scores.sum()), 1)
    shares = {column.name: int(part) / total for column, part in zip(columns, parts, strict=True)}
    return SpecialUniques(scores, shares, largest)


def _split_classes(classes: Numbered, column: Column) -> Numbered:
    """Splits classes by the values of one more column; returns the class of each record and their number."""
    labels, number = classes
    values = len(column.texts)
    return renumber(labels * values + column.codes, number * values)
