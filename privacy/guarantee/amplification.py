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

from privacy.grammar.input_error import InputError, marked as _
from privacy.grammar.json_node import PARTS
from privacy.kinds.mined_law import Disguised, Protected

# --- decimals
# Decimals rounded in a stated direction, exactly: fractions and logarithms.


def round_up(value: Fraction, places: int) -> Decimal:
    """The smallest decimal of `places` places that is at least `value`."""
    return _scaled(-(-value.numerator * 10**places // value.denominator), places)


def round_down(value: Fraction, places: int) -> Decimal:
    """The largest decimal of `places` places that is at most `value`."""
    return _scaled(value.numerator * 10**places // value.denominator, places)


def log_rounded_up(value: Fraction, places: int) -> Decimal:
    """ln(value) for value >= 1, rounded up. Exact: more digits are taken until both bounds round alike. They do in the
    end, because the logarithm of a fraction other than 1 is never a decimal."""
    if value < 1:
        raise ValueError(f"an amplification is at least 1, not {value}")
    if value == 1:
        return _scaled(0, places)
    digits = places + 20
    while True:
        low, high = (round_up(Fraction(bound), places) for bound in log_bounds(value, digits))
        if low == high:
            return high
        digits *= 2


def log_bounds(value: Fraction, digits: int) -> tuple[Decimal, Decimal]:
    """Lower and upper bound of ln(value), decimals of `digits` digits, neither negative; value is at least 1."""
    down_context = Context(digits, ROUND_FLOOR, MIN_EMIN, MAX_EMAX)
    up_context = Context(digits, ROUND_CEILING, MIN_EMIN, MAX_EMAX)
    numerator, denominator = Decimal(value.numerator), Decimal(value.denominator)
    # Decimal.ln is rounded to nearest whatever the context says, hence one more step outwards.
    low = down_context.ln(down_context.divide(numerator, denominator)).next_minus(down_context)
    high = up_context.ln(up_context.divide(numerator, denominator)).next_plus(up_context)
    # The number next below 0 has so many digits that its fraction would fill the memory.
    return max(low, Decimal(0)), high


def _scaled(units: int, places: int) -> Decimal:
    # Ordinary arithmetic would round to the precision of the thread's context.
    number = Decimal(units)
    return number.scaleb(-places, Context(number.adjusted() + 1, Emin=MIN_EMIN, Emax=MAX_EMAX))


# --- amplification

PLACES = 6


@dataclass(frozen=True, slots=True)
class Guarantee:
    """The guarantee for all disguised answers of one person together, computed from their laws."""

    laws: tuple[Disguised, ...]
    gamma: Fraction = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.laws:
            raise ValueError("where nothing is disguised there is no guarantee")
        object.__setattr__(self, "gamma", prod((law.gamma for law in self.laws), start=Fraction(1)))

    @property
    def protects(self) -> Protected:
        """Whom gamma protects: only people whom all of the laws protect."""
        inside = any(law.protects is Protected.INSIDE for law in self.laws)
        return Protected.INSIDE if inside else Protected.EVERYBODY

    def repeated(self, times: int) -> "Guarantee":
        """The guarantee for a person who takes part `times` times: the gammas multiply."""
        return Guarantee(self.laws * times)

    def epsilon(self, places: int = PLACES) -> Decimal:
        """ln gamma, rounded up."""
        return log_rounded_up(self.gamma, places)

    def posterior(self, prior: Fraction) -> Fraction:
        """The largest posterior probability of any property with this prior."""
        return worst_posterior(self.gamma, prior)

    def posterior_up(self, prior: Fraction, places: int = PLACES) -> Decimal:
        """The largest posterior as a decimal, rounded up."""
        return round_up(self.posterior(prior), places)


def worst_posterior(gamma: Fraction, prior: Fraction) -> Fraction:
    """Posterior if the odds are multiplied by gamma, which they do for a prior on the two answers that differ most."""
    return gamma * prior / (1 + (gamma - 1) * prior)


@dataclass(frozen=True, slots=True)
class GammaLimit:
    """Upper limit of gamma; `strict`: gamma must be below it."""

    gamma: Fraction
    strict: bool

    @classmethod
    def never_reaches(cls, rho1: Fraction, rho2: Fraction) -> "GammaLimit":
        """The limit for no breach: a prior of at most rho1 stays below rho2, one of at least rho2 above rho1."""
        return cls(odds_ratio(rho1, rho2), strict=True)

    @classmethod
    def never_exceeds(cls, rho1: Fraction, rho2: Fraction) -> "GammaLimit":
        """The limit for a weaker promise: a prior of at most rho1 becomes at most rho2, at least rho2 at least rho1."""
        return cls(odds_ratio(rho1, rho2), strict=False)

    def admits(self, gamma: Fraction) -> bool:
        """True if this gamma is within the limit."""
        return gamma < self.gamma or (gamma == self.gamma and not self.strict)


def odds_ratio(rho1: Fraction, rho2: Fraction) -> Fraction:
    """rho2 (1 - rho1) / (rho1 (1 - rho2)): the ratio of the odds of rho2 and of rho1."""
    if not 0 < rho1 < rho2 < 1:
        raise ValueError(f"a breach needs 0 < rho1 < rho2 < 1, not {rho1} and {rho2}")
    return rho2 * (1 - rho1) / (rho1 * (1 - rho2))


def largest_keep(limit: GammaLimit, cuts: int) -> Fraction:
    """The largest p with 1 + p(m+1)/(1-p) within the limit, before it is rounded down; that of the rest for m = 1."""
    return (limit.gamma - 1) / (limit.gamma + cuts)


def rounded_keep(limit: GammaLimit, cuts: int) -> Fraction:
    """`largest_keep` rounded down to four places; refused where not even .0001 is within the limit."""
    most = largest_keep(limit, cuts) * PARTS
    parts = int(most) - (limit.strict and most == int(most))
    if parts < 1:
        raise InputError("limit", _("no keep of four places is within this limit"))
    return Fraction(parts, PARTS)
