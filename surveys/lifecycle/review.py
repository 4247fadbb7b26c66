"""Approvals by reviewers: of weak settings before opening, of record files after, of their deposit for the world apart.

The last approval counts, and only for the design with its fingerprint.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.history import log_activity
from accounts.models import Person
from privacy.designs import InputError
from surveys.lifecycle.freezing import freeze_design
from surveys.models import Approval, Survey
from surveys.questionnaire.problems import NotAllowed

State = Survey.State
Verdict = Approval.Verdict
Matter = Literal["weak", "records", "deposit"]
MATTERS: tuple[Matter, ...] = ("weak", "records", "deposit")


def query(matter: Matter) -> str:
    """What follows the address of a page about a survey, where its state does not say the matter."""
    return "?matter=deposit" if matter == "deposit" else ""


@dataclass(frozen=True)
class ApprovalStatus:
    """The last approval of one matter; None: nobody has asked. A rehearsal asks nobody real, and needs none."""

    approval: Approval | None = None
    is_rehearsal: bool = False

    @property
    def verdict(self) -> str | None:
        return self.approval.verdict if self.approval else None

    @property
    def asked(self) -> bool:
        return self.verdict == Verdict.ASKED and not self.is_rehearsal

    @property
    def allowed(self) -> bool:
        return self.is_rehearsal or self.verdict == Verdict.ALLOWED

    @property
    def refused(self) -> bool:
        return self.verdict == Verdict.REFUSED and not self.is_rehearsal

    @property
    def note(self) -> str:
        return self.approval.note if self.approval else ""


def approval_status(survey: Survey, matter: Matter, fingerprint: str) -> ApprovalStatus:
    return ApprovalStatus(Approval.objects.last_word(survey, matter, fingerprint), survey.is_rehearsal)


def records_status(survey: Survey) -> ApprovalStatus:
    """Whether record files are allowed for the design that was opened."""
    return approval_status(survey, "records", survey.design_id or "")


def deposit_status(survey: Survey) -> ApprovalStatus:
    """Whether records of the design that was opened may be in a deposit."""
    return approval_status(survey, "deposit", survey.design_id or "")


def ask(survey: Survey, person: Person, matter: Matter, fingerprint: str, reason: str, now: datetime) -> None:
    last = approval_status(survey, matter, fingerprint)
    if last.is_rehearsal:
        raise NotAllowed(_("A rehearsal needs no approval."))
    if last.asked or last.allowed:
        raise NotAllowed(_("A reviewer has been asked already."))
    _say(survey, person, matter, fingerprint, Verdict.ASKED, reason, now)


def decide(
    survey: Survey,
    person: Person,
    matter: Matter,
    fingerprint: str,
    *,
    allow: bool,
    reason: str,
    now: datetime,
) -> None:
    """A reviewer's yes or no to the design that they saw, named by its fingerprint."""
    if not survey.may(person, "review"):
        raise NotAllowed(_("Nobody reviews a survey that they own, work on or have worked on."))
    verdict = Verdict.ALLOWED if allow else Verdict.REFUSED
    if approval_status(survey, matter, fingerprint).verdict == verdict:
        raise NotAllowed(_("That was said already."))
    _say(survey, person, matter, fingerprint, verdict, reason, now)


def _say(
    survey: Survey,
    person: Person,
    matter: Matter,
    fingerprint: str,
    verdict: Verdict,
    reason: str,
    now: datetime,
) -> None:
    """Write the approval, and a row of the history that only reports it."""
    with transaction.atomic():
        Approval.objects.create(
            survey=survey,
            what=matter,
            fingerprint=fingerprint,
            by=person,
            verdict=verdict,
            note=reason.strip(),
            when=now,
        )
        log_activity(
            person, f"surveys.{matter}-{verdict}", survey, note=f"{fingerprint} {reason}".strip(), when=now
        )


@dataclass(frozen=True)
class WaitingApproval:
    survey: Survey
    matter: Matter
    answer: ApprovalStatus

    @property
    def query(self) -> str:
        return query(self.matter)


def waiting(person: Person) -> list[WaitingApproval]:
    """The approvals that wait for this reviewer, oldest first."""
    asked = Approval.objects.filter(verdict=Verdict.ASKED).values("survey")
    said = Approval.objects.filter(survey__in=asked).select_related("by").order_by("pk")
    last = {(one.survey_id, one.what, one.fingerprint): one for one in said}
    surveys = Survey.objects.visible_to(person).select_related("owner").filter(pk__in=asked)
    approvals = [
        (approval, survey, matter)
        for survey in surveys
        if survey.may(person, "review")
        for matter in MATTERS
        if (approval := last.get((survey.pk, matter, current(survey, matter))))
        and approval.verdict == Verdict.ASKED
    ]
    approvals.sort(key=lambda one: one[0].pk)
    return [
        WaitingApproval(survey, matter, ApprovalStatus(approval)) for approval, survey, matter in approvals
    ]


def current(survey: Survey, matter: Matter) -> str:
    """The fingerprint of what could be allowed now; empty where there is nothing."""
    if matter in ("records", "deposit"):
        opened = survey.state in (State.OPEN, State.CLOSED, State.FINISHED)
        return (survey.design_id or "") if opened else ""
    if survey.state != State.DRAFT:
        return ""
    try:
        return freeze_design(survey.draft).fingerprint
    except InputError:
        return ""
