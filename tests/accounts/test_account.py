import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import History, Person
from tests.accounts.conftest import NO_PATHS
from tests.cast import As

ACCOUNT, PREFERENCES = reverse("accounts:account"), reverse("accounts:preferences")
pytestmark = [pytest.mark.django_db, pytest.mark.page]


def save(client: Client, person: Person, **changes: str) -> int:
    now = {"name": person.name, "email": person.email, "language": person.language, "theme": person.theme}
    return client.post(ACCOUNT, {**now, **changes}).status_code


def test_the_account_is_for_who_is_signed_in(client: Client) -> None:
    for response in (client.get(ACCOUNT), client.post(ACCOUNT, {"name": "Mallory"})):
        assert response.headers["Location"].startswith(reverse("accounts:sign-in"))


def test_the_account_takes_no_other_method(researcher: Person, signed_in_as: As) -> None:
    assert signed_in_as(researcher).delete(ACCOUNT).status_code == 405


@pytest.mark.parametrize(
    ("who", "words"),
    [
        ("researcher", "You are a researcher"),
        ("reviewer", "You are a reviewer"),
        ("stranger", "You have no role yet"),
    ],
)
def test_the_account_says_what_one_is(
    who: str, words: str, request: pytest.FixtureRequest, signed_in_as: As
) -> None:
    page = signed_in_as(request.getfixturevalue(who)).get(ACCOUNT)
    assert words in page.content.decode()


def test_one_changes_ones_own_account_and_nobody_elses(
    researcher: Person, stranger: Person, signed_in_as: As
) -> None:
    assert save(signed_in_as(researcher), researcher, name="Robin R.", pk=str(stranger.pk)) == 302
    researcher.refresh_from_db()
    stranger.refresh_from_db()
    assert (researcher.name, stranger.name) == ("Robin R.", "Sam Stranger")


def test_a_new_name_stands_in_the_history_and_a_new_theme_does_not(
    stranger: Person, signed_in_as: As
) -> None:
    save(signed_in_as(stranger), stranger, name="Sam S.", theme="dark")
    [act] = History.objects.all()
    assert (act.who, act.what, act.note) == (stranger, "accounts.name-changed", "Sam Stranger → Sam S.")


@pytest.mark.parametrize("field", ["is_superuser", "is_staff", "is_active", "username"])
def test_a_form_of_ones_own_making_gives_no_rights(stranger: Person, signed_in_as: As, field: str) -> None:
    before = getattr(stranger, field)
    save(signed_in_as(stranger), stranger, **{field: "1"})
    stranger.refresh_from_db()
    assert getattr(stranger, field) == before


def test_a_new_email_address_needs_the_password(member: Person, password: str, signed_in_as: As) -> None:
    client = signed_in_as(member)
    assert save(client, member, email="new@example.org") == 200
    assert save(client, member, email="new@example.org", password="wrong") == 200
    assert save(client, member, email="new@example.org", password=password) == 302
    member.refresh_from_db()
    assert (member.email, member.new_email) == ("researcher@example.org", "new@example.org")


def test_a_refused_change_shows_nowhere_as_made(member: Person, signed_in_as: As) -> None:
    response = signed_in_as(member).post(
        ACCOUNT, {"name": "Robin", "email": "broken", "language": "", "theme": "system"}
    )
    assert response.context["user"].email == "researcher@example.org"


def test_an_address_belongs_to_one_account_however_it_is_written(
    member: Person, stranger: Person, password: str, signed_in_as: As
) -> None:
    client = signed_in_as(member)
    response = client.post(
        ACCOUNT,
        {
            "name": "",
            "email": "STRANGER@example.org",
            "language": "",
            "theme": "system",
            "password": password,
        },
    )
    assert "Another account has this email address." in response.content.decode()


def test_any_number_of_accounts_have_no_address(stranger: Person) -> None:
    Person.objects.update(email="")
    Person.objects.create(username="another", email="")


def test_a_visitors_choice_is_kept_in_cookies_that_no_script_reads(client: Client) -> None:
    client.post(PREFERENCES, {"language": "zh-hans", "theme": "dark"})
    for name, value in (("candor-language", "zh-hans"), ("candor-theme", "dark")):
        cookie = client.cookies[name]
        assert (cookie.value, cookie["samesite"], bool(cookie["httponly"])) == (value, "Lax", True)
        assert cookie["max-age"] == 365 * 24 * 3600


def test_over_https_the_cookies_are_secure(client: Client, settings: Settings) -> None:
    settings.LANGUAGE_COOKIE_SECURE = True
    client.post(PREFERENCES, {"theme": "dark"})
    assert client.cookies["candor-theme"]["secure"]


def test_going_back_to_the_devices_theme_removes_the_cookie(client: Client) -> None:
    client.post(PREFERENCES, {"theme": "dark"})
    client.post(PREFERENCES, {"theme": "system"})
    assert client.cookies["candor-theme"].value == ""


def test_a_persons_choice_is_kept_on_the_account(stranger: Person, signed_in_as: As) -> None:
    signed_in_as(stranger).post(PREFERENCES, {"language": "zh-hans", "theme": "light"})
    stranger.refresh_from_db()
    assert (stranger.language, stranger.theme) == ("zh-hans", "light")


def test_choosing_one_leaves_the_other(stranger: Person, signed_in_as: As) -> None:
    Person.objects.filter(pk=stranger.pk).update(language="zh-hans")
    signed_in_as(stranger).post(PREFERENCES, {"theme": "dark"})
    stranger.refresh_from_db()
    assert (stranger.language, stranger.theme) == ("zh-hans", "dark")


def test_a_visitors_old_cookie_does_not_overrule_the_account(client: Client, stranger: Person) -> None:
    client.post(PREFERENCES, {"language": "zh-hans"})
    client.force_login(stranger)
    client.post(PREFERENCES, {"language": ""})
    assert client.get(ACCOUNT).headers["Content-Language"] == "en"


@pytest.mark.parametrize(
    "nonsense", [{}, {"language": "tlh"}, {"theme": "pink"}, {"theme": "dark", "language": "x"}]
)
def test_nonsense_is_refused_and_changes_nothing(
    client: Client, stranger: Person, nonsense: dict[str, str]
) -> None:
    client.force_login(stranger)
    assert client.post(PREFERENCES, nonsense).status_code == 400
    stranger.refresh_from_db()
    assert (stranger.language, stranger.theme) == ("", "system")


def test_preferences_are_not_set_by_a_link(client: Client) -> None:
    assert client.get(PREFERENCES, {"theme": "dark"}).status_code == 405


@pytest.mark.parametrize(
    ("wanted", "led_to"),
    [
        ("/app/account/sign-in?next=/x", "/app/account/sign-in?next=/x"),
        *[(elsewhere, "/") for elsewhere in ("//evil.example/", *NO_PATHS)],
    ],
)
def test_after_choosing_one_is_back_where_one_was(client: Client, wanted: str, led_to: str) -> None:
    response = client.post(PREFERENCES, {"theme": "dark", "next": wanted})
    assert response.headers["Location"] == led_to
