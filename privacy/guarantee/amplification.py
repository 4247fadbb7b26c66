"""Amplification: how far one record can shift the odds about a person, for every prior.

Evfimievski, Gehrke and Srikant: a law P(y|x) is at most gamma-amplifying for y if P(y|x) <= gamma P(y|x')
for all x, x'. Then the odds of no property change by more than the factor gamma in either direction, whatever
the prior.
See docs/mathematics.md, Guarantee.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import prod

from privacy.grammar.input_error import InputError, marked as _
from privacy.grammar.node import PARTS
from privacy.guarantee.decimals import log_up, up
from privacy.kinds.mined_law import Disguised, Protected

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
        """Whom gamma is for: only people whom all of the laws protect."""
        inside = any(law.protects is Protected.INSIDE for law in self.laws)
        return Protected.INSIDE if inside else Protected.EVERYBODY

    def repeated(self, times: int) -> "Guarantee":
        """The guarantee for a person who takes part `times` times: gamma multiplies."""
        return Guarantee(self.laws * times)

    def epsilon(self, places: int = PLACES) -> Decimal:
        """ln gamma, rounded up."""
        return log_up(self.gamma, places)

    def posterior(self, prior: Fraction) -> Fraction:
        """The largest posterior of anything with this prior."""
        return worst_posterior(self.gamma, prior)

    def posterior_up(self, prior: Fraction, places: int = PLACES) -> Decimal:
        """The same as a decimal, rounded up."""
        return up(self.posterior(prior), places)


def worst_posterior(gamma: Fraction, prior: Fraction) -> Fraction:
    """The posterior if the odds grow by gamma, which they do for a prior on the two answers that differ most."""
    return gamma * prior / (1 + (gamma - 1) * prior)


@dataclass(frozen=True, slots=True)
class GammaLimit:
    """The largest admissible gamma; `strict`: gamma must be below it."""

    gamma: Fraction
    strict: bool

    @classmethod
    def never_reaches(cls, rho1: Fraction, rho2: Fraction) -> "GammaLimit":
        """No breach, as defined: at most rho1 before is less than rho2 after; at least rho2 stays above rho1."""
        return cls(odds_ratio(rho1, rho2), strict=True)

    @classmethod
    def never_exceeds(cls, rho1: Fraction, rho2: Fraction) -> "GammaLimit":
        """The weaker promise: at most rho1 before is at most rho2 after; at least rho2 stays at least rho1."""
        return cls(odds_ratio(rho1, rho2), strict=False)

    def admits(self, gamma: Fraction) -> bool:
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
    """The same with four places; refused where not even .0001 is within the limit."""
    most = largest_keep(limit, cuts) * PARTS
    parts = int(most) - (limit.strict and most == int(most))
    if parts < 1:
        raise InputError("limit", _("no keep of four places is within this limit"))
    return Fraction(parts, PARTS)
