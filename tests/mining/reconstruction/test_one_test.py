"""Intervals and p of supports, from the records to the numbers, against the loops of the test's definition."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.queries_and_counters import Item
from mining.reconstruction import CachedCounter, reconstruct
from mining.reconstruction.supports import support_intervals
from tests.mining.inference.exact_table import Question
from tests.mining.listed import Listed
from tests.mining.scores import eligible, enough, may_hide, plain_only, support_table
from tests.mining.strategies import answered, itemsets_of
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, design, plain, question, sensitive

AFTER = 2.8


def assert_interval(low: float, high: float, question: Question, level: float = 1.96) -> None:
    expected = question.interval(level)
    if expected is None:
        assert np.isnan(low)
        assert np.isnan(high)
        return
    assert low == pytest.approx(expected[0], abs=1e-6)
    assert high == pytest.approx(expected[1], abs=1e-6)


@pytest.mark.proof
@given(st.data())
def test_a_stratified_support_has_the_interval_of_the_one_test(data: st.DataObject) -> None:
    listed = data.draw(answered(200))
    itemset = data.draw(itemsets_of(listed))
    found = reconstruct(listed, [itemset])
    if not found.enough[0] or plain_only(listed, itemset):
        return
    assert_interval(found.low[0], found.high[0], Question(support_table(listed, itemset), "support"))


@pytest.mark.proof
@given(st.data())
def test_in_a_list_it_is_wider(data: st.DataObject) -> None:
    listed = data.draw(answered(200))
    itemset = data.draw(itemsets_of(listed))
    known = CachedCounter(listed)
    found = reconstruct(known, [itemset])
    if not found.enough[0] or plain_only(listed, itemset):
        return
    of, _shown = support_intervals(known, found, "stratified", np.array([[1.96, AFTER]]))
    question = Question(support_table(listed, itemset), "support")
    (low, high), listed = of[0].tolist()
    assert_interval(low, high, question)
    assert_interval(listed[0], listed[1], question, AFTER)
    if not np.isnan(low):
        assert listed[0] <= low <= high <= listed[1]


@pytest.mark.proof
@given(st.data())
def test_behind_a_rule_it_stands_also_among_those_shown(data: st.DataObject) -> None:
    listed = data.draw(answered(250))
    itemset = data.draw(itemsets_of(listed))
    found = reconstruct(listed, [itemset])
    shown = eligible(listed, itemset)
    assert found.shown[0] == len(shown)
    told = found.enough[0] and enough(listed, shown, itemset) and may_hide(listed, itemset)
    numbers = found.share_shown[0], found.low_shown[0], found.high_shown[0]
    if not told:
        assert np.isnan(numbers).all()
        return
    assert numbers[0] == pytest.approx(found.support[0] * found.base[0] / len(shown), rel=1e-12)
    if not plain_only(listed, itemset):
        assert_interval(*numbers[1:], Question(support_table(listed, itemset, shown=True), "support"))


SHOWN = design(
    plain(WORK), sensitive("0.5", question("theft", *HALF, **IF_EMPLOYED), question("drugs", *HALF))
)
THEFT: tuple[Item, ...] = ((1, 1),)


def workers(counts: dict[tuple[int, int, int], int]) -> Listed:
    """So many records of a group, employed or not, with this answer about theft; 3 is not applicable."""
    rows = np.array([(group, work, theft, 0) for group, work, theft in counts])
    return Listed(SHOWN, rows[:, 0], rows[:, 1:].T, np.array(list(counts.values())))


def test_the_share_among_those_shown_by_hand() -> None:
    # 400 of 1,000 work; of their 400 disguised answers 190 are yes: (.475 - .25) / .5 = .45, and .18 of everybody.
    listed = workers({(1, 0, 1): 190, (1, 0, 0): 210, (1, 1, 3): 600})
    found = reconstruct(listed, [THEFT])
    assert (found.base[0], found.shown[0]) == (1_000, 400)
    assert found.support[0] == pytest.approx(0.18)
    assert found.share_shown[0] == pytest.approx(0.45)
    # Among 400 of one section it is nearly Wilson's through the inverse: of 190 in 400 from .4265 to .5240.
    assert found.low_shown[0] == pytest.approx((0.4265 - 0.25) / 0.5, abs=0.003)
    assert found.high_shown[0] == pytest.approx((0.5240 - 0.25) / 0.5, abs=0.003)
    assert found.low[0] < 0.18 < found.high[0]


def test_of_plain_answers_the_share_among_those_shown_is_clopper_and_pearsons() -> None:
    shift = {"name": "shift", "choices": ["day", "night"], **IF_EMPLOYED}
    found = design(plain(WORK, shift))
    # Of 200 that work 20 do so at night; three in ten of everybody are not asked.
    listed = Listed(found, np.ones(3, np.int64), np.array([[0, 0, 1], [0, 1, 3]]), np.array([180, 20, 100]))
    of = reconstruct(listed, [((1, 1),)])
    assert of.support[0] == pytest.approx(20 / 300)
    assert of.share_shown[0] == pytest.approx(0.1)
    # From a table of exact limits.
    assert (of.low_shown[0], of.high_shown[0]) == (
        pytest.approx(0.0622, abs=1e-4),
        pytest.approx(0.1502, abs=1e-4),
    )


def test_where_too_few_were_asked_nothing_is_said_of_those_shown_either() -> None:
    # Five open records, all without work: too few in base(S), and none among those shown.
    listed = workers({(1, 0, 1): 90, (1, 0, 0): 110, (0, 1, 3): 5})
    found = reconstruct(listed, [THEFT])
    assert found.enough.tolist() == [False]
    assert np.isnan([found.share_shown[0], found.low_shown[0], found.high_shown[0]]).all()


def test_where_too_few_were_shown_only_that_is_not_said() -> None:
    listed = workers({(1, 0, 1): 20, (1, 0, 0): 20, (1, 1, 3): 500})
    found = reconstruct(listed, [THEFT])
    assert found.enough.tolist() == [True]
    assert np.isfinite([found.support[0], found.low[0]]).all()
    assert np.isnan([found.share_shown[0], found.low_shown[0], found.high_shown[0]]).all()


@pytest.mark.parametrize("estimator", ["pooled", "combined"])
def test_the_other_estimators_tell_both_too(estimator: str) -> None:
    listed = workers(
        {(1, 0, 1): 190, (1, 0, 0): 210, (1, 1, 3): 600, (0, 0, 1): 70, (0, 0, 0): 80, (0, 1, 3): 200}
    )
    found = reconstruct(listed, [THEFT], estimator)  # type: ignore[arg-type]
    assert found.share_shown[0] == pytest.approx(found.support[0] * 1_350 / 550)
    assert 0 <= found.low_shown[0] < found.share_shown[0] < found.high_shown[0] <= 1


def test_a_question_that_nothing_hides_has_no_share_among_those_shown() -> None:
    listed = workers({(1, 0, 1): 190, (1, 0, 0): 210})
    found = reconstruct(listed, [((2, 0),), THEFT])
    assert np.isnan(found.share_shown).tolist() == [True, False]
    assert np.isnan(found.low_shown).tolist() == [True, False]
