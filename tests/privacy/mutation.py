"""Mutants: real changes of the real source, loaded beside it."""

from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

from tests.privacy.node import DEVICE, collected

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Mutation:
    """Pieces of a source file and what they become; each piece must stand there exactly once."""

    file: str
    patches: tuple[tuple[str, str], ...]

    def source(self) -> str:
        source = (ROOT / self.file).read_text()
        for old, new in self.patches:
            assert source.count(old) == 1, f"{self.file} has no single {old!r}"
            source = source.replace(old, new)
        return source

    def python(self) -> ModuleType:
        module = ModuleType("mutant")
        exec(compile(self.source(), self.file, "exec"), module.__dict__)
        return module

    def patch(self, monkeypatch: pytest.MonkeyPatch, of: type) -> None:
        """This class has the mutant's methods until the end of the test."""
        for name, method in vars(vars(self.python())[of.__name__]).items():
            # What a dataclass makes has no file.
            if isinstance(method, FunctionType) and method.__code__.co_filename == self.file:
                monkeypatch.setattr(of, name, method)

    def javascript(self, folder: Path) -> Path:
        """The file that composes a device of which this module is one."""
        composer = collected(folder)
        (folder / "privacy" / Path(self.file).relative_to(DEVICE)).write_text(self.source())
        return composer
