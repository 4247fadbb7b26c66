"""Base class of the commands backup and restore, which print a refusal as one line."""

from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError

from config.backup.archive import BackupRefused
from config.start.running import InstanceLocked
from surveys.management.file_command import FileCommand


class BackupCommand(FileCommand):
    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except (BackupRefused, InstanceLocked) as reason:
            raise CommandError(str(reason)) from None
        except DatabaseError as error:
            # Its further lines may contain values of rows.
            raise CommandError(f"the database: {str(error).partition(chr(10))[0]}") from None
