"""Surveys that go on after the account of their owner was switched off."""

from collections.abc import Iterator
from functools import partial

from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.left_behind import LeftBehind
from accounts.models import Person
from surveys.lifecycle import opening, states
from surveys.models import Survey


def ownerless_surveys(person: Person) -> Iterator[LeftBehind]:
    """Those that take answers at their public address, and those that open at the time set."""
    is_due = Q(state=Survey.State.DRAFT, opens__isnull=False)
    for survey in Survey.objects.filter(Q(state=Survey.State.OPEN) | is_due, owner=person):
        url = survey.get_absolute_url()
        if survey.state == Survey.State.DRAFT:
            detail = _("It opens by itself at the time set. Ended: the time is withdrawn.")
            end = partial(opening.unschedule, survey)
        else:
            detail = _(
                "It takes answers at its address; %(links)s invitation links were made and %(sent)s invitation "
                "emails sent. Ended: it is closed."
            ) % {"links": survey.invitations_made or 0, "sent": survey.invitations_sent or 0}
            end = partial(states.close, survey)
        yield LeftBehind(f"survey-{survey.pk}", _("Survey: %(title)s") % {"title": survey}, detail, url, end)
