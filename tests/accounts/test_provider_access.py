"""Who gets what at each address of a provider: everybody the same, for they are where one is not signed in yet."""

from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.test import Client, RequestFactory

from accounts.models import Person
from accounts.providers.adapters import AccountAdapter
from config import sign_in_providers
from tests.accounts.identity_providers import own_urls, with_providers
from tests.cast import As

pytestmark = [pytest.mark.django_db, pytest.mark.page]

METHODS = ("get", "post", "put", "delete")
EXPECTED = {
    "openid_connect_login": (503, 405, 405, 405),  # the provider of this test does not answer
    "openid_connect_callback": (403, 405, 405, 405),
    "saml_login": (302, 405, 405, 405),
    "saml_acs": (405, 403, 405, 405),
    "saml_finish_acs": (403, 405, 405, 405),
    "saml_metadata": (200, 405, 405, 405),
    "saml_sls": (404, 404, 404, 404),
}
SAML = {
    "entity_id": "https://idp.example.org",
    "sso_url": "https://idp.example.org/sso",
    "certificate": "QUJD",
}
OPENID = {"server_url": "http://localhost:9", "client_id": "candor", "secret": "x"}


def test_account_creation_is_closed_without_a_provider(rf: RequestFactory) -> None:
    assert not AccountAdapter().is_open_for_signup(rf.get("/"))


@pytest.fixture
def _providers(settings: LazySettings) -> Iterator[None]:
    entries = [
        {"protocol": "saml", "id": "campus", "name": "Campus", **SAML},
        {"protocol": "openid_connect", "id": "login", "name": "Login", **OPENID},
    ]
    with with_providers(settings, sign_in_providers.allauth_settings(entries), "saml", "openid_connect"):
        yield


def addresses(provider: str) -> dict[str, str]:
    """Those that are served, by name."""
    return {
        str(pattern.name): "/app/account/" + str(pattern.pattern).replace(kind, provider)
        for pattern in own_urls
        for kind in ("<slug:provider_id>", "<slug:organization_slug>")
        if kind in str(pattern.pattern)
    }


@pytest.mark.usefixtures("_providers")
def test_provider_pages_answer_everybody_alike_and_change_nobody(
    signed_in_as: As, stranger: Person, researcher: Person, reviewer: Person, superuser: Person
) -> None:
    openid, saml = addresses("login"), addresses("campus")
    wrong = []
    for person in (None, stranger, researcher, reviewer, superuser):
        client: Client = signed_in_as(person)
        client.defaults["HTTP_HOST"] = "testserver"
        before = client.session.get("_auth_user_id")
        for name in openid:
            address = (openid if name.startswith("openid") else saml)[name]
            statuses = tuple(getattr(client, method)(address).status_code for method in METHODS)
            if statuses != EXPECTED[name] or client.session.get("_auth_user_id") != before:
                wrong.append((person, name, statuses))
    assert wrong == []
    assert Person.objects.count() == 4


@pytest.mark.usefixtures("_providers")
def test_provider_that_is_not_configured_has_no_address(client: Client) -> None:
    for name, address in addresses("nowhere").items():
        method = client.post if name == "saml_acs" else client.get
        assert method(address).status_code == 404, name
