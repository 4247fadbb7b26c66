"""What must be there before the first process starts, and the one line that says what is not."""

import argparse
import errno
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from pytest_django import Settings

from config import environment
from config.start import preparing, server_and_worker
from tests import servers

Asked = argparse.Namespace


def asked(command: str, *, host: str = "127.0.0.1") -> Asked:
    return server_and_worker.parser().parse_args([command, "--host", host, "--port", "8000"])


def settled(
    monkeypatch: pytest.MonkeyPatch, command: str, *, host: str = "127.0.0.1", **given: str
) -> dict[str, str]:
    """The environment as the command completes it."""
    env = dict(given)
    monkeypatch.setattr(os, "environ", env)
    preparing.complete_environment(asked(command, host=host))
    return env


def test_a_taken_port_is_named_with_the_way_out() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(preparing.StartRefused, match=f"{port}.*--port"):
            preparing.check_port_is_free("127.0.0.1", port)


def test_the_port_of_respondents_must_be_free_and_another(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "environ", {"VAR": str(tmp_path / "none")})
    free = servers.free_port()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(preparing.StartRefused, match=f"{port}.*--port"):
            preparing.take_ports("127.0.0.1", [free, port])
    with pytest.raises(preparing.StartRefused, match=f"are both {free}; choose two"):
        preparing.take_ports("127.0.0.1", [free, free])


def test_an_unwritable_folder_is_named_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(preparing.StartRefused, match=r"cannot write in .*VAR="):
        preparing.check_writable(tmp_path / "file" / "var")


def kept_secret(folder: Path) -> str:
    key = preparing.own_secret(folder)
    preparing.store_secret(folder, key, lambda: False)
    return key


def test_the_own_secret_is_made_once_and_readable_by_nobody_else(tmp_path: Path) -> None:
    first = kept_secret(tmp_path)
    assert first == kept_secret(tmp_path)
    assert len(first) == 64
    assert (tmp_path / "secret-key").stat().st_mode & 0o077 == 0
    assert [file.name for file in tmp_path.iterdir()] == ["secret-key"]


def test_an_empty_secret_that_an_interruption_left_is_made_anew(tmp_path: Path) -> None:
    for left in ("", "\n"):
        (tmp_path / "secret-key").write_text(left)
        made = kept_secret(tmp_path)
        assert (len(made), (tmp_path / "secret-key").read_text()) == (64, made)
        assert (tmp_path / "secret-key").stat().st_mode & 0o077 == 0


def test_a_secret_that_does_not_fit_on_the_disk_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(here: Path, there: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(
        preparing.StartRefused, match=r"cannot keep a key in .*secret-key \(No space left on device\)"
    ):
        kept_secret(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_database_in_use_gets_no_other_key(tmp_path: Path) -> None:
    with pytest.raises(preparing.StartRefused, match=r"put .*secret-key back"):
        preparing.store_secret(tmp_path, "k" * 64, lambda: True)
    assert list(tmp_path.iterdir()) == []


def test_a_secret_that_cannot_be_read_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "secret-key").mkdir()
    monkeypatch.setattr(os, "environ", {"VAR": str(tmp_path), "PRODUCTION": "no"})
    words = ["serve", "--host", "::1", "--port", "8000", "--web", "0"]
    with pytest.raises(preparing.StartRefused, match=r"cannot keep a key in .*secret-key .*SECRET_KEY=$"):
        preparing.prepare(server_and_worker.parser().parse_args(words))


def test_a_server_logs_what_it_does_before_it_listens(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"), preparing.log_step("Preparing the database"):
        assert caplog.messages == ["Preparing the database"]


def test_a_key_that_is_given_needs_none_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "secret-key").mkdir()
    env = settled(monkeypatch, "demo", VAR=str(tmp_path), SECRET_KEY="given")
    assert env["SECRET_KEY"] == "given"


def test_every_file_that_is_served_makes_the_files_collected_anew() -> None:
    folders = [found for depth in ("", "*/", "*/*/") for found in preparing.ROOT.glob(f"{depth}static")]
    served = [
        folder for folder in folders if folder.relative_to(preparing.ROOT).parts[0] not in ("var", "tests")
    ]
    written = {str(file) for folder in served for file in folder.rglob("*.*s")}
    assert str(preparing.ROOT / "intake/static/intake/answer.js") in written
    known = {name for name, _ in json.loads(preparing.static_digest())}
    assert written <= known
    assert any(name.endswith("django/contrib/admin/static/admin/css/base.css") for name in known)


def test_a_served_file_that_changes_is_noticed(settings: Settings, tmp_path: Path) -> None:
    settings.STATICFILES_DIRS = [tmp_path]
    (tmp_path / "new.css").touch()
    before = preparing.static_digest()
    assert preparing.static_digest() == before
    os.utime(tmp_path / "new.css", (1, 1))
    assert preparing.static_digest() != before


PREPARE = """
from config.start import preparing, server_and_worker
words = ["serve", "--host", "127.0.0.1", "--port", "8000", "--web", "0"]
preparing.prepare(server_and_worker.parser().parse_args(words))
"""
APPLIED = "SELECT name FROM django_migrations WHERE app = 'backup'"
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.mark.night
@pytest.mark.server
def test_machines_that_start_together_make_one_database_ready_one_after_the_other(
    postgres: servers.Postgres, tmp_path: Path
) -> None:
    url = postgres.create("starting", postgres.migrated())
    machines = []
    with psycopg.connect(url, autocommit=True) as first:
        lacking = first.execute(APPLIED).fetchall()
        first.execute("DROP TABLE backup_backup, backup_remembered")
        first.execute("DELETE FROM django_migrations WHERE app = 'backup'")
        first.execute("SELECT pg_advisory_lock(%s)", [preparing.MIGRATING])
        for name in ("one", "two"):
            env = servers.environment(
                DATABASE_URL=url,
                VAR=str(tmp_path / name),
                SECRET_KEY="0123456789abcdef" * 4,
                ALLOWED_HOSTS="candor.example",
                HTTPS="no",
                MAIL_URL="smtp://localhost",
            )
            servers.share_first_start(env)
            words = [sys.executable, "-c", PREPARE]
            machines.append(
                subprocess.Popen(words, cwd=servers.ROOT, env=env, stderr=subprocess.PIPE, text=True)
            )
        servers.wait(lambda: first.execute(WAITING).fetchone() == (2,), "both of them waiting")
    # The last to hold it has gone, and both go on at once.
    said = [machine.communicate(timeout=servers.PATIENCE)[1] for machine in machines]
    assert [machine.returncode for machine in machines] == [0, 0], said
    # What a check warns of is told, and the start goes on.
    assert ["(candor.W004)" in each for each in said] == [True, True], said
    with psycopg.connect(url) as later:
        assert later.execute(APPLIED).fetchall() == lacking != []
        assert later.execute("SELECT count(*) FROM backup_backup").fetchone() == (0,)


def test_what_is_no_port_is_named_with_the_way_out() -> None:
    for port in (0, -1, 65536, 99999):
        with pytest.raises(
            preparing.StartRefused, match=f"^{port} is not a port; choose one from 1 to 65535"
        ):
            preparing.check_port_is_free("127.0.0.1", port)


def test_a_host_that_is_not_of_this_machine_is_named() -> None:
    for host in ("..", "192.0.2.77"):
        with pytest.raises(preparing.StartRefused, match="cannot listen on "):
            preparing.check_port_is_free(host, 8000)


def test_an_address_of_ipv6_stands_in_brackets() -> None:
    assert preparing.host_and_port("::1", 8000) == "[::1]:8000"
    assert preparing.host_and_port("127.0.0.1", 8000) == "127.0.0.1:8000"
    assert server_and_worker.parser().parse_args(["dev", "--host", "[::1]", "--port", "8000"]).host == "::1"


def test_production_in_any_spelling_gets_no_key_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for word in environment.YES | {"YES", "True"}:
        assert "SECRET_KEY" not in settled(monkeypatch, "serve", VAR=str(tmp_path), PRODUCTION=word), word
        assert not (tmp_path / "secret-key").exists()


def test_serve_means_production_where_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    unset: list[dict[str, str]] = [{}, {"PRODUCTION": ""}, {"PRODUCTION": " "}]
    for given in unset:
        env = settled(monkeypatch, "serve", VAR=str(tmp_path), **given)
        assert env["PRODUCTION"] == "yes", given
        assert "SECRET_KEY" not in env, given


@pytest.mark.parametrize("command", ["demo", "dev", "serve"])
def test_whatever_is_not_production_gets_a_key_that_it_keeps(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    for word in environment.NO | {"NO"}:
        var = tmp_path / word
        key = settled(monkeypatch, command, VAR=str(var), PRODUCTION=word)["SECRET_KEY"]
        assert len(key) == 64
        preparing.store_secret(var, key, lambda: False)
        assert settled(monkeypatch, command, VAR=str(var), PRODUCTION=word)["SECRET_KEY"] == key


@pytest.mark.parametrize("command", ["demo", "dev"])
def test_the_demo_and_dev_refuse_production_before_anything_is_made(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    for word in ("yes", "1", "TRUE"):
        with pytest.raises(preparing.StartRefused, match=rf"use \./run serve.* PRODUCTION={word}$"):
            settled(monkeypatch, command, VAR=str(tmp_path / "var"), PRODUCTION=word)
    assert not (tmp_path / "var").exists()


def test_a_relative_folder_is_not_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert settled(monkeypatch, "demo", VAR="relative") == {"VAR": "relative"}
    assert list(tmp_path.iterdir()) == []


def test_letters_go_to_a_folder_whatever_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    var = tmp_path / "what? #1"
    found = environment.parse_mail(settled(monkeypatch, "demo", VAR=str(var))["MAIL_URL"])
    assert found["EMAIL_FILE_PATH"] == str(var / "mail")


def test_the_demo_answers_to_the_name_that_it_listens_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "machine")
    names = {
        "192.0.2.5": "192.0.2.5",
        "fd00::5": "[fd00::5]",
        "Desk.local": "desk.local",
        "0.0.0.0": "127.0.0.1",
    }
    for host, name in names.items():
        env = settled(monkeypatch, "demo", VAR=str(tmp_path), host=host)
        assert {name, "machine", "localhost"} <= set(environment.parse_hosts(env["ALLOWED_HOSTS"])), host


def test_links_of_the_demo_lead_to_where_it_listens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(preparing, "network_address", lambda: iter(["192.0.2.9"]))
    for host, address in {
        "127.0.0.1": "http://127.0.0.1:8000",
        "::1": "http://[::1]:8000",
        "Desk.local": "http://desk.local:8000",
        "0.0.0.0": "http://192.0.2.9:8000",
        "::": "http://192.0.2.9:8000",
    }.items():
        env = settled(monkeypatch, "demo", VAR=str(tmp_path), host=host)
        assert environment.parse_site_address(env["SITE_URL"]) == address
        served = environment.Environment({})
        served.check_address_is_allowed("SITE_URL", address, env["ALLOWED_HOSTS"].split(","))
        assert not served.complaints, host


def test_listening_everywhere_it_answers_to_the_address_that_others_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(preparing, "network_address", lambda: iter(["192.0.2.9"]))
    assert "192.0.2.9" in preparing.reachable_host_names("0.0.0.0")
    assert "192.0.2.9" not in preparing.reachable_host_names("127.0.0.1")


def test_a_machine_whose_name_is_none_that_hosts_have_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "my_machine")
    names = environment.parse_hosts(",".join(preparing.reachable_host_names("127.0.0.1")))
    assert names == ["localhost", "127.0.0.1", "[::1]"]


def test_names_and_serve_are_left_as_the_operator_wrote_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    env = settled(monkeypatch, "demo", VAR=str(tmp_path), host="0.0.0.0", ALLOWED_HOSTS="one.example")
    assert (env["ALLOWED_HOSTS"], env["SITE_URL"]) == ("one.example", "http://one.example:8000")
    served = settled(monkeypatch, "serve", VAR=str(tmp_path), host="0.0.0.0")
    assert not {"ALLOWED_HOSTS", "SITE_URL"} & set(served)
    env = settled(monkeypatch, "demo", VAR=str(tmp_path), SITE_URL="http://localhost:9")
    assert env["SITE_URL"] == "http://localhost:9"
