"""The next step that a person can take with a survey, as one line for the list of surveys and the survey's page."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import formats, timezone
from django.utils.translation import gettext as _, ngettext

from surveys.lifecycle.opening import opening_checklist
from surveys.lifecycle.record_counts import ShownCounts
from surveys.lifecycle.reviewer_approvals import ApprovalStatus, weak_settings_approvals
from surveys.models import Survey
from surveys.tabs_and_warnings import tab_url, url_or_empty

if TYPE_CHECKING:
    from accounts.models import Person

State = Survey.State


@dataclass(frozen=True)
class NextStep:
    """The next step in a survey's life, with its page; `url` is empty if this person can only wait or has
    nothing to do."""

    words: str
    url: str = ""


ReportSteps = Callable[[Collection[Survey], "Person"], Mapping[int, NextStep]]
_report_steps: list[ReportSteps] = []


def register_report_steps(report_steps: ReportSteps) -> None:
    """Registers the function of `reports` that returns next steps with reports, by survey id, in one query."""
    _report_steps[:] = [report_steps]


def next_steps(
    surveys: Collection[Survey], person: "Person", counts: Mapping[int, ShownCounts], now: datetime
) -> dict[int, NextStep]:
    """Returns the next step that this person can take with each survey, by survey id."""
    counted = [survey for survey in surveys if survey.design_id]
    reports = _report_steps[0](counted, person) if counted and _report_steps else {}
    weak_approval = weak_settings_approvals(surveys)
    steps = {}
    for survey in surveys:
        if survey.state == State.DRAFT:
            steps[survey.pk] = _next_step_of_draft(survey, person, now, weak_approval)
        elif survey.state == State.DESTROYED:
            steps[survey.pk] = NextStep(_("Nothing"))
        else:
            steps[survey.pk] = _next_step_of_opened_survey(
                survey, person, counts[survey.pk], reports.get(survey.pk)
            )
    return steps


def next_step(survey: Survey, person: "Person", counts: ShownCounts, now: datetime) -> NextStep:
    return next_steps([survey], person, {survey.pk: counts}, now)[survey.pk]


def _next_step_of_draft(
    survey: Survey, person: "Person", now: datetime, weak_approval: Callable[[Survey, str], ApprovalStatus]
) -> NextStep:
    missing = opening_checklist(survey, now, weak_approval, person)
    if missing.weak and missing.answer.asked and survey.may(person, "review"):
        return NextStep(_("Decide on its weak settings"), url_or_empty("surveys:review", survey.pk))
    if missing.problems:
        count = len(missing.problems)
        words = ngettext("%(count)s thing is missing", "%(count)s things are missing", count)
        return NextStep(words % {"count": count}, tab_url("edit", survey, person))
    if survey.opens is not None:
        local = formats.date_format(timezone.localtime(survey.opens), "SHORT_DATETIME_FORMAT")
        return NextStep(_("Opens by itself on %(when)s") % {"when": local})
    is_owner = survey.may(person, "open")
    opening = url_or_empty("surveys:open", survey.pk) if is_owner else ""
    if missing.is_ready_to_open:
        return _step_by_right(_("Open survey"), opening, _("Its owner can open it"))
    if missing.answer.asked:
        return NextStep(_("A reviewer decides on its settings"))
    if missing.answer.refused:
        return _step_by_right(
            _("A reviewer refused its settings: change them"),
            tab_url("edit", survey, person),
            _("A reviewer refused its settings: its owner or an editor can change them"),
        )
    return _step_by_right(
        _("Request approval of weaker settings"), opening, _("Weaker settings need a reviewer’s approval")
    )


def _next_step_of_opened_survey(
    survey: Survey, person: "Person", counts: ShownCounts, report_step: NextStep | None
) -> NextStep:
    is_open, is_owner = survey.state == State.OPEN, survey.may(person, "open")
    if survey.is_paused:
        resuming = url_or_empty("surveys:resume", survey.pk) if is_owner else ""
        return _step_by_right(_("Resume survey"), resuming, _("Paused: its owner can resume it"))
    if survey.tools:
        if not is_open:
            return NextStep(_("Nothing"))
        return NextStep(_("Show it inside the tool"), tab_url("invitations", survey, person))
    if report_step:
        return report_step
    if counts.sealed:
        runs = tab_url("runs", survey, person) if survey.may(person, "run") else ""
        if runs:
            return NextStep(_("Count and mine the answers"), runs)
        return NextStep(_("Wait for more answers, or close it") if is_open else _("Nothing"))
    if survey.state == State.FINISHED:
        return NextStep(_("Nothing"))
    if not is_open:
        reopening = url_or_empty("surveys:reopen", survey.pk) if is_owner else ""
        return _step_by_right(
            _("Too few answers to count: open it again"),
            reopening,
            _("Too few answers to count: its owner can open it again"),
        )
    if counts.has_visible_answers:
        return NextStep(_("Wait for answers"))
    # Nobody has answered: answers are simulated, invitations made, or links shared.
    if survey.is_rehearsal:
        rehearsing = tab_url("rehearse", survey, person)
        return _step_by_right(
            _("Simulate answers"), rehearsing, _("Its owner or an editor can simulate answers")
        )
    invitations = tab_url("invitations", survey, person)
    if survey.invited and not survey.invitations_made:
        return _step_by_right(
            _("Send invitations"), invitations, _("Its owner or an editor can send invitations")
        )
    if survey.invitations_made or survey.invitations_sent:
        return NextStep(_("Wait for answers"), invitations)
    return NextStep(_("Share the survey link"), url_or_empty("surveys:survey", survey.pk))


def _step_by_right(words: str, url: str, words_for_others: str) -> NextStep:
    """Returns the step with its page; without a page, this person may not take it, and reads who may."""
    return NextStep(words if url else words_for_others, url)
