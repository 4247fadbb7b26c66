"""Writing down what somebody changed in a draft, unless somebody else has changed the same meanwhile."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.forms import Form

from people.history import record
from people.models import History
from surveys import save_draft
from surveys.builder.commands import Command, CommandResult, Sent
from surveys.builder.normal_form import orderly
from surveys.builder.parts import DraftPart, base_of
from surveys.draft import Draft
from surveys.models import Survey

if TYPE_CHECKING:
    from people.models import Person

QUIET = timedelta(hours=1)
"""Whoever goes on writing is named once in this time: the history is no log of keystrokes."""


@dataclass(eq=False)
class NotSaved(Exception):
    """`draft` is what is stored; `form` holds what was sent. Nothing has been written."""

    draft: Draft
    form: Form


class Conflict(NotSaved):
    """The part is not what it was when its form was filled."""


class Invalid(NotSaved):
    """The form says what is wrong."""


def edited(survey: Survey) -> Draft:
    """The draft in the shape that the builder edits."""
    draft: Draft = survey.draft
    return orderly(draft)


def change(survey: Survey, person: "Person", edit: Callable[[Draft], Draft], now: datetime) -> Draft:
    """Apply an edit to the draft as it is stored now; what the edit raises leaves everything as it was."""
    with transaction.atomic():
        save_draft.change(survey, lambda draft: edit(orderly(draft)))
        lately = History.objects.about(survey).filter(who=person, what="surveys.edited", when__gt=now - QUIET)
        if not lately.exists():
            record(person, "surveys.edited", survey, when=now)
    return edited(survey)


def act(
    survey: Survey, person: "Person", act: Command, sent: Sent, now: datetime
) -> tuple[Draft, CommandResult]:
    outcomes: list[CommandResult] = []

    def edit(draft: Draft) -> Draft:
        outcomes.append(act(draft, sent))
        return outcomes[-1].draft

    return change(survey, person, edit, now), outcomes[-1]


def save(
    survey: Survey, person: "Person", part: DraftPart, base: str, data: Mapping[str, Any], now: datetime
) -> Draft:
    """Store a part's form. NotSaved says why not; Refused, where what was asked for cannot be."""
    return change(survey, person, saving(part, base, data), now)


def saving(part: DraftPart, base: str, data: Mapping[str, Any]) -> Callable[[Draft], Draft]:
    def edit(draft: Draft) -> Draft:
        form = part.form(draft, data)
        if base != base_of(part, draft):
            form.is_valid()
            raise Conflict(draft, form)
        if not form.is_valid():
            raise Invalid(draft, form)
        return part.changed(draft, form.cleaned_data)

    return edit
