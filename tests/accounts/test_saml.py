"""Signing in by SAML, with a real provider."""

import base64
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount, SocialApp
from django.conf import LazySettings
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from accounts.models import RESEARCHERS, Person
from accounts.providers import saml_responses, saml_views
from config import sign_in_providers
from tests.accounts.identity_providers import (
    ENTITY,
    SSO,
    Attributes,
    ChangeAnswer,
    SAMLProvider as Provider,
    answer_clock_off,
    send,
    with_providers,
)
from tests.accounts.test_openid import CONFIRM, PROTECTED, person_in, signed_in_person

pytestmark = [pytest.mark.django_db, pytest.mark.page, pytest.mark.filterwarnings("ignore")]
ANN: Attributes = {
    "mail": "ann@campus.example",
    "displayName": "Ann Archer",
    "uid": "ann",
    "eduPersonAffiliation": ["staff"],
}
METADATA, BACK = "/app/account/saml/campus/metadata", "/app/account/saml/campus/back"


def browser() -> Client:
    """It names the site, as browsers do and Django's client does not."""
    return Client(HTTP_HOST="testserver")


@pytest.fixture
def client() -> Client:
    return browser()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Provider:
    return Provider(tmp_path_factory.mktemp("idp"))


@pytest.fixture
def entry(server: Provider) -> dict[str, Any]:
    """Of the file of providers, to be changed before the provider is asked."""
    return {
        "protocol": "saml",
        "id": "campus",
        "name": "Campus",
        "entity_id": ENTITY,
        "sso_url": SSO,
        "certificate": server.certificate,
        "attributes": {
            "username": "urn:oid:0.9.2342.19200300.100.1.1",
            "name": "urn:oid:2.16.840.1.113730.3.1.241",
        },
        "roles_claim": "urn:oid:1.3.6.1.4.1.5923.1.1.1.1",
        "researchers": ["staff"],
    }


@pytest.fixture
def provider(server: Provider, settings: LazySettings, entry: dict[str, Any]) -> Iterator[Provider]:
    with with_providers(settings, sign_in_providers.allauth_settings([entry]), "saml"):
        if server.server is None:
            server.start(browser().get(METADATA).content.decode())
        server.change, server.asked_ago, server.is_signed = str, 0, True
        yield server


def test_first_saml_sign_in_makes_an_account_with_the_role_of_its_attribute(
    provider: Provider, client: Client
) -> None:
    answer = provider.sign_in(client, "a-1", ANN, "/app/account/history")
    person = person_in(client)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/app/account/history")
    assert (person.username, person.name) == ("ann", "Ann Archer")
    assert (person.email, person.new_email) == ("", "ann@campus.example")
    assert person.roles == {RESEARCHERS}
    provider.sign_in(browser(), "a-1", ANN | {"eduPersonAffiliation": ["student"]})
    assert Person.objects.get().roles == frozenset()
    assert list(SocialAccount.objects.values_list("provider", "uid", "extra_data")) == [("campus", "a-1", {})]


def replace_in_answer(pattern: str, by: str) -> ChangeAnswer:
    def replace_pattern(text: str) -> str:
        changed, count = re.subn(pattern, by, text)
        assert count
        return changed

    return replace_pattern


WRONG = {
    "audience": replace_in_answer(r"(Audience>)[^<]+", r"\1https://another.example"),
    "every audience": replace_in_answer(r"<ns\d+:AudienceRestriction>.*</ns\d+:AudienceRestriction>", ""),
    "recipient": replace_in_answer(r'(Recipient=")[^"]+', r"\1https://another.example/"),
    "issuer": replace_in_answer(r"https://idp.example.org/saml", "https://evil.example"),
    "no question": replace_in_answer(r'(<ns\d+:SubjectConfirmationData [^>]*?) ?InResponseTo="[^"]+"', r"\1"),
    "unasked": replace_in_answer(r' InResponseTo="[^"]+"', ""),
    "transient": replace_in_answer(r"nameid-format:persistent", "nameid-format:transient"),
    "expired": answer_clock_off(-3600),
    "early": answer_clock_off(3600),
}


def test_saml_answer_for_another_audience_time_or_question_is_refused(
    provider: Provider, client: Client, subtests: pytest.Subtests
) -> None:
    for name, change in WRONG.items():
        with subtests.test(name):
            provider.change = change
            answer = provider.sign_in(client, "a-1", ANN)
            assert (answer.status_code, signed_in_person(client), Person.objects.count()) == (403, None, 0)
            assert "You are not signed in" in answer.content.decode()


def test_saml_accepts_a_clock_five_minutes_off(provider: Provider) -> None:
    for seconds in (-299, 299):
        client = browser()
        provider.change = answer_clock_off(seconds)
        assert provider.sign_in(client, "a-1", ANN).status_code == 302, seconds
        assert signed_in_person(client) is not None, seconds


def test_unsigned_or_altered_saml_answer_is_refused(provider: Provider, client: Client) -> None:
    provider.is_signed = False
    assert provider.sign_in(client, "a-1", ANN).status_code == 403
    provider.is_signed = True
    signed = base64.b64decode(provider.answer(provider.ask(client), "a-1", ANN)).decode()
    forged = base64.b64encode(signed.replace("a-1", "a-2").encode()).decode()
    assert (send(client, forged).status_code, signed_in_person(client)) == (403, None)
    assert send(client, "no base64 !").status_code == 403


def test_saml_answer_works_once_and_in_its_own_browser(provider: Provider, client: Client) -> None:
    answer = provider.answer(provider.ask(client), "a-1", ANN)
    assert send(client, answer).status_code == 302
    client.post("/app/account/sign-out")
    assert (send(client, answer).status_code, signed_in_person(client)) == (403, None)
    answer = provider.answer(provider.ask(client), "a-1", ANN)
    stranger = browser()
    assert (send(stranger, answer).status_code, signed_in_person(stranger)) == (403, None)


def answer_of_length(provider: Provider, client: Client, characters: int) -> str:
    """An answer to a question of ours, which is as long as that."""
    answer = base64.b64decode(provider.answer(provider.ask(client), "a-1", ANN))
    return base64.b64encode(answer + b" " * (characters * 3 // 4 - len(answer))).decode()


def test_unrequested_long_or_frequent_saml_answers_are_not_stored(
    provider: Provider, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor what the browser says of itself."""
    unasked = provider.answer(provider.ask(client), "a-1", ANN)
    saml_responses.use_up_request_id("campus", unasked)
    for answer in (unasked, answer_of_length(provider, client, 64_000), "", "A" * 300_000):
        assert client.post(BACK, {"SAMLResponse": answer, "RelayState": ""}).status_code == 403
    form = {"SAMLResponse": answer_of_length(provider, client, 63_800), "X": "y" * 100}
    waiting = client.post(BACK, form, headers={"user-agent": "x" * 5_000, "cookie": "a=b"})
    cookie = waiting.cookies[saml_views.COOKIE]
    assert waiting.status_code == 302
    assert (cookie["max-age"], cookie["httponly"], cookie["samesite"]) == (300, True, "Lax")
    monkeypatch.setattr(saml_views, "NETWORK_ANSWERS", 1)
    answer = provider.answer(provider.ask(client), "a-1", ANN)
    refused = client.post(BACK, {"SAMLResponse": answer})
    found = refused.status_code, refused["Content-Type"], refused["Retry-After"]
    assert found == (429, "text/plain; charset=utf-8", "300")
    stored = Session.objects.exclude(pk=client.session.session_key)
    (row,) = [row for row in stored if "request" in row.get_decoded()]
    assert row.expire_date <= timezone.now() + timedelta(minutes=5)
    assert len(row.session_data) < 100_000
    assert "x" * 5_000 not in row.get_decoded()["request"]


def test_saml_relay_state_redirects_nowhere(provider: Provider, client: Client) -> None:
    answer = provider.answer(provider.ask(client, "//evil.example"), "a-1", ANN)
    assert send(client, answer, "https://evil.example/").headers["Location"] == "/app/account/home"


def test_saml_address_takes_over_no_account(provider: Provider, owner: Person, client: Client) -> None:
    assert provider.sign_in(client, "a-1", ANN | {"mail": owner.email}).status_code == 409
    assert (signed_in_person(client), SocialAccount.objects.count()) == (None, 0)


def test_trusted_saml_provider_joins_a_confirmed_address_only(
    provider: Provider, settings: LazySettings, entry: dict[str, Any], member: Person, client: Client
) -> None:
    entry["trust_email"] = True
    settings.SOCIALACCOUNT_PROVIDERS = sign_in_providers.allauth_settings([entry])
    Person.objects.filter(pk=member.pk).update(new_email="waiting@campus.example")
    provider.sign_in(client, "a-1", ANN | {"mail": "waiting@campus.example"})
    assert signed_in_person(client) not in (None, member)
    joined = browser()
    provider.sign_in(joined, "a-2", ANN | {"mail": member.email})
    assert signed_in_person(joined) == member
    member.refresh_from_db()
    assert (member.has_usable_password(), member.new_email) == (False, "")


def test_saml_proof_of_presence_is_asked_again_at_the_provider(provider: Provider, client: Client) -> None:
    provider.asked_ago = 31 * 60
    provider.sign_in(client, "a-1", ANN)
    assert client.get(PROTECTED).headers["Location"].startswith("/app/account/confirm")
    client.get(CONFIRM)
    assert provider.sign_in(client, "a-1", ANN, PROTECTED).status_code == 403
    provider.asked_ago = 0
    assert provider.sign_in(client, "a-1", ANN, PROTECTED).headers["Location"] == PROTECTED
    assert client.get(PROTECTED).status_code == 200
    assert provider.was_forced[-3:] == [False, True, True]


def test_saml_provider_entered_in_the_admin_is_checked_like_the_file(
    provider: Provider, client: Client, settings: LazySettings
) -> None:
    apps = settings.SOCIALACCOUNT_PROVIDERS["saml"].pop("APPS")
    row = SocialApp.objects.create(provider="saml", **apps[0])
    row.settings["advanced"] = {"strict": False, "want_assertion_signed": False}
    row.save()
    provider.is_signed = False
    assert provider.sign_in(client, "a-1", ANN).status_code == 403
    provider.is_signed = True
    assert provider.sign_in(client, "a-1", ANN).status_code == 302
    SocialApp.objects.update(provider_id="")
    assert client.get(METADATA).status_code == 404
