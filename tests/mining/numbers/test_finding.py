import json

import numpy as np
import pytest

from mining.numbers import finding
from mining.numbers.finding import NumberClasses, NumberFinding
from mining.numbers.thresholds import QuantileStatement
from privacy.kinds.number.form import ThresholdsSection, WindowSection
from tests.privacy.questionnaires import design, classes, window

pytestmark = pytest.mark.proof
(DEBT,) = design(classes("debt", "0.5", 0, 10, 20, rest=2)).sections
(INCOME,) = design(window("income", 2051, 300, "0.4")).sections


def test_a_number_by_thresholds_has_shares_a_mean_and_quantiles() -> None:
    assert isinstance(DEBT, ThresholdsSection)
    counts = np.array([[10, 10, 20, 0], [30, 70, 60, 40]])
    found = finding.estimates(DEBT, counts)
    assert (found.base, found.opened, found.distribution) == (240, 40, None)
    first, second = found.shares
    # 10 of 20 open, and of 100 disguised (.7 - .25) / .5 = .9: a share of (10 + 90) / 120.
    assert (first.threshold, first.base) == (10, 120)
    assert first.share == pytest.approx(100 / 120)
    # 0 of 20 open, and of 100 disguised (.4 - .25) / .5 = .3.
    assert (second.threshold, second.base) == (20, 120)
    assert second.share == pytest.approx(30 / 120)
    # The mean is 10 times the sum of both, here with equally many answers to each threshold.
    assert found.mean is not None
    assert found.mean.value == pytest.approx(10 * 130 / 120)
    assert [one.q for one in found.quantiles] == [0.25, 0.5, 0.75]


def test_below_the_floors_nothing_is_said() -> None:
    assert isinstance(DEBT, ThresholdsSection)
    few = finding.estimates(DEBT, np.array([[0, 0, 0, 0], [10, 10, 10, 10]]))
    assert (few.mean, few.quantiles, [share.share for share in few.shares]) == (None, (), [None, None])


def test_a_distribution_is_stored_in_cells_whose_shares_sum_to_one() -> None:
    assert isinstance(INCOME, WindowSection)
    counts = np.stack([np.zeros(2051, np.int64), np.ones(2051, np.int64)])
    drawn = finding.estimates(INCOME, counts).distribution
    assert drawn is not None
    assert (drawn.width, len(drawn.blurred)) == (3, 684)
    assert drawn.received is not None
    assert drawn.illustration is not None
    for column in (drawn.received, drawn.illustration, drawn.blurred):
        assert sum(column) == pytest.approx(1, abs=1e-6)
    of_class = finding.estimates(INCOME, counts, of_class=True).distribution
    assert of_class is not None
    assert (of_class.width, len(of_class.blurred), of_class.received, of_class.illustration) == (
        9,
        228,
        None,
        None,
    )


def test_too_few_records_have_no_band() -> None:
    assert isinstance(INCOME, WindowSection)
    counts = np.stack([np.zeros(2051, np.int64), np.arange(2051) < 999]).astype(np.int64)
    drawn = finding.estimates(INCOME, counts).distribution
    assert drawn is not None
    assert (drawn.low, drawn.high, len(drawn.blurred)) == (None, None, 684)


def test_a_finding_is_read_back_from_its_json() -> None:
    assert isinstance(INCOME, WindowSection)
    assert isinstance(DEBT, ThresholdsSection)
    shape = finding.estimates(INCOME, np.ones((2, 2051), np.int64))
    curve = finding.estimates(DEBT, np.full((2, 4), 50))
    for law, of in (("window", shape), ("thresholds", curve)):
        whole = NumberFinding("a", law, of, (NumberClasses("age", (of, of)),))
        assert finding.from_json(json.loads(json.dumps(finding.as_json(whole)))) == whole
    assert all(isinstance(one, QuantileStatement) for one in curve.quantiles)


def test_the_truth_of_a_window_is_blurred_by_the_kernel_of_the_estimate() -> None:
    """All have the number 0: the blurred truth is the kernel itself, highest there and the same on both sides."""
    assert isinstance(INCOME, WindowSection)
    values = INCOME.question.values
    found = finding.true_distribution(INCOME, [7] + [0] * (values - 1), 1)
    assert found.distribution is not None
    assert found.blurred is not None
    assert (found.distribution[0], sum(found.distribution)) == (1.0, 1.0)
    assert max(found.blurred) == found.blurred[0]
    assert found.blurred[1] == pytest.approx(found.blurred[-1])
    assert sum(found.blurred) == pytest.approx(1, abs=1e-5)
    modes = finding.estimates(
        INCOME, np.stack([np.zeros(values, np.int64), np.ones(values, np.int64)])
    ).distribution
    assert modes is not None
    assert found.blurred[0] == pytest.approx((modes.modes + 1) / values)


def test_the_truth_of_a_window_that_nobody_was_shown_is_unknown() -> None:
    assert isinstance(INCOME, WindowSection)
    assert finding.true_distribution(INCOME, [0] * INCOME.question.values, 1) == finding.NumberTruth()
