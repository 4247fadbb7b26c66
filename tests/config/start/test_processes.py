import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.start import processes
from config.start.processes import ManagedProcess, Supervisor
from tests import servers

pytestmark = pytest.mark.page


def managed(tmp_path: Path, code: str) -> ManagedProcess:
    return ManagedProcess("The sleeper", [sys.executable, "-c", code], dict(os.environ), tmp_path / "log")


def running(kept: ManagedProcess) -> int:
    return int(kept.process is not None)


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[ManagedProcess]:
    made = managed(tmp_path, "import time; time.sleep(60)")
    yield made
    made.kill_group()


def test_a_process_that_dies_is_started_again_ever_more_slowly(tmp_path: Path) -> None:
    dying = managed(tmp_path, "raise SystemExit(3)")
    pauses, now = [], 0.0
    for _ in range(9):
        dying.restart_if_ended(now)
        assert dying.process
        dying.process.wait()
        dying.restart_if_ended(now)
        pauses.append(dying.pause)
        now = dying.next_start
    assert pauses == [0.5, 1, 2, 4, 8, 16, 30, 30, 30]


def test_it_is_not_started_before_its_pause_is_over(tmp_path: Path) -> None:
    dying = managed(tmp_path, "raise SystemExit(3)")
    dying.restart_if_ended(0.0)
    assert dying.process
    dying.process.wait()
    dying.restart_if_ended(0.0)
    dying.restart_if_ended(0.4)
    assert running(dying) == 0
    dying.restart_if_ended(0.5)
    assert running(dying) == 1
    dying.kill_group()


def test_one_that_ran_steadily_is_started_again_at_once(sleeper: ManagedProcess) -> None:
    sleeper.pause = 16
    sleeper.restart_if_ended(0.0)
    assert sleeper.process
    sleeper.process.kill()
    sleeper.process.wait()
    sleeper.restart_if_ended(31.0)
    assert sleeper.pause == 0.5


def test_the_children_of_a_dead_process_do_not_outlive_it(tmp_path: Path) -> None:
    code = "import subprocess; p = subprocess.Popen(['sleep', '60']); print(p.pid, flush=True); raise SystemExit(1)"
    parent = managed(tmp_path, code)
    parent.restart_if_ended(0.0)
    assert parent.process
    parent.process.wait()
    child = int((tmp_path / "log").read_text())
    os.kill(child, 0)
    parent.restart_if_ended(0.0)
    servers.wait(lambda: not servers.lives(child), "the child ending")


def test_stopping_asks_first(tmp_path: Path) -> None:
    code = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('asked', flush=True), sys.exit(0)))\n"
        "print('ready', flush=True); time.sleep(60)"
    )
    polite = managed(tmp_path, code)
    polite.start(0.0)
    servers.wait(lambda: "ready" in (tmp_path / "log").read_text(), "the process being ready")
    Supervisor([polite]).stop()
    assert (tmp_path / "log").read_text().split() == ["ready", "asked"]
    assert polite.process is None


def test_a_second_reader_of_the_clock_sees_a_changed_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "room").mkdir()
    source = tmp_path / "room" / "module.py"
    source.write_text("")
    monkeypatch.setattr(processes, "ROOT", tmp_path)
    watch = processes.FileWatch()
    assert not watch.changed()
    os.utime(source, (time.time() + 5, time.time() + 5))
    watch.at = 0
    assert watch.changed()
    watch.at = 0
    assert not watch.changed()


def test_a_file_that_vanishes_while_it_is_looked_at_is_passed_over(tmp_path: Path) -> None:
    for name in ("kept.py", "gone.py"):
        (tmp_path / name).write_text("")
    (tmp_path / "gone.py").unlink()
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    assert list(processes.change_times(tmp_path)) == [(tmp_path / "kept.py").stat().st_mtime_ns]


def test_what_is_kept_hidden_or_made_is_not_watched(tmp_path: Path) -> None:
    for place in ("var", ".hidden", "room/__pycache__", "room/var"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "module.py").write_text("")
    assert list(processes.change_times(tmp_path)) == [(tmp_path / "room/var/module.py").stat().st_mtime_ns]


def test_signals_are_named() -> None:
    assert processes.ending(-signal.SIGKILL) == "signal SIGKILL"
    assert processes.ending(3) == "exit status 3"


def test_a_long_log_begins_again_and_the_one_before_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process goes on writing to it."""
    monkeypatch.setattr(processes, "LONGEST_LOG", 100)
    go = tmp_path / "go"
    code = f"""
import pathlib, time
print("x" * 150, flush=True)
while not pathlib.Path({str(go)!r}).exists():
    time.sleep(0.05)
print("more", flush=True)
time.sleep(60)
"""
    kept = managed(tmp_path, code)
    log = tmp_path / "log"
    kept.start(0.0)
    try:
        servers.wait(lambda: log.exists() and log.stat().st_size == 151, "the first line")
        kept.rotate_log()
        assert (tmp_path / "log.1").read_text() == "x" * 150 + "\n"
        go.touch()
        servers.wait(lambda: log.read_text() == "more\n", "the second line")
        kept.rotate_log()
        assert log.read_text() == "more\n"
    finally:
        kept.kill_group()
