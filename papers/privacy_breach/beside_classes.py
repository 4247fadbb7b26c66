"""R3 beside classes at the same gamma: the errors of shape, mean and a share, by formula and simulated.

All numbers are equally likely. R3 promises only the shape; its mean and share are those of its inverse without blur.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from mining.numbers.classes import estimate_mean, item_shares
from mining.numbers.floors import Counts
from papers.privacy_breach.breaches import Floats
from papers.privacy_breach.constructed import RESPONDENTS
from papers.privacy_breach.settings import R3, VALUES
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.classes_search import (
    Classes,
    class_shares,
    classes_for_mean,
    classes_for_shares,
    even_limits,
)
from privacy.guarantee.expected_numbers import ExpectedNumbers
from privacy.guarantee.number_range import NumberRange
from privacy.kinds.number.classes import score_table
from privacy.kinds.number.form import MOST_LIMITS, REST_PARTS
from privacy.kinds.number.inverse import blurred, eigenvalues, modes, scores

SURVEYS, SEED = 1_000, 1
RANGE = NumberRange(0, VALUES - 1)
EVEN = ExpectedNumbers.even(RANGE)
LIMIT = GammaLimit(R3.gamma, strict=False)
HALF = VALUES // 2


@dataclass(frozen=True)
class Errors:
    """Standard errors of one statistic: of R3 and of classes, by formula and simulated."""

    statistic: str
    window: float
    window_simulated: float
    classes: float
    classes_simulated: float


def beside_classes() -> Iterator[Errors]:
    rng = np.random.default_rng(SEED)
    received = rng.multinomial(RESPONDENTS, np.full(VALUES, 1 / VALUES), SURVEYS).astype(np.float64)
    yield Errors("a share, as a part of the mean share", *_shape(received), *_classes(rng))
    line = np.arange(VALUES) / RANGE.width
    yield Errors("the mean, as a part of the range", *_unblurred(received, line), *_mean(rng))
    above = np.where(np.arange(VALUES) >= HALF, 1.0, 0.0)
    yield Errors(f"the share of X >= {HALF}", *_unblurred(received, above), *_share(rng))


def _shape(received: Floats) -> tuple[float, float]:
    z = scores(R3, modes(R3))
    formula = sqrt(((z**2).mean() - z.mean() ** 2) / RESPONDENTS)
    shares = blurred(R3, received, np.zeros(VALUES)).share
    return VALUES * formula, float(VALUES * shares.std(axis=0).mean())


def _unblurred(received: Floats, statistic: Floats) -> tuple[float, float]:
    """The score of a record has the Fourier coefficients of the statistic, each divided by its eigenvalue."""
    fading = np.concatenate([[1.0], eigenvalues(R3)])
    score = np.fft.irfft(np.fft.rfft(statistic) / fading, VALUES)
    return float(score.std() / sqrt(RESPONDENTS)), float((received @ score / RESPONDENTS).std())


def _classes(rng: np.random.Generator) -> tuple[float, float]:
    """As many classes as R3 shows modes, twice, as far as there can be: the one with the largest error."""
    limits = even_limits(RANGE, min(2 * modes(R3), MOST_LIMITS + 1) - 1)
    found = classes_for_shares(EVEN, LIMIT, limits)
    n, table = len(limits), score_table(len(limits), found.cuts, found.keep)
    shares = class_shares(EVEN, limits)
    between = slice(n, 2 * n - 1)
    variance = table.class_moments[2, between] @ shares - shares[1:-1] ** 2
    simulated = item_shares(table, _counts(found, rng)).share[:, between]
    many = len(shares)
    return many * sqrt(variance.max() / RESPONDENTS), float(many * simulated.std(axis=0).max())


def _mean(rng: np.random.Generator) -> tuple[float, float]:
    found = classes_for_mean(EVEN, LIMIT)
    expected = found.expected_mean(EVEN, RESPONDENTS)
    assert expected is not None
    table, law = score_table(len(found.limits), found.cuts, found.keep), found.law
    ends = found.starts, RANGE.high, found.span, law.rest_keep
    estimates = (estimate_mean(table, each, *ends) for each in _counts(found, rng))
    values = [each.value for each in estimates if each]
    return expected.relative_se, float(np.std(values) / RANGE.width)


def _share(rng: np.random.Generator) -> tuple[float, float]:
    found = classes_for_shares(EVEN, LIMIT, [HALF])
    variance = found.share_variances(class_shares(EVEN, found.limits))
    table = score_table(1, 1, found.keep)
    return sqrt(variance[0] / RESPONDENTS), float(item_shares(table, _counts(found, rng)).share[:, 0].std())


def _counts(of: Classes, rng: np.random.Generator) -> Counts:
    """Of each survey the records by group and code; everybody is disguised."""
    table = score_table(len(of.limits), of.cuts, of.keep)
    rest = of.rest / REST_PARTS
    inside = (EVEN.mean_up_to(RANGE.high)[0] - class_shares(EVEN, of.limits) @ of.starts) / max(of.span, 1)
    yes = float(of.rest_keep) * (inside - 1 / 2) + 1 / 2
    chances = (1 - rest) * class_shares(EVEN, of.limits) @ table.chance
    chances = np.append(chances, rest * np.array([1 - yes, yes]))
    disguised = rng.multinomial(RESPONDENTS, chances, SURVEYS)
    return np.stack([np.zeros_like(disguised), disguised], axis=1)
