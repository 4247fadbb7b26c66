"""Parts of an itemset that are items of scores (docs/mathematics.md, Scores of codes): what tests need of them.

Such a part is there or not; given that, its score has the moments mu_k. The cells of a contingency table hold sums of
scores in its place, so their means need nothing else: keep is 1, noise 0.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Term = tuple[Floats | float, Sequence[int]]
"""A factor, and the sides whose score it is a factor of."""


@dataclass(frozen=True)
class ScoredParts:
    """`squares` and `touched` are as `at_least` of the table, of the squares of scores, and of records that are not
    received without the item. `bits` are the parts of scores, `moments` mu_k by part, absent or there, power and row.
    """

    bits: tuple[int, ...]
    squares: Floats
    touched: Floats
    moments: Floats

    def take(self, rows: Any) -> "ScoredParts":
        return ScoredParts(
            self.bits, self.squares[..., rows], self.touched[..., rows], self.moments[..., rows]
        )

    def of_bits(self, bits: Sequence[int], cells: Sequence[int]) -> "ScoredParts | None":
        """Of a table of these parts alone; `cells` are its cells in this one."""
        kept = [number for number, bit in enumerate(self.bits) if bit in bits]
        if not kept:
            return None
        return ScoredParts(
            tuple(bits.index(self.bits[number]) for number in kept),
            self.squares[list(cells)],
            self.touched[list(cells)],
            self.moments[kept],
        )

    def factors(self, exponents: Sequence[int]) -> Floats:
        """The mean of the product of z^e over the parts, given the true cell: cell by group by row."""
        cells, rows = len(self.squares), self.moments.shape[-1]
        factors = np.ones((cells, 2, rows))
        for bit, moments, e in zip(self.bits, self.moments, exponents, strict=True):
            has = np.array([cell >> bit & 1 for cell in range(cells)])
            if e:
                factors[:, 0] *= has[:, None]
                factors[:, 1] *= moments[has, e]
        return factors


def powers_of_sum(terms: Sequence[Term], power: int) -> Iterator[tuple[Floats | float, tuple[int, ...]]]:
    """The products of which (the sum of the terms)^power consists: the factor, and the exponent of each term."""
    for exponents in product(range(power + 1), repeat=len(terms)):
        if sum(exponents) != power:
            continue
        factor: Floats | float = 1.0
        left = power
        for (coefficient, _sides), exponent in zip(terms, exponents, strict=True):
            factor = factor * comb(left, exponent) * coefficient**exponent
            left -= exponent
        yield factor, exponents
