"""Plans the share of a direct arm: the smallest difference to be found (docs/mathematics.md, Arms)."""

from math import sqrt

POWER_80 = 2.80
"""1.96 + .84: a difference of so many standard errors is found four times out of five at p < .05."""


def score_variances(share: float, keep: float, noise: float) -> tuple[float, float]:
    """V_0 and V_1, the variances of the scores of a direct and of a disguised record if P is `share`."""
    received = keep * share + (1 - keep) * noise
    return share * (1 - share), received * (1 - received) / keep**2


def smallest_difference(n: float, disguised: float, variances: tuple[float, float]) -> float:
    """The smallest difference of the arms found with 80 % power; `disguised` is a, the share of that arm, 0 < a < 1.

    `n` counts the respondents of both arms who are asked the question; under rotation it is n s/N.
    """
    direct_variance, disguised_variance = variances
    return POWER_80 * sqrt(disguised_variance / (disguised * n) + direct_variance / ((1 - disguised) * n))


def best_disguised_share(variances: tuple[float, float]) -> float:
    """The share a of the disguised arm with which the smallest difference is least."""
    direct_variance, disguised_variance = variances
    return sqrt(disguised_variance) / (sqrt(direct_variance) + sqrt(disguised_variance))
