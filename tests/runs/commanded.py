"""Commands on files with numbers, as they are run."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from candor.__main__ import main


class Done(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def said(self) -> dict[str, Any]:
        assert self.status == 0, self.err
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def refusal(self) -> str:
        assert (self.status, self.out) == (1, "")
        assert self.err.count("\n") == 1
        return self.err


class Folder:
    """Files of a test, and commands that read them."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def write_all(self, **files: dict[str, Any] | Iterable[str]) -> "Folder":
        """The design of the questionnaire as JSON, records and truth as CSV, by their names."""
        for name, what in files.items():
            self.write(f"{name}.{'json' if isinstance(what, dict) else 'csv'}", what)
        return self

    def write(self, name: str, what: dict[str, Any] | Iterable[str]) -> None:
        text = json.dumps(what) if isinstance(what, dict) else "\n".join([*what, ""])
        (self.folder / name).write_text(text)

    def run(self, command: str, *arguments: str) -> Done:
        try:
            status = main([command, *arguments])
        except SystemExit as ended:
            status = int(ended.code or 0)
        return Done(status, *self.capsys.readouterr())
