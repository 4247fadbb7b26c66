"""The errors that a design by guarantee tells to expect, against the estimates of simulated surveys."""

from fractions import Fraction

import numpy as np
import pytest

from mining.numbers.thresholds import estimate_mean, quantile_statement, threshold_shares
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.expected_numbers import ExpectedNumbers
from privacy.guarantee.number_range import NumberRange
from privacy.guarantee.threshold_error import Thresholds
from privacy.guarantee.threshold_search import (
    thresholds_for_mean,
    thresholds_for_quantile,
    thresholds_for_shares,
)

pytestmark = pytest.mark.proof
LIMITS = [GammaLimit(Fraction(gamma), strict=False) for gamma in (3, 19)]
NUMBERS = NumberRange(0, 1000)
EVEN = ExpectedNumbers.even(NUMBERS)
LOW = ExpectedNumbers.weighted(NUMBERS, (0, 50, 200), (6, 3, 1))


def counts(of: Thresholds, shares: np.ndarray, respondents: int, surveys: int) -> np.ndarray:
    """By survey, group, threshold and answer: everybody disguised."""
    rng = np.random.default_rng(1)
    keep = float(of.keep)
    asked = rng.multinomial(respondents, [1 / of.count] * of.count, surveys)
    yes = rng.binomial(asked, keep * shares + (1 - keep) / 2)
    disguised = np.stack([asked - yes, yes], axis=-1)
    return np.stack([np.zeros_like(disguised), disguised], axis=1)


@pytest.mark.parametrize("limit", LIMITS, ids=["3", "19"])
@pytest.mark.parametrize("expected", [EVEN, LOW], ids=["even", "low"])
def test_shares_have_intervals_as_wide_as_expected(limit: GammaLimit, expected: ExpectedNumbers) -> None:
    found = thresholds_for_shares(expected, limit, 4_000, [100, 400, 700])
    shares = np.array([each.share for each in found.shares])
    estimated = threshold_shares(counts(found.thresholds, shares, 4_000, 400), found.thresholds.keep)
    # Intervals are cut at 0 and 1: only those of shares far from both have their whole width.
    for place, each in enumerate(found.shares):
        if each.half_width < min(each.share, 1 - each.share):
            width = (estimated.high - estimated.low)[:, place].mean()
            assert width / 2 == pytest.approx(each.half_width, rel=0.03)
        assert estimated.share[:, place].std() * 1.96 == pytest.approx(each.half_width, rel=0.12)


@pytest.mark.parametrize("limit", LIMITS, ids=["3", "19"])
@pytest.mark.parametrize("expected", [EVEN, LOW], ids=["even", "low"])
def test_the_mean_errs_as_expected(limit: GammaLimit, expected: ExpectedNumbers) -> None:
    for option in thresholds_for_mean(expected, limit, 4_000).options[::6]:
        of = option.thresholds
        shares = np.array([each.share for each in option.shares])
        found = [estimate_mean(each, of.keep, of.points) for each in counts(of, shares, 4_000, 400)]
        values = np.array([each.value for each in found if each])
        assert len(values) == 400
        assert np.mean([each.se for each in found if each]) == pytest.approx(option.mean.se, rel=0.02)
        assert values.std() == pytest.approx(option.mean.se, rel=0.12)
        assert values.mean() == pytest.approx(option.mean.mean, abs=4 * option.mean.se / 20)


@pytest.mark.parametrize(
    ("limit", "expected", "q"),
    [(LIMITS[0], EVEN, 0.5), (LIMITS[1], EVEN, 0.9), (LIMITS[1], LOW, 0.5), (LIMITS[0], LOW, 0.75)],
)
def test_a_quantiles_statement_is_as_wide_as_expected(
    limit: GammaLimit, expected: ExpectedNumbers, q: float
) -> None:
    respondents, surveys = 10_000, 3_000
    for option in thresholds_for_quantile(expected, limit, respondents, q).options[:6:2]:
        of = option.thresholds
        shares = np.array([each.share for each in option.shares])
        estimated = threshold_shares(counts(of, shares, respondents, surveys), of.keep)
        widths = []
        for low, high in zip(estimated.low, estimated.high, strict=True):
            said = quantile_statement(q, of.points, low, high, moved=of.mean)
            ends = (0 if said.at_least is None else said.at_least, 1000 if said.below is None else said.below)
            widths.append(ends[1] - ends[0])
        assert np.mean(widths) == pytest.approx(option.width, rel=0.08)
