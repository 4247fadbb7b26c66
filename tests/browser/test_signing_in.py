"""People sign in by a passkey, by OpenID Connect and by SAML, with real providers."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import servers
from tests.accounts.identity_providers import (
    ENTITY,
    Attributes,
    OpenIDProvider,
    SAMLProvider,
    answer_clock_off,
    running,
    token_clock_off,
)
from tests.accounts.test_openid import USERS
from tests.browser.visiting import Profiles
from tests.product import Product, product

pytestmark = [
    pytest.mark.browser,
    pytest.mark.night(smaller="browser/test_journeys.py"),
    pytest.mark.filterwarnings("ignore"),  # of the providers' own libraries
]
AUTHENTICATOR = {"protocol": "ctap2", "transport": "internal"} | dict.fromkeys(
    ("hasUserVerification", "isUserVerified", "automaticPresenceSimulation"), True
)


REFUSED = "You are not signed in"


@contextmanager
def product_with(folder: Path, *entries: dict[str, Any]) -> Iterator[Product]:
    """These are the entries of its file of providers."""
    file = folder / "providers.json"
    file.write_text(json.dumps(entries))
    file.chmod(0o600)
    with product(folder / "var", SIGN_IN_PROVIDERS=str(file)) as running:
        yield running


def ask(page: Page, site: Product, name: str) -> None:
    """Go to the provider of this name."""
    page.goto(f"{site.url}/app/account/sign-in")
    page.get_by_role("link", name=name).click()


def way_out(page: Page) -> Locator:
    return page.get_by_role("button", name="Sign out").or_(page.get_by_role("link", name="Sign out"))


def is_signed_out(page: Page, site: Product) -> bool:
    page.goto(f"{site.url}/app/account/home")
    return urlsplit(page.url).path == "/app/account/sign-in"


# --- People sign in by OpenID Connect in a real browser, with a real provider


@pytest.fixture(scope="module")
def provider() -> Iterator[OpenIDProvider]:
    with running(USERS) as provider:
        yield provider


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, provider: OpenIDProvider) -> Iterator[Product]:
    """With two providers, one of which is down."""
    folder = tmp_path_factory.mktemp("providers")
    same = {"protocol": "openid_connect", "client_id": "candor", "secret": "x" * 20}
    addresses = {"campus": provider.url, "gone": "http://localhost:9"}
    entries = ({"id": name, "name": name.title(), "server_url": url} for name, url in addresses.items())
    with product_with(folder, *(same | entry for entry in entries)) as product:
        yield product


@pytest.fixture
def page(profiles: Profiles, provider: OpenIDProvider) -> Iterator[Page]:
    provider.changes.clear()
    page = profiles.fresh()
    # The provider's own page has a style sheet from elsewhere.
    page.route("https://cdn.jsdelivr.net/**", lambda route: route.abort())
    yield page
    page.context.close()


def come(page: Page, site: Product, who: str = "ann") -> None:
    ask(page, site, "Campus")
    page.locator("input[name=sub]").first.fill(who)
    page.get_by_role("button", name="Authorize").click()


def is_signed_in(page: Page) -> None:
    expect(way_out(page)).to_be_visible()


def signs_out(page: Page, site: Product) -> None:
    way_out(page).click()
    assert is_signed_out(page, site)


def has_no_role(page: Page, site: Product) -> None:
    answer = page.goto(f"{site.url}/app/surveys/new")
    assert answer
    assert answer.status == 403


def test_by_openid_connect_somebody_comes_in_and_goes(page: Page, site: Product) -> None:
    come(page, site)
    assert urlsplit(page.url).path == "/app/account/home"
    is_signed_in(page)
    signs_out(page, site)


def test_a_used_answer_of_openid_connect_lets_nobody_in(page: Page, site: Product) -> None:
    used: list[str] = []
    page.on("request", lambda request: used.append(request.url) if "/back?" in request.url else None)
    come(page, site)
    is_signed_in(page)
    signs_out(page, site)
    page.goto(used[0])
    expect(page.get_by_text(REFUSED)).to_be_visible()


def test_a_token_for_another_site_is_refused_and_a_clock_five_minutes_off_is_not(
    page: Page, site: Product, provider: OpenIDProvider
) -> None:
    provider.changes.append(lambda token: token.update(aud="another-site"))
    come(page, site)
    expect(page.get_by_text(REFUSED)).to_be_visible()
    provider.changes[:] = [token_clock_off(300)]
    come(page, site)
    is_signed_in(page)


def test_somebody_unknown_here_gets_an_account_without_a_role(page: Page, site: Product) -> None:
    come(page, site, "never-seen-here")
    is_signed_in(page)
    has_no_role(page, site)


def test_where_a_provider_is_down_the_page_offers_the_password(page: Page, site: Product) -> None:
    ask(page, site, "Gone")
    link = page.get_by_role("link", name="Sign in with a password")
    expect(link.or_(page.get_by_text("password"))).to_be_visible()


# --- People sign in by SAML in a real browser

SAML_PAGE = """<!doctype html><title>Campus</title><form method="post" action="{back}">
<input type="hidden" name="SAMLResponse" value="{answer}"><button>Continue as {who}</button></form>"""


class Campus(ThreadingHTTPServer):
    """The provider's pages: `/sso/` answers for whoever is `here`, `/again` with what it answered last."""

    def __init__(self, folder: Path) -> None:
        port = servers.free_port()
        self.site = f"http://idp.localhost:{port}"
        self.provider, self.here, self.page = SAMLProvider(folder, f"{self.site}/sso/"), "", ""
        super().__init__(("127.0.0.1", port), Answering)

    def answer(self, address: str) -> str:
        question = self.provider.question(self.site + address)
        attributes: Attributes = {"uid": self.here, "mail": f"{self.here}@campus.example"}
        made = self.provider.answer(question, f"id-of-{self.here}", attributes)
        back = escape(question.assertion_consumer_service_url)
        return SAML_PAGE.format(back=back, answer=made, who=self.here)


class Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        campus = cast("Campus", self.server)
        if self.path.startswith("/sso/"):
            campus.page = campus.answer(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(campus.page.encode())

    def log_request(self, *told: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def campus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Campus]:
    with Campus(tmp_path_factory.mktemp("idp")) as campus:
        Thread(target=campus.serve_forever, daemon=True).start()
        yield campus
        campus.shutdown()


@pytest.fixture(scope="module")
def saml_site(tmp_path_factory: pytest.TempPathFactory, campus: Campus) -> Iterator[Product]:
    folder = tmp_path_factory.mktemp("saml")
    entry = {"protocol": "saml", "id": "campus", "name": "Campus", "entity_id": ENTITY}
    entry |= {"sso_url": campus.provider.sso, "certificate": campus.provider.certificate}
    attributes = {"username": "urn:oid:0.9.2342.19200300.100.1.1"}
    with product_with(folder, {**entry, "attributes": attributes}) as product:
        campus.provider.start(product.ask("GET", "/app/account/saml/campus/metadata").text)
        yield product


@pytest.fixture
def saml_page(profiles: Profiles, campus: Campus) -> Iterator[Page]:
    campus.here, campus.provider.change = "ann", str
    saml_page = profiles.fresh()
    yield saml_page
    saml_page.context.close()


def come_by_saml(saml_page: Page, saml_site: Product) -> None:
    ask(saml_page, saml_site, "Campus")
    saml_page.get_by_role("button", name="Continue as").click()
    saml_page.wait_for_url(f"{saml_site.url}/**")


def test_by_saml_somebody_comes_in_and_goes(saml_page: Page, saml_site: Product) -> None:
    come_by_saml(saml_page, saml_site)
    saml_page.wait_for_url(f"{saml_site.url}/app/account/home")
    signs_out(saml_page, saml_site)


def test_a_used_answer_of_saml_lets_nobody_in(saml_page: Page, saml_site: Product, campus: Campus) -> None:
    come_by_saml(saml_page, saml_site)
    saml_page.wait_for_url(f"{saml_site.url}/app/account/home")
    saml_page.context.clear_cookies()
    saml_page.goto(f"{campus.site}/again")
    saml_page.get_by_role("button", name="Continue as").click()
    expect(saml_page.get_by_text(REFUSED)).to_be_visible()
    assert is_signed_out(saml_page, saml_site)


def test_an_answer_for_another_site_is_refused_and_a_clock_five_minutes_off_is_not(
    saml_page: Page, saml_site: Product, campus: Campus
) -> None:
    ours = f"{saml_site.url}/app/account/saml/campus/metadata"
    campus.provider.change = lambda text: text.replace(f">{ours}<", ">https://another.example<")
    come_by_saml(saml_page, saml_site)
    expect(saml_page.get_by_text(REFUSED)).to_be_visible()
    assert is_signed_out(saml_page, saml_site)
    campus.provider.change = answer_clock_off(300)
    come_by_saml(saml_page, saml_site)
    assert not is_signed_out(saml_page, saml_site)


def test_by_saml_a_new_person_gets_no_role(saml_page: Page, saml_site: Product, campus: Campus) -> None:
    campus.here = "never-seen"
    come_by_saml(saml_page, saml_site)
    saml_page.wait_for_url(f"{saml_site.url}/app/account/home")
    has_no_role(saml_page, saml_site)
