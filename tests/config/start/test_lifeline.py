"""Children end with their parent."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from config.start import lifeline
from config.start.orphans import start_time
from tests import servers

pytestmark = pytest.mark.page
PARENT = """
import sys, time
from pathlib import Path
from config.start.processes import ManagedProcess
child = ManagedProcess("The child", [sys.executable, "-c", sys.argv[1]], {"PATH": "/usr/bin"}, Path(sys.argv[2]))
child.start(0.0)
print(child.process.pid, flush=True)
time.sleep(600)
"""
# Tells its own number and that of a child of its own.
CHILD = """
import os, signal, time
from config.start import lifeline
{before}
lifeline.end_with_parent()
other = os.fork()
if other:
    print(os.getpid(), other, flush=True)
while True:
    time.sleep(600)
"""


def gone(pid: int) -> bool:
    return start_time(pid) == 0


def family(tmp_path: Path, before: str) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A parent, and its child with a child of its own."""
    log = tmp_path / "log"
    words = [sys.executable, "-c", PARENT, CHILD.format(before=before), str(log)]
    parent = subprocess.Popen(words, cwd=servers.ROOT, stdout=subprocess.PIPE, text=True)
    servers.wait(lambda: log.exists() and len(log.read_text().split()) == 2, "the child being there")
    children = [int(pid) for pid in log.read_text().split()]
    yield parent, children
    parent.kill()
    parent.communicate()
    for child in children:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


@pytest.fixture
def polite(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    yield from family(tmp_path, "")


@pytest.fixture
def stubborn(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """It does not end when it is asked to."""
    yield from family(tmp_path, "signal.signal(signal.SIGTERM, signal.SIG_IGN); lifeline.PATIENCE = 0.5")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_child_ends_when_its_parent_does(
    polite: tuple[subprocess.Popen[str], list[int]], number: int
) -> None:
    parent, (child, _) = polite
    assert not gone(child)
    parent.send_signal(number)
    parent.wait()
    servers.wait(lambda: gone(child), "the child ending")


def test_one_that_does_not_end_by_itself_is_ended_with_all_its_children(
    stubborn: tuple[subprocess.Popen[str], list[int]],
) -> None:
    parent, children = stubborn
    parent.kill()
    parent.wait()
    servers.wait(lambda: all(map(gone, children)), "all of them ending")


def test_while_the_parent_lives_so_do_its_children(
    polite: tuple[subprocess.Popen[str], list[int]],
) -> None:
    parent, children = polite
    parent.send_signal(signal.SIGSTOP)
    assert [lifeline.reading_end() for _ in range(2)] == [lifeline.reading_end()] * 2
    parent.send_signal(signal.SIGCONT)
    assert not any(map(gone, children))


@pytest.mark.parametrize("end", ["", "none", "99999", "a file"])
def test_a_process_without_a_supervisor_does_nothing(
    end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (tmp_path / "file").open("w") as file:
        monkeypatch.setenv(lifeline.NAME, str(file.fileno()) if end == "a file" else end)
        monkeypatch.setattr(lifeline, "Thread", None)
        lifeline.end_with_parent()
