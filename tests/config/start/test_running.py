"""A restore has the machine for itself; one instance listens on one port once."""

import subprocess
import sys
from pathlib import Path
from typing import TextIO

import pytest

from config.start import instance_lock
from tests import servers

pytestmark = pytest.mark.page
HOLD = """
import sys
from pathlib import Path
from config.start import instance_lock
instance_lock.lock_shared(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def holder(var: Path) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(var)], cwd=servers.ROOT, stdin=-1, stdout=-1, stderr=-1, text=True
    )
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    return process


def test_nobody_is_alone_while_another_process_holds_the_lock_however_it_ends(tmp_path: Path) -> None:
    first, second = holder(tmp_path), holder(tmp_path)
    for process in (first, second):
        with (
            pytest.raises(instance_lock.InstanceLocked, match="stop the web servers"),
            instance_lock.lock_exclusively(tmp_path),
        ):
            pass
        process.kill()
        process.communicate()
    with instance_lock.lock_exclusively(tmp_path):
        pass


WEB, WORKER = ["-c", "import config.wsgi"], ["-m", "celery", "-A", "config", "worker", "-c", "1"]


@pytest.mark.parametrize("words", [WEB, pytest.param(WORKER, marks=pytest.mark.night)], ids=["web", "worker"])
def test_nothing_starts_while_one_is_alone(tmp_path: Path, words: list[str]) -> None:
    with instance_lock.lock_exclusively(tmp_path):
        with pytest.raises(instance_lock.InstanceLocked, match="being restored"):
            instance_lock.lock_shared(tmp_path)
        command, env = [sys.executable, *words], servers.environment(VAR=str(tmp_path))
        done = subprocess.run(command, cwd=servers.ROOT, env=env, capture_output=True, text=True)
        assert done.returncode == 1
        assert "being restored" in done.stderr


@pytest.mark.night
@pytest.mark.server
def test_the_supervisor_says_it_in_one_line(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "config.start.server_and_worker", "demo", "--empty", "--host", "127.0.0.1"]
    words += ["--port", str(servers.free_port())]
    with instance_lock.lock_exclusively(tmp_path):
        env = servers.environment(VAR=str(tmp_path))
        done = subprocess.run(words, cwd=servers.ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "./run demo: a backup is being restored; start again when that is done\n"


CLAIM = """
import sys
from pathlib import Path
from config.start import instance_lock
print(instance_lock.claim_port(Path(sys.argv[1]), 8000), flush=True)
sys.stdin.read()
"""


def test_a_port_that_this_very_instance_holds_is_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until its process ends, however it does; then the next start knows that there was one."""
    taken: list[TextIO] = []
    monkeypatch.setattr(instance_lock, "_lock_files", taken)
    words = [sys.executable, "-c", CLAIM, str(tmp_path)]
    first = subprocess.Popen(words, cwd=servers.ROOT, stdin=-1, stdout=-1, text=True)
    assert first.stdout
    assert first.stdout.readline() == "False\n"
    with pytest.raises(instance_lock.InstanceLocked, match=rf"running already \(process {first.pid}\)"):
        instance_lock.claim_port(tmp_path, 8000)
    assert instance_lock.claim_port(tmp_path, 8001) is False
    first.kill()
    first.communicate()
    assert instance_lock.claim_port(tmp_path, 8000) is True
    for file in taken:
        file.close()


def test_a_folder_that_cannot_be_written_is_left_to_the_checks(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    instance_lock.lock_shared(tmp_path / "file" / "var")
