"""How wrong a rule's confidence, lift and leverage may be, and whether its sides go together at all."""

from dataclasses import dataclass

import numpy as np

from mining.reconstruction.intervals import NORMAL_95
from mining.reconstruction.laws import Floats
from mining.rules.sides import Sides, Split, Together

Pair = tuple[Floats, Floats]


@dataclass(frozen=True)
class Errors:
    """Of the rules A -> C and C -> A; what is the same for both stands once. NaN: cannot be estimated."""

    confidence: tuple[Pair, Pair]
    lift: Pair
    leverage: Pair
    p: Floats


@dataclass(frozen=True)
class Covariances:
    """Of the supports of A, C and S on base(S)."""

    aa: Floats
    cc: Floats
    ss: Floats
    ac: Floats
    as_: Floats
    cs: Floats

    def of_leverage(self, a: Floats, c: Floats) -> Floats:
        """The variance of the mean of psi = z(S) - P_C z(A) - P_A z(C)."""
        alone = self.ss + c**2 * self.aa + a**2 * self.cc
        return np.maximum(alone + 2 * (a * c * self.ac - c * self.as_ - a * self.cs), 0.0)


def errors(sides: Sides, split: Split) -> Errors:
    from scipy.special import erfc

    of = sides.together(split)
    a, c, s = of.a.support, of.c.support, of.s.support
    as_it_is = _covariances(sides, of)
    chance, spread = _chance(a, c, as_it_is)
    lift = fieller(s, chance, as_it_is.ss, spread, c * as_it_is.as_ + a * as_it_is.cs)
    leverage = s - a * c
    either_side = NORMAL_95 * np.sqrt(as_it_is.of_leverage(a, c))
    # p is of lift 1, so its error is that of a population where S is as frequent as chance makes it.
    by_chance = _covariances(sides, of, leverage).of_leverage(a, c)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = erfc(np.abs(leverage) / np.sqrt(2 * by_chance))
    return Errors(
        (
            fieller(s, a, as_it_is.ss, as_it_is.aa, as_it_is.as_),
            fieller(s, c, as_it_is.ss, as_it_is.cc, as_it_is.cs),
        ),
        lift,
        (leverage - either_side, leverage + either_side),
        np.where(by_chance > 0, p, 1.0),
    )


def _chance(a: Floats, c: Floats, of: Covariances) -> Pair:
    """What P_A P_C is without the bias of its sides' common error, and its variance."""
    spread = c**2 * of.aa + a**2 * of.cc + 2 * a * c * of.ac
    return a * c - of.ac, spread + of.aa * of.cc + of.ac**2


def lift_denominator(sides: Sides, split: Split) -> Pair:
    """The denominator of lift, and its variance."""
    of = sides.together(split)
    return _chance(of.a.support, of.c.support, _covariances(sides, of))


def fieller(above: Floats, below: Floats, var_above: Floats, var_below: Floats, cov: Floats) -> Pair:
    """Every t with (above - t below)^2 <= 1.96^2 of its variance; NaN where `below` may be nothing at all."""
    square = NORMAL_95**2
    first = below**2 - square * var_below
    middle = above * below - square * cov
    root = np.sqrt(np.maximum(middle**2 - first * (above**2 - square * var_above), 0.0))
    first = np.where((below > 0) & (first > 0), first, np.nan)
    return (middle - root) / first, (middle + root) / first


def _covariances(sides: Sides, of: Together, lowered: Floats | None = None) -> Covariances:
    """`lowered`: were the support of S lower by this."""
    a, c, s = of.a.mean, of.c.mean, of.s.mean
    ss, ac, as_, cs = of.s.second, of.ac, of.as_, of.cs
    if lowered is not None:
        s = s - lowered * of.fall_of_s
        ss, ac, as_, cs = (
            product - lowered * of.fall[name]
            for product, name in ((ss, "ss"), (ac, "ac"), (as_, "as"), (cs, "cs"))
        )

    def covariance(product: Floats, one: Floats, other: Floats, *weights: Floats) -> Floats:
        spread = (product - one * other) * sides.per_record
        if len(spread) > 1:
            spread = (weights[0] * weights[1] * spread).sum(axis=0, keepdims=True)
        return np.asarray(spread[0])

    wa, wc, ws = of.a.weight, of.c.weight, of.s.weight
    return Covariances(
        covariance(of.a.second, a, a, wa, wa),
        covariance(of.c.second, c, c, wc, wc),
        covariance(ss, s, s, ws, ws),
        covariance(ac, a, c, wa, wc),
        covariance(as_, a, s, wa, ws),
        covariance(cs, c, s, wc, ws),
    )
