import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from tests.accounts.conftest import NO_PATHS
from tests.cast import As

SIGN_IN, SIGN_OUT = reverse("accounts:sign-in"), reverse("accounts:sign-out")
HOME = reverse("ui:signed-in-home")
pytestmark = [pytest.mark.django_db, pytest.mark.page]


def give(client: Client, person: Person, password: str, **more: str) -> object:
    return client.post(SIGN_IN, {"username": person.username, "password": password, **more})


def test_the_page_offers_a_way_back_for_who_forgot_the_password(client: Client) -> None:
    response = client.get(SIGN_IN)
    assert response.status_code == 200
    assert reverse("accounts:password-reset") in response.content.decode()


def test_the_right_password_signs_in_and_leads_to_where_one_wanted(
    client: Client, member: Person, password: str
) -> None:
    response = client.post(
        SIGN_IN, {"username": "researcher", "password": password, "next": "/app/account/history"}
    )
    assert (response.status_code, response.headers["Location"]) == (302, "/app/account/history")
    assert client.session["_auth_user_id"] == str(member.pk)


@pytest.mark.parametrize(
    "elsewhere",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", *NO_PATHS],
)
def test_nobody_is_led_to_another_site(client: Client, member: Person, password: str, elsewhere: str) -> None:
    response = client.post(SIGN_IN, {"username": "researcher", "password": password, "next": elsewhere})
    assert response.headers["Location"] == HOME


def test_a_wrong_password_is_refused_in_words(client: Client, member: Person) -> None:
    response = client.post(SIGN_IN, {"username": "researcher", "password": "wrong"})
    assert response.status_code == 200
    assert "There is a problem" in response.content.decode()
    assert "_auth_user_id" not in client.session


def test_a_wrong_password_is_never_sent_back(client: Client, member: Person) -> None:
    response = client.post(SIGN_IN, {"username": "researcher", "password": "wr0ng-secret"})
    assert b"wr0ng-secret" not in response.content


def test_who_does_not_exist_is_refused_in_the_same_words(client: Client, member: Person) -> None:
    known = client.post(SIGN_IN, {"username": "researcher", "password": "wrong"}).context["form"]
    unknown = client.post(SIGN_IN, {"username": "nobody-at-all", "password": "wrong"}).context["form"]
    assert known.errors == unknown.errors


def test_a_deactivated_person_stays_outside(client: Client, member: Person, password: str) -> None:
    Person.objects.filter(pk=member.pk).update(is_active=False)
    client.post(SIGN_IN, {"username": "researcher", "password": password})
    assert "_auth_user_id" not in client.session


def test_deactivating_ends_a_session_that_runs(researcher: Person, signed_in_as: As) -> None:
    client = signed_in_as(researcher)
    Person.objects.filter(pk=researcher.pk).update(is_active=False)
    assert client.get(reverse("accounts:account")).status_code == 302


def test_signing_in_gives_the_session_a_new_key(client: Client, member: Person, password: str) -> None:
    session = client.session
    session["planted"] = "yes"
    session.save()
    client.post(SIGN_IN, {"username": "researcher", "password": password})
    assert client.session["_auth_user_id"] == str(member.pk)
    assert client.session.session_key != session.session_key


def test_who_is_signed_in_is_not_asked_again(researcher: Person, signed_in_as: As) -> None:
    response = signed_in_as(researcher).get(SIGN_IN, {"next": "/app/account/"})
    assert (response.status_code, response.headers["Location"]) == (302, "/app/account/")


@pytest.mark.parametrize("elsewhere", NO_PATHS)
def test_who_is_signed_in_is_led_to_no_view_by_its_name(
    researcher: Person, signed_in_as: As, elsewhere: str
) -> None:
    response = signed_in_as(researcher).get(SIGN_IN, {"next": elsewhere})
    assert (response.status_code, response.headers["Location"]) == (302, HOME)


def test_the_sign_in_page_is_kept_in_no_cache(client: Client) -> None:
    assert "no-store" in client.get(SIGN_IN).headers["Cache-Control"]


def test_signing_in_needs_the_forms_token(member: Person, password: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    response = strict.post(SIGN_IN, {"username": "researcher", "password": password})
    assert response.status_code == 403


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_the_sign_in_page_takes_no_other_method(client: Client, method: str) -> None:
    assert getattr(client, method)(SIGN_IN).status_code == 405


def test_signing_out_ends_the_session(researcher: Person, signed_in_as: As) -> None:
    client = signed_in_as(researcher)
    response = client.post(SIGN_OUT)
    assert (response.status_code, response.headers["Location"]) == (302, SIGN_IN)
    assert client.get(reverse("accounts:account")).status_code == 302


def test_after_signing_out_the_next_page_says_so_once(researcher: Person, signed_in_as: As) -> None:
    client = signed_in_as(researcher)
    assert "You are signed out." in client.post(SIGN_OUT, follow=True).content.decode()
    assert "You are signed out." not in client.get(SIGN_IN).content.decode()


def test_a_link_cannot_sign_anybody_out(researcher: Person, signed_in_as: As) -> None:
    client = signed_in_as(researcher)
    assert client.get(SIGN_OUT).status_code == 405
    assert client.get(reverse("accounts:account")).status_code == 200


def test_signing_out_twice_does_no_harm(client: Client) -> None:
    assert client.post(SIGN_OUT).status_code == 302
