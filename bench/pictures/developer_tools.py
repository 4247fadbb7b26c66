"""Pictures of Chromium's developer tools beside a survey: what a page fetches, and the one request that leaves.

The tools are themselves a page, which looks into another browser through its debugging port.
"""

import json
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, Playwright, ViewportSize, expect

from tests import servers

CHROMIUM = "/usr/bin/chromium"
"""The headless shell has no developer tools."""
TOOLS = "devtools://devtools/bundled/inspector.html?ws=127.0.0.1:{port}/devtools/page/{page}&panel=network"
WINDOW = ViewportSize(width=1000, height=520)
ROW = ".network-log-grid tr"


def request_pictures(
    playwright: Playwright, address: str, answer: Callable[[Page], None], send: Callable[[Page], None]
) -> Iterator[tuple[str, bytes]]:
    """Each picture with its name: the list after `answer`, and what the one request holds after `send`."""
    with watched(playwright) as (page, tools):
        page.goto(address)
        page.reload()
        expect(tools.locator(ROW).first).to_be_visible()
        answer(page)
        yield "developer-tools-list", tools.screenshot()
        send(page)
        tools.locator(f"{ROW} .name-column", has_text="record").last.click()
        tools.get_by_role("tab", name="Payload").click()
        yield "developer-tools-record", tools.screenshot()


@contextmanager
def watched(playwright: Playwright) -> Iterator[tuple[Page, Page]]:
    """A page, and the developer tools that watch it."""
    port = servers.free_port()
    flags = ["--no-sandbox", f"--remote-debugging-port={port}", "--remote-allow-origins=*"]
    with (
        playwright.chromium.launch(executable_path=CHROMIUM, args=flags) as seen,
        playwright.chromium.launch(executable_path=CHROMIUM, args=flags[:1]) as watching,
    ):
        page = seen.new_context(viewport=WINDOW).new_page()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as response:
            targets = json.load(response)
        (target,) = (of["id"] for of in targets if (of["type"], of["url"]) == ("page", page.url))
        tools = watching.new_context(viewport=WINDOW).new_page()
        tools.goto(TOOLS.format(port=port, page=target))
        tools.get_by_role("button", name="Toggle screencast").click()
        yield page, tools
