"""Other accounts of the machine can read nothing of what an instance stores."""

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from config import checks
from config.start import file_permissions
from config.start.start_preparation import StartRefused, close_to_other_accounts
from tests import servers
from tests.config.conftest import Say
from tests.product import Product, product

OTHERS = 0o077


def make(path: Path, mode: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    path.chmod(mode)
    return path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def make_folder(path: Path, mode: int) -> Path:
    path.mkdir(parents=True)
    path.chmod(mode)
    return path


@pytest.fixture
def var(tmp_path: Path, settings: Settings, say_of_database: Say) -> Path:
    """As an earlier version left it: open to everybody."""
    settings.VAR = make_folder(tmp_path / "var", 0o755)
    say_of_database(NAME=make(settings.VAR / "candor.sqlite3", 0o644))
    make(settings.VAR / "secret-key", 0o600)
    make(settings.VAR / "mail" / "20260102-030405-1.log", 0o640)
    make_folder(settings.VAR / "files", 0o700)
    make(settings.VAR / "files" / "inside", 0o644)
    (settings.VAR / "mail").chmod(0o750)
    return settings.VAR  # type: ignore[no-any-return]


def relative_paths(paths: Iterable[Path], var: Path) -> set[str]:
    return {str(path.relative_to(var)) for path in paths}


def test_every_right_of_other_accounts_counts_except_in_a_closed_folder(var: Path, tmp_path: Path) -> None:
    for right in (0o040, 0o020, 0o010, 0o004, 0o002, 0o001):
        one = make(tmp_path / "file", 0o600 | right)
        assert list(file_permissions.paths_open_to_others([one])) == [one]
    found = relative_paths(file_permissions.paths_open_to_others([var]), var)
    assert found == {".", "candor.sqlite3", "mail", "mail/20260102-030405-1.log"}
    var.chmod(0o700)
    assert list(file_permissions.paths_open_to_others([var])) == []


def test_closing_removes_all_rights_of_others_and_follows_no_links(var: Path, tmp_path: Path) -> None:
    elsewhere = make(tmp_path / "elsewhere" / "file", 0o644)
    (var / "link").symlink_to(elsewhere)
    (var / "folder-link").symlink_to(elsewhere.parent)
    file_permissions.close_to_others([var])
    folders, files = {".", "mail", "files"}, {"candor.sqlite3", "secret-key", "mail/20260102-030405-1.log"}
    expected = dict.fromkeys(folders, 0o700) | dict.fromkeys({*files, "files/inside"}, 0o600)
    inside = [path for path in [var, *var.rglob("*")] if not path.is_symlink()]
    assert {str(path.relative_to(var)): mode(path) for path in inside} == expected
    assert (mode(elsewhere), mode(elsewhere.parent) & 0o555) == (0o644, 0o555)
    assert list(file_permissions.paths_open_to_others([var])) == []


def test_database_and_letters_elsewhere_are_checked_but_not_their_folder(
    var: Path, tmp_path: Path, settings: Settings, say_of_database: Say
) -> None:
    place = make_folder(tmp_path / "shared", 0o755)
    say_of_database(NAME=place / "other.sqlite3")
    settings.EMAIL_FILE_PATH = str(place)
    written = ("other.sqlite3", "other.sqlite3-wal", "other.sqlite3-shm", "20260102-030405-1407.log")
    ours, not_ours = {make(place / name, 0o644) for name in written}, make(place / "syslog.log", 0o644)
    file_permissions.close_to_others([var])
    assert set(file_permissions.paths_open_to_others(file_permissions.protected_paths(settings))) == ours
    file_permissions.close_to_others(file_permissions.protected_paths(settings))
    assert {mode(path) for path in ours} == {0o600}
    assert (mode(not_ours), mode(place)) == (0o644, 0o755)


def test_check_names_some_open_files_counts_the_rest_and_gives_the_remedy(var: Path) -> None:
    (found,) = checks.check_file_access(None)
    assert found.id == "candor.W007"
    assert str(var / "candor.sqlite3") in found.msg
    assert f"chmod -R go-rwx {var}" in str(found.hint)
    for number in range(20):
        make(var / str(number), 0o644)
    (found,) = checks.check_file_access(None)
    assert found.msg.count(str(var)) == 5
    assert " and 19 more" in found.msg
    file_permissions.close_to_others([var])
    assert checks.check_file_access(None) == []


def test_files_that_cannot_be_closed_stop_a_server_and_warn_a_demo(
    var: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(path: Path, mode: int, **more: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refuse)
    with pytest.raises(StartRefused, match=rf"cannot change that.*: chmod -R go-rwx {var}$"):
        close_to_other_accounts(serving=True)
    close_to_other_accounts(serving=False)
    assert f"chmod -R go-rwx {var}" in capsys.readouterr().err


# --- the product ------------------------------------------------------------------------------------


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that every account can enter; what pytest makes is closed anyway."""
    path = Path(tempfile.mkdtemp(prefix="candor-"))
    path.chmod(0o755)
    before = os.umask(0o022)
    yield path
    os.umask(before)
    shutil.rmtree(path)


def open_paths(var: Path) -> set[str]:
    """What is open by its mode."""
    return {str(path) for path in [var, *var.rglob("*")] if not path.is_symlink() and mode(path) & OTHERS}


def read_by_another(var: Path) -> set[str]:
    """What a real other account can read; nothing can be said where this one may not act as another."""
    if os.geteuid() != 0:
        return set()
    words = ["/usr/bin/find", str(var), "-type", "f", "-readable"]
    done = subprocess.run(
        words, user="nobody", group="nogroup", extra_groups=[], cwd="/", capture_output=True, text=True
    )
    return set(done.stdout.splitlines())


def used_product(running: Product) -> None:
    """A session, a letter, a record's refusal, and a worker that is heard."""
    running.ask("GET", "/app/account/sign-in")
    running.ask("POST", "/a/nothing/record", "{}", Content_Type="application/json")
    letter = "from django.core.mail import send_mail;send_mail('x', 'y', 'a@example.org', ['b@example.org'])"
    servers.manage(running.env, "shell", "--verbosity=0", "-c", letter)
    servers.wait(lambda: running.ask("GET", "/healthz").status == 200, "the worker being heard")


@pytest.mark.night
@pytest.mark.server
def test_start_closes_open_files_to_other_accounts(shared_folder: Path) -> None:
    """With tables, static files, a log and a key."""
    var = shared_folder / "var"
    make(var / "log" / "web.log", 0o644)
    (var / "secret-key").write_text("0123456789abcdef" * 4)
    servers.share_first_start({"VAR": str(var)})
    for path in [var, *var.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    before = {str(path) for path in var.rglob("*")}
    assert {str(var), str(var / "secret-key"), str(var / "candor.sqlite3")} <= open_paths(var)
    assert str(var / "secret-key") in read_by_another(var) or os.geteuid() != 0
    with product(var) as running:
        used_product(running)
        assert open_paths(var) == read_by_another(var) == set()
    assert open_paths(var) == read_by_another(var) == set()
    new = {path for path in map(str, var.rglob("*")) if path not in before}
    for made in ("/log/", "/mail/"):
        assert any(made in path for path in new), made


@pytest.mark.page
def test_management_command_makes_private_files(shared_folder: Path) -> None:
    var = shared_folder / "var"
    env = servers.environment(VAR=str(make_folder(var, 0o700)))
    servers.manage(env, "migrate", "contenttypes", "--verbosity=0")
    assert mode(var / "candor.sqlite3") == 0o600
    assert open_paths(servers.collected_static() / "static") == set()
