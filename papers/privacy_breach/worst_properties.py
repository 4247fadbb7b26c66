"""Positive and negative breaches: of all properties of X, those that some record raises or lowers most."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from papers.privacy_breach.breaches import FACTS
from papers.privacy_breach.settings import LAWS, VALUES, NumberProperty, prior
from privacy.guarantee.breaches import Matrix, Vector, exact_prior, most_raised
from privacy.kinds.number.window.circular_law import CircularLaw

LOW, HIGH = Fraction(1, 7), Fraction(1, 2)
"""A positive breach raises what is at most LOW to HIGH or more, a negative one lowers HIGH or more to LOW or less."""

TYPICAL = (0, VALUES // 2)
"""Where only 0 is not as likely as the other numbers, each record says as much as one of these: near 0, or far off."""


@dataclass(frozen=True)
class WorstProperties:
    """To somebody who knows a fact: the most that LOW or less rises to, the least that HIGH or more falls to."""

    law: str
    known: str
    raised_from: Fraction
    raised_to: Fraction
    lowered_from: Fraction
    lowered_to: Fraction

    @property
    def positive(self) -> bool:
        return self.raised_to >= HIGH

    @property
    def negative(self) -> bool:
        return self.lowered_to <= LOW


def worst_properties() -> Iterator[WorstProperties]:
    """Of each law where nothing is known, and of R3 where something is."""
    nothing, *others = FACTS
    for name in LAWS:
        yield worst(name, nothing)
    for fact in others:
        yield worst("R3", fact)


def worst(name: str, fact: NumberProperty) -> WorstProperties:
    before, law = known(fact, LAWS[name])
    raised = most_raised(before, law, LOW)
    # What falls most is the complement of what rises most.
    risen = most_raised(before, law, 1 - HIGH)
    raised_from, raised_to = (raised.before, raised.after) if raised else (Fraction(0), Fraction(0))
    risen_from, risen_to = (risen.before, risen.after) if risen else (Fraction(0), Fraction(0))
    return WorstProperties(name, fact.name, raised_from, raised_to, 1 - risen_from, 1 - risen_to)


def known(fact: NumberProperty, law: CircularLaw) -> tuple[Vector, Matrix]:
    """The prior of the numbers that the fact leaves, and the law from these numbers to the records that matter."""
    before = prior()
    left = [x for x in range(VALUES) if fact.holds(x)]
    share = fact.share(before)
    records = TYPICAL if len(left) >= VALUES - 1 else range(VALUES)
    rows = [[law.probability(x, y) for y in records] for x in left]
    return exact_prior([before[x] / share for x in left]), np.array(rows, dtype=object)
