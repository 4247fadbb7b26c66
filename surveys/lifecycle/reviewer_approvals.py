"""Approvals by reviewers of three matters: weak settings before opening, record files, and records in a
public deposit.

An approval is for one design, by its fingerprint; the last decision counts.
"""

from collections.abc import Callable, Collection
from datetime import datetime
from functools import cache
from operator import itemgetter
from typing import Literal, NamedTuple

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from accounts.models import Person
from privacy.designs import InputError
from surveys.lifecycle.design_from_draft import freeze_design_cached
from surveys.models import Approval, Survey
from surveys.questionnaire.problems_and_refusals import DecidedMeanwhile, NotAllowed

State = Survey.State
Verdict = Approval.Verdict
Matter = Literal["weak", "records", "deposit"]
MATTERS: tuple[Matter, ...] = ("weak", "records", "deposit")


def review_query_string(matter: Matter) -> str:
    """Returns the query string that tells the review page what to approve; empty unless it is a deposit."""
    return "?matter=deposit" if matter == "deposit" else ""


class ApprovalStatus:
    """Whether an approval was asked for, given or refused. `approval`: the last request or decision; None without any.
    `void`: it was given by somebody who has worked on the survey since.

    A rehearsal counts as approved.
    """

    def __init__(self, survey: Survey | None = None, approval: Approval | None = None) -> None:
        is_rehearsal = bool(survey and survey.is_rehearsal)
        self.approval, self.is_rehearsal = approval, is_rehearsal
        self.verdict = approval.verdict if approval else None
        self.note = approval.note if approval else ""
        self.number: int = approval.pk if approval else 0
        self.asked = self.verdict == Verdict.ASKED and not is_rehearsal
        self.refused = self.verdict == Verdict.REFUSED and not is_rehearsal
        was_allowed = self.verdict == Verdict.ALLOWED and not is_rehearsal
        self.void = bool(was_allowed and survey and approval and survey.is_void(approval))
        self.allowed = is_rehearsal or (was_allowed and not self.void)


def approval_status(survey: Survey, matter: Matter, fingerprint: str) -> ApprovalStatus:
    return ApprovalStatus(survey, Approval.objects.last_request_or_decision(survey, matter, fingerprint))


def weak_settings_approvals(surveys: Collection[Survey]) -> Callable[[Survey, str], ApprovalStatus]:
    """Returns a function that maps a survey and the fingerprint of its design to the approval status of its weak
    settings.

    The first call of that function reads the approvals of all these surveys in one query.
    """

    @cache
    def last_requests_and_decisions() -> dict[tuple[int, str], Approval]:
        rows = Approval.objects.filter(survey__in=surveys, what=Approval.Matter.WEAK).order_by("pk")
        return {(row.survey_id, row.fingerprint): row for row in rows.select_related("by")}

    return lambda survey, fingerprint: ApprovalStatus(
        survey, last_requests_and_decisions().get((survey.pk, fingerprint))
    )


def record_files_approval_status(survey: Survey) -> ApprovalStatus:
    """Returns the approval status of record files of the opened design."""
    return approval_status(survey, "records", survey.design_id or "")


def deposit_approval_status(survey: Survey) -> ApprovalStatus:
    """Returns the approval status of records in a public deposit, for the opened design."""
    return approval_status(survey, "deposit", survey.design_id or "")


def request_approval(
    survey: Survey, person: Person, matter: Matter, fingerprint: str, reason: str, now: datetime
) -> None:
    """Stores a request for approval with the owner's reason, which reviewers then find on their list."""
    with transaction.atomic():
        last = _lock_survey_for_approval(survey, matter, fingerprint)
        if last.asked or last.allowed:
            raise NotAllowed(_("A reviewer has been asked already."))
        asked = Approval(survey=survey, what=matter, fingerprint=fingerprint, verdict=Verdict.ASKED)
        _store_request_or_decision(asked, person, reason, now)


def decide_approval(
    survey: Survey,
    person: Person,
    matter: Matter,
    fingerprint: str,
    *,
    allow: bool,
    reason: str,
    now: datetime,
    seen: int | None = None,
) -> None:
    """Stores a reviewer's decision on a matter of the design with this fingerprint, which the reviewer saw.

    `seen`: the number of the last request or decision on the reviewer's page, so that a later decision of
    somebody else is not overruled.
    """
    with transaction.atomic():
        last = _lock_survey_for_approval(survey, matter, fingerprint)
        basis = survey.review_basis(person)
        if basis is None:
            raise NotAllowed(_("Nobody reviews a survey that they own, work on or have worked on."))
        verdict = Verdict.ALLOWED if allow else Verdict.REFUSED
        if last.verdict == verdict:
            raise NotAllowed(_("That was said already."))
        is_unseen = seen is not None and last.number > seen and not last.asked
        if last.approval and is_unseen and last.approval.by_id != person.pk:
            raise DecidedMeanwhile(last.approval.by, last.approval.get_verdict_display())
        decided = Approval(survey=survey, what=matter, fingerprint=fingerprint, verdict=verdict, basis=basis)
        _store_request_or_decision(decided, person, reason, now)


def _lock_survey_for_approval(survey: Survey, matter: Matter, fingerprint: str) -> ApprovalStatus:
    """Locks the survey until the transaction ends, so that it is not opened, changed, deleted or decided on
    meanwhile; returns the status. Raises NotAllowed if the survey no longer has this design, or is a rehearsal."""
    locked = Survey.objects.get_locked_while_records_arrive(survey.pk)
    if current_fingerprint(locked, matter) != fingerprint:
        raise NotAllowed(_("The survey was changed while you read it. Look at it again."))
    if locked.is_rehearsal:
        raise NotAllowed(_("A rehearsal needs no approval."))
    return approval_status(locked, matter, fingerprint)


def _store_request_or_decision(approval: Approval, person: Person, reason: str, now: datetime) -> None:
    """Stores a request or a decision of this person, and an entry of the history about it."""
    approval.by, approval.note, approval.when = person, reason.strip(), now
    approval.save()
    note = f"{approval.fingerprint} {reason}".strip()
    log_activity(person, f"surveys.{approval.what}-{approval.verdict}", approval.survey, note=note, when=now)


class WaitingApproval(NamedTuple):
    """A request that waits for a reviewer; `query` is the query string of its page."""

    survey: Survey
    matter: Matter
    answer: ApprovalStatus
    query: str


def waiting_approvals(person: Person) -> list[WaitingApproval]:
    """Returns the requests that wait for this reviewer, the oldest first."""
    asked = Approval.objects.filter(verdict=Verdict.ASKED).values("survey")
    approvals = Approval.objects.filter(survey__in=asked).select_related("by").order_by("pk")
    last = {(approval.survey_id, approval.what, approval.fingerprint): approval for approval in approvals}
    open_matters: list[tuple[int, WaitingApproval]] = []
    for survey in Survey.objects.visible_to(person).select_related("owner").filter(pk__in=asked):
        for matter in MATTERS if survey.may(person, "review") else ():
            approval = last.get((survey.pk, matter, current_fingerprint(survey, matter)))
            if approval and approval.verdict == Verdict.ASKED:
                row = WaitingApproval(
                    survey, matter, ApprovalStatus(survey, approval), review_query_string(matter)
                )
                open_matters.append((approval.pk, row))
    return [row for _pk, row in sorted(open_matters, key=itemgetter(0))]


def current_fingerprint(survey: Survey, matter: Matter) -> str:
    """Returns the fingerprint of the design to approve now: of the draft for weak settings, else of the
    opened design; empty if there is none."""
    if matter != "weak":
        is_opened = survey.state in (State.OPEN, State.CLOSED, State.FINISHED)
        return (survey.design_id or "") if is_opened else ""
    try:
        return freeze_design_cached(survey.draft).fingerprint if survey.state == State.DRAFT else ""
    except InputError:
        return ""
