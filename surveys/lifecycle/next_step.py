"""The next step with a survey, in one line for its list and its page."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import formats, timezone
from django.utils.translation import gettext as _, ngettext

from surveys.lifecycle.counts import ShownCounts
from surveys.lifecycle.opening import Checklist, checklist
from surveys.models import Survey
from surveys.pages import address, tab_address

if TYPE_CHECKING:
    from accounts.models import Person

State = Survey.State


@dataclass(frozen=True)
class NextStep:
    """`url` is empty where this person can only wait, or where all is done."""

    words: str
    url: str = ""


ReportSteps = Callable[[Collection[Survey], "Person"], Mapping[int, NextStep]]
_report_steps: list[ReportSteps] = []


def register_reports(report_steps: ReportSteps) -> None:
    """`reports` says what is next with the reports that there are, by survey and in one query."""
    _report_steps[:] = [report_steps]


def next_steps(
    surveys: Collection[Survey], person: "Person", counts: Mapping[int, ShownCounts], now: datetime
) -> dict[int, NextStep]:
    counted = [survey for survey in surveys if survey.design_id]
    of_reports = _report_steps[0](counted, person) if counted and _report_steps else {}
    return {
        survey.pk: _step(survey, person, counts[survey.pk], of_reports.get(survey.pk), now)
        for survey in surveys
    }


def next_step(survey: Survey, person: "Person", counts: ShownCounts, now: datetime) -> NextStep:
    return next_steps([survey], person, {survey.pk: counts}, now)[survey.pk]


def _step(
    survey: Survey, person: "Person", counts: ShownCounts, of_report: NextStep | None, now: datetime
) -> NextStep:
    state = State(survey.state)
    if state == State.DRAFT:
        return _of_draft(survey, person, checklist(survey, now))
    if state == State.OPEN:
        return _of_open(survey, person, counts, of_report)
    if state in (State.CLOSED, State.FINISHED):
        return _of_closed(survey, person, counts, of_report)
    return NextStep(_("Nothing"))


def _of_draft(survey: Survey, person: "Person", checklist: Checklist) -> NextStep:
    owner = survey.may(person, "open")
    if survey.may(person, "review") and checklist.weak and checklist.answer.asked:
        return NextStep(_("Decide on its weak settings"), address("surveys:review", survey.pk))
    if checklist.problems:
        words = ngettext(
            "%(count)s thing is missing", "%(count)s things are missing", len(checklist.problems)
        )
        return NextStep(words % {"count": len(checklist.problems)}, tab_address("edit", survey, person))
    if survey.opens is not None:
        local = formats.date_format(timezone.localtime(survey.opens), "SHORT_DATETIME_FORMAT")
        return NextStep(_("Opens by itself on %(when)s") % {"when": local})
    opening = address("surveys:open", survey.pk) if owner else ""
    if checklist.ready:
        return NextStep(_("Open survey") if owner else _("Its owner can open it"), opening)
    if checklist.answer.asked:
        return NextStep(_("A reviewer decides on its settings"))
    if checklist.answer.refused:
        words = _("A reviewer refused its settings: change them")
        return NextStep(words, tab_address("edit", survey, person))
    return NextStep(_("Weaker settings need a reviewer’s approval"), opening)


def _of_open(survey: Survey, person: "Person", counts: ShownCounts, of_report: NextStep | None) -> NextStep:
    if survey.is_paused:
        resuming = address("surveys:resume", survey.pk) if survey.may(person, "open") else ""
        return NextStep(_("Resume survey") if resuming else _("Paused: its owner can resume it"), resuming)
    if of_report:
        return of_report
    if not counts.some:
        return _without_answers(survey, person)
    if counts.sealed:
        return _run(survey, person) or NextStep(_("Wait for more answers, or close it"))
    return NextStep(_("Wait for answers"))


def _without_answers(survey: Survey, person: "Person") -> NextStep:
    """What comes after what was done: answers are simulated, invitations made, links shared."""
    if survey.is_rehearsal:
        return NextStep(_("Simulate answers"), tab_address("rehearse", survey, person))
    invitations = tab_address("invitations", survey, person)
    if survey.invited and not survey.invitations_made:
        return NextStep(_("Send invitations"), invitations)
    if survey.invitations_made or survey.invitations_sent:
        return NextStep(_("Wait for answers"), invitations)
    return NextStep(_("Share the survey link"), address("surveys:survey", survey.pk))


def _of_closed(survey: Survey, person: "Person", counts: ShownCounts, of_report: NextStep | None) -> NextStep:
    if of_report:
        return of_report
    if counts.sealed:
        return _run(survey, person) or NextStep(_("Nothing"))
    if survey.state == State.FINISHED:
        return NextStep(_("Nothing"))
    reopening = address("surveys:reopen", survey.pk) if survey.may(person, "open") else ""
    return NextStep(_("Too few answers to count: open it again"), reopening)


def _run(survey: Survey, person: "Person") -> NextStep | None:
    runs = tab_address("runs", survey, person) if survey.may(person, "run") else ""
    return NextStep(_("Count and mine the answers"), runs) if runs else None
