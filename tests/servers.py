"""Real servers for the tests: on free ports, in temporary folders, gone afterwards."""

import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait(until: Callable[[], bool], what: str, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not until():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not happen within {seconds} s")
        time.sleep(0.05)


def listening(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def folder(owner: str | None = None) -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="candor-"))
    if owner:
        shutil.chown(path, owner, owner)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def migrated(server: "Postgres", name: str, var: Path, code: str) -> dict[str, str]:
    """The environment of a new database, migrated as in production, in which this code was run."""
    env = environment(DATABASE_URL=server.create(name), VAR=str(var))
    manage(env, "migrate", "--verbosity=0")
    manage(env, "shell", "--verbosity=0", "-c", code)
    return env


class Postgres:
    """A PostgreSQL cluster of one's own; `log` is its server log, `data` its files."""

    def __init__(self, home: Path, user: str | None) -> None:
        self.home, self.user = home, user
        self.data, self.log, self.port = home / "data", home / "server.log", free_port()
        self.bin = max(Path("/usr/lib/postgresql").glob("*/bin"))

    def run(self, *words: str) -> None:
        subprocess.run(
            [str(self.bin / words[0]), *words[1:]],
            check=True,
            cwd=self.home,
            user=self.user,
            group=self.user,
            extra_groups=[] if self.user else None,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def start(self) -> None:
        words = (
            f"-p {self.port} -k {self.home} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200"
        )
        self.run("pg_ctl", "-D", str(self.data), "-l", str(self.log), "-o", words, "-w", "start")

    def stop(self, mode: str = "immediate") -> None:
        self.run("pg_ctl", "-D", str(self.data), "-m", mode, "-w", "stop")

    def create(self, name: str) -> str:
        """A fresh database; its address."""
        self.run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "candor", name)
        return f"postgres://candor@127.0.0.1:{self.port}/{name}"


@contextmanager
def postgres() -> Iterator[Postgres]:
    # initdb refuses to run as root; Debian's package brings the account that may.
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        pwd.getpwnam(user)
    with folder(user) as home:
        server = Postgres(home, user)
        server.run("initdb", "-D", str(server.data), "-U", "candor", "-A", "trust", "--locale=C.UTF-8", "-N")
        server.start()
        try:
            yield server
        finally:
            server.stop()


class Redis:
    def __init__(self, home: Path) -> None:
        self.home, self.port = home, free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        words = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.home)]
        self.process = subprocess.Popen([*words, "--save", "", "--logfile", str(self.home / "redis.log")])
        wait(lambda: listening(self.port), "Redis answering")

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()


@contextmanager
def redis() -> Iterator[Redis]:
    with folder() as home:
        server = Redis(home)
        server.start()
        try:
            yield server
        finally:
            server.kill()


def environment(**more: str) -> dict[str, str]:
    """The environment for a process of the product: what it needs and nothing of the caller's settings."""
    kept = {
        k: v
        for k, v in os.environ.items()
        if k in ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "COVERAGE_RCFILE")
    }
    return {**kept, "PYTHONUNBUFFERED": "1", **more}


def manage(env: dict[str, str], *words: str) -> str:
    """Run a management command to its end; its standard output."""
    done = subprocess.run(
        [sys.executable, "manage.py", *words], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise AssertionError(
            f"manage.py {' '.join(words)} ended with {done.returncode}: {done.stderr[-2000:]}"
        )
    return done.stdout
