"""Many splits share the base rate of a side, and an itemset: each interval is computed once for the same levels."""

import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.inference import score_kernel
from mining.inference.intervals import share_interval
from mining.inference.score_test import SIDES, support_test
from mining.itemsets.frequent import search_itemsets
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from mining.rules import rules
from mining.rules.rule_intervals import base_intervals
from mining.rules.table import confident_splits
from privacy.designs import parse
from tests.mining.strategies import survey_answered
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, classes, plain, question, sensitive, written

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
def test_fewer_intervals_are_computed_than_splits_have(
    known: CachedCounter, monkeypatch: pytest.MonkeyPatch
) -> None:
    supports = search_itemsets(known, WANTED).supports
    solved: list[int] = []
    solve = score_kernel.fill_share_ends

    def counting(rows: NDArray[Any], chosen: NDArray[Any], *rest: Any) -> None:
        solved.append(len(chosen))
        solve(rows, chosen, *rest)

    monkeypatch.setattr(score_kernel, "fill_share_ends", counting)
    found = rules(known, supports, -np.inf, max_size=3, heads=True)
    assert found.splits.ends.shape[1] == len(found.splits)
    # Each split has two confidences, at the levels of the list; those of rules that may fold are computed at 95 %
    # before. Of its two base rates many are those of other splits.
    splits = len(found.splits)
    assert splits > 500
    assert 2 * splits < sum(solved) < 4 * splits
