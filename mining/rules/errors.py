"""How wrong a rule's confidence, lift and leverage may be, and whether its sides go together at all."""

from dataclasses import dataclass

import numpy as np
from scipy.special import erfc

from mining.reconstruction.cells import quotient
from mining.reconstruction.intervals import NORMAL_95
from mining.reconstruction.shapes import Floats
from mining.rules.sides import Side, Sides, Split, signs

A, C, S = 0, 1, 2

Bounds = tuple[Floats, Floats]


@dataclass(frozen=True)
class Errors:
    """Of the rules A -> C and C -> A; what is the same for both stands once. NaN: cannot be estimated."""

    confidence: tuple[Bounds, Bounds]
    lift: Bounds
    leverage: Bounds
    p: Floats


class Together:
    """Two sides of S and the whole: the covariances of their supports, group by group."""

    def __init__(self, sides: Sides, split: Split) -> None:
        self.sides = sides
        self.of: tuple[Side, Side, Side] = (
            sides.side(split[A]),
            sides.side(split[C]),
            sides.side(sides.shape.everything),
        )
        cells = sides.cells(*split)
        scores = [sides.scores(side, *split) for side in self.of]
        sign = signs(len(cells))[:, None]
        self.product: dict[tuple[int, int], Floats] = {}
        self.top: dict[tuple[int, int], Floats] = {}
        for one, other in ((A, C), (A, S), (C, S)):
            means, tops = [], []
            for group in (0, 1):
                both = scores[one][group] * scores[other][group]
                means.append((cells[:, group] * both).sum(axis=0))
                tops.append(np.broadcast_to((sign * both).sum(axis=0), sides.n.shape))
            self.product[one, other] = quotient(np.stack(means), sides.base)
            self.top[one, other] = np.stack(tops)
        for side in (A, C, S):
            self.product[side, side] = self.of[side].second
        squares = [(sign * scores[S][group] ** 2).sum(axis=0) for group in (0, 1)]
        self.top[S, S] = np.stack(np.broadcast_arrays(*squares))
        alone = [(sign * scores[S][group]).sum(axis=0) for group in (0, 1)]
        self.top_mean = np.stack(np.broadcast_arrays(*alone))

    def covariance(self, one: int, other: int, lowered: Floats | None = None) -> Floats:
        """Of two supports; `lowered`: were the share of records with S lower by this, group by group."""
        sides = self.sides
        product = self.product[one, other]
        means = [self.of[one].mean, self.of[other].mean]
        if lowered is not None:
            product = product - lowered * self.top[one, other]
            means = [
                mean - lowered * self.top_mean if side == S else mean
                for side, mean in zip((one, other), means, strict=True)
            ]
        weights = self.of[one].weight, self.of[other].weight
        if sides.estimator != "stratified":
            spread = weights[0] * weights[1] * (product - means[0] * means[1])
            return np.asarray(quotient(spread, sides.base).sum(axis=0))
        share = sides.share
        first, second = ((share * mean).sum(axis=0) for mean in means)
        return quotient((share * product).sum(axis=0) - first * second, sides.n)


def errors(sides: Sides, split: Split) -> Errors:
    of = Together(sides, split)
    a, c, s = (side.support for side in of.of)
    var_a, var_c, var_s = (of.covariance(side, side) for side in (A, C, S))
    cov_ac, cov_as, cov_cs = of.covariance(A, C), of.covariance(A, S), of.covariance(C, S)
    chance = a * c - cov_ac
    lift = fieller(
        s,
        chance,
        var_s,
        c**2 * var_a + a**2 * var_c + 2 * a * c * cov_ac + var_a * var_c + cov_ac**2,
        c * cov_as + a * cov_cs,
    )
    leverage = s - a * c
    spread = _spread(a, c, (var_a, var_c, var_s, cov_ac, cov_as, cov_cs))
    either_side = NORMAL_95 * np.sqrt(spread)
    return Errors(
        (fieller(s, a, var_s, var_a, cov_as), fieller(s, c, var_s, var_c, cov_cs)),
        lift,
        (leverage - either_side, leverage + either_side),
        _p(of, var_a, var_c),
    )


def fieller(above: Floats, below: Floats, var_above: Floats, var_below: Floats, cov: Floats) -> Bounds:
    """Every t with (above - t below)^2 <= 1.96^2 of its variance; NaN where `below` may be nothing at all."""
    square = NORMAL_95**2
    first = below**2 - square * var_below
    middle = above * below - square * cov
    root = np.sqrt(np.maximum(middle**2 - first * (above**2 - square * var_above), 0.0))
    first = np.where((below > 0) & (first > 0), first, np.nan)
    return (middle - root) / first, (middle + root) / first


def _p(of: Together, var_a: Floats, var_c: Floats) -> Floats:
    """Two-sided, of lift 1: the error is that of a population whose support of S is what chance gives."""
    a, c, s = (side.support for side in of.of)
    leverage = s - a * c
    lowered = leverage * of.sides.lowering
    var_s, cov_ac, cov_as, cov_cs = (
        of.covariance(*pair, lowered) for pair in ((S, S), (A, C), (A, S), (C, S))
    )
    spread = _spread(a, c, (var_a, var_c, var_s, cov_ac, cov_as, cov_cs))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = erfc(np.abs(leverage) / np.sqrt(2 * spread))
    return np.where(spread > 0, p, 1.0)


def _spread(a: Floats, c: Floats, of: tuple[Floats, ...]) -> Floats:
    """The variance of the mean of psi = z(S) - P_C z(A) - P_A z(C)."""
    var_a, var_c, var_s, cov_ac, cov_as, cov_cs = of
    spread = var_s + c**2 * var_a + a**2 * var_c + 2 * (a * c * cov_ac - c * cov_as - a * cov_cs)
    return np.maximum(spread, 0.0)
