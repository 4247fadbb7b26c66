"""Ends beyond the head of a list are computed when they are read, to the digits that they had at once."""

import numpy as np
import pytest

from mining.itemsets.frequent import find_frequent_itemsets
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from mining.reconstruction.supports import ESTIMATORS, Estimator
from mining.rules import rule_intervals, rules
from mining.rules.rule_intervals import ListIntervals
from mining.rules.table import Rules
from tests.mining.strategies import survey_answered
from tests.privacy.questionnaires import HALF, WORK, design, plain, question, sensitive

FORM = design(
    plain(WORK), sensitive("0.6", *(question(f"s{at}", *HALF) for at in range(4))), open_answers=True
)
HEAD = 7


def mined(estimator: Estimator) -> Rules:
    known = CachedCounter(survey_answered(FORM, 3_000, 0.3, 1).records().counter())
    found = find_frequent_itemsets(known, Parameters(0.02, 0.2, max_size=3, estimator=estimator))
    return rules(known, found.supports, 0.2, estimator, max_size=3, heads=True)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("kept", [0, 1 << 15])
def test_ends_read_later_are_those_computed_at_once(
    estimator: Estimator, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = mined(estimator)
    monkeypatch.setattr(rule_intervals, "AT_ONCE", HEAD)
    monkeypatch.setattr(rule_intervals, "KEPT", kept)
    later = mined(estimator)
    assert len(at_once.splits) > 3 * HEAD
    assert later.splits.intervals.first[0].shape[1] == HEAD
    for name in ("lift_low", "confidence_high_listed", "consequent_low"):
        np.testing.assert_array_equal(getattr(later, name), getattr(at_once, name))
    np.testing.assert_array_equal(later.splits.ends, at_once.splits.ends)
    np.testing.assert_array_equal(later.splits.base_ends, at_once.splits.base_ends)


def test_the_head_of_a_list_is_read_without_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = mined("stratified").confidence_low
    monkeypatch.setattr(rule_intervals, "AT_ONCE", HEAD)
    found = mined("stratified")
    monkeypatch.setattr(ListIntervals, "all_ends", property(lambda _: pytest.fail("the rest is computed")))
    head = np.flatnonzero(found.split < HEAD)
    assert found.take(head).confidence_low.tolist() == whole[head].tolist()
