"""Base class of commands that read files and write one to standard output; a refusal is printed as one line."""

import gc
import json
import os
import sys
from collections.abc import Iterable
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from privacy.designs import InputError

DESIGN: dict[str, Any] = {"type": Path, "metavar": "DESIGN", "help": "the design, as the builder exports it"}
RECORDS: dict[str, Any] = {
    "type": Path,
    "metavar": "RECORDS.csv",
    "help": "a row for each person; commas, semicolons or tabs, in UTF-8 or UTF-16",
}
"""Arguments that several commands have."""
OBJECTS = 100_000
"""Made before garbage is looked for: what is read of a file is needed until the end, and looking took half the time."""


class FileCommand(BaseCommand):
    requires_system_checks = ()
    suppressed_base_arguments = {
        *("--version", "--verbosity", "--settings", "--pythonpath"),
        *("--traceback", "--no-color", "--force-color", "--skip-checks"),
    }
    refused_status = 1
    """The exit status where a file is refused."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        usual = gc.get_threshold()
        gc.set_threshold(OBJECTS)
        try:
            return super().execute(*args, **options)
        except InputError as refusal:
            raise CommandError(str(refusal), returncode=self.refused_status) from None
        except MemoryError:
            raise CommandError("the files need more memory than there is") from None
        finally:
            gc.set_threshold(*usual)

    def send_json(self, content: object) -> None:
        """Writes `content` to standard output as JSON; infinity and NaN raise `ValueError`."""
        self.send([json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False), "\n"])

    def send(self, pieces: Iterable[str]) -> None:
        """Writes `pieces` to standard output, in UTF-8 whatever the locale.

        Raises `CommandError` if the disk is full or the pipe is closed.
        """
        stream: object = self.stdout._out
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", newline="")
        try:
            for piece in pieces:
                self.stdout.write(piece, ending="")
            self.stdout.flush()
        except OSError as error:
            # What is left in the buffer would be tried again, and complained of again, when Python ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise CommandError(f"standard output: cannot be written ({error.strerror})") from None
