"""Decides whether a quota is told as full, by the sparse vector technique with a secret random threshold.

A rule on the exact count would reveal who fills the last place: somebody who knows all other answers sees the
quota full exactly if one more person is in its cell. So after each batch t the count n(1..t) of the cell is
compared with a random threshold:

    told as full after the first t with   n(1..t) >= limit + m + B + E(t)

B is drawn once per cell, E(t) once per batch; both have P(k) = (1-q)/(1+q) q^|k|. Each quota has
its own noise, so q depends on s, the number of distinct question sets of a design's quotas: a person is in at
most one cell of each set (`QUOTA_NOISE`).

The guarantee, over all quotas of a survey: whether one person is in all of their cells or in none, in
whichever batch, changes the probability of everything ever told about the quotas by a factor of at most
q^-2s <= 25/16, and other answers of the person by at most q^-3s < (25/16)^2, whatever anybody knows of all
others and whatever tables are published besides (docs/mathematics.md, Quotas). Each further survey with the
same people multiplies it again.

Dwork, Roth (2014), The Algorithmic Foundations of Differential Privacy, section 3.6; for counts that only
grow: Lyu, Su, Li (2017), Understanding the Sparse Vector Technique for Differential Privacy.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

Below = Callable[[int], int]
"""Function that returns a secure random number from 0 to n-1."""


@dataclass(frozen=True)
class QuotaNoise:
    """The distribution of the random noises B and E, and the margin m, for the decision that a quota is full.

    `ratio`: q, the probability of a noise divided by that of one nearer to 0 by 1. With the `margin`, a cell with one
    person less than its limit is told as full after one batch with a chance below 1 in 1,000.
    """

    ratio: Fraction
    margin: int

    def draw(self, below: Below) -> int:
        """Returns a random noise: the difference of two geometric numbers, drawn exactly with integers, in 10 or 20
        draws."""
        return self._draw_geometric(below) - self._draw_geometric(below)

    def _draw_geometric(self, below: Below) -> int:
        """Returns a random number k >= 0 that has probability (1-q) q^k."""
        number = 0
        while below(self.ratio.denominator) < self.ratio.numerator:
            number += 1
        return number


QUOTA_NOISE = {1: QuotaNoise(Fraction(4, 5), 35), 2: QuotaNoise(Fraction(9, 10), 74)}
"""Noise by the number s of question sets; (5/4)^2 = 25/16, and (10/9)^4 is smaller."""


@dataclass(frozen=True)
class QuotaCount:
    """Count of a quota's cell in the sealed batches.

    `margin`: m. `bar`: B, a secret. `full_after`: the batch after which the quota was told as full, 0 if none yet.
    """

    limit: int
    margin: int
    bar: int
    count: int = 0
    full_after: int = 0

    def after_batch(self, number: int, added: int, noise: int) -> "QuotaCount":
        """Returns the count after batch `number` with `added` more records and the noise E; a full quota stays full."""
        counted = replace(self, count=self.count + added)
        if self.full_after or counted.count < self.limit + self.margin + self.bar + noise:
            return counted
        return replace(counted, full_after=number)
