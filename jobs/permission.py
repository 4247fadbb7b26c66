"""The job an address names, for the person who asks; every view begins here."""

from typing import Any

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404

from jobs.kinds import kind
from jobs.models import Job, Visible


def load(person: AbstractUser, label: str, pk: str, action: str) -> Job:
    """404 for what does not exist or this person may not see, 403 for what they may see but not do."""
    manager: Any = getattr(kind(label), "_default_manager", None)
    if not isinstance(manager, Visible):
        raise Http404
    try:
        job: Job | None = manager.visible_to(person).filter(pk=pk).first()
    except (ValueError, OverflowError, ValidationError):
        job = None
    if job is None:
        raise Http404
    if not job.may(person, action):
        raise PermissionDenied
    return job
