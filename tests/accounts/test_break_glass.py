"""Where the operator has switched passwords off, one account keeps its own."""

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from accounts import password_links
from accounts.models import Person
from tests.accounts.conftest import PASSWORD, Letters

pytestmark = [pytest.mark.django_db, pytest.mark.page]
SIGN_IN = reverse("accounts:sign-in")


@pytest.fixture(autouse=True)
def passwords_off(settings: LazySettings) -> None:
    settings.PASSWORD_SIGN_IN, settings.BREAK_GLASS_ACCOUNT = False, "emergency"


@pytest.fixture
def emergency(db: None) -> Person:
    return Person.objects.create_user("emergency", "emergency@example.org", PASSWORD)


def sign_in(client: Client, person: Person, password: str) -> bool:
    client.post(SIGN_IN, {"username": person.username, "password": password})
    return "_auth_user_id" in client.session


def test_with_a_right_password_the_break_glass_account_alone_signs_in(
    member: Person, emergency: Person
) -> None:
    assert not sign_in(Client(), member, PASSWORD)
    assert sign_in(Client(), emergency, PASSWORD)


def test_only_the_break_glass_account_gets_a_link_for_a_new_password(
    member: Person, emergency: Person, sent_emails: Letters
) -> None:
    for person in (member, emergency):
        password_links.send_password_reset(person.email)
    assert [letter.to for letter in sent_emails()] == [["emergency@example.org"]]


def test_password_link_from_before_the_break_glass_rule_sets_no_password(
    member: Person, client: Client
) -> None:
    path = password_links.path_to_set_password("accounts:invitation", member, password_links.invitations)
    assert "This link no longer works" in client.get(path, follow=True).content.decode()


def test_sign_in_page_folds_the_password_form_away(client: Client) -> None:
    page = client.get(SIGN_IN).content.decode()
    assert "<summary>Emergency account</summary>" in page
    assert "<details>" in page
