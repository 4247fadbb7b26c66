"""A passkey in a real browser, with the authenticator that Chromium has for tests."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visitor
from tests.product import Product

pytestmark = pytest.mark.browser

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def enter_password(page: Page, url: str, name: str, password: str) -> None:
    page.goto(f"{url}/account/sign-in")
    page.fill("input[name=username]", name)
    page.fill("input[name=password]", password)
    page.click("main button[type=submit]")


@pytest.mark.parametrize("language", ["en", "zh-Hans"])
def test_a_passkey_is_added_renamed_asked_for_and_removed(
    product: Product, chromium: Browser, language: str
) -> None:
    # A passkey belongs to a name; an address in numbers has none.
    url = product.url.replace("127.0.0.1", "localhost")
    name, password = product.passwords["reviewer"]
    with chromium.new_context(locale=language) as context:
        page = context.new_page()
        visitor = Visitor(page, product)
        devtools = context.new_cdp_session(page)
        devtools.send("WebAuthn.enable")
        devtools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
        enter_password(page, url, name, password)
        page.wait_for_url("**/account/home")

        page.goto(f"{url}/account/second-factor/passkey")
        visitor.check()
        visitor.shoot(f"passkey-add-{language}")
        page.click("main button[type=submit]")
        page.fill("input[name=name]", "This laptop")
        page.click("main button[type=submit]")
        expect(page.locator("main li code")).to_have_count(10)
        page.click("main .buttons a")
        expect(page.get_by_role("cell", name="This laptop", exact=True)).to_be_visible()
        visitor.check()
        visitor.shoot(f"passkey-list-{language}")
        page.locator("main td a").press("Enter")
        page.fill("input[name=name]", "Old laptop")
        visitor.check()
        visitor.shoot(f"passkey-rename-{language}")
        page.keyboard.press("Enter")
        expect(page.get_by_role("cell", name="Old laptop", exact=True)).to_be_visible()

        context.clear_cookies()
        enter_password(page, url, name, password)
        show = page.locator("main form:has(input[name=credential]) button")
        expect(show).to_be_visible()
        visitor.check()
        visitor.shoot(f"passkey-asked-{language}")
        show.click()
        page.wait_for_url("**/account/home")

        page.goto(f"{url}/account/second-factor")
        page.click("main td button.danger")
        page.wait_for_url("**/account/confirm?*")
        visitor.check()
        visitor.shoot(f"passkey-confirm-{language}")
        show.click()
        page.wait_for_url("**/account/second-factor")
        page.click("main td button.danger")
        expect(page.get_by_role("table")).to_have_count(0)
        assert visitor.complaints == []
