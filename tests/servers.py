"""Real servers for the tests: on free ports, in temporary folders, gone afterwards.

What takes seconds to make, as migrated tables do, is made once by the first process of a run that needs it, in a folder
that all of them share.
"""

import asyncio
import atexit
import fcntl
import os
import pwd
import resource
import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from threading import Thread
from typing import Any, TypeVar

from django.db import connection
from django.db.backends.signals import connection_created

from tests import commands

ROOT = commands.ROOT
T = TypeVar("T")
PREPARE = """
import brotli, os
from functools import partial
from config.start import start_preparation, file_permissions, server_and_worker
brotli.compress = partial(brotli.compress, quality=1)
os.umask(file_permissions.UMASK)
words = ["serve", "--host", "127.0.0.1", "--port", "1", "--web", "0"]
start_preparation.prepare_start(server_and_worker.parser().parse_args(words))
"""
"""The best compression of static files takes 15 seconds; no test asks for it."""
PORTS = range(12_000, 32_000)
"""Below those that Linux gives to connections, above those that browsers refuse."""

PATIENCE = 300
"""Seconds after which something must have hung: a busy machine takes many times as long as a quiet one."""


# --- the folder that the processes of a run share ---


RUN_FOLDER = "CANDOR_TEST_RUN"
"""The environment variable that tells the processes of a run their common folder."""


def begin_run() -> Path:
    """The common folder; a process that another one of this run has started finds it made."""
    if RUN_FOLDER not in os.environ:
        os.environ[RUN_FOLDER] = tempfile.mkdtemp(prefix="candor-")
        atexit.register(shutil.rmtree, os.environ[RUN_FOLDER], ignore_errors=True)
    return Path(os.environ[RUN_FOLDER])


def is_first(name: str) -> bool:
    """Whether no process of this run has asked for this name before."""
    try:
        (begin_run() / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def make_once(name: str, make: Callable[[Path], object]) -> Path:
    """The folder of this name with what `make` puts into it. It is to be read and copied, never changed."""
    run = begin_run()
    made, part = run / name, run / f"{name}.part"
    with (run / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            make(part)
            part.rename(made)
    return made


@contextmanager
def migrate_once() -> Iterator[Callable[[], None]]:
    """The tables of tests that need no server: the first process migrates and calls what it is given; others begin with
    the tables that it made."""
    made = begin_run() / "migrated.sqlite3"
    with made.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if made.exists():
            fcntl.flock(lock, fcntl.LOCK_UN)
            connection_created.connect(_Fill(made), weak=False, dispatch_uid="migrated")
            yield lambda: None
            return

        def copy_and_unlock() -> None:
            if _is_in_memory(connection):
                _copy(made)
            fcntl.flock(lock, fcntl.LOCK_UN)

        yield copy_and_unlock


def _is_in_memory(of: Any) -> bool:
    """No file and no server, which would not be the tests' alone."""
    return bool(of.vendor == "sqlite" and of.is_in_memory_db())


def _copy(made: Path) -> None:
    part = made.with_suffix(".part")
    with closing(sqlite3.connect(part)) as copy:
        connection.connection.backup(copy)
    part.rename(made)


class _Fill:
    """Puts the tables into the database when it is first opened: then nothing is left to migrate."""

    def __init__(self, made: Path) -> None:
        self.made = made

    def __call__(self, connection: Any, **more: Any) -> None:
        connection_created.disconnect(dispatch_uid="migrated")
        if _is_in_memory(connection):
            with closing(sqlite3.connect(self.made)) as copy:
                copy.backup(connection.connection)


# --- ports, waiting, commands ---


def free_port() -> int:
    """A port that no other server of this run gets, also while its own one is restarted, and that Linux gives to no
    connection."""
    while True:
        port = PORTS.start + secrets.randbelow(len(PORTS))
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            if is_first(f"port-{port}"):
                return port


def wait(
    until: Callable[[], bool], what: str, seconds: float = PATIENCE, pause: float = 0.05, longest: float = 0.5
) -> None:
    """`pause` in seconds between two looks: longer where a look itself keeps servers busy, and up to `longest` in long
    waits, lest looking takes much of what is waited for."""
    begin = time.monotonic()
    while not until():
        waited = time.monotonic() - begin
        if waited > seconds:
            raise TimeoutError(f"{what} did not happen within {seconds} s")
        time.sleep(max(pause, min(waited / 20, longest)))


def is_port_listening(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def web(**constants: float | dict[str, int]) -> list[str]:
    """The command of the web server, in which these constants have other values."""
    values = [f"web_server.{name} = {value!r}" for name, value in constants.items()]
    return [
        sys.executable,
        "-c",
        "\n".join(["import sys", "from config import web_server", *values, "sys.exit(web_server.main())"]),
    ]


@contextmanager
def folder(owner: str | None = None) -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="candor-"))
    if owner:
        shutil.chown(path, owner, owner)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def migrate_database(server: "Postgres", name: str, var: Path, code: str) -> dict[str, str]:
    """The environment of a new database, migrated as in production, in which this code was run."""
    compile_kernels()
    env = environment(DATABASE_URL=server.create(name, server.migrated()), VAR=str(var))
    manage(env, "shell", "--verbosity=0", "-c", code)
    return env


class Postgres:
    """A PostgreSQL cluster of one's own; `log` is its server log, `data` its files."""

    def __init__(self, home: Path, user: str | None) -> None:
        self.home, self.user = home, user
        self.data, self.log, self.port = home / "data", home / "server.log", free_port()
        self.bin = max(Path("/usr/lib/postgresql").glob("*/bin"))
        self._migrated = False

    def run(self, *words: str, errors: int = subprocess.DEVNULL) -> None:
        subprocess.run(
            [str(self.bin / words[0]), *words[1:]],
            check=True,
            cwd=self.home,
            user=self.user,
            group=self.user,
            extra_groups=[] if self.user else None,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )

    def start(self) -> None:
        words = (
            f"-p {self.port} -k {self.home} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200"
        )
        self.run("pg_ctl", "-D", str(self.data), "-l", str(self.log), "-o", words, "-w", "start")

    def stop(self, mode: str = "immediate") -> None:
        self.run("pg_ctl", "-D", str(self.data), "-m", mode, "-w", "stop")

    def processes(self) -> list[int]:
        """The server's first process and those that serve connections."""
        first = int((self.data / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        return [first, *map(int, children)]

    def kill(self) -> None:
        """Every process at once, as where the machine loses its power."""
        pids = self.processes()
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait(lambda: not any(is_process_alive(pid) for pid in pids), "PostgreSQL being gone")
        # Until somebody takes notice of a dead process, its number is in use; after a loss of power it is not.
        for lock in (self.data / "postmaster.pid", self.home / f".s.PGSQL.{self.port}.lock"):
            lock.unlink(missing_ok=True)

    def freeze_processes(self) -> None:
        """It takes connections and statements and answers none."""
        self._signal(signal.SIGSTOP)

    def resume_processes(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        for pid in self.processes():
            # One that served a connection may end meanwhile.
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def create(self, name: str, template: str = "template1") -> str:
        """A fresh database, or a copy of another; its address."""
        where = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "candor"]
        refusals: list[str] = []

        def try_to_create() -> bool:
            try:
                self.run("createdb", *where, "-T", template, name, errors=subprocess.PIPE)
            except subprocess.CalledProcessError as error:
                refusals.append(error.stderr.decode())
                if "already exists" in refusals[-1]:
                    # Only an earlier attempt, whose connection broke, may have made it: names are not shared.
                    assert len(refusals) > 1, refusals[-1]
                    self.run("dropdb", *where, "--force", name)
                return False
            return True

        # For a moment the server itself may look after the template, which nobody may use meanwhile.
        try:
            wait(try_to_create, f"the database {name} being made")
        except TimeoutError as error:
            raise AssertionError(f"{error}: {refusals[-1]}\n{self.log.read_text()[-3000:]}") from None
        return f"postgres://candor@127.0.0.1:{self.port}/{name}"

    def migrated(self) -> str:
        """The name of a database that is migrated as in production, to copy: that takes a tenth of migrating.

        One process of a run migrates; the others load what that one has dumped.
        """
        if not self._migrated:
            tables = make_once("postgresql", self._migrate) / "tables.sql"
            if not self._migrated:
                self._load(tables.read_bytes(), self.create("migrated"))
            self._migrated = True
        return "migrated"

    def _migrate(self, made: Path) -> None:
        address = self.create("migrated")
        with folder() as var:
            manage(environment(DATABASE_URL=address, VAR=str(var)), "migrate", "-v", "0")
        (made / "tables.sql").write_bytes(self._dump(address))
        self._migrated = True

    def copy(self, address: str, name: str) -> str:
        """A fresh database with what this one dumps; its address."""
        made = self.create(name)
        self._load(self._dump(address), made)
        return made

    def _dump(self, address: str) -> bytes:
        words = [str(self.bin / "pg_dump"), "--no-owner", "--no-privileges", address]
        return subprocess.run(words, check=True, capture_output=True).stdout

    def _load(self, dumped: bytes, address: str) -> None:
        words = [str(self.bin / "psql"), "-q", "-v", "ON_ERROR_STOP=1", address]
        subprocess.run(words, check=True, input=dumped, stdout=subprocess.DEVNULL)


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
        wait(lambda: is_port_listening(self.port), "Redis answering")

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


def is_process_alive(pid: int) -> bool:
    return start_time(pid) > 0


def start_time(pid: int) -> int:
    """In clock ticks since boot; 0 for a process that has ended. Pids are reused; a pid with its start time is not."""
    try:
        # The name in brackets may hold anything.
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return 0 if words[0] in "ZX" else int(words[19])


def children(pid: int) -> list[int]:
    """The processes that this one and its threads have started."""
    pids: list[int] = []
    # Processes and threads may end while they are read.
    with suppress(OSError):
        for listed in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):
                pids += map(int, listed.read_text().split())
    return pids


def family(pid: int) -> list[int]:
    """This process and all that descend from it."""
    return [pid, *(member for child in children(pid) for member in family(child))]


@contextmanager
def full_disk(pid: int) -> Iterator[None]:
    """For this process and its children no file can be written beyond its first 4 kB, as if the disk were full; nothing
    has to be mounted for it."""
    _limit_files(pid, 4096)
    try:
        yield
    finally:
        # Those that were started meanwhile too.
        _limit_files(pid, resource.RLIM_INFINITY)


def _limit_files(pid: int, size: int) -> None:
    """A process that reads an upload may write no file at all, and keeps this bound."""
    for member in family(pid):
        with suppress(ProcessLookupError):
            if resource.prlimit(member, resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY:
                resource.prlimit(member, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def prepare(env: dict[str, str]) -> None:
    """A migrated database where this environment has it; one that is there already is migrated itself."""
    made = Path(env["VAR"]) / "candor.sqlite3"
    if "DATABASE_URL" in env or made.exists():
        manage(env, "migrate", "-v", "0")
    else:
        made.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(migrated_file(), made)


def environment(**more: str) -> dict[str, str]:
    """The environment for a process of the product: what it needs and nothing of the caller's settings."""
    kept = {
        k: v
        for k, v in os.environ.items()
        if k in ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_CACHE_HOME", "COVERAGE_RCFILE")
    }
    return {**kept, "PYTHONUNBUFFERED": "1", **more}


def compile_kernels() -> None:
    """Lets one process of this run compile all kernels, unless an earlier run has: that takes a minute."""
    words = [sys.executable, "-m", "mining.compile_kernels"]
    make_once("kernels", lambda _: subprocess.run(words, cwd=ROOT, check=True))


def first_start() -> Path:
    """What a first start finds and makes before its first process: `var`, which was not there, and an empty `home`."""
    return make_once("first-start", _make_first_start)


def _make_first_start(folder: Path) -> None:
    home = folder / "home"
    home.mkdir()
    env = environment(VAR=str(folder / "var"), HOME=str(home), PRODUCTION="no")
    words = [sys.executable, "-c", PREPARE]
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def migrated_file() -> Path:
    """A SQLite file that is migrated as in production, to copy."""
    return first_start() / "var" / "candor.sqlite3"


def collected_static() -> Path:
    """The folder of an instance that has collected its static files, to copy."""
    return first_start() / "var"


def share_first_start(env: dict[str, str]) -> None:
    """Give a new instance the tables and static files that its first start makes in a minute."""
    var = Path(env["VAR"])
    var.mkdir(mode=0o700, parents=True, exist_ok=True)
    compile_kernels()
    if "DATABASE_URL" not in env and not (var / "candor.sqlite3").exists():
        prepare(env)
    if not (var / "static").exists():
        shutil.copytree(collected_static() / "static", var / "static")
        shutil.copy(collected_static() / "static-collected", var)


def manage(env: dict[str, str], *words: str, root: Path = ROOT) -> str:
    """Run a management command to its end; its standard output, without the mail that it sends meanwhile."""
    if "VAR" in env:
        env = {"MAIL_URL": f"file://{env['VAR']}/mail", **env}
    done = commands.run(env, *words) if root == ROOT else commands.by_itself(env, *words, root=root)
    if done.returncode:
        raise AssertionError(
            f"manage.py {' '.join(words)} ended with {done.returncode}: {done.stderr[-2000:]}"
        )
    return done.stdout


def run_in_thread(begin: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs a coroutine in a thread of its own: once a browser is open, Playwright's loop runs in the tests' thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(begin())).result()  # noqa: TID251


def replace_folder_by_file(folder: Path) -> None:
    """A worker makes a missing folder again at once; to keep it away, a file takes its place."""

    def try_to_replace() -> bool:
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    wait(try_to_replace, "the folder being gone")


# --- in a thread of this process ---


@contextmanager
def serve(server: TCPServer) -> Iterator[int]:
    """Serves until the end; the port."""
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class HTTPHandler(BaseHTTPRequestHandler):
    """Says nothing of its requests."""

    def log_message(self, *_words: Any) -> None:
        pass

    def send(self, body: bytes, status: int = 200, **headers: str) -> None:
        """The answer; `Content_Type` is a header's name."""
        self.send_response(status)
        for name, value in {**headers, "Content_Length": str(len(body))}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


class _FileHandler(HTTPHandler, SimpleHTTPRequestHandler):
    pass


def serve_http(handler: type[HTTPHandler]) -> AbstractContextManager[int]:
    return serve(ThreadingHTTPServer(("127.0.0.1", 0), handler))


def serve_folder(folder: Path) -> AbstractContextManager[int]:
    return serve(ThreadingHTTPServer(("127.0.0.1", 0), partial(_FileHandler, directory=str(folder))))
