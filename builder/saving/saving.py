"""Saves edits of a draft, unless another person has changed the same part meanwhile."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.forms import Form

from accounts.history import log_activity
from accounts.models import History
from builder.parts.parts import DraftPart, base_of
from builder.saving import repeats
from surveys.kinds.presets import apply_presets
from surveys.kinds.reading import read_questionnaire
from surveys.lifecycle import save_draft
from surveys.models import Survey
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.commands import Command, CommandResult, Sent
from surveys.questionnaire.questionnaire import Questionnaire

if TYPE_CHECKING:
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
        save_draft.change(survey, lambda stored: apply_presets(edit(read_questionnaire(stored))).as_json())
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
        if earlier := repeats.earlier_result(survey, person, repeats.checked(key), stored):
            return stored, earlier
        draft = change(survey, person, edit, now)
        repeats.remember(survey, person, key, outcomes[-1])
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
        after = apply_presets(part.changed(draft, form.cleaned_data))
        return read_questionnaire(after.as_json()) == draft
    except NotAllowed:
        return False
