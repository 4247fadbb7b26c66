"""One's own account, the language and theme of a visitor, and the letter that confirms an address."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts import email_confirmation, password_links
from accounts.models import History, Person
from tests.accounts.conftest import NO_PATHS, PASSWORD, Letters
from tests.accounts.test_admin import filled_in, page_of
from tests.cast import As

ACCOUNT, PREFERENCES = reverse("accounts:account"), reverse("accounts:preferences")
pytestmark = [pytest.mark.django_db, pytest.mark.page]


def send(client: Client, person: Person, **changes: str) -> Any:
    now = {"name": person.name, "email": person.email, "language": person.language, "theme": person.theme}
    return client.post(ACCOUNT, {**now, **changes})


def save(client: Client, person: Person, **changes: str) -> int:
    return send(client, person, **changes).status_code  # type: ignore[no-any-return]


def test_account_page_is_for_signed_in_people_and_refuses_other_methods(
    client: Client, researcher: Person, signed_in_as: As
) -> None:
    for response in (client.get(ACCOUNT), client.post(ACCOUNT, {"name": "Mallory"})):
        assert response.headers["Location"].startswith(reverse("accounts:sign-in"))
    assert signed_in_as(researcher).delete(ACCOUNT).status_code == 405


def test_account_page_names_the_role(
    researcher: Person, reviewer: Person, stranger: Person, signed_in_as: As
) -> None:
    sentences = ("You are a researcher", "You are a reviewer", "You have no role yet")
    for person, words in zip((researcher, reviewer, stranger), sentences, strict=True):
        assert words in signed_in_as(person).get(ACCOUNT).content.decode()


def test_people_change_only_their_own_account(researcher: Person, stranger: Person, signed_in_as: As) -> None:
    assert save(signed_in_as(researcher), researcher, name="Robin R.", pk=str(stranger.pk)) == 302
    researcher.refresh_from_db()
    stranger.refresh_from_db()
    assert (researcher.name, stranger.name) == ("Robin R.", "Sam Stranger")


def test_new_name_is_in_the_history_but_a_new_theme_is_not(stranger: Person, signed_in_as: As) -> None:
    save(signed_in_as(stranger), stranger, name="Sam S.", theme="dark")
    [act] = History.objects.all()
    assert (act.who, act.what, act.note) == (stranger, "accounts.name-changed", "Sam Stranger → Sam S.")


def test_forged_account_form_gives_no_rights(stranger: Person, signed_in_as: As) -> None:
    def rights() -> list[object]:
        return [stranger.is_superuser, stranger.is_staff, stranger.is_active, stranger.username]

    before, client = rights(), signed_in_as(stranger)
    for field in ("is_superuser", "is_staff", "is_active", "username"):
        save(client, stranger, **{field: "1"})
        stranger.refresh_from_db()
        assert rights() == before, field


def test_a_new_email_address_needs_the_password(member: Person, signed_in_as: As) -> None:
    client = signed_in_as(member)
    assert save(client, member, email="new@example.org") == 200
    assert save(client, member, email="new@example.org", password="wrong") == 200
    assert save(client, member, email="new@example.org", password=PASSWORD) == 302
    member.refresh_from_db()
    assert (member.email, member.new_email) == ("researcher@example.org", "new@example.org")


def test_refused_account_change_is_shown_nowhere(member: Person, signed_in_as: As) -> None:
    response = send(signed_in_as(member), member, email="broken")
    assert response.context["user"].email == "researcher@example.org"


def test_email_address_belongs_to_one_account_in_any_spelling(
    member: Person, stranger: Person, signed_in_as: As
) -> None:
    response = send(signed_in_as(member), member, email="STRANGER@example.org", password=PASSWORD)
    assert "Another account has this email address." in response.content.decode()


def test_many_accounts_may_have_no_email_address(stranger: Person) -> None:
    Person.objects.update(email="")
    Person.objects.create(username="another", email="")


def test_visitors_language_and_theme_are_in_cookies_that_scripts_cannot_read(
    client: Client, settings: Settings
) -> None:
    """Secure over HTTPS; going back to the device's theme removes the cookie."""
    client.post(PREFERENCES, {"language": "zh-hans", "theme": "dark"})
    for name, value in (("candor-language", "zh-hans"), ("candor-theme", "dark")):
        cookie = client.cookies[name]
        assert (cookie.value, cookie["samesite"], bool(cookie["httponly"])) == (value, "Lax", True)
        assert cookie["max-age"] == 365 * 24 * 3600
    client.post(PREFERENCES, {"theme": "system"})
    assert client.cookies["candor-theme"].value == ""
    settings.LANGUAGE_COOKIE_SECURE = True
    client.post(PREFERENCES, {"theme": "dark"})
    assert client.cookies["candor-theme"]["secure"]


def test_signed_in_choice_is_stored_on_the_account_and_leaves_other_settings(
    stranger: Person, signed_in_as: As
) -> None:
    client = signed_in_as(stranger)
    for choice in ({"language": "zh-hans", "theme": "light"}, {"theme": "dark"}):
        client.post(PREFERENCES, choice)
        stranger.refresh_from_db()
        assert (stranger.language, stranger.theme) == ("zh-hans", choice["theme"])


def test_a_visitors_old_cookie_does_not_overrule_the_account(client: Client, stranger: Person) -> None:
    client.post(PREFERENCES, {"language": "zh-hans"})
    client.force_login(stranger)
    client.post(PREFERENCES, {"language": ""})
    assert client.get(ACCOUNT).headers["Content-Language"] == "en"


def test_invalid_choice_or_a_get_request_changes_no_language_or_theme(
    client: Client, stranger: Person
) -> None:
    client.force_login(stranger)
    nonsense: list[dict[str, str]] = [{}, {"language": "tlh"}, {"theme": "pink"}]
    for choice in (*nonsense, {"theme": "dark", "language": "x"}):
        assert client.post(PREFERENCES, choice).status_code == 400, choice
    assert client.get(PREFERENCES, {"theme": "dark"}).status_code == 405
    stranger.refresh_from_db()
    assert (stranger.language, stranger.theme) == ("", "system")


def test_choosing_a_language_returns_to_the_same_page(client: Client) -> None:
    here = "/app/account/sign-in?next=/x"
    for wanted, led_to in {here: here, **dict.fromkeys(["//evil.example/", *NO_PATHS], "/")}.items():
        response = client.post(PREFERENCES, {"theme": "dark", "next": wanted})
        assert response.headers["Location"] == led_to, wanted


# --- an email address counts once a letter to it was answered ---

NEW = "new@example.org"
WAITING = reverse("accounts:email-waiting")


@pytest.fixture
def new_email_member(member: Person) -> Person:
    """The researcher, who entered a new address."""
    member.new_email = NEW
    member.save()
    return member


def link(person: Person) -> str:
    return reverse("accounts:email-confirm", args=[email_confirmation.tokens.make_token(person)])


def test_new_address_counts_only_after_its_letters_link_is_followed(
    member: Person, signed_in_as: As, sent_emails: Letters
) -> None:
    client = signed_in_as(member)
    save(client, member, email=NEW, password=PASSWORD)
    (letter,) = sent_emails()
    (path,) = re.findall(r"http://testserver(/app/account/email/\S+)", str(letter.body))
    assert letter.to == [NEW]
    assert "Confirm the address" in client.get(path).content.decode()
    assert Person.objects.get(pk=member.pk).email == "researcher@example.org"
    assert client.post(path).headers["Location"] == ACCOUNT
    changed = Person.objects.get(pk=member.pk)
    assert (changed.email, changed.new_email) == (NEW, "")
    assert [letter.to for letter in sent_emails()] == [[NEW], ["researcher@example.org"]]
    assert [*History.objects.order_by("pk").values_list("what", flat=True)][-2:] == [
        "accounts.email-asked",
        "accounts.email-confirmed",
    ]
    assert "does not work here" in client.post(path).content.decode()


def test_unconfirmed_address_gets_no_password_link(new_email_member: Person, sent_emails: Letters) -> None:
    password_links.send_password_reset(NEW)
    assert sent_emails() == []


def test_address_link_is_refused_in_another_account_or_signed_out(
    new_email_member: Person, stranger: Person, signed_in_as: As, client: Client
) -> None:
    path = link(new_email_member)
    assert "does not work here" in signed_in_as(stranger).post(path).content.decode()
    assert client.post(path).headers["Location"].startswith(reverse("accounts:sign-in"))
    assert signed_in_as(new_email_member).delete(path).status_code == 405
    assert Person.objects.filter(email=NEW).count() == 0


def test_address_link_is_void_after_another_change(new_email_member: Person, signed_in_as: As) -> None:
    for changed in ({"password": "x"}, {"new_email": "other@example.org"}, {"email": ""}):
        path = link(new_email_member)
        Person.objects.filter(pk=new_email_member.pk).update(**changed)
        new_email_member.refresh_from_db()
        assert "does not work here" in signed_in_as(new_email_member).post(path).content.decode(), changed


def test_address_link_works_for_one_day(new_email_member: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    token = email_confirmation.tokens.make_token(new_email_member)
    now = timezone.now().replace(tzinfo=None)
    for hours, is_valid in ((23, True), (25, False)):
        later = now + timedelta(hours=hours)
        monkeypatch.setattr(email_confirmation.AddressTokens, "_now", lambda self, later=later: later)
        assert email_confirmation.tokens.check_token(new_email_member, token) == is_valid


def test_confirming_an_address_is_refused_once_another_account_has_it(
    new_email_member: Person, stranger: Person, signed_in_as: As
) -> None:
    Person.objects.filter(pk=stranger.pk).update(email=NEW.upper())
    assert (
        "does not work here" in signed_in_as(new_email_member).post(link(new_email_member)).content.decode()
    )
    assert Person.objects.get(pk=new_email_member.pk).email == "researcher@example.org"


def test_signing_in_with_an_unconfirmed_address_sends_few_letters(
    new_email_member: Person, sent_emails: Letters
) -> None:
    form = {"username": new_email_member.username, "password": PASSWORD}
    pages = [Client().post(reverse("accounts:sign-in"), form, follow=True).content.decode() for _ in "ab"]
    assert "We sent a letter to new@example.org" in pages[0]
    assert "was sent to new@example.org in the last minutes" in pages[1]
    assert [letter.to for letter in sent_emails()] == [[NEW]]


def test_address_letter_can_be_sent_again_or_cancelled(
    new_email_member: Person, signed_in_as: As, sent_emails: Letters
) -> None:
    client = signed_in_as(new_email_member)
    assert "Follow the link in the letter to new@example.org" in client.get(ACCOUNT).content.decode()
    assert client.get(WAITING).status_code == 405
    client.post(WAITING)
    assert [letter.to for letter in sent_emails()] == [[NEW]]
    client.post(WAITING, {"forget": "1"})
    assert Person.objects.get(pk=new_email_member.pk).new_email == ""


def test_an_address_can_be_removed_at_once(member: Person, signed_in_as: As) -> None:
    save(signed_in_as(member), member, email="", password=PASSWORD)
    assert Person.objects.get(pk=member.pk).email == ""


def test_address_set_by_an_administrator_counts_and_is_in_the_history(
    new_email_member: Person, superuser: Person, signed_in_as: As
) -> None:
    signed_in_as(superuser).post(
        page_of(new_email_member), filled_in(new_email_member, email="typed@example.org")
    )
    new_email_member.refresh_from_db()
    assert (new_email_member.email, new_email_member.new_email) == ("typed@example.org", "")
    act = History.objects.about(new_email_member).get(what="accounts.email-changed")
    assert (act.who, "counts as confirmed" in act.words) == (superuser, True)
