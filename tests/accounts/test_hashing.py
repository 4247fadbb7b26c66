"""Two passwords are hashed at a time, one of them for people who have proved something; others hear so at once."""

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Thread
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts import lockout
from accounts.models import Person
from tests.accounts.conftest import PASSWORD, Letters
from tests.accounts.test_passwords import path_in
from tests.cast import As

pytestmark = [pytest.mark.django_db, pytest.mark.page]
SIGN_IN = reverse("accounts:sign-in")
ARGON2 = "accounts.lockout.LimitedArgon2"


def is_busy(*, stranger: bool = False) -> bool:
    """Asked in a thread of its own, which has no slot."""
    found: list[bool] = []

    def ask() -> None:
        try:
            with lockout.hashing_slot_or_busy(stranger=stranger):
                found.append(False)
        except lockout.HashingSlotsBusy:
            found.append(True)

    thread = Thread(target=ask)
    thread.start()
    thread.join()
    return found[0]


@contextmanager
def all_slots_taken() -> Iterator[None]:
    with lockout._slots, lockout._slots:
        yield


@contextmanager
def strangers_slot_taken() -> Iterator[None]:
    """One stranger's password is being hashed."""
    with lockout._slots, lockout._for_strangers:
        yield


@pytest.fixture
def argon2(settings: Settings) -> None:
    settings.PASSWORD_HASHERS = [ARGON2]


def sign_in_with(client: Client, password: str) -> Any:
    return client.post(SIGN_IN, {"username": "researcher", "password": password})


# --- slots ------------------------------------------------------------------------------------------------------


def test_unknown_devices_have_one_hashing_slot_and_known_ones_another() -> None:
    with ExitStack() as stack:
        assert (is_busy(stranger=True), is_busy()) == (False, False)
        stack.enter_context(lockout.hashing_slot_or_busy(stranger=True))
        assert (is_busy(stranger=True), is_busy()) == (True, False)
    with all_slots_taken():
        assert (is_busy(stranger=True), is_busy()) == (True, True)


def test_hashing_slot_is_freed_after_an_error_and_a_refused_try_takes_none() -> None:
    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error), lockout.hashing_slot_or_busy(stranger=True):
            raise error
    assert (is_busy(stranger=True), is_busy()) == (False, False)
    with all_slots_taken():
        assert is_busy(stranger=True)
    assert (is_busy(stranger=True), is_busy()) == (False, False)


def test_holder_of_a_slot_hashes_without_another() -> None:
    with lockout.hashing_slot_or_busy(), lockout.hashing_slot_or_busy(), lockout._slots:
        pass


def test_product_hasher_hashes_and_compares_in_a_slot(argon2: None) -> None:
    stored = make_password("a secret")
    assert stored.startswith("argon2$")
    assert check_password("a secret", stored)
    with all_slots_taken():
        with pytest.raises(lockout.HashingSlotsBusy):
            check_password("a secret", stored)
        with pytest.raises(lockout.HashingSlotsBusy):
            make_password("a secret")


def test_hashing_yields_to_pages() -> None:
    def thread_priority() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before = thread_priority()
    assert lockout.call_at_low_priority(thread_priority) == min(before + 5, 19), "19 is the lowest"
    assert thread_priority() == before


def test_no_other_hasher_is_used() -> None:
    assert settings.PASSWORD_HASHERS[-1] == ARGON2  # behind the quick one of the tests


# --- signing in ---------------------------------------------------------------------------------------------------


def test_unknown_device_is_told_at_once_that_slots_are_taken_and_the_try_is_not_counted(
    client: Client, member: Person
) -> None:
    with strangers_slot_taken():
        for entered in (PASSWORD, *["guess"] * 6):
            answer = sign_in_with(client, entered)
            assert (answer.status_code, answer["Retry-After"]) == (429, "5")
            page = answer.content.decode()
            assert "Other people are signing in at this moment, so nothing was done." in page
            assert "You can try again in 5 seconds." in page
    assert [sign_in_with(client, "guess").status_code for _try in range(4)] == [200] * 4
    assert sign_in_with(client, PASSWORD).status_code == 302


def test_known_device_never_waits_for_unknown_ones(client: Client, member: Person) -> None:
    assert sign_in_with(client, PASSWORD).status_code == 302
    client.post(reverse("accounts:sign-out"))
    with strangers_slot_taken():
        assert sign_in_with(client, PASSWORD).status_code == 302


def test_person_who_must_wait_takes_no_hashing_slot(client: Client, member: Person) -> None:
    for _try in range(5):
        sign_in_with(client, "guess")
    with strangers_slot_taken():
        answer = sign_in_with(client, "guess")
    assert "Someone has entered a wrong password too often" in answer.content.decode()


# --- everything else that hashes ----------------------------------------------------------------------------------

NEW = "a wholly new secret"


def is_refused(client: Client, path: str, **data: str) -> bool:
    answer = client.post(path, data)
    return answer.status_code == 429 and "Many passwords are being checked" in answer.content.decode()


def test_changing_a_password_or_an_address_hashes_in_a_slot(
    argon2: None, member: Person, signed_in_as: As
) -> None:
    client = signed_in_as(member)
    address = {"name": "", "language": "", "theme": "system", "email": "r@example.org", "password": PASSWORD}
    form = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    with all_slots_taken():
        assert is_refused(client, reverse("accounts:account"), **address)
        assert is_refused(client, reverse("accounts:password-change"), **form)
    member.refresh_from_db()
    assert member.email != "r@example.org"
    assert client.post(reverse("accounts:password-change"), form).status_code == 302


def test_setting_a_password_by_mail_hashes_in_a_slot(
    argon2: None, client: Client, member: Person, sent_emails: Letters
) -> None:
    client.post(reverse("accounts:password-reset"), {"email": member.email})
    form_path = client.get(path_in(sent_emails()[0])).headers["Location"]
    form = {"new_password1": NEW, "new_password2": NEW}
    with all_slots_taken():
        assert is_refused(client, form_path, **form)
    assert client.post(form_path, form).status_code == 302  # the link still works


def test_passwords_set_by_a_superuser_are_hashed_in_a_slot(
    argon2: None, superuser: Person, member: Person, signed_in_as: As
) -> None:
    client = signed_in_as(superuser)
    new = {"username": "new", "name": "", "email": "", "language": "", "password1": NEW, "password2": NEW}
    with all_slots_taken():
        assert is_refused(client, reverse("admin:accounts_person_add"), **new)
        path = reverse("admin:auth_user_password_change", args=[member.pk])
        assert is_refused(client, path, password1=NEW, password2=NEW)
    assert not Person.objects.filter(username="new").exists()
