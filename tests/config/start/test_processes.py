"""The supervisor's processes: whose words are whose, what ends with what, and what dev does when a file changes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.start import process_supervisor
from config.start.process_supervisor import ChildProcess, FileWatch, Supervisor
from tests import servers
from tests.config.conftest import python

pytestmark = pytest.mark.page
LONG = servers.PATIENCE + 100
"""Seconds that a process lives which nobody ends."""
POLITE = """
import signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: (print("asked", flush=True), sys.exit(0)))
print("ready", flush=True); time.sleep(60)
"""
# Tells its own number, and ends as its argument says when its supervisor does.
CHILD = """
import os, signal, time
from config.start import instance_lock
instance_lock.end_with_supervisor(signal.SIGTERM)
print(os.getpid(), flush=True)
time.sleep(60)
"""
PARENT = """
import os, sys, time
from pathlib import Path
from config.start.process_supervisor import ChildProcess
ChildProcess("child", [sys.executable, "-c", sys.argv[1]], dict(os.environ), Path(sys.argv[2])).start()
time.sleep(60)
"""


def child(tmp_path: Path, code: str, name: str = "child") -> ChildProcess:
    return ChildProcess(name, [sys.executable, "-c", code], dict(os.environ), tmp_path / name)


def wait_for_words(child: ChildProcess, words: str) -> None:
    assert child.log
    log = child.log
    servers.wait(lambda: log.exists() and words in log.read_text(), "the process saying so")


@pytest.fixture
def half_ended_supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    """It supervises one process that has ended and one that ends when it is asked to."""
    supervisor = Supervisor([child(tmp_path, "raise SystemExit(3)", "short"), child(tmp_path, POLITE)])
    supervisor.start()
    assert supervisor.children[0].process
    supervisor.children[0].process.wait()
    wait_for_words(supervisor.children[1], "ready")
    yield supervisor
    supervisor.stop()


def test_supervisor_stops_all_and_fails_when_one_process_ends(
    half_ended_supervisor: Supervisor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert half_ended_supervisor.run() == 1
    assert (tmp_path / "child").read_text().split() == ["ready", "asked"]
    assert [child.process for child in half_ended_supervisor.children] == [None, None]
    said = f"The short process ended (exit status 3); all others stop; its last words are in {tmp_path}/short"
    assert said in capsys.readouterr().err
    assert process_supervisor.exit_status_text(-signal.SIGKILL) == "signal SIGKILL"


def test_watched_processes_restart_together_when_a_file_changes(
    half_ended_supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    started: list[str] = []

    def start(supervisor: Supervisor) -> None:
        started.append("again")
        supervisor.asked_to_stop = True

    monkeypatch.setattr(
        FileWatch, "changed", lambda watch: bool(half_ended_supervisor.children[1].process is None)
    )
    monkeypatch.setattr(Supervisor, "start", start)
    half_ended_supervisor.watch = FileWatch()
    assert half_ended_supervisor.run() == 0
    assert started == ["again"]
    assert "all others stop, and start again when a file changes" in capsys.readouterr().err


def test_children_of_dead_or_unresponsive_processes_are_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = f"import subprocess; p = subprocess.Popen(['sleep', '{LONG}']); print(p.pid, flush=True)"
    parent = child(tmp_path, f"{code}; raise SystemExit(1)")
    parent.start()
    assert parent.process
    parent.process.wait()
    grandchild = int((tmp_path / "child").read_text())
    os.kill(grandchild, 0)
    assert Supervisor([parent]).run() == 1
    servers.wait(lambda: not servers.is_process_alive(grandchild), "the child ending")
    monkeypatch.setattr(process_supervisor, "PATIENCE", 0.2)
    ignoring = "import signal, time; signal.signal(15, signal.SIG_IGN); print('deaf', flush=True)"
    deaf = child(tmp_path, f"{ignoring}; time.sleep({LONG})", "deaf")
    deaf.start()
    wait_for_words(deaf, "deaf")
    began = time.monotonic()
    Supervisor([deaf]).stop()
    assert deaf.process is None
    assert time.monotonic() - began < servers.PATIENCE


def test_child_ends_with_its_supervisor_however_that_ends(tmp_path: Path) -> None:
    for number in (signal.SIGKILL, signal.SIGTERM):
        log = tmp_path / str(number)
        parent = subprocess.Popen([sys.executable, "-c", PARENT, CHILD, str(log)], cwd=servers.ROOT)
        servers.wait(lambda log=log: log.exists() and log.read_text().endswith("\n"), "the child being there")  # type: ignore[misc]
        family = int(log.read_text())
        assert servers.is_process_alive(family)
        parent.send_signal(number)
        parent.wait()
        servers.wait(lambda family=family: not servers.is_process_alive(family), "the child ending")  # type: ignore[misc]
    # Before it asked.
    ended = python("-c", CHILD, env={**os.environ, "CANDOR_SUPERVISOR": "1"})
    assert (ended.returncode, ended.stdout) == (-signal.SIGTERM, "")


SAID = (
    "import sys; print('one', flush=True); print('two', file=sys.stderr, flush=True); sys.stdout.write('end')"
)
SUPERVISE = """
import os, sys
from config.start.process_supervisor import ChildProcess, supervise
sys.exit(supervise([ChildProcess("web", [sys.executable, "-c", sys.argv[1]], dict(os.environ))]))
"""


@pytest.mark.parametrize(
    ("form", "lines"),
    [("plain", ["web    | one", "web    | two", "web    | end"]), ("json", ["one", "two", "end"])],
)
def test_log_lines_name_their_process_except_in_json(form: str, lines: list[str]) -> None:
    done = python("-c", SUPERVISE, SAID, env={**os.environ, "LOG_FORMAT": form})
    said = (done.stderr if form == "plain" else done.stdout + done.stderr).splitlines()
    assert [line for line in lines if not any(line in heard for heard in said)] == []
    assert "The web process ended (exit status 0); all others stop" in done.stderr
    assert done.returncode == 1


def test_changed_file_is_noticed_once_and_others_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("build", "var", "node_modules", ".hidden", "room/__pycache__", "room/part"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "module.py").write_text("")
    source = tmp_path / "room" / "part" / "module.py"
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    assert process_supervisor.change_times(tmp_path) == {str(source): source.stat().st_mtime_ns}
    monkeypatch.setattr(process_supervisor, "ROOT", tmp_path)
    watch = process_supervisor.FileWatch()

    def sees_change() -> bool:
        watch.at = 0
        return watch.changed()

    assert not sees_change()
    os.utime(source, (time.time() + 5, time.time() + 5))
    assert sees_change()
    assert not sees_change()


def test_long_log_is_rotated_and_one_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process goes on writing to it."""
    monkeypatch.setattr(process_supervisor, "LONGEST_LOG", 100)
    log, go = tmp_path / "child", tmp_path / "go"
    code = f"""
import pathlib, time
print("x" * 150, flush=True)
while not pathlib.Path({str(go)!r}).exists():
    time.sleep(0.05)
print("more", flush=True)
time.sleep(60)
"""
    kept = child(tmp_path, code)
    kept.start()
    try:
        wait_for_words(kept, "x" * 150 + "\n")
        kept.rotate_log()
        assert (tmp_path / "child.1").read_text() == "x" * 150 + "\n"
        go.touch()
        servers.wait(lambda: log.read_text() == "more\n", "the second line")
        kept.rotate_log()
        assert log.read_text() == "more\n"
    finally:
        Supervisor([kept]).stop()
