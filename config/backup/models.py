"""Rows about backups, and about changes that no restore may undo."""

import uuid
from datetime import datetime

from django.db import models
from django.db.models import Max
from django.utils.translation import gettext_lazy as _


class Backup(models.Model):
    """A backup of this database; the row is written before the backup begins, so the backup contains it.

    `completed`: its file was written; `checked`: when `restore --check` last verified it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    made = models.DateTimeField()
    completed = models.BooleanField(default=False)
    checked = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("backup")
        verbose_name_plural = _("backups")

    def __str__(self) -> str:
        return f"{self.made:%Y-%m-%d %H:%M}"

    @classmethod
    def last_made(cls) -> datetime | None:
        """Returns the time of the last complete backup; None if there is none."""
        at: datetime | None = cls._default_manager.filter(completed=True).aggregate(at=Max("made"))["at"]
        return at

    @classmethod
    def last_checked(cls) -> datetime | None:
        """Returns the time when a backup was last verified; None if none was."""
        at: datetime | None = cls._default_manager.aggregate(at=Max("checked"))["at"]
        return at


class Remembered(models.Model):
    """Changes of one survey that no restore may undo: its destruction, deletion date and used invitations.

    The row survives restores, even of backups from before the survey was made. `spent` holds the digests of invitations
    used since the first backup, `DIGEST` bytes each, sorted so that they do not tell when each was used. A destroyed
    survey has no digests.
    """

    slug = models.CharField(primary_key=True, max_length=64)
    destroyed = models.BooleanField(default=False)
    until = models.DateField(null=True)
    spent = models.BinaryField(default=b"")

    def __str__(self) -> str:
        return self.slug[:12]
