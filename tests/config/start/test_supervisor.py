"""The supervisor as a whole: one line where it cannot start, and nobody left behind where it fails later."""

import secrets
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from pytest_django.fixtures import Settings

from config import web_server
from config.start import process_supervisor, server_and_worker
from config.start.process_supervisor import ChildProcess, Supervisor
from tests import servers

pytestmark = pytest.mark.page


def start(port: int, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "config.start.server_and_worker",
            "demo",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
        ],
        cwd=servers.ROOT,
        env=servers.environment(**env),
        capture_output=True,
        text=True,
        timeout=servers.PATIENCE,
    )


def test_a_refused_start_is_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = start(taken.getsockname()[1], VAR=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("./run demo: cannot listen on")


def a_file_for_a_folder(var: Path) -> None:
    shutil.copy(servers.migrated_file(), var)
    (var / "static").write_text("")


def a_file_for_a_database(var: Path) -> None:
    (var / "candor.sqlite3").write_text("not a database, but long enough to be looked at as one" * 20)


def a_database_that_was_cut_off(var: Path) -> None:
    whole = servers.migrated_file().read_bytes()
    (var / "candor.sqlite3").write_bytes(whole[:20_000])


def a_database_without_its_key(var: Path) -> None:
    shutil.copy(servers.migrated_file(), var / "candor.sqlite3")
    columns = "password, is_superuser, username, is_staff, is_active, date_joined"
    columns += ", name, email, new_email, language, theme"
    values = "'', 0, 'olga', 0, 1, '2026-01-01', '', '', '', '', ''"
    with closing(sqlite3.connect(var / "candor.sqlite3")) as file, file:
        file.execute(f"INSERT INTO accounts_person ({columns}) VALUES ({values})")
    (var / "secret-key").touch()


def a_folder_for_a_database(var: Path) -> None:
    (var / "candor.sqlite3").mkdir()


def a_later_database(var: Path) -> None:
    """One that knows a migration that is not there today."""
    with closing(sqlite3.connect(var / "candor.sqlite3")) as file, file:
        file.execute("PRAGMA journal_mode = wal")  # as every start sets it
        file.execute("CREATE TABLE django_migrations (id integer PRIMARY KEY, app, name, applied datetime)")
        row = "('accounts', '0002_later', '2026-01-01')"
        file.execute(f"INSERT INTO django_migrations (app, name, applied) VALUES {row}")


UNREADY = {
    a_file_for_a_folder: "cannot use ",
    a_database_that_was_cut_off: "the database cannot be made ready: database disk image is malformed; restore",
    a_database_without_its_key: (
        "the database has accounts, and the key it was used with is not there: put {var}"
    ),
    a_folder_for_a_database: "the database does not answer: unable to open database file",
    a_later_database: "the database ",
}
NO_DATABASE = a_file_for_a_database, "the database cannot be made ready: file is not a database"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [NO_DATABASE, *(pytest.param(*case, marks=pytest.mark.night) for case in UNREADY.items())],
)
def test_what_cannot_be_made_ready_is_one_line(
    tmp_path: Path, spoil: Callable[[Path], None], words: str
) -> None:
    if spoil is not a_database_without_its_key:
        (tmp_path / "secret-key").write_text(secrets.token_hex(32))
    spoil(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = start(servers.free_port(), VAR=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.startswith(f"./run demo: {words.format(var=tmp_path)}"), done.stderr
    assert all(path.read_bytes() == content for path, content in before.items())
    assert done.stderr.count("\n") == 1


def test_every_bad_value_is_named_at_once_and_no_folder_is_made(tmp_path: Path) -> None:
    done = start(servers.free_port(), VAR="relative/to/nothing", TICK_SECONDS="never", PRODUCTION="perhaps")
    assert done.returncode == 1
    for name in ("VAR: ", "TICK_SECONDS: ", "PRODUCTION: "):
        assert name in done.stderr
    assert "Traceback" not in done.stderr
    assert not (servers.ROOT / "relative").exists()


@pytest.mark.parametrize("host", ["::1", "0.0.0.0"])
def test_the_web_server_listens_on_an_address_of_either_kind(host: str) -> None:
    asked = server_and_worker.parser().parse_args(["serve", "--host", host, "--port", "0"])
    command, _ = (process.command for process in server_and_worker.processes(asked, {}, None))
    place, port = (command[command.index(name) + 1] for name in ("--host", "--port"))
    with web_server.bound_socket(place, int(port)) as listening:
        assert listening.getsockname()[0] == host


def test_the_web_server_gets_the_port_of_respondents_where_there_is_one() -> None:
    words = ["serve", "--host", "127.0.0.1", "--port", "8000"]
    for more in ([], ["--respondents-port", "8100"]):
        asked = server_and_worker.parser().parse_args([*words, *more])
        command = server_and_worker.processes(asked, {}, None)[0].command
        assert command[-2:] == (more or ["--processes", "2"])


@pytest.mark.parametrize(
    ("web", "workers", "names"), [("1", "0", ["web"]), ("0", "1", ["worker"]), ("0", "0", [])]
)
def test_web_and_workers_are_split_over_machines(web: str, workers: str, names: list[str]) -> None:
    words = ["serve", "--host", "127.0.0.1", "--port", "8000", "--web", web, "--workers", workers]
    assert [
        process.name
        for process in server_and_worker.processes(server_and_worker.parser().parse_args(words), {}, None)
    ] == names


# --- a failure after the start ---------------------------------------------------------------------


@pytest.fixture
def sleeper(monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path) -> Iterator[ChildProcess]:
    """The one process of a supervisor that is prepared and asks for no signals."""
    process = ChildProcess("sleeper", [sys.executable, "-c", "import time; time.sleep(60)"], {}, None)
    settings.VAR = tmp_path
    monkeypatch.setattr(server_and_worker, "prepare", lambda asked: {})
    monkeypatch.setattr(server_and_worker, "processes", lambda asked, env, logs: [process])
    monkeypatch.setattr(Supervisor, "stop_on_signals", lambda running: None)
    yield process
    Supervisor([process]).stop()


@pytest.mark.parametrize(
    ("command", "where"),
    [("demo", "seed"), ("demo", "print_welcome"), ("dev", "wait_until_served")],
)
def test_a_failure_after_the_start_leaves_nobody_behind(
    sleeper: ChildProcess, monkeypatch: pytest.MonkeyPatch, command: str, where: str
) -> None:
    started: list[int] = []

    def fails_then(*args: object) -> None:
        assert sleeper.process
        started.append(sleeper.process.pid)
        raise ZeroDivisionError

    if where != "seed":
        seeded = SimpleNamespace(print_welcome=fails_then)
        monkeypatch.setattr(server_and_worker, "seed", lambda empty: seeded)
    if where == "print_welcome":
        monkeypatch.setattr(server_and_worker, "wait_until_served", lambda asked, running: True)
    else:
        monkeypatch.setattr(server_and_worker, where, fails_then)
    words = [command, "--host", "127.0.0.1", "--port", "8000"]
    with pytest.raises(ZeroDivisionError):
        server_and_worker.demo(server_and_worker.parser().parse_args(words))
    assert sleeper.process is None
    assert not Path(f"/proc/{started[0]}").exists()


def test_a_failure_while_watching_leaves_nobody_behind(
    sleeper: ChildProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []

    def fails(running: Supervisor) -> None:
        assert sleeper.process
        started.append(sleeper.process.pid)
        raise ZeroDivisionError

    monkeypatch.setattr(Supervisor, "run", fails)
    with pytest.raises(ZeroDivisionError):
        process_supervisor.supervise([sleeper])
    assert sleeper.process is None
    assert not Path(f"/proc/{started[0]}").exists()


# --- Ctrl-C while it starts ------------------------------------------------------------------------


SWALLOWED = """
import contextlib, signal, sys
from config.start import server_and_worker
def prepare(asked):
    with contextlib.suppress(BaseException):
        signal.raise_signal(signal.SIGINT)
    return {}
server_and_worker.prepare = prepare
server_and_worker.main()
"""


@pytest.mark.parametrize("command", ["demo", "serve"])
def test_an_interrupt_that_a_module_swallows_ends_the_start(command: str) -> None:
    words = [sys.executable, "-c", SWALLOWED, command]
    ended = subprocess.run(words, cwd=servers.ROOT, capture_output=True, text=True, timeout=servers.PATIENCE)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, "", "")


HANDED_OVER = """
import os, signal
from config.start import process_supervisor
hold_back = signal.pthread_sigmask
def interrupted(*asked):
    hold_back(*asked)
    os.kill(os.getpid(), signal.SIG{name})
signal.pthread_sigmask = interrupted
process_supervisor.replace_by_supervisor([], dict(os.environ))
"""


@pytest.mark.parametrize(
    "name", ["INT", *(pytest.param(name, marks=pytest.mark.night) for name in ("TERM", "HUP"))]
)
def test_a_signal_while_the_supervisor_takes_over_is_heard_by_it(name: str) -> None:
    words = [sys.executable, "-c", HANDED_OVER.format(name=name)]
    ended = subprocess.run(words, cwd=servers.ROOT, capture_output=True, text=True, timeout=servers.PATIENCE)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
