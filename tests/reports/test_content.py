import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from accounts.models import Person
from intake.rehearsal import true_counts
from mining.report.report_nodes import (
    LeftOut,
    Report,
    Rule,
    is_outside_unit,
    report_from_json,
    report_to_json,
)
from reports.answer_labels import Labels
from reports.review import build_content
from reports.review.rule_decisions import rules_with_verdicts
from runs.models import Run
from surveys.models import Survey
from tests.reports import made


@pytest.mark.parametrize(
    ("share", "is_noise"),
    [
        (0.0, False),
        (1.0, False),
        (None, False),
        (-0.0004, False),
        (-0.0006, True),
        (1.0004, False),
        (1.0006, True),
    ],
)
def test_noise_is_what_no_share_can_be(share: float | None, is_noise: bool) -> None:
    assert is_outside_unit(share) is is_noise


def whole(run: Run) -> Report:
    """With the itemsets."""
    labels = Labels(run.content)
    true = build_content.true_shares(run, labels)
    rows = run.itemsets.order_by("place")
    itemsets = tuple(build_content.build_itemsets(rows, run, labels, true))
    return replace(build_content.whole_run_content(run, labels, true), itemsets=itemsets)


def test_a_report_comes_back_whole_from_json(run: Run) -> None:
    found = whole(run)
    rules = build_content.build_rules(
        rules_with_verdicts(run).select_related("itemset"),
        run,
        Labels(run.content),
        lambda names, given=(), *, disguised_only, shown=False: 0.5,
        {0: 0.8},
    )
    content = replace(found, rules=tuple(rules), left_out=LeftOut(1, 2, 3))
    assert report_from_json(json.loads(json.dumps(report_to_json(content), allow_nan=False))) == content


def test_another_format_is_refused(run: Run) -> None:
    with pytest.raises(ValueError, match="candor-report/1"):
        report_from_json({**report_to_json(whole(run)), "format": "candor-report/2"})


def test_a_run_is_read_with_its_numbers_by_name(run: Run) -> None:
    found = whole(run)
    theft = next(share for share in found.shares if share.items == ("theft=yes",))
    assert (theft.support, theft.low, theft.high, theft.n_asked, theft.n_open) == (
        0.25,
        0.21,
        0.29,
        1000,
        200,
    )
    assert (theft.forged_low, theft.forged_high) == (0.1, 0.5)
    assert [one.items for one in found.itemsets][2] == ("theft=yes", "late=yes")
    assert found.pairs[1].items == ("late=yes", "cash=yes")
    assert (found.about.k, found.about.records, found.about.day) == (0.2, 1000, "2026-12-01")
    assert [row.item for row in found.compared] == ["theft=yes", "late=yes"]


def unknown(
    names: Sequence[str], given: Sequence[str] = (), *, disguised_only: bool, shown: bool = False
) -> None:
    """The truth of a survey of real people."""


def rules_of(run: Run) -> list[Rule]:
    rows = rules_with_verdicts(run).select_related("itemset").order_by("place")
    return build_content.build_rules(rows, run, Labels(run.content), unknown, {})


def test_intervals_of_the_list_stand_beside_those_of_each_alone(run: Run) -> None:
    rule, itemset = rules_of(run)[0], whole(run).itemsets[2]
    assert (rule.support_low, rule.support_high) == (itemset.low, itemset.high) == (0.14, 0.22)
    assert (itemset.low_listed, itemset.high_listed) == (0.12, 0.24)
    assert (rule.confidence_low_listed, rule.lift_high_listed, rule.n_shown_all) == (0.55, 2.35, 1000)
    assert (rule.number, rule.association) == (1, 1)
    assert (rule.consequent_low, rule.consequent_high) == (0.3, 0.5)


def test_a_run_from_before_a_finding_was_made_is_still_read(survey: Survey) -> None:
    found = whole(made.run(survey, findings={}))
    assert (found.shares, found.groups, found.pairs, found.compared) == ((), (), (), ())


def test_a_rehearsal_brings_the_truth_beside_the_estimates(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What joins plain and sensitive answers is of the 800 who chose disguise: 300 are young, 90 of these thieves."""
    counts = {((0, 0),): 400, ((1, 1),): 240, ((2, 1),): 410, ((1, 1), (2, 1)): 120, ((0, 0), (1, 1)): 100}
    everybody = true_counts.CountedTruth(1000, counts)
    disguised = true_counts.CountedTruth(800, {((0, 0),): 300, ((0, 0), (1, 1)): 90})
    monkeypatch.setattr(
        true_counts, "read_truth", lambda survey: true_counts.StoredTruth(everybody, disguised)
    )
    run = made.run(made.survey(owner, rehearsal=True))
    found = whole(run)
    by_name = {share.items: share.truth for share in [*found.shares, *found.itemsets]}
    assert by_name["theft=yes",] == 0.24
    assert by_name["theft=yes", "late=yes"] == 0.12
    assert by_name["cash=yes",] is None
    assert found.groups[0].rows[0].cells[0].truth == 0.3
    row = rules_with_verdicts(run).select_related("itemset").get(place=0)
    (rule,) = build_content.build_rules(
        [row], run, Labels(run.content), build_content.true_shares(run, Labels(run.content)), {}
    )
    assert rule.truth == 0.5


def test_a_survey_that_is_no_rehearsal_has_no_truth(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = true_counts.CountedTruth(1000, {((1, 1),): 240})
    monkeypatch.setattr(true_counts, "read_truth", lambda survey: true_counts.StoredTruth(counted, counted))
    assert not whole(run).knows_truth
