import datetime as dt
import re
import threading

import pytest
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.tokens import default_token_generator
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy
from pytest_django import Settings

from accounts import mail, password_links
from accounts.models import History, Person
from tests.accounts.conftest import PASSWORD, Letters
from tests.cast import As, unsaved_person

CHANGE, FORGOTTEN = reverse("accounts:password-change"), reverse("accounts:password-reset")
NEW = "a wholly new secret"
pytestmark = [pytest.mark.django_db, pytest.mark.page]


def path_in(letter: EmailMessage) -> str:
    found = re.search(r"http://testserver(/\S+)", str(letter.body))
    assert found
    return found[1]


def set_through(client: Client, path: str, new: str = NEW) -> int:
    """Follow a link from a letter and fill in the form behind it; the last answer's status."""
    here = client.get(path, follow=True)
    return client.post(here.request["PATH_INFO"], {"new_password1": new, "new_password2": new}).status_code


def change_password(client: Client, old: str, new: str = NEW) -> int:
    given = {"old_password": old, "new_password1": new, "new_password2": new}
    return client.post(CHANGE, given).status_code


def reset_path(person: Person) -> str:
    """As it stands in a letter."""
    return password_links.path_to_set_password(
        "accounts:password-reset-confirm", person, default_token_generator
    )


def test_changing_the_password_needs_the_old_one_and_ends_other_sessions(
    member: Person, signed_in_as: As
) -> None:
    here, elsewhere = signed_in_as(member), signed_in_as(member)
    assert change_password(here, "not the old one") == 200
    assert change_password(here, PASSWORD, "password1234") == 200
    member.refresh_from_db()
    assert member.check_password(PASSWORD)
    assert change_password(here, PASSWORD) == 302
    member.refresh_from_db()
    assert member.check_password(NEW)
    act = History.objects.first()
    assert act
    assert (act.who, act.what, act.thing_name, act.note) == (member, "accounts.password-changed", "Robin", "")
    assert here.get(CHANGE).status_code == 200
    assert elsewhere.get(CHANGE).status_code == 302


def test_password_of_site_words_is_refused_and_one_of_digits_accepted(settings: Settings) -> None:
    settings.SITE_URL = "https://survey.example.org:8443"
    for typed in ("candorcandor2026", "Survey-Candor-12", "survey example candor"):
        with pytest.raises(ValidationError, match="address of this site"):
            validate_password(typed)
    for typed in ("candor and a longer sentence", "837465920174"):
        validate_password(typed)


def test_password_change_is_for_signed_in_people(client: Client) -> None:
    response = client.get(CHANGE)
    assert response.headers["Location"] == "/app/account/sign-in?next=%2Fapp%2Faccount%2Fpassword"


def test_password_pages_take_no_other_method(client: Client, member: Person) -> None:
    good_link = client.get(reset_path(member)).headers["Location"]
    for page in (CHANGE, FORGOTTEN, good_link):
        for method in ("put", "delete"):
            assert getattr(client, method)(page).status_code == 405, page
    for name in ("accounts:password-reset-done", "accounts:password-reset-complete"):
        assert client.get(reverse(name)).status_code == 200, name
        assert client.post(reverse(name)).status_code == 405, name


def test_reset_letter_sets_a_password_once_unlocks_and_ends_every_session(
    client: Client, member: Person, signed_in_as: As, sent_emails: Letters
) -> None:
    elsewhere = signed_in_as(member)
    wrong = {"username": member.username, "password": "wrong"}
    assert [client.post(reverse("accounts:sign-in"), wrong).status_code for _ in range(5)][-1] == 429
    client.post(FORGOTTEN, {"email": "Researcher@Example.ORG"})
    [letter] = sent_emails()
    path = path_in(letter)
    assert letter.to == ["researcher@example.org"]
    # The token does not stay in the address.
    assert path.rpartition("/")[2] not in client.get(path).headers["Location"]
    assert set_through(client, path) == 302
    member.refresh_from_db()
    assert member.check_password(NEW)
    act = History.objects.first()
    assert act
    assert (act.who, act.what) == (member, "accounts.password-reset")
    assert elsewhere.get(CHANGE).status_code == 302
    assert "no longer works" in Client().get(path).content.decode()
    right = {"username": member.username, "password": NEW}
    assert client.post(reverse("accounts:sign-in"), right).status_code == 302


def test_reset_link_of_another_person_does_not_open_with_my_token(
    client: Client, member: Person, stranger: Person
) -> None:
    mixed = reset_path(stranger).rpartition("/")[0] + "/" + reset_path(member).rpartition("/")[2]
    assert "no longer works" in client.get(mixed).content.decode()


def test_deactivated_person_gets_no_reset_letter_and_old_links_fail(
    client: Client, member: Person, sent_emails: Letters
) -> None:
    path = reset_path(member)
    Person.objects.filter(pk=member.pk).update(is_active=False)
    client.post(FORGOTTEN, {"email": member.email})
    assert sent_emails() == []
    assert "no longer works" in client.get(path).content.decode()


def test_password_reset_page_does_not_reveal_accounts(
    client: Client, member: Person, sent_emails: Letters
) -> None:
    answers = []
    for email in (member.email, "nobody@example.org"):
        with CaptureQueriesContext(connection) as queries:
            response = client.post(FORGOTTEN, {"email": email})
        # What differs by chance: values, names of savepoints, the token that every form carries.
        work = [re.sub(r"'[^']*'|\"s\d+_x\d+\"", "?", query["sql"]) for query in queries]
        page = client.get(response.headers["Location"]).content.decode()
        page = re.sub(r'(csrfmiddlewaretoken" value=)"\w+"', r"\1", page)
        answers.append((response.status_code, response.headers["Location"], work, page))
    assert answers[0] == answers[1]
    assert len(sent_emails()) == 1


def test_password_reset_page_does_not_wait_for_the_mail_server(
    client: Client, member: Person, sent_emails: Letters
) -> None:
    let_go = threading.Event()
    mail.mail_thread.submit(let_go.wait, 20)
    try:
        assert client.post(FORGOTTEN, {"email": member.email}).status_code == 302
    finally:
        let_go.set()
    assert len(sent_emails()) == 1


def test_mailbox_gets_one_reset_letter_a_minute_also_after_the_clock_was_set_back(
    client: Client, member: Person, sent_emails: Letters, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else nobody would get one until the clock is where it was."""
    now = timezone.now()
    later, before = now + dt.timedelta(seconds=30), now - dt.timedelta(days=300)
    for email, moment in ((member.email, now), (member.email.upper(), later), (member.email, before)):
        monkeypatch.setattr("accounts.password_links.timezone.now", lambda moment=moment: moment)
        assert client.post(FORGOTTEN, {"email": email}).status_code == 302
    assert len(sent_emails()) == 2


def test_a_letter_that_cannot_be_sent_is_logged_without_its_address(
    client: Client, member: Person, sent_emails: Letters, no_mail: None, caplog: pytest.LogCaptureFixture
) -> None:
    client.post(FORGOTTEN, {"email": member.email})
    sent_emails()
    assert "could not be sent: ConnectionRefusedError" in caplog.text
    assert member.email not in caplog.text


def test_reset_letter_is_in_the_readers_language(member: Person) -> None:
    member.language = "zh-hans"
    # A word that Django itself translates stands in for the letter's own, whose catalogue may change.
    member.name = gettext_lazy("Password")  # type: ignore[assignment]
    letter = mail.compose_letter("reset", member, "/x", 1)
    assert "密码" in str(letter.body)
    assert translation.get_language() == "en"


def test_an_invitation_sets_a_first_password(
    client: Client, superuser: Person, mailoutbox: list[EmailMessage]
) -> None:
    guest = unsaved_person("guest")
    password_links.send_invitation(guest, superuser)
    [letter] = mailoutbox
    assert letter.to == ["guest@example.org"]
    assert set_through(client, path_in(letter)) == 302
    guest.refresh_from_db()
    assert guest.check_password(NEW)


def test_an_invitation_names_the_link_of_the_sign_in_page_as_it_reads_there(
    superuser: Person, mailoutbox: list[EmailMessage], client: Client
) -> None:
    password_links.send_invitation(unsaved_person("guest"), superuser)
    (letter,) = mailoutbox
    (named,) = re.findall(r"Later, “(.+?)” on the sign-in page", str(letter.body))
    page = client.get(reverse("accounts:sign-in")).content.decode()
    assert f'<a class="button quiet" href="{FORGOTTEN}">{named}</a>' in page


def test_an_invitation_lasts_a_week(monkeypatch: pytest.MonkeyPatch) -> None:
    """One from before the clock was set back is valid too."""
    guest = unsaved_person("guest")
    tokens = password_links.InvitationTokens()
    made, week = tokens._now().replace(microsecond=999_999), dt.timedelta(days=7)
    now = made
    monkeypatch.setattr(tokens, "_now", lambda: now)
    token = tokens.make_token(guest)
    second, past = dt.timedelta(seconds=1), dt.timedelta(days=-300)
    for later, is_valid in {week: True, week + second: False, past: True}.items():
        now = made + later
        assert tokens.check_token(guest, token) == is_valid, later


def test_forged_invitation_is_refused() -> None:
    guest = unsaved_person("guest")
    for token in ("", "x", "-", "zzzzzzzzzzzzzzzz-1", "set-password", "d00000-" + "0" * 32):
        assert not password_links.invitations.check_token(guest, token), token


def test_invitations_and_reset_links_are_not_interchangeable(member: Person) -> None:
    reset = default_token_generator.make_token(member)
    assert not password_links.invitations.check_token(member, reset)
    assert not default_token_generator.check_token(member, password_links.invitations.make_token(member))
