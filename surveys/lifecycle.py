"""What an opened survey goes through: closed, open again, archived, destroyed.

Each change is one conditional UPDATE, so of two who try, one does, and one line in the history. `person` is
None when time did it. Other rooms listen to the signals inside the transaction: if one fails, nothing happened.
"""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext as _

from people.history import record
from surveys import counts
from surveys.models import Survey
from surveys.problems import Problem
from surveys.refused import NotReady, Refused
from surveys.terms import SettledOtherwise, Terms

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from people.models import Person

State = Survey.State

BEFORE = {
    State.CLOSED: (State.OPEN,),
    State.OPEN: (State.CLOSED,),
    State.ARCHIVED: (State.CLOSED,),
    State.DESTROYED: (State.DRAFT, State.CLOSED, State.ARCHIVED),
}
"""From which states a survey comes into this one; a draft is opened by surveys.opening."""

survey_closed = Signal()
"""Sent with `survey` once it is closed: what waits can be sealed."""

survey_destroyed = Signal()
"""Sent with `survey` once it is a tombstone: whoever holds data of it deletes that now."""


def close(survey: Survey, person: "Person | None", now: datetime) -> None:
    with transaction.atomic():
        _move(survey, State.CLOSED, closed_at=now)
        record(person, "surveys.closed", survey, when=now)
        survey_closed.send(Survey, survey=survey)


def reopen(survey: Survey, person: "Person | None", now: datetime) -> None:
    """A closing time that has passed falls away, since it would close the survey again at once."""
    with transaction.atomic():
        kept = Survey.objects.locked(survey.pk)
        if kept.destroy_on is not None and kept.destroy_on <= timezone.localdate(now):
            raise Refused(_("The day of destruction has come."))
        if kept.cap is not None and counts.of(kept).received >= kept.cap:
            raise Refused(_("As many have answered as the cap allows. Raise the cap in the settings first."))
        passed = kept.closes is not None and kept.closes <= now
        _move(survey, State.OPEN, closed_at=None, closes=None if passed else kept.closes, paused=None)
        record(person, "surveys.reopened", survey, when=now)


def pause(survey: Survey, person: "Person | None", now: datetime) -> None:
    """Take no answers for now: they wait in the respondents' browsers. Its closing time and day still come."""
    with transaction.atomic():
        _flag(survey, Survey.objects.filter(paused=None), now)
        record(person, "surveys.paused", survey, when=now)


def resume(survey: Survey, person: "Person | None", now: datetime) -> None:
    with transaction.atomic():
        _flag(survey, Survey.objects.exclude(paused=None), None)
        record(person, "surveys.resumed", survey, when=now)


def _flag(survey: Survey, before: "QuerySet[Survey]", paused: datetime | None) -> None:
    """Pause it or go on with it, if it is open and was not before; else say in words why not."""
    changed = before.filter(pk=survey.pk, state=State.OPEN).update(paused=paused)
    survey.refresh_from_db()
    if not changed:
        raise Refused(pause_obstacle(survey) if paused else resume_obstacle(survey))


def pause_obstacle(survey: Survey) -> str:
    """Empty where the survey can be paused, else why not."""
    if survey.is_paused:
        return _("This survey is paused already.")
    return "" if survey.state == State.OPEN else _not_open(survey)


def resume_obstacle(survey: Survey) -> str:
    if survey.state != State.OPEN:
        return _not_open(survey)
    return "" if survey.is_paused else _("This survey is not paused.")


def _not_open(survey: Survey) -> str:
    return _("This survey is %(state)s, so it takes no answers anyway.") % {
        "state": State(survey.state).label
    }


def archive(survey: Survey, person: "Person | None", now: datetime) -> None:
    with transaction.atomic():
        _move(survey, State.ARCHIVED)
        record(person, "surveys.archived", survey, when=now)


def destroy(survey: Survey, person: "Person | None", now: datetime) -> None:
    """Answers, invitations and results go; a row without them stays, and the design if there was one."""
    with transaction.atomic():
        # Before its words are gone, so that the history can still name it.
        record(person, "surveys.destroyed", survey, when=now)
        # What was opened stays readable in its design, for whoever kept a receipt; a mere draft goes.
        words: dict[str, Any] = {} if Survey.objects.locked(survey.pk).design_id else {"draft": {}}
        _move(survey, State.DESTROYED, **words)
        survey_destroyed.send(Survey, survey=survey)


def settle(survey: Survey, person: "Person", terms: Terms, base: str, now: datetime) -> None:
    """Change what may still change of an opened survey: when it ends, and an earlier destruction.

    `base` is the digest of what was looked at.
    """
    with transaction.atomic():
        kept = Survey.objects.locked(survey.pk)
        if kept.state not in (State.OPEN, State.CLOSED):
            raise Refused(_("Only an open or a closed survey has settings that can change."))
        if terms != kept.terms and base != kept.terms.digest:
            survey.refresh_from_db()
            raise SettledOtherwise
        if kept.destroy_on and (terms.destroy_on is None or terms.destroy_on > kept.destroy_on):
            raise Refused(
                _("The day of destruction was promised. It can be brought forward, never put back.")
            )
        changed = terms.differing(kept.terms)
        wrong = [problem for problem in terms.problems(kept.least, now) if problem.path in changed]
        if "cap" in changed and not any(problem.path == "cap" for problem in wrong):
            wrong += _too_near(kept, terms.cap)
        if wrong:
            raise NotReady(wrong)
        if changed:
            Survey.objects.filter(pk=survey.pk).update(**changed)
        for key, value in changed.items():
            record(person, f"surveys.{key.replace('_', '-')}-changed", kept, note=noted(value), when=now)
    survey.refresh_from_db()


def _too_near(survey: Survey, cap: int | None) -> list[Problem]:
    """A new cap is at least a batch away. Otherwise an owner who sets it one higher again and again would see in
    which second each answer came, and one who tries caps would find the exact number that waits."""
    nearest = counts.shown(survey).received_at_least + survey.least
    if cap is None or cap >= nearest:
        return []
    reason = _("must be at least %(nearest)s now: one minimum batch more than the answers shown so far")
    return [Problem("cap", reason % {"nearest": nearest})]


def noted(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat(timespec="minutes")
    return "" if value is None else str(value)


def _move(survey: Survey, after: State, **values: Any) -> None:
    """Change the state if it may become this one; else say in words why not."""
    rows = Survey.objects.filter(pk=survey.pk, state__in=BEFORE[after])
    moved = rows.update(state=after, **values)
    survey.refresh_from_db()
    if not moved:
        raise Refused(why_not(State(survey.state), after))


def obstacle(survey: Survey, after: State) -> str:
    """Empty where the survey may come into this state, else why not."""
    state = State(survey.state)
    return "" if state in BEFORE[after] else why_not(state, after)


def why_not(state: State, after: State) -> str:
    """Why a survey in this state cannot come into that one, and what can be done instead."""
    if state == State.DESTROYED:
        return _("This survey has been destroyed; only its row is left.")
    if state == after:
        return _("This has been done already: the survey is %(state)s.") % {"state": state.label}
    if state == State.DRAFT:
        return _("This survey has never been opened.")
    if state == State.OPEN:
        return _("This survey is open. Close it first.")
    if state == State.ARCHIVED:
        return _("This survey is archived and stays closed. Duplicate it to ask again.")
    return _("This survey was opened once, and its questions stay as they were. Duplicate it to ask others.")
