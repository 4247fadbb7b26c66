"""Scores of a number by classes; the mean of a score estimates a share (docs/mathematics.md, Scores of codes)."""

from fractions import Fraction
from functools import cache
from math import comb

import numpy as np

from privacy.kinds.number.classes.law import ClassesLaw, intervals
from privacy.kinds.score_table import Floats, ScoreTable


@cache
def score_table(limits: int, cuts: int, keep: Fraction) -> ScoreTable:
    """Returns the scores of a number's items by record code, by which shares are estimated.

    The items are x >= t_1 .. t_N, the classes between two limits, and x < t_1 .. t_N.
    """
    law = ClassesLaw(limits, cuts, keep)
    a, z = np.array(intervals(law.classes)).T
    b = np.arange(law.classes)
    i = np.arange(1, law.classes)
    at_least, between = b >= i[:, None], b == i[:-1, None]
    outside = np.concatenate(
        [np.stack([i, i - 1]), np.stack([i[:-1], i[:-1] - 1]), np.stack([i - 1, i])], axis=1
    )
    return ScoreTable(
        code_chances(law),
        code_scores(law),
        (a[:, None] <= b) & (b < z[:, None]),
        np.where(z - a == 1, a, -1),
        np.concatenate([at_least, between, ~at_least]),
        outside.T,
    )


def code_chances(law: ClassesLaw) -> Floats:
    """Returns the probability of each record code given the class of the true number, class x code."""
    drawn, given = _probability_factors(law)
    return np.asarray(given * drawn)


def code_scores(law: ClassesLaw) -> Floats:
    """Returns the score of each record code for each class, code x class.

    The scores are unbiased and have the least variance if all classes are equally likely.
    """
    drawn, given = _probability_factors(law)
    mean = given.mean(axis=0)
    inverse = np.linalg.inv((given * (drawn / mean)) @ given.T)
    return np.asarray((given / mean).T @ inverse)


def _probability_factors(law: ClassesLaw) -> tuple[Floats, Floats]:
    """Returns two factors of P(code | class): the probability that the drawn limits make the code's interval, by code;
    and the probability of sending the interval then, class x code.

    They are w and f of docs/mathematics.md, Numbers by classes.
    """
    ends = intervals(law.classes)
    drawn = np.array([law.count_draws_with_class(a, z) for a, z in ends]) / comb(law.limits, law.cuts)
    a, z = np.array(ends).T
    b = np.arange(law.classes)[:, None]
    keep = float(law.keep)
    return drawn, keep * ((a <= b) & (b < z)) + (1 - keep) / (law.cuts + 1)
