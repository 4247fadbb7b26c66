"""The door itself: what a newcomer sees when something is missing."""

import importlib.util
import os
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

from config import supervisor
from tests import servers


@pytest.fixture(scope="module")
def run() -> ModuleType:
    loader = SourceFileLoader("run", str(servers.ROOT / "run"))
    spec = importlib.util.spec_from_loader("run", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The door and the lock alone, with an environment already made, so that only the download is missing."""
    for name in ("run", "requirements.lock"):
        shutil.copy(servers.ROOT / name, tmp_path)
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / ".venv")], check=True, capture_output=True)
    return tmp_path


def demo(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder), "PIP_RETRIES": "1", "PIP_NO_CACHE_DIR": "1"}
    words = [sys.executable, str(folder / "run"), "demo"]
    return subprocess.run(words, env={**clean, **env}, capture_output=True, text=True, cwd=folder)


@pytest.mark.slow
def test_a_missing_network_is_one_clear_line(checkout: Path) -> None:
    done = demo(checkout, HTTPS_PROXY="http://127.0.0.1:9", HTTP_PROXY="http://127.0.0.1:9")
    assert done.returncode == 1
    assert done.stderr == (
        "./run demo: cannot reach the package index; check the network connection and start again\n"
    )


@pytest.mark.slow
def test_a_missing_certificate_store_is_one_clear_line(checkout: Path) -> None:
    done = demo(checkout, PIP_CERT=str(checkout / "missing.pem"))
    assert done.returncode == 1
    assert done.stderr == (
        "./run demo: cannot check the package index's certificate; "
        "run this once: apt-get install -y ca-certificates\n"
    )


LOCKED = "django=={version}\n{tests}\npytest=={version}\n"


class Door:
    """What the door does in a folder of its own, where making an environment and pip only leave their marks."""

    def __init__(self, run: ModuleType, root: Path) -> None:
        self.run, self.lock, self.venv = run, root / "requirements.lock", root / ".venv"
        self.made: list[str] = []
        self.installed: list[str] = []
        self.status = 0
        self.write_lock("1")

    def write_lock(self, version: str) -> None:
        self.lock.write_text(LOCKED.format(tests=self.run.TESTS_BELOW, version=version))

    def act(self, words: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        if words[1:3] == ["-m", "venv"]:
            self.made.append(self.run.python())
            shutil.rmtree(self.venv, ignore_errors=True)
            (self.venv / "bin").mkdir(parents=True)
            for name in ("python", "pip"):
                (self.venv / "bin" / name).touch()
            (self.venv / "pyvenv.cfg").write_text(f"home = /usr/bin\nversion = {self.run.python()}.4\n")
        else:
            assert not (self.venv / "installed").exists()
            self.installed.append(Path(words[words.index("-r") + 1]).read_text())
        return subprocess.CompletedProcess(words, self.status, "", "")

    def changes(self, with_tests: bool) -> bool:
        """Whether pip was needed."""
        before = len(self.installed)
        self.run.install(with_tests)
        return len(self.installed) > before


@pytest.fixture
def door(run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Door:
    made = Door(run, tmp_path)
    for name, value in {
        "ROOT": tmp_path,
        "VENV": made.venv,
        "BIN": made.venv / "bin",
        "LOCK": made.lock,
    }.items():
        monkeypatch.setattr(run, name, value)
    monkeypatch.setattr(subprocess, "run", made.act)
    return made


def test_what_a_lock_names_is_installed_once(door: Door) -> None:
    assert [door.changes(with_tests=False), door.changes(with_tests=False)] == [True, False]
    assert door.installed == ["django==1\n"]
    assert [door.changes(with_tests=True), door.changes(with_tests=True)] == [True, False]
    # Who has all of it has the product's part too.
    assert not door.changes(with_tests=False)
    assert len(door.made) == 1


def test_going_back_to_another_lock_installs_that_one_again(door: Door) -> None:
    door.run.install(with_tests=False)
    door.write_lock("2")
    door.run.install(with_tests=True)
    door.write_lock("1")
    assert door.changes(with_tests=False)
    assert door.installed[-1] == "django==1\n"
    door.write_lock("2")
    assert door.changes(with_tests=True)


def test_what_pip_did_not_finish_is_begun_again(door: Door) -> None:
    door.run.install(with_tests=False)
    door.write_lock("2")
    door.status = 1
    with pytest.raises(door.run.Refused):
        door.run.install(with_tests=False)
    door.status = 0
    door.write_lock("1")
    assert door.changes(with_tests=False)


def test_another_python_makes_the_environment_anew(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    door.run.install(with_tests=True)
    monkeypatch.setattr(sys, "version_info", (3, 99, 1))
    assert door.changes(with_tests=True)
    assert door.made[1:] == ["3.99"]
    assert not door.changes(with_tests=True)


def test_an_environment_without_a_word_of_its_python_is_made_anew(door: Door) -> None:
    door.run.install(with_tests=False)
    (door.venv / "pyvenv.cfg").unlink()
    (door.venv / "installed").unlink()
    door.run.install(with_tests=False)
    assert len(door.made) == 2


@pytest.mark.parametrize("file", ["installed", "wanted.lock"])
def test_an_environment_that_cannot_be_written_is_one_clear_line(door: Door, file: str) -> None:
    """A folder where a file must be stands for what belongs to somebody else, since root may write anywhere."""
    door.run.virtualenv()
    (door.venv / file).mkdir()
    with pytest.raises(door.run.Refused, match=rf"^cannot use .*{file} \(Is a directory\); .* anew$"):
        door.run.install(with_tests=False)
    assert door.installed == []


def test_a_stamp_that_cannot_be_written_is_one_clear_line(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    def act(words: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        done = door.act(words)
        if "pip" in words:
            (door.venv / "installed").mkdir()
        return done

    monkeypatch.setattr(subprocess, "run", act)
    with pytest.raises(door.run.Refused, match=r"^cannot use .*/installed \(Is a directory\)"):
        door.run.install(with_tests=False)


def test_a_folder_that_cannot_be_written_is_one_clear_line(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda folder, mode: folder != door.run.ROOT)
    with pytest.raises(door.run.Refused, match=r"^cannot write in .*; make it writable for this account$"):
        door.run.install(with_tests=False)
    assert door.made == []


def test_a_tampered_package_is_not_installed(run: ModuleType) -> None:
    output = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE."
    assert "was not installed" in run.why_pip_failed(output)


def test_any_other_failure_of_pip_keeps_its_own_words(run: ModuleType) -> None:
    assert run.why_pip_failed("Collecting\nERROR: odd thing\n  see above") == "pip failed: ERROR: odd thing"


class Npm:
    """What the door does where npm ci only leaves its mark."""

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
    for _ in range(2):
        npm.run.install_script_checkers()
    assert npm.calls == 1
    npm.lock.write_text("two")
    npm.run.install_script_checkers()
    assert npm.calls == 2


def test_what_npm_did_not_finish_is_begun_again(npm: Npm) -> None:
    npm.status, npm.output = 1, "npm error code ENOTFOUND"
    with pytest.raises(npm.run.Refused, match=r"^cannot reach the package registry; check the network"):
        npm.run.install_script_checkers()
    npm.status = 0
    npm.run.install_script_checkers()
    npm.run.install_script_checkers()
    assert npm.calls == 2


def test_a_folder_of_checkers_that_cannot_be_written_is_one_clear_line(
    npm: Npm, monkeypatch: pytest.MonkeyPatch
) -> None:
    def act(words: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        done = npm.act(words)
        (npm.folder / "installed").mkdir()
        return done

    monkeypatch.setattr(subprocess, "run", act)
    with pytest.raises(
        npm.run.Refused, match=r"^cannot write .*/installed \(Is a directory\); make .* writable$"
    ):
        npm.run.install_script_checkers()


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("npm error code EINTEGRITY", "a package differs from the hash in package-lock.json"),
        ("npm error code SELF_SIGNED_CERT_IN_CHAIN", "cannot check the package registry's certificate"),
        ("npm error code ENOSPC", "the disk that holds "),
        (
            "npm error odd thing\nnpm error A complete log of this run can be found in: /x/y",
            "npm failed: npm error odd thing",
        ),
    ],
)
def test_why_npm_failed_is_said(run: ModuleType, output: str, said: str) -> None:
    assert run.why_npm_failed(output).startswith(said)


def test_without_rights_the_one_command_is_said(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("apt-get", "false"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(run.Refused, match=r"run this once: sudo apt-get install -y redis-server$"):
        run.apt("redis-server")


def test_without_apt_the_packages_are_named(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(run.Refused, match="redis-server"):
        run.apt("redis-server")


def test_a_failing_apt_is_reported_with_its_reason(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\necho 'E: Unable to locate package redis-server' >&2\nexit 100\n")
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(run.Refused, match=r"failed: E: Unable to locate package redis-server"):
        run.apt("redis-server")


def test_the_products_part_of_the_lock_ends_where_the_tests_begin(run: ModuleType) -> None:
    product = (servers.ROOT / "requirements.lock").read_text().split(run.TESTS_BELOW)[0]
    assert "\ndjango==" in product
    assert "\npytest==" not in product


def test_the_door_needs_only_the_standard_library(run: ModuleType) -> None:
    source = (servers.ROOT / "run").read_text()
    imported = {
        line.split()[1].split(".")[0] for line in source.splitlines() if line.startswith(("import ", "from "))
    }
    assert imported <= sys.stdlib_module_names


# --- what the door hands over ----------------------------------------------------------------------


class HandedOver(Exception):
    """The program would be somebody else from here on."""


@pytest.mark.parametrize(
    ("typed", "understood"),
    [
        ("demo", {"command": "demo", "empty": False, "host": "127.0.0.1", "port": 8000}),
        ("demo --empty", {"command": "demo", "empty": True}),
        ("demo --host ::1 --port 9000", {"host": "::1", "port": 9000}),
        ("dev", {"command": "dev", "empty": False, "web": 2, "workers": 1}),
        ("dev --host 0.0.0.0 --port 81", {"command": "dev", "host": "0.0.0.0", "port": 81}),
        ("serve", {"command": "serve", "web": 2, "workers": 1}),
        ("serve --web 0 --workers 3", {"web": 0, "workers": 3}),
    ],
)
def test_the_supervisor_understands_what_the_door_hands_over(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, typed: str, understood: dict[str, object]
) -> None:
    handed: list[list[str]] = []

    def execv(program: str, words: list[str]) -> None:
        handed.append(words)
        masks.append(os.umask(before))
        raise HandedOver

    masks: list[int] = []
    before = os.umask(0o022)
    os.umask(before)
    monkeypatch.setattr(run, "install", lambda with_tests: None)
    monkeypatch.setattr(os, "execv", execv)
    monkeypatch.setattr(os, "chdir", lambda folder: None)
    monkeypatch.setattr(sys, "argv", ["./run", *typed.split()])
    with pytest.raises(HandedOver):
        run.main()
    [[program, *module, command]] = [words[:4] for words in handed]
    assert (Path(program).name, module) == ("python", ["-m", "config.supervisor"])
    asked = vars(supervisor.parser().parse_args([command, *handed[0][4:]]))
    assert {**asked, **understood} == asked
    assert masks == [0o077]


def test_the_audit_gets_its_place_from_where_it_was_asked_and_keeps_its_status(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    handed: list[tuple[str, ...]] = []

    def inside(*words: str, **more: str) -> int:
        handed.append(words)
        return 1

    monkeypatch.setattr(run, "install", lambda with_tests: None)
    monkeypatch.setattr(run, "inside", inside)
    monkeypatch.chdir(tmp_path)
    for typed in ("audit", "audit all.zip"):
        monkeypatch.setattr(sys, "argv", ["./run", *typed.split()])
        assert run.main() == 1
    module = ("python", "-m", "config.advisories")
    assert handed == [module, (*module, str(tmp_path / "all.zip"))]


def test_an_audit_without_an_environment_could_not_look(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """1 would say that something was found."""

    def install(with_tests: bool) -> None:
        raise run.Refused("cannot reach the package index")

    monkeypatch.setattr(run, "install", install)
    monkeypatch.setattr(sys, "argv", ["./run", "audit"])
    assert run.main() == 2
    assert capsys.readouterr().err == "./run audit: could not look: cannot reach the package index\n"


# --- what must be there first ----------------------------------------------------------------------


@pytest.mark.parametrize(("typed", "wanted"), [("test --fast", {"gettext"}), ("test", None)])
def test_the_tests_look_for_what_they_drive(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, typed: str, wanted: set[str] | None
) -> None:
    looked: list[set[str]] = []
    compiling: list[str | None] = []

    def inside(*words: str, **more: str) -> int:
        compiling.extend([more.get("PYTHONDONTWRITEBYTECODE")] if "pytest" in words else [])
        return 0

    nowhere = {name: ("/nowhere/*", name) for name in run.PACKAGES}
    monkeypatch.setattr(run, "PACKAGES", nowhere)
    monkeypatch.setattr(run, "install", lambda with_tests: None)
    monkeypatch.setattr(run, "apt", lambda *names: looked.append(set(names)))
    monkeypatch.setattr(run, "checks", list)
    monkeypatch.setattr(run, "inside", inside)
    monkeypatch.setattr(sys, "argv", ["./run", *typed.split()])
    assert run.main() == 0
    assert looked == [wanted or set(nowhere)]
    # What Python compiles is kept whatever the caller thinks of it, or every process would compile it again.
    assert compiling == [""]


def test_what_is_there_is_not_installed_again(run: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        run, "PACKAGES", {"Python": (sys.executable, "python3"), "None": ("/nowhere/*", "none")}
    )
    monkeypatch.setattr(run, "apt", lambda *names: pytest.fail(f"{names} would be installed"))
    run.debian(["Python"])


def test_an_old_python_is_refused(run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(run, "BIN", tmp_path / "bin")
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(sys, "version", "3.9.2 (default)")
    with pytest.raises(run.Refused, match=r"^needs Python 3\.11 or later, and this is 3\.9\.2$"):
        run.virtualenv()


def test_a_python_that_makes_no_environments_gets_debians_package_for_it(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    done: list[object] = []

    def make(words: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        done.append(words[1:3])
        return subprocess.CompletedProcess(words, 0, "", "")

    monkeypatch.setattr(run, "BIN", tmp_path / "bin")
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    monkeypatch.setattr(run, "apt", lambda *names: done.append(names))
    monkeypatch.setattr(subprocess, "run", make)
    run.virtualenv()
    assert done == [("python3-venv", f"python3.{sys.version_info.minor}-venv"), ["-m", "venv"]]
