"""What is told of who understood: of random small surveys no count below ten, and none by subtraction."""

from dataclasses import replace
from itertools import chain
from math import isfinite

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.disclosure.plain_table_counts import table_counter
from mining.disclosure.verdict import decide_verdict
from mining.reconstruction import CachedCounter
from mining.report.study_nodes import Understanding
from mining.studies.understanding_check import analyse_understanding
from tests.mining.listed import Listed
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    UNDERSTOOD,
    WORK,
    crosswise,
    design,
    plain,
    question,
    sensitive,
)

LEAST = 10
SURVEY = design(
    plain(WORK),
    sensitive("0.5", question("theft", *HALF)),
    crosswise("lie", "0.25", secret={"en": "?"}, **IF_EMPLOYED),
    UNDERSTOOD,
    open_answers=True,
    understanding=True,
)
HIDDEN = SURVEY.questions[2].not_applicable


def told(work: NDArray[np.int64], check: NDArray[np.int64], rng: np.random.Generator) -> Understanding:
    """What a first publication tells of disguised people who work so and understood so."""
    n = len(work)
    lie = np.where(work == 0, rng.integers(0, 2, n), HIDDEN)
    codes = np.array([work, rng.integers(0, 2, n), lie, check])
    counter = CachedCounter(Listed(SURVEY.mined, np.ones(n, np.int64), codes))
    verdict, _tables = decide_verdict(SURVEY.mined, table_counter(counter.counter), 2)
    found = analyse_understanding(counter, verdict)
    return replace(
        found,
        items=tuple(one for one in found.items if one.difference is not None and isfinite(one.difference)),
    )


@pytest.mark.proof
def test_no_count_of_one_to_nine_is_told_or_follows_by_subtraction() -> None:
    rng = np.random.default_rng(8)
    some = 0
    for _survey in range(30):
        cells = rng.choice([0, 3, 8, 10, 14, 40, 120], 6)
        work, check = np.repeat([0, 1], 3), np.tile([0, 1, 2], 2)
        everybody = np.repeat(work, cells), np.repeat(check, cells)
        if not len(everybody[0]):
            continue
        found = told(*everybody, rng)
        some += len(found.items)
        for counts in found.counts:
            shown = [one.having for one in counts.shares if one.having is not None]
            assert all(having >= LEAST for having in shown)
            if counts.n is not None:
                rest = counts.n - sum(shown)
                assert rest == 0 or rest >= LEAST
        # Of those to whom it applies and of all: employed people and the others beside them.
        sides = {(one.item, one.n_understood, one.n_not) for one in found.items}
        assert all((n or 0) >= LEAST for n in chain.from_iterable(side[1:] for side in sides))
        by_item = {item: (understood or 0, others or 0) for item, understood, others in sides}
        if len(by_item) == 2:
            differences = np.subtract(by_item["theft=yes"], by_item["lie=yes"])
            assert all(one == 0 or one >= LEAST for one in differences.tolist())
    assert some > 10


def test_a_class_beside_those_who_did_not_understand_may_be_small() -> None:
    """Five needed the explanation: with the next larger class they are one, so that both sides have enough."""
    check = np.repeat([0, 1, 2], [60, 5, 80])
    found = told(np.ones(145, np.int64), check, np.random.default_rng(1))
    assert [one.having for one in found.all_disguised_counts.shares] == [None, None, 80]
    assert [(one.item, one.n_understood, one.n_not) for one in found.items] == [("theft=yes", 65, 80)]


def test_few_who_did_not_understand_withhold_every_difference() -> None:
    check = np.repeat([0, 1, 2], [160, 80, 9])
    found = told(np.ones(249, np.int64), check, np.random.default_rng(1))
    assert found.items == ()
    assert [one.having for one in found.all_disguised_counts.shares] == [160, None, None]
