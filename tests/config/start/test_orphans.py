"""Which processes an earlier start has left behind, and which are somebody else's."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.start import orphans, preparing
from tests import servers

pytestmark = pytest.mark.page
GONE = (2**22 + 1, 5)  # no process can have this number
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start a process that sleeps, marked as this supervisor's for this folder."""
    started: list[subprocess.Popen[bytes]] = []

    def sleep(var: Path, supervisor: tuple[int, int] | None, code: str = "pass") -> subprocess.Popen[bytes]:
        env = dict(os.environ)
        if supervisor:
            env[orphans.NAME] = f"{orphans.folder_id(var)}:{supervisor[0]}:{supervisor[1]}"
        words = [sys.executable, "-c", f"import time, signal; {code}; print(flush=True); time.sleep(600)"]
        one = subprocess.Popen(words, env=env, stdout=subprocess.PIPE)
        assert one.stdout
        one.stdout.readline()
        started.append(one)
        return one

    yield sleep
    for one in started:
        one.kill()
        one.communicate()


def ours() -> tuple[int, int]:
    return os.getpid(), orphans.start_time(os.getpid())


def test_those_whose_supervisor_is_gone_are_left_and_nobody_else(start: Start, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    left = [start(tmp_path, GONE), start(tmp_path, (os.getpid(), 1))]
    start(tmp_path, ours())
    start(other, GONE)
    start(tmp_path, None)
    assert {kept.pid for kept in orphans.orphaned(tmp_path)} == {one.pid for one in left}
    assert orphans.supervisors(tmp_path) == {os.getpid()}


def test_ending_them_ends_them_and_nobody_else(start: Start, tmp_path: Path) -> None:
    left, lives, unmarked = start(tmp_path, GONE), start(tmp_path, ours()), start(tmp_path, None)
    assert orphans.end(tmp_path) == 1
    assert left.wait(servers.PATIENCE) == -signal.SIGTERM
    assert (lives.poll(), unmarked.poll()) == (None, None)
    assert orphans.end(tmp_path) == 0


def test_one_that_does_not_listen_or_is_stopped_is_ended_too(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orphans, "PATIENCE", 1.0)
    deaf = start(tmp_path, GONE, "signal.signal(signal.SIGTERM, signal.SIG_IGN)")
    stopped = start(tmp_path, GONE)
    stopped.send_signal(signal.SIGSTOP)
    assert orphans.end(tmp_path) == 2
    assert (deaf.wait(servers.PATIENCE), stopped.wait(servers.PATIENCE)) == (-signal.SIGKILL, -signal.SIGTERM)


def test_one_path_to_a_folder_is_as_good_as_another(start: Start, tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "var")
    one = start(tmp_path / "var", GONE)
    assert [kept.pid for kept in orphans.orphaned(tmp_path / "link")] == [one.pid]


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert orphans.orphaned(tmp_path / "nothing") == []
    assert orphans.end(tmp_path / "nothing") == 0


def test_what_cannot_be_ended_is_one_clear_line(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(pid: int, number: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    start(tmp_path, GONE)
    monkeypatch.setattr(os, "kill", refuse)
    with pytest.raises(preparing.StartRefused, match=r"cannot be ended \(Operation not permitted\)"):
        preparing.end_orphans(tmp_path)
    monkeypatch.undo()


def test_a_port_that_this_very_instance_holds_is_told_apart(start: Start, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(preparing.StartRefused, match=r"running already \(process 7, 8\)"):
            preparing.check_port_is_free("127.0.0.1", taken.getsockname()[1], [8, 7])


def test_a_mark_names_this_process(tmp_path: Path) -> None:
    pid, began = ours()
    assert orphans.mark(tmp_path) == f"{orphans.folder_id(tmp_path)}:{pid}:{began}"
    assert began > 0
    assert orphans.start_time(GONE[0]) == 0


def test_a_process_that_ended_and_was_not_fetched_has_ended() -> None:
    one = subprocess.Popen(["true"])
    servers.wait(lambda: orphans.start_time(one.pid) == 0, "the process ending")
    one.wait()
