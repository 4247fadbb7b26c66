"""Signing in by OpenID Connect, with a real provider."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialLogin, SocialToken
from django.conf import LazySettings
from django.test import Client

from accounts import role_assignment
from accounts.models import RESEARCHERS, REVIEWERS, History, Person
from accounts.providers import adapters
from accounts.providers.adapters import is_address_trusted
from accounts.second_factor import factors
from tests.accounts.conftest import PASSWORD, Letters
from tests.accounts.identity_providers import (
    OpenIDProvider as Provider,
    asked_ago,
    run_oidc,
    token_clock_off,
    with_providers,
)
from tests.accounts.test_account import save
from tests.accounts.test_passwords import reset_path
from tests.api.conftest import secret_of, with_token
from tests.cast import unsaved_person

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.filterwarnings("ignore")]

USERS: dict[str, dict[str, Any]] = {
    "ann": {
        "email": "ann@campus.example",
        "name": "Ann Archer",
        "preferred_username": "ann",
        "groups": ["staff"],
    },
    "rae": {"email": "rae@campus.example", "groups": ["board", "staff"]},
    "eve": {"email": "OWNER@example.org", "preferred_username": "owner"},
    "unsure": {"email": "owner@example.org", "email_verified": False},
}


@pytest.fixture(scope="module")
def server() -> Iterator[Provider]:
    with run_oidc(USERS) as provider:
        yield provider


@pytest.fixture
def options() -> dict[str, Any]:
    """The provider's settings, to be changed before it is asked."""
    return {}


@pytest.fixture
def provider(server: Provider, settings: LazySettings, options: dict[str, Any]) -> Iterator[Provider]:
    app = {
        "provider_id": "campus",
        "name": "Campus",
        "client_id": "candor",
        "secret": "x" * 20,
        "settings": options,
    }
    options.setdefault("server_url", server.url)
    apps = {"openid_connect": {"APPS": [app], "OAUTH_PKCE_ENABLED": True}}
    with with_providers(settings, apps, "openid_connect"):
        yield server
    server.changes.clear()


@pytest.fixture
def provider_is_trusted(options: dict[str, Any]) -> None:
    """What the provider says of addresses counts."""
    options["trust_email"] = True


def signed_in_person(client: Client) -> Person | None:
    return Person.objects.filter(pk=client.session.get("_auth_user_id", 0)).first()


def person_in(client: Client) -> Person:
    person = signed_in_person(client)
    assert person
    return person


def test_first_openid_sign_in_makes_an_account_without_a_role_and_the_second_finds_it(
    provider: Provider, client: Client
) -> None:
    answer = provider.sign_in(client, "ann")
    person = person_in(client)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/app/account/home")
    assert (person.username, person.name) == ("ann", "Ann Archer")
    assert (person.email, person.new_email) == ("", "ann@campus.example")
    assert (person.roles, person.is_staff, person.has_usable_password()) == (frozenset(), False, False)
    acts = History.objects.order_by("pk").values_list("what", "note")
    assert list(acts) == [
        ("accounts.created-by-provider", "Campus"),
        ("accounts.signed-in-by-provider", "Campus"),
    ]
    assert [row.extra_data for row in SocialAccount.objects.all()] == [{}]
    client.post("/app/account/sign-out")
    assert signed_in_person(client) is None
    # One comes back to where one wanted and to no other site.
    again = provider.sign_in(client, "ann", "/app/account/history")
    assert again.headers["Location"] == "/app/account/history"
    assert (signed_in_person(client), Person.objects.filter(username="ann").count()) == (person, 1)
    assert provider.sign_in(Client(), "ann", "//evil.example").headers["Location"] == "/app/account/home"
    # Nothing that the provider says stays but name and address.
    assert [row.extra_data for row in SocialAccount.objects.all()] == [{}]
    assert not SocialToken.objects.exists()


def test_mapped_openid_group_gives_its_role(
    provider: Provider, options: dict[str, Any], subtests: pytest.Subtests
) -> None:
    options.update(roles_claim="groups", researchers=["staff"], reviewers=["board"])
    both = {RESEARCHERS, REVIEWERS}
    for sub, held in {"ann": {RESEARCHERS}, "rae": both, "unsure-2": set[str]()}.items():
        with subtests.test(sub):
            client = Client()
            provider.sign_in(client, sub)
            person = person_in(client)
            assert (set(person.roles), person.is_staff) == (held, REVIEWERS in held)


def test_mapped_role_is_removed_with_its_group_and_other_roles_stay(
    provider: Provider, options: dict[str, Any], client: Client
) -> None:
    provider.sign_in(client, "ann")
    person = Person.objects.get(username="ann")
    for role in (RESEARCHERS, REVIEWERS):
        role_assignment.give_role(person, role, by=None)
    options.update(roles_claim="groups", reviewers=["board"])
    provider.sign_in(Client(), "ann")
    assert Person.objects.get(pk=person.pk).roles == {RESEARCHERS}


def test_openid_address_takes_over_no_account(provider: Provider, owner: Person, client: Client) -> None:
    answer = provider.sign_in(client, "eve")
    assert answer.status_code == 409
    assert "There is an account with your email address already" in answer.content.decode()
    assert (signed_in_person(client), SocialAccount.objects.count()) == (None, 0)


def test_trusted_provider_joins_an_account_ends_its_old_sessions_and_writes_to_both_addresses(
    provider: Provider, provider_is_trusted: None, owner: Person, client: Client, sent_emails: Letters
) -> None:
    owner.email = "Owner@example.org"
    owner.set_password(PASSWORD)
    owner.save()
    factors.add_app(owner, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    SocialAccount.objects.create(user=owner, provider="another", uid="eve")
    before, program = Client(), with_token(secret_of(owner))
    before.force_login(owner)
    link = reset_path(owner)
    provider.sign_in(client, "eve")
    assert signed_in_person(client) == owner
    assert History.objects.filter(what="accounts.provider-added", who=owner).count() == 1
    assert before.get("/app/account/").status_code == 302
    assert program.get("/api/1/surveys").status_code == 401
    owner.refresh_from_db()
    assert not owner.has_usable_password()
    assert not factors.has_factor(owner)
    assert list(SocialAccount.objects.values_list("provider", flat=True)) == ["campus"]
    assert "This link no longer works" in Client().get(link, follow=True).content.decode()
    assert {letter.to[0] for letter in sent_emails()} == {"Owner@example.org", "owner@example.org"}
    assert all("Campus" in letter.subject for letter in sent_emails())


def test_address_stated_by_a_trusted_provider_counts(
    provider: Provider, provider_is_trusted: None, client: Client
) -> None:
    provider.sign_in(client, "ann")
    person = person_in(client)
    assert (person.email, person.new_email) == ("ann@campus.example", "")


def test_address_unconfirmed_by_a_trusted_provider_joins_no_account(
    provider: Provider, provider_is_trusted: None, owner: Person, client: Client
) -> None:
    app = SocialApp(settings={"trust_email": True})
    assert is_address_trusted(app, {"email_verified": True})
    for said in (False, "false", "no", None, 0):
        assert not is_address_trusted(app, {"email_verified": said}), said
    assert provider.sign_in(client, "unsure").status_code == 409
    assert signed_in_person(client) is None


def test_address_nobody_confirmed_opens_no_account_of_another(
    provider: Provider, provider_is_trusted: None, options: dict[str, Any], client: Client, member: Person
) -> None:
    options.update(roles_claim="groups", researchers=["staff"], reviewers=["board"])
    attacker = Client()
    attacker.force_login(member)
    assert save(attacker, member, email="rae@campus.example", password=PASSWORD) == 302
    provider.sign_in(client, "rae")
    person, taken = signed_in_person(client), Person.objects.get(pk=member.pk)
    assert person not in (None, member)
    assert (taken.is_reviewer, taken.is_staff, taken.email) == (False, False, "researcher@example.org")


def test_provider_cannot_sign_in_the_break_glass_account(
    provider: Provider, provider_is_trusted: None, owner: Person, client: Client, settings: LazySettings
) -> None:
    settings.BREAK_GLASS_ACCOUNT = owner.username
    assert provider.sign_in(client, "eve").status_code == 409
    assert signed_in_person(client) is None


def test_openid_username_in_use_is_not_taken_over(provider: Provider, client: Client) -> None:
    unsaved_person("ann", is_superuser=True)
    provider.sign_in(client, "ann")
    person = person_in(client)
    assert (person.username == "ann", person.is_superuser) == (False, False)


def test_deactivated_person_cannot_sign_in_by_openid(provider: Provider, client: Client) -> None:
    provider.sign_in(client, "ann")
    Person.objects.update(is_active=False)
    another = Client()
    answer = provider.sign_in(another, "ann")
    assert (answer.status_code, signed_in_person(another)) == (403, None)


def test_openid_answer_works_once_and_in_its_own_browser(provider: Provider, client: Client) -> None:
    back = provider.visit(client, "ann")
    stranger = Client()
    assert (stranger.get(back).status_code, signed_in_person(stranger)) == (403, None)
    assert client.get(back).status_code == 302
    client.post("/app/account/sign-out")
    assert (client.get(back).status_code, signed_in_person(client)) == (403, None)


def change_claims(token: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    return lambda claims: claims.update(token)


def test_openid_token_for_another_audience_time_or_person_is_refused(
    provider: Provider, client: Client, subtests: pytest.Subtests
) -> None:
    for token in (
        {"aud": "another-site"},
        {"iss": "https://evil.example"},
        {"exp": 1_700_000_000},
        {"sub": "somebody-else"},
    ):
        with subtests.test(str(token)):
            provider.changes[:] = [change_claims(token)]
            answer = provider.sign_in(client, "ann")
            assert (answer.status_code, signed_in_person(client), Person.objects.count()) == (403, None, 0)
            assert "You are not signed in" in answer.content.decode()


def test_openid_token_without_the_providers_signature_is_refused(provider: Provider, client: Client) -> None:
    provider.changes.append(lambda claims: None)
    provider.secret = "x" * 32
    assert provider.sign_in(client, "ann").status_code == 403
    assert signed_in_person(client) is None
    provider.secret = ""
    provider.sign_in(client, "ann")
    assert signed_in_person(client) is not None


def test_openid_metadata_of_another_issuer_are_refused(
    provider: Provider, options: dict[str, Any], client: Client
) -> None:
    options["openid_configuration_overrides"] = {"issuer": "https://evil.example"}
    assert provider.sign_in(client, "ann").status_code == 503
    assert signed_in_person(client) is None


def test_openid_accepts_a_clock_five_minutes_off(provider: Provider) -> None:
    for seconds in (-300, 300):
        client = Client()
        provider.changes[:] = [token_clock_off(seconds)]
        assert provider.sign_in(client, "ann").status_code == 302, seconds
        assert signed_in_person(client) is not None, seconds


def test_password_sign_in_works_while_the_provider_is_down(
    provider: Provider, options: dict[str, Any], client: Client
) -> None:
    """Also one that goes down on the way."""
    back = provider.visit(client, "ann")
    options["server_url"] = "http://localhost:9"
    assert (client.get(back).status_code, signed_in_person(client)) == (503, None)
    answer = Client().get("/app/account/oidc/campus/sign-in")
    assert answer.status_code == 503
    assert "sign in with a password" in answer.content.decode()


def test_cancelling_at_the_provider_is_reported(provider: Provider, client: Client) -> None:
    start = client.get("/app/account/oidc/campus/sign-in")
    state = start.headers["Location"].partition("state=")[2].partition("&")[0]
    answer = client.get("/app/account/oidc/campus/back", {"error": "access_denied", "state": state})
    assert (answer.status_code, signed_in_person(client)) == (403, None)


def test_nobody_adds_a_provider_to_a_running_session(
    provider: Provider, client: Client, owner: Person
) -> None:
    client.force_login(owner)
    start = client.get("/app/account/oidc/campus/sign-in", {"process": "connect"})
    posted = requests.post(start.headers["Location"], data={"sub": "ann"}, allow_redirects=False, timeout=10)
    back = posted.headers["Location"].partition("testserver")[2]
    assert (client.get(back).status_code, SocialAccount.objects.count()) == (403, 0)


PROTECTED = "/app/account/second-factor/app"
CONFIRM = f"/app/account/confirm?next={PROTECTED}"


def test_silent_openid_sign_in_is_no_proof_of_presence(provider: Provider) -> None:
    for seconds in (None, 31 * 60):
        client = Client()
        provider.changes[:] = [asked_ago(seconds)]
        provider.sign_in(client, "ann")
        assert client.get(PROTECTED).headers["Location"].startswith("/app/account/confirm"), seconds


def test_openid_proof_is_dated_by_our_clock_at_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.providers.adapters.time.time", lambda: 10_000.0)
    cases: list[tuple[dict[str, Any], float]] = [
        ({"auth_time": 940, "iat": 1_000}, 9_940),
        ({"auth_time": 1_000, "iat": 1_000}, 10_000),
        ({"auth_time": 1_001, "iat": 1_000}, 10_000),
        ({"auth_time": "940", "iat": 1_000}, 0),
        ({"iat": 1_000}, 0),
        ({}, 0),
    ]
    for token, moment in cases:
        account = SocialAccount(extra_data={"id_token": token} if token else {})
        assert adapters.proof_time(SocialLogin(account=account)) == moment, token


def test_asking_the_provider_again_returns_to_the_page(provider: Provider) -> None:
    for skew in (-300, 0, 300):
        client = Client()
        provider.changes.clear()
        provider.sign_in(client, "ann")
        page = client.get(CONFIRM).content.decode()
        assert "auth_params=prompt%3Dlogin%26max_age%3D0" in page
        assert "<input" not in page.partition("<main")[2].partition("</main")[0]
        provider.changes.extend([token_clock_off(skew), asked_ago(0)])
        assert provider.sign_in(client, "ann", PROTECTED).headers["Location"] == PROTECTED, skew
        assert client.get(PROTECTED).status_code == 200, skew


def test_openid_answer_from_before_the_question_proves_nothing(provider: Provider, client: Client) -> None:
    provider.sign_in(client, "ann")
    for seconds in (None, 60):
        client.get(CONFIRM)
        before = client.session["proved"]
        provider.changes[:] = [asked_ago(seconds)]
        answer = provider.sign_in(client, "ann", PROTECTED)
        assert (answer.status_code, client.session["proved"]) == (403, before), seconds
        assert "Campus did not ask you again" in answer.content.decode()


def test_sign_in_page_offers_the_provider_but_not_to_password_only_people(
    provider: Provider, client: Client, member: Person
) -> None:
    page = client.get("/app/account/sign-in").content.decode()
    assert "Sign in with Campus" in page
    assert "/app/account/oidc/campus/sign-in" in page
    client.force_login(member)
    page = client.get("/app/account/confirm").content.decode()
    assert "Your password" in page
    assert "Sign in with Campus" not in page


def test_provider_secrets_are_in_no_admin_table(client: Client, superuser: Person) -> None:
    client.force_login(superuser)
    for model in (
        "account/emailaddress",
        "mfa/authenticator",
        "socialaccount/socialtoken",
        "socialaccount/socialaccount/add",
    ):
        assert client.get(f"/app/admin/{model}/").status_code == 404, model
    assert "Social" not in client.get("/app/admin/").content.decode()


def test_openid_addresses_are_missing_without_a_provider(client: Client) -> None:
    assert "Sign in with" not in client.get("/app/account/sign-in").content.decode()
    assert client.get("/app/account/oidc/campus/sign-in").status_code == 404
