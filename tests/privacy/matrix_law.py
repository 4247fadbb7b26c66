"""What follows from any law as a matrix, by definition."""

from fractions import Fraction

from privacy.guarantee.transition import Matrix, Vector


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
