from typing import Any

from django.conf import settings
from django.core.mail import get_connection
from django.core.mail.backends import filebased, smtp
from django.core.management.base import CommandError
from django.core.management.commands import sendtestemail


class Command(sendtestemail.Command):
    """Django's command, which says nothing of a letter that was sent, and ends in a trace where none was."""

    help = "Send a test letter by MAIL_URL, and say whether the mail server took it."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            super().handle(*args, **options)
        except OSError as error:  # those of smtplib are too
            raise CommandError(f"MAIL_URL: {mail_address()} did not take the letter: {error}") from None
        self.stdout.write(f"{mail_address()} took the letter, from {settings.DEFAULT_FROM_EMAIL}.")


def mail_address() -> str:
    """Returns where letters go by MAIL_URL, without its password."""
    connection = get_connection()
    if isinstance(connection, smtp.EmailBackend):
        return f"{connection.host}:{connection.port}"
    if isinstance(connection, filebased.EmailBackend):
        return str(connection.file_path)
    return "The terminal"
