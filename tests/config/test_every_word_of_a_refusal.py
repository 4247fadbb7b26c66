"""Error pages and letters in the bracketed language."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks
from pytest_django.fixtures import Settings

from people import mail
from people.models import Person
from tests import bracketed
from tests.config.walk import Walk

pytestmark = pytest.mark.slow


def locked_out(client: Client) -> Any:
    wrong = {"username": "007", "password": "1"}
    return [client.post("/account/sign-in", wrong) for _ in range(5)][-1]


def without_a_token(client: Client) -> Any:
    return Client(enforce_csrf_checks=True, HTTP_ACCEPT_LANGUAGE="xx").post("/account/sign-in")


# An address that is one, and holds no letter.
AT = "7@[192.0.2.1]"
REFUSALS: dict[str, tuple[int, Callable[[Client], Any]]] = {
    "not understood": (400, lambda client: client.get("/trouble/400")),
    "not allowed": (403, lambda client: client.get("/trouble/403")),
    "without a token": (403, without_a_token),
    "not there": (404, lambda client: client.get("/0")),
    "not there for respondents": (404, lambda client: client.get("/a/trouble")),
    "too large": (413, lambda client: client.get("/trouble/413")),
    "locked out": (429, locked_out),
    "broken": (500, lambda client: client.get("/trouble/500")),
}


@pytest.mark.parametrize("refusal", REFUSALS)
def test_no_word_of_an_error_page_was_forgotten(walk: Walk, settings: Settings, refusal: str) -> None:
    settings.ROOT_URLCONF = "tests.look.test_errors"
    walk.client.raise_request_exception = False
    status, provoke = REFUSALS[refusal]
    answer = provoke(walk.client)
    assert answer.status_code == status
    assert answer["Content-Language"] == "xx"
    assert bracketed.forgotten(answer.content.decode()) == []


def send(walk: Walk, path: str, **form: str) -> None:
    answer = walk.client.post(path, form)
    assert answer.status_code == 302


def bare(letter: EmailMessage) -> list[str]:
    """What no bracket holds, but for the addresses of pages."""
    return [
        left
        for left in map(bracketed.bare, [str(letter.subject), re.sub(r"http\S+", " ", str(letter.body))])
        if left
    ]


def test_no_word_of_a_letter_about_a_forgotten_password_was_forgotten(
    walk: Walk, mailoutbox: list[EmailMessage]
) -> None:
    cache.clear()
    Person.objects.update(email=AT)
    send(walk, "/account/password/forgotten", email=AT)
    mail.mail_thread.submit(int).result()
    [letter] = mailoutbox
    assert "⟦" in letter.subject
    assert bare(letter) == []


def test_no_word_of_an_invitation_was_forgotten(
    walk: Walk,
    mailoutbox: list[EmailMessage],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    new = {"username": "008", "name": "0 0 8", "email": AT, "language": "xx"}
    with django_capture_on_commit_callbacks(execute=True):
        send(walk.as_staff(), "/admin/people/person/add/", **new)
    [letter] = mailoutbox
    assert letter.to == [AT]
    assert "⟦" in letter.subject
    assert bare(letter) == []


def test_a_forgotten_word_of_a_letter_is_noticed() -> None:
    letter = EmailMessage("⟦Subject⟧", "⟦Dear ⟦0⟧⟧ you http://here/there")
    assert bare(letter) == ["you"]
