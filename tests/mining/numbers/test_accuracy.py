"""What is promised of estimated numbers, in simulated surveys whose open answerers are other people."""

from collections.abc import Sequence
from dataclasses import astuple, fields
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.inference.contingency_table import Floats
from mining.numbers.thresholds import MeanEstimate, estimate_mean, quantile_statement, threshold_shares
from mining.numbers.window import estimate_window
from privacy.kinds.number.inverse import blurred, modes
from privacy.kinds.number.window import BANDED, WindowLaw
from tests.mining.numbers.drawn import (
    KEEPS,
    UNEVEN,
    ByThresholds,
    ByWindow,
    People,
    covered,
    equal_gaps,
    on_the_border,
    shapes,
)

pytestmark = pytest.mark.proof
LAWS = {"of the paper": WindowLaw(1001, 100, 5000), "a narrow window": WindowLaw(101, 7, 4000)}
EVEN = equal_gaps(5, 40)
OPEN = 0.2
SHAPES = ("smooth", "spike", "block")
SURVEYS = [(EVEN, 1_000), (UNEVEN, 10_000), (EVEN, 10_000), (UNEVEN, 1_000)]
"""Thresholds and records, of which each combination of what else varies gets one: every two values still meet."""


@pytest.mark.parametrize(
    ("law", "shape", "n"),
    [
        ("of the paper", "smooth", 10_000),
        ("of the paper", "spike", 10_000),
        ("of the paper", "block", 1_000),
        ("a narrow window", "smooth", 1_000),
        ("a narrow window", "spike", 1_000),
        ("a narrow window", "block", 10_000),
    ],
)
def test_bands_hold_the_blurred_truth_in_95_of_100_surveys_at_every_value(
    law: str, shape: str, n: int
) -> None:
    """In 1,500 surveys a cell's share has a standard error of .6 %: the bounds are five of them."""
    survey = ByWindow(People.differing(shapes(LAWS[law].values)[shape], OPEN), LAWS[law])
    counts = survey.draw(n, 1_500, np.random.default_rng(n)).astype(np.float64)
    found = blurred(survey.law, counts[:, 1], counts[:, 0])
    held = covered(found.low, found.high, survey.blurred(modes(survey.law)))
    assert held.min() >= 0.92
    assert held.max() <= 0.98


def test_the_simulated_bands_are_those_of_an_estimate() -> None:
    survey = ByWindow(People.differing(shapes(101)["smooth"], OPEN), LAWS["a narrow window"])
    counts = survey.draw(BANDED, 3, np.random.default_rng(1))
    together = blurred(survey.law, counts[:, 1].astype(float), counts[:, 0].astype(float))
    for place, one in enumerate(counts):
        found = estimate_window(survey.law, one)
        assert found is not None
        assert found.low == pytest.approx(together.low[place], abs=1e-12)
        assert found.high == pytest.approx(together.high[place], abs=1e-12)


def means(survey: ByThresholds, n: int, surveys: int) -> list[MeanEstimate]:
    counts = survey.draw(n, surveys, np.random.default_rng(1))
    found = [estimate_mean(one, survey.keep, survey.points) for one in counts]
    return [one for one in found if one]


def people(points: tuple[int, ...], shape: str, open_share: float = OPEN) -> People:
    return People.differing(shapes(points[-1] - points[0] + 1)[shape], open_share)


def moved(points: tuple[int, ...], gamma: int, shape: str) -> ByThresholds:
    return ByThresholds(people(points, shape), KEEPS[gamma], points, moved=True)


@cache
def found_means(points: tuple[int, ...], gamma: int, shape: str, n: int) -> NDArray[Any]:
    """What is estimated of 4,000 surveys, for all tests of these."""
    rows = [astuple(one) for one in means(moved(points, gamma, shape), n, 4_000)]
    return np.array(rows, [(field.name, float) for field in fields(MeanEstimate)])


@pytest.mark.parametrize(
    ("points", "gamma", "shape", "n"),
    [
        (points, gamma, shape, n)
        for place, (gamma, shape) in enumerate(product(KEEPS, SHAPES))
        for points, n in [SURVEYS[place % 4]]
    ],
)
class TestMean:
    def test_its_interval_holds_the_mean_in_95_of_100_surveys(
        self, points: tuple[int, ...], gamma: int, shape: str, n: int
    ) -> None:
        """In 4,000 surveys the share has a standard error of .35 %."""
        found = found_means(points, gamma, shape, n)
        assert len(found) == 4_000
        mean = moved(points, gamma, shape).mean
        held = (found["low"] <= mean) & (mean <= found["high"])
        assert held.mean() == pytest.approx(0.95, abs=0.02)

    def test_it_is_unbiased_and_its_error_is_the_one_it_states(
        self, points: tuple[int, ...], gamma: int, shape: str, n: int
    ) -> None:
        found = found_means(points, gamma, shape, n)
        values = found["value"]
        bias = abs(values.mean() - moved(points, gamma, shape).mean)
        assert bias <= 4 * values.std() / np.sqrt(len(values))
        assert found["se"].mean() == pytest.approx(values.std(), rel=0.05)


def both_ends(points: tuple[int, ...]) -> Floats:
    shares = np.zeros(points[-1] - points[0] + 1)
    shares[[0, -1]] = 0.5
    return shares


@pytest.mark.parametrize(("gamma", "most"), [(3, 0.010), (6, 0.007), (19, 0.006)])
@pytest.mark.parametrize("open_share", [0.0, OPEN])
def test_among_ten_thousand_the_means_error_is_at_most_the_stated_share_of_the_range(
    gamma: int, most: float, open_share: float
) -> None:
    """Half at either end is the worst. The keep .7142 is a little below 5/7, hence three places."""
    worst = both_ends(EVEN)
    survey = ByThresholds(People(worst, worst, open_share), KEEPS[gamma], EVEN, moved=True)
    found = means(survey, 10_000, 200)
    assert max(round(one.se / EVEN[-1], 3) for one in found) <= most
    if not open_share:
        assert max(one.se for one in found) == pytest.approx(EVEN[-1] / (200 * KEEPS[gamma]), rel=0.01)


@pytest.mark.parametrize("shape", SHAPES)
def test_shares_above_thresholds_are_unbiased_in_every_group(shape: str) -> None:
    survey = ByThresholds(people(EVEN, shape), KEEPS[6], EVEN, moved=False)
    found = threshold_shares(survey.draw(1_000, 2_000, np.random.default_rng(3)), survey.keep).share
    reached = survey.numbers >= np.array(EVEN[1:])[:, None]
    errors = found.std(axis=0) / np.sqrt(len(found))
    assert (np.abs(found.mean(axis=0) - reached @ survey.people.everybody) <= 4.5 * errors).all()


def true_statements(survey: ByThresholds, quantiles: Sequence[float], n: int) -> list[float]:
    """In 600 surveys, by quantile the share of true statements."""
    found = threshold_shares(survey.draw(n, 600, np.random.default_rng(n)), survey.keep)
    return [
        float(
            np.mean(
                [
                    survey.is_true(quantile_statement(q, survey.points, low, high, moved=survey.moved))
                    for low, high in zip(found.low, found.high, strict=True)
                ]
            )
        )
        for q in quantiles
    ]


class TestQuantiles:
    @pytest.mark.parametrize(
        ("moved", "gamma", "shape", "points", "n"),
        [
            (moved, gamma, shape, *SURVEYS[place % 4])
            for place, (moved, gamma, shape) in enumerate(product((False, True), KEEPS, SHAPES))
        ],
    )
    def test_at_least_93_of_100_statements_are_true(
        self, n: int, gamma: int, moved: bool, shape: str, points: tuple[int, ...]
    ) -> None:
        survey = ByThresholds(people(points, shape), KEEPS[gamma], points, moved)
        assert min(true_statements(survey, (0.25, 0.5, 0.75), n)) >= 0.93

    @pytest.mark.parametrize("above", [False, True], ids=["below", "above"])
    @pytest.mark.parametrize(
        ("moved", "gamma", "n"),
        [
            (moved, gamma, (1_000, 10_000)[place % 2])
            for place, (moved, gamma) in enumerate(product((False, True), KEEPS))
        ],
    )
    def test_so_they_are_where_the_quantile_is_on_the_border(
        self, n: int, gamma: int, moved: bool, above: bool
    ) -> None:
        for q in (0.25, 0.5, 0.75):
            shares = on_the_border(EVEN, q, 3, above=above)
            survey = ByThresholds(People(shares, shares, 0.1), KEEPS[gamma], EVEN, moved)
            assert min(true_statements(survey, [q], n)) >= 0.93


def test_statements_without_the_shift_would_be_wrong_about_moved_numbers() -> None:
    """All have 79; moved, nearly all are "about 80", and the median is not at least 80."""
    shares = np.zeros(EVEN[-1] + 1)
    shares[79] = 1
    survey = ByThresholds(People(shares, shares, 0.0), KEEPS[19], EVEN, moved=True)
    found = threshold_shares(survey.draw(2_000, 100, np.random.default_rng(5)), survey.keep)
    pairs = list(zip(found.low, found.high, strict=True))
    said = {
        moved: [quantile_statement(0.5, EVEN, low, high, moved=moved) for low, high in pairs]
        for moved in (True, False)
    }
    assert all(survey.is_true(one) for one in said[True])
    assert np.mean([survey.is_true(one) for one in said[False]]) <= 0.05
