"""A rehearsal's run beside what its simulated respondents truly answered."""

import json
from typing import Any

import numpy as np
import pytest

from accounts.models import Person
from intake.rehearsal import simulating, true_counts
from mining.comparison_with_truth import (
    PopulationTruth,
    RehearsalTruth,
    SizeComparison,
    compare_with_truth,
    truly_frequent_itemsets,
)
from mining.parameters import Parameters
from mining.queries_and_counters import pad_rows
from privacy.designs import parse
from runs import rehearsal_truth
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from tests.runs import sealed, working
from tests.runs.conftest import Ran
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page
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


def known() -> RehearsalTruth:
    of = PopulationTruth(DESIGN, 100, COUNTS)
    return RehearsalTruth(of, of)


HIDDEN = sealed.written(
    sealed.plain("work", "employed", "not"),
    {
        **sealed.section(keep="0.5"),
        "questions": [
            {"name": "theft", "choices": sealed.YES_NO},
            {"name": "sick", "choices": sealed.YES_NO, "show_if": {"work": ["employed"]}},
        ],
    },
)


def test_itemsets_are_compared_with_the_truth() -> None:
    # Every itemset is compared by hand.
    wanted = Parameters(min_support=0.2, min_confidence=0.5)
    itemsets = pad_rows([[0], [1], [3], [7], [1, 3], [3, 5], [1, 3, 5]])
    support = np.array([0.4, 0.57, 0.33, 0.21, 0.24, 0.22, 0.2])
    found = compare_with_truth(itemsets, support, known(), wanted)
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
    # A size of which nothing is found has no error.
    wanted = Parameters(min_support=0.9, min_confidence=0.5, max_size=1)
    found = compare_with_truth(pad_rows([]), np.empty(0), known(), wanted)
    assert found.sizes == (SizeComparison(1, 0, None, 0, 0, None),)


def test_what_is_truly_frequent_is_looked_for_no_further_than_it_was_counted() -> None:
    found = truly_frequent_itemsets(known(), Parameters(min_support=0.2, min_confidence=0.5, max_size=6))
    assert found.tolist() == [[0, -1], [1, -1], [3, -1], [5, -1], [1, 3], [1, 5]]


def test_what_joins_plain_and_sensitive_answers_is_compared_with_those_who_chose_disguise() -> None:
    """Of 100 people 60 are disguised; 30 of all and 24 of these are old and steal."""
    everybody = PopulationTruth(DESIGN, 100, COUNTS)
    disguised = PopulationTruth(DESIGN, 60, {((0, 1), (1, 1)): 24, ((1, 1),): 24, ((1, 1), (2, 1)): 3})
    itemsets = pad_rows([[3], [1], [1, 3], [3, 5]])
    shares = RehearsalTruth(everybody, disguised).shares(itemsets)
    # Plain answers are counted among the disguised alone: nobody of these 60 is known to be old.
    assert shares[[0, 2, 3]] == pytest.approx([0.3, 0.4, 0.1])
    # What is not known is neither right nor wrong.
    wanted = Parameters(min_support=0.2, min_confidence=0.5)
    true = RehearsalTruth(PopulationTruth(DESIGN, 100, COUNTS), PopulationTruth(DESIGN, 0, {}))
    found = compare_with_truth(pad_rows([[1], [1, 3], [3, 5]]), np.array([0.6, 0.9, 0.2]), true, wanted)
    pair = found.sizes[1]
    assert (pair.reported, pair.false_positives) == (2, 1)
    assert pair.w == pytest.approx(0.1)


def test_a_share_among_those_shown_leaves_out_to_whom_a_question_does_not_apply() -> None:
    """Of 100 people 60 are employed and shown "sick": 15 say yes, 45 no. 40 of all steal, 30 of the employed, 9 of
    these call in sick too and 21 not."""
    employed, theft, sick, well = (0, 0), (1, 1), (2, 1), (2, 0)
    counts = {
        (employed,): 60,
        (theft,): 40,
        (sick,): 15,
        (well,): 45,
        (employed, theft): 30,
        (theft, sick): 9,
        (theft, well): 21,
        (employed, sick): 15,
    }
    true = PopulationTruth(HIDDEN, 100, counts)
    assert true.share((sick,)) == 0.15
    assert true.share((sick,), shown=True) == 0.25
    assert true.share((theft,), shown=True) == 0.4
    # Confidences: of the 30 thieves to whom "sick" applies, of the 15 who call in sick, of the 60 employed.
    assert true.share((theft, sick), (theft,), shown=True) == 0.3
    assert true.share((theft, sick), (sick,), shown=True) == 0.6
    assert true.share((employed, theft), (employed,), shown=True) == 0.5
    assert np.isnan(true.share((theft, (1, 0))))
    # Of the 60 who are employed 30 steal; of these 15 call in sick.
    assert true.share_among_shown_both(theft, sick) == 0.5
    assert true.share_among_shown_both(sick, theft) == 0.25
    assert true.share_among_shown_both(theft, employed) == 0.4


def rehearsed(owner: Person, **changed: Any) -> Survey:
    """Closed, with 500 simulated respondents."""
    design = parse(json.dumps({**json.loads(DESIGN.canonical), "rehearsal": True, **changed}))
    survey = sealed.survey(owner, design, [], state=Survey.State.OPEN, closed_at=None)
    simulating.simulate(survey, 500, seed=1)
    lifecycle.close_survey(survey, owner, NOW)
    return survey


def test_with_arms_the_truth_is_that_of_the_disguised_arm(owner: Person) -> None:
    survey = rehearsed(owner, open_answers=False, direct="0.5000", least=40)
    run = working.mined(survey, owner, Parameters(min_support=0.05, min_confidence=0.3))
    kept, found = true_counts.read_truth(survey), rehearsal_truth.read_truth(run)
    assert kept
    assert 200 < kept.disguised.n < 300
    assert found
    old, theft = (0, 1), (1, 1)
    for itemset in ((theft,), (old,), (old, theft)):
        assert found.everybody.share(itemset) == kept.disguised.counts[itemset] / kept.disguised.n
    assert found.direct
    direct = kept.everybody.n - kept.disguised.n
    asked_directly = kept.everybody.counts[(theft,)] - kept.disguised.counts[(theft,)]
    assert found.direct.share((theft,)) == asked_directly / direct
    assert (run.n_open, run.disguised) == (0, kept.disguised.n)


def test_a_run_is_compared_with_what_the_rehearsal_kept(survey: Survey, owner: Person, ran: Ran) -> None:
    assert rehearsal_truth.compare_with_truth(ran()) is None  # of real people
    rehearsal, wanted = rehearsed(owner), Parameters(min_support=0.05, min_confidence=0.3)
    run = working.mined(rehearsal, owner, wanted)
    found, kept = rehearsal_truth.compare_with_truth(run), true_counts.read_truth(rehearsal)
    assert found
    assert kept
    rows = list(run.itemsets.order_by("place"))
    # Two choices a question: an item's number is twice its question's place and its code; 0 and 1 are plain.
    itemsets = [tuple(divmod(number, 2) for number in row.item_numbers) for row in rows]
    joins = [any(question == 0 for question, _code in itemset) for itemset in itemsets]
    of = [kept.disguised if joined else kept.everybody for joined in joins]
    true = [of.counts[itemset] / of.n for of, itemset in zip(of, itemsets, strict=True)]
    assert len(set(joins)) == 2
    of_all = [kept.everybody.counts[itemset] / kept.everybody.n for itemset in itemsets]
    assert any(abs(share - other) > 0.005 for share, other in zip(true, of_all, strict=True))
    errors = [abs((row.support or 0) - share) for row, share in zip(rows, true, strict=True)]
    assert found.w == pytest.approx(errors)
    assert found.false_positives == sum(share < 0.05 - 1e-9 for share in true)
    assert [of.size for of in found.sizes] == [1, 2, 3]
    assert sum(of.reported for of in found.sizes) == len(rows)
