"""The error for invalid input: the place in the input and the reason."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

SHOWN = 60


class InputError(ValueError):
    """Error for invalid input: its message is the place and the reason, on one line.

    `template` and `values` are the reason before formatting, for a page that translates it.
    """

    def __init__(self, path: str, template: str, **values: object) -> None:
        self.path = escape_invisible(path)
        self.template = template
        self.values = values
        self.reason = template % values if values else template
        super().__init__(f"{self.path}: {self.reason}")

    def __reduce__(self) -> tuple[Any, ...]:
        """Says how to make the error again in another process."""
        return partial(InputError, self.path, self.template, **self.values), ()

    def with_outer_path(self, path: str) -> "InputError":
        """Returns the error with the outer place `path` put before its own place."""
        return InputError(f"{path}: {self.path}", self.template, **self.values)


def mark_for_translation(message: str) -> str:
    """Returns the message unchanged; the call marks it for translation, without Django."""
    return message


_ = mark_for_translation


def unreadable_file(path: Path, error: OSError | ValueError) -> InputError:
    """Returns the refusal of a file that cannot be opened or read; ValueError: a null byte in its path."""
    what = getattr(error, "strerror", error)
    return InputError(str(path), _("cannot be read (%(what)s)"), what=what)


EXTRA_OF_PACKAGE = {
    "distributed": "dask",
    "formulaic": "formula",
    "mlxtend": "mining",
    "openpyxl": "files",
    "pyarrow": "files",
    "pyreadstat": "files",
}
"""Packages that some calls need, and the extra of pyproject.toml that brings each."""


@contextmanager
def name_extra_of_missing_package() -> Iterator[None]:
    """Context manager: refuses what needs a package that is not installed, with the extra that brings it."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRA_OF_PACKAGE:
            raise
        raise InputError(
            package,
            _("is not installed; it comes with Candor's extra “%(extra)s”"),
            extra=EXTRA_OF_PACKAGE[package],
        ) from None


def escape_invisible(text: str) -> str:
    """Returns the text on one line, with invisible characters escaped as in Python."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def quote_value(value: object) -> str:
    """Returns the repr of a value, at most SHOWN characters, on one printable line."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
