"""Writes the history (activity log): who did what to which thing."""

from datetime import datetime

from django.db import models
from django.utils import timezone

from accounts.history_texts import is_action_registered
from accounts.models import History, Person


def log_activity(
    person: Person | None, action: str, thing: models.Model, note: str = "", when: datetime | None = None
) -> History:
    """Adds a row to the activity log: `person` did `action` to `thing`; None as `person` means Candor itself, on
    schedule.

    Must be called before a thing is destroyed, and never for a respondent or a respondent's data.
    """
    if not is_action_registered(action):
        raise ValueError(f"{action!r} was never announced")
    return History.objects.create(
        who=person,
        when=when or timezone.now(),
        what=action,
        thing_app=thing._meta.app_label,
        thing_model=thing._meta.model_name or "",
        thing_id=str(thing.pk),
        thing_name=str(thing)[:200],
        note=note,
    )


def renaming_note(before: str, after: str) -> str:
    """Returns the note for a changed name, "before → after": pages show a person's earlier acts under the
    present name."""
    return f"{before or '-'} → {after or '-'}"
