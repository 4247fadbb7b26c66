"""Changes the state of an opened survey: closed, open again, paused, finished, destroyed; and when it ends.

Each change is one conditional UPDATE, so that only one of two concurrent requests succeeds, with one entry of
the history. `person` is None where the scheduler did it. Receivers of the signals run inside the transaction:
if one fails, everything is rolled back.
"""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from surveys.lifecycle import record_counts
from surveys.models import PageFolder, Survey
from surveys.questionnaire.closing_settings import EndSettings, SettingsConflict
from surveys.questionnaire.problems_and_refusals import InputRefused, NotAllowed, Problem

if TYPE_CHECKING:
    from accounts.models import Person

State = Survey.State

BEFORE = {
    State.CLOSED: (State.OPEN,),
    State.OPEN: (State.CLOSED,),
    State.FINISHED: (State.CLOSED,),
    State.DESTROYED: (State.DRAFT, State.CLOSED, State.FINISHED),
}
"""For each state the states from which it can be reached; surveys.lifecycle.opening opens drafts."""

survey_closed = Signal()
"""Signal, sent with `survey` once it is closed, so that waiting records can be sealed."""

survey_finishing = Signal()
"""Signal, sent with `survey`, `person` and `now` before a closed survey is finished, under its lock."""

survey_destroyed = Signal()
"""Signal, sent with `survey` once it is destroyed; receivers delete their data about it."""


def close_survey(survey: Survey, person: "Person | None", now: datetime) -> None:
    with transaction.atomic():
        _change_state(survey, State.CLOSED, closed_at=now)
        log_activity(person, "surveys.closed", survey, when=now)
        survey_closed.send(Survey, survey=survey)


def reopen_survey(survey: Survey, person: "Person | None", now: datetime) -> None:
    """Opens a closed survey again; removes a closing time that has passed, since the survey would close at once."""
    with transaction.atomic():
        locked = Survey.objects.get_locked(survey.pk)
        if locked.destroy_on is not None and locked.destroy_on <= timezone.localdate(now):
            raise NotAllowed(_("The deletion date has passed."))
        if locked.cap is not None and record_counts.counts_of_survey(locked).received >= locked.cap:
            raise NotAllowed(_("The maximum number of answers is reached. Raise it in the settings first."))
        passed = locked.closes is not None and locked.closes <= now
        _change_state(
            survey, State.OPEN, closed_at=None, closes=None if passed else locked.closes, paused=None
        )
        log_activity(person, "surveys.reopened", survey, when=now)


def pause_survey(survey: Survey, person: "Person | None", now: datetime) -> None:
    """Pauses an open survey: answers wait in the respondents' browsers; closing time and deletion date still count."""
    _set_paused(survey, person, now, pauses=True)


def resume_survey(survey: Survey, person: "Person | None", now: datetime) -> None:
    """Lets a paused survey take answers again."""
    _set_paused(survey, person, now, pauses=False)


def _set_paused(survey: Survey, person: "Person | None", now: datetime, *, pauses: bool) -> None:
    with transaction.atomic():
        rows = Survey.objects.filter(pk=survey.pk, state=State.OPEN, paused__isnull=pauses)
        is_changed = rows.update(paused=now if pauses else None)
        survey.refresh_from_db()
        if not is_changed:
            raise NotAllowed(pause_obstacle(survey) if pauses else resume_obstacle(survey))
        log_activity(person, "surveys.paused" if pauses else "surveys.resumed", survey, when=now)


def pause_obstacle(survey: Survey) -> str:
    """Returns the reason why the survey cannot be paused; empty if it can."""
    if survey.is_paused:
        return _("This survey is paused already.")
    return _not_open_reason(survey)


def resume_obstacle(survey: Survey) -> str:
    return _not_open_reason(survey) or ("" if survey.is_paused else _("This survey is not paused."))


def _not_open_reason(survey: Survey) -> str:
    state = State(survey.state)
    text = _("This survey is %(state)s, so it takes no answers anyway.")
    return "" if state == State.OPEN else text % {"state": state.label}


def finish_survey(survey: Survey, person: "Person | None", now: datetime) -> None:
    """Finishes a closed survey: it never accepts answers again, and results use undisguised answers too from then
    on."""
    with transaction.atomic():
        locked = Survey.objects.get_locked_while_records_arrive(survey.pk)
        if why := state_change_obstacle(locked, State.FINISHED):
            raise NotAllowed(why)
        survey_finishing.send(Survey, survey=locked, person=person, now=now)
        _change_state(survey, State.FINISHED)
        log_activity(person, "surveys.finished", survey, when=now)


def destroy_survey(survey: Survey, person: "Person | None", now: datetime) -> None:
    """Deletes a survey's answers, invitations and results; of a survey that was never opened, also the draft.

    The survey's row stays, and so do draft and design of a survey that was opened.
    """
    with transaction.atomic():
        # First, while the survey still has the title that the history stores.
        log_activity(person, "surveys.destroyed", survey, when=now)
        # A design stays readable for people who have a receipt; a mere draft is deleted.
        words: dict[str, Any] = {} if Survey.objects.get_locked(survey.pk).design_id else {"draft": {}}
        PageFolder.objects.filter(survey=survey.pk, survey__design=None).delete()
        survey.commands.all().delete()
        survey.people_invitations.all().delete()
        _change_state(survey, State.DESTROYED, **words)
        survey_destroyed.send(Survey, survey=survey)


def change_end_settings(
    survey: Survey, person: "Person", end_settings: EndSettings, seen_digest: str, now: datetime
) -> None:
    """Changes closing time, maximum number of answers, expected rate and deletion date of an opened survey; the
    deletion date can only be brought forward.

    `seen_digest` is the digest of the settings that the person saw; raises `SettingsConflict` if they have changed
    since.
    """
    with transaction.atomic():
        locked = Survey.objects.get_locked(survey.pk)
        if locked.state not in (State.OPEN, State.CLOSED):
            raise NotAllowed(_("Only an open or a closed survey has settings that can change."))
        if end_settings != locked.end_settings and seen_digest != locked.end_settings.digest:
            survey.refresh_from_db()
            raise SettingsConflict
        promised, destroy_on = locked.destroy_on, end_settings.destroy_on
        if promised and (destroy_on is None or destroy_on > promised):
            raise NotAllowed(
                _("The deletion date was promised to respondents. You can make it earlier, never later.")
            )
        changed = end_settings.changes_since(locked.end_settings)
        all_problems = end_settings.find_problems(locked.least, now)
        problems = [problem for problem in all_problems if problem.path in changed]
        # A new cap is at least a batch away. Otherwise an owner could raise it by one again and again to see when each
        # answer came, or try caps to find the exact number that waits.
        cap = changed.get("cap")
        if cap is not None and all(problem.path != "cap" for problem in problems):
            nearest = record_counts.shown_counts_of_survey(locked).received_at_least + locked.least
            reason = _(
                "must be at least %(nearest)s now: one minimum batch more than the answers shown so far"
            )
            problems += [Problem("cap", reason % {"nearest": nearest})] if cap < nearest else []
        if problems:
            raise InputRefused(problems)
        if changed:
            Survey.objects.filter(pk=survey.pk).update(**changed)
        for key, value in changed.items():
            action = f"surveys.{key.replace('_', '-')}-changed"
            log_activity(person, action, locked, note=setting_history_text(value), when=now)
    survey.refresh_from_db()


def setting_history_text(value: object) -> str:
    """Formats a setting for the history: times to the minute, None as an empty text."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="minutes")
    return "" if value is None else str(value)


def _change_state(survey: Survey, after: State, **values: Any) -> None:
    """Changes the state to `after`; raises NotAllowed if the present state does not permit it."""
    rows = Survey.objects.filter(pk=survey.pk, state__in=BEFORE[after])
    moved = rows.update(state=after, **values)
    survey.refresh_from_db()
    if not moved:
        raise NotAllowed(state_change_refusal_text(State(survey.state), after))


def state_change_obstacle(survey: Survey, after: State) -> str:
    """Returns the reason why the survey cannot change to the state `after`; empty if it can."""
    state = State(survey.state)
    return "" if state in BEFORE[after] else state_change_refusal_text(state, after)


def state_change_refusal_text(state: State, after: State) -> str:
    """Returns the reason why a survey in `state` cannot change to `after`, and what can be done instead."""
    if state == after != State.DESTROYED:
        return _("This has been done already: the survey is %(state)s.") % {"state": state.label}
    return {
        State.DRAFT: _("This survey has never been opened."),
        State.OPEN: _("This survey is open. Close it first."),
        State.CLOSED: _(
            "This survey was opened once, and its questions stay as they were. Duplicate it to ask others."
        ),
        State.FINISHED: _("This survey is finished and stays closed. Duplicate it to ask again."),
        State.DESTROYED: _("This survey has been deleted; only its row is left."),
    }[state]
