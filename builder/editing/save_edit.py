"""Saves edits of a draft: runs each command once, and never overwrites what another person has changed
meanwhile.

Idempotency: a page that got no response sends its command again with the same random key. The key is stored
for the person and survey, in the transaction of the change. A page sends one command at a time, so a few keys
per person are enough, even with several tabs. A form sent without a script may have no key.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.forms import Form
from django.http import HttpRequest
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from accounts.models import History
from builder.editing.separately_saved_parts import DraftPart, part_digest
from surveys.kinds.apply_protection_presets import apply_presets
from surveys.kinds.read_draft import read_questionnaire, read_stored_questionnaire
from surveys.lifecycle import save_draft
from surveys.models import DraftCommand, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.questionnaire import Command, CommandResult, Questionnaire, Sent

if TYPE_CHECKING:
    from accounts.models import Person

Edit = Callable[[Questionnaire], Questionnaire]

KEY = re.compile(r"[0-9a-f]{32}")
KEPT = 16
"""Number of idempotency keys that are stored for each person and survey."""
QUIET = timedelta(hours=1)
"""Time in which the edits of one person are one row of the history."""


@dataclass(eq=False)
class PartNotSaved(Exception):
    """Base class of Conflict and Invalid, raised if a form cannot be saved.

    `draft` is the stored questionnaire, `form` the submitted form.
    """

    draft: Questionnaire
    form: Form


class EditConflict(PartNotSaved):
    """Raised if another person has changed the same part of the draft since the form was shown."""


class InvalidPartForm(PartNotSaved):
    """Raised if the form has errors."""


def load_questionnaire(survey: Survey) -> Questionnaire:
    """Returns the stored draft of a survey as a questionnaire."""
    return read_stored_questionnaire(survey.draft)


def apply_edit(survey: Survey, person: "Person", edit: Edit, now: datetime) -> Questionnaire:
    """Applies `edit` and the presets to the stored draft under a lock; logs it in the history, at most once in `QUIET`
    for each person. Changes nothing if `edit` raises."""
    with transaction.atomic():
        save_draft.edit_stored_draft(
            survey, lambda stored: apply_presets(edit(read_stored_questionnaire(stored))).as_json()
        )
        lately = History.objects.about(survey).filter(who=person, what="surveys.edited", when__gt=now - QUIET)
        if not lately.exists():
            log_activity(person, "surveys.edited", survey, when=now)
    return load_questionnaire(survey)


def save_part(
    survey: Survey, person: "Person", part: DraftPart, base: str, data: Mapping[str, Any], now: datetime
) -> Questionnaire:
    """Saves a part of the draft, such as a question, from its form data; raises NotSaved or NotAllowed. `base` is the
    digest of the part that the person saw."""

    def apply_form(draft: Questionnaire) -> Questionnaire:
        form = part.build_form(draft, data)
        if base != part_digest(part, draft) and not _is_already_saved(part, form, draft):
            form.is_valid()
            raise EditConflict(draft, form)
        if not form.is_valid():
            raise InvalidPartForm(draft, form)
        return part.apply_cleaned(draft, form.cleaned_data)

    return apply_edit(survey, person, apply_form, now)


def _is_already_saved(part: DraftPart, form: Form, draft: Questionnaire) -> bool:
    """True if saving would change nothing: a repeated save, or another person saved the same values before."""
    try:
        if not form.is_valid():
            return False
        after = apply_presets(part.apply_cleaned(draft, form.cleaned_data))
        return read_questionnaire(after.as_json()) == draft
    except NotAllowed:
        return False


def run_command(
    survey: Survey, person: "Person", command: Command, sent: Sent, now: datetime, key: str = ""
) -> tuple[Questionnaire, CommandResult]:
    """Runs a command once per idempotency key `key`; a repeat gets the stored result of the first run."""
    results: list[CommandResult] = []

    def apply_command(draft: Questionnaire) -> Questionnaire:
        results.append(command(draft, sent))
        return results[-1].draft

    commands = DraftCommand.objects.filter(survey=survey, person=person)
    with transaction.atomic():
        # Of two repeats at the same time the later one waits here.
        stored = read_stored_questionnaire(Survey.objects.get_locked(survey.pk).draft)
        if key and not KEY.fullmatch(key):
            raise NotAllowed(_("That could not be understood. Reload the page and try again."))
        if key and (earlier := commands.filter(key=key).first()):
            return stored, CommandResult(
                stored, earlier.said, earlier.shown, earlier.shows_form, earlier.focus, earlier.removed
            )
        draft = apply_edit(survey, person, apply_command, now)
        result = results[-1]
        if key:
            # What undo needs can be large, so only the newest command keeps it.
            commands.filter(removed__isnull=False).update(removed=None)
            commands.create(
                survey=survey,
                person=person,
                key=key,
                said=result.message,
                shown=result.key,
                shows_form=result.shows_form,
                focus=result.focus,
                removed=result.removed,
            )
            newest = commands.order_by("-pk").values_list("pk", flat=True)[:KEPT]
            commands.exclude(pk__in=list(newest)).delete()
    return draft, result


def idempotency_key(request: HttpRequest) -> str:
    """Returns the idempotency key in this request; empty if there is none."""
    return request.POST.get("idempotency_key", "")


def is_repeated_command(survey: Survey, person: "Person", key: str) -> bool:
    """True if a command with this idempotency key has been run already."""
    return bool(key) and DraftCommand.objects.filter(survey=survey, person=person, key=key).exists()
