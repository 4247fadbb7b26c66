"""The whole product as a newcomer starts it, on a port and in a folder of its own."""

import http.client
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from config.start.start_preparation import check_port_is_free
from tests import servers

EMPTY = ("demo", "--empty")


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    text: str


def queued(pid: int) -> float:
    """Seconds that a process could have worked and waited for a processor that others held."""
    known = Path(f"/proc/{pid}/schedstat")
    return int(known.read_text().split()[1]) / 1e9 if known.exists() else 0.0


@dataclass
class Product:
    """`seconds` until it was ready, and how many of them it was `queued` on a busy machine.

    `cookies` are by role those of the first browser in which somebody signed in.
    """

    port: int
    var: Path
    env: dict[str, str]
    process: subprocess.Popen[str]
    seconds: float = 0.0
    queued: float = 0.0
    said: list[str] = field(default_factory=list)
    others: dict[str, tuple[str, str]] = field(default_factory=dict)
    cookies: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def passwords(self) -> dict[str, tuple[str, str]]:
        """Role -> user name and password, as printed at the start, and of the `others` that a test made."""
        rows = [re.fullmatch(r"  (researcher|reviewer) +(\S+) +(\S+)", line.rstrip()) for line in self.said]
        return {row[1]: (row[2], row[3]) for row in rows if row} | self.others

    def ask(self, method: str, path: str, body: str | None = None, **headers: str) -> Answer:
        """One request as it is written here: nothing is added to it and no redirect followed."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=servers.PATIENCE)
        try:
            connection.request(method, path, body, {k.replace("_", "-"): v for k, v in headers.items()})
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read().decode())
        finally:
            connection.close()

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
        return self.process.wait(servers.PATIENCE)


@contextmanager
def supervised(
    var: Path, words: Sequence[str], env: dict[str, str], root: Path = servers.ROOT
) -> Iterator[Product]:
    """The supervisor at work with these words; what it has said is read by whoever waits for it.

    It begins with the tables and static files that the first start of this run has made.
    """
    port = servers.free_port()
    if root == servers.ROOT:
        servers.share_first_start({**env, "VAR": str(var)})
    elif var.is_dir():
        servers.compile_kernels()
    settings = servers.environment(VAR=str(var), **env)
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "config.start.server_and_worker",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            *words,
        ],
        cwd=root,
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    running = Product(port, var, settings, process)
    try:
        yield running
    finally:
        running.stop()
        assert process.stdout
        process.stdout.close()


@contextmanager
def product(
    var: Path, words: Sequence[str] = EMPTY, root: Path = servers.ROOT, **env: str
) -> Iterator[Product]:
    began = time.monotonic()
    with supervised(var, words, env, root) as running:
        running.read_until("Ctrl-C")
        running.seconds, running.queued = time.monotonic() - began, queued(running.process.pid)
        key = var / "secret-key"
        running.env["SECRET_KEY"] = key.read_text() if key.exists() else os.urandom(32).hex()
        yield running


def is_well(running: Product) -> bool:
    try:
        return running.ask("GET", "/healthz").status == 200
    except OSError:
        return False


def wait_for_all(running: Product) -> None:
    """Two first processes and a child of each."""
    servers.wait(
        lambda: is_well(running) and len(servers.family(running.process.pid)) >= 5,
        "the product being well",
        pause=0.2,
    )


def process_of(running: Product, program: str) -> int:
    """The first process of this program, or the supervisor."""
    if program == "supervisor":
        return running.process.pid
    return next(
        pid
        for pid in servers.children(running.process.pid)
        if program in Path(f"/proc/{pid}/cmdline").read_bytes().decode()
    )


def kill_and_see_all_end(running: Product, program: str) -> None:
    everybody = servers.family(running.process.pid)[1:]
    os.kill(process_of(running, program), signal.SIGKILL)
    assert running.process.wait(servers.PATIENCE) == (-signal.SIGKILL if program == "supervisor" else 1)
    servers.wait(lambda: not any(map(servers.lives, everybody)), "all of them ending")
    # The port is free: the next start goes on.
    check_port_is_free("127.0.0.1", running.port)
