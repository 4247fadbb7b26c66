"""Epsilon of a mechanism on the plane: e^eps is its gamma."""

from math import expm1, isfinite

MOST = 100.0
"""Beyond this doubles lose the error of a mechanism, and nothing is protected anyway."""


def excess_odds(epsilon: float) -> float:
    """K = e^eps - 1; an epsilon that promises nothing, or more than everything, is refused."""
    if not (isfinite(epsilon) and 0 < epsilon <= MOST):
        raise ValueError(f"epsilon {epsilon:g} is not above 0 and at most {MOST:g}")
    return expm1(epsilon)
