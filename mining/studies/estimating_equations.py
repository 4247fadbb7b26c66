"""Fits coefficients to scores by least squares or by the logit of a share, and tests them (docs/mathematics.md,
Models).

Patterns without records are left out by the caller. A score is an unbiased estimate of the answer, and not itself 0 or
1, so both kinds of model have sandwich variances.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import Floats
from mining.special_functions import chi_square_tail
from mining.studies.answer_counts_by_plain_pattern import PatternScores

MOST_STEPS, MOST_HALVINGS = 50, 40
EXACT = 1e-5
"""Newton's method ends with a step that changes no linear predictor by more; the error left is of the size of its
square."""
LARGEST_PREDICTOR, FAR = 15.0, 30.0
"""A linear predictor beyond the first means that there is no maximum; beyond the second the search stops."""
LARGEST_CONDITION = 1e10

Chosen = NDArray[np.bool_]


class NoMaximum(ValueError):
    """Raised if the logit likelihood has no maximum: in some pattern nobody or everybody seems to have the answer."""

    def __init__(self, pattern: int) -> None:
        super().__init__(f"pattern {pattern}")
        self.pattern = pattern


@dataclass(frozen=True)
class Link:
    """A link function: the `mean` given the linear predictor, the `slope` of the mean, and `solve`, which fits the
    coefficients."""

    mean: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    solve: Callable[[PatternScores, Floats, Floats | None], Floats]


@dataclass(frozen=True)
class CoefficientEstimates:
    """Fitted coefficients b, the mean mu by pattern, the Hessian H there, and the variance of b.

    The variance is the sandwich times n/(n-k).
    """

    b: Floats
    mean: Floats
    hessian: Floats
    variance: Floats

    def approximate_fit_without(self, chosen: Chosen) -> Floats:
        """Returns approximate coefficients of the model without the `chosen` ones, assuming the same curvature
        everywhere."""
        rest, moved = self.hessian[~chosen], self.b[chosen]
        return np.asarray(self.b[~chosen] + np.linalg.solve(rest[:, ~chosen], rest[:, chosen] @ moved))

    @property
    def se(self) -> Floats:
        return np.asarray(np.sqrt(np.diag(self.variance)))


@dataclass(frozen=True)
class ChiSquare:
    """A chi-square test statistic with its degrees of freedom and its p-value."""

    statistic: float
    df: int
    p: float


def fit_coefficients(link: Link, scores: PatternScores, columns: Floats) -> CoefficientEstimates:
    """Fits the coefficients of a model and their variances; `columns`: pattern by coefficient, of full rank."""
    b = link.solve(scores, columns, None)
    mean = link.mean(columns @ b)
    hessian = _hessian(scores, columns, link.slope(mean))
    inverse = np.linalg.inv(hessian)
    n, k = scores.n, columns.shape[1]
    return CoefficientEstimates(
        b, mean, hessian, inverse @ _residual_squares(scores, columns, mean) @ inverse * (n / (n - k))
    )


def wald_test(estimates: CoefficientEstimates, chosen: Chosen) -> ChiSquare:
    """Tests by Wald's test that the chosen coefficients are all 0."""
    b, variance = estimates.b[chosen], estimates.variance[np.ix_(chosen, chosen)]
    return _chi_square(float(b @ np.linalg.solve(variance, b)), len(b))


def score_test(
    link: Link, scores: PatternScores, columns: Floats, chosen: Chosen, start: Floats
) -> ChiSquare:
    """Tests by a score test that the chosen coefficients are all 0.

    The search of the other coefficients begins at `start`. Raises `NoMaximum` where the logit without them has no
    maximum.
    """
    rest = np.ascontiguousarray(columns[:, ~chosen])
    b = link.solve(scores, rest, start) if rest.shape[1] else np.zeros(0)
    return added_columns_test(link, scores, rest, link.mean(rest @ b), columns[:, chosen])


def added_columns_test(
    link: Link, scores: PatternScores, columns: Floats, mean: Floats, added: Floats
) -> ChiSquare:
    """Tests by a score test whether `added` columns improve a fit with this mean: u'(L B L')^-1 u, L = [-H_10 H_00^-1,
    1]."""
    every = np.concatenate([columns, added], axis=1)
    k = columns.shape[1]
    hessian, squares = _hessian(scores, every, link.slope(mean)), _residual_squares(scores, every, mean)
    through = np.concatenate(
        [-np.linalg.solve(hessian[:k, :k], hessian[:k, k:]).T, np.eye(added.shape[1])], axis=1
    )
    u = added.T @ (scores.first - scores.records * mean)
    variance = through @ squares @ through.T
    return _chi_square(float(u @ np.linalg.solve(variance, u)), added.shape[1])


def _chi_square(statistic: float, df: int) -> ChiSquare:
    return ChiSquare(statistic, df, chi_square_tail(df, statistic))


def _hessian(scores: PatternScores, columns: Floats, slope: Floats) -> Floats:
    """Returns the Hessian matrix H = SUM w w' times the slope of the mean, over all records with column values w."""
    return _gram(columns, scores.records * slope)


def _residual_squares(scores: PatternScores, columns: Floats, mean: Floats) -> Floats:
    """Returns the matrix SUM w w' (z - mu)^2 over all records with column values w and scores z: the middle of the
    sandwich variance."""
    # Rounding may leave a sum of squares a little below 0.
    return _gram(columns, np.maximum(scores.second - mean * (2 * scores.first - mean * scores.records), 0.0))


def _gram(columns: Floats, weight: Floats) -> Floats:
    """Returns the weighted Gram matrix SUM w w' weight, as a product of one array and its transpose, which takes half
    the time."""
    scaled = columns * np.sqrt(weight)[:, None]
    return np.asarray(scaled.T @ scaled)


def _least_squares(scores: PatternScores, columns: Floats, _start: Floats | None) -> Floats:
    hessian = _hessian(scores, columns, np.ones(len(columns)))
    return np.asarray(np.linalg.solve(hessian, columns.T @ scores.first))


def _maximise_logit(scores: PatternScores, columns: Floats, start: Floats | None) -> Floats:
    """Returns the coefficients that maximise the logit likelihood, by Newton's method with halved steps: SUM z w'b -
    ln(1 + exp(w'b)) is concave for every z."""
    b = np.zeros(columns.shape[1]) if start is None else start
    predictor = columns @ b
    value = _log_likelihood(scores, predictor)
    for _step in range(MOST_STEPS):
        mean = _expit(predictor)
        hessian = _hessian(scores, columns, _logit_slope(mean))
        step = _newton_step(scores, columns, mean, hessian)
        change = columns @ step
        if np.abs(change).max() < EXACT:
            _check_maximum(predictor + change, hessian)
            return b + step
        for _halving in range(MOST_HALVINGS):
            moved = _log_likelihood(scores, predictor + change)
            if moved >= value:
                break
            step, change = step / 2, change / 2
        b, predictor, value = b + step, predictor + change, moved
        if np.abs(predictor).max() > FAR:
            break
    raise NoMaximum(int(np.abs(predictor).argmax()))


def _newton_step(scores: PatternScores, columns: Floats, mean: Floats, hessian: Floats) -> Floats:
    try:
        return np.asarray(np.linalg.solve(hessian, columns.T @ (scores.first - scores.records * mean)))
    except np.linalg.LinAlgError:
        raise NoMaximum(int(np.abs(mean - 0.5).argmax())) from None


def _check_maximum(predictor: Floats, hessian: Floats) -> None:
    """Raises `NoMaximum` if the result of a search is no maximum: a linear predictor is too large, or the Hessian is
    nearly singular."""
    scale = np.sqrt(np.diag(hessian))
    values = np.linalg.eigvalsh(hessian / np.outer(scale, scale))
    if np.abs(predictor).max() > LARGEST_PREDICTOR or values[-1] > LARGEST_CONDITION * values[0]:
        raise NoMaximum(int(np.abs(predictor).argmax()))


def _log_likelihood(scores: PatternScores, predictor: Floats) -> float:
    return float(scores.first @ predictor - scores.records @ np.logaddexp(0.0, predictor))


def _expit(predictor: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(predictor / 2)))


def _logit_slope(mean: Floats) -> Floats:
    return mean * (1 - mean)


LINEAR = Link(lambda predictor: predictor, np.ones_like, _least_squares)
LOGIT = Link(_expit, _logit_slope, _maximise_logit)
