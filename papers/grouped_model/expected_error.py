"""The expected W by theory: sqrt(2/pi) times the standard deviation of S' - S, if that is normal.

With n respondents, a share k of them open, the support P, c = (1-p) theta^m for m items, and

    D(P) = P (p+c) (1-p-c) + (1-P) c (1-c)

the variance of a disguised record's answer given the true one, the variances of S' - S among these very respondents are

    stratified   (1-k) D(P) / (n p^2)
    pooled       ( k (1-k) (1-p)^2 P (1-P) + (1-k) D(P) ) / ( n (k + (1-k) p)^2 )
    combined     (1-k) d P (1-P) / ( n (k d + P (1-P)) ),  d = D(P) / p^2

Pooled has a term for the random group of each person, since it does not weigh the groups by their numbers. Combined is
1/(1/v_0 + 1/v_1) less P (1-P) / n, with the groups' variances v_0 = P (1-P) / (k n), v_1 = (d + P (1-P)) / ((1-k) n).
See docs/mathematics.md, Errors.
"""

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import ndtr

from papers.grouped_model.simulated_survey import (
    Floats,
    SimulatedSurvey,
    question_indexes_by_itemset,
    true_supports,
)

WITH_THEORY = ("pooled", "stratified", "combined")

NODES = leggauss(200)
FAR = 9.0
"""Upper end of the integral in standard deviations; the probability beyond is negligible."""


def is_estimator_defined(survey: SimulatedSurvey, estimator: str) -> bool:
    """Returns True if the estimator exists for this survey: p is above 0, or it is *pooled* with open records."""
    return survey.keep > 0 or (estimator == "pooled" and survey.open_share > 0)


def expected_w_by_itemset(survey: SimulatedSurvey, estimator: str) -> Floats:
    """Returns the theoretical expected error W of every itemset of up to three items."""
    size = np.array([len(at) for at in question_indexes_by_itemset(survey.questions)])
    return np.sqrt(
        2 / np.pi * reconstruction_error_variance(survey, estimator, true_supports(survey.questions), size)
    )


def expected_frequent_counts(survey: SimulatedSurvey, estimator: str, min_support: float) -> Floats:
    """Returns the expected numbers of itemsets that are frequent in D, in D*, in D* alone and in D alone.

    D: true data, D*: reconstructed. S is taken as normal with variance P (1-P) / n, and S' - S as independent
    of S. The pruning of the search in D*, which may drop a part before the whole, is ignored.
    """
    support = true_supports(survey.questions)
    size = np.array([len(at) for at in question_indexes_by_itemset(survey.questions)])
    people = np.sqrt(support * (1 - support) / survey.respondents)
    disguise = np.sqrt(reconstruction_error_variance(survey, estimator, support, size))
    reach = (support - min_support) / people
    in_d = ndtr(reach)
    in_d_star = ndtr((support - min_support) / np.hypot(people, disguise))
    false = np.array(
        [_false_positive_probability(*pair) for pair in zip(reach, disguise / people, strict=True)]
    )
    return np.array([pair.sum() for pair in (in_d, in_d_star, false, in_d - in_d_star + false)])


def _false_positive_probability(reach: float, spread: float) -> float:
    """Returns P(X + reach < 0 <= X + reach + spread Y) for two independent standard normal X and Y."""
    end = min(-reach, FAR)
    if spread == 0 or end <= -FAR:
        return 0.0
    half = (end + FAR) / 2
    x = half * NODES[0] + end - half
    density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    return float(half * (NODES[1] * density * ndtr((x + reach) / spread)).sum())


def reconstruction_error_variance(
    survey: SimulatedSurvey, estimator: str, support: Floats, size: Floats
) -> Floats:
    """Returns the variance of S' - S (reconstructed less true support) for these supports and sizes."""
    k, p, n = survey.open_share, survey.keep, survey.respondents
    c = (1 - p) * survey.theta**size
    person = support * (1 - support)
    disguise = support * (p + c) * (1 - p - c) + (1 - support) * c * (1 - c)
    if estimator == "pooled":
        spread = k * (1 - k) * (1 - p) ** 2 * person + (1 - k) * disguise
        return np.asarray(spread / (n * (k + (1 - k) * p) ** 2))
    if estimator == "stratified":
        return np.asarray((1 - k) * disguise / (n * p**2))
    alone = disguise / p**2
    return np.asarray((1 - k) * alone * person / (n * (k * alone + person)))
