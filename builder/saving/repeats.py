"""Repeated commands: a page that got no answer sends its command again, with the same idempotency key.

Keys are random and stored by person and survey, in the transaction of the change. A page sends one command at a time,
so a few keys of each person are enough, in several tabs too. A form that was sent without a script may have no key.
"""

import re
import secrets
from typing import TYPE_CHECKING

from django.http import HttpRequest
from django.utils.translation import gettext as _

from surveys.models import DraftCommand, Survey
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.commands import CommandResult
from surveys.questionnaire.questionnaire import Questionnaire

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from accounts.models import Person

FIELD = "idempotency_key"
KEY = re.compile(r"[0-9a-f]{32}")
KEPT = 16
"""Keys of each person and survey."""


def new_key() -> str:
    """For a form that is sent without a script."""
    return secrets.token_hex(16)


def sent_key(request: HttpRequest) -> str:
    """The key of this request; empty where it has none."""
    return request.POST.get(FIELD, "")


def checked(key: str) -> str:
    if key and not KEY.fullmatch(key):
        raise NotAllowed(_("That could not be understood. Reload the page and try again."))
    return key


def is_done(survey: Survey, person: "Person", key: str) -> bool:
    return bool(key) and _commands(survey, person).filter(key=key).exists()


def earlier_result(survey: Survey, person: "Person", key: str, draft: Questionnaire) -> CommandResult | None:
    """How the command with this key was answered; None where it has not been done."""
    done = _commands(survey, person).filter(key=key).first() if key else None
    if done is None:
        return None
    return CommandResult(draft, done.said, done.shown, done.shows_form, done.focus, done.removed)


def remember(survey: Survey, person: "Person", key: str, result: CommandResult) -> None:
    """Inside the transaction of the change. Of what can be undone only the newest is kept, since it can be large."""
    if not key:
        return
    commands = _commands(survey, person)
    commands.filter(removed__isnull=False).update(removed=None)
    commands.create(
        survey=survey,
        person=person,
        key=key,
        said=result.said,
        shown=result.key,
        shows_form=result.shows_form,
        focus=result.focus,
        removed=result.removed,
    )
    newest = commands.order_by("-pk").values_list("pk", flat=True)[:KEPT]
    commands.exclude(pk__in=list(newest)).delete()


def _commands(survey: Survey, person: "Person") -> "QuerySet[DraftCommand]":
    return DraftCommand.objects.filter(survey=survey, person=person)
