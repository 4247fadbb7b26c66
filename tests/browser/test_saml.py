"""People sign in by SAML in a real browser: the provider's page is another site, which sends the answer by a form."""

import warnings
from collections.abc import Iterator
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import cast

import pytest
from playwright.sync_api import Page, expect

from tests import servers
from tests.browser.profiles import Profiles
from tests.browser.signing_in import REFUSED, ask, is_signed_out, product_with, way_out
from tests.product import Product

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the provider's own libraries
    from tests.accounts.saml_provider import ENTITY, Attributes, Provider, clock_off

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore")]
PAGE = """<!doctype html><title>Campus</title><form method="post" action="{back}">
<input type="hidden" name="SAMLResponse" value="{answer}"><button>Continue as {who}</button></form>"""


class Campus(ThreadingHTTPServer):
    """The provider's pages: `/sso/` answers for whoever is `here`, `/again` with what it answered last."""

    def __init__(self, folder: Path) -> None:
        port = servers.free_port()
        self.site = f"http://idp.localhost:{port}"
        self.provider, self.here, self.page = Provider(folder, f"{self.site}/sso/"), "", ""
        super().__init__(("127.0.0.1", port), Answering)

    def answer(self, address: str) -> str:
        question = self.provider.question(self.site + address)
        attributes: Attributes = {"uid": self.here, "mail": f"{self.here}@campus.example"}
        made = self.provider.answer(question, f"id-of-{self.here}", attributes)
        return PAGE.format(back=escape(question.assertion_consumer_service_url), answer=made, who=self.here)


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
def site(tmp_path_factory: pytest.TempPathFactory, campus: Campus) -> Iterator[Product]:
    folder = tmp_path_factory.mktemp("saml")
    entry = {
        "protocol": "saml",
        "id": "campus",
        "name": "Campus",
        "entity_id": ENTITY,
        "sso_url": campus.provider.sso,
        "certificate": campus.provider.certificate,
        "attributes": {"username": "urn:oid:0.9.2342.19200300.100.1.1"},
    }
    with product_with(folder, entry) as product:
        campus.provider.start(product.ask("GET", "/account/saml/campus/metadata").text)
        yield product


@pytest.fixture
def page(profiles: Profiles, campus: Campus) -> Iterator[Page]:
    campus.here, campus.provider.change = "ann", str
    page = profiles.fresh()
    yield page
    page.context.close()


def come(page: Page, site: Product) -> None:
    ask(page, site, "Campus")
    page.get_by_role("button", name="Continue as").click()
    page.wait_for_url(f"{site.url}/**")


def test_by_saml_somebody_comes_in_and_goes(page: Page, site: Product) -> None:
    come(page, site)
    page.wait_for_url(f"{site.url}/account/home")
    way_out(page).click()
    assert is_signed_out(page, site)


def test_an_answer_of_saml_that_was_used_lets_nobody_in(page: Page, site: Product, campus: Campus) -> None:
    come(page, site)
    page.wait_for_url(f"{site.url}/account/home")
    page.context.clear_cookies()
    page.goto(f"{campus.site}/again")
    page.get_by_role("button", name="Continue as").click()
    expect(page.get_by_text(REFUSED)).to_be_visible()
    assert is_signed_out(page, site)


def test_an_answer_for_another_site_is_refused_and_a_clock_five_minutes_off_is_not(
    page: Page, site: Product, campus: Campus
) -> None:
    ours = f"{site.url}/account/saml/campus/metadata"
    campus.provider.change = lambda text: text.replace(f">{ours}<", ">https://another.example<")
    come(page, site)
    expect(page.get_by_text(REFUSED)).to_be_visible()
    assert is_signed_out(page, site)
    campus.provider.change = clock_off(300)
    come(page, site)
    assert not is_signed_out(page, site)


def test_somebody_unknown_to_saml_here_gets_an_account_without_a_role(
    page: Page, site: Product, campus: Campus
) -> None:
    campus.here = "never-seen"
    come(page, site)
    page.wait_for_url(f"{site.url}/account/home")
    refused = page.goto(f"{site.url}/surveys/new")
    assert refused
    assert refused.status == 403
