"""Showing again who one is, before what cannot be undone."""

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from accounts.second_factor import factors
from tests.accounts.conftest import PASSWORD
from tests.accounts.test_second_factor import ADD, REMOVE, SECRET, code
from tests.cast import As

pytestmark = [pytest.mark.django_db, pytest.mark.page]
CONFIRM = reverse("accounts:confirm")


def late(client: Client, seconds: int = 31 * 60) -> Client:
    session = client.session
    session["proved"] -= seconds
    session.save()
    return client


def test_soon_after_signing_in_nothing_is_asked_and_later_the_page_asks_and_leads_back(
    member: Person, signed_in_as: As
) -> None:
    client = signed_in_as(member)
    assert client.get(ADD).status_code == 200
    answer = late(client).get(ADD)
    assert answer.headers["Location"] == f"{CONFIRM}?next=%2Fapp%2Faccount%2Fsecond-factor%2Fapp"
    answer = client.post(CONFIRM, {"password": PASSWORD, "next": ADD})
    assert answer.headers["Location"] == ADD
    assert client.get(ADD).status_code == 200


def test_a_form_that_comes_too_late_does_nothing_and_leads_to_its_page_and_to_no_other_site(
    member: Person, signed_in_as: As
) -> None:
    client = late(signed_in_as(member))
    answer = client.post(REMOVE, headers={"Referer": "http://evil.example/account/"})
    assert answer.headers["Location"] == f"{CONFIRM}?next=%2Fapp%2Faccount%2Fhome"
    factors.add_app(member, SECRET)
    client = late(signed_in_as(member))
    answer = client.post(REMOVE, headers={"Referer": "http://testserver/app/account/second-factor?a=b"})
    assert answer.headers["Location"] == f"{CONFIRM}?next=%2Fapp%2Faccount%2Fsecond-factor%3Fa%3Db&factor=yes"
    assert factors.has_factor(member)


def test_a_code_is_enough(member: Person, signed_in_as: As) -> None:
    factors.add_app(member, SECRET)
    client = late(signed_in_as(member))
    assert client.post(CONFIRM, {"code": code(), "next": ADD}).status_code == 302
    assert client.session["proved"] > 0


def test_nothing_wrong_is_taken_and_wrong_passwords_have_to_wait_here_too(
    member: Person, signed_in_as: As
) -> None:
    client = late(signed_in_as(member))
    before = client.session["proved"]
    nothing: dict[str, str] = {}
    for given in (nothing, {"password": "wrong"}, {"code": "123"}):
        assert client.post(CONFIRM, {**given, "next": ADD}).status_code == 200
        assert client.session["proved"] == before
    answers = [client.post(CONFIRM, {"password": "wrong"}).status_code for _try in range(6)]
    assert answers[-1] == 429


def test_a_clock_that_was_set_back_asks(member: Person, signed_in_as: As) -> None:
    assert late(signed_in_as(member), -3600).get(ADD).headers["Location"].startswith(CONFIRM)


def test_htmx_moves_the_whole_page(member: Person, signed_in_as: As) -> None:
    answer = late(signed_in_as(member)).post(REMOVE, headers={"HX-Request": "true"})
    assert (answer.status_code, answer.headers["HX-Redirect"].startswith(CONFIRM)) == (403, True)


def test_an_operator_may_switch_it_off(member: Person, signed_in_as: As, settings: LazySettings) -> None:
    settings.CONFIRM_MINUTES = 0
    assert late(signed_in_as(member)).get(ADD).status_code == 200


def test_what_cannot_be_undone_asks_before_anything_else(reviewer: Person, signed_in_as: As) -> None:
    client = late(signed_in_as(reviewer))
    for name, arguments in {
        "admin:reports_review_publish": [1],
        "admin:reports_review_publish_model": [1, 1],
        "releases:approve": [1],
        "releases:discard": [1],
        "recordfiles:records": [1],
        "surveys:destroy": [1],
    }.items():
        answer = client.post(reverse(name, args=arguments))
        assert answer.headers["Location"].startswith(CONFIRM), name
