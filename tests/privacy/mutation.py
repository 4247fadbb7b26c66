"""Mutants: real changes of the real source, loaded beside it."""

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

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

    def within(self, file: str, table: str, section: type, function: str = "") -> ModuleType:
        """The module in `file` whose table has the mutant, or a function of it, for this class of section."""
        module, mutant = Mutation(file, ()).python(), self.python()
        entry = getattr(mutant, function) if function else mutant
        vars(module)[table] = {**vars(module)[table], section: entry}
        return module

    def javascript(self, folder: Path) -> Path:
        """The file that composes a device of which this module is one."""
        composer = collected(folder)
        (folder / "privacy" / Path(self.file).relative_to(DEVICE)).write_text(self.source())
        return composer
