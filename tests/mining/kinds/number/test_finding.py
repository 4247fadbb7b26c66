import json

import numpy as np
import pytest

from mining.kinds.number import report_node
from mining.kinds.number.kind import make_node as node_of
from mining.report.json_codec import dump, load
from mining.report.number_nodes import NumberClasses, NumberNode, NumberTruth, QuantileStatement
from privacy.kinds.number.classes.section import ClassesSection
from privacy.kinds.number.window.section import WindowSection
from tests.privacy.questionnaires import classes, design, window

pytestmark = pytest.mark.proof
(DEBT,) = design(classes("debt", "0.5", 0, 10, 20, rest=2)).sections
(INCOME,) = design(window("income", 2051, 300, "0.4")).sections


def test_a_number_by_classes_has_shares_classes_a_mean_and_quantiles() -> None:
    """N 2, m 1, keep 1/2: the scores of x >= 10 and x >= 20 by interval are worked out in the vectors."""
    assert isinstance(DEBT, ClassesSection)
    # [0,1) [0,2) [0,3) [1,2) [1,3) [2,3), then the two bits; everybody is disguised.
    counts = np.array([[0] * 8, [80, 60, 0, 0, 100, 60, 10, 30]])
    found = report_node.estimate_number(DEBT, counts)
    assert (found.n_asked, found.n_open, found.distribution) == (340, 0, None)
    first, second = found.shares
    at_10 = (80 * -5 / 3 + 60 * 2 / 3 + 100 * 7 / 3 + 60 * 2 / 3) / 300
    at_20 = (80 * 1 / 3 + 60 * -4 / 3 + 100 * 1 / 3 + 60 * 8 / 3) / 300
    assert [(share.item, share.n_asked) for share in (first, second)] == [(">=10", 300), (">=20", 300)]
    assert [first.share, second.share] == pytest.approx([at_10, at_20])
    assert [share.item for share in found.classes] == ["<10", ">=10 <20", ">=20"]
    shares = [1 - at_10, at_10 - at_20, at_20]
    assert [share.share for share in found.classes] == pytest.approx(shares)
    # The classes begin at 0, 10 and 20; D = 9, keep of the rest 1/2: u = (.75 - .25) / .5 = 1.
    assert found.mean is not None
    assert found.mean.value == pytest.approx(10 * at_10 + 10 * at_20 + 9 * 1)
    assert [one.q for one in found.quantiles] == [0.25, 0.5, 0.75]


def test_a_number_says_whether_it_is_of_those_who_chose_disguise(subtests: pytest.Subtests) -> None:
    """By class they always are, where others could choose none."""
    cases: list[tuple[bool, int, tuple[bool, bool]]] = [
        (False, 0, (False, False)),
        (True, 0, (True, True)),
        (True, 50, (False, True)),
    ]
    for open_answers, opened, expected in cases:
        with subtests.test(f"{open_answers!r:.60} {opened!r:.60}"):
            assert isinstance(DEBT, ClassesSection)
            of_class = np.array([[0] * 8, [80, 60, 0, 0, 100, 60, 10, 30]])
            counts = of_class + np.array([[opened, *[0] * 7], [0] * 8])
            node = node_of(DEBT, counts, [("age", [of_class])], open_answers)
            assert (node.all_records.disguised_only, node.groups[0].classes[0].disguised_only) == expected


def test_below_the_floors_nothing_is_said() -> None:
    assert isinstance(DEBT, ClassesSection)
    few = report_node.estimate_number(DEBT, np.array([[0] * 8, [9, 10, 0, 10, 10, 10, 99, 99]]))
    assert (few.mean, few.quantiles, [share.share for share in few.shares]) == (None, (), [None, None])


def test_a_mean_needs_200_classes_and_ten_bits(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, int, bool]] = [(199, 10, False), (200, 9, False), (200, 10, True)]
    for classes_sent, bits, has_mean in cases:
        with subtests.test(f"{classes_sent} {bits}"):
            assert isinstance(DEBT, ClassesSection)
            codes = [classes_sent - 150, 30, 0, 60, 30, 30, bits - 4, 4]
            found = report_node.estimate_number(DEBT, np.array([[0] * 8, codes]))
            assert (found.mean is not None) is has_mean
            assert all(share.share is not None for share in found.shares)


def test_no_mean_is_said_where_the_counts_contradict_each_other() -> None:
    """As if all chances had fallen alike: no mean between the ends is within 1.96 standard errors."""
    assert isinstance(DEBT, ClassesSection)
    assert report_node.estimate_number(DEBT, np.array([[0] * 8, [2_000, 0, 0, 0, 0, 0, 100, 0]])).mean is None


def test_a_distribution_is_stored_in_cells_whose_shares_sum_to_one() -> None:
    assert isinstance(INCOME, WindowSection)
    counts = np.stack([np.zeros(2051, np.int64), np.ones(2051, np.int64)])
    drawn = report_node.estimate_number(INCOME, counts).distribution
    assert drawn is not None
    assert (drawn.width, len(drawn.blurred)) == (3, 684)
    assert drawn.received is not None
    assert drawn.illustration is not None
    for column in (drawn.received, drawn.illustration, drawn.blurred):
        assert sum(column) == pytest.approx(1, abs=1e-6)
    of_class = report_node.estimate_number(INCOME, counts, of_class=True).distribution
    assert of_class is not None
    assert (of_class.width, len(of_class.blurred), of_class.received, of_class.illustration) == (
        9,
        228,
        None,
        None,
    )


@pytest.mark.night
def test_too_few_records_have_no_band() -> None:
    assert isinstance(INCOME, WindowSection)
    counts = np.stack([np.zeros(2051, np.int64), np.arange(2051) < 999]).astype(np.int64)
    drawn = report_node.estimate_number(INCOME, counts).distribution
    assert drawn is not None
    assert (drawn.low, drawn.high, len(drawn.blurred)) == (None, None, 684)


def test_a_finding_is_read_back_from_its_json() -> None:
    assert isinstance(INCOME, WindowSection)
    assert isinstance(DEBT, ClassesSection)
    shape = report_node.estimate_number(INCOME, np.ones((2, 2051), np.int64))
    curve = report_node.estimate_number(DEBT, np.full((2, 8), 50))
    for law, of in (("window", shape), ("classes", curve)):
        whole = NumberNode("a", law, of, (NumberClasses("age", (of, of)),))
        assert load(NumberNode, json.loads(json.dumps(dump(whole)))) == whole
    assert all(isinstance(one, QuantileStatement) for one in curve.quantiles)


def test_the_truth_of_a_window_is_blurred_by_the_kernel_of_the_estimate() -> None:
    """All have the number 0: the blurred truth is the kernel itself, highest there and the same on both sides."""
    assert isinstance(INCOME, WindowSection)
    values = INCOME.question.values
    found = report_node.true_distribution(INCOME, [7] + [0] * (values - 1), 1)
    assert found.distribution is not None
    assert found.blurred is not None
    assert (found.distribution[0], sum(found.distribution)) == (1.0, 1.0)
    assert max(found.blurred) == found.blurred[0]
    assert found.blurred[1] == pytest.approx(found.blurred[-1])
    assert sum(found.blurred) == pytest.approx(1, abs=1e-5)
    modes = report_node.estimate_number(
        INCOME, np.stack([np.zeros(values, np.int64), np.ones(values, np.int64)])
    ).distribution
    assert modes is not None
    assert found.blurred[0] == pytest.approx((modes.modes + 1) / values)


def test_the_truth_of_a_window_that_nobody_was_shown_is_unknown() -> None:
    assert isinstance(INCOME, WindowSection)
    assert report_node.true_distribution(INCOME, [0] * INCOME.question.values, 1) == NumberTruth()
