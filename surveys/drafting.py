"""Writing a changed draft down; opened surveys refuse."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _

from people.history import record
from surveys import draft as drafts
from surveys.draft import Draft
from surveys.models import Survey
from surveys.refused import NotReady, Refused
from surveys.terms import Terms

if TYPE_CHECKING:
    from people.models import Person


def change(survey: Survey, changed: Callable[[Draft], Draft], **columns: Any) -> None:
    """Apply a pure function to the draft as it is stored now, whoever else writes meanwhile."""
    with transaction.atomic():
        kept = Survey.objects.select_for_update().get(pk=survey.pk)
        if kept.state != Survey.State.DRAFT:
            raise Refused(
                _("This survey is no longer a draft, so what it asks stays. Duplicate it to change it.")
            )
        Survey.objects.filter(pk=kept.pk).update(draft=changed(kept.draft), **columns)
    survey.refresh_from_db()


def settle(
    survey: Survey, person: "Person", terms: Terms, *, least: int, invited: bool, now: datetime
) -> None:
    """What the settings page asks of a draft: when it will end, the smallest batch, who may answer."""
    wrong = list(terms.problems(least, now))
    if wrong:
        raise NotReady(wrong)
    retention = terms.destroy_on.isoformat() if terms.destroy_on else ""
    with transaction.atomic():
        change(
            survey,
            lambda draft: drafts.changed(draft, least=least, retention=retention),
            closes=terms.closes,
            cap=terms.cap,
            invited=invited,
        )
        record(person, "surveys.settings-changed", survey, when=now)
