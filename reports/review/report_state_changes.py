"""Changes the state of a report: waiting, in review, published, withdrawn.

Each change is one conditional UPDATE (the first an INSERT under a unique key), so that only one of two concurrent
changes succeeds. It adds a line to the history, and sends e-mails after the commit.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.dispatch import Signal
from django.utils.translation import gettext as _, ngettext

from accounts.activity_log import log_activity
from intake.batches.overwrite_deleted import schedule_overwriting
from intake.disclosure import ledger
from intake.disclosure.ledger import ProposedDisclosure, content_digest
from intake.disclosure.models import DisclosureKind
from jobs.models import State as JobState
from mining.disclosure.attacker import AttackResult
from mining.nodes.report_nodes import (
    LeftOut,
    Report,
    content_without_rules,
    report_to_json,
    sort_itemsets,
    sort_rules,
)
from reports.answer_labels import Labels
from reports.models import Decision, ModelDecision, ModelPublication, Publication, Review
from reports.review import (
    build_content,
    differencing_check,
    regression_decisions as judging,
    report_emails,
    rule_decisions,
)
from reports.review.disclosure_recheck import require_same_disclosure
from reports.review.joint_disclosure_check import refuse_if_attack_succeeds, reword_refusal_for_rehearsal
from runs import run_start
from runs.mlxtend_check_sentence import CheckState, CheckStatus
from runs.models import ModelJob, Run
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from ui.number_format import format_count

if TYPE_CHECKING:
    from accounts.models import Person

State = Review.State

report_published = Signal()
"""Signal sent with `review` and `now` inside the transaction that publishes the report."""


def create_reviews_of_finished_runs(now: datetime) -> None:
    """Creates a review for each finished run that has none."""
    done = Run.objects.filter(state=JobState.DONE, review__isnull=True).select_related("survey")
    for run in done.order_by("pk"):
        with transaction.atomic():
            if not Run.objects.lock(run.pk):
                continue
            review, is_new = Review.objects.get_or_create(run=run, defaults={"since": now})
            if is_new:
                rule_decisions.copy_decisions(review, now)
                log_activity(None, "reports.waiting", run.survey, note=f"{run}.", when=now)
                transaction.on_commit(partial(report_emails.send_waiting, review))


def publish(
    review: Review,
    person: "Person",
    group_questions: Sequence[str],
    site: str,
    now: datetime,
    seen: str | None = None,
) -> Publication:
    """Publishes a report: shares, also in the classes of `group_questions`, accepted rules and accepted models.

    `seen` is the `decisions_digest` that the person's page showed; raises NotAllowed if decisions have changed since.
    """
    run = review.run
    with transaction.atomic():
        # Two publications are compared one after the other, so that neither misses the other.
        Survey.objects.get_locked_while_records_arrive(run.survey_id)
        Review.objects.get_locked(review.pk)
        basis = review.require_reviewer(person)
        # As it is stored now: a check may have ended since the report was read.
        state = CheckStatus(Run.objects.get(pk=run.pk)).state
        if state == CheckState.DIFFERS:
            raise NotAllowed(
                _(
                    "mlxtend finds something else than Candor in the same records, so one of them is wrong. Nothing is "
                    "published before somebody knows which: tell the operator."
                )
            )
        if state == CheckState.CHANGED:
            raise NotAllowed(
                _(
                    "Numbers of this run have changed since they were checked, so nothing is published. Check it again "
                    "or, if that does not help, repeat the run."
                )
            )
        _change_state(review, Review.TO_DECIDE, State.PUBLISHED, now)
        if seen is not None and seen != decisions_digest(run):
            raise NotAllowed(
                _(
                    "Decisions on this report have changed since you opened this page. Look at them, then publish."
                )
            )
        made, telling, _attack = build_and_attack_publication(run, group_questions)
        whole = report_to_json(made)
        publication = Publication.objects.create(
            run=run,
            by=person,
            when=now,
            basis=basis,
            content=content_without_rules(whole),
            rules=whole["rules"],
        )
        ledger.write_disclosure(run.survey, replace(telling, digest=content_digest(whole)), person, now)
        judging.publish_accepted_models(run, person, basis, now)
        words = ngettext("%(run)s, %(count)s rule.", "%(run)s, %(count)s rules.", len(made.rules))
        note = words % {"run": run, "count": format_count(len(made.rules))}
        log_activity(person, "reports.published", review.survey, note=note, when=now)
        report_published.send(Review, review=review, now=now)
        transaction.on_commit(partial(report_emails.send_published, review, site))
    return publication


def decisions_digest(run: Run) -> str:
    """Returns a digest of the reviewers' decisions on the rules and models of a run."""
    rules = rule_decisions.rules_with_verdicts(run).order_by("place").filter(verdict__isnull=False)
    models = judging.models_with_verdicts(run).filter(verdict__isnull=False)
    decided = rules.values_list("place", "verdict", "direction"), models.values_list("pk", "verdict")
    return content_digest({"decided": [list(map(list, rows)) for rows in decided]})


def build_and_attack_publication(
    run: Run, group_questions: Collection[str]
) -> tuple[Report, ProposedDisclosure, AttackResult]:
    """Returns the content that would be published, what it discloses, and the result of an attack on it.

    Raises NotAllowed if, together with earlier disclosures, it would reveal fewer than ten people.
    """
    with reword_refusal_for_rehearsal(run.survey):
        require_same_disclosure(run)
        content = build_proposed_content(run, Labels(run.content.mined), group_questions)
        telling = ProposedDisclosure(
            DisclosureKind.REPORT,
            f"run {run.pk}",
            run.title(),
            run.through,
            run.population,
            run.verdict or {},
        )
        differencing_check.refuse_differencing_shares(run, content)
        return content, telling, refuse_if_attack_succeeds(run, telling)


def build_proposed_content(run: Run, labels: Labels, group_questions: Collection[str]) -> Report:
    """Builds the content of a publication from the accepted rules; leaves out coefficients of the plan that may not be
    published."""
    true = build_content.true_shares(run, labels)
    accepted = rule_decisions.accepted_rules(run)
    rows = accepted.select_related("itemset").order_by("place")
    rules = build_content.build_rules(rows, run, labels, true)
    parts = run.itemsets.filter(rule_decisions.itemsets_of_rules_condition(accepted)).order_by("place")
    itemsets = build_content.build_itemsets(parts, run, labels, true)
    content = build_content.content_to_publish(run, labels, true, itemsets, rules, group_questions)
    study = content.study
    if study.plan:
        study = replace(study, plan=differencing_check.remove_refused_coefficients(run, study.plan))
    tally = rule_decisions.count_by_verdict(run)
    return replace(
        content,
        study=study,
        rules=sort_rules(content.rules, content.about.statements),
        itemsets=sort_itemsets(content.itemsets),
        left_out=LeftOut(tally["reject"], tally["more_data"], tally["undecided"]),
    )


def run_again(review: Review, person: "Person", now: datetime) -> Run:
    """Repeats the run of this report; the new run copies the decisions on its rules."""
    review.require_reviewer(person)
    with transaction.atomic():
        Survey.objects.get_locked_while_records_arrive(review.run.survey_id)
        locked = Review.objects.get_locked(review.pk)
        if not locked.is_open:
            raise NotAllowed(refusal_text(State(locked.state), State.PUBLISHED))
        return run_start.repeat_run(review.run, person, now, with_decisions=True)


def withdraw(review: Review, person: "Person", reason: str, site: str, now: datetime) -> None:
    """Withdraws a published report, and e-mails the reason to its readers."""
    review.require_reviewer(person)
    with transaction.atomic():
        Review.objects.get_locked(review.pk)
        _change_state(review, (State.PUBLISHED,), State.WITHDRAWN, now, reason=reason)
        # Nothing of it is decided any more.
        ModelJob.objects.filter(run=review.run).update(told=True)
        log_activity(person, "reports.withdrawn", review.survey, note=f"{review.run}. {reason}", when=now)
        transaction.on_commit(partial(report_emails.send_withdrawn, review, site))


def _change_state(
    review: Review, before: Sequence[State], after: State, now: datetime, **values: Any
) -> None:
    """Moves the report to the state `after`; raises NotAllowed if its state is not in `before`."""
    rows = Review.objects.filter(pk=review.pk, state__in=before)
    moved = rows.update(state=after, since=now, **values)
    review.refresh_from_db(fields=["state", "since", "reason"])
    if not moved:
        raise NotAllowed(refusal_text(State(review.state), after))


def refusal_text(state: State, after: State) -> str:
    """Returns the text that explains why a report in this state cannot move to the state `after`."""
    if after == State.PUBLISHED:
        if state == State.WITHDRAWN:
            return _("This report was withdrawn. Start the run again to publish another.")
        return _("This report is published already.")
    if state == State.WITHDRAWN:
        return _("This report is withdrawn already.")
    return _("This report is not published.")


def email_owner_of_disputed_report(run: Run, **kwargs: Any) -> None:
    """Signal receiver: e-mails the owner of a published report that mlxtend found another result; called in the check's
    transaction."""
    review = Review.objects.filter(run=run, state=State.PUBLISHED).first()
    if review:
        transaction.on_commit(partial(report_emails.send_disputed, review))


def schedule_report_overwriting(survey: Survey, **kwargs: Any) -> None:
    """Signal receiver: after a survey's destruction, has the tables of this app overwritten; their rows are deleted
    with their runs."""
    schedule_overwriting(Review, Decision, Publication, ModelDecision, ModelPublication)
