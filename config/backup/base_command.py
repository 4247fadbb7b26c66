"""Base class of the commands backup and restore, which print a refusal as one line."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from candor.commands import command_base
from config.backup.archive import BackupRefused
from config.start.instance_lock import InstanceLocked


class BackupCommand(BaseCommand):
    requires_system_checks = ()
    suppressed_base_arguments = {
        *("--version", "--verbosity", "--settings", "--pythonpath"),
        *("--traceback", "--no-color", "--force-color", "--skip-checks"),
    }

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            with command_base.convert_input_errors():
                return super().execute(*args, **options)
        except (BackupRefused, InstanceLocked, command_base.CommandError) as reason:
            raise CommandError(str(reason)) from None
        except OSError as error:
            words = f"cannot use {error.filename or settings.VAR} ({error.strerror or error})"
            raise CommandError(words) from None
        except DatabaseError as error:
            # Its further lines may contain values of rows.
            raise CommandError(f"the database: {str(error).partition(chr(10))[0]}") from None
