"""System checks of the settings, the commands of manage.py, and those of docs/operations.md before any start.

The latter run from an empty folder, in the page's order, without a line of trace.
"""

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
from django.conf import settings as ours
from django.core.checks import CheckMessage, run_checks
from django.core.checks.registry import registry
from pytest_django.fixtures import Settings

from config import checks
from tests import servers
from tests.config.conftest import Done, python

OPERATIONS = (servers.ROOT / "docs/operations.md").read_text()
ORDER = ("migrate", "collectstatic", "createsuperuser", "prove", "backup")
AS_NOBODY = (
    *("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"),
    # This Python may lie in a folder of root's: it may read everywhere, and write nowhere else.
    *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
)
BY_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs commands for another account")


def ids(messages: list[CheckMessage]) -> list[str | None]:
    assert all(message.hint for message in messages)
    return [message.id for message in messages]


def test_a_folder_that_cannot_be_written_is_named(settings: Settings, tmp_path: Path) -> None:
    settings.VAR = tmp_path / "not yet made"
    assert checks.check_folder_is_writable(None) == []
    (tmp_path / "file").touch()
    settings.VAR = tmp_path / "file" / "var"
    assert ids(checks.check_folder_is_writable(None)) == ["candor.E001"]


def test_production_is_warned_about_mail_https_and_redis_that_do_not_fit(settings: Settings) -> None:
    settings.PRODUCTION = True
    for backend, found in {"console": ["candor.W003"], "smtp": []}.items():
        settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
        assert ids(checks.check_mail_is_sent(None)) == found
    senders = {"Candor <candor@localhost>": ["candor.W011"], "Candor <candor@example.org>": []}
    for settings.DEFAULT_FROM_EMAIL, found in senders.items():
        assert ids(checks.check_mail_sender(None)) == found
    for settings.HTTPS, found in ((False, ["candor.W004"]), (True, [])):
        assert ids(checks.check_https(None)) == found
    for url, found in {"redis://localhost/0": ["candor.W005"], "": []}.items():
        settings.REDIS_URL = url
        assert ids(checks.check_sqlite_without_redis(None)) == found
    for state in ((True, True, False), (True, True, True), (True, False, False), (False, True, False)):
        settings.PRODUCTION, settings.HTTPS, settings.BEHIND_PROXY = state
        assert ids(checks.check_https_proxy(None)) == ["candor.W006"] * (state == (True, True, False))


def test_every_check_is_registered() -> None:
    registered = {check for check in registry.get_checks() if check.__module__ == checks.__name__}
    known = {getattr(check, "__name__", "") for check in registered}
    things = vars(checks).items()
    written = {name for name, thing in things if getattr(thing, "__module__", "") == checks.__name__}
    assert known == written - {"register_all"}


def test_a_template_folder_bears_the_name_of_the_package_that_renders_it() -> None:
    root = Path(ours.BASE_DIR)
    folders = {path.name for path in (root / "templates").iterdir() if any(path.glob("**/*.*"))}
    rooms = folders - {"admin", "components", "django"}
    assert {name for name in rooms if not (root / name / "__init__.py").exists()} == set()


# --- manage.py --------------------------------------------------------------------------------------


@pytest.mark.page
def test_candor_commands_are_listed_first() -> None:
    done = python("manage.py", "help", check=True)
    apps = re.findall(r"^\[(\w+)\]$", done.stdout, re.MULTILINE)
    own = ["accounts", "backup", "papers", "proof", "rehearsal", "surveys"]
    assert apps[: len(own)] == own
    assert "django" in apps[len(own) :]
    for command in ("prove", "reproduce", "simulate_respondents", "migrate"):
        assert f"\n    {command}\n" in done.stdout


@pytest.mark.page
def test_checking_an_unknown_app_is_one_line() -> None:
    done = python("manage.py", "check", "WORD")
    assert (done.returncode, done.stderr) == (1, "No installed app with label 'WORD'.\n")


@pytest.mark.page
def test_progress_on_a_terminal_is_not_red() -> None:
    code = "import manage; manage.prepare(); from django.core.management.color import color_style as s; "
    code += "print(repr(s(force_color=True).ERROR('5,000 of 10,000')))"
    assert python("-c", code, check=True).stdout == "'\\x1b[1m5,000 of 10,000\\x1b[0m'\n"


def test_debian_python_is_told_where_its_packages_are(tmp_path: Path) -> None:
    """It is called python3 alone, and has none of them."""
    (tmp_path / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    (tmp_path / "python3").chmod(0o755)
    command = [str(servers.ROOT / "manage.py"), "help"]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    words = "this Python has no Django: .venv/bin/python manage.py has it, once ./run install was here\n"
    assert (done.returncode, done.stderr) == (1, words)


# --- before any start -------------------------------------------------------------------------------


def environment(home: Path) -> dict[str, str]:
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1", "PRODUCTION": "yes"}
    env |= {"SECRET_KEY": secrets.token_hex(32), "ALLOWED_HOSTS": "survey.example.org", "BEHIND_PROXY": "yes"}
    env |= {"MAIL_URL": "smtp://mail.example.org", "VAR": str(home / "state")}
    return {**env, "DJANGO_SUPERUSER_PASSWORD": "a-long-password-1"}


@pytest.fixture
def home() -> Iterator[Path]:
    """Empty, and where any account may come; pytest's own folders are for the account of the tests alone."""
    made = Path(tempfile.mkdtemp(prefix="candor-first-"))
    yield made
    shutil.rmtree(made)


def manage(env: dict[str, str], is_nobody: bool, *words: str) -> Done:
    command = [*(AS_NOBODY if is_nobody else ()), sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=servers.ROOT, env=env, capture_output=True, text=True)


@pytest.mark.night
@pytest.mark.page
@pytest.mark.parametrize("is_nobody", [False, pytest.param(True, marks=BY_ROOT)])
def test_each_command_works_in_an_empty_folder(home: Path, is_nobody: bool) -> None:
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
@pytest.mark.page
def test_command_before_the_tables_exist_says_so_in_one_line(home: Path) -> None:
    done = manage(environment(home), False, "createsuperuser", "--noinput", "--username", "robin")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("the database: no such table: accounts_person")
    assert "Traceback" not in done.stderr


def test_operations_page_lists_the_commands_in_order() -> None:
    (line,) = [line for line in OPERATIONS.splitlines() if "`manage.py` works before the first start" in line]
    assert re.findall(r"`(\w+)`", line)[-len(ORDER) :] == list(ORDER)


@pytest.mark.page
def test_checks_do_not_block_the_commands_that_repair_them(settings: Settings, tmp_path: Path) -> None:
    settings.PRODUCTION, settings.STATIC_ROOT, settings.VAR = True, tmp_path / "static", tmp_path / "state"
    assert [found.id for found in run_checks() if found.is_serious()] == []
