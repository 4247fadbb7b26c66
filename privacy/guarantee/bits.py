"""Sums of logarithms in symbolic form: exact where possible, otherwise with exact bounds."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from privacy.guarantee.decimals import log_bounds, up

GUARD = 30
"""Digits of the logarithms' bounds beyond those shown."""


@dataclass(frozen=True, slots=True)
class Bits:
    """whole + the sum of weight * log2(odd) over `logs`; the odd numbers are above 1 and distinct."""

    whole: Fraction
    logs: tuple[tuple[int, Fraction], ...]

    @classmethod
    def total(cls, terms: Iterable[tuple[Fraction, Fraction]]) -> "Bits":
        """The sum of weight * log2(ratio); by convention a weight of 0 adds nothing."""
        whole = Fraction(0)
        logs: dict[int, Fraction] = defaultdict(Fraction)
        for weight, ratio in terms:
            for number, signed in ((ratio.numerator, weight), (ratio.denominator, -weight)):
                if weight:
                    twos = (number & -number).bit_length() - 1
                    whole += twos * signed
                    logs[number >> twos] += signed
        return cls(whole, tuple((odd, weight) for odd, weight in logs.items() if odd > 1 and weight))

    def up(self, places: int) -> Decimal:
        """The value rounded up: above the true one by less than 10^-places, and 10^-(places + 20)."""
        return up(self.whole + sum((self._bound(*term, places) for term in self.logs), Fraction(0)), places)

    def _bound(self, odd: int, weight: Fraction, places: int) -> Fraction:
        digits = places + GUARD + odd.bit_length().bit_length() + len(self.logs).bit_length()
        low, high = _log2_bounds(odd, digits)
        return weight * (high if weight > 0 else low)


@lru_cache(maxsize=4096)
def _log2_bounds(number: int, digits: int) -> tuple[Fraction, Fraction]:
    low, high = (Fraction(bound) for bound in log_bounds(Fraction(number), digits))
    low_two, high_two = (Fraction(bound) for bound in log_bounds(Fraction(2), digits))
    return low / high_two, high / low_two
