"""Every door asks the ledger and writes one row in it, and a row outlives what it is about."""

from itertools import product

import numpy as np
import pytest
from django.urls import reverse

from accounts.insert_only_tables import InsertOnlyViolation
from accounts.models import Person
from intake.batches import automatic_sealing, sealing
from intake.disclosure import ledger
from intake.disclosure.attack_on_all_disclosures import attack_all_disclosures, record_counts_known_to_readers
from intake.disclosure.ledger import ProposedDisclosure
from intake.disclosure.models import Disclosure, DisclosureKind, Population
from intake.disclosure.record_selection import current_population
from intake.models import Inbox
from intake.recordfiles.download import hand_over_file
from mining.disclosure import open_record_tables
from mining.disclosure.attacker import DISGUISED, KEPT, AttackedRecords, PublishedTotal, SmallestCount
from mining.parameters import Parameters
from releases.lifecycle import release_decisions
from releases.lifecycle.release_disclosure_check import LOST
from reports.models import Decision, Review
from reports.review import read_published_content, report_state_changes, rule_decisions
from runs import run_start
from runs.models import Run
from surveys.lifecycle import record_counts, state_changes as lifecycle
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests import servers
from tests.cast import As
from tests.conftest import Migrated, migrate
from tests.jobs.conftest import broker
from tests.releases.conftest import (
    disguised_rows,
    draft_of_survey,
    everybody,
    made_release,
    open_rows,
    plain_design,
    plain_survey,
    seal_rows,
)
from tests.runs import sealed
from tests.surveys.conftest import NOW, update_row

__all__ = ["broker", "migrate"]
pytestmark = pytest.mark.page
ALONE = Parameters(0.1, 0.3)


@pytest.fixture
def survey(owner: Person) -> Survey:
    """30 of each age and town chose disguise, and 20 did not."""
    return plain_survey(owner, everybody(30) + open_rows(disguised_rows((0, 0, 20))))


def make_waiting_report(of: Survey, owner: Person) -> Review:
    """It waits for reviewers."""
    sealed.work(run_start.start_mining_run(of, owner, ALONE, NOW, mlxtend="never"))
    report_state_changes.create_reviews_of_finished_runs(NOW)
    return Review.objects.with_surveys().latest("pk")


def report(of: Survey, owner: Person, reviewer: Person) -> Review:
    """It is published."""
    review = make_waiting_report(of, owner)
    rules = rule_decisions.rules_with_verdicts(review.run)
    if rules.exists():
        rule_decisions.decide_rules(review, reviewer, rules, Decision.Verdict.ACCEPT, "", NOW)
    report_state_changes.publish(review, reviewer, ["age"], "", NOW)
    return review


def ledger_entries(of: Survey) -> list[tuple[str, str]]:
    return list(Disclosure.objects.filter(survey=of).values_list("door", "population"))


def test_each_disclosure_writes_one_ledger_row(survey: Survey, owner: Person, reviewer: Person) -> None:
    report(survey, owner, reviewer)
    list(hand_over_file(survey, owner, "csv", "en", NOW))
    list(hand_over_file(survey, owner, "parquet", "en", NOW))
    made_release(draft_of_survey(survey, owner, "age"), owner)
    lifecycle.finish_survey(survey, owner, NOW)
    report(survey, owner, reviewer)
    list(hand_over_file(survey, owner, "csv", "en", NOW))
    before, after = ("report", "records", "release"), ("finishing", "report", "records")
    assert ledger_entries(survey) == [
        *((door, "disguised") for door in before),
        *((door, "used") for door in after),
    ]
    numbers = list(Disclosure.objects.filter(survey=survey).values_list("number", flat=True))
    assert numbers == list(range(1, 7))


def test_report_row_names_its_tables_until_the_survey_is_deleted(
    survey: Survey, owner: Person, reviewer: Person
) -> None:
    review = report(survey, owner, reviewer)
    (row,) = ledger.list_disclosures(survey)
    assert row.key == f"run {Run.objects.get().pk}"
    assert [0] in row.tables["told"]
    assert [] in row.tables["told"]
    (ages,) = [table for table in row.tables["tables"] if table["questions"] == [0]]
    assert ages["counts"] == [90, 90, 90]
    assert len(row.digest) == 64
    # What is withdrawn counts as told.
    report_state_changes.withdraw(review, reviewer, "A mistake.", "", NOW)
    assert [one.door for one in ledger.list_disclosures(survey)] == ["report"]
    lifecycle.destroy_survey(survey, owner, NOW)
    assert not Disclosure.objects.exists()


def test_all_disclosures_use_one_choice_of_open_records(
    survey: Survey, owner: Person, reviewer: Person
) -> None:
    """Decided when the survey is finished: 20 of one pattern, so all of them."""
    lifecycle.finish_survey(survey, owner, NOW)
    kept = Disclosure.objects.get(door=DisclosureKind.FINISHING).kept
    assert (kept["disguised"], kept["open"], kept["kept"]) == (270, 20, 20)
    review = report(survey, owner, reviewer)
    assert (review.run.disguised, review.run.n_open) == (270, 20)
    assert read_published_content.published_report_without_rules(review).about.left_out == 0


def test_lost_ledger_rows_block_disclosures_of_plain_and_open_answers(
    survey: Survey, owner: Person, reviewer: Person
) -> None:
    report(survey, owner, reviewer)
    checked = made_release(draft_of_survey(survey, owner, "age"), owner)
    told = ledger.last_disclosure_numbers()
    ledger.note_lost_rows(survey, 0, NOW)
    assert ledger.last_disclosure_numbers() == {survey.slug: told[survey.slug] + 1}
    with pytest.raises(NotAllowed, match="after the backup that was restored"):
        release_decisions.approve(checked, reviewer, "", NOW)
    release = made_release(draft_of_survey(survey, owner, "age"), owner)
    assert (release.state, release.problem["words"]) == ("refused", [word.as_json() for word in LOST])
    lifecycle.finish_survey(survey, owner, NOW)
    run = report(survey, owner, reviewer).run
    assert (run.disguised, run.n_open, run.stored_verdict.told) == (270, 0, frozenset())


def test_refused_release_enters_no_disclosure(survey: Survey, owner: Person, reviewer: Person) -> None:
    """After a report it leaves a ledger that can be read."""
    places = product(range(3), range(3))
    few = disguised_rows(*((age, town, 5 if age == town == 0 else 20) for age, town in places))
    thin = plain_survey(owner, few)
    for question in ("age", "town"):
        made_release(draft_of_survey(thin, owner, question), owner)
    assert [door for door, _population in ledger_entries(thin)] == ["release", "refusal"]
    assert [one.door for one in ledger.list_disclosures(thin)] == ["release"]
    release = made_release(draft_of_survey(survey, owner, "age"), owner)
    before = report(survey, owner, reviewer).run.stored_verdict
    release_decisions.refuse(release, reviewer, "Too fine.", NOW)
    assert [door for door, _population in ledger_entries(survey)] == ["refusal", "report"]
    assert [one.door for one in ledger.list_disclosures(survey)] == ["report"]
    assert report(survey, owner, reviewer).run.stored_verdict.told == before.told


def with_open(owner: Person, *batches: int) -> Survey:
    """By batch 270 who chose disguise, and so many who did not."""
    open_of = [open_rows(disguised_rows((0, 0, n))) for n in batches]
    return plain_survey(owner, *(everybody(30) + rows for rows in open_of))


@pytest.mark.parametrize(("n", "records"), [(3, [260, 279]), (30, [300, 319])])
def test_ledger_row_bounds_the_records_as_the_page_does(owner: Person, n: int, records: list[int]) -> None:
    survey = with_open(owner, n)
    list(hand_over_file(survey, owner, "csv", "en", NOW))
    assert Disclosure.objects.get().tables["records"] == records
    assert record_counts.shown_counts_of_survey(survey).sealed == records[0]


def test_first_batch_that_a_closing_may_have_sealed_is_known_to_a_tenth(owner: Person) -> None:
    # 36 of 50: the eighth tenth. A full survey has as many records as its cap.
    assert ledger.record_count_bounds(plain_survey(owner, everybody(4)), 1) == (35, 39)
    full = plain_survey(owner, everybody(5))
    full.cap = 45
    assert ledger.record_count_bounds(full, 1) == (45, 45)


@pytest.mark.night
def test_report_that_shows_few_open_people_waits_for_the_next_batch(owner: Person, reviewer: Person) -> None:
    few = "how few people chose no disguise: 0 to 9, in batch"
    survey = with_open(owner, 3)
    with pytest.raises(NotAllowed, match=f"{few} 1"):
        report(survey, owner, reviewer)
    assert not Disclosure.objects.filter(door=DisclosureKind.REPORT).exists()
    seal_rows(survey, everybody(30) + open_rows(disguised_rows((0, 0, 30))))
    report(survey, owner, reviewer)
    # So does one beside an earlier one: 300 to 319 in all, then 560 to 579.
    survey = with_open(owner, 30)
    report(survey, owner, reviewer)
    seal_rows(survey, everybody(30))
    proposed = ProposedDisclosure(DisclosureKind.REPORT, "run 9", "Run 9", 2, "disguised")
    spans = attack_all_disclosures(survey, proposed).open_people
    found = [(span.first_batch, span.last_batch, span.low, span.high) for span in spans]
    assert found == [(1, 1, 30, 39), (1, 2, 30, 39), (2, 2, 0, 9)]
    with pytest.raises(NotAllowed, match=f"{few} 2"):
        report(survey, owner, reviewer)


def test_few_open_people_are_allowed_after_the_end(owner: Person, reviewer: Person) -> None:
    """There is no next report; neither it nor the page tells exactly how many they were."""
    survey = with_open(owner, 3)
    lifecycle.finish_survey(survey, owner, NOW)
    report(survey, owner, reviewer)
    assert Disclosure.objects.get(door=DisclosureKind.REPORT).tables["records"] == [260, 279]
    assert record_counts.shown_counts_of_survey(survey).sealed == 260


@pytest.mark.parametrize(("n", "follows"), [(9, True), (7, False)])
def test_attack_finds_too_few_open_people_in_use(
    owner: Person, monkeypatch: pytest.MonkeyPatch, n: int, follows: bool
) -> None:
    """Were eight enough to be used: a report tells how many they are. Of fewer none is used, and nothing is told."""
    monkeypatch.setattr(open_record_tables, "LEAST", 8)
    survey = with_open(owner, n)
    lifecycle.finish_survey(survey, owner, NOW)
    proposed = ProposedDisclosure(DisclosureKind.REPORT, "run 1", "Run 1", 1, Population.USED)
    found = attack_all_disclosures(survey, proposed)
    assert found.smallest == (SmallestCount(9, "kept", (), 1, 1) if follows else None)
    assert found.reveals_few is follows


def test_publishing_page_shows_inferable_open_people(
    owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    review = make_waiting_report(with_open(owner, 30), owner)
    page = signed_in_as(reviewer).get(reverse("admin:reports_review_publish", args=[review.pk])).text
    assert "<li>30 to 49, in batch 1</li>" in page


def test_ledger_row_is_immutable_and_its_batch_not_merged_across(survey: Survey, owner: Person) -> None:
    list(hand_over_file(survey, owner, "csv", "en", NOW))
    row = Disclosure.objects.get()
    for change in (row.save, row.delete, lambda: Disclosure.objects.update(last_batch=9)):
        with pytest.raises(InsertOnlyViolation):
            change()
    seal_rows(survey, everybody(3))
    assert ledger.last_batches_of_disclosures(survey.pk) == {1}


def test_rehearsal_uses_all_records_and_stores_its_disclosures(owner: Person) -> None:
    survey = plain_survey(owner, everybody(30), of=plain_design(rehearsal=True))
    assert current_population(survey) == Population.USED
    list(hand_over_file(survey, owner, "csv", "en", NOW))
    lifecycle.finish_survey(survey, owner, NOW)
    assert [door for door, _population in ledger_entries(survey)] == ["records", "finishing"]


def test_closed_survey_is_finished_once_and_seals_nothing_more(survey: Survey, owner: Person) -> None:
    with pytest.raises(NotAllowed, match="Close it first"):
        lifecycle.finish_survey(update_row(survey, state=Survey.State.OPEN), owner, NOW)
    assert not Disclosure.objects.exists()
    lifecycle.finish_survey(update_row(survey, state=Survey.State.CLOSED), owner, NOW)
    with pytest.raises(NotAllowed, match="done already"):
        lifecycle.finish_survey(survey, owner, NOW)
    with pytest.raises(NotAllowed, match="stays closed"):
        lifecycle.reopen_survey(survey, owner, NOW)
    Inbox.objects.bulk_create(Inbox(survey=survey, record=b"1000") for _ in range(50))
    assert sealing.seal_records(survey.pk, seals_all=True) == 0
    automatic_sealing.on_tick(NOW)
    assert Disclosure.objects.count() == 1


def test_run_from_before_finishing_stays_with_disguised_people(survey: Survey, owner: Person) -> None:
    before = run_start.start_mining_run(survey, owner, ALONE, NOW)
    lifecycle.finish_survey(survey, owner, NOW)
    assert sealed.work(before).n_open == 0
    again = run_start.repeat_run(before, owner, NOW)
    assert (again.population, sealed.work(again).n_open) == (Population.DISGUISED, 0)


def test_repeated_disclosure_is_entered_once(survey: Survey, owner: Person) -> None:
    for door in (DisclosureKind.REPORT, DisclosureKind.RELEASE):
        telling = ProposedDisclosure(door, "run 1", "Run 1", 1, Population.DISGUISED)
        for _ in range(2):
            ledger.write_disclosure(survey, telling, owner, NOW)
        assert Disclosure.objects.filter(door=door).count() == 1
        ledger.replace_unpublished_by_refusal(survey, door, "run 1")
        assert not ledger.list_disclosures(survey)


@pytest.mark.parametrize("answer", [0, pytest.param(1, marks=pytest.mark.night)])
def test_open_people_are_not_disclosed_before_finishing(owner: Person, reviewer: Person, answer: int) -> None:
    """Two surveys that differ in the open people alone give equal reports, files and releases."""
    found = []
    for opened in ([(0, 0, 0, answer)] * 25, [(0, 2, 1, 1 - answer)] * 40):
        survey = plain_survey(owner, [*everybody(30), *opened])
        review = report(survey, owner, reviewer)
        content = read_published_content.published_report_without_rules(review)
        rules = read_published_content.published_rule_nodes(review)
        release = made_release(draft_of_survey(survey, owner, "age"), owner)
        row = Disclosure.objects.get(survey=survey, door=DisclosureKind.REPORT)
        # What the page tells of the records in all is no part of the report.
        tables = {name: table for name, table in row.tables.items() if name != "records"}
        found.append((content.shares, content.groups, rules, release.report["records"], tables))
    assert found[0] == found[1]


# --- Two doors of one survey at the same moment, on PostgreSQL

PAIRS = """
from threading import Barrier, Thread
from django.db import connection, transaction
from django.utils import timezone
from intake.disclosure import ledger
from intake.disclosure.ledger import ProposedDisclosure
from intake.disclosure.models import Disclosure, DisclosureKind
from accounts.models import Person
from surveys.models import Survey
from tests.releases.conftest import everybody, plain_survey
owner = Person.objects.create(username="owner", email="owner@x.org")
def tell(survey, door, barrier):
    barrier.wait()
    try:
        with transaction.atomic():
            locked = Survey.objects.get_locked_while_records_arrive(survey.pk)
            # Each may be told alone, and neither beside the other.
            if not ledger.list_disclosures(locked):
                proposed = ProposedDisclosure(door, str(door), "", 1, "disguised")
                ledger.write_disclosure(locked, proposed, owner, timezone.now())
    finally:
        connection.close()
for number in range(50):
    survey, barrier = plain_survey(owner, everybody(3)), Barrier(2)
    kinds = DisclosureKind.REPORT, DisclosureKind.RECORDS
    doors = [Thread(target=tell, args=(survey, kind, barrier)) for kind in kinds]
    [door.start() for door in doors]
    [door.join() for door in doors]
print(Disclosure.objects.count(), Disclosure.objects.values("survey").distinct().count())
"""


@pytest.mark.server
def test_simultaneous_disclosures_see_each_other(migrate: Migrated) -> None:
    said = servers.manage(migrate("ledger"), "shell", "--verbosity=0", "-c", PAIRS)
    assert said.split()[-2:] == ["50", "50"]


def test_readers_know_how_many_records_lie_between_disclosures(survey: Survey) -> None:
    told = [Disclosure(last_batch=last, tables={"records": [60 * last, 60 * last + 59]}) for last in (1, 3)]
    pages = [PublishedTotal(0, 1, 60, 119), PublishedTotal(0, 3, 180, 239)]
    least = survey.least
    most = least + least // 2
    # A batch has at most half as many records again as the least; larger ones were sealed under load or at a closing.
    for more in (0, 1):
        batch = np.repeat([1, 2, 3], [most, most, most + more])
        population = np.where(np.arange(len(batch)) < 10, KEPT, DISGUISED)
        truth = AttackedRecords(plain_design(), {}, population, batch)
        disguised, totals = record_counts_known_to_readers(survey, told, truth)
        assert disguised == {1: most - 10, 3: len(batch) - 10}
        between = [
            PublishedTotal(0, 1, least, most),
            PublishedTotal(0, 3, 3 * least, None if more else 3 * most),
            PublishedTotal(1, 3, 2 * least, None if more else 2 * most),
        ]
        assert totals == [*pages, *between]
