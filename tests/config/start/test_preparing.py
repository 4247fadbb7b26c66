"""What must be there before the first process starts, and the one line that says what is not."""

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from pytest_django import Settings

from config import environment
from config.start import server_and_worker, start_preparation
from config.start.start_preparation import StartRefused
from tests import servers

Settled = Callable[..., dict[str, str]]
NETWORK = "192.0.2.9"


@pytest.fixture
def complete_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Settled:
    """The environment as a command completes it."""
    parser = server_and_worker.parser()

    def complete(command: str, host: str = "127.0.0.1", **given: str) -> dict[str, str]:
        env = {"VAR": str(tmp_path), **given}
        monkeypatch.setattr(os, "environ", env)
        start_preparation.preset_environment_variables(
            parser.parse_args([command, "--host", host, "--port", "8000"])
        )
        return env

    return complete


@pytest.fixture
def occupied_port() -> Iterator[int]:
    """A port on which somebody listens."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


# --- where it listens ---


def test_unusable_port_or_host_is_named(
    occupied_port: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "environ", {"VAR": str(tmp_path / "none")})
    for port in (0, -1, 65536, 99999):
        with pytest.raises(StartRefused, match=f"^{port} is not a port; choose one from 1 to 65535"):
            start_preparation.check_port_is_free("127.0.0.1", port)
    for host in ("..", "192.0.2.77"):
        with pytest.raises(StartRefused, match="cannot listen on "):
            start_preparation.check_port_is_free(host, 8000)
    free = servers.free_port()
    with pytest.raises(StartRefused, match=f"{occupied_port}.*--port"):
        start_preparation.check_port_is_free("127.0.0.1", occupied_port)
    # The port of respondents must be free and another.
    with pytest.raises(StartRefused, match=f"{occupied_port}.*--port"):
        start_preparation.require_free_ports("127.0.0.1", [free, occupied_port])
    with pytest.raises(StartRefused, match=f"are both {free}; choose two"):
        start_preparation.require_free_ports("127.0.0.1", [free, free])


def test_ipv6_address_is_written_in_brackets() -> None:
    assert start_preparation.host_and_port("::1", 8000) == "[::1]:8000"
    assert start_preparation.host_and_port("127.0.0.1", 8000) == "127.0.0.1:8000"
    assert server_and_worker.parser().parse_args(["dev", "--host", "[::1]", "--port", "8000"]).host == "::1"


def test_demo_answers_to_its_names_and_links_to_them(
    complete_environment: Settled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "machine")
    monkeypatch.setattr(start_preparation, "network_address", lambda: iter([NETWORK]))
    for host, (name, linked) in {
        "127.0.0.1": ("127.0.0.1", "127.0.0.1"),
        "::1": ("[::1]", "[::1]"),
        "192.0.2.5": ("192.0.2.5", "192.0.2.5"),
        "fd00::5": ("[fd00::5]", "[fd00::5]"),
        "Desk.local": ("desk.local", "desk.local"),
        "0.0.0.0": ("127.0.0.1", NETWORK),
        "::": ("127.0.0.1", NETWORK),
    }.items():
        env = complete_environment("demo", host)
        names = environment.parse_hosts(env["ALLOWED_HOSTS"])
        assert {name, "machine", "localhost"} <= set(names), host
        assert (NETWORK in names) == (host in ("0.0.0.0", "::")), host
        assert environment.parse_site_address(env["SITE_URL"]) == f"http://{linked}:8000"
        served = environment.Environment({})
        served.check_address_is_allowed("SITE_URL", env["SITE_URL"], names)
        assert not served.complaints, host


def test_machine_name_that_no_host_may_have_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "my_machine")
    names = environment.parse_hosts(",".join(start_preparation.reachable_host_names("127.0.0.1")))
    assert names == ["localhost", "127.0.0.1", "[::1]"]


def test_operators_names_and_serve_settings_are_kept(complete_environment: Settled) -> None:
    env = complete_environment("demo", "0.0.0.0", ALLOWED_HOSTS="one.example")
    assert (env["ALLOWED_HOSTS"], env["SITE_URL"]) == ("one.example", "http://one.example:8000")
    assert complete_environment("demo", SITE_URL="http://localhost:9")["SITE_URL"] == "http://localhost:9"
    assert not {"ALLOWED_HOSTS", "SITE_URL"} & set(complete_environment("serve", "0.0.0.0"))


# --- its key ---


def kept_secret(folder: Path) -> str:
    key = start_preparation.stored_or_new_secret(folder)
    start_preparation.store_secret(folder, key, lambda: False)
    return key


def test_own_secret_is_made_once_and_private(tmp_path: Path) -> None:
    """Also where an interruption left an empty one."""
    file = tmp_path / "secret-key"
    for left in (None, "", "\n"):
        if left is not None:
            file.write_text(left)
        made = kept_secret(tmp_path)
        assert (len(made), file.read_text(), kept_secret(tmp_path)) == (64, made, made)
        assert file.stat().st_mode & 0o077 == 0
        assert [*tmp_path.iterdir()] == [file]


def test_new_secret_is_not_kept_on_a_full_disk_or_beside_another_database(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def raise_disk_full(here: Path, there: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(StartRefused, match=r"put .*secret-key back"):
        start_preparation.store_secret(tmp_path, "k" * 64, lambda: True)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(Path, "replace", raise_disk_full)
    reason = r"cannot keep a key in .*secret-key \(No space left on device\)"
    with pytest.raises(StartRefused, match=reason):
        kept_secret(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_unreadable_secret_is_one_clear_line_and_a_given_one_needs_no_file(
    complete_environment: Settled, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "secret-key").mkdir()
    assert complete_environment("demo", SECRET_KEY="given")["SECRET_KEY"] == "given"
    monkeypatch.setattr(os, "environ", {"VAR": str(tmp_path), "PRODUCTION": "no"})
    words = ["serve", "--host", "::1", "--port", "8000", "--web", "0"]
    with pytest.raises(StartRefused, match=r"cannot keep a key in .*secret-key .*SECRET_KEY=$"):
        start_preparation.prepare_start(server_and_worker.parser().parse_args(words))


def test_serve_is_production_and_makes_no_key(complete_environment: Settled, tmp_path: Path) -> None:
    for word in environment.YES | {"YES", "True"}:
        assert "SECRET_KEY" not in complete_environment("serve", PRODUCTION=word), word
    for given in ({}, {"PRODUCTION": ""}, {"PRODUCTION": " "}):
        env = complete_environment("serve", **given)
        assert (env["PRODUCTION"], "SECRET_KEY" in env) == ("yes", False), given
    assert not (tmp_path / "secret-key").exists()


def test_outside_production_a_key_is_made_and_kept(complete_environment: Settled, tmp_path: Path) -> None:
    for command in ("demo", "dev", "serve"):
        for word in environment.NO | {"NO"}:
            var = tmp_path / command / word
            key = complete_environment(command, VAR=str(var), PRODUCTION=word)["SECRET_KEY"]
            assert len(key) == 64
            start_preparation.store_secret(var, key, lambda: False)
            assert complete_environment(command, VAR=str(var), PRODUCTION=word)["SECRET_KEY"] == key


def test_demo_and_dev_refuse_production_before_making_anything(
    complete_environment: Settled, tmp_path: Path
) -> None:
    for command in ("demo", "dev"):
        for word in ("yes", "1", "TRUE"):
            with pytest.raises(StartRefused, match=rf"use \./run serve.* PRODUCTION={word}$"):
                complete_environment(command, VAR=str(tmp_path / "var"), PRODUCTION=word)
    assert not (tmp_path / "var").exists()


# --- its folder and files ---


def test_unwritable_or_relative_folder_is_not_made(
    complete_environment: Settled, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert complete_environment("demo", VAR="relative") == {"VAR": "relative"}
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(StartRefused, match=r"cannot write in .*VAR="):
        start_preparation.require_writable_folder(tmp_path / "file" / "var")


def test_letters_go_to_a_folder_of_any_name(complete_environment: Settled, tmp_path: Path) -> None:
    var = tmp_path / "what? #1"
    found = environment.parse_mail(complete_environment("demo", VAR=str(var))["MAIL_URL"])
    assert found["EMAIL_FILE_PATH"] == str(var / "mail")


def test_server_logs_its_steps_before_listening(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"), start_preparation.log_step("Preparing the database"):
        assert caplog.messages == ["Preparing the database"]


def test_changed_static_file_makes_files_collected_again(settings: Settings, tmp_path: Path) -> None:
    folders = [
        found for depth in ("", "*/", "*/*/") for found in start_preparation.ROOT.glob(f"{depth}static")
    ]
    apart = [start_preparation.ROOT / name for name in ("var", "tests")]
    served = [folder for folder in folders if not {*apart} & {*folder.parents}]
    written = {str(file) for folder in served for file in folder.rglob("*.*s")}
    assert str(start_preparation.ROOT / "intake/static/intake/answer.js") in written
    known = {path for _name, path in start_preparation.served_static_files()}
    assert written <= known
    assert any(name.endswith("django/contrib/admin/static/admin/css/base.css") for name in known)
    # One that changes is noticed.
    settings.STATICFILES_DIRS = [tmp_path]
    (tmp_path / "new.css").touch()
    before = start_preparation.static_digest()
    assert start_preparation.static_digest() == before
    os.utime(tmp_path / "new.css", (1, 1))
    assert start_preparation.static_digest() == before, (
        "a new installation of the same files collects nothing"
    )
    (tmp_path / "new.css").write_text("b {}")
    assert start_preparation.static_digest() != before


PREPARE = """
from config.start import start_preparation, server_and_worker
words = ["serve", "--host", "127.0.0.1", "--port", "8000", "--web", "0"]
start_preparation.prepare_start(server_and_worker.parser().parse_args(words))
"""
APPLIED = "SELECT name FROM django_migrations WHERE app = 'backup'"
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.mark.night
@pytest.mark.server
def test_machines_prepare_one_database_in_turn(postgres: servers.Postgres, tmp_path: Path) -> None:
    url = postgres.create("starting", postgres.migrated())
    env = {"DATABASE_URL": url, "SECRET_KEY": "0123456789abcdef" * 4, "ALLOWED_HOSTS": "candor.example"}
    env |= {"HTTPS": "no", "MAIL_URL": "smtp://localhost"}
    words = [sys.executable, "-c", PREPARE]
    machines = []
    with psycopg.connect(url, autocommit=True) as first:
        lacking = first.execute(APPLIED).fetchall()
        first.execute("DROP TABLE backup_backup, backup_remembered")
        first.execute("DELETE FROM django_migrations WHERE app = 'backup'")
        first.execute("SELECT pg_advisory_lock(%s)", [start_preparation.MIGRATING])
        for name in ("one", "two"):
            own = servers.environment(**env, VAR=str(tmp_path / name))
            servers.share_first_start(own)
            machines.append(subprocess.Popen(words, cwd=servers.ROOT, env=own, stderr=-1, text=True))
        servers.wait(lambda: first.execute(WAITING).fetchone() == (2,), "both of them waiting")
    # The last to hold it has gone, and both go on at once.
    said = [machine.communicate(timeout=servers.PATIENCE)[1] for machine in machines]
    assert [machine.returncode for machine in machines] == [0, 0], said
    # What a check warns of is told, and the start goes on.
    assert ["(candor.W004)" in each for each in said] == [True, True], said
    with psycopg.connect(url) as later:
        assert later.execute(APPLIED).fetchall() == lacking != []
        assert later.execute("SELECT count(*) FROM backup_backup").fetchone() == (0,)
