"""Whole products whose disk is a small file system of its own: full, or without inodes.

Mounting needs root. What is tested without it is in tests/config/test_full_disk.py; so is what can only be read, since
no file system becomes read-only by mounting while something is open on it for writing.
"""

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import servers
from tests.config.test_services_away import has_status, page, sign_in
from tests.product import Answer, Product, process_of, supervise
from tests.small_disks import can_mount, fill_file_system, mount_tmpfs, move_to_disk
from tests.surveys import drafts

pytestmark = [
    pytest.mark.night(smaller="config/test_full_disk.py"),
    pytest.mark.server,
    pytest.mark.skipif(not can_mount(), reason="this account mounts no file systems"),
]
TOKEN = "a-token-of-an-operator-0123456789"
SENTENCE = "A disk of this site is full or cannot be written."


def use_all_inodes(folder: Path) -> None:
    for number in range(10**6):
        try:
            (folder / f"filling-{number}").touch()
        except OSError:
            return


def environment(**more: str) -> dict[str, str]:
    usual = {"SECRET_KEY": os.urandom(32).hex(), "ALLOWED_HOSTS": "127.0.0.1", "HTTPS": "no"}
    return {**usual, "METRICS_TOKEN": TOKEN, "LEAST_FREE_MEGABYTES": "1", **more}


def assert_says_that_nothing_is_stored(serving: Product, *sick: str) -> None:
    """Staff who sign in, a respondent's device, a program and an operator read it; nobody meets a 500."""
    form = page(serving, "/app/account/sign-in")
    assert form.status == 200
    refused = sign_in(serving, form)
    assert (refused.status, refused.headers["Retry-After"]) == (503, "10"), (refused.text, serving.port)
    assert SENTENCE in refused.text
    found = json.loads(serving.ask("GET", "/healthz").text)
    assert {name for name in sick if not found[name]["ok"]} == set(sick), found
    assert_metrics_say_so(serving)


def assert_metrics_say_so(serving: Product) -> None:
    metrics = serving.ask("GET", "/metrics", Authorization=f"Bearer {TOKEN}")
    assert (metrics.status, "candor_writable 0.0" in metrics.text) == (200, True)


def assert_serves(serving: Product) -> None:
    form = page(serving, "/app/account/sign-in")
    servers.wait(lambda: sign_in(serving, form).status == 200, "somebody being able to sign in again")


def assert_quiet(serving: Product) -> None:
    """One line for each disk that failed, no traceback, and no process that died."""
    serving.stop()
    assert serving.process.stdout
    log = serving.process.stdout.read()
    assert "Traceback" not in log, log
    assert "a process ended" not in log, log
    lines = [line for line in log.splitlines() if " ERROR " in line and "times more" not in line]
    assert len(lines) == len({re.sub(r"^.*ERROR ", "", line) for line in lines}), log


@contextmanager
def serve_on_disk(var: Path, env: dict[str, str]) -> Iterator[Product]:
    with supervise(var, ["serve", "--web", "1", "--workers", "0"], env) as serving:
        servers.wait(lambda: has_status(serving, "/app/account/sign-in", 200), "the product answering")
        yield serving


@contextmanager
def served_on_a_disk(tmp_path: Path, options: str = "size=60m") -> Iterator[tuple[Product, Path]]:
    """SQLite and all files; and the folder of the disk."""
    with (
        mount_tmpfs(tmp_path / "disk", options) as disk,
        serve_on_disk(disk / "var", environment()) as serving,
    ):
        yield serving, disk


def test_sqlite_and_all_files_survive_a_full_disk(tmp_path: Path) -> None:
    with served_on_a_disk(tmp_path) as (serving, disk):
        filling = fill_file_system(disk)
        for _ in range(3):
            assert_says_that_nothing_is_stored(serving, "disk")
        filling.unlink()
        assert_serves(serving)
        assert_quiet(serving)


def test_web_process_that_starts_counting_on_a_full_disk_lives(tmp_path: Path) -> None:
    """Its counts lie in a file that is written through memory."""
    with served_on_a_disk(tmp_path) as (serving, disk):
        first = process_of(serving, "config.web_server")
        fill_file_system(disk)
        (child,) = servers.children(first)
        os.kill(child, signal.SIGKILL)
        servers.wait(lambda: servers.children(first) not in ([], [child]), "another web process")
        (new,) = servers.children(first)
        servers.wait(lambda: has_status(serving, "/app/account/sign-in", 200), "the product answering")
        for _ in range(30):
            assert page(serving, "/app/account/sign-in").status == 200
        assert servers.children(first) == [new]


def test_start_on_a_full_disk_is_refused_in_one_line(tmp_path: Path) -> None:
    with mount_tmpfs(tmp_path / "disk", "size=60m") as disk:
        servers.share_first_start({**environment(), "VAR": str(disk / "var")})
        fill_file_system(disk)
        with supervise(disk / "var", ["serve", "--web", "1", "--workers", "0"], environment()) as serving:
            assert serving.process.wait(servers.PATIENCE)
            assert serving.process.stdout
            (line,) = serving.process.stdout.read().splitlines()
        assert "No space left on device" in line


def test_sqlite_without_inodes_refuses_and_recovers(tmp_path: Path) -> None:
    """No file can be made: neither SQLite's journals nor the lock of a reader."""
    with served_on_a_disk(tmp_path, "size=60m,nr_inodes=6000") as (serving, disk):
        use_all_inodes(disk)
        found = json.loads(serving.ask("GET", "/healthz").text)
        assert found["disk"] == {"ok": False, "says": "cannot be written"}
        for _ in range(3):
            answer = page(serving, "/app/account/sign-in")
            assert answer.status in (200, 503)
        for filling in disk.glob("filling-*"):
            filling.unlink()
        assert_serves(serving)
        assert_quiet(serving)


@pytest.mark.parametrize("options", ["size=1m", "size=1m,nr_inodes=3"])
def test_upload_larger_than_the_temporary_folder_is_refused(tmp_path: Path, options: str) -> None:
    with mount_tmpfs(tmp_path / "disk", options) as disk:
        disk.chmod(0o777)
        with serve_on_disk(tmp_path / "var", environment(TMPDIR=str(disk))) as serving:
            fill_file_system(disk)
            if "inodes" in options:
                use_all_inodes(disk)
            answer = serving.ask("POST", "/app/surveys/import", "x" * 3_000_000)
            assert (answer.status, answer.headers["Retry-After"]) == (503, "10")
            assert answer.text.startswith("The disk of this site is full, and what you sent was not saved.")
            assert_serves(serving)
            assert_quiet(serving)


def test_postgresql_survives_a_full_disk() -> None:
    """Its tables lie on a small disk, the log of its transactions on another."""
    with (
        servers.postgres() as server,
        servers.redis() as redis,
        mount_tmpfs(server.home / "disk", "size=40m") as disk,
    ):
        address = server.create("narrow", server.migrated())
        move_to_disk(server, "narrow", disk)
        env = environment(DATABASE_URL=address, REDIS_URL=redis.url)
        with servers.folder() as var, serve_on_disk(var, env) as serving:
            token = servers.manage(serving.env, "shell", "-v", "0", "-c", PROGRAM).strip()
            filling = fill_file_system(disk)
            for _ in range(3):
                refused = create_survey(serving, token)
                assert (refused.status, refused.headers["Retry-After"]) == (503, "10"), refused.text
                assert refused.headers["Content-Type"] == "application/problem+json"
                assert SENTENCE in refused.text
            health = json.loads(serving.ask("GET", "/healthz").text)
            assert health["database"] == {"ok": False, "says": "cannot be written"}
            assert_metrics_say_so(serving)
            assert page(serving, "/app/account/sign-in").status == 200
            filling.unlink()
            assert create_survey(serving, token).status == 201
            assert_quiet(serving)


PROGRAM = """
from datetime import timedelta
from django.utils import timezone
from accounts.models import RESEARCHERS
from api import tokens
from api.models import Scope
from tests.cast import with_role
now = timezone.now()
owner = with_role(RESEARCHERS, "owner")
print(tokens.create_token(owner, "report", tuple(Scope), now + timedelta(days=1), now)[1])
"""


def create_survey(serving: Product, token: str) -> Answer:
    """Of a draft that needs new pages, however it is compressed."""
    words = {"en": " ".join(os.urandom(8).hex() for _ in range(1000))}
    body = json.dumps(drafts.complete(intro=words))
    authorization = {"Authorization": f"Bearer {token}", "Content_Type": "application/json"}
    return serving.ask("POST", "/api/1/surveys", body, **authorization)
