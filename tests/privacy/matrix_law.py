"""What follows from any law as a matrix, by definition."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from privacy.guarantee.breaches import Matrix, Vector, check_distribution


def amplification(law: Matrix) -> Fraction | None:
    """gamma = max P(y|x) / P(y|x'), exact for the entries given; None where a record rules an answer out."""
    possible = law[:, (law > 0).any(axis=0)]
    if (possible == 0).any():
        return None
    pairs = zip(possible.max(axis=0), possible.min(axis=0), strict=True)
    return max(Fraction(most) / Fraction(least) for most, least in pairs)


def posterior(prior: Vector, law: Matrix, record: int) -> Vector:
    """P(x|y): the posterior of the true answers after `record`."""
    joint: Vector = prior * law[:, record]
    total = joint.sum()
    if not total:
        raise ValueError(f"record {record} is never sent under this prior")
    believed: Vector = joint / total
    return believed


def exact_law(rows: Sequence[Sequence[Fraction]]) -> Matrix:
    """A checked matrix of fractions."""
    law = np.array([list(row) for row in rows], dtype=object)
    check_law(law)
    return law


def check_law(law: Matrix) -> None:
    if law.ndim != 2 or 0 in law.shape:
        raise ValueError("a law is a matrix with at least one answer and one record")
    for row in law:
        check_distribution(row)


def record_distribution(prior: Vector, law: Matrix) -> Vector:
    """P(y), the probability of each record."""
    return prior @ law
