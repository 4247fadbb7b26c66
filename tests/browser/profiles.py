"""Browser profiles: fresh ones, and some for one visitor after the other, emptied in between.

A fresh profile starts two processes, which compile and fetch everything anew. One that is used again keeps its process
warm: beside each visitor's tab another one stays open, which the visitor's tab is opened from. That is for those who
sign in. What a respondent's browser keeps, and where its way back leads, is seen in fresh profiles.
"""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, BrowserContext, CDPSession, Error, Page, ViewportSize

from tests import servers

LAPTOP: ViewportSize = {"width": 1280, "height": 900}
NATIVE_CLOCK = "() => /native code/.test(Date.now)"


def profile(browser: Browser, **options: Any) -> BrowserContext:
    """A fresh browser profile, patient with a busy machine."""
    context = browser.new_context(**options)
    context.set_default_timeout(servers.PATIENCE * 1000)
    return context


@dataclass
class Kept:
    """One that is used again, for the product at this address."""

    address: str
    context: BrowserContext
    opener: Page
    line: CDPSession


class Profiles:
    """The profiles of one browser."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self._idle: list[Kept] = []
        self._busy: dict[BrowserContext, Kept] = {}

    def fresh(self, **options: Any) -> Page:
        return profile(self.browser, **{"viewport": LAPTOP} | options).new_page()

    def emptied(self, address: str, **options: Any) -> Page:
        """A tab in a profile that others may have used; it is a fresh one where more than a window's size is asked."""
        size: ViewportSize = options.get("viewport", LAPTOP)
        if options.keys() - {"viewport"}:
            return self.fresh(**options)
        kept = next((kept for kept in reversed(self._idle) if kept.address == address), None)
        if kept:
            self._idle.remove(kept)
        else:
            kept = self._made(address)
        self._busy[kept.context] = kept
        with kept.opener.expect_popup() as opened:
            kept.opener.evaluate("void open()")
        page = opened.value
        if size != LAPTOP:
            page.set_viewport_size(size)
        return page

    def leave(self, page: Page) -> None:
        kept = self._busy.pop(page.context, None)
        if kept and self._empty(kept):
            self._idle.append(kept)
        else:
            page.context.close()

    def _made(self, address: str) -> Kept:
        context = profile(self.browser, viewport=LAPTOP)
        opener = context.new_page()
        opener.goto(f"{address}/limits")
        context.clear_cookies()
        return Kept(address, context, opener, context.new_cdp_session(opener))

    def _empty(self, kept: Kept) -> bool:
        """Whether the next visitor finds nothing of this one: a clock that a test has put in stays in the profile."""
        pages = [page for page in kept.context.pages if page != kept.opener]
        try:
            native = all(page.evaluate(NATIVE_CLOCK) for page in pages)
        except Error:  # the page has crashed or is just going somewhere
            return False
        if not native or not pages:
            return False
        for page in pages:
            page.close()
        kept.context.unroute_all()
        kept.context.set_offline(False)
        kept.context.clear_cookies()
        kept.line.send("Storage.clearDataForOrigin", {"origin": kept.address, "storageTypes": "all"})
        return True
