"""A real browser on the real product; every page it opens is watched for strangers and refusals."""

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, Playwright, expect, sync_playwright

from tests import servers
from tests.browser.answering import Asked, unanswered
from tests.browser.visiting import (
    FLAGS,
    HEADLESS,
    Draft,
    Make,
    Profiles,
    Visitor,
    maker,
    profile,
    shell,
    usual,
)
from tests.product import Product, product as start_product

__all__ = ["Draft", "Make", "Visitor"]  # beside its own names
_browsers: list[Browser] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Takes a picture of each page that is open where a test fails, and prints their paths with its failure."""
    report = yield
    if report.when == "call" and report.failed:
        pages = [page for browser in _browsers for context in browser.contexts for page in context.pages]
        folder = servers.ROOT / "var" / "screenshots"
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for number, page in enumerate(page for page in pages if page.url != "about:blank"):
            path = folder / f"{re.sub(r'[^A-Za-z0-9]+', '-', item.name)[:100]}-{number}.png"
            try:
                page.screenshot(path=path, timeout=10_000)
            except Error:  # the page is just going somewhere, or has crashed
                continue
            paths.append(f"{path} ({page.url})")
        if paths:
            report.sections.append(("screenshots", "\n".join(paths)))
    return report


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with start_product(tmp_path_factory.mktemp("product")) as running:
        yield running


SUPERUSER = 'Person.objects.create_superuser("superuser", "superuser@example.org", "a long password 1")'


@pytest.fixture(scope="session")
def superuser(product: Product) -> str:
    """The role of somebody that the demonstration itself has not."""
    shell(product, SUPERUSER)
    product.others["superuser"] = ("superuser", "a long password 1")
    return "superuser"


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """The one of this process: a second one cannot start beside it."""
    with sync_playwright() as running:
        expect.set_options(timeout=servers.PATIENCE * 1000)
        yield running


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    browser = playwright.chromium.launch(executable_path=HEADLESS, args=FLAGS)
    _browsers.append(browser)
    yield browser
    _browsers.remove(browser)
    browser.close()


@pytest.fixture(scope="session")
def profiles(chromium: Browser) -> Profiles:
    return Profiles(chromium)


@contextmanager
def somebody(
    profiles: Profiles, product: Product, role: str | None = None, *, used: bool = False, **options: Any
) -> Iterator[Visitor]:
    """In an empty browser profile, which others may have `used`, as it is for all who sign in.

    On leaving, nothing foreign was fetched and no policy was broken.
    """
    page = profiles.emptied(product.url, **options) if role or used else profiles.fresh(**options)
    visiting = Visitor(page, product)
    try:
        if role:
            visiting.be_signed_in(role)
        yield visiting
    finally:
        profiles.leave(page)
    assert visiting.strangers == []
    assert visiting.complaints == []


Visit = Callable[..., Visitor]
NewPage = Callable[..., Page]


@pytest.fixture
def new_page(chromium: Browser) -> Iterator[NewPage]:
    """A page of a fresh profile, for a test that listens on its line; nothing that it fetches is complained of."""
    with ExitStack() as contexts:
        yield lambda **options: contexts.enter_context(profile(chromium, **options)).new_page()


@pytest.fixture
def visit(profiles: Profiles, product: Product, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """Open an empty browser profile, of somebody who is signed in where a role is named.

    A file whose tests neither look for what is left behind nor go offline has USED_PROFILES: that a process has no
    network holds for all of its tabs.
    """
    used = getattr(request.module, "USED_PROFILES", False)
    with ExitStack() as visitors:
        yield lambda role=None, **options: visitors.enter_context(
            somebody(profiles, product, role, **{"used": used} | options)
        )


@pytest.fixture
def visitor(visit: Visit) -> Visitor:
    return visit()


@pytest.fixture
def robin(visit: Visit) -> Visitor:
    """A researcher."""
    return visit("researcher")


@pytest.fixture
def ruth(visit: Visit) -> Visitor:
    """A reviewer."""
    return visit("reviewer")


def _unanswered(name: str) -> Callable[[Product], Asked]:
    """One of SURVEYS that nobody has answered yet."""

    @pytest.fixture
    def survey(product: Product) -> Asked:
        return unanswered(product, name)

    return survey


short, fourteen, numbers, places = map(_unanswered, ("short", "fourteen", "numbers", "places"))
bands, invited = map(_unanswered, ("bands", "invited"))
mixture, sets, battery, understanding = map(_unanswered, ("mixture", "sets", "battery", "understanding"))


@pytest.fixture
def make(product: Product) -> Make:
    return maker(product)


@pytest.fixture
def draft(make: Make) -> Draft:
    return make(*usual())
