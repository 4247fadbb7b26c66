"""People come in and go by OpenID Connect and by SAML, with real providers in a real browser.

What a wrong answer of a provider leads to is tested in tests/accounts.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from tests import servers
from tests.accounts.identity_providers import ENTITY, SAMLProvider, run_oidc
from tests.accounts.test_openid import USERS
from tests.browser.visiting import Profiles
from tests.product import Product, product

pytestmark = [
    pytest.mark.browser,
    pytest.mark.night(smaller="browser/test_journeys.py"),
    pytest.mark.filterwarnings("ignore"),  # of the providers' own libraries
]


@contextmanager
def product_with(folder: Path, entry: dict[str, Any]) -> Iterator[Product]:
    """Its file of providers has this entry."""
    file = folder / "providers.json"
    file.write_text(json.dumps([{"id": "campus", "name": "Campus"} | entry]))
    file.chmod(0o600)
    with product(folder / "var", SIGN_IN_PROVIDERS=str(file)) as running:
        yield running


@pytest.fixture
def page(profiles: Profiles) -> Iterator[Page]:
    page = profiles.new_profile_page()
    # The provider's own page has a style sheet from elsewhere.
    page.route("https://cdn.jsdelivr.net/**", lambda route: route.abort())
    yield page
    page.context.close()


def ask_provider(page: Page, site: Product) -> None:
    page.goto(f"{site.url}/app/account/sign-in")
    page.get_by_role("link", name="Campus").click()


def is_signed_in_and_goes(page: Page, site: Product) -> None:
    page.wait_for_url(f"{site.url}/app/account/home")
    page.get_by_role("button", name="Sign out").or_(page.get_by_role("link", name="Sign out")).click()
    page.goto(f"{site.url}/app/account/home")
    assert urlsplit(page.url).path == "/app/account/sign-in"


def test_person_signs_in_and_out_by_openid_connect(page: Page, tmp_path: Path) -> None:
    entry = {"protocol": "openid_connect", "client_id": "candor", "secret": "x" * 20}
    with run_oidc(USERS) as provider, product_with(tmp_path, entry | {"server_url": provider.url}) as site:
        ask_provider(page, site)
        page.locator("input[name=sub]").first.fill("ann")
        page.get_by_role("button", name="Authorize").click()
        is_signed_in_and_goes(page, site)


# --- by SAML

SAML_PAGE = """<!doctype html><title>Campus</title><form method="post" action="{back}">
<input type="hidden" name="SAMLResponse" value="{answer}"><button>Continue as ann</button></form>"""


class Campus(ThreadingHTTPServer):
    """The page of a provider at which ann is signed in."""

    def __init__(self, folder: Path) -> None:
        port = servers.free_port()
        self.site = f"http://idp.localhost:{port}"
        self.provider = SAMLProvider(folder, f"{self.site}/sso/")
        super().__init__(("127.0.0.1", port), Answering)


class Answering(servers.HTTPHandler):
    def do_GET(self) -> None:
        campus = cast("Campus", self.server)
        page = ""
        if self.path.startswith("/sso/"):
            question = campus.provider.read_request(campus.site + self.path)
            attributes: dict[str, str | list[str]] = {"uid": "ann", "mail": "ann@campus.example"}
            answer = campus.provider.answer(question, "id-of-ann", attributes)
            back = escape(question.assertion_consumer_service_url)
            page = SAML_PAGE.format(back=back, answer=answer)
        self.send(page.encode(), Content_Type="text/html")


def test_person_signs_in_and_out_by_saml(page: Page, tmp_path: Path) -> None:
    with servers.serve(campus := Campus(tmp_path)):
        entry = {"protocol": "saml", "entity_id": ENTITY, "sso_url": campus.provider.sso}
        entry |= {"certificate": campus.provider.certificate}
        attributes = {"username": "urn:oid:0.9.2342.19200300.100.1.1"}
        with product_with(tmp_path, {**entry, "attributes": attributes}) as site:
            campus.provider.start(site.ask("GET", "/app/account/saml/campus/metadata").text)
            ask_provider(page, site)
            page.get_by_role("button", name="Continue as").click()
            is_signed_in_and_goes(page, site)
