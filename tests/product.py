"""The whole product as a newcomer starts it, on a port and in a folder of its own."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests import servers


@dataclass
class Product:
    url: str
    var: Path
    env: dict[str, str]
    process: subprocess.Popen[str]
    seconds: float = 0.0
    said: list[str] = field(default_factory=list)

    @property
    def passwords(self) -> dict[str, tuple[str, str]]:
        """Role -> user name and password, as printed at the start."""
        rows = [re.fullmatch(r"  (researcher|reviewer) +(\S+) +(\S+)", line.rstrip()) for line in self.said]
        return {row[1]: (row[2], row[3]) for row in rows if row}

    def logs(self) -> str:
        return "".join(path.read_text() for path in sorted((self.var / "log").glob("*.log")))

    def read_until(self, words: str) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.said.append(line)
            if words in line:
                return
        raise AssertionError(f"{words!r} was never said: {''.join(self.said)}\n{self.logs()}")

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)


@contextmanager
def product(var: Path, *words: str, **env: str) -> Iterator[Product]:
    port = servers.free_port()
    settings = servers.environment(VAR=str(var), **env)
    began = time.monotonic()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "config.supervisor",
            "demo",
            "--empty",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            *words,
        ],
        cwd=servers.ROOT,
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    running = Product(f"http://127.0.0.1:{port}", var, settings, process)
    try:
        running.read_until("Ctrl-C")
        running.seconds = time.monotonic() - began
        key = var / "secret-key"
        running.env["SECRET_KEY"] = key.read_text() if key.exists() else os.urandom(32).hex()
        yield running
    finally:
        running.stop()
        assert process.stdout
        process.stdout.close()
