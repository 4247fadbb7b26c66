"""Whether a quota may be told as full: the sparse vector technique, with a bar that is drawn once and kept secret.

A rule on the exact count tells who fills the last place: somebody who knows all other answers sees it full exactly if
one more person is in its cell. So after each batch t the count n(1..t) of the cell is compared with a random bar:

    told as full after the first t with   n(1..t) >= limit + m + B + E(t)

B is drawn once a cell, E(t) once a batch; both have P(k) = (1-q)/(1+q) q^|k|. Each quota has noise of its own, so q
depends on s, the number of distinct question sets of a design's quotas: a person is in at most one cell of each set
(`QUOTA_NOISE`).

The guarantee, over all quotas of a survey: whether one person is in all of their cells or in none, in whichever batch,
changes the probability of all that is ever told of them by a factor of at most q^-2s <= 25/16, and other answers of the
person by at most q^-4s <= (25/16)^2, whatever anybody knows of all others and whatever tables are published besides
(docs/mathematics.md, Quotas). Each further survey with the same people multiplies it again.

Dwork, Roth (2014), The Algorithmic Foundations of Differential Privacy, section 3.6; for counts that only grow: Lyu,
Su, Li (2017), Understanding the Sparse Vector Technique for Differential Privacy.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

Below = Callable[[int], int]
"""A secure random number from 0 to n-1."""


@dataclass(frozen=True)
class QuotaNoise:
    """The law of B and E, and the margin m: with it the chance that a cell with a person less than its limit is told as
    full after one batch is below 1 in 1,000. `ratio`: q, so much rarer is a noise that is one further from 0."""

    ratio: Fraction
    margin: int

    def draw(self, below: Below) -> int:
        """Draws a noise: the difference of two geometric numbers, exact without fractions. 10 or 20 draws."""
        return self._draw_geometric(below) - self._draw_geometric(below)

    def _draw_geometric(self, below: Below) -> int:
        """Draws a number k >= 0 with probability (1-q) q^k."""
        number = 0
        while below(self.ratio.denominator) < self.ratio.numerator:
            number += 1
        return number


QUOTA_NOISE = {1: QuotaNoise(Fraction(4, 5), 35), 2: QuotaNoise(Fraction(9, 10), 74)}
"""By the number s of question sets: (5/4)^2 = 25/16, and (10/9)^4 is below it."""


@dataclass(frozen=True)
class QuotaCount:
    """A cell's count in the sealed batches; `bar` is B, which nobody learns. `full_after`: the batch after which it was
    told as full, 0 while it is not. `margin`: m."""

    limit: int
    margin: int
    bar: int
    count: int = 0
    full_after: int = 0

    def after_batch(self, number: int, added: int, noise: int) -> "QuotaCount":
        """Returns the state after a batch with `added` more records in the cell and its `noise` E; what was told as
        full stays so."""
        counted = replace(self, count=self.count + added)
        if self.full_after or counted.count < self.limit + self.margin + self.bar + noise:
            return counted
        return replace(counted, full_after=number)
