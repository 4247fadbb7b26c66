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


def test_a_passkey_is_added_renamed_asked_for_and_removed(product: Product, chromium: Browser) -> None:
    # A passkey belongs to a name; an address in numbers has none.
    url = product.url.replace("127.0.0.1", "localhost")
    name, password = product.passwords["reviewer"]
    with chromium.new_context(locale="en") as context:
        page = context.new_page()
        visitor = Visitor(page, product)
        devtools = context.new_cdp_session(page)
        devtools.send("WebAuthn.enable")
        devtools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
        enter_password(page, url, name, password)
        page.wait_for_url("**/account/home")

        page.goto(f"{url}/account/second-factor/passkey")
        visitor.check()
        visitor.shoot("passkey-add")
        page.click("main button[type=submit]")
        page.fill("input[name=name]", "This laptop")
        page.click("main button[type=submit]")
        expect(page.locator("main li code")).to_have_count(10)
        page.click("text=I have them")
        expect(page.get_by_role("cell", name="This laptop", exact=True)).to_be_visible()
        visitor.check()
        visitor.shoot("passkey-list")
        page.get_by_role("link", name="Rename This laptop").press("Enter")
        page.get_by_label("Name").fill("Old laptop")
        visitor.check()
        visitor.shoot("passkey-rename")
        page.keyboard.press("Enter")
        expect(page.get_by_text("The passkey is renamed.")).to_be_visible()

        context.clear_cookies()
        enter_password(page, url, name, password)
        button = page.get_by_role("button", name="Use a passkey")
        expect(button).to_be_visible()
        visitor.check()
        visitor.shoot("passkey-asked")
        button.click()
        page.wait_for_url("**/account/home")

        page.goto(f"{url}/account/second-factor")
        page.get_by_role("button", name="Remove Old laptop").click()
        expect(page.get_by_text("The passkey is removed.")).to_be_visible()
        expect(page.get_by_role("table")).to_have_count(0)
        assert visitor.complaints == []
