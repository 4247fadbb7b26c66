"""What the two commands share: whatever keeps them from their work is said in one line."""

import json
from typing import Any

from django.core.management.base import CommandError
from django.db import DatabaseError

from config.backup.archive import BackupRefused, Json
from config.running import InstanceLocked
from surveys.management.files import FileCommand


class BackupCommand(FileCommand):
    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except (BackupRefused, InstanceLocked) as reason:
            raise CommandError(str(reason)) from None
        except DatabaseError as error:
            # Its further lines may hold values of rows.
            raise CommandError(f"the database: {str(error).partition(chr(10))[0]}") from None

    def send_json(self, content: Json) -> None:
        self.send([json.dumps(content, indent=2), "\n"])
