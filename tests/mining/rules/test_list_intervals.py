"""Ends beyond the head of a list are computed when they are read, to the digits that they had at once."""

import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.inference import score_test_kernel
from mining.inference.intervals import share_interval
from mining.inference.score_test import SIDES, support_test
from mining.itemsets.frequent import find_frequent_itemsets, search_itemsets
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from mining.reconstruction.supports import ESTIMATORS, Estimator
from mining.rules import rule_intervals, rules
from mining.rules.rule_intervals import ListIntervals, base_intervals
from mining.rules.table import Rules, confident_splits
from privacy.designs import parse
from tests.mining.strategies import survey_answered
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    WORK,
    classes,
    design,
    plain,
    question,
    sensitive,
    written,
)

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
def test_ends_read_later_are_the_same(
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
    np.testing.assert_array_equal(later.splits.interval_ends, at_once.splits.interval_ends)
    np.testing.assert_array_equal(later.splits.base_rate_ends, at_once.splits.base_rate_ends)


def test_the_head_of_a_list_is_read_without_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = mined("stratified").confidence_low
    monkeypatch.setattr(rule_intervals, "AT_ONCE", HEAD)
    found = mined("stratified")
    monkeypatch.setattr(ListIntervals, "all_ends", property(lambda _: pytest.fail("the rest is computed")))
    head = np.flatnonzero(found.split < HEAD)
    assert found.take(head).confidence_low.tolist() == whole[head].tolist()


# --- intervals that splits share ---


WANTED = Parameters(0.005, 0.1, max_size=3)


@pytest.fixture(scope="module")
def known() -> CachedCounter:
    """Rotation, a rule that hides, a number, open and plain answers: E(S) differs between itemsets."""
    form = parse(
        json.dumps(
            written(
                plain(WORK),
                sensitive("0.7", *(question(f"s{at}", *HALF) for at in range(4)), asked=3),
                sensitive("0.8", question("t0", *HALF), question("t1", *HALF, **IF_EMPLOYED)),
                classes("n", "0.7", 0, 1, 2, 3, cuts=2),
            )
        )
    )
    return CachedCounter(survey_answered(form, 4_000, 0.3, 1).records().counter())


@pytest.mark.proof
def test_a_base_rate_that_many_splits_share_is_that_of_each(known: CachedCounter) -> None:
    itemsets = search_itemsets(known, WANTED).itemsets
    pieces, _found = confident_splits(known, itemsets, 0.1, "stratified")
    ends = base_intervals(pieces, np.ones((2, len(pieces)), np.bool_))
    for piece in pieces.pieces:
        for side in SIDES:
            test = support_test(piece.eligible.contingency_table(piece.of).reduce_to_side(side))
            alone = np.stack(share_interval(test), axis=-1)
            assert np.array_equal(ends[side, piece.rows], alone, equal_nan=True)


@pytest.mark.proof
def test_splits_share_intervals(known: CachedCounter, monkeypatch: pytest.MonkeyPatch) -> None:
    supports = search_itemsets(known, WANTED).supports
    solved: list[int] = []
    solve = score_test_kernel.fill_share_ends

    def counting(rows: NDArray[Any], chosen: NDArray[Any], *rest: Any) -> None:
        solved.append(len(chosen))
        solve(rows, chosen, *rest)

    monkeypatch.setattr(score_test_kernel, "fill_share_ends", counting)
    found = rules(known, supports, -np.inf, max_size=3, heads=True)
    assert found.splits.interval_ends.shape[1] == len(found.splits)
    # Each split has two confidences, at the levels of the list; those of rules that may fold are computed at 95 %
    # before. Of its two base rates many are those of other splits.
    splits = len(found.splits)
    assert splits > 500
    assert 2 * splits < sum(solved) < 4 * splits
