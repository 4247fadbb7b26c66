"""Any law P(y|x) as a matrix: one row for each true answer, one column for each record.

With a matrix of `Fraction` objects results are exact; one of doubles is for large domains.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[Any]
Vector = NDArray[Any]

CLOSE = 1e-9
"""How far from 1 the doubles of a distribution may sum."""


def exact_prior(weights: Sequence[Fraction]) -> Vector:
    """A checked distribution of fractions over the true answers."""
    prior = np.array(list(weights), dtype=object)
    check_distribution(prior)
    return prior


def check_distribution(weights: Vector) -> None:
    total = weights.sum()
    if (weights < 0).any() or (total != 1 if weights.dtype == object else abs(total - 1) > CLOSE):
        raise ValueError(f"probabilities are not negative and sum to 1, not to {total}")
