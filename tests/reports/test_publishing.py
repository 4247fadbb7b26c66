"""A report waits, its rules are decided, it is published and withdrawn; what is stored then, and who gets a letter."""

from collections.abc import Callable

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.insert_only_tables import InsertOnlyViolation
from accounts.models import History, Person
from intake.models import Sweep
from reports.models import Decision, Publication, Review
from reports.review import read_published_content, report_state_changes, rule_decisions
from reports.review.rule_decisions import rules_with_verdicts
from runs.models import Run
from surveys import triggers
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.reports import made
from tests.reports.conftest import SITE, Sent, decide
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page

ACCEPT, REJECT, MORE, _UNDECIDED = Decision.Verdict


def publish(review: Review, person: Person, *groups: str) -> Publication:
    return report_state_changes.publish(review, person, groups, SITE, NOW)


def verdicts(run: Run) -> list[str | None]:
    return list(rules_with_verdicts(run).order_by("place").values_list("verdict", flat=True))


def test_a_run_that_is_done_waits_for_a_reviewer_once(run: Run) -> None:
    for state in ("queued", "failed", "cancelled"):
        Run.objects.update(state=state, finished=None if state == "queued" else NOW)
        report_state_changes.create_reviews_of_finished_runs(NOW)
        assert not Review.objects.exists(), state
    Run.objects.update(state="done", finished=NOW)
    for _time in range(2):
        report_state_changes.create_reviews_of_finished_runs(NOW)
    review = Review.objects.get()
    assert (review.run, review.state, review.since) == (run, "waiting", NOW)
    assert History.objects.filter(what="reports.waiting").count() == 1


def test_reviewers_get_a_letter_about_a_waiting_report(
    run: Run, reviewer: Person, partial: Person, stranger: Person, emails_sent_by: Sent
) -> None:
    (letter,) = emails_sent_by(lambda: report_state_changes.create_reviews_of_finished_runs(NOW))
    assert letter.to == ["reviewer@example.org"]
    assert letter.subject == "Report to review: Work & health"
    assert "Dear Ruth Reviewer," in letter.body


def test_of_several_decisions_the_last_counts_and_all_are_kept(review: Review, reviewer: Person) -> None:
    # The first takes the report into review.
    assert decide(review, reviewer, ACCEPT, 1) == 1
    assert review.state == "in-review"
    assert verdicts(review.run) == ["accept", None, None, None]
    for verdict in (MORE, REJECT):
        decide(review, reviewer, verdict, 1, 2)
    decide(review, reviewer, ACCEPT, 2)
    assert verdicts(review.run) == ["reject", "accept", None, None]
    assert Decision.objects.count() == 6
    counts = rule_decisions.count_by_verdict(review.run)
    assert counts == {"accept": 1, "reject": 1, "more_data": 0, "undecided": 2}


def test_a_decision_that_is_sent_again_is_stored_once(review: Review, reviewer: Person) -> None:
    """With another note, or after one on several rules, it is stored again. The history does not say what was found,
    nor how many rules there are: people who work on the survey read it before the report is published."""
    assert [decide(review, reviewer, ACCEPT, 1, note="Plausible.") for _time in range(2)] == [1, 1]
    assert Decision.objects.count() == 1
    decide(review, reviewer, ACCEPT, 1)
    decide(review, reviewer, REJECT, 1, 2, 3)
    decide(review, reviewer, REJECT, 1)
    assert Decision.objects.count() == 1 + 1 + 3 + 1
    said = History.objects.about(review.survey).filter(who=reviewer).order_by("pk")
    run = f"Run {review.run.number}."
    assert [(act.what, act.note) for act in said] == [
        ("reports.accepted", f"{run} Plausible."),
        ("reports.accepted", run),
        ("reports.rejected", run),
        ("reports.rejected", run),
    ]


def test_nobody_decides_on_or_publishes_a_survey_that_they_work_on(
    review: Review, reviewer: Person, partial: Person, owner: Person, superuser: Person
) -> None:
    for person in (partial, owner, superuser):
        with pytest.raises(NotAllowed, match="own, work on or have worked on"):
            decide(review, person, ACCEPT, 1)
        with pytest.raises(NotAllowed):
            publish(review, person)
    with pytest.raises(NotAllowed, match="No rule is selected"):
        decide(review, reviewer, ACCEPT)
    assert not Decision.objects.exists()
    assert not Publication.objects.exists()
    assert Review.objects.get().state == "waiting"


def test_a_decision_is_never_rewritten(review: Review, reviewer: Person) -> None:
    decide(review, reviewer, REJECT, 1)
    decision = Decision.objects.get()
    decision.verdict = ACCEPT
    acts: tuple[Callable[[], object], ...] = (
        decision.save,
        decision.delete,
        lambda: Decision.objects.update(verdict=ACCEPT),
    )
    for act in acts:
        with pytest.raises(InsertOnlyViolation):
            act()
    # The database refuses it too.
    publish(review, reviewer)
    for statement in (
        "UPDATE reports_decision SET verdict = 'accept'",
        "INSERT OR REPLACE INTO reports_decision SELECT * FROM reports_decision",
        "UPDATE reports_publication SET content = '{}'",
    ):
        with (
            pytest.raises(IntegrityError, match="append-only"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
    # A trigger that somebody removed is missed and made anew.
    for table in ("reports_decision", "reports_publication"):
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TRIGGER {table}_no_update")
        assert triggers.missing_triggers(connection) == {table: [f"{table}_no_update"]}
        triggers.restore_triggers()
        assert triggers.missing_triggers(connection) == {}


def test_publication_holds_single_answers_and_accepted_rules(review: Review, reviewer: Person) -> None:
    decide(review, reviewer, ACCEPT, 1)
    decide(review, reviewer, REJECT, 2)
    decide(review, reviewer, MORE, 3)
    publish(review, reviewer)
    found = read_published_content.published_report_without_rules(review)
    assert review.state == "published"
    assert [share.items for share in found.shares] == [(name,) for name in made.ITEMS]
    assert [rule.number for rule in read_published_content.published_rule_nodes(review)] == [1]
    assert [one.items for one in found.itemsets] == [("late=yes",), ("theft=yes",), ("theft=yes", "late=yes")]
    assert [pair.items for pair in found.pairs] == [("theft=yes", "late=yes")]
    assert found.groups == ()
    assert found.left_out
    assert vars(found.left_out) == {"rejected": 1, "more_data": 1, "undecided": 1}
    entry = History.objects.about(review.survey).get(what="reports.published")
    assert (entry.who, entry.note) == (reviewer, f"Run {review.run.number}, 1 rule.")


def test_nothing_of_a_rule_that_was_not_accepted_is_stored_as_published(
    review: Review, reviewer: Person
) -> None:
    decide(review, reviewer, ACCEPT, 1)
    publication = publish(review, reviewer)
    stored = str(publication.content) + str(publication.rules)
    assert "0.72" in stored
    for unpublished in ("0.45", "1.04", "0.11"):
        assert unpublished not in stored


def test_without_an_accepted_rule_there_are_shares(review: Review, reviewer: Person) -> None:
    publish(review, reviewer, "age")
    found = read_published_content.published_report_without_rules(review)
    assert (read_published_content.published_rule_nodes(review), found.itemsets, found.pairs) == ((), (), ())
    assert len(found.shares) == 8
    (table,) = found.groups
    assert (table.question, table.classes) == ("age", ("age=18-39", "age=40+"))
    assert [cell.share for cell in table.rows[0].cells] == [0.35, 0.18]
    assert table.rows[2].cells[1].share is None


def test_one_of_two_simultaneous_publications_succeeds(review: Review, reviewer: Person) -> None:
    stale = Review.objects.with_surveys().get()
    publish(review, reviewer)
    with pytest.raises(NotAllowed, match="published already"):
        publish(stale, reviewer)
    with pytest.raises(NotAllowed, match="published or withdrawn"):
        decide(stale, reviewer, ACCEPT, 1)
    assert Publication.objects.count() == 1


def test_survey_members_get_a_letter_on_publication(
    review: Review, reviewer: Person, viewer: Person, emails_sent_by: Sent
) -> None:
    def roll_back() -> None:
        with transaction.atomic():
            publish(Review.objects.with_surveys().get(), reviewer)
            transaction.set_rollback(True)

    assert emails_sent_by(roll_back) == []
    found = emails_sent_by(lambda: publish(review, reviewer))
    assert [letter.to for letter in found] == [["owner@example.org"], ["viewer@example.org"]]
    assert found[0].subject == "A report is published: Work & health"
    assert f"{SITE}/app/reports/{review.pk}/" in found[0].body


def test_report_is_withdrawn_with_a_reason(
    review: Review, reviewer: Person, partial: Person, emails_sent_by: Sent
) -> None:
    with pytest.raises(NotAllowed, match="not published"):
        report_state_changes.withdraw(review, reviewer, "No.", SITE, NOW)
    publish(review, reviewer)
    # Not by somebody who works on the survey.
    with pytest.raises(NotAllowed):
        report_state_changes.withdraw(review, partial, "No.", SITE, NOW)
    assert Review.objects.get().state == "published"
    letter, _ = emails_sent_by(
        lambda: report_state_changes.withdraw(review, reviewer, "Forged records.", SITE, NOW)
    )
    assert (review.state, review.reason) == ("withdrawn", "Forged records.")
    entry = History.objects.about(review.survey).get(what="reports.withdrawn")
    assert entry.note == f"Run {review.run.number}. Forged records."
    assert "Forged records." in letter.body
    assert "models" not in letter.body
    with pytest.raises(NotAllowed, match="withdrawn already"):
        report_state_changes.withdraw(review, reviewer, "Again.", SITE, NOW)
    with pytest.raises(NotAllowed, match="Start the run again"):
        publish(review, reviewer)


def test_findings_are_deleted_with_the_survey(
    review: Review, reviewer: Person, survey: Survey, owner: Person
) -> None:
    decide(review, reviewer, ACCEPT, 1)
    publish(review, reviewer, "age")
    lifecycle.close_survey(survey, owner, NOW)
    lifecycle.destroy_survey(survey, owner, NOW)
    for table in (Review, Decision, Publication):
        assert not table.objects.exists()
        assert Sweep.objects.filter(table=table._meta.db_table).exists()
