"""The fixed cast of this room's tests."""

from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.core.mail import EmailMessage
from pytest_django import Settings

from accounts import mail
from accounts.models import RESEARCHERS, Person
from tests.cast import db, kept_row, make_once, signed_in_as, unsaved_person, with_role

__all__ = ["db", "signed_in_as"]
Letters = Callable[[], list[EmailMessage]]

PASSWORD = "correct horse battery"
"""Everybody's in tests that need one."""
# What a `next` may carry that is none of our paths, though it names no other site either.
NO_PATHS = ["foo", "accounts:account", "?x=1", "#main", "http://testserver/limits"]


@pytest.fixture
def stranger(db: None) -> Person:
    return kept_row(("stranger without a role",), lambda: unsaved_person("stranger", name="Sam Stranger"))


@pytest.fixture
def researcher(db: None) -> Person:
    return kept_row(("researcher",), lambda: with_role(RESEARCHERS, "researcher", name="Robin"))


@pytest.fixture
def member(researcher: Person) -> Person:
    """The researcher, with a password."""

    def give_password() -> None:
        researcher.set_password(PASSWORD)
        researcher.save()

    make_once(("password",), give_password, lambda _none: researcher.refresh_from_db(), is_computed=True)
    return researcher


@pytest.fixture
def sent_emails(mailoutbox: list[EmailMessage]) -> Letters:
    """All that were sent so far, the one in the post office's hands included; none of a test before."""

    def read() -> list[EmailMessage]:
        mail.mail_thread.submit(int).result()
        return mailoutbox

    read().clear()
    return read


@pytest.fixture
def no_mail(settings: Settings) -> None:
    """A mail server that is not there."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1


@pytest.fixture(autouse=True)
def _no_failures_from_before(request: pytest.FixtureRequest) -> None:
    if "db" in request.fixturenames:
        cache.clear()
