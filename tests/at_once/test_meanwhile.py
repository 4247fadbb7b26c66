"""What was read before somebody else acted is asked again under the lock, and what is gone is said to be gone."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from deposits.views import DepositForm, hand_over_deposit, proposed_metadata
from intake.recordfiles.download import hand_over_file
from intake.rehearsal import respondent_simulation
from intake.rehearsal.models import Simulation
from releases.lifecycle import making_job
from releases.specification import save_specification
from reports.models import Decision, Publication
from reports.review import report_state_changes, rule_decisions
from reports.review.report_page_data import published_page
from runs.models import Run
from surveys.lifecycle import due_surveys, reviewer_approvals, state_changes
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.at_once import worlds
from tests.at_once.test_pairs import Statements
from tests.at_once.worlds import address_of, destroy_as_due
from tests.deposits.conftest import FORM
from tests.releases.conftest import draft_of_survey

pytestmark = [pytest.mark.page, pytest.mark.django_db]


def destroy(world: worlds.World) -> None:
    state_changes.destroy_survey(Survey.objects.get(pk=world.survey.pk), world.owner, timezone.now())


@pytest.mark.parametrize("at", [12, 24, 36])
def test_page_answers_404_if_its_survey_is_deleted_while_it_is_made(at: int) -> None:
    world = worlds.reviewable_world()
    address, client = (
        address_of(world, "admin/reports/review/{run}/publish"),
        world.client(world.reviewers[0]),
    )
    with connection.execute_wrapper(Statements(at, lambda: destroy(world), is_serial=True)):
        answer = client.get(address)
    assert not Run.objects.filter(survey=world.survey).exists()
    assert answer.status_code in (200, 404)
    assert client.get(address).status_code == 404


def rejecting_all_rules() -> tuple[worlds.World, Callable[[], object]]:
    world = worlds.reviewable_world()
    review, reviewer = worlds.review_of(world), world.reviewers[0]
    rules = rule_decisions.rules_with_verdicts(review.run)
    reject = Decision.Verdict.REJECT
    return world, lambda: rule_decisions.decide_rules(review, reviewer, rules, reject, "", timezone.now())


def saving_specification() -> tuple[worlds.World, Callable[[], object]]:
    world = worlds.releasable_world()
    draft = draft_of_survey(world.survey, world.owner, "age", k=12)
    text, now = draft.specification, timezone.now()
    return world, lambda: save_specification.save_specification(draft, world.owner, text, now)


def making_table() -> tuple[worlds.World, Callable[[], object]]:
    world = worlds.releasable_world()
    draft = draft_of_survey(world.survey, world.owner, "age", k=12)
    return world, lambda: making_job.start_release_making(draft, world.owner, timezone.now())


@pytest.mark.parametrize("prepare", [rejecting_all_rules, saving_specification, making_table])
def test_nobody_is_told_404_of_what_was_stored_before_the_survey_was_deleted(
    prepare: Callable[[], tuple[worlds.World, Callable[[], object]]],
) -> None:
    """The survey is deleted before the first statement after the transaction, if there is one."""
    world, store = prepare()
    outside, is_over = len(connection.savepoint_ids), False

    def delete_after_transaction(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal is_over
        if is_over:
            is_over = False
            destroy(world)
        result = execute(sql, params, many, context)
        is_over |= sql.startswith("RELEASE") and len(connection.savepoint_ids) == outside
        return result

    with connection.execute_wrapper(delete_after_transaction):
        store()
    assert is_over


def test_report_published_meanwhile_is_not_run_again() -> None:
    world = worlds.reviewable_world()
    read_before = worlds.review_of(world)
    report_state_changes.publish(worlds.review_of(world), world.reviewers[0], (), "", timezone.now())
    with pytest.raises(NotAllowed, match="published already"):
        report_state_changes.run_again(read_before, world.reviewers[1], timezone.now())
    assert Run.objects.filter(survey=world.survey).count() == 1


def test_records_leave_only_while_the_approval_stands() -> None:
    world, now = worlds.approved_world(), timezone.now()
    list(hand_over_file(world.survey, world.owner, "csv", "en", now, permission="download"))
    fingerprint = str(world.survey.design_id)
    reviewer_approvals.decide_approval(
        world.survey, world.reviewers[1], "records", fingerprint, allow=False, reason="No.", now=now
    )
    with pytest.raises(NotAllowed, match="No reviewer approves any longer"):
        hand_over_file(world.survey, world.owner, "csv", "en", now, permission="download")


def test_report_withdrawn_meanwhile_is_not_deposited() -> None:
    world = worlds.published_world()
    report = published_page(world.owner, worlds.review_of(world).pk)
    form = DepositForm(report.design.languages, FORM, offers_records=False)
    assert form.is_valid()
    report_state_changes.withdraw(worlds.review_of(world), world.reviewers[0], "Forged.", "", timezone.now())
    with pytest.raises(NotAllowed, match="Only the owner of a survey deposits its published report"):
        hand_over_deposit(report, world.owner, form, False, timezone.now())


def test_report_deleted_meanwhile_has_no_deposit() -> None:
    world = worlds.published_world()
    report = published_page(world.owner, worlds.review_of(world).pk)
    destroy(world)
    with pytest.raises(Publication.DoesNotExist):
        proposed_metadata(report)


def test_rehearsal_deleted_meanwhile_simulates_nobody() -> None:
    world = worlds.rehearsal_world()
    read_before = Survey.objects.get(pk=world.survey.pk)
    state_changes.close_survey(world.survey, world.owner, timezone.now())
    destroy(world)
    with pytest.raises(NotAllowed, match="only in an open rehearsal"):
        respondent_simulation.start_simulation(read_before, world.owner, 30, timezone.now())
    assert not Simulation.objects.exists()


def test_survey_opened_or_deleted_meanwhile_gets_no_decision() -> None:
    world = worlds.draft_world()
    fingerprint = reviewer_approvals.current_fingerprint(world.survey, "weak")
    destroy(world)
    now, refusal = timezone.now(), "was changed while you read it"
    with pytest.raises(NotAllowed, match=refusal):
        reviewer_approvals.request_approval(world.survey, world.owner, "weak", fingerprint, "", now)
    with pytest.raises(NotAllowed, match=refusal):
        reviewer_approvals.decide_approval(
            world.survey, world.reviewers[0], "weak", fingerprint, allow=True, reason="", now=now
        )


def test_due_survey_is_deleted_although_somebody_closes_it_meanwhile() -> None:
    world, now = worlds.open_world(), timezone.now()
    read_before = Survey.objects.get(pk=world.survey.pk)
    state_changes.close_survey(world.survey, world.owner, now)
    due_surveys.destroy_survey_in_any_state(read_before, now)
    assert read_before.state == Survey.State.DESTROYED


def test_simulation_stops_when_its_rehearsal_is_deleted() -> None:
    world = worlds.rehearsal_world()
    # Before the second statement: the first has read that the rehearsal is open.
    statements = Statements(2, lambda: destroy_as_due(world), is_serial=True)
    with connection.execute_wrapper(statements), pytest.raises(NotAllowed, match="only in an open rehearsal"):
        respondent_simulation.simulate(world.survey, 30, seed=1)
    assert statements.is_over
    assert worlds.leftovers_of_deleted_survey(Survey.objects.get(pk=world.survey.pk)) == []


def test_inviting_to_a_survey_deleted_meanwhile_is_reported() -> None:
    world = worlds.open_world()
    due_surveys.destroy_survey_in_any_state(world.survey, timezone.now())
    address, sent = address_of(world, "surveys/{survey}/people"), {"who": "new@example.org"}
    answer = world.client(world.owner).post(address, sent, follow=True)
    assert "This survey has been deleted. You cannot change it." in answer.content.decode()
