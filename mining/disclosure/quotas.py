"""Whether a quota may be told as full: the sparse vector technique, with a bar that is drawn once and kept secret.

A rule on the exact count tells who fills the last place: somebody who knows all other answers sees it full exactly if
one more person is in its cell. So after each batch t the count n(1..t) of the cell is compared with a random bar:

    told after the first t with   n(1..t) >= limit + MARGIN + B + E(t)

B is drawn once a cell, E(t) once a batch; both have P(k) = (1-q)/(1+q) q^|k| with q = NEIGHBOUR_RATIO = 4/5.

The guarantee: whether one person is in the cell, in whichever batch, changes the probability of all that is ever told
of the cell by a factor of at most q^-2 = 25/16, whatever anybody knows of all others and whatever tables are published
besides (docs/mathematics.md, Quotas). So no answer of anybody follows, and of nine people together no set of answers
becomes more than 56 times as likely as another.

Dwork, Roth (2014), The Algorithmic Foundations of Differential Privacy, section 3.6; for counts that only grow: Lyu,
Su, Li (2017), Understanding the Sparse Vector Technique for Differential Privacy.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

NEIGHBOUR_RATIO = Fraction(4, 5)
"""q: so much rarer is a noise that is one further from 0."""
MARGIN = 35
"""A full quota has its limit: the chance that one with a person less is told after a batch is below 1 in 1,000."""

Below = Callable[[int], int]
"""A secure random number from 0 to n-1."""


@dataclass(frozen=True)
class QuotaCount:
    """A cell's count in the sealed batches; `bar` is B, which nobody learns. `full_after`: the batch after which it was
    told as full, 0 while it is not."""

    limit: int
    bar: int
    count: int = 0
    full_after: int = 0

    def after_batch(self, number: int, added: int, noise: int) -> "QuotaCount":
        """The state after a batch with so many more in the cell, and its noise E; what was told stays."""
        counted = replace(self, count=self.count + added)
        if self.full_after or counted.count < self.limit + MARGIN + self.bar + noise:
            return counted
        return replace(counted, full_after=number)


def draw_noise(below: Below) -> int:
    """A noise by the law above: the difference of two geometric numbers, exact without fractions. Ten draws on
    average."""
    return _draw_geometric(below) - _draw_geometric(below)


def _draw_geometric(below: Below) -> int:
    """A number k >= 0 with probability (1-q) q^k."""
    number = 0
    while below(NEIGHBOUR_RATIO.denominator) < NEIGHBOUR_RATIO.numerator:
        number += 1
    return number
