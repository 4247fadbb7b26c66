"""An arena to send hostile files into, and what came out."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests import servers
from tests.hostile.arena import SECONDS


@dataclass(frozen=True)
class Ended:
    """`status` is negative where a signal ended it; `seconds` of processor time."""

    status: int
    seconds: float
    out: str
    err: str

    @property
    def broken(self) -> str:
        """Why this is no orderly end; nothing where it is one."""
        if self.status not in (0, 1, 2):
            return f"ended with {self.status} after {self.seconds:.1f} s: {self.err[-1500:]}"
        if "Traceback" in self.err:
            return f"printed a traceback: {self.err[-1500:]}"
        if self.status and len(self.err.strip().splitlines()[-1:]) != 1:
            return "was refused without a word"
        return "" if self.seconds < SECONDS else f"took {self.seconds:.1f} s"


class Arena:
    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        self._process, self.folder = process, folder

    def run(self, *words: str) -> Ended:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        return Ended(**json.loads(self._process.stdout.readline()))


@contextmanager
def arena(kind: str, folder: Path) -> Iterator[Arena]:
    env = servers.environment(VAR=str(folder), DJANGO_SETTINGS_MODULE="config.settings")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.hostile.arena", kind, str(folder)],
        cwd=servers.ROOT,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdin
        assert process.stdout
        try:
            assert json.loads(process.stdout.readline())["ready"]
            yield Arena(process, folder)
        finally:
            process.stdin.close()
