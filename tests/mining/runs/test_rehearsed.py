"""A rehearsal's run beside what its simulated respondents truly answered."""

import json
from typing import Any

import numpy as np
import pytest

from mining.counts import filled
from mining.models import Run
from mining.parameters import Parameters
from mining.runs import rehearsed, starting
from mining.truth import Kept, OfSize, compared, frequent
from people.models import Person
from privacy.designs import parse
from surveys import lifecycle
from surveys.intake import simulating, truth
from surveys.models import Design as DesignRow, Survey
from tests.mining.runs import sealed, working
from tests.mining.runs.conftest import Ran
from tests.surveys.conftest import NOW

DESIGN = sealed.small()
# age=old, theft=yes, lie=yes: items 1, 3, 5.
COUNTS = {
    ((0, 0),): 40,
    ((0, 1),): 60,
    ((1, 1),): 30,
    ((2, 1),): 25,
    ((3, 1),): 5,
    ((4, 1),): 5,
    ((0, 1), (1, 1)): 30,
    ((0, 1), (2, 1)): 20,
    ((1, 1), (2, 1)): 10,
}


def known() -> Kept:
    return Kept(DESIGN, 100, COUNTS)


def test_every_itemset_is_compared_by_hand() -> None:
    wanted = Parameters(min_support=0.2, min_confidence=0.5)
    itemsets = filled([[0], [1], [3], [7], [1, 3], [3, 5], [1, 3, 5]])
    support = np.array([0.4, 0.57, 0.33, 0.21, 0.24, 0.22, 0.2])
    found = compared(itemsets, support, known(), wanted)
    assert found.w[:6] == pytest.approx([0, 0.03, 0.03, 0.16, 0.06, 0.12])
    # Three answers together were never counted.
    assert np.isnan(found.w[6])
    single, pair = found.sizes
    # Sick (.05) is none; lie (.25) is missing. rho: 0, 5 and 10 percent.
    assert (single.reported, single.false_positives, single.false_negatives) == (4, 1, 1)
    assert [single.w, single.rho] == pytest.approx([0.055, 5])
    # Theft and lie (.10) are none; old and lie (.20) are missing.
    assert (pair.reported, pair.false_positives, pair.false_negatives) == (2, 1, 1)
    assert [pair.w, pair.rho] == pytest.approx([0.09, 20])
    assert (found.false_positives, found.false_negatives) == (2, 2)


def test_a_size_of_which_nothing_is_found_has_no_error() -> None:
    wanted = Parameters(min_support=0.9, min_confidence=0.5, max_size=1)
    found = compared(filled([]), np.empty(0), known(), wanted)
    assert found.sizes == (OfSize(1, 0, None, 0, 0, None),)


def test_what_is_truly_frequent_is_looked_for_no_further_than_it_was_counted() -> None:
    found = frequent(known(), Parameters(min_support=0.2, min_confidence=0.5, max_size=6))
    assert found.tolist() == [[0, -1], [1, -1], [3, -1], [5, -1], [1, 3], [1, 5]]


@pytest.fixture
def rehearsal(owner: Person) -> Survey:
    said: dict[str, Any] = json.loads(DESIGN.canonical)
    design = parse(json.dumps({**said, "rehearsal": True}))
    row = DesignRow.objects.create(fingerprint=design.fingerprint, json=design.canonical)
    values = {"design": row, "draft": json.loads(design.canonical)}
    survey = Survey.objects.create(owner=owner, state=Survey.State.OPEN, **values)
    simulating.simulate(survey, 1_000, seed=1)
    lifecycle.close(survey, owner, NOW)
    return survey


def test_a_run_is_compared_with_what_the_rehearsal_kept(rehearsal: Survey, owner: Person) -> None:
    wanted = Parameters(min_support=0.05, min_confidence=0.3)
    run = working.work(starting.start(rehearsal, owner, wanted, NOW))
    found = rehearsed.compared(run)
    kept = truth.read(rehearsal)
    assert found
    assert kept
    rows = list(run.itemsets.order_by("place"))
    # Two choices a question: an item's number is twice its question's place and its code.
    true = [kept.counts[tuple(divmod(number, 2) for number in row.item_numbers)] / kept.n for row in rows]
    assert found.w == pytest.approx(
        [abs((row.support or 0) - share) for row, share in zip(rows, true, strict=True)]
    )
    assert found.false_positives == sum(share < 0.05 - 1e-9 for share in true)
    assert [of.size for of in found.sizes] == [1, 2, 3]
    assert sum(of.reported for of in found.sizes) == len(rows)


def test_a_survey_of_real_people_has_no_truth(ran: Ran) -> None:
    run: Run = ran()
    assert rehearsed.compared(run) is None
