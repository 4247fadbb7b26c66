"""R3 beside thresholds at the same gamma: the errors of shape, mean and a share, by formula and simulated.

All numbers are equally likely. R3 promises only the shape; its mean and share are those of its inverse without blur.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from mining.numbers.floors import Counts
from mining.numbers.thresholds import estimate_mean, threshold_shares
from papers.privacy_breach.breaches import Floats
from papers.privacy_breach.constructed import RESPONDENTS
from papers.privacy_breach.settings import R3, VALUES
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.error import NORMAL_95
from privacy.guarantee.expected_numbers import ExpectedNumbers
from privacy.guarantee.number_comparison import shape_by_thresholds
from privacy.guarantee.number_range import NumberRange
from privacy.guarantee.threshold_error import Thresholds
from privacy.guarantee.threshold_search import thresholds_for_mean, thresholds_for_shares
from privacy.kinds.number.inverse import blurred, eigenvalues, modes, scores

SURVEYS, SEED = 1_000, 1
RANGE = NumberRange(0, VALUES - 1)
EVEN = ExpectedNumbers.even(RANGE)
LIMIT = GammaLimit(R3.gamma, strict=False)
HALF = VALUES // 2


@dataclass(frozen=True)
class Errors:
    """Standard errors of one statistic: of R3 and of thresholds, by formula and simulated."""

    statistic: str
    window: float
    window_simulated: float
    thresholds: float
    thresholds_simulated: float


def beside_thresholds() -> Iterator[Errors]:
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
    """As many classes as R3 shows modes, twice: of all of them the one with the largest error."""
    found = shape_by_thresholds(EVEN, LIMIT, RESPONDENTS, modes(R3))
    counts = _counts(found.thresholds, rng)
    above = threshold_shares(counts, found.thresholds.keep).share
    shares = -np.diff(above, axis=1, prepend=1, append=0)[:, : found.thresholds.count]
    return found.relative / NORMAL_95, float(found.thresholds.count * shares.std(axis=0).max())


def _mean(rng: np.random.Generator) -> tuple[float, float]:
    found = thresholds_for_mean(EVEN, LIMIT, RESPONDENTS).best
    of = found.thresholds
    estimates = (estimate_mean(each, of.keep, of.points) for each in _counts(of, rng))
    values = [each.value for each in estimates if each]
    return found.mean.relative_se, float(np.std(values) / RANGE.width)


def _share(rng: np.random.Generator) -> tuple[float, float]:
    found = thresholds_for_shares(EVEN, LIMIT, RESPONDENTS, [HALF])
    place = [each.threshold for each in found.shares].index(HALF)
    shares = threshold_shares(_counts(found.thresholds, rng), found.thresholds.keep).share
    return found.shares[place].half_width / NORMAL_95, float(shares[:, place].std())


def _counts(of: Thresholds, rng: np.random.Generator) -> Counts:
    """Of each survey the records by group, threshold and answer; everybody is disguised."""
    keep, points = float(of.keep), np.array(of.points, dtype=np.float64)
    if of.mean:
        moved = np.clip((np.arange(VALUES)[:, None] - points[:-1]) / np.diff(points), 0, 1)
    else:
        moved = (np.arange(VALUES)[:, None] >= points[1:]).astype(np.float64)
    asked = rng.multinomial(RESPONDENTS, np.full(of.count, 1 / of.count), SURVEYS)
    yes = rng.binomial(asked, keep * moved.mean(axis=0) + (1 - keep) / 2)
    disguised = np.stack([asked - yes, yes], axis=-1)
    return np.stack([np.zeros_like(disguised), disguised], axis=1)
