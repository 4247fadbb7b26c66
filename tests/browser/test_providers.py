"""People sign in by a provider in a real browser: OpenID Connect and SAML, each by a real provider."""

import json
import warnings
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Route, expect
from saml2 import BINDING_HTTP_REDIRECT

from tests.browser.profiles import Profiles
from tests.product import Product, product as start_product

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the providers' own libraries
    from tests.people import openid_provider, saml_provider
    from tests.people.test_openid import USERS
    from tests.people.test_saml import ANN

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore")]
REFUSED = "You are not signed in"
SENDING = """<!doctype html><form method="post" action="{back}">
<input type="hidden" name="SAMLResponse" value="{answer}"><button>Go on</button></form>"""


@pytest.fixture(scope="module")
def openid() -> Iterator[openid_provider.Provider]:
    with openid_provider.running(USERS) as provider:
        yield provider


@pytest.fixture(scope="module")
def saml(tmp_path_factory: pytest.TempPathFactory) -> saml_provider.Provider:
    return saml_provider.Provider(tmp_path_factory.mktemp("idp"))


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory, openid: openid_provider.Provider, saml: saml_provider.Provider
) -> Iterator[Product]:
    folder = tmp_path_factory.mktemp("providers")
    of_openid = {"protocol": "openid_connect", "client_id": "candor", "secret": "x" * 20}
    of_saml = {
        "entity_id": saml_provider.ENTITY,
        "sso_url": saml_provider.SSO,
        "certificate": saml.certificate,
    }
    names = {"username": "urn:oid:0.9.2342.19200300.100.1.1"}
    providers = [
        {**of_openid, "id": "campus", "name": "Campus", "server_url": openid.url},
        {**of_openid, "id": "gone", "name": "Gone", "server_url": "http://localhost:9"},
        {"protocol": "saml", "id": "college", "name": "College", **of_saml, "attributes": names},
    ]
    file = folder / "providers.json"
    file.write_text(json.dumps(providers))
    file.chmod(0o600)
    with start_product(folder / "var", SIGN_IN_PROVIDERS=str(file)) as running:
        saml.start(running.ask("GET", "/account/saml/college/metadata").text)
        yield running


@pytest.fixture
def page(
    profiles: Profiles, openid: openid_provider.Provider, saml: saml_provider.Provider
) -> Iterator[Page]:
    openid.changes.clear()
    saml.change = str
    page = profiles.fresh()
    page.route("https://cdn.jsdelivr.net/**", lambda route: route.abort())
    yield page
    page.context.close()


def ask(page: Page, site: Product, name: str) -> None:
    page.goto(f"{site.url}/account/sign-in")
    page.get_by_role("link", name=name).click()


def come_by_openid(page: Page, site: Product, who: str = "ann") -> None:
    ask(page, site, "Campus")
    page.locator("input[name=sub]").first.fill(who)
    page.get_by_role("button", name="Authorize").click()


def come_by_saml(page: Page, site: Product, saml: saml_provider.Provider) -> list[str]:
    """The provider's page is served by this test, so that the browser posts from another site. Its answers."""
    answers: list[str] = []

    def provide(route: Route) -> None:
        (asked,) = parse_qs(urlsplit(route.request.url).query)["SAMLRequest"]
        question = saml.server.parse_authn_request(asked, BINDING_HTTP_REDIRECT).message
        answers.append(saml.answer(question, "a-1", ANN))
        form = SENDING.format(back=f"{site.url}/account/saml/college/back", answer=answers[-1])
        route.fulfill(content_type="text/html", body=form)

    page.route("https://idp.example.org/**", provide)
    ask(page, site, "College")
    page.get_by_role("button", name="Go on").click()
    return answers


def is_signed_in(page: Page) -> None:
    expect(
        page.get_by_role("button", name="Sign out").or_(page.get_by_role("link", name="Sign out"))
    ).to_be_visible()


def signs_out(page: Page, site: Product) -> None:
    page.get_by_role("button", name="Sign out").or_(page.get_by_role("link", name="Sign out")).click()
    page.goto(f"{site.url}/account/home")
    assert urlsplit(page.url).path == "/account/sign-in"


def test_by_openid_connect_somebody_comes_in_and_goes(page: Page, site: Product) -> None:
    come_by_openid(page, site)
    assert urlsplit(page.url).path == "/account/home"
    is_signed_in(page)
    signs_out(page, site)


def test_an_answer_of_openid_connect_that_was_used_lets_nobody_in(page: Page, site: Product) -> None:
    used: list[str] = []
    page.on("request", lambda request: used.append(request.url) if "/back?" in request.url else None)
    come_by_openid(page, site)
    is_signed_in(page)
    signs_out(page, site)
    page.goto(used[0])
    expect(page.get_by_text(REFUSED)).to_be_visible()


def test_a_token_for_another_site_is_refused_and_a_clock_five_minutes_off_is_not(
    page: Page, site: Product, openid: openid_provider.Provider
) -> None:
    openid.changes.append(lambda token: token.update(aud="another-site"))
    come_by_openid(page, site)
    expect(page.get_by_text(REFUSED)).to_be_visible()
    openid.changes[:] = [openid_provider.clock_off(300)]
    come_by_openid(page, site)
    is_signed_in(page)


def test_a_person_whom_the_provider_does_not_know_stays_there(page: Page, site: Product) -> None:
    come_by_openid(page, site, "nobody-it-knows")
    assert urlsplit(page.url).path != "/account/home"


def test_where_a_provider_is_down_the_page_offers_the_password(page: Page, site: Product) -> None:
    ask(page, site, "Gone")
    expect(
        page.get_by_role("link", name="Sign in with a password").or_(page.get_by_text("password"))
    ).to_be_visible()


def test_by_saml_somebody_comes_in_and_goes_and_the_same_answer_lets_nobody_in(
    page: Page, site: Product, saml: saml_provider.Provider
) -> None:
    (answer,) = come_by_saml(page, site, saml)
    assert urlsplit(page.url).path == "/account/home"
    is_signed_in(page)
    signs_out(page, site)
    again = SENDING.format(back=f"{site.url}/account/saml/college/back", answer=answer)
    page.route(
        "https://idp.example.org/again", lambda route: route.fulfill(content_type="text/html", body=again)
    )
    page.goto("https://idp.example.org/again")
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text(REFUSED)).to_be_visible()


def test_an_assertion_that_is_over_is_refused(
    page: Page, site: Product, saml: saml_provider.Provider
) -> None:
    saml.change = saml_provider.clock_off(-3600)
    come_by_saml(page, site, saml)
    expect(page.get_by_text(REFUSED)).to_be_visible()
