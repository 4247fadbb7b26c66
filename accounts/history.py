"""Writes the history: who did what."""

from datetime import datetime

from django.db import models
from django.utils import timezone

from accounts.history_texts import is_action_registered
from accounts.models import History, Person


def log_activity(
    person: Person | None, action: str, thing: models.Model, note: str = "", when: datetime | None = None
) -> History:
    """Adds a row to the activity log: `person` (None: Candor itself, on schedule) did `action` to `thing`.

    Call it before a thing is destroyed. Never log a respondent, nor what one of them sent.
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
    """Returns the note of a changed name: pages show who did something by the name of today."""
    return f"{before or '-'} → {after or '-'}"
