"""The script ./run: what it says when something is missing, and what it hands over."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pip
import pytest

from config.start import process_supervisor, server_and_worker
from tests import servers


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script and the lock alone, with an environment already made, so that only the download is missing."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("run", "requirements.lock"):
        shutil.copy(servers.ROOT / name, folder)
    venv = folder / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    # Our own pip: installing another takes eight seconds.
    (packages,) = venv.glob("lib/python*/site-packages")
    (packages / "pip").symlink_to(Path(pip.__file__).parent)
    (venv / "bin" / "pip").touch()
    return folder


def demo(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder), "PIP_RETRIES": "1", "PIP_NO_CACHE_DIR": "1"}
    words = [sys.executable, str(folder / "run"), "demo"]
    return subprocess.run(words, env={**clean, **env}, capture_output=True, text=True, cwd=folder)


@pytest.mark.night
@pytest.mark.page
def test_a_missing_network_is_one_clear_line(checkout: Path) -> None:
    done = demo(checkout, HTTPS_PROXY="http://127.0.0.1:9", HTTP_PROXY="http://127.0.0.1:9")
    assert done.returncode == 1
    assert done.stderr == (
        "./run demo: cannot reach the package index; check the network connection and start again\n"
    )


@pytest.mark.page
def test_a_missing_certificate_store_is_one_clear_line(checkout: Path) -> None:
    done = demo(checkout, PIP_CERT=str(checkout / "missing.pem"))
    assert done.returncode == 1
    assert done.stderr == (
        "./run demo: cannot check the package index's certificate; "
        "run this once: apt-get install -y ca-certificates\n"
    )


@pytest.mark.parametrize(
    ("programs", "how"),
    [
        (("apt-get",), "as root: apt-get install -y redis-server"),
        (("apt-get", "sudo"), "with an account that may: sudo apt-get install -y redis-server"),
    ],
)
def test_without_rights_the_one_command_is_said(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, programs: tuple[str, ...], how: str
) -> None:
    for name in programs:
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(run.Refused, match=rf"run this once {how}$"):
        run.apt("redis-server")


def test_a_step_that_lasts_goes_on_saying_so(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module, name in ((run, "step"), (process_supervisor, "print_step")):
        monkeypatch.setattr(module, "BETWEEN_WORDS", 0.01)
        with getattr(module, name)("Baking"):
            time.sleep(0.2)
        assert re.fullmatch(r"  Baking … ([\d.]+ s … )+[\d.]+ s\n", capsys.readouterr().out)


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
    apt.write_text(
        "#!/bin/sh\necho \"$@\" >> $0.said\necho 'E: Unable to locate package redis-server' >&2\nexit 100\n"
    )
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(run.Refused, match=r"failed: E: Unable to locate package redis-server"):
        run.apt("redis-server")
    _update, line = (tmp_path / "apt-get.said").read_text().splitlines()
    assert line == "install -y redis-server -o DPkg::Lock::Timeout=600 -q", "another apt is waited for"


def test_the_products_part_of_the_lock_ends_where_the_tests_begin(run: ModuleType) -> None:
    product = (servers.ROOT / "requirements.lock").read_text().split(run.TESTS_BELOW)[0]
    assert "\ndjango==" in product
    assert "\npytest==" not in product


def test_the_script_needs_only_the_standard_library(run: ModuleType) -> None:
    source = (servers.ROOT / "run").read_text()
    imported = {
        line.split()[1].split(".")[0] for line in source.splitlines() if line.startswith(("import ", "from "))
    }
    assert imported <= sys.stdlib_module_names


# --- what the script hands over ----------------------------------------------------------------------


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
        ("serve --web 0 --workers 3", {"web": 0, "workers": 3, "respondents_port": None}),
        ("serve --respondents-port 8100", {"port": 8000, "respondents_port": 8100}),
    ],
)
def test_the_supervisor_understands_what_the_script_hands_over(
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
    assert (Path(program).name, module) == ("python", ["-m", "config.start.server_and_worker"])
    asked = vars(server_and_worker.parser().parse_args([command, *handed[0][4:]]))
    assert {**asked, **understood} == asked
    assert masks == [0o077]


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
    monkeypatch.setattr(run, "checks", dict)
    monkeypatch.setattr(run, "results", lambda steps, at_once: iter(()))
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


def test_checks_that_run_at_once_speak_one_after_another(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scripts = {
        "waits": "echo first; while [ ! -e there ]; do sleep 0.01; done; echo second >&2; exit 3",
        "makes": "echo made; > there",
        "fails": "echo no; exit 1",
    }
    for name, script in scripts.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(run, "BIN", tmp_path)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    steps = {name: [name] for name in scripts}
    assert run.failures(run.results(steps, at_once=2)) == ["waits", "fails"]
    assert capsys.readouterr().out == "── waits\nfirst\nsecond\n── makes\nmade\n── fails\nno\n"


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


@pytest.mark.parametrize("rooms", [["accounts", "api/"], pytest.param([], marks=pytest.mark.night)])
def test_a_sample_is_of_the_product_or_some_rooms_and_drawn_again_by_its_seed(
    rooms: list[str], run: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    run.sample(argparse.Namespace(seed=None, rooms=rooms))
    drawn = capsys.readouterr().out
    seed, *parts = drawn.split("\n\n")
    files, functions, docstrings = (part.splitlines()[1:] for part in parts)
    assert (len(files), len(functions), len(docstrings)) == (40, 30, 30)
    lines = [line.strip() for line in [*files, *functions, *docstrings]]
    assert not any(line.startswith(("tests/", "bench/")) for line in lines)
    assert not rooms or {line.partition("/")[0] for line in lines} <= {"accounts", "api"}
    run.sample(argparse.Namespace(seed=int(seed.removeprefix("seed ")), rooms=rooms))
    assert capsys.readouterr().out == drawn
    with pytest.raises(run.Refused, match="no file of the product is in tests"):
        run.sample(argparse.Namespace(seed=None, rooms=["tests"]))
