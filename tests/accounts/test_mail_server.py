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


def test_a_letter_that_was_sent_is_said_with_its_sender(settings: Settings, tmp_path: Path) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    settings.EMAIL_FILE_PATH = str(tmp_path)
    settings.DEFAULT_FROM_EMAIL = "Candor <candor@example.org>"
    out = io.StringIO()
    call_command("sendtestemail", MAILBOX, stdout=out)
    assert out.getvalue() == f"{tmp_path} took the letter, from Candor <candor@example.org>.\n"
    (letter,) = tmp_path.iterdir()
    assert f"To: {MAILBOX}" in letter.read_text()


def test_a_server_that_is_away_is_one_clear_line(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", servers.free_port()
    words = (
        f"MAIL_URL: 127.0.0.1:{settings.EMAIL_PORT} did not take the letter: [Errno 111] Connection refused"
    )
    with pytest.raises(CommandError, match=rf"^{re.escape(words)}$"):
        call_command("sendtestemail", MAILBOX)


def test_what_a_server_refuses_is_caught_with_what_the_network_does() -> None:
    assert issubclass(smtplib.SMTPException, OSError)
