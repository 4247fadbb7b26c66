"""An email address counts once a letter to it was answered."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import email_confirmation, password_links
from accounts.models import History, Person
from tests.accounts.conftest import PASSWORD
from tests.accounts.test_account import ACCOUNT, save
from tests.accounts.test_admin import filled_in, page_of
from tests.cast import As

pytestmark = [pytest.mark.django_db, pytest.mark.page]
Letters = Callable[[], list[EmailMessage]]
NEW = "new@example.org"
WAITING = reverse("accounts:email-waiting")


@pytest.fixture
def waiting(member: Person) -> Person:
    """The researcher, who entered a new address."""
    member.new_email = NEW
    member.save()
    return member


def link(person: Person) -> str:
    return reverse("accounts:email-confirm", args=[email_confirmation.tokens.make_token(person)])


def test_the_letter_goes_to_the_new_address_and_its_link_makes_it_count(
    member: Person, signed_in_as: As, letters: Letters
) -> None:
    client = signed_in_as(member)
    save(client, member, email=NEW, password=PASSWORD)
    (letter,) = letters()
    (path,) = re.findall(r"http://testserver(/app/account/email/\S+)", str(letter.body))
    assert letter.to == [NEW]
    assert "Confirm the address" in client.get(path).content.decode()
    assert Person.objects.get(pk=member.pk).email == "researcher@example.org"
    assert client.post(path).headers["Location"] == ACCOUNT
    changed = Person.objects.get(pk=member.pk)
    assert (changed.email, changed.new_email) == (NEW, "")
    assert [letter.to for letter in letters()] == [[NEW], ["researcher@example.org"]]
    assert [*History.objects.order_by("pk").values_list("what", flat=True)][-2:] == [
        "accounts.email-asked",
        "accounts.email-confirmed",
    ]
    assert "does not work here" in client.post(path).content.decode()


def test_a_waiting_address_gets_no_link_for_a_password(waiting: Person, letters: Letters) -> None:
    password_links.send_password_reset(NEW)
    assert letters() == []


def test_nobody_answers_in_another_account_or_without_one(
    waiting: Person, stranger: Person, signed_in_as: As, client: Client
) -> None:
    path = link(waiting)
    assert "does not work here" in signed_in_as(stranger).post(path).content.decode()
    assert client.post(path).headers["Location"].startswith(reverse("accounts:sign-in"))
    assert signed_in_as(waiting).delete(path).status_code == 405
    assert Person.objects.filter(email=NEW).count() == 0


def test_a_link_is_void_after_another_change(waiting: Person, signed_in_as: As) -> None:
    for changed in ({"password": "x"}, {"new_email": "other@example.org"}, {"email": ""}):
        path = link(waiting)
        Person.objects.filter(pk=waiting.pk).update(**changed)
        waiting.refresh_from_db()
        assert "does not work here" in signed_in_as(waiting).post(path).content.decode(), changed


def test_a_link_works_for_a_day(waiting: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    token = email_confirmation.tokens.make_token(waiting)
    now = timezone.now().replace(tzinfo=None)
    for hours, is_valid in ((23, True), (25, False)):
        later = now + timedelta(hours=hours)
        monkeypatch.setattr(email_confirmation.AddressTokens, "_now", lambda self, later=later: later)
        assert email_confirmation.tokens.check_token(waiting, token) == is_valid


def test_an_address_that_another_account_has_by_then_is_refused(
    waiting: Person, stranger: Person, signed_in_as: As
) -> None:
    Person.objects.filter(pk=stranger.pk).update(email=NEW.upper())
    assert "does not work here" in signed_in_as(waiting).post(link(waiting)).content.decode()
    assert Person.objects.get(pk=waiting.pk).email == "researcher@example.org"


def test_who_signs_in_with_a_waiting_address_gets_a_letter_but_few(waiting: Person, letters: Letters) -> None:
    form = {"username": waiting.username, "password": PASSWORD}
    pages = [Client().post(reverse("accounts:sign-in"), form, follow=True).content.decode() for _ in "ab"]
    assert "We sent a letter to new@example.org" in pages[0]
    assert "was sent to new@example.org in the last minutes" in pages[1]
    assert [letter.to for letter in letters()] == [[NEW]]


def test_one_has_the_letter_sent_again_or_forgets_the_address(
    waiting: Person, signed_in_as: As, letters: Letters
) -> None:
    client = signed_in_as(waiting)
    assert "Follow the link in the letter to new@example.org" in client.get(ACCOUNT).content.decode()
    assert client.get(WAITING).status_code == 405
    client.post(WAITING)
    assert [letter.to for letter in letters()] == [[NEW]]
    client.post(WAITING, {"forget": "1"})
    assert Person.objects.get(pk=waiting.pk).new_email == ""


def test_an_address_can_be_removed_at_once(member: Person, signed_in_as: As) -> None:
    save(signed_in_as(member), member, email="", password=PASSWORD)
    assert Person.objects.get(pk=member.pk).email == ""


def test_what_an_administrator_types_counts_and_the_history_says_who_typed_it(
    waiting: Person, superuser: Person, signed_in_as: As
) -> None:
    signed_in_as(superuser).post(page_of(waiting), filled_in(waiting, email="typed@example.org"))
    waiting.refresh_from_db()
    assert (waiting.email, waiting.new_email) == ("typed@example.org", "")
    act = History.objects.about(waiting).get(what="accounts.email-changed")
    assert (act.who, "counts as confirmed" in act.words) == (superuser, True)
