"""How near are the laws of numbers and of many choices to others of the same gamma? Tables for docs/mathematics.md.

./run bench numbers     All is worked out, where all numbers of 0 .. 9,999, or all choices, are as likely.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, log, sqrt

import numpy as np

from bench.markdown import show, table
from mining.inference.contingency_table import Floats
from privacy.grammar.json_node import PARTS
from privacy.grammar.number_range import NumberRange
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.best_number_classes import (
    ABOVE_LEAST,
    classes_for_mean,
    classes_for_shares,
    even_limits,
)
from privacy.guarantee.number_distribution import ExpectedNumbers
from privacy.kinds.subset.law import SubsetLaw, best_set_size_above_one, largest_keep

GAMMAS, LIMITS = (3, 6, 19, 50), (4, 9, 20)
MOST_LIMITS = 4
"""Up to so many, the least over all laws is computed; beyond, it is the tabulated one."""
NUMBERS = NumberRange(0, 9_999)
EVEN = ExpectedNumbers.uniform(NUMBERS)
WAVE_CELLS = 20_000
"""Cells of y over which the variances of the square wave's shares are added up."""


@dataclass(frozen=True)
class SquareWave:
    """Of a number x from 0 to 1 a real y from -b to 1 + b, denser within b of x (Li et al., SIGMOD 2020).

    b is the one with the most mutual information. The paper estimates by the likeliest distribution; here, as of the
    other laws, unbiased estimates are judged.
    """

    gamma: float

    @property
    def half(self) -> float:
        g, epsilon = self.gamma, log(self.gamma)
        return (epsilon * g - g + 1) / (2 * g * (g - 1 - epsilon))

    @property
    def densities(self) -> tuple[float, float]:
        """Far from x, and near it."""
        far = 1 / (2 * self.half * self.gamma + 1)
        return far, self.gamma * far

    def share_variances(self, limits: int) -> Floats:
        """n se^2 by the best unbiased scores of even classes where the numbers of each class are as likely.

        Without that, no score of y is unbiased for a share.
        """
        b, (far, near) = self.half, self.densities
        cells = np.linspace(-b, 1 + b, WAVE_CELLS + 1)
        y = (cells[1:] + cells[:-1]) / 2
        starts = np.arange(limits + 1)[:, None] / (limits + 1)
        ends = starts + 1 / (limits + 1)
        inside = np.maximum(np.minimum(y + b, ends) - np.maximum(y - b, starts), 0) * (limits + 1)
        chance = (far + (near - far) * inside) * (cells[1] - cells[0])
        mean = chance.mean(axis=0)
        scores = (chance / mean).T @ np.linalg.inv((chance / mean) @ chance.T)
        above = np.cumsum(scores[:, ::-1], axis=1)[:, -2::-1]
        return np.asarray(mean @ above**2 - (mean @ above) ** 2)

    @property
    def mean_variance(self) -> float:
        """n se^2 of the mean: E y is linear in x, so a multiple of y is unbiased whatever the distribution."""
        b, (far, near) = self.half, self.densities
        slope = (near - far) * 2 * b
        middle = far * (1 + 2 * b) / 2 + slope / 2
        square = far * ((1 + b) ** 3 + b**3) / 3 + slope * (1 / 3 + b**2 / 3)
        return (square - middle**2) / slope**2


def share_errors() -> Iterator[list[object]]:
    """The mean over the limits of n se^2 of the share above."""
    for limits, gamma in product(LIMITS, GAMMAS):
        limit = GammaLimit(Fraction(gamma), strict=False)
        result = classes_for_shares(EVEN, limit, even_limits(NUMBERS, limits))
        ours = result.share_variances(np.full(limits + 1, 1 / (limits + 1))).mean()
        above = np.arange(1, limits + 1) / (limits + 1)
        keep = (gamma - 1) / (gamma + limits)
        # Received above; k-ary response keeps an even distribution as it is.
        k_ary = (above * (1 - above)).mean() / keep**2
        p = (gamma - 1) / (gamma + 1)
        one_drawn = limits * ((above * (1 - above)).mean() + (1 - p**2) / (4 * p**2))
        wave = SquareWave(gamma).share_variances(limits).mean()
        least = f"{ours / (1 + ABOVE_LEAST[limits][gamma]):.3f}"
        if limits <= MOST_LIMITS:
            least = f"{least_share_variance(limits, gamma):.4f}"
        yield [limits, gamma, result.cuts, *rounded(ours, k_ary, wave, one_drawn), least]


def least_share_variance(limits: int, gamma: float) -> float:
    """The least that any law with this gamma can have, by convex optimisation.

    Some best law sends records whose chances by class are w or gamma w (Kairouz et al., JMLR 17, 2016): w is searched.
    The best unbiased scores have the second moments A G^-1 A', with G = SUM w v v' / mean v; this is convex in w.
    """
    from scipy.optimize import minimize  # late for cost

    classes = limits + 1
    bits = np.arange(1, 2**classes - 1)[:, None] >> np.arange(classes) & 1
    chances = np.where(bits, float(gamma), 1.0)
    above = np.tri(limits, classes, dtype=np.float64)
    square = (above.mean(axis=1) ** 2).mean()

    def variance(w: Floats) -> float:
        information = np.einsum("y,yb,yc->bc", w / chances.mean(axis=1), chances, chances)
        return float(np.einsum("ab,bc,ac->a", above, np.linalg.inv(information), above).mean() - square)

    even = np.full(len(chances), 1 / chances[:, 0].sum())
    result = minimize(
        variance,
        even,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(even),
        constraints={"type": "eq", "fun": lambda w: w @ chances - 1},
        options={"maxiter": 1_000, "ftol": 1e-9},
    )
    assert result.success, result.message
    return float(result.fun)


def mean_errors() -> Iterator[list[object]]:
    """n se^2 of the mean over the squared range."""
    for gamma in GAMMAS:
        result = classes_for_mean(EVEN, GammaLimit(Fraction(gamma), strict=False))
        ours = result.mean_variance(EVEN) / NUMBERS.high**2
        p, root = (gamma - 1) / (gamma + 1), sqrt(gamma)
        # Numbers from -1 to 1 have the mean 0 and the second moment 1/3; a quarter goes back to a range of 1.
        duchi = 1 / p**2
        piecewise = 1 / 3 + (1 / 3) / (root - 1) + (root + 3) / (3 * (root - 1) ** 2)
        hybrid = (1 - 1 / root) * piecewise + duchi / root
        one_drawn = 1 / 4 + (1 - p**2) / (4 * p**2)
        others = duchi / 4, piecewise / 4, hybrid / 4, SquareWave(gamma).mean_variance, one_drawn
        yield [gamma, result.cuts, result.rest, *rounded(ours, *others)]


def set_errors() -> Iterator[list[object]]:
    """n se^2 of the share of one of K choices, where all are as likely; where d would be 1, sets are k-ary response."""
    for choices, gamma in product((10, 21), (3, 6)):
        size, share = best_set_size_above_one(choices, Fraction(gamma)), Fraction(1, choices)
        one = Fraction(PARTS * (gamma - 1) // (gamma - 1 + choices), PARTS)
        k_ary = sets = float(share * (1 - share) / one**2)
        if size:
            keep = Fraction(largest_keep(choices, size, Fraction(gamma)), PARTS)
            sets = float(SubsetLaw(choices, size, keep).variance_per_respondent(share))
        needed = (f"{ceil(variance * (1.96 / 0.05) ** 2):,}" for variance in (k_ary, sets))
        yield [choices, gamma, size or 1, *rounded(k_ary, sets, k_ary / sets), *needed]


def rounded(*figures: float) -> list[str]:
    return [f"{figure:.3f}" for figure in figures]


def main() -> None:
    print("Shares: mean n se^2 over the limits, by classes, other laws, one limit drawn, and the least\n")
    laws = ["classes", "k-ary", "square wave", "one drawn", "least"]
    show(table(["limits", "gamma", "m", *laws], share_errors()))
    print("\nMean: n se^2 over the squared range\n")
    laws = ["classes", "Duchi", "piecewise", "hybrid", "square wave", "one drawn"]
    show(table(["gamma", "m", "R", *laws], mean_errors()))
    print("\nMany choices: n se^2 of the share of one, by sets of d, and the records for +-5 points\n")
    heads = ["K", "gamma", "d", "k-ary", "sets", "k-ary / sets", "records, k-ary", "records, sets"]
    show(table(heads, set_errors()))


if __name__ == "__main__":
    main()
