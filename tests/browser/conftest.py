"""A real browser on the real product; every page it opens is watched for strangers and refusals."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    Request,
    ViewportSize,
    expect,
    sync_playwright,
)

from tests import servers
from tests.browser import sessions
from tests.browser.profiles import Profiles, profile
from tests.product import Product, product as start_product

__all__ = ["profile"]

# The same browser without the parts that draw its window, which cost half of the processor time.
HEADLESS = "/usr/bin/chromium-headless-shell"
PHONE: ViewportSize = {"width": 390, "height": 844}
AXE = Path(__file__).parent / "vendor" / "axe.min.js"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
REACHABLE = """() => [...document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [tabindex="0"]')].filter(e =>
        !e.disabled && e.tabIndex >= 0 && e.type !== 'hidden' && e.checkVisibility({visibilityProperty: true})
        && !(e.type === 'radio' && e !== (document.querySelector(`input[name="${e.name}"]:checked`)
             ?? document.querySelector(`input[name="${e.name}"]`)))).length"""
SETTLED = """() => Promise.all(document.getAnimations()
    .filter(a => a.effect.getComputedTiming().endTime < Infinity).map(a => a.finished.catch(() => null)))"""
WATCH_FOCUS = """() => {
    window.__focused = new Set();
    window.__unmarked = [];
    document.activeElement?.blur();
    window.scrollTo(0, 0);
    if (!window.__watched) addEventListener('focusin', ({target: e}) => {
        window.__focused.add(e);
        const l = e.closest('label') ?? document.querySelector(`label[for="${e.id}"]`);
        const shown = [e, l, l?.nextElementSibling, e.nextElementSibling].filter(Boolean).some(x => {
            const c = getComputedStyle(x);
            return (c.outlineStyle !== 'none' && parseFloat(c.outlineWidth) > 0) || c.boxShadow !== 'none'; });
        if (!shown) window.__unmarked.push(e.outerHTML.slice(0, 120));
    }, true);
    window.__watched = true;
    return REACHABLE();
}""".replace("REACHABLE", f"({REACHABLE})")
FOCUSED = "window.__last = document.activeElement; [window.__focused.size, window.__unmarked]"
# Colours fade in the admin.
FIND = f"""async ([within, rules, theme]) => {{
    if (!('axe' in window)) return null;
    if (theme) {{
        document.documentElement.dataset.theme = theme;
        await ({SETTLED})();
    }}
    const options = {{resultTypes: ['violations'], preload: false, ...rules}};
    return (await axe.run(within ?? document, options)).violations;
}}"""
# It draws words as it loads; where a test lists the page's words, these are not axe's.
LOAD = """window.__draws = crypto.getRandomValues; crypto.getRandomValues = to => to.fill(1);
%s;
crypto.getRandomValues = window.__draws; null"""
THEMES: dict[Literal["light", "dark"], dict[str, Any]] = {
    "light": {},
    "dark": {"runOnly": ["color-contrast", "link-in-text-block"]},
}
"""What axe looks for in each: all it knows, and what depends on colours, the one thing by which themes differ."""


# The browser's own word for whatever a policy stopped, Trusted Types included; some of it reaches no console.
VIOLATIONS = """addEventListener('securitypolicyviolation', event => console.error(
    `Content Security Policy: ${event.effectiveDirective} stopped ${event.blockedURI} ${event.sample}`))"""


class Visitor:
    """A page together with what must not have happened on it."""

    def __init__(self, page: Page, product: Product) -> None:
        self.page, self.product = page, product
        self.strangers: list[str] = []
        self.complaints: list[str] = []
        page.add_init_script(VIOLATIONS)
        page.on("request", self._request)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if (
            address.scheme not in ("data", "blob")
            and f"{address.scheme}://{address.netloc}" != self.product.url
        ):
            self.strangers.append(request.url)

    def _console(self, message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text or "Content-Security-Policy" in message.text:
            self.complaints.append(message.text)

    def go(self, path: str) -> Page:
        self.page.goto(self.product.url + path)
        return self.page

    def sign_in(self, role: str) -> Page:
        """In English, as a session's copy is."""
        name, password = self.product.passwords[role]
        sessions.preset(self.product.var / "candor.sqlite3", name)
        self.go("/account/sign-in")
        self.page.fill("input[name=username]", name)
        self.page.fill("input[name=password]", password)
        self.page.click("main button[type=submit]")
        self.page.wait_for_url(lambda address: "sign-in" not in address)
        return self.page

    def be_signed_in(self, role: str) -> None:
        """In English; by password the first time, then by a copy of that session: a password takes long to check."""
        known, database = self.product.cookies.get(role), self.product.var / "candor.sqlite3"
        sessions.preset(database, self.product.passwords[role][0])
        copies = sessions.copied(database, known) if known else []
        if copies:
            self.page.context.add_cookies(copies)
        else:
            self.sign_in(role)
            self.product.cookies[role] = self.page.context.cookies()

    def check(self, within: str | None = None) -> None:
        """axe, its rules of colours in both themes; no sideways scroll at 390 pixels; all reachable by keyboard."""
        page = self.page
        page.wait_for_load_state()
        for scheme, rules in THEMES.items():
            page.emulate_media(color_scheme=scheme)
            found = axe(page, within, rules, scheme)
            assert not found, f"{page.url} ({scheme}): {found}"
        fits_a_phone(page)
        if within is None:
            self.tab_through()

    def tab_through(self) -> None:
        page = self.page
        wanted, reached = page.evaluate(WATCH_FOCUS), 0
        left = 4 * wanted + 5  # a date alone takes four
        while reached < wanted and left > 0:
            presses = min(wanted - reached, left)
            for _ in range(presses):  # held down, which costs half
                page.keyboard.down("Tab")
            page.keyboard.up("Tab")
            left -= presses
            reached, unmarked = page.evaluate(FOCUSED)
            assert not unmarked, f"{page.url}: nothing shows that this has the focus: {unmarked}"
        assert reached >= wanted, f"{page.url}: {reached} of {wanted} controls can be reached with Tab"
        for _ in range(4):
            page.keyboard.press("Tab")
            if not page.evaluate("document.activeElement === window.__last"):
                return
        raise AssertionError(f"{page.url}: Tab does not leave the last control")

    def shoot(self, name: str) -> None:
        """Pictures for a person to look at, when SCREENSHOTS names a folder."""
        folder = os.environ.get("SCREENSHOTS")
        if not folder:
            return
        before = self.page.viewport_size
        for width in (390, 1280):
            for scheme in ("light", "dark"):
                self.page.set_viewport_size({"width": width, "height": 844 if width == 390 else 900})
                self.page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
                self.page.screenshot(path=f"{folder}/{name}-{width}-{scheme}.png", full_page=True)
        if before:
            self.page.set_viewport_size(before)


def fits_a_phone(page: Page) -> None:
    """Nothing scrolls sideways at 390 pixels."""
    before = page.viewport_size
    page.set_viewport_size(PHONE)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= PHONE["width"], f"{page.url} is {wide} pixels wide on a phone"
    if before:
        page.set_viewport_size(before)


def until(page: Page, expression: str) -> None:
    """Playwright's own way to wait has the page evaluate a string, which the policy forbids."""

    def holds() -> bool:
        try:
            return bool(page.evaluate(expression))
        except Error as error:
            if "context was destroyed" in error.message:  # the page is just going somewhere else
                return False
            raise

    servers.wait(holds, expression)


def unfold(page: Page, name: str) -> None:
    """Opens what a summary of this name folds away, if it is not open yet.

    It asks for the attribute, which stands in what was read: what is visible depends on styles that may still come.
    """
    details = page.locator("details").filter(has=page.locator("> summary", has_text=name))
    if details.get_attribute("open") is None:
        details.locator("> summary").click()


def axe(
    page: Page, within: str | None = None, rules: dict[str, Any] | None = None, theme: str | None = None
) -> list[str]:
    """What these rules find, all rules by default; the page is first put into the theme, if one is named."""
    found: Any = page.evaluate(FIND, [within, rules, theme])
    if found is None:
        page.evaluate(LOAD % AXE.read_text())
        found = page.evaluate(FIND, [within, rules, theme])
    return [f"{v['id']}: {[n['html'][:160] for n in v['nodes'][:4]]}" for v in found]


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with start_product(tmp_path_factory.mktemp("product")) as running:
        yield running


SUPERUSER = """
from accounts.models import Person
Person.objects.create_superuser("superuser", "superuser@example.org", "a long password 1")
"""


@pytest.fixture(scope="session")
def superuser(product: Product) -> str:
    """The role of somebody that the demonstration itself has not."""
    servers.manage(product.env, "shell", "--verbosity=0", "-c", SUPERUSER)
    product.others["superuser"] = ("superuser", "a long password 1")
    return "superuser"


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=HEADLESS, args=FLAGS)
        expect.set_options(timeout=servers.PATIENCE * 1000)
        yield browser
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


@pytest.fixture
def visit(profiles: Profiles, product: Product) -> Iterator[Visit]:
    """Open an empty browser profile, of somebody who is signed in where a role is named."""
    with ExitStack() as visitors:
        yield lambda role=None, **options: visitors.enter_context(
            somebody(profiles, product, role, **options)
        )
