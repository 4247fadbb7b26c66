"""manage.py sendtestemail: whether MAIL_URL leads to a server that takes letters."""

import io
import re
import smtplib
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from tests import servers

MAILBOX = "ann@example.org"


def test_mail_test_command_prints_the_sender(settings: Settings, tmp_path: Path) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path)
    settings.DEFAULT_FROM_EMAIL = "Candor <candor@example.org>"
    out = io.StringIO()
    call_command("sendtestemail", MAILBOX, stdout=out)
    assert out.getvalue() == f"{tmp_path} took the letter, from Candor <candor@example.org>.\n"
    (letter,) = tmp_path.iterdir()
    assert f"To: {MAILBOX}" in letter.read_text()


def test_unreachable_mail_server_is_one_clear_line(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", servers.free_port()
    words = (
        f"MAIL_URL: 127.0.0.1:{settings.EMAIL_PORT} did not take the letter: [Errno 111] Connection refused"
    )
    with pytest.raises(CommandError, match=rf"^{re.escape(words)}$"):
        call_command("sendtestemail", MAILBOX)


def test_mail_server_refusals_and_network_errors_are_caught_alike() -> None:
    assert issubclass(smtplib.SMTPException, OSError)
