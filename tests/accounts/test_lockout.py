import base64
import datetime as dt
import logging
import time
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone, translation
from pytest_django import Settings

from accounts import lockout
from accounts.models import Lockout, Person
from jobs import tick
from tests.accounts.conftest import PASSWORD
from tests.cast import As

SIGN_IN = reverse("accounts:sign-in")
pytestmark = [pytest.mark.django_db, pytest.mark.page]


def pickle_of_row(row: Lockout) -> bytes:
    return base64.b64decode(row.value)


def post_sign_in(client: Client, password: str, username: str = "researcher", **meta: str) -> Any:
    return client.post(SIGN_IN, {"username": username, "password": password}, **meta)  # type: ignore[arg-type]


def fail_to_sign_in(client: Client, times: int, username: str = "researcher", **meta: str) -> int:
    """The status of the last answer."""
    answers = [post_sign_in(client, "not-the-password", username, **meta) for _time in range(times)]
    return answers[-1].status_code  # type: ignore[no-any-return]


def test_fifth_failure_locks_this_name_at_this_place_only(client: Client, member: Person) -> None:
    assert fail_to_sign_in(client, 4) == 200
    response = post_sign_in(client, "not-the-password")
    assert (response.status_code, response.headers["Retry-After"]) == (429, "30")
    page = response.content.decode()
    assert "You can try again in 30 seconds." in page
    assert reverse("accounts:password-reset") in page
    assert post_sign_in(client, PASSWORD).status_code == 429
    assert "_auth_user_id" not in client.session
    assert post_sign_in(Client(REMOTE_ADDR="192.0.2.7"), PASSWORD).status_code == 302
    # Failing under many names does not push a count out.
    later = timezone.now() + dt.timedelta(minutes=15)
    Lockout.objects.bulk_create(
        Lockout(cache_key=f":1:{n:064x}", value="", expires=later) for n in range(1000)
    )
    assert fail_to_sign_in(client, 1) == 429
    # An operator lets somebody try again at once.
    out = StringIO()
    call_command("forget_lockout", "researcher", stdout=out)
    assert out.getvalue() == "The wrong passwords counted for researcher are forgotten.\n"
    assert fail_to_sign_in(client, 1) == 200


def test_lockout_page_joins_chinese_sentences_without_a_space() -> None:
    with translation.override("zh-hans"):
        for reason in ("busy", "network", "account"):
            _title, why, *_more = lockout.lockout_page(30, reason).content.decode().split("\n\n")
            assert "。您可以在 30 秒后再试" in why, why


def test_three_refusals_at_once_are_delayed_and_a_fourth_is_immediate(
    rf: RequestFactory, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that of the threads that serve such pages one goes on serving."""
    settings.REFUSED_SIGN_IN_SECONDS = 7
    waits: list[float] = []
    inner = [4]

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        inner[0] -= 1
        if inner[0]:
            lockout.lockout_page(30, "busy")

    monkeypatch.setattr(time, "sleep", sleep)
    for _time in range(2):
        inner[0] = 4
        lockout.lockout_page(30, "busy")
    assert waits == [7] * 6


def test_lockout_spares_other_people_at_the_place_and_success_resets_it(
    client: Client, member: Person
) -> None:
    fail_to_sign_in(client, 5, username="stranger")
    fail_to_sign_in(client, 4)
    assert post_sign_in(client, PASSWORD).status_code == 302
    client.post(reverse("accounts:sign-out"))
    assert fail_to_sign_in(client, 4) == 200


def test_guessing_the_password_inside_a_stolen_session_locks_out_too(
    member: Person, signed_in_as: As
) -> None:
    client, new = signed_in_as(member), "another long one"
    change = {"old_password": "not-it", "new_password1": new, "new_password2": new}
    answers = [client.post(reverse("accounts:password-change"), change).status_code for _ in range(5)]
    assert answers == [200, 200, 200, 200, 429]


def test_no_table_stores_who_tried_to_sign_in(client: Client, member: Person) -> None:
    fail_to_sign_in(client, 6)
    kept = " ".join(f"{row.cache_key} {row.value!r} {pickle_of_row(row)!r}" for row in Lockout.objects.all())
    assert kept
    assert "researcher" not in kept
    assert "127.0.0.1" not in kept


def test_sign_in_log_holds_no_name_password_or_address(
    client: Client, member: Person, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        fail_to_sign_in(client, 6, REMOTE_ADDR="192.0.2.44")
        post_sign_in(client, PASSWORD)
    assert caplog.text
    for secret in ("researcher", "not-the-password", PASSWORD, "192.0.2.44"):
        assert secret not in caplog.text


def test_sign_in_log_names_failures_and_the_account_that_signed_in(
    client: Client, member: Person, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        fail_to_sign_in(client, 1)
        post_sign_in(client, PASSWORD)
    assert [record.getMessage() for record in caplog.records if record.name == "accounts.lockout"] == [
        "A password was wrong",
        f"Account {member.pk} signed in",
    ]


def test_client_address_is_taken_from_the_proxys_own_header_only(settings: Settings) -> None:
    request = RequestFactory().get("/", headers={"x-forwarded-for": "203.0.113.9, 192.0.2.1"})
    assert lockout.client_address(request) == "127.0.0.1"
    settings.BEHIND_PROXY = True
    assert lockout.client_address(request) == "192.0.2.1"


def test_lapsed_lockouts_and_sessions_are_deleted_and_live_ones_kept() -> None:
    now = timezone.now()
    # No count lasts for months: one that does is from before the clock was set back.
    Lockout.objects.create(cache_key="ahead", value="", expires=now + dt.timedelta(days=300))
    for name, minutes in (("lapsed", -1), ("living", 1)):
        then = now + dt.timedelta(minutes=minutes)
        Lockout.objects.create(cache_key=name, value="", expires=then)
        Session.objects.create(session_key=name, session_data="", expire_date=then)
    forget = tick.registrations()["accounts.forget_lapsed"].function
    assert forget is lockout.delete_expired_counts_and_sessions
    forget(now)
    assert [row.cache_key for row in Lockout.objects.all()] == ["living"]
    assert [row.session_key for row in Session.objects.all()] == ["living"]


def test_forget_lockout_command_names_an_unknown_account(db: None) -> None:
    with pytest.raises(CommandError, match="There is no account called nobody") as refused:
        call_command("forget_lockout", "nobody")
    assert refused.value.returncode == 1


def test_authentication_without_a_request_checks_no_password(member: Person) -> None:
    with pytest.raises(ValueError, match="needs the request"):
        authenticate(username="researcher", password=PASSWORD)


def test_tries_for_unknown_names_are_counted(client: Client, db: None) -> None:
    for username in ("n" * 10_000, "nobody", "Researcher "):
        assert fail_to_sign_in(client, 4, username) == 200, username[:10]
        assert fail_to_sign_in(client, 1, username) == 429, username[:10]


def test_admin_sign_in_uses_the_product_sign_in(client: Client, superuser: Person) -> None:
    superuser.set_password(PASSWORD)
    superuser.save()
    response = client.post("/app/admin/login/", {"username": "superuser", "password": PASSWORD})
    assert (response.status_code, response.headers["Location"]) == (302, f"{SIGN_IN}?next=/app/admin/login/")
    assert "_auth_user_id" not in client.session


def test_inactive_account_counts_like_a_wrong_password(client: Client, member: Person) -> None:
    Person.objects.filter(pk=member.pk).update(is_active=False)
    assert [post_sign_in(client, PASSWORD).status_code for _ in range(5)] == [200, 200, 200, 200, 429]
