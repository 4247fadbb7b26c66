"""The supervisor as a whole: one line where it cannot start, nobody left behind where it fails later, one at a time."""

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
from typing import TextIO

import pytest
from pytest_django.fixtures import Settings

from config import web_server
from config.start import instance_lock, process_supervisor, server_and_worker
from config.start.process_supervisor import ChildProcess, Supervisor
from tests import servers
from tests.config.conftest import Done, python
from tests.product import kill_and_see_all_end, supervise, wait_for_all

pytestmark = pytest.mark.page


def start(port: int, *words: str, **env: str) -> Done:
    """`./run demo` to its end."""
    command = ("-m", "config.start.server_and_worker", "demo", "--host", "127.0.0.1")
    words = (*command, "--port", str(port), *words)
    return python(*words, env=servers.environment(**env), timeout=servers.PATIENCE)


def test_refused_start_is_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = start(taken.getsockname()[1], VAR=str(tmp_path))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
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
    (var / "secret-key").write_text("")


def a_folder_for_a_database(var: Path) -> None:
    (var / "candor.sqlite3").mkdir()


def a_later_database(var: Path) -> None:
    """One that knows a migration that is not there today."""
    with closing(sqlite3.connect(var / "candor.sqlite3")) as file, file:
        file.execute("PRAGMA journal_mode = wal")  # as every start sets it
        file.execute("CREATE TABLE django_migrations (id integer PRIMARY KEY, app, name, applied datetime)")
        row = "('accounts', '0002_later', '2026-01-01')"
        file.execute(f"INSERT INTO django_migrations (app, name, applied) VALUES {row}")


NOT_AT_PUSH = {
    a_file_for_a_folder: "cannot use ",
    a_database_that_was_cut_off: "the database cannot be made ready: database disk image is malformed; restore",
    a_database_without_its_key: (
        "the database has accounts, and the key it was used with is not there: put {var}"
    ),
    a_folder_for_a_database: "the database does not answer: unable to open database file",
    a_later_database: "the database ",
}
AT_PUSH = a_file_for_a_database, "the database cannot be made ready: file is not a database"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [AT_PUSH, *(pytest.param(*case, marks=pytest.mark.night) for case in NOT_AT_PUSH.items())],
)
def test_unusable_setting_is_one_line(tmp_path: Path, spoil: Callable[[Path], None], words: str) -> None:
    (tmp_path / "secret-key").write_text(secrets.token_hex(32))
    spoil(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = start(servers.free_port(), VAR=str(tmp_path))
    assert done.stderr.startswith(f"./run demo: {words.format(var=tmp_path)}"), done.stderr
    assert all(path.read_bytes() == content for path, content in before.items())
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)


def test_every_bad_setting_is_named_at_once_and_no_folder_is_made() -> None:
    done = start(servers.free_port(), VAR="relative/to/nothing", TICK_SECONDS="never", PRODUCTION="perhaps")
    assert done.returncode == 1
    assert [name for name in ("VAR", "TICK_SECONDS", "PRODUCTION") if f"{name}: " not in done.stderr] == []
    assert "Traceback" not in done.stderr
    assert not (servers.ROOT / "relative").exists()


def processes(*words: str) -> list[ChildProcess]:
    asked = server_and_worker.parser().parse_args(["serve", "--host", "127.0.0.1", "--port", "0", *words])
    return server_and_worker.server_and_worker_processes(asked, {}, None)


def test_web_and_workers_run_on_separate_machines_with_host_and_ports() -> None:
    for web, workers, names in (("1", "0", ["web"]), ("0", "1", ["worker"]), ("0", "0", [])):
        assert [process.name for process in processes("--web", web, "--workers", workers)] == names
    for more in ([], ["--respondents-port", "8100"]):
        assert processes(*more)[0].command[-2:] == (more or ["--processes", "2"])
    for host in ("::1", "0.0.0.0"):
        command = processes("--host", host)[0].command
        place, port = (command[command.index(name) + 1] for name in ("--host", "--port"))
        with web_server.bound_socket(place, int(port)) as listening:
            assert listening.getsockname()[0] == host


# --- a failure after the start ---------------------------------------------------------------------


@pytest.fixture
def sleeper(monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path) -> Iterator[ChildProcess]:
    """The one process of a supervisor that is prepared and asks for no signals."""
    process = ChildProcess("sleeper", [sys.executable, "-c", "import time; time.sleep(60)"], {}, None)
    settings.VAR = tmp_path
    monkeypatch.setattr(server_and_worker, "prepare_start", lambda asked: {})
    monkeypatch.setattr(server_and_worker, "server_and_worker_processes", lambda asked, env, logs: [process])
    monkeypatch.setattr(Supervisor, "stop_on_signals", lambda running: None)
    yield process
    Supervisor([process]).stop()


@pytest.mark.parametrize(
    ("command", "where"),
    [("demo", "seed_demo"), ("demo", "print_welcome"), ("dev", "wait_until_served"), ("", "run")],
)
def test_failure_after_the_start_or_while_watching_leaves_no_process(
    sleeper: ChildProcess, monkeypatch: pytest.MonkeyPatch, command: str, where: str
) -> None:
    started: list[int] = []

    def fail_after_start(*args: object) -> None:
        assert sleeper.process
        started.append(sleeper.process.pid)
        raise ZeroDivisionError

    of = {
        "seed_demo": lambda empty: SimpleNamespace(print_welcome=fail_after_start),
        "wait_until_served": lambda asked, running: True,
    }
    for name, function in {**of, **({where: fail_after_start} if where in of else {})}.items():
        monkeypatch.setattr(server_and_worker, name, function)
    words = ["--host", "127.0.0.1", "--port", "8000"]
    asked = server_and_worker.parser().parse_args([command or "demo", *words])
    if where == "run":
        monkeypatch.setattr(Supervisor, "run", fail_after_start)
    with pytest.raises(ZeroDivisionError):
        process_supervisor.supervise([sleeper]) if where == "run" else server_and_worker.run_demo(asked)
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
server_and_worker.prepare_start = prepare
server_and_worker.main()
"""
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


@pytest.mark.parametrize("command", ["demo", "serve"])
def test_interrupt_swallowed_by_a_module_still_ends_the_start(command: str) -> None:
    ended = python("-c", SWALLOWED, command, timeout=servers.PATIENCE)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.at_push(1)
@pytest.mark.parametrize("name", ["INT", "TERM", "HUP"])
def test_signal_while_the_supervisor_takes_over_is_not_lost(name: str) -> None:
    ended = python("-c", HANDED_OVER.format(name=name), timeout=servers.PATIENCE)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


# --- a restore has the machine for itself; one instance listens on one port once --------------------


HOLD = """
import sys
from pathlib import Path
from config.start import instance_lock
print(instance_lock.{call}, flush=True)
sys.stdin.read()
"""


def holder(call: str, said: str, var: Path) -> "subprocess.Popen[str]":
    """A process that has called this and stays."""
    words = [sys.executable, "-c", HOLD.format(call=call), str(var)]
    process = subprocess.Popen(words, cwd=servers.ROOT, stdin=-1, stdout=-1, stderr=-1, text=True)
    assert process.stdout
    assert process.stdout.readline() == f"{said}\n"
    return process


def test_exclusive_lock_is_refused_while_held_and_freed_by_any_end(tmp_path: Path) -> None:
    processes = [holder("lock_shared(Path(sys.argv[1]))", "None", tmp_path) for _ in range(2)]
    for process in processes:
        refused = pytest.raises(instance_lock.InstanceLocked, match="stop the web servers")
        with refused, instance_lock.lock_exclusively(tmp_path):
            pass
        process.kill()
        process.communicate()
    with instance_lock.lock_exclusively(tmp_path):
        pass


WEB, WORKER = ["-c", "import config.wsgi"], ["-m", "celery", "-A", "config", "worker", "-c", "1"]


@pytest.mark.parametrize("words", [WEB, pytest.param(WORKER, marks=pytest.mark.night)], ids=["web", "worker"])
def test_nothing_starts_while_a_command_runs_exclusively(tmp_path: Path, words: list[str]) -> None:
    with instance_lock.lock_exclusively(tmp_path):
        with pytest.raises(instance_lock.InstanceLocked, match="being restored"):
            instance_lock.lock_shared(tmp_path)
        done = python(*words, env=servers.environment(VAR=str(tmp_path)))
    assert (done.returncode, "being restored" in done.stderr) == (1, True)


@pytest.mark.night
@pytest.mark.server
def test_supervisor_reports_exclusive_use_in_one_line(tmp_path: Path) -> None:
    with instance_lock.lock_exclusively(tmp_path):
        done = start(servers.free_port(), "--empty", VAR=str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == "./run demo: a backup is being restored; start again when that is done\n"


def test_port_held_by_this_instance_is_reported_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until its process ends, however it does; then the next start knows that there was one."""
    taken: list[TextIO] = []
    monkeypatch.setattr(instance_lock, "_lock_files", taken)
    first = holder("claim_maybe_used_port(Path(sys.argv[1]), 8000)", "False", tmp_path)
    with pytest.raises(instance_lock.InstanceLocked, match=rf"running already \(process {first.pid}\)"):
        instance_lock.claim_maybe_used_port(tmp_path, 8000)
    assert instance_lock.claim_maybe_used_port(tmp_path, 8001) is False
    first.kill()
    first.communicate()
    assert instance_lock.claim_maybe_used_port(tmp_path, 8000) is True
    for file in taken:
        file.close()


def test_unwritable_folder_is_left_to_the_checks(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    instance_lock.lock_shared(tmp_path / "file" / "var")


# --- the supervisor, the web server or the worker is killed ------------------------------------------


@pytest.mark.night
@pytest.mark.server
@pytest.mark.parametrize("program", ["config.web_server", "celery", "supervisor"])
@pytest.mark.parametrize("command", ["demo", "serve"])
def test_killing_any_process_leaves_none_and_a_start_succeeds(
    command: str, program: str, tmp_path: Path
) -> None:
    words = [command, "--web", "1", *(["--empty"] if command == "demo" else [])]
    env = {"TICK_SECONDS": "1", **({"PRODUCTION": "no"} if command == "serve" else {})}
    for attempt in range(2):
        with supervise(tmp_path, words, env) as running:
            wait_for_all(running)
            if attempt == 0:
                kill_and_see_all_end(running, program)
