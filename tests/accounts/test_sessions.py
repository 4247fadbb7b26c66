"""Where one is signed in, and an end to it."""

import sqlite3
import time
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import History, Person
from accounts.sessions import browser_name, list_sessions
from tests.accounts.conftest import PASSWORD
from tests.cast import As

pytestmark = [pytest.mark.django_db, pytest.mark.page]

PAGE, END = reverse("accounts:sessions"), reverse("accounts:session-end")
ACCOUNT, SIGN_IN = reverse("accounts:account"), reverse("accounts:sign-in")
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def test_browser_is_named_by_two_words() -> None:
    chrome = "AppleWebKit/537.36 Chrome/140.0 Safari/537.36"
    for user_agent, name in {
        FIREFOX: "Firefox, Linux",
        f"Mozilla/5.0 (Windows NT 10.0) {chrome} Edg/140.0": "Edge, Windows",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18 like Mac OS X) Version/18 Safari/604.1": "Safari, iOS",
        f"Mozilla/5.0 (Linux; Android 15) {chrome}": "Chrome, Android",
        "curl/8": "",
        "": "",
    }.items():
        assert browser_name(user_agent) == name


def signed_in_elsewhere(person: Person) -> Client:
    client = Client(headers={"User-Agent": FIREFOX})
    client.post(SIGN_IN, {"username": person.username, "password": PASSWORD})
    return client


def test_unsavable_session_is_an_outage_and_an_ended_one_a_bad_request(
    member: Person, signed_in_as: As
) -> None:
    """The view may have stored what was asked, so nobody is told that nothing was changed."""

    def fail_on_session_update(execute: Any, sql: str, *args: Any) -> Any:
        if sql.startswith("UPDATE") and "django_session" in sql:
            cause = sqlite3.OperationalError("database is locked")
            cause.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise OperationalError("database is locked") from cause
        return execute(sql, *args)

    def delete_sessions_on_update(execute: Any, sql: str, *args: Any) -> Any:
        if sql.startswith("UPDATE") and "django_session" in sql:
            Session.objects.all().delete()
        return execute(sql, *args)

    client = signed_in_as(member)
    client.raise_request_exception = False
    for fault, status in {fail_on_session_update: 503, delete_sessions_on_update: 400}.items():
        session = client.session
        session["signed_in"] = {"used": time.time() - 600}
        session.save()
        with connection.execute_wrapper(fault):
            answer = client.get(ACCOUNT)
        assert answer.status_code == status, fault.__name__
        assert ("Retry-After" in answer) == (status == 503)


def test_session_page_lists_sessions_and_marks_this_one(member: Person, signed_in_as: As) -> None:
    """It holds no key of a session."""
    signed_in_elsewhere(member)
    page = signed_in_as(member).get(PAGE).content.decode()
    assert "Firefox, Linux" in page
    assert page.count("This one") == 1
    assert not [key for key in Session.objects.values_list("session_key", flat=True) if key in page]


def test_signed_in_pages_are_stored_by_no_cache(member: Person, signed_in_as: As, client: Client) -> None:
    inside = signed_in_as(member)
    for path in (reverse("ui:signed-in-home"), reverse("ui:limits"), "/app/nothing"):
        assert inside.get(path)["Cache-Control"] == "private, no-store", path
        assert "no-store" not in client.get(path).get("Cache-Control", ""), path


def account_statuses(*clients: Client) -> list[int]:
    return [client.get(ACCOUNT).status_code for client in clients]


def test_ending_one_session_leaves_the_others(member: Person, signed_in_as: As) -> None:
    here, first, second = signed_in_as(member), signed_in_elsewhere(member), signed_in_elsewhere(member)
    rows = list_sessions(member, here.session.session_key)
    number = next(row.number for row in rows if row.key == first.session.session_key)
    here.post(END, {"number": number})
    assert account_statuses(here, first, second) == [200, 302, 200]
    assert [act.note for act in History.objects.filter(what="accounts.session-ended")] == ["Firefox, Linux"]


def test_all_other_sessions_are_ended_at_once(member: Person, stranger: Person, signed_in_as: As) -> None:
    """Of one's own: nobody ends the session of another, whose number one may know."""
    here, other, foreign = signed_in_as(member), signed_in_elsewhere(member), signed_in_as(stranger)
    here.post(END)
    assert account_statuses(here, other, foreign) == [200, 302, 200]
    foreign.post(END, {"number": list_sessions(member, None)[0].number})
    assert account_statuses(here) == [200]


def test_a_session_from_before_a_changed_password_is_not_listed(member: Person) -> None:
    signed_in_elsewhere(member)
    member.set_password("another long password")
    member.save()
    assert list_sessions(member, None) == []


def test_using_a_session_is_noted_but_does_not_extend_it(researcher: Person, signed_in_as: As) -> None:
    client = signed_in_as(researcher)
    session = client.session
    session["signed_in"] = {**session["signed_in"], "used": time.time() - 600}
    end = timezone.now() + timedelta(hours=1)
    session.set_expiry(end)
    session.save()
    client.get(ACCOUNT)
    assert time.time() - client.session["signed_in"]["used"] < 300
    assert abs(Session.objects.get().expire_date - end) < timedelta(seconds=1)


def test_session_ends_after_two_hours_without_use(researcher: Person, signed_in_as: As) -> None:
    client = signed_in_as(researcher)
    for unused, status in ((7_190, 200), (7_210, 302)):
        session = client.session
        session["signed_in"] = {**session["signed_in"], "used": time.time() - unused}
        session.save()
        assert client.get(ACCOUNT).status_code == status
    assert not Session.objects.filter(pk=session.session_key).exists()


def test_session_pages_refuse_visitors_and_links(
    client: Client, researcher: Person, signed_in_as: As
) -> None:
    assert client.get(PAGE).headers["Location"].startswith(SIGN_IN)
    assert client.post(END).headers["Location"].startswith(SIGN_IN)
    assert signed_in_as(researcher).get(END).status_code == 405
    assert signed_in_as(researcher).post(PAGE).status_code == 405
