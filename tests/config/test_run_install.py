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

    def act(self, words: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
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
def installed(run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Installed:
    made = Installed(run, tmp_path)
    places = {"ROOT": tmp_path, "VENV": made.venv, "BIN": made.venv / "bin", "LOCK": made.lock}
    for name, value in places.items():
        monkeypatch.setattr(run, name, value)
    monkeypatch.setattr(subprocess, "run", made.act)
    return made


def test_what_a_lock_names_is_installed_once(installed: Installed) -> None:
    assert [installed.changes(with_tests=False), installed.changes(with_tests=False)] == [True, False]
    assert installed.packages == ["django==1\n"]
    assert [installed.changes(with_tests=True), installed.changes(with_tests=True)] == [True, False]
    # Who has all of it has the product's part too.
    assert not installed.changes(with_tests=False)
    assert len(installed.made) == 1


def test_going_back_to_another_lock_installs_that_one_again(installed: Installed) -> None:
    installed.run.install(with_tests=False)
    installed.write_lock("2")
    installed.run.install(with_tests=True)
    installed.write_lock("1")
    assert installed.changes(with_tests=False)
    assert installed.packages[-1] == "django==1\n"
    installed.write_lock("2")
    assert installed.changes(with_tests=True)
    # What pip did not finish is begun again.
    installed.write_lock("3")
    installed.status = 1
    with pytest.raises(installed.run.Refused):
        installed.run.install(with_tests=True)
    installed.status = 0
    installed.write_lock("2")
    assert installed.changes(with_tests=True)


HOLD = "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, 2); print('held', flush=1); time.sleep(60)"


def test_a_second_start_waits_for_the_first_and_takes_over_when_it_was_killed(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, waits = installed.lock.parent / ".venv.lock", Event()

    def say(words: str, **how: object) -> None:
        if "waiting for it" in words:
            waits.set()

    monkeypatch.setattr(installed.run, "print", say, raising=False)
    with subprocess.Popen([sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE) as first:
        assert first.stdout
        assert first.stdout.readline() == b"held\n"
        second = Thread(target=installed.run.install, args=[False])
        second.start()
        assert waits.wait(servers.PATIENCE)
        assert installed.packages == []
        first.kill()
        second.join()
    assert installed.packages == ["django==1\n"]
    assert not installed.changes(with_tests=False)


def test_another_or_no_python_makes_it_anew(installed: Installed, monkeypatch: pytest.MonkeyPatch) -> None:
    installed.run.install(with_tests=False)
    for name in ("pyvenv.cfg", "installed"):
        (installed.venv / name).unlink()
    installed.run.install(with_tests=True)
    assert len(installed.made) == 2
    monkeypatch.setattr(sys, "version_info", (3, 99, 1))
    assert installed.changes(with_tests=True)
    assert installed.made[2:] == ["3.99"]
    assert not installed.changes(with_tests=True)


def test_a_python_of_the_same_version_in_another_folder_makes_it_anew_and_says_so(
    installed: Installed, capsys: pytest.CaptureFixture[str]
) -> None:
    installed.python = OTHER
    installed.run.install(with_tests=False)
    installed.python = Path(sys.executable)
    capsys.readouterr()
    assert installed.changes(with_tests=False)
    version = f"{installed.run.python()}.4"
    words = f".venv is of another Python, {version} in {OTHER.parent}, and is made anew.\n"
    assert words in capsys.readouterr().out
    assert not installed.changes(with_tests=False)


def test_an_environment_that_others_use_through_a_link_is_not_made_anew(installed: Installed) -> None:
    shared = installed.lock.parent / "shared"
    installed.python = OTHER
    installed.run.install(with_tests=False)
    installed.venv.rename(shared)
    installed.venv.symlink_to(shared)
    with pytest.raises(installed.run.Refused, match="of another Python; remove this link and start again"):
        installed.run.install(with_tests=False)
    assert (shared / "installed").is_file()


def test_an_account_that_may_not_write_starts_the_python_that_was_installed(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed.python = OTHER
    installed.run.install(with_tests=False)
    monkeypatch.setattr(os, "access", lambda folder, mode: False)
    assert not installed.changes(with_tests=False)


@pytest.mark.parametrize("file", ["installed", "wanted.lock"])
def test_an_environment_that_cannot_be_written_is_one_clear_line(installed: Installed, file: str) -> None:
    """A folder where a file must be stands for what belongs to somebody else, since root may write anywhere."""
    installed.run.virtualenv()
    (installed.venv / file).mkdir()
    with pytest.raises(installed.run.Refused, match=rf"^cannot use .*{file} \(Is a directory\); .* anew$"):
        installed.run.install(with_tests=False)
    assert installed.packages == []


def test_an_unwritable_stamp_or_folder_is_one_line(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def act(words: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        done = installed.act(words)
        if "pip" in words:
            (installed.venv / "installed").mkdir()
        return done

    with monkeypatch.context() as patched:
        patched.setattr(os, "access", lambda folder, mode: folder != installed.run.ROOT)
        words = r"^cannot write in .*; make it writable for this account$"
        with pytest.raises(installed.run.Refused, match=words):
            installed.run.install(with_tests=False)
    assert installed.made == []
    monkeypatch.setattr(subprocess, "run", act)
    with pytest.raises(installed.run.Refused, match=r"^cannot use .*/installed \(Is a directory\)"):
        installed.run.install(with_tests=False)


def test_no_tampered_package_is_installed_and_pips_other_words_are_kept(run: ModuleType) -> None:
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

    def act(self, words: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
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
    monkeypatch.setattr(subprocess, "run", made.act)
    return made


def test_the_checkers_of_scripts_are_installed_once_per_lock(npm: Npm) -> None:
    """What npm did not finish is begun again."""
    npm.status, npm.output = 1, "npm error code ENOTFOUND"
    with pytest.raises(npm.run.Refused, match=r"^cannot reach the package registry; check the network"):
        npm.run.install_script_checkers()
    npm.status = 0
    for lock, calls in (("one", 2), ("one", 2), ("two", 3)):
        npm.lock.write_text(lock)
        npm.run.install_script_checkers()
        assert npm.calls == calls


def test_an_unwritable_folder_of_checkers_is_one_line(npm: Npm, monkeypatch: pytest.MonkeyPatch) -> None:
    def act(words: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        done = npm.act(words)
        (npm.folder / "installed").mkdir()
        return done

    monkeypatch.setattr(subprocess, "run", act)
    words = r"^cannot write .*/installed \(Is a directory\); make .* writable$"
    with pytest.raises(npm.run.Refused, match=words):
        npm.run.install_script_checkers()


def test_why_npm_failed_is_said(run: ModuleType) -> None:
    odd = "npm error odd thing\nnpm error A complete log of this run can be found in: /x/y"
    for output, said in {
        "npm error code EINTEGRITY": "a package differs from the hash in package-lock.json",
        "npm error code SELF_SIGNED_CERT_IN_CHAIN": "cannot check the package registry's certificate",
        "npm error code ENOSPC": "the disk that holds ",
        odd: "npm failed: npm error odd thing",
    }.items():
        assert run.why_npm_failed(output).startswith(said), output
