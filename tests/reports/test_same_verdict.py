"""A report is published while what its list was made of may still be told; else it is run again."""

from typing import Any

import pytest
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from intake.disclosure import ledger
from intake.disclosure.attack_on_all_disclosures import attack_all_disclosures
from intake.disclosure.models import Disclosure, DisclosureKind
from mining.findings.rehearsal_truth import KnownShares
from mining.parameters import Parameters
from reports.models import Decision, Publication, Review
from reports.review import read_published_content, report_state_changes
from reports.review.disclosure_recheck import DisclosureChanged
from reports.review.rule_decisions import decide_rules, rules_with_verdicts
from runs.models import Rule, Run
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.releases.conftest import disguised_rows, everybody, plain_design, plain_survey, seal_rows
from tests.reports import made
from tests.runs import sealed
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.page, pytest.mark.django_db]
ACCEPT = Decision.Verdict.ACCEPT
WANTED = Parameters(0.05, 0.3, max_size=2)
MORE = "More was told of this survey since Run 2"


@pytest.fixture
def survey(owner: Person, broker: object) -> Survey:
    return surveyed_by(owner)


@pytest.fixture
def rehearsal(owner: Person, broker: object) -> Survey:
    return surveyed_by(owner, rehearsal=True)


def surveyed_by(owner: Person, **more: Any) -> Survey:
    """30 of each age and town, all disguised."""
    design = plain_design(open_answers=False, **more)
    return plain_survey(owner, everybody(30), of=design)


def five_more(survey: Survey) -> None:
    """20 of each age and town, and of one only five."""
    cells = ((age, town, 5 if age == town == 0 else 20) for age in range(3) for town in range(3))
    seal_rows(survey, disguised_rows(*cells))


def run_of(survey: Survey, owner: Person, wanted: Parameters = WANTED) -> Review:
    return made.waiting_review(sealed.mine_sealed(survey, owner, wanted))


def two_runs(survey: Survey, owner: Person) -> tuple[Review, Review]:
    """Before and after five more came, neither published."""
    first = run_of(survey, owner)
    five_more(survey)
    return first, run_of(survey, owner)


def rule_side_texts(rules: QuerySet[Any]) -> set[tuple[str, str]]:
    return set(rules.values_list("antecedent", "consequent"))


def test_a_publication_after_which_the_verdict_is_another_refuses_the_next_one(
    survey: Survey, owner: Person, reviewer: Person, judging: Client
) -> None:
    first, second = two_runs(survey, owner)
    made.publish(first, reviewer)
    page = judging.get(reverse("admin:reports_review_publish", args=[second.pk])).content.decode()
    assert MORE in page
    assert reverse("admin:reports_review_run_again", args=[second.pk]) in page
    with pytest.raises(DisclosureChanged, match=MORE):
        made.publish(second, reviewer)
    assert second.run.verdict
    assert [0, 1] in second.run.verdict["told"]
    assert Review.objects.get(pk=second.pk).is_open
    assert Publication.objects.count() == 1


def test_of_two_publications_at_once_one_succeeds(
    survey: Survey, owner: Person, reviewer: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first is published while the second waits for the lock of the survey."""
    first, second = two_runs(survey, owner)
    locked = Survey.objects.get_locked_while_records_arrive

    def publish_first_then_lock(pk: int) -> Survey:
        monkeypatch.setattr(Survey.objects, "get_locked_while_records_arrive", locked)
        made.publish(first, reviewer)
        return locked(pk)

    monkeypatch.setattr(Survey.objects, "get_locked_while_records_arrive", publish_first_then_lock)
    with pytest.raises(DisclosureChanged, match=MORE):
        made.publish(second, reviewer)


def test_publication_that_changes_no_verdict_passes(
    survey: Survey, owner: Person, reviewer: Person, judging: Client
) -> None:
    """Tables of age, of town and of both are told, though no rule is accepted."""
    first = run_of(survey, owner)
    page = judging.get(reverse("admin:reports_review_publish", args=[first.pk]))
    assert "Publishing tells 3 tables of answers that are not disguised" in page.content.decode()
    made.publish(first, reviewer)
    (row,) = ledger.list_disclosures(survey, DisclosureKind.REPORT)
    assert row.tables["told"] == [[], [0], [0, 1], [1]]
    first.refresh_from_db()
    with pytest.raises(NotAllowed, match="published already"):
        report_state_changes.run_again(first, reviewer, NOW)
    made.publish(run_of(survey, owner), reviewer)
    assert Publication.objects.count() == 2


def test_repeated_run_uses_the_same_batches(survey: Survey, owner: Person, reviewer: Person) -> None:
    review = run_of(survey, owner)
    one = Rule.objects.filter(run=review.run, place=0)
    for verdict in (ACCEPT, Decision.Verdict.UNDECIDED):
        decision = Decision(rule=one.get(), reviewer=reviewer, verdict=verdict, when=NOW)
        Decision.objects.bulk_create([decision])
    five_more(survey)
    again = report_state_changes.run_again(review, reviewer, NOW)
    assert (again.through, again.records, again.search_parameters) == (1, 270, WANTED)
    assert again.repeats == review.run.number
    assert not Decision.objects.filter(rule__run=made.waiting_review(sealed.work(again)).run).exists()


def test_repeated_run_takes_over_decisions(survey: Survey, owner: Person, reviewer: Person) -> None:
    first, second = two_runs(survey, owner)
    rules = rules_with_verdicts(second.run)
    decide_rules(second, reviewer, rules, ACCEPT, "Plausible.", NOW)
    made.publish(first, reviewer)
    again = made.waiting_review(sealed.work(report_state_changes.run_again(second, reviewer, NOW)))
    told = rules_with_verdicts(again.run)
    assert rule_side_texts(told) < rule_side_texts(rules)  # no rule of age and town
    assert rule_side_texts(told.filter(verdict=ACCEPT)) == rule_side_texts(told)
    notes = Decision.objects.filter(rule__run=again.run).values_list("note", "reviewer")
    assert set(notes) == {("From Run 2. Plausible.", reviewer.pk)}
    made.publish(again, reviewer)


def test_run_without_a_verdict_cannot_be_published(
    survey: Survey, owner: Person, reviewer: Person, judging: Client
) -> None:
    review = run_of(survey, owner)
    Run.objects.filter(pk=review.run_id).update(verdict=None)
    page = judging.get(reverse("admin:reports_review_publish", args=[review.pk])).content.decode()
    assert "it can be read and not published: run it again." in page
    shares = judging.get(reverse("admin:reports_review_shares", args=[review.pk]))
    assert "Disguised answers" in shares.content.decode()
    review.run.refresh_from_db()
    with pytest.raises(DisclosureChanged, match="has not stored what it was made of"):
        made.publish(review, reviewer)


def test_ledger_with_a_gap_discloses_nothing(survey: Survey, owner: Person, reviewer: Person) -> None:
    for _report in range(2):
        made.publish(run_of(survey, owner), reviewer)
    QuerySet(Disclosure).filter(survey=survey, number=1).delete()
    review = run_of(survey, owner)
    assert review.run.verdict
    assert review.run.verdict["told"] == []
    assert not review.run.itemsets.exists()
    made.publish(review, reviewer)
    content = read_published_content.published_report_without_rules(review)
    assert not any(share.support for share in content.shares)
    assert content.about.family == 0


def test_reports_with_other_thresholds_disclose_the_same(
    survey: Survey, owner: Person, reviewer: Person
) -> None:
    made.publish(run_of(survey, owner), reviewer)
    known = attack_all_disclosures(survey)
    second = run_of(survey, owner, Parameters(0.4, 0.5, max_size=2))
    made.publish(second, reviewer)
    first_row, second_row = ledger.list_disclosures(survey, DisclosureKind.REPORT)
    assert second.run.rule_count != Run.objects.get(number=1).rule_count
    assert first_row.tables == second_row.tables
    assert attack_all_disclosures(survey) == known


def test_rehearsal_publication_is_refused_like_a_real_one(
    rehearsal: Survey, owner: Person, reviewer: Person
) -> None:
    first, second = two_runs(rehearsal, owner)
    made.publish(first, reviewer)
    (row,) = ledger.list_disclosures(rehearsal, DisclosureKind.REPORT)
    assert row.tables["told"]
    with pytest.raises(DisclosureChanged, match=f"In the real survey this would be refused: {MORE}"):
        made.publish(second, reviewer)


def test_a_finished_rehearsal_has_its_own_ledger(rehearsal: Survey, owner: Person, reviewer: Person) -> None:
    lifecycle.finish_survey(rehearsal, owner, NOW)
    made.publish(run_of(rehearsal, owner), reviewer)
    (row,) = ledger.list_disclosures(rehearsal, DisclosureKind.REPORT)
    assert row.tables["told"]


def test_a_rehearsal_has_no_truth_beside_what_may_not_be_told(
    owner: Person, reviewer: Person, broker: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nine are in Cee, and Bee is withheld with it."""
    cells = [(age, town, (40, 30, 3)[town]) for age in range(3) for town in range(3)]
    design = plain_design(open_answers=False, rehearsal=True)
    survey = plain_survey(owner, disguised_rows(*cells), of=design)
    monkeypatch.setattr(KnownShares, "__call__", lambda *_items, **_among: 0.5)
    review = run_of(survey, owner)
    made.publish(review, reviewer, ["age", "town"])
    content = read_published_content.published_report_without_rules(review)
    known = {one.items[0]: one.truth for one in content.shares if one.items[0].startswith("town")}
    assert known == {"town=Aa": 0.5, "town=Bee": None, "town=Cee": None}
    (by_town,) = [table for table in content.groups if table.question == "town"]
    assert [cell.truth for cell in by_town.rows[0].cells] == [0.5, None, None]
