"""Shared parts of the commands on files: arguments, output, and error messages."""

import gc
import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from privacy.grammar.input_error import InputError, name_extra_of_missing_package

DESIGN: dict[str, Any] = {"type": Path, "metavar": "DESIGN", "help": "the design, as the builder exports it"}
RECORDS: dict[str, Any] = {
    "type": Path,
    "metavar": "RECORDS.csv",
    "help": "a row for each person; commas, semicolons or tabs, in UTF-8 or UTF-16",
}
"""Options of arguments that several commands have, for `argparse`."""
OBJECTS = 100_000
"""Number of new objects before a garbage collection, raised since collections took half the time of reading a file."""


class CommandError(Exception):
    """Error that ends a command with one line on standard error, or silently without a message, and an exit status. 2:
    wrong usage; None: the command's own for what it refuses or cannot do, mostly 1."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


@contextmanager
def convert_input_errors() -> Iterator[None]:
    """Context manager: turns refused input and lack of memory into a `CommandError`."""
    usual = gc.get_threshold()
    gc.set_threshold(OBJECTS)
    try:
        with name_extra_of_missing_package():
            yield
    except InputError as refusal:
        raise CommandError(str(refusal)) from None
    except MemoryError:
        raise CommandError("the files need more memory than there is") from None
    finally:
        gc.set_threshold(*usual)


def print_json(content: object) -> None:
    """Writes `content` to standard output as JSON; infinity and NaN raise `ValueError`."""
    write_output([json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False), "\n"])


def write_output(pieces: Iterable[str]) -> None:
    """Writes `pieces` to standard output, in UTF-8 whatever the locale.

    Raises `CommandError` if the disk is full or, without a message, if nobody reads the pipe any more.
    """
    stream: object = sys.stdout
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding="utf-8", newline="")
    try:
        sys.stdout.writelines(pieces)
        sys.stdout.flush()
    except OSError as error:
        # What is left in the buffer would be tried again, and complained of again, when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        left = isinstance(error, BrokenPipeError)
        raise CommandError("" if left else f"standard output: cannot be written ({error.strerror})") from None
