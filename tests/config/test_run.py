"""The script ./run: what it says when something is missing, and what it hands over."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pip
import pytest

from config.start import process_supervisor, server_and_worker
from tests import servers
from tests.config.conftest import Done, python


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


def demo(folder: Path, **env: str) -> Done:
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder), "PIP_RETRIES": "1", "PIP_NO_CACHE_DIR": "1"}
    return python(str(folder / "run"), "demo", env={**clean, **env}, folder=folder)


@pytest.mark.night
@pytest.mark.page
def test_missing_network_is_one_clear_line(checkout: Path) -> None:
    done = demo(checkout, HTTPS_PROXY="http://127.0.0.1:9", HTTP_PROXY="http://127.0.0.1:9")
    words = "cannot reach the package index; check the network connection and start again"
    assert (done.returncode, done.stderr) == (1, f"./run demo: {words}\n")


@pytest.mark.page
def test_missing_certificate_store_is_one_clear_line(checkout: Path) -> None:
    done = demo(checkout, PIP_CERT=str(checkout / "missing.pem"))
    words = "cannot check the package index's certificate; run this once as root: "
    words += "apt-get update && apt-get install -y ca-certificates"
    assert (done.returncode, done.stderr) == (1, f"./run demo: {words}\n")


def program(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_command_to_type_is_printed_without_apt_or_its_rights(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(run.Refused, match="redis-server"):
        run.apt("redis-server")
    for name, how in {
        "apt-get": "as root: apt-get update && apt-get install -y redis-server",
        "sudo": "with an account that may: sudo apt-get update && sudo apt-get install -y redis-server",
    }.items():
        program(tmp_path, name, "exit 1")
        with pytest.raises(run.Refused, match=rf"run this once {how}$"):
            run.apt("redis-server")


def test_long_step_keeps_reporting(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module, name in ((run, "step"), (process_supervisor, "print_step")):
        monkeypatch.setattr(module, "BETWEEN_WORDS", 0.01)
        with getattr(module, name)("Baking"):
            time.sleep(0.2)
        assert re.fullmatch(r"  Baking … ([\d.]+ s … )+[\d.]+ s\n", capsys.readouterr().out)


def test_a_failing_apt_is_reported(run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    failing = 'echo "$@" >> $0.said; echo "E: Unable to locate package redis-server" >&2; exit 100'
    program(tmp_path, "apt-get", failing)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(run.Refused, match=r"failed: E: Unable to locate package redis-server"):
        run.apt("redis-server")
    _update, line = (tmp_path / "apt-get.said").read_text().splitlines()
    assert line == "install -y redis-server -o DPkg::Lock::Timeout=600 -q", "another apt is waited for"


# What Debian 12's apt-get says of `update` and of `install`, without a network and on a full disk.
UNREACHABLE = "Err:1 http://mirror.example bookworm InRelease\n  Temporary failure resolving 'mirror.example'"
APT_FAILURES = {
    "no network, and no list yet": (
        UNREACHABLE,
        "E: Package 'gettext' has no installation candidate",
        "cannot reach Debian's packages; check the network connection and start again",
    ),
    "no network, and a list of before": (
        "",
        f"{UNREACHABLE}\nE: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?",
        "cannot reach Debian's packages; check the network connection and start again",
    ),
    "another source is away, which is not why": (
        UNREACHABLE,
        "E: Sub-process /usr/bin/dpkg returned an error code (1)",
        "`apt-get install -y gettext` failed: E: Sub-process /usr/bin/dpkg returned an error code (1)",
    ),
    "a full disk": (
        "",
        "E: You don't have enough free space in /var/cache/apt/archives/.",
        "`apt-get install -y gettext` failed: the disk is full",
    ),
}


@pytest.mark.parametrize("failure", APT_FAILURES)
def test_apt_failure_is_explained_by_its_cause(
    failure: str, run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    update, install, words = APT_FAILURES[failure]
    (tmp_path / "update").write_text(update)
    (tmp_path / "install").write_text(install)
    program(tmp_path, "apt-get", f'cat "{tmp_path}/$1" >&2; [ "$1" = update ] || exit 100')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(run.Refused, match=rf"^{re.escape(words)}$"):
        run.apt("gettext")


def test_run_script_needs_only_the_standard_library_and_splits_the_lock(run: ModuleType) -> None:
    lines = (servers.ROOT / "run").read_text().splitlines()
    imported = {line.split()[1].split(".")[0] for line in lines if line.startswith(("import ", "from "))}
    assert imported <= sys.stdlib_module_names
    product = (servers.ROOT / "requirements.lock").read_text().split(run.TESTS_BELOW)[0]
    assert "\ndjango==" in product
    assert "\npytest==" not in product


# --- what the script hands over ----------------------------------------------------------------------


class HandedOver(Exception):
    """The program would be somebody else from here on."""


UNDERSTOOD: dict[str, dict[str, object]] = {
    "demo": {"command": "demo", "empty": False, "host": "127.0.0.1", "port": 8000},
    "demo --empty": {"command": "demo", "empty": True},
    "demo --host ::1 --port 9000": {"host": "::1", "port": 9000},
    "dev": {"command": "dev", "empty": False, "web": 2, "workers": 1},
    "dev --host 0.0.0.0 --port 81": {"command": "dev", "host": "0.0.0.0", "port": 81},
    "serve": {"command": "serve", "web": 2, "workers": 1},
    "serve --web 0 --workers 3": {"web": 0, "workers": 3, "respondents_port": None},
    "serve --respondents-port 8100": {"port": 8000, "respondents_port": 8100},
}


def test_supervisor_accepts_the_run_scripts_arguments(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.umask(0o022)
    handed: list[tuple[list[str], int]] = []

    def execv(program: str, words: list[str]) -> None:
        handed.append((words, os.umask(0o022)))
        raise HandedOver

    monkeypatch.setattr(run, "install", lambda with_tests: None)
    monkeypatch.setattr(run, "are_documents_made", lambda: True)
    monkeypatch.setattr(os, "execv", execv)
    monkeypatch.setattr(os, "chdir", lambda folder: None)
    try:
        for typed, understood in UNDERSTOOD.items():
            monkeypatch.setattr(sys, "argv", ["./run", *typed.split()])
            with pytest.raises(HandedOver):
                run.main()
            words, mask = handed[-1]
            assert (Path(words[0]).name, words[1:3]) == ("python", ["-m", "config.start.server_and_worker"])
            asked = vars(server_and_worker.parser().parse_args(words[3:]))
            assert ({**asked, **understood}, mask) == (asked, 0o077), typed
    finally:
        os.umask(before)


# --- the pages at /documents -----------------------------------------------------------------------


@pytest.fixture
def installation(run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder in which nothing must be installed, and the pages of the documents are missing."""
    monkeypatch.setattr(run, "install", lambda with_tests: None)
    monkeypatch.setattr(run, "inside", lambda *words: 0)
    monkeypatch.setattr(run, "are_documents_made", lambda: False)
    for name in ("ROOT", "BIN"):
        monkeypatch.setattr(run, name, tmp_path)
    return tmp_path


def test_start_builds_document_pages_without_waiting(
    run: ModuleType, installation: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def execv(program: str, words: list[str]) -> None:
        raise HandedOver

    wait = "while [ ! -e started ]; do sleep 0.01; done"
    program(installation, "python", f'{wait}; echo "$DJANGO_SETTINGS_MODULE" "$@" > part; mv part made')
    monkeypatch.setattr(os, "execv", execv)
    monkeypatch.chdir(installation)
    mask = os.umask(0o022)
    try:
        with pytest.raises(HandedOver):
            run.product(argparse.Namespace())
    finally:
        os.umask(mask)
    assert not (installation / "made").exists()
    (installation / "started").touch()
    servers.wait((installation / "made").exists, "the pages being made")
    assert (installation / "made").read_text() == "config.settings -m django reproduce all\n"


def test_installation_waits_for_document_pages(run: ModuleType, installation: Path) -> None:
    program(installation, "python", "sleep 0.1; touch made")
    assert run.install_product(argparse.Namespace()) == 0
    assert (installation / "made").exists()


def test_installation_without_document_pages_succeeds_and_says_why(
    run: ModuleType, installation: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program(installation, "python", "echo CommandError: no room >&2; exit 1")
    assert run.install_product(argparse.Namespace()) == 0
    words = (
        "The pages at /documents are missing (CommandError: no room); `manage.py reproduce all` makes them.\n"
    )
    assert capsys.readouterr().err == words


def test_existing_document_pages_are_kept(
    run: ModuleType, installation: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "are_documents_made", lambda: True)
    program(installation, "python", "touch made")
    assert run.install_product(argparse.Namespace()) == 0
    assert not (installation / "made").exists()


def test_document_pages_are_not_needed_with_only_a_lock(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(run, "ROOT", tmp_path)
    assert run.are_documents_made()


# --- what must be there first ----------------------------------------------------------------------


def test_missing_programs_for_tests_are_found(run: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[set[str]] = []
    compiling: list[str | None] = []

    def note_inner_call(*words: str, **more: str) -> int:
        compiling.extend([more.get("PYTHONDONTWRITEBYTECODE")] if "pytest" in words else [])
        return 0

    nowhere = {name: ("/nowhere/*", name) for name in run.PACKAGES}
    monkeypatch.setattr(run, "PACKAGES", nowhere)
    monkeypatch.setattr(run, "install", lambda with_tests: None)
    monkeypatch.setattr(run, "apt", lambda *names: looked.append(set(names)))
    monkeypatch.setattr(run, "checks", dict)
    monkeypatch.setattr(run, "node", lambda: "node")
    monkeypatch.setattr(run, "results", lambda steps, at_once: iter(()))
    monkeypatch.setattr(run, "inside", note_inner_call)
    for typed in ("test --fast", "test", "bench speed", "bench upgrade", "bench contact_sheets"):
        monkeypatch.setattr(sys, "argv", ["./run", *typed.split()])
        assert run.main() == 0
    servers_of_benches, browser = {"PostgreSQL", "Redis", "nginx"}, {"Chromium without a window", "CJK fonts"}
    assert looked == [{"gettext"}, set(nowhere), servers_of_benches, browser]
    # What Python compiles is kept whatever the caller thinks of it, or every process would compile it again.
    assert compiling == ["", ""]


def test_benches_with_servers_have_them_installed(run: ModuleType) -> None:
    starts = re.compile(r"servers\.(postgres|redis)\(|\bsystem\.|import .*\bnginx\b|two_instances")
    for path in sorted((servers.ROOT / "bench").glob("*.py")):
        if starts.search(path.read_text()):
            assert set(run.SERVERS) <= set(run.BENCH_PACKAGES[path.stem]), path.stem
    for names in run.BENCH_PACKAGES.values():
        assert set(names) <= set(run.PACKAGES)


def test_installed_programs_are_not_installed_again(run: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = {"Python": (sys.executable, "python3"), "None": ("/nowhere/*", "none")}
    monkeypatch.setattr(run, "PACKAGES", packages)
    monkeypatch.setattr(run, "apt", lambda *names: pytest.fail(f"{names} would be installed"))
    run.debian(["Python"])


def test_parallel_checks_print_one_after_another(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scripts = {
        "waits": "echo first; while [ ! -e there ]; do sleep 0.01; done; echo second >&2; exit 3",
        "makes": "echo made; > there",
        "fails": "echo no; exit 1",
    }
    for name, script in scripts.items():
        program(tmp_path, name, script)
    monkeypatch.setattr(run, "BIN", tmp_path)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    steps = {name: [name] for name in scripts}
    assert run.failures(run.results(steps, at_once=2)) == ["waits", "fails"]
    assert capsys.readouterr().out == "── waits\nfirst\nsecond\n── makes\nmade\n── fails\nno\n"


@pytest.mark.parametrize("typed", ["test --fast", "check"])
def test_waiting_for_checks_prints_progress(
    typed: str, run: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """mypy takes minutes, and the tests of --fast end before it."""
    said: list[str] = []

    def results(steps: dict[str, list[str]], at_once: int) -> Iterator[tuple[str, Done]]:
        until = time.monotonic() + 5
        while "Checking types" not in "".join(said) and time.monotonic() < until:
            said.append(capsys.readouterr().out)
            time.sleep(0.01)
        yield "types", subprocess.CompletedProcess([], 0, "Success\n")

    monkeypatch.setattr(run, "debian", lambda names: None)
    monkeypatch.setattr(run, "install", lambda with_tests: None)
    monkeypatch.setattr(run, "checks", lambda: {"types": []})
    monkeypatch.setattr(run, "node", lambda: "node")
    monkeypatch.setattr(run, "results", results)
    monkeypatch.setattr(run, "inside", lambda *words, **more: 0)
    monkeypatch.setattr(sys, "argv", ["./run", *typed.split()])
    assert run.main() == 0
    assert "Checking types" in "".join(said)
    assert "── types\nSuccess\n" in capsys.readouterr().out


def test_old_python_is_refused(run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(run, "BIN", tmp_path / "bin")
    monkeypatch.setattr(sys, "version_info", (3, 9, 2))
    monkeypatch.setattr(sys, "version", "3.9.2 (default)")
    with pytest.raises(run.Refused, match=r"^needs Python 3\.11 or later, and this is 3\.9\.2$"):
        run.virtualenv()


def test_free_threaded_python_is_refused(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(run, "BIN", tmp_path / "bin")
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: name == "Py_GIL_DISABLED")
    with pytest.raises(run.Refused, match=r"is a free-threaded build, .* the usual build of Python 3\.\d+$"):
        run.virtualenv()


def test_untested_python_is_used_and_named(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "BIN", tmp_path / "bin")
    monkeypatch.setattr(run, "VENV", tmp_path)
    monkeypatch.setattr(sys, "version_info", (3, 14, 0))
    monkeypatch.setattr(subprocess, "run", lambda words, **how: subprocess.CompletedProcess(words, 0, "", ""))
    run.virtualenv()
    assert "Python 3.14 was not tried; tried were 3.11, 3.12, 3.13.\n" in capsys.readouterr().out


# --- another interpreter ----------------------------------------------------------------------------

SHIM = 'echo "pyenv: python3.13: command not found" >&2; exit 127'


@pytest.fixture
def pythons(run: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder that is all of PATH, where no Python is found but the one that runs."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("UV_PYTHON_INSTALL_DIR", str(tmp_path / "uv"))
    monkeypatch.setattr(run, "TRIED", (run.python(), "3.97", "3.98"))
    return tmp_path


def test_another_python_runs_the_same_command_in_its_own_environment(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, pythons: Path
) -> None:
    started: list[tuple[str, list[str], str]] = []

    def execv(program: str, words: list[str]) -> None:
        started.append((program, words[2:], os.environ.pop("CANDOR_VENV")))
        raise HandedOver

    monkeypatch.setattr(os, "execv", execv)
    for minor in ("3.97", "3.98"):
        program(pythons, f"python{minor}", f"case $2 in *print*) echo {minor};; esac")
    for name, minor in (("python3.97", "3.97"), (str(pythons / "python3.98"), "3.98"), ("newest", "3.98")):
        typed = ["test", "--fast", "--python", name]
        monkeypatch.setattr(sys, "argv", ["./run", *typed])
        with pytest.raises(HandedOver):
            run.main()
        assert started.pop() == (str(pythons / f"python{minor}"), typed, f".venv-{minor}")


def test_python_shim_without_an_installation_is_refused(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, pythons: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program(pythons, "python3.98", SHIM)
    for name, words in {
        "python3.98": r"starts no Python \(pyenv: python3\.13: command not found\); give the path of an interp",
        "python3.99": r"there is no python3\.99; here are /",
    }.items():
        monkeypatch.setattr(sys, "argv", ["./run", "test", "--python", name])
        assert run.main() == 1
        assert re.search(words, capsys.readouterr().err), name


def test_missing_pythons_are_listed_at_the_end(
    run: ModuleType, monkeypatch: pytest.MonkeyPatch, pythons: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program(pythons, "python3.98", SHIM)
    pyenv = pythons / "pyenv" / "versions" / "3.97.1" / "bin"
    pyenv.mkdir(parents=True)
    version = sys.version.split()[0]
    words = f"Tested on Python {version} alone; also here: none (--python); not found: 3.97, 3.98."
    assert run.pythons_in_words() == words
    monkeypatch.setattr(sys, "argv", ["./run", "test", "--python", "newest"])
    assert run.main() == 0
    assert capsys.readouterr().out == f"No other Python is here. {words}\n"
    program(pyenv, "python3.97", "exit 0")
    words = f"Tested on Python {version} alone; also here: {pyenv}/python3.97 (--python); not found: 3.98."
    assert run.pythons_in_words() == words


def test_python_without_venv_gets_it(
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
def test_sample_is_drawn_from_the_product_or_rooms_and_repeated_by_seed(
    rooms: list[str], run: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    run.sample(argparse.Namespace(seed=None, rooms=rooms, tests=False))
    drawn = capsys.readouterr().out
    seed, *parts = drawn.split("\n\n")
    files, functions, docstrings = (part.splitlines()[1:] for part in parts)
    assert (len(files), len(functions), len(docstrings)) == (40, 30, 30)
    lines = [line.strip() for line in [*files, *functions, *docstrings]]
    assert not any(line.startswith(("tests/", "bench/")) for line in lines)
    assert not rooms or {line.partition("/")[0] for line in lines} <= {"accounts", "api"}
    run.sample(argparse.Namespace(seed=int(seed.removeprefix("seed ")), rooms=rooms, tests=False))
    assert capsys.readouterr().out == drawn
    with pytest.raises(run.Refused, match="no file of the product is in tests"):
        run.sample(argparse.Namespace(seed=None, rooms=["tests"], tests=False))


def test_a_sample_of_tests_names_tests_and_their_helpers(
    run: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    run.sample(argparse.Namespace(seed=7, rooms=["config"], tests=True))
    _seed, tests, helpers = (part.splitlines()[1:] for part in capsys.readouterr().out.split("\n\n"))
    assert all(".test_" in line.replace(" ", ".") for line in tests)
    assert all(line.strip().startswith("tests/config/") for line in (*tests, *helpers))
    assert not any(" test_" in line for line in helpers)
