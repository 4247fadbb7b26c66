"""Amplification: how far one record can shift the odds about a person, for every prior.

Evfimievski, Gehrke and Srikant: a law P(y|x) is at most gamma-amplifying for y if P(y|x) <= gamma P(y|x')
for all x, x'. Then the odds of no property change by more than the factor gamma in either direction, whatever
the prior.
See docs/mathematics.md, Guarantee.
"""

from dataclasses import dataclass, field
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import prod

from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.grammar.json_node import PARTS
from privacy.kinds.disguise_law_interface import Disguised, Protected

# --- decimals
# Decimals rounded in a stated direction, exactly: fractions and logarithms.


def round_up(value: Fraction, places: int) -> Decimal:
    """Returns the smallest decimal of `places` places that is at least `value`."""
    return _decimal_of_units(-(-value.numerator * 10**places // value.denominator), places)


def round_down(value: Fraction, places: int) -> Decimal:
    """Returns the largest decimal of `places` places that is at most `value`."""
    return _decimal_of_units(value.numerator * 10**places // value.denominator, places)


def log_rounded_up(value: Fraction, places: int) -> Decimal:
    """Returns ln(value) for value >= 1, rounded up at `places` places.

    Exact: more digits are taken until both bounds round alike. They do in the end, because the logarithm of a fraction
    other than 1 is never a decimal.
    """
    if value < 1:
        raise ValueError(f"an amplification is at least 1, not {value}")
    if value == 1:
        return _decimal_of_units(0, places)
    digits = places + 20
    while True:
        low, high = (round_up(Fraction(bound), places) for bound in log_bounds(value, digits))
        if low == high:
            return high
        digits *= 2


def log_bounds(value: Fraction, digits: int) -> tuple[Decimal, Decimal]:
    """Returns a lower and an upper bound of ln(value), value >= 1, as decimals of `digits` digits, >= 0."""
    down_context = Context(digits, ROUND_FLOOR, MIN_EMIN, MAX_EMAX)
    up_context = Context(digits, ROUND_CEILING, MIN_EMIN, MAX_EMAX)
    numerator, denominator = Decimal(value.numerator), Decimal(value.denominator)
    # Decimal.ln is rounded to nearest whatever the context says, hence one more step outwards.
    low = down_context.ln(down_context.divide(numerator, denominator)).next_minus(down_context)
    high = up_context.ln(up_context.divide(numerator, denominator)).next_plus(up_context)
    # The number next below 0 has so many digits that its fraction would fill the memory.
    return max(low, Decimal(0)), high


def _decimal_of_units(units: int, places: int) -> Decimal:
    # Ordinary arithmetic would round to the precision of the thread's context.
    number = Decimal(units)
    return number.scaleb(-places, Context(number.adjusted() + 1, Emin=MIN_EMIN, Emax=MAX_EMAX))


# --- amplification

PLACES = 6


@dataclass(frozen=True, slots=True)
class Guarantee:
    """The guarantee for all disguised answers of one person together, computed from the laws of the sections.

    `gamma`: the largest factor by which one record can change the odds of anything about the person.
    """

    laws: tuple[Disguised, ...]
    gamma: Fraction = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.laws:
            raise ValueError("where nothing is disguised there is no guarantee")
        object.__setattr__(self, "gamma", prod((law.gamma for law in self.laws), start=Fraction(1)))

    @property
    def protected_people(self) -> Protected:
        """The people whom gamma protects: only people whom every section's law protects."""
        inside = any(law.protected_people is Protected.INSIDE for law in self.laws)
        return Protected.INSIDE if inside else Protected.EVERYBODY

    def epsilon(self, places: int = PLACES) -> Decimal:
        """Returns epsilon, ln gamma, rounded up."""
        return log_rounded_up(self.gamma, places)

    def posterior(self, prior: Fraction) -> Fraction:
        """Returns the largest posterior that a record can give any property with this prior probability."""
        return worst_posterior(self.gamma, prior)

    def posterior_rounded_up(self, prior: Fraction, places: int = PLACES) -> Decimal:
        """Returns the largest posterior of any property with this prior probability, rounded up."""
        return round_up(self.posterior(prior), places)


def worst_posterior(gamma: Fraction, prior: Fraction) -> Fraction:
    """Returns the largest posterior probability of a property with this prior: its odds are multiplied by gamma.

    This worst case occurs for a prior on the two answers that differ most.
    """
    return gamma * prior / (1 + (gamma - 1) * prior)


@dataclass(frozen=True, slots=True)
class GammaLimit:
    """An upper limit of gamma. `strict`: gamma must be below the limit and may not equal it."""

    gamma: Fraction
    strict: bool

    @classmethod
    def never_reaches(cls, rho1: Fraction, rho2: Fraction) -> "GammaLimit":
        """Returns the strict limit of gamma that excludes a privacy breach from rho1 to rho2.

        A property that is at most rho1 likely before stays below rho2, and one at least rho2 likely stays above rho1.
        """
        return cls(odds_ratio(rho1, rho2), strict=True)

    @classmethod
    def never_exceeds(cls, rho1: Fraction, rho2: Fraction) -> "GammaLimit":
        """Returns the limit of gamma for the weaker promise: what is at most rho1 likely before is at most
        rho2 likely after, and conversely."""
        return cls(odds_ratio(rho1, rho2), strict=False)

    def admits(self, gamma: Fraction) -> bool:
        """Returns True if this gamma is within the limit."""
        return gamma < self.gamma or (gamma == self.gamma and not self.strict)


def odds_ratio(rho1: Fraction, rho2: Fraction) -> Fraction:
    """Returns the odds of rho2 divided by the odds of rho1: rho2 (1 - rho1) / (rho1 (1 - rho2))."""
    if not 0 < rho1 < rho2 < 1:
        raise ValueError(f"a breach needs 0 < rho1 < rho2 < 1, not {rho1} and {rho2}")
    return rho2 * (1 - rho1) / (rho1 * (1 - rho2))


def largest_class_keep(limit: GammaLimit, cuts: int) -> Fraction:
    """Returns the largest keep probability of a number by classes within a limit of gamma, exactly; m = `cuts` drawn
    limits.

    It is the p with 1 + p (m+1) / (1-p) = limit. With m = 1 it is the keep probability of the bit for the mean.
    """
    return (limit.gamma - 1) / (limit.gamma + cuts)


def rounded_class_keep(limit: GammaLimit, cuts: int) -> Fraction:
    """Returns `largest_class_keep` rounded down to four places; refuses a limit that does not even admit .0001."""
    most = largest_class_keep(limit, cuts) * PARTS
    parts = int(most) - (limit.strict and most == int(most))
    if parts < 1:
        raise InputError("limit", _("no keep of four places is within this limit"))
    return Fraction(parts, PARTS)
