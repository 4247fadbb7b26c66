"""Shares, mean and quantiles of numbers asked by thresholds, against worked numbers and the machinery of supports."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from mining.inference.contingency_table import ANTECEDENT, ContingencyTable, ItemsetPart
from mining.inference.intervals import share_interval
from mining.inference.score import support_test
from mining.numbers.floors import Counts
from mining.numbers.thresholds import (
    MeanEstimate,
    QuantileStatement,
    estimate_mean,
    mean_scores,
    quantile_statement,
    threshold_shares,
)

pytestmark = pytest.mark.proof
MOVED, SCORES, MEDIAN = json.loads(
    (Path(__file__).parents[2] / "vectors" / "number-estimates.json").read_text()
)


def of_disguised(counts: list[list[int]]) -> Counts:
    return np.array([np.zeros_like(counts), counts])


def mean(counts: Counts, keep: float, points: list[int]) -> MeanEstimate:
    found = estimate_mean(counts, keep, points)
    assert found is not None
    return found


def test_worked_scores_of_the_mean() -> None:
    inputs = SCORES["inputs"]
    scores = mean_scores(Fraction(inputs["keep"]), inputs["thresholds"])[1]
    for key, expected in SCORES["expected"]["scores"].items():
        threshold, answer = map(int, key.split(","))
        assert scores[threshold - 1, answer] == pytest.approx(float(Fraction(expected)), rel=1e-12)


def test_an_open_record_counts_as_the_gap_below_its_threshold() -> None:
    """5 thresholds: 5 times 500, 500, 1000, 3000, 5000."""
    scores = mean_scores(0.7142, SCORES["inputs"]["thresholds"])[0]
    assert scores.tolist() == [[0, 2500], [0, 2500], [0, 5000], [0, 15000], [0, 25000]]


def test_records_in_the_proportions_of_a_number_have_that_number_as_their_mean() -> None:
    """The law of one who has 4, worked out in the vector, as 120 records: the mean of the scores is 4."""
    law = MOVED["expected"]["law"]
    shares = [[Fraction(law[f"{threshold},{answer}"]) for answer in (0, 1)] for threshold in (1, 2, 3)]
    records = [[int(120 * share) for share in row] for row in shares]
    found = mean(of_disguised(records), 0.5, MOVED["inputs"]["thresholds"])
    assert found.value == pytest.approx(float(MOVED["expected"]["mean"]), abs=1e-12)


def test_the_standard_error_of_the_mean_by_hand() -> None:
    """Thresholds 10, 20 and p = 1/2: scores 20 z, z = -.5 or 1.5; open ones 0 or 20. 100 records."""
    counts = np.array([[[5, 15], [0, 0]], [[20, 30], [10, 20]]])
    values = [0] * 5 + [20] * 15 + [-10] * 30 + [30] * 50
    found = mean(counts, 0.5, [0, 10, 20])
    assert found.value == pytest.approx(np.mean(values))
    assert found.se == pytest.approx(np.std(values) / 10)
    assert found.low == pytest.approx(found.value - 1.96 * found.se)
    assert found.high == pytest.approx(found.value + 1.96 * found.se)


@pytest.mark.parametrize(("below", "at_least"), [(60, 0), (0, 60)])
def test_the_interval_of_the_mean_ends_at_the_ends_and_the_mean_does_not(below: int, at_least: int) -> None:
    """All 120 answer the same: the scores are -.5 or 1.5 of the range, without spread."""
    points = [100, 110, 120]
    found = mean(of_disguised([[below, at_least]] * 2), 0.5, points)
    assert found == (MeanEstimate(130, 0, 120, 120) if at_least else MeanEstimate(90, 0, 100, 100))


@given(
    arrays(np.int64, (2, 4, 2), elements=st.integers(0, 2_000)),
    st.sampled_from([0.1, 0.5, 0.7142, 0.9, 0.9999]),
)
def test_between_thresholds_equally_far_apart_the_error_is_never_above_the_stated_one(
    counts: Counts, keep: float
) -> None:
    found = estimate_mean(counts, keep, [-20, -10, 0, 10, 20])
    if found:
        assert found.se <= 40 / (2 * keep * np.sqrt(counts.sum())) * (1 + 1e-9)
        assert -20 <= found.low <= found.high <= 20


@pytest.mark.parametrize(
    ("opened", "disguised", "is_enough"),
    [(0, 49, False), (0, 50, True), (9, 60, False), (10, 40, True), (60, 9, False), (50, 0, True)],
)
class TestFloors:
    def test_no_mean_below_the_floors(self, opened: int, disguised: int, is_enough: bool) -> None:
        counts = np.array([[[opened, 0], [0, 0]], [[0, 0], [0, disguised]]])
        assert (estimate_mean(counts, 0.5, [0, 1, 2]) is not None) is is_enough

    def test_no_share_of_a_threshold_below_the_floors(
        self, opened: int, disguised: int, is_enough: bool
    ) -> None:
        rare = [[opened // 2, opened - opened // 2], [disguised // 2, disguised - disguised // 2]]
        counts = np.array([[rare[0], [300, 300]], [rare[1], [300, 300]]])
        found = threshold_shares(counts, 0.5)
        assert np.isfinite([found.share[1], found.low[1], found.high[1]]).all()
        assert np.isfinite([found.share[0], found.low[0], found.high[0]]).tolist() == [is_enough] * 3


def test_shares_and_intervals_are_those_of_a_support() -> None:
    counts = np.array([[[20, 10], [5, 30]], [[100, 300], [150, 90]]])
    found = threshold_shares(counts, Fraction(1, 2))
    for threshold, share in enumerate(found.share):
        answered, at_least = counts[:, threshold].sum(axis=-1), counts[:, threshold, 1]
        disguised = (at_least[1] - answered[1] / 4) / 0.5
        assert share == pytest.approx((at_least[0] + disguised) / answered.sum())
        table = ContingencyTable(
            (ItemsetPart(ANTECEDENT, 0),),
            np.array([answered, at_least], np.float64)[..., None],
            np.array([[0.5]]),
            np.array([[0.5]]),
        )
        low, high = share_interval(support_test(table))
        assert (found.low[threshold], found.high[threshold]) == (low[0], high[0])


def test_many_surveys_at_once_are_as_each_alone() -> None:
    surveys = np.random.default_rng(3).integers(0, 200, (2, 5, 2, 4, 2))
    together = threshold_shares(surveys, 0.3)
    for place in np.ndindex(2, 5):
        alone = threshold_shares(surveys[place], 0.3)
        for name in ("share", "low", "high"):
            np.testing.assert_allclose(getattr(together, name)[place], getattr(alone, name), atol=1e-6)


def test_counts_that_contradict_each_other_have_no_interval() -> None:
    """Nobody answers yes, where noise alone gives a quarter of them."""
    found = threshold_shares(of_disguised([[200, 0]]), 0.5)
    assert found.share[0] == pytest.approx(-0.5)
    assert np.isnan([found.low[0], found.high[0]]).all()


def said(statement: QuantileStatement) -> str:
    return f"between {statement.at_least} and {statement.below}"


def test_the_worked_median() -> None:
    inputs: dict[str, Any] = MEDIAN["inputs"]
    low, high = np.array(inputs["low"]), np.array(inputs["high"])
    for moved, key in ((False, "without_mean"), (True, "with_mean")):
        found = quantile_statement(inputs["q"], inputs["thresholds"], low, high, moved=moved)
        assert said(found) == MEDIAN["expected"][key]


POINTS = [0, 10, 20, 30]
NAN = float("nan")


@pytest.mark.parametrize(
    ("low", "high", "at_least", "below"),
    [
        ([0.4, 0.2, 0.1], [0.45, 0.3, 0.2], None, 10),
        ([0.9, 0.8, 0.7], [0.95, 0.9, 0.8], 30, None),
        ([0.4, 0.3, 0.2], [0.8, 0.7, 0.6], None, None),
        ([0.5, 0.3, 0.2], [0.8, 0.7, 0.5], None, None),
        ([0.4, 0.6, 0.1], [0.7, 0.45, 0.6], None, None),
        ([0.6, NAN, 0.6], [0.9, NAN, 0.9], 10, None),
        ([0.1, NAN, 0.1], [0.4, NAN, 0.4], None, 30),
        ([0.8, 0.1, 0.1], [0.9, 0.3, NAN], 10, None),
        ([NAN, NAN, NAN], [NAN, NAN, NAN], None, None),
    ],
    ids=[
        "all below",
        "all above",
        "nothing is known",
        "on the border",
        "the first ends the walk",
        "too few asked ends the walk up",
        "too few asked ends the walk down",
        "too few asked at the end",
        "too few asked",
    ],
)
def test_what_is_said_of_the_median(
    low: list[float], high: list[float], at_least: int | None, below: int | None
) -> None:
    found = quantile_statement(0.5, POINTS, np.array(low), np.array(high), moved=False)
    assert found == QuantileStatement(0.5, at_least, below)
    shifted = {10: None, 20: 10, 30: 20, None: None}
    moved = quantile_statement(0.5, POINTS, np.array(low), np.array(high), moved=True)
    assert moved == QuantileStatement(0.5, shifted[at_least], below)


@given(
    st.floats(0.05, 0.95),
    arrays(np.float64, 6, elements=st.floats(0, 1)),
    arrays(np.float64, 6, elements=st.floats(0, 1)),
    st.booleans(),
)
def test_a_statement_never_contradicts_itself(
    q: float, one: np.ndarray[Any, Any], other: np.ndarray[Any, Any], moved: bool
) -> None:
    found = quantile_statement(
        q, range(0, 70, 10), np.minimum(one, other), np.maximum(one, other), moved=moved
    )
    if found.at_least is not None and found.below is not None:
        assert found.at_least < found.below
