"""What is promised of estimated numbers, in simulated surveys; the distribution behind a window."""

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pytest

from mining.inference.contingency_table import Floats
from mining.kinds.minimum_record_counts import Counts
from mining.kinds.number import report_node_from_counts
from mining.kinds.number.estimates_by_classes import (
    ItemShares,
    item_shares,
    quantile_statement,
    scaled_mean_tests,
)
from mining.kinds.number.window_distribution import WindowEstimate, estimate_window, likeliest_distribution
from mining.nodes.number_nodes import QuantileStatement
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.window.law import BANDED, WindowLaw
from privacy.kinds.number.window.smoothed_distribution_estimate import (
    count_shown_modes,
    estimate_distribution,
)
from privacy.kinds.score_table_by_law import find_score_table
from tests.mining.listed import at_night, vector_file
from tests.mining.strategies import ByClasses, ByWindow, People, coverage_of, distribution_shapes
from tests.privacy.questionnaires import classes, design

pytestmark = pytest.mark.proof
PAPER, NARROW = WindowLaw(1001, 100, 5000), WindowLaw(101, 7, 4000)
OPEN = 0.2


BANDS = [(PAPER, "smooth", 10_000), (PAPER, "spike", 10_000), (PAPER, "block", 1_000)]
BANDS += [(NARROW, "spike", 1_000), (NARROW, "smooth", 1_000), (NARROW, "block", 10_000)]


@pytest.mark.at_push(2)
@pytest.mark.parametrize(("law", "shape", "n"), BANDS)
def test_bands_cover_the_blurred_truth_in_95_of_100_surveys(law: WindowLaw, shape: str, n: int) -> None:
    """In 800 surveys a cell's share has a standard error of .8 %: the bounds are four of them."""
    survey = ByWindow(People.with_reversed_open_answers(distribution_shapes(law.values)[shape], OPEN), law)
    counts = survey.draw(n, 800, np.random.default_rng(n)).astype(np.float64)
    found = estimate_distribution(survey.law, counts[:, 1], counts[:, 0])
    held = coverage_of(found.low, found.high, survey.blurred(count_shown_modes(survey.law)))
    assert held.min() >= 0.92
    assert held.max() <= 0.98


def test_simulated_bands_match_those_of_an_estimate() -> None:
    survey = ByWindow(People.with_reversed_open_answers(distribution_shapes(101)["smooth"], OPEN), NARROW)
    counts = survey.draw(BANDED, 3, np.random.default_rng(1))
    together = estimate_distribution(survey.law, counts[:, 1].astype(float), counts[:, 0].astype(float))
    for place, one in enumerate(counts):
        found = estimate_window(survey.law, one)
        assert found is not None
        assert found.low == pytest.approx(together.low[place], abs=1e-12)
        assert found.high == pytest.approx(together.high[place], abs=1e-12)


LIMITS = (40, 80, 120, 160, 200)
KEEPS = {3: ("0.4", "0.5"), 19: ("0.8181", "0.9")}
"""By gamma the keep with two of the limits drawn, and that of the rest."""


def answers_by_classes(gamma: int, shape: str, cuts: int = 2) -> tuple[ByClasses, ClassesSection]:
    keep, keep_rest = KEEPS[gamma]
    people = People.with_reversed_open_answers(distribution_shapes(201)[shape], OPEN)
    source = classes("n", keep, 0, *LIMITS, cuts=cuts, rest=2, keep_rest=keep_rest)
    (section,) = design(source).sections
    assert isinstance(section, ClassesSection)
    written = json.loads(design(source).canonical)["sections"][0]
    return ByClasses(people, written), section


SURVEYS = 400
CELLS = [(3, "smooth", 2_000), (3, "spike", 1_000), (19, "block", 2_000), (19, "smooth", 500)]


class Found(NamedTuple):
    """Of all surveys of a cell at once; `mean` is value, low and high."""

    counts: Counts
    shares: ItemShares
    mean: Floats


def found_in(survey: ByClasses, section: ClassesSection, n: int) -> Found:
    counts = survey.draw(n, SURVEYS, np.random.default_rng(n))
    question, table = section.question, find_score_table(section.as_mined().questions[0])
    ends = question.starts, question.high, question.widest_class_span
    test = scaled_mean_tests(table, counts, *ends, section.law.rest_keep)
    mean = (question.high - question.starts[0]) * np.array([test.point_estimate(), *test.interval()])
    return Found(counts, item_shares(table, counts), question.starts[0] + mean)


@pytest.mark.at_push(2)
@pytest.mark.parametrize(("gamma", "shape", "n"), CELLS)
def test_shares_means_and_quantiles_by_class_are_as_accurate_as_promised(
    gamma: int, shape: str, n: int
) -> None:
    """In 400 surveys a coverage has a standard error of 1.1 %; the bounds are three of them below 95 %."""
    survey, section = answers_by_classes(gamma, shape)
    found = found_in(survey, section, n)
    # What is found together is what is estimated of each.
    for number in range(0, SURVEYS, SURVEYS // 4):
        alone = report_node_from_counts.estimate_number(section, found.counts[number])
        assert alone.mean is not None
        assert (alone.mean.value, alone.mean.low, alone.mean.high) == pytest.approx(found.mean[:, number])
        # Shares that rise from limit to limit are made to fall, and their intervals wider.
        above, _se, *ends = (column[number, : len(LIMITS)] for column in columns_of(found.shares))
        fall = all((np.diff(one) <= 0).all() for one in (np.array([1.0, *above, 0.0]), *ends))
        for place, row in enumerate(alone.shares):
            share, se, low, high = (column[number, place] for column in columns_of(found.shares))
            assert row.se == pytest.approx(se)
            if fall:
                assert (row.share, row.low, row.high) == pytest.approx((share, low, high), abs=1e-9)
            else:
                assert row.low is not None
                assert row.high is not None
                assert row.low - 1e-9 <= low <= high <= row.high + 1e-9
        assert alone.quantiles == tuple(statements(found, number))
    # Shares are unbiased, and their intervals hold them.
    truth = np.array([min(1.0, float(survey.people.everybody[limit:].sum())) for limit in LIMITS])
    share, se, low, high = (column[:, : len(LIMITS)] for column in columns_of(found.shares))
    spread = share.std(axis=0)
    assert (np.abs(share.mean(axis=0) - truth) <= 4.5 * spread / np.sqrt(SURVEYS)).all()
    assert se.mean(axis=0) == pytest.approx(spread, rel=0.12)
    has_ends = np.isfinite(low) & np.isfinite(high)
    held = (low <= truth) & (truth <= high) & has_ends
    assert (held.sum(axis=0) >= 0.915 * has_ends.sum(axis=0)).all()
    # So is the mean.
    assert np.isfinite(found.mean).all()
    value, low, high = found.mean
    assert abs(value.mean() - survey.mean) <= 4.5 * value.std() / np.sqrt(SURVEYS)
    assert np.mean((low <= survey.mean) & (survey.mean <= high)) >= 0.915
    # Statements about quantiles are true.
    true = [[*map(survey.is_true, statements(found, number))] for number in range(SURVEYS)]
    assert np.mean(true, axis=0).min() >= 0.93


def columns_of(shares: ItemShares) -> tuple[Floats, Floats, Floats, Floats]:
    return shares.share, shares.se, shares.low, shares.high


def statements(found: Found, survey: int) -> Iterator[QuantileStatement]:
    low, high = (ends[survey, : len(LIMITS)] for ends in (found.shares.low, found.shares.high))
    return (quantile_statement(q, LIMITS, low, high) for q in report_node_from_counts.QUANTILES)


R3 = WindowLaw(1001, 100, 5000)
SMALL = WindowLaw(7, 1, 4000)


def simulate_counts(law: WindowLaw, n: int, seed: int, open_share: float = 0.0) -> Counts:
    """Numbers in two hills, by the coins of R3."""
    rng = np.random.default_rng(seed)
    places = np.where(rng.random(n) < 0.6, 0.3, 0.7) * law.values
    x = np.clip(rng.normal(places, 0.05 * law.values), 0, law.values - 1).astype(int)
    moved = (x + rng.integers(-law.half, law.half + 1, n)) % law.values
    any_number = rng.integers(0, 10_000, n) < law.uniform_parts
    y = np.where(any_number, rng.integers(0, law.values, n), moved)
    is_open = rng.random(n) < open_share
    of_groups = x[is_open], y[~is_open]
    return np.stack([np.bincount(of, minlength=law.values) for of in of_groups])


def found_of(law: WindowLaw, counts: Counts) -> WindowEstimate:
    found = estimate_window(law, counts)
    assert found is not None
    return found


def test_estimate_holds_received_values_bands_and_an_illustration() -> None:
    counts = simulate_counts(R3, 2_000, 1, open_share=0.2)
    found = found_of(R3, counts)
    assert found.modes == vector_file("windows")[0]["expected"]["M"]
    assert found.received == pytest.approx(counts.sum(axis=0) / 2_000)
    fejer = estimate_distribution(R3, counts[1].astype(float), counts[0].astype(float))
    for one, other in ((found.blurred, fejer.share), (found.low, fejer.low), (found.high, fejer.high)):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(found.illustration, likeliest_distribution(R3, counts).share)
    for shares in (found.received, found.blurred, found.illustration):
        assert shares.sum() == pytest.approx(1)
    assert found.illustration.min() >= 0


def test_estimate_is_missing_below_the_floors_and_bands_below_a_thousand() -> None:
    cases = [(0, 49, False), (0, 50, True), (9, 60, False), (10, 40, True), (60, 9, False), (50, 0, True)]
    for opened, disguised, is_enough in cases:
        counts = np.zeros((2, 7), np.int64)
        counts[:, 3] = opened, disguised
        assert (estimate_window(SMALL, counts) is not None) is is_enough, (opened, disguised)
    for n, banded in ((999, False), (1_000, True)):
        found = found_of(R3, simulate_counts(R3, n, 2, open_share=0.1))
        assert np.isfinite(found.blurred).all()
        assert np.isfinite(found.low).all() == np.isfinite(found.high).all() == banded
        assert np.isnan(found.low).all() == np.isnan(found.high).all() == (not banded)


def test_open_answers_alone_are_their_own_distribution() -> None:
    counts = np.array([[0, 5, 10, 20, 10, 5, 0], [0] * 7])
    found = found_of(SMALL, counts)
    assert found.illustration == pytest.approx(counts[0] / 50, abs=1e-9)
    assert found.illustration == pytest.approx(found.received, abs=1e-9)


def test_number_estimates_match_the_vectors() -> None:
    for vector in vector_file("corrections")["likeliest"]:
        law = WindowLaw(vector["values"], vector["half"], round(10_000 * (1 - vector["windowed"])))
        found = likeliest_distribution(law, np.array([[0] * law.values, vector["records"]]), vector["steps"])
        shifted = [np.roll(found.share, shift) for shift in range(-law.half, law.half + 1)]
        uniform = 1 - vector["windowed"]
        expected = sum(vector["records"]) * (uniform / law.values + (1 - uniform) * np.mean(shifted, axis=0))
        distance = ((vector["records"] - expected) ** 2 / expected).sum()
        assert distance == pytest.approx(vector["x2_last"], rel=1e-8), vector
        assert found.share == pytest.approx(vector["share"], abs=1e-9), vector


SHAPES: dict[str, Callable[[Floats], Floats]] = {
    "two hills": lambda at: np.exp(-((at - 0.3) ** 2) / 0.005) + 0.7 * np.exp(-((at - 0.7) ** 2) / 0.005),
    "even": np.ones_like,
    "incomes": lambda at: np.exp(-((np.log(at + 0.01) - np.log(0.25)) ** 2) / 0.5),
    "low end": lambda at: np.exp(-at / 0.05),
    "steps": lambda at: np.where(at < 0.3, 1.0, np.where(at < 0.7, 3.0, 0.5)),
}


@pytest.mark.at_push(2)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("law", [WindowLaw(31, 3, 4000), *at_night([R3, WindowLaw(101, 7, 6000)])], ids=str)
def test_estimate_is_nearer_to_the_truth_than_received_values(law: WindowLaw, shape: str) -> None:
    """Total variation, ten samples of 1,000 and of 20,000 records each."""
    true = np.asarray(SHAPES[shape](np.arange(law.values) / law.values))
    true = true / true.sum()
    near = np.minimum(np.arange(law.values), law.values - np.arange(law.values)) <= law.half
    around = np.real(np.fft.ifft(np.fft.fft(true) * np.fft.fft(near / near.sum())))
    part = law.uniform_parts / 10_000
    chances = (1 - part) * around + part / law.values
    rng = np.random.default_rng(11)
    for n in (1_000, 20_000):
        received, found = [], []
        for _sample in range(10):
            records = rng.multinomial(n, chances)
            received.append(np.abs(records / n - true).sum() / 2)
            share = likeliest_distribution(law, np.stack([0 * records, records])).share
            assert share.sum() == pytest.approx(1)
            assert share.min() >= 0
            found.append(np.abs(share - true).sum() / 2)
        assert np.mean(found) < np.mean(received)


def test_fitting_takes_steps_until_open_records_fit_too() -> None:
    """200 disguised records fit even shares; the open ones do not."""
    counts = simulate_counts(R3, 2_000, 3, open_share=0.9)
    found = likeliest_distribution(R3, counts)
    assert found.steps >= 1
    assert np.abs(found.share - 1 / 1001).sum() > 0.5
    counts = simulate_counts(R3, 2_000, 4)
    first, again = (likeliest_distribution(R3, counts) for _turn in range(2))
    np.testing.assert_array_equal(first.share, again.share)
    assert 0 < first.steps < 1_000
    # Few records that fit even shares leave them even.
    counts = np.stack([np.zeros(31, np.int64), np.full(31, 3)])
    even = likeliest_distribution(WindowLaw(31, 3, 4000), counts)
    assert even.steps == 0
    assert even.share == pytest.approx(np.full(31, 1 / 31))
