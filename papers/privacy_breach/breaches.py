"""What single records reveal: the paper's table, the extremes over all records, known facts, and ages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from papers.privacy_breach.settings import (
    INSIDE,
    IS_ZERO,
    LAWS,
    NEAR,
    OUTSIDE,
    VALUES,
    NumberProperty,
    prior,
)
from privacy.guarantee.amplification import worst_posterior
from privacy.kinds.number.circular_law import CircularLaw

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Posteriors:
    """A property before a record, and after it by law."""

    name: str
    before: Fraction
    after: Mapping[str, Fraction]


def of_the_paper() -> list[Posteriors]:
    """Given that 0 is received."""
    before = prior()
    weights = {name: law.posterior(before, 0) for name, law in LAWS.items()}
    return [
        Posteriors(of.name, of.share(before), {name: of.share(after) for name, after in weights.items()})
        for of in (IS_ZERO, OUTSIDE)
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
        extreme(name, of.name, law, holding(of), numbers(prior()))
        for name, law in LAWS.items()
        for of in (IS_ZERO, OUTSIDE, INSIDE)
    ]


FACTS = (
    NumberProperty("nothing", lambda _: True),
    NumberProperty("X is not 0", lambda x: x != 0),
    NumberProperty("X is a multiple of 100", lambda x: x % 100 == 0),
    NumberProperty("X is 0 or 500", lambda x: x in (0, 500)),
)


def with_background() -> list[Extremes]:
    """R3 and the property X in [900, 1000] or [0, 100], to somebody who knows a fact about X beforehand."""
    found = []
    for fact in FACTS:
        known = numbers(prior()) * holding(fact)
        found.append(extreme("R3", fact.name, LAWS["R3"], holding(NEAR), known / known.sum()))
    return found


def extreme(law: str, name: str, of: CircularLaw, has: Floats, before: Floats) -> Extremes:
    joint = before[:, None] * matrix(of)
    after = (has @ joint) / joint.sum(axis=0)
    share = float(has @ before)
    bound = float(worst_posterior(of.gamma, Fraction(share))) if of.gamma else None
    return Extremes(law, name, share, float(after.min()), float(after.max()), bound)


def matrix(law: CircularLaw) -> Floats:
    """P(y|x), a row for each x."""
    weights = numbers(law.weights)
    places = np.arange(law.values)
    return np.asarray(weights[(places[None, :] - places[:, None]) % law.values])


def numbers(weights: Sequence[Fraction]) -> Floats:
    return np.array([float(weight) for weight in weights])


def holding(of: NumberProperty) -> Floats:
    return np.array([float(of.holds(x)) for x in range(VALUES)])


AGES, NOISE = range(101), 50
RECEIVED = 120


def age_example() -> tuple[int, int]:
    """Ages 0 to 100 plus a whole number from -50 to 50, not wrapped round: the ages that 120 leaves possible."""
    possible = [age for age in AGES if abs(RECEIVED - age) <= NOISE]
    return min(possible), max(possible)
