"""Saves edits of a draft, unless another person has changed the same part meanwhile."""

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.forms import Form
from django.http import HttpRequest
from django.utils.translation import gettext as _

from accounts.history import log_activity
from accounts.models import History
from builder.editing.parts import DraftPart, base_of
from surveys.kinds.presets import followed
from surveys.kinds.reading import read_questionnaire
from surveys.lifecycle import save_draft
from surveys.models import DraftCommand, Survey
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.commands import Command, CommandResult, Sent
from surveys.questionnaire.questionnaire import Questionnaire

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from accounts.models import Person

Edit = Callable[[Questionnaire], Questionnaire]

QUIET = timedelta(hours=1)
"""A person who goes on editing gets one row of the history in this time."""


@dataclass(eq=False)
class NotSaved(Exception):
    """`draft` is what is stored, `form` what was sent. Nothing was written."""

    draft: Questionnaire
    form: Form


class Conflict(NotSaved):
    """Another person has changed the part since the form was shown."""


class Invalid(NotSaved):
    """The form has errors."""


def normalized_draft(survey: Survey) -> Questionnaire:
    """The draft in normal form."""
    return read_questionnaire(survey.draft)


def change(survey: Survey, person: "Person", edit: Edit, now: datetime) -> Questionnaire:
    """Apply an edit to the draft as it is stored now; what the edit raises leaves everything as it was."""
    with transaction.atomic():
        save_draft.change(survey, lambda stored: followed(edit(read_questionnaire(stored))).as_json())
        lately = History.objects.about(survey).filter(who=person, what="surveys.edited", when__gt=now - QUIET)
        if not lately.exists():
            log_activity(person, "surveys.edited", survey, when=now)
    return normalized_draft(survey)


def act(
    survey: Survey, person: "Person", act: Command, sent: Sent, now: datetime, key: str = ""
) -> tuple[Questionnaire, CommandResult]:
    """Apply a command once for each idempotency key; a repeat is answered as the first was."""
    outcomes: list[CommandResult] = []

    def edit(draft: Questionnaire) -> Questionnaire:
        outcomes.append(act(draft, sent))
        return outcomes[-1].draft

    with transaction.atomic():
        # Of two repeats at the same time the later one waits here.
        stored = read_questionnaire(Survey.objects.locked(survey.pk).draft)
        if earlier := earlier_result(survey, person, checked(key), stored):
            return stored, earlier
        draft = change(survey, person, edit, now)
        remember(survey, person, key, outcomes[-1])
    return draft, outcomes[-1]


def save(
    survey: Survey, person: "Person", part: DraftPart, base: str, data: Mapping[str, Any], now: datetime
) -> Questionnaire:
    """Store a part's form. NotSaved says why not; NotAllowed, where what was asked for cannot be."""
    return change(survey, person, part_edit(part, base, data), now)


def part_edit(part: DraftPart, base: str, data: Mapping[str, Any]) -> Edit:
    def edit(draft: Questionnaire) -> Questionnaire:
        form = part.form(draft, data)
        if base != base_of(part, draft) and not _is_stored(part, form, draft):
            form.is_valid()
            raise Conflict(draft, form)
        if not form.is_valid():
            raise Invalid(draft, form)
        return part.changed(draft, form.cleaned_data)

    return edit


def _is_stored(part: DraftPart, form: Form, draft: Questionnaire) -> bool:
    """Whether a save would change nothing: its answer was lost and it is repeated, or another person wrote the same."""
    try:
        if not form.is_valid():
            return False
        after = followed(part.changed(draft, form.cleaned_data))
        return read_questionnaire(after.as_json()) == draft
    except NotAllowed:
        return False


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
