"""What ./run installs: a virtual environment from the lock, and the checkers of scripts from npm."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread
from types import ModuleType

import pytest

from tests import servers

OTHER = Path("/bin/true")  # stands for the interpreter of another folder
LOCKED = "django=={version}\n{tests}\npytest=={version}\n"


class Installed:
    """What ./run installs in a folder of its own, where venv and pip are replaced and only leave their marks."""

    def __init__(self, run: ModuleType, root: Path) -> None:
        self.run, self.lock, self.venv = run, root / "requirements.lock", root / ".venv"
        self.python = Path(sys.executable)
        self.made: list[str] = []
        self.packages: list[str] = []
        self.status = 0
        self.write_lock("1")

    def write_lock(self, version: str) -> None:
        self.lock.write_text(LOCKED.format(tests=self.run.TESTS_BELOW, version=version))

    def run_words(self, words: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        if words[1:3] == ["-m", "venv"]:
            self.made.append(self.run.python())
            shutil.rmtree(self.venv, ignore_errors=True)
            (self.venv / "bin").mkdir(parents=True)
            (self.venv / "bin" / "python").symlink_to(self.python)
            (self.venv / "bin" / "pip").touch()
            home = self.python.parent
            (self.venv / "pyvenv.cfg").write_text(f"home = {home}\nversion = {self.run.python()}.4\n")
        else:
            assert not (self.venv / "installed").exists()
            self.packages.append(Path(words[words.index("-r") + 1]).read_text())
        return subprocess.CompletedProcess(words, self.status, "", "")

    def changes(self, with_tests: bool) -> bool:
        """Whether pip was needed."""
        before = len(self.packages)
        self.run.install(with_tests)
        return len(self.packages) > before


@pytest.fixture
def installation(run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Installed:
    made = Installed(run, tmp_path)
    places = {"ROOT": tmp_path, "VENV": made.venv, "BIN": made.venv / "bin", "LOCK": made.lock}
    for name, value in places.items():
        monkeypatch.setattr(run, name, value)
    monkeypatch.setattr(subprocess, "run", made.run_words)
    return made


def test_locked_packages_are_installed_once(installation: Installed) -> None:
    assert [installation.changes(with_tests=False), installation.changes(with_tests=False)] == [True, False]
    assert installation.packages == ["django==1\n"]
    assert [installation.changes(with_tests=True), installation.changes(with_tests=True)] == [True, False]
    # Who has all of it has the product's part too.
    assert not installation.changes(with_tests=False)
    assert len(installation.made) == 1


def test_returning_to_another_lock_installs_it_again(installation: Installed) -> None:
    installation.run.install(with_tests=False)
    installation.write_lock("2")
    installation.run.install(with_tests=True)
    installation.write_lock("1")
    assert installation.changes(with_tests=False)
    assert installation.packages[-1] == "django==1\n"
    installation.write_lock("2")
    assert installation.changes(with_tests=True)
    # What pip did not finish is begun again.
    installation.write_lock("3")
    installation.status = 1
    with pytest.raises(installation.run.Refused):
        installation.run.install(with_tests=True)
    installation.status = 0
    installation.write_lock("2")
    assert installation.changes(with_tests=True)


HOLD = "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, 2); print('held', flush=1); time.sleep(60)"


def test_second_start_waits_for_the_first_and_takes_over_if_killed(
    installation: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, waits = installation.lock.parent / ".venv.lock", Event()

    def note_waiting_line(words: str, **how: object) -> None:
        if "waiting for it" in words:
            waits.set()

    monkeypatch.setattr(installation.run, "print", note_waiting_line, raising=False)
    with subprocess.Popen([sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE) as first:
        assert first.stdout
        assert first.stdout.readline() == b"held\n"
        second = Thread(target=installation.run.install, args=[False])
        second.start()
        assert waits.wait(servers.PATIENCE)
        assert installation.packages == []
        first.kill()
        second.join()
    assert installation.packages == ["django==1\n"]
    assert not installation.changes(with_tests=False)


def test_other_or_missing_python_rebuilds_the_environment(
    installation: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    installation.run.install(with_tests=False)
    for name in ("pyvenv.cfg", "installed"):
        (installation.venv / name).unlink()
    installation.run.install(with_tests=True)
    assert len(installation.made) == 2
    monkeypatch.setattr(sys, "version_info", (3, 99, 1))
    assert installation.changes(with_tests=True)
    assert installation.made[2:] == ["3.99"]
    assert not installation.changes(with_tests=True)


def test_same_python_version_in_another_folder_rebuilds_the_environment(
    installation: Installed, capsys: pytest.CaptureFixture[str]
) -> None:
    installation.python = OTHER
    installation.run.install(with_tests=False)
    installation.python = Path(sys.executable)
    capsys.readouterr()
    assert installation.changes(with_tests=False)
    version = f"{installation.run.python()}.4"
    words = f".venv is of another Python, {version} in {OTHER.parent}, and is made anew.\n"
    assert words in capsys.readouterr().out
    assert not installation.changes(with_tests=False)


def test_environment_shared_by_a_link_is_not_rebuilt(installation: Installed) -> None:
    shared = installation.lock.parent / "shared"
    installation.python = OTHER
    installation.run.install(with_tests=False)
    installation.venv.rename(shared)
    installation.venv.symlink_to(shared)
    with pytest.raises(installation.run.Refused, match="of another Python; remove this link and start again"):
        installation.run.install(with_tests=False)
    assert (shared / "installed").is_file()


def test_account_without_write_access_starts_the_installed_python(
    installation: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    installation.python = OTHER
    installation.run.install(with_tests=False)
    monkeypatch.setattr(os, "access", lambda folder, mode: False)
    assert not installation.changes(with_tests=False)


@pytest.mark.parametrize("file", ["installed", "wanted.lock"])
def test_unwritable_environment_is_one_clear_line(installation: Installed, file: str) -> None:
    """A folder where a file must be stands for what belongs to somebody else, since root may write anywhere."""
    installation.run.virtualenv()
    (installation.venv / file).mkdir()
    with pytest.raises(installation.run.Refused, match=rf"^cannot use .*{file} \(Is a directory\); .* anew$"):
        installation.run.install(with_tests=False)
    assert installation.packages == []


def test_unwritable_stamp_or_folder_is_one_line(
    installation: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_and_block_stamp(words: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        done = installation.run_words(words)
        if "pip" in words:
            (installation.venv / "installed").mkdir()
        return done

    with monkeypatch.context() as patched:
        patched.setattr(os, "access", lambda folder, mode: folder != installation.run.ROOT)
        words = r"^cannot write in .*; make it writable for this account$"
        with pytest.raises(installation.run.Refused, match=words):
            installation.run.install(with_tests=False)
    assert installation.made == []
    monkeypatch.setattr(subprocess, "run", run_and_block_stamp)
    with pytest.raises(installation.run.Refused, match=r"^cannot use .*/installed \(Is a directory\)"):
        installation.run.install(with_tests=False)


def test_tampered_package_is_refused_and_pips_message_kept(run: ModuleType) -> None:
    tampered = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."
    assert "was not installed" in run.why_pip_failed(tampered)
    assert "remove it and start again" in run.why_pip_failed("error: externally-managed-environment")
    assert run.why_pip_failed("Collecting\nERROR: odd thing\n  see above") == "pip failed: ERROR: odd thing"


class Npm:
    """What ./run does where npm ci is replaced and only leaves its mark."""

    def __init__(self, run: ModuleType, root: Path) -> None:
        self.run, self.lock, self.folder = run, root / "package-lock.json", root / "node_modules"
        self.status, self.output, self.calls = 0, "", 0
        self.lock.write_text("one")

    def run_words(self, words: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        assert words[2] == "ci"
        assert "--ignore-scripts" in words
        self.calls += 1
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        return subprocess.CompletedProcess(words, self.status, self.output, "")


@pytest.fixture
def npm(run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Npm:
    made = Npm(run, tmp_path)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "SCRIPT_LOCK", made.lock)
    monkeypatch.setattr(run, "node", lambda: "/nowhere/bin/node")
    monkeypatch.setattr(subprocess, "run", made.run_words)
    return made


def test_script_checkers_are_installed_once_per_lock(npm: Npm) -> None:
    """What npm did not finish is begun again."""
    npm.status, npm.output = 1, "npm error code ENOTFOUND"
    with pytest.raises(npm.run.Refused, match=r"^cannot reach the package registry; check the network"):
        npm.run.install_script_checkers()
    npm.status = 0
    for lock, calls in (("one", 2), ("one", 2), ("two", 3)):
        npm.lock.write_text(lock)
        npm.run.install_script_checkers()
        assert npm.calls == calls


def test_unwritable_checker_folder_is_one_line(npm: Npm, monkeypatch: pytest.MonkeyPatch) -> None:
    def run_and_block_stamp(words: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        done = npm.run_words(words)
        (npm.folder / "installed").mkdir()
        return done

    monkeypatch.setattr(subprocess, "run", run_and_block_stamp)
    words = r"^cannot write .*/installed \(Is a directory\); make .* writable$"
    with pytest.raises(npm.run.Refused, match=words):
        npm.run.install_script_checkers()


def test_npm_failure_is_explained(run: ModuleType) -> None:
    odd = "npm error odd thing\nnpm error A complete log of this run can be found in: /x/y"
    for output, said in {
        "npm error code EINTEGRITY": "a package differs from the hash in package-lock.json",
        "npm error code SELF_SIGNED_CERT_IN_CHAIN": "cannot check the package registry's certificate",
        "npm error code ENOSPC": "the disk that holds ",
        odd: "npm failed: npm error odd thing",
    }.items():
        assert run.why_npm_failed(output).startswith(said), output
