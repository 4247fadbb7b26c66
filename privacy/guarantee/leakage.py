"""Leakage: mutual information of a record and the answers to its section, in bits, for equally likely answers.

I(X;Y) = sum over y of P(y) D(y),   D(y) = sum over x of P(x|y) log2( P(y|x) / P(y) )

D(y) is the Kullback-Leibler divergence of the posterior after y from the prior. The average can be small although a
rare record reveals everything, so the largest divergence is computed, too; neither replaces the guarantee.
docs/mathematics.md, Breaches and leakage.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from privacy.guarantee.amplification import log_bounds, round_up
from privacy.kinds.disguise_law_interface import Disguised

# --- bits
# Sums of logarithms in symbolic form: exact where possible, otherwise with exact bounds.

GUARD = 30
"""Number of digits of the logarithms' bounds beyond the digits shown."""


@dataclass(frozen=True, slots=True)
class Bits:
    """An exact number of bits: `whole` + the sum of weight * log2(odd) over `logs`.

    The odd numbers are distinct and above 1.
    """

    whole: Fraction
    logs: tuple[tuple[int, Fraction], ...]

    @classmethod
    def from_weighted_logs(cls, terms: Iterable[tuple[Fraction, Fraction]]) -> "Bits":
        """Returns the sum of weight * log2(ratio) over pairs (weight, ratio); a weight of 0 adds nothing."""
        whole = Fraction(0)
        logs: dict[int, Fraction] = defaultdict(Fraction)
        for weight, ratio in terms:
            for number, signed in ((ratio.numerator, weight), (ratio.denominator, -weight)):
                if weight:
                    twos = (number & -number).bit_length() - 1
                    whole += twos * signed
                    logs[number >> twos] += signed
        return cls(whole, tuple((odd, weight) for odd, weight in logs.items() if odd > 1 and weight))

    def rounded_up(self, places: int) -> Decimal:
        """Returns the number of bits rounded up at `places` places, by less than 10^-places + 10^-(places + 20)."""
        return round_up(
            self.whole
            + sum((self._weighted_log_upper_bound(*term, places) for term in self.logs), Fraction(0)),
            places,
        )

    def _weighted_log_upper_bound(self, odd: int, weight: Fraction, places: int) -> Fraction:
        digits = places + GUARD + odd.bit_length().bit_length() + len(self.logs).bit_length()
        low, high = _log2_bounds(odd, digits)
        return weight * (high if weight > 0 else low)


@lru_cache(maxsize=4096)
def _log2_bounds(number: int, digits: int) -> tuple[Fraction, Fraction]:
    low, high = (Fraction(bound) for bound in log_bounds(Fraction(number), digits))
    low_two, high_two = (Fraction(bound) for bound in log_bounds(Fraction(2), digits))
    return low / high_two, high / low_two


# --- leakage

PLACES = 6


@dataclass(frozen=True, slots=True)
class Leakage:
    """Leakage in bits, rounded up: the mean information of a record, and the largest divergence of any record."""

    mutual_information: Decimal
    largest_distance: Decimal

    def as_json(self) -> dict[str, float]:
        return {"bits": float(self.mutual_information), "largest_distance": float(self.largest_distance)}


def leakage(law: Disguised, places: int = PLACES) -> Leakage | None:
    """Computes the leakage of a law; None if the law does not list its kinds of records."""
    kinds = law.record_kinds()
    if kinds is None:
        return None
    terms, largest = [], Decimal(0)
    for kind, number in kinds.items():
        total = sum((share * sent for share, sent in kind), start=Fraction(0))
        parts = [(share * sent, sent / total) for share, sent in kind if sent]
        terms += [(number * joint, ratio) for joint, ratio in parts]
        distance = Bits.from_weighted_logs((joint / total, ratio) for joint, ratio in parts).rounded_up(
            places
        )
        largest = max(largest, distance)
    return Leakage(Bits.from_weighted_logs(terms).rounded_up(places), largest)
