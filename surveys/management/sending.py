"""Standard output to the last byte: in UTF-8 whatever the locale, or a refusal in one line."""

import os
import sys
from collections.abc import Iterable
from io import TextIOWrapper

from django.core.management.base import CommandError, OutputWrapper


def send(out: OutputWrapper, pieces: Iterable[str]) -> None:
    """Write all of it as it stands and see it leave; a full disk or a closed pipe is a `CommandError`."""
    stream: object = out._out
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding="utf-8", newline="")
    try:
        for piece in pieces:
            out.write(piece, ending="")
        out.flush()
    except OSError as error:
        # What is left in the buffer would be tried again, and complained of again, when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise CommandError(f"standard output: cannot be written ({error.strerror})") from None
