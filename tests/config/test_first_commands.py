"""The commands of docs/operations.md before any start: from an empty folder, in its order, without a line of trace."""

import os
import pwd
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core import checks
from pytest_django.fixtures import Settings

from tests import servers

pytestmark = pytest.mark.page
OPERATIONS = (servers.ROOT / "docs/operations.md").read_text()
ORDER = ("migrate", "collectstatic", "createsuperuser", "prove", "backup")
AS_NOBODY = (
    *("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"),
    # This Python may lie in a folder of root's: it may read everywhere, and write nowhere else.
    *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
)
BY_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs commands for another account")


def environment(home: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PRODUCTION": "yes",
        "SECRET_KEY": secrets.token_hex(32),
        "ALLOWED_HOSTS": "survey.example.org",
        "BEHIND_PROXY": "yes",
        "MAIL_URL": "smtp://mail.example.org",
        "VAR": str(home / "state"),
        "DJANGO_SUPERUSER_PASSWORD": "a-long-password-1",
    }


@pytest.fixture
def home() -> Iterator[Path]:
    """Empty, and where any account may come; pytest's own folders are for the account of the tests alone."""
    made = Path(tempfile.mkdtemp(prefix="candor-first-"))
    yield made
    shutil.rmtree(made)


def manage(env: dict[str, str], is_nobody: bool, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*(AS_NOBODY if is_nobody else ()), sys.executable, "manage.py", *words],
        cwd=servers.ROOT,
        env=env,
        capture_output=True,
        text=True,
    )


@pytest.mark.night
@pytest.mark.parametrize("is_nobody", [False, pytest.param(True, marks=BY_ROOT)])
def test_each_command_works_from_an_empty_folder(home: Path, is_nobody: bool) -> None:
    """Also for an account that may write in its own folder alone."""
    if is_nobody:
        os.chown(home, pwd.getpwnam("nobody").pw_uid, pwd.getpwnam("nobody").pw_gid)
        blocked = manage(environment(home), is_nobody, "shell", "-v", "0", "-c", "open('left', 'w')")
        assert "Permission denied: 'left'" in blocked.stderr
    env, backup = environment(home), str(home / "first.backup")
    commands = {
        "migrate": ["-v", "0"],
        "collectstatic": ["--noinput", "-v", "0"],
        "createsuperuser": ["--noinput", "--username", "robin", "--email", "robin@example.org"],
        "prove": ["none"],
        "backup": [backup],
        "restore": [backup, "--check"],
        "check": [],
    }
    for name, words in commands.items():
        done = manage(env, is_nobody, name, *words)
        assert "Traceback" not in done.stderr
        # There is no survey to prove yet; the report says so.
        assert done.returncode == (name == "prove"), (name, done.stderr[-2000:])
    for path in (home / "state", *(home / "state").rglob("*")):
        assert not path.lstat().st_mode & 0o077, path


@pytest.mark.night
def test_a_command_that_comes_before_the_tables_says_so_in_one_line(home: Path) -> None:
    done = manage(environment(home), False, "createsuperuser", "--noinput", "--username", "robin")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("the database: no such table: accounts_person")
    assert "Traceback" not in done.stderr


def test_the_page_names_the_commands_in_their_order() -> None:
    (line,) = [line for line in OPERATIONS.splitlines() if "`manage.py` works before the first start" in line]
    assert re.findall(r"`(\w+)`", line)[-len(ORDER) :] == list(ORDER)


def test_no_check_refuses_the_commands_that_make_what_it_misses(settings: Settings, tmp_path: Path) -> None:
    settings.PRODUCTION, settings.STATIC_ROOT, settings.VAR = True, tmp_path / "static", tmp_path / "state"
    assert [found.id for found in checks.run_checks() if found.is_serious()] == []
