"""What journeys through providers share: a product that has them, and whether somebody is signed in there."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page

from tests.product import Product, product

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
    page.goto(f"{site.url}/account/sign-in")
    page.get_by_role("link", name=name).click()


def way_out(page: Page) -> Locator:
    return page.get_by_role("button", name="Sign out").or_(page.get_by_role("link", name="Sign out"))


def is_signed_out(page: Page, site: Product) -> bool:
    page.goto(f"{site.url}/account/home")
    return urlsplit(page.url).path == "/account/sign-in"
