from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from tests.accounts.conftest import NO_PATHS, PASSWORD
from tests.cast import As

SIGN_IN, SIGN_OUT = reverse("accounts:sign-in"), reverse("accounts:sign-out")
HOME = reverse("ui:signed-in-home")
pytestmark = [pytest.mark.django_db, pytest.mark.page]


def post_sign_in(client: Client, **more: str) -> Any:
    return client.post(SIGN_IN, {"username": "researcher", "password": PASSWORD, **more})


def test_sign_in_page_offers_a_password_reset_and_refuses_other_methods(client: Client) -> None:
    response = client.get(SIGN_IN)
    assert response.status_code == 200
    assert reverse("accounts:password-reset") in response.content.decode()
    for method in ("put", "patch", "delete"):
        assert getattr(client, method)(SIGN_IN).status_code == 405, method


def test_right_password_signs_in_and_leads_to_the_wanted_page(client: Client, member: Person) -> None:
    response = post_sign_in(client, next="/app/account/history")
    assert (response.status_code, response.headers["Location"]) == (302, "/app/account/history")
    assert client.session["_auth_user_id"] == str(member.pk)


def test_overlong_next_address_is_not_repeated_on_the_sign_in_page(client: Client) -> None:
    """The head of the answer would be longer than a proxy takes."""
    short, long = (client.get(f"/app/surveys/?q={'x' * size}").headers["Location"] for size in (100, 7000))
    assert short.endswith("x" * 100)
    assert long.partition("?")[0] == SIGN_IN
    assert len(long) < 100


def test_next_address_of_another_site_is_ignored(member: Person) -> None:
    sites = ("https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "")
    for elsewhere in (*sites, *NO_PATHS):
        assert post_sign_in(Client(), next=elsewhere).headers["Location"] == HOME, elsewhere


def test_wrong_password_and_wrong_name_get_the_same_words(client: Client, member: Person) -> None:
    wrong = {"password": "wr0ng-secret"}
    answers = [client.post(SIGN_IN, {"username": who, **wrong}) for who in ("researcher", "nobody-at-all")]
    for answer in answers:
        assert answer.status_code == 200
        assert "There is a problem" in answer.content.decode()
        assert b"wr0ng-secret" not in answer.content
    assert "_auth_user_id" not in client.session
    known, unknown = (answer.context["form"].errors for answer in answers)
    assert known == unknown


def test_deactivating_a_person_ends_the_running_session(member: Person, signed_in_as: As) -> None:
    """And a deactivated person does not get in again."""
    client = signed_in_as(member)
    Person.objects.filter(pk=member.pk).update(is_active=False)
    assert client.get(reverse("accounts:account")).status_code == 302
    again = Client()
    post_sign_in(again)
    assert "_auth_user_id" not in again.session


def test_signing_in_gives_the_session_a_new_key(client: Client, member: Person) -> None:
    session = client.session
    session["planted"] = "yes"
    session.save()
    post_sign_in(client)
    assert client.session["_auth_user_id"] == str(member.pk)
    assert client.session.session_key != session.session_key


def test_signed_in_person_is_not_asked_to_sign_in_again(researcher: Person, signed_in_as: As) -> None:
    client = signed_in_as(researcher)
    for wanted, led_to in {"/app/account/": "/app/account/", **dict.fromkeys(NO_PATHS, HOME)}.items():
        response = client.get(SIGN_IN, {"next": wanted})
        assert (response.status_code, response.headers["Location"]) == (302, led_to), wanted


def test_sign_in_page_is_never_cached(client: Client) -> None:
    assert "no-store" in client.get(SIGN_IN).headers["Cache-Control"]


def test_signing_in_needs_the_forms_token(member: Person) -> None:
    assert post_sign_in(Client(enforce_csrf_checks=True)).status_code == 403


def test_signing_out_ends_the_session(researcher: Person, signed_in_as: As) -> None:
    """The next page says so once, and signing out twice does no harm."""
    client = signed_in_as(researcher)
    response = client.post(SIGN_OUT)
    assert (response.status_code, response.headers["Location"]) == (302, SIGN_IN)
    said = ["You are signed out." in client.get(SIGN_IN).content.decode() for _time in range(2)]
    assert said == [True, False]
    assert client.get(reverse("accounts:account")).status_code == 302
    assert client.post(SIGN_OUT).status_code == 302


def test_link_cannot_sign_anybody_out(researcher: Person, signed_in_as: As) -> None:
    client = signed_in_as(researcher)
    assert client.get(SIGN_OUT).status_code == 405
    assert client.get(reverse("accounts:account")).status_code == 200
