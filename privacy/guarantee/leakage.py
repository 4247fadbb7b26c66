"""Leakage: the information of a record in bits, where all answers to its section are equally likely before.

    I(X;Y) = sum over y of P(y) D(y),   D(y) = sum over x of P(x|y) log2( P(y|x) / P(y) )

D(y) is the Kullback-Leibler divergence of the posterior after y from the prior. The average can be small although a
rare record reveals everything, so the largest divergence is computed, too; neither replaces the guarantee.
docs/mathematics.md, Breaches and leakage.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from privacy.guarantee.bits import Bits
from privacy.kinds.mined_law import Disguised

PLACES = 6


@dataclass(frozen=True, slots=True)
class Leakage:
    """In bits, rounded up: the information of a record on average, and the largest divergence of a record."""

    mutual_information: Decimal
    largest_distance: Decimal

    def as_json(self) -> dict[str, float]:
        return {"bits": float(self.mutual_information), "largest_distance": float(self.largest_distance)}


def leakage(law: Disguised, places: int = PLACES) -> Leakage | None:
    kinds = law.record_kinds()
    if kinds is None:
        return None
    terms, largest = [], Decimal(0)
    for kind, number in kinds.items():
        total = sum((share * sent for share, sent in kind), start=Fraction(0))
        parts = [(share * sent, sent / total) for share, sent in kind if sent]
        terms += [(number * joint, ratio) for joint, ratio in parts]
        distance = Bits.total((joint / total, ratio) for joint, ratio in parts).up(places)
        largest = max(largest, distance)
    return Leakage(Bits.total(terms).up(places), largest)
