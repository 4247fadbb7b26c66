"""Opens, closes and destroys surveys at their set times, and deletes unused logos. The scheduler may call each function
twice.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.fields.json import KT
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from accounts.deactivated_account_activities import ContinuingActivity
from accounts.models import Person
from surveys.lifecycle import opening, record_counts, state_changes
from surveys.models import Logo, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed

log = logging.getLogger(__name__)
State = Survey.State
UNDO = timedelta(days=1)
"""Time in which a removed or replaced logo can be restored."""


def open_due_surveys(now: datetime) -> None:
    due = Survey.objects.filter(state=State.DRAFT, opens__lte=now)
    _act_on_each_survey(due, lambda survey: opening.open_survey_as_scheduled(survey, now))


def close_due_or_full_surveys(now: datetime) -> None:
    """Closes surveys whose closing time has passed, or whose number of answers has reached their cap."""
    ended = Survey.objects.filter(state=State.OPEN, closes__lte=now)
    _act_on_each_survey(ended, lambda survey: state_changes.close_survey(survey, None, now))
    capped = Survey.objects.filter(state=State.OPEN, cap__isnull=False)
    received = record_counts.counts_of_surveys(capped)
    full = [survey for survey in capped if received[survey.pk].received >= (survey.cap or 0)]
    _act_on_each_survey(full, lambda survey: state_changes.close_survey(survey, None, now))


def destroy_due_surveys(now: datetime) -> None:
    """Destroys surveys whose deletion date has come, with their answers."""
    due = Survey.objects.filter(~Q(state=State.DESTROYED), destroy_on__lte=timezone.localdate(now))
    _act_on_each_survey(due, lambda survey: destroy_survey_in_any_state(survey, now))


def destroy_survey_in_any_state(survey: Survey, now: datetime) -> None:
    """Destroys a survey in any state; closes it first if it is open."""
    with transaction.atomic():
        # Under the lock: somebody may close or reopen it meanwhile.
        if Survey.objects.get_locked(survey.pk).state == State.OPEN:
            state_changes.close_survey(survey, None, now)
        state_changes.destroy_survey(survey, None, now)


def delete_unused_logos(now: datetime) -> None:
    """Deletes logos that no opened survey uses and no draft has used for a day."""
    named = Survey.objects.annotate(logo=KT("draft__logo")).filter(logo__isnull=False).values("logo")
    private = Logo.objects.filter(is_public=False)
    private.filter(pk__in=named).update(unused_since=None)
    unused = private.exclude(pk__in=named)
    unused.filter(unused_since__lte=now - UNDO).delete()
    unused.filter(unused_since=None).update(unused_since=now)


def _act_on_each_survey(surveys: Iterable[Survey], act: Callable[[Survey], None]) -> None:
    for survey in surveys:
        try:
            with translation.override(survey.owner.language or settings.LANGUAGE_CODE):
                act(survey)
        except NotAllowed:
            continue  # a person did it first
        except Exception:
            # One survey that cannot be closed or destroyed must not keep the others.
            log.exception("survey %s could not be handled at its time; the next tick tries again", survey.pk)


# --- surveys that go on after the account of their owner was switched off


def active_surveys_of_switched_off_account(person: Person) -> Iterator[ContinuingActivity]:
    """Yields a deactivated person's surveys that accept answers or will open by themselves, for an
    administrator to end."""
    is_due = Q(state=Survey.State.DRAFT, opens__isnull=False)
    for survey in Survey.objects.filter(Q(state=Survey.State.OPEN) | is_due, owner=person):
        if survey.state == Survey.State.DRAFT:
            detail = _("It opens by itself at the time set. Ended: the time is withdrawn.")
            end = partial(opening.unschedule_opening, survey)
        else:
            links, sent = survey.invitations_made or 0, survey.invitations_sent or 0
            detail = _(
                "It takes answers at its address; %(links)s invitation links were made and %(sent)s invitation "
                "emails sent. Ended: it is closed."
            ) % {"links": links, "sent": sent}
            end = partial(state_changes.close_survey, survey)
        title, url = _("Survey: %(title)s") % {"title": survey}, survey.get_absolute_url()
        yield ContinuingActivity(f"survey-{survey.pk}", title, detail, url, end)
