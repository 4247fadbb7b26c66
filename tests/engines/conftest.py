"""A respondent's or a researcher's window in each engine; where a test fails, a picture of it."""

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tests import servers
from tests.browser.conftest import product
from tests.engines.webdriver import ENGINES, PHONE, Driver, Failure, Page

__all__ = ["product"]
Visit = Callable[..., Any]
"""Opens a window; its page is written `Any`, since it stands for Playwright's."""

_pages: list[Page] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call" and report.failed:
        folder = servers.ROOT / "var" / "screenshots"
        folder.mkdir(parents=True, exist_ok=True)
        for number, page in enumerate(_pages):
            path = folder / f"{re.sub(r'[^A-Za-z0-9]+', '-', item.name)[:100]}-{number}.png"
            with suppress(Failure):  # the browser may be gone
                page.screenshot(path)
                report.sections.append(
                    ("screenshot", f"{path} ({page.url}) {page.driver.console_messages()}")
                )
    return report


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> type[Driver]:
    return ENGINES[request.param]


@contextmanager
def window(engine: type[Driver], folder: Path, language: str, size: tuple[int, int]) -> Iterator[Page]:
    """On leaving, the console has said nothing."""
    driver = engine(folder, language, size)
    page = Page(driver)
    _pages.append(page)
    try:
        yield page
        said = driver.console_messages()
    finally:
        _pages.remove(page)
        driver.quit()
    assert said == []


@pytest.fixture
def visit(engine: type[Driver], tmp_path: Path) -> Iterator[Visit]:
    with ExitStack() as windows:

        def visit(language: str = "en", size: tuple[int, int] = PHONE) -> Page:
            folder = tmp_path / f"profile-{len(list(tmp_path.glob('profile-*')))}"
            return windows.enter_context(window(engine, folder, language, size))

        yield visit
