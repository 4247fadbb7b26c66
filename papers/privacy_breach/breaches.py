"""What single records reveal: table 1, the extremes over all records, known facts, and ages with noise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from mining.kinds.number.window import likeliest_distribution
from papers.privacy_breach.settings import (
    INSIDE,
    IS_ZERO,
    LAWS,
    NEAR,
    OUTSIDE,
    R3,
    RESPONDENTS,
    SEED,
    VALUES,
    NumberProperty,
    prior,
)
from privacy.guarantee.amplification import worst_posterior
from privacy.kinds.number.window.circular_law import CircularLaw

Floats = NDArray[np.float64]

PRINTED = {
    IS_ZERO.name: {"R1": 71.6332, "R2": 4.8077, "R3": 2.9374},
    OUTSIDE.name: {"R1": 82.9516, "R2": 100.0, "R3": 70.7745},
}
"""Table 1 of the document, in percent."""


@dataclass(frozen=True)
class Posteriors:
    """A property before a record, and after it by law."""

    name: str
    before: Fraction
    after: Mapping[str, Fraction]


def table_1() -> list[Posteriors]:
    """Given that 0 is received."""
    before = prior()
    weights = {name: law.posterior(before, 0) for name, law in LAWS.items()}
    return [
        Posteriors(
            number_property.name,
            number_property.share(before),
            {name: number_property.share(after) for name, after in weights.items()},
        )
        for number_property in (IS_ZERO, OUTSIDE)
    ]


@dataclass(frozen=True)
class Extremes:
    """The smallest and the largest posterior of a property over all records; `bound`: the largest that gamma allows."""

    law: str
    name: str
    before: float
    least: float
    most: float
    bound: float | None


def extremes() -> list[Extremes]:
    return [
        extreme(name, number_property.name, law, holding(number_property), numbers(prior()))
        for name, law in LAWS.items()
        for number_property in (IS_ZERO, OUTSIDE, INSIDE)
    ]


FACTS = (
    NumberProperty("nothing", lambda _: True),
    NumberProperty("X ≠ 0", lambda x: x != 0),
    NumberProperty("X ∈ {0, 100, …, 1000}", lambda x: x % 100 == 0),
    NumberProperty("X ∈ {0, 500}", lambda x: x in (0, 500)),
)


def with_background() -> list[Extremes]:
    """R3 and the property X in [900, 1000] or [0, 100], to somebody who knows a fact about X beforehand."""
    extremes_of_facts = []
    for fact in FACTS:
        weights = numbers(prior()) * holding(fact)
        extremes_of_facts.append(extreme("R3", fact.name, LAWS["R3"], holding(NEAR), weights / weights.sum()))
    return extremes_of_facts


def extreme(law: str, name: str, response_law: CircularLaw, has: Floats, before: Floats) -> Extremes:
    joint = before[:, None] * matrix(response_law)
    after = (has @ joint) / joint.sum(axis=0)
    share = float(has @ before)
    bound = float(worst_posterior(response_law.gamma, Fraction(share))) if response_law.gamma else None
    return Extremes(law, name, share, float(after.min()), float(after.max()), bound)


def matrix(law: CircularLaw) -> Floats:
    """P(y|x), a row for each x."""
    weights = numbers(law.weights)
    places = np.arange(law.values)
    return np.asarray(weights[(places[None, :] - places[:, None]) % law.values])


def numbers(weights: Sequence[Fraction]) -> Floats:
    return np.array([float(weight) for weight in weights])


def holding(number_property: NumberProperty) -> Floats:
    return np.array([float(number_property.holds(x)) for x in range(VALUES)])


AGES, OLD = range(101), 70
NOISE, DEVIATION = 50, 25


@dataclass(frozen=True)
class AgeBreach:
    """What a record says of an age from 0 to 100, all equally likely before: the shares of OLD and more."""

    noise: str
    received: int
    before: float
    after: float


def ages() -> list[AgeBreach]:
    """Noise that is not wrapped round: a whole number from -50 to 50, or normal with a standard deviation of 25.

    Normal noise has no finite gamma: the odds of two ages a and b after the record y are those before, times
    exp( (a-b) (2y-a-b) / (2 sd^2) ), which grows without bound with y.
    """
    age = np.array(AGES)
    uniform = {120: np.abs(120 - age) <= NOISE}
    normal = {y: np.exp(-((y - age) ** 2) / (2 * DEVIATION**2)) for y in (100, 120, 150, 200)}
    before = float((age >= OLD).mean())
    return [
        AgeBreach(noise, y, before, float(weights[age >= OLD].sum() / weights.sum()))
        for noise, records in (("uniform", uniform), ("normal", normal))
        for y, weights in records.items()
    ]


@dataclass(frozen=True)
class Reconstruction:
    """Shares by number: of the people, of the records as received, and reconstructed in this number of `steps`."""

    true: Floats
    received: Floats
    reconstructed: Floats
    steps: int

    def distance(self, shares: Floats) -> float:
        """Total variation from the true shares."""
        return float(np.abs(shares - self.true).sum() / 2)


def reconstruction() -> Reconstruction:
    """Of people around 300 and 700, twice as many around 300, normally distributed with standard deviation 100."""
    rng = np.random.default_rng(SEED)
    x = np.arange(VALUES)
    density = 2 * np.exp(-((x - 300) ** 2) / 20_000) + np.exp(-((x - 700) ** 2) / 20_000)
    people = rng.choice(VALUES, RESPONDENTS, p=density / density.sum())
    true = np.bincount(people, minlength=VALUES)
    windowed = rng.random(RESPONDENTS) < float(R3.windowed)
    moved = (people + rng.integers(-R3.half, R3.half + 1, RESPONDENTS)) % VALUES
    sent = np.where(windowed, moved, rng.integers(0, VALUES, RESPONDENTS))
    received = np.bincount(sent, minlength=VALUES)
    likeliest = likeliest_distribution(R3, np.stack([0 * received, received]))
    return Reconstruction(true / RESPONDENTS, received / RESPONDENTS, likeliest.share, likeliest.steps)
