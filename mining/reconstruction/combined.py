"""The combined estimator: the groups' means weighted by 1 / variance, on the assumption that the groups are alike."""

import numpy as np

from mining.reconstruction.contingency import quotient, sum_of_groups
from mining.reconstruction.laws import Floats
from mining.reconstruction.moments import Moments

ROUNDS = 3


def combined(stratified: Floats, moments: Moments) -> tuple[Floats, Floats]:
    """The common support, and each group's variance there."""
    support = stratified
    for _ in range(ROUNDS):
        certainty = 1 / variances(support, moments)
        support = quotient((certainty * moments.mean).sum(axis=0), certainty.sum(axis=0))
    return support, variances(support, moments)


def weights(variance: Floats) -> Floats:
    """The weight of each group."""
    certainty = 1 / variance
    return quotient(certainty, sum_of_groups(certainty))


def variances(at: Floats, moments: Moments) -> Floats:
    """v_g, the variance of each group's mean score if the support were `at`; infinite for a group without records.

    `at` is clipped to half a record inside [0, 1]. Never below P(1-P)/n: disguise only adds variance.
    """
    half = 0.5 / np.maximum(moments.everybody, 1)
    at = np.clip(at, half, 1 - half)
    spread = np.maximum(moments.constant + moments.slope * at, at) - at**2
    return np.where(moments.records > 0, spread / np.maximum(moments.records, 1), np.inf)
