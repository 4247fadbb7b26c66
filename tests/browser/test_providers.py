"""People sign in by OpenID Connect in a real browser, with a real provider."""

import warnings
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.profiles import Profiles
from tests.browser.signing_in import REFUSED, ask, is_signed_out, product_with, way_out
from tests.product import Product

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of the provider's own libraries
    from tests.accounts.openid_provider import Provider, clock_off, running
    from tests.accounts.test_openid import USERS

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with running(USERS) as provider:
        yield provider


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> Iterator[Product]:
    """With two providers, one of which is down."""
    folder = tmp_path_factory.mktemp("providers")
    same = {"protocol": "openid_connect", "client_id": "candor", "secret": "x" * 20}
    addresses = {"campus": provider.url, "gone": "http://localhost:9"}
    entries = [
        {**same, "id": name, "name": name.title(), "server_url": url} for name, url in addresses.items()
    ]
    with product_with(folder, *entries) as product:
        yield product


@pytest.fixture
def page(profiles: Profiles, provider: Provider) -> Iterator[Page]:
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


def test_by_openid_connect_somebody_comes_in_and_goes(page: Page, site: Product) -> None:
    come(page, site)
    assert urlsplit(page.url).path == "/account/home"
    is_signed_in(page)
    signs_out(page, site)


@pytest.mark.release
def test_an_answer_of_openid_connect_that_was_used_lets_nobody_in(page: Page, site: Product) -> None:
    used: list[str] = []
    page.on("request", lambda request: used.append(request.url) if "/back?" in request.url else None)
    come(page, site)
    is_signed_in(page)
    signs_out(page, site)
    page.goto(used[0])
    expect(page.get_by_text(REFUSED)).to_be_visible()


@pytest.mark.release
def test_a_token_for_another_site_is_refused_and_a_clock_five_minutes_off_is_not(
    page: Page, site: Product, provider: Provider
) -> None:
    provider.changes.append(lambda token: token.update(aud="another-site"))
    come(page, site)
    expect(page.get_by_text(REFUSED)).to_be_visible()
    provider.changes[:] = [clock_off(300)]
    come(page, site)
    is_signed_in(page)


@pytest.mark.release
def test_somebody_unknown_here_gets_an_account_without_a_role(page: Page, site: Product) -> None:
    come(page, site, "never-seen-here")
    is_signed_in(page)
    answer = page.goto(f"{site.url}/surveys/new")
    assert answer
    assert answer.status == 403


def test_where_a_provider_is_down_the_page_offers_the_password(page: Page, site: Product) -> None:
    ask(page, site, "Gone")
    expect(
        page.get_by_role("link", name="Sign in with a password").or_(page.get_by_text("password"))
    ).to_be_visible()
