"""Browser profiles, the pages that people open in them, and what must hold on each of these pages.

A fresh profile starts two processes, which compile and fetch everything anew. One that is used again keeps its process
warm: beside each visitor's tab another one stays open, which the visitor's tab is opened from. That is for those who
sign in. What a respondent's browser keeps, and where its way back leads, is seen in fresh profiles.
"""

import json
import mimetypes
import re
import secrets
import sqlite3
import string
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from django.conf import settings
from playwright.sync_api import (
    Browser,
    BrowserContext,
    CDPSession,
    ConsoleMessage,
    Cookie,
    Error,
    FloatRect,
    Locator,
    Page,
    Request,
    ViewportSize,
    expect,
)

from tests import servers
from tests.product import Product
from tests.surveys.drafts import options, plain, question, sensitive, stored_draft

CHROMIUM = "/usr/bin/chromium"
"""The full build, with all that a profile keeps, History and Sessions among it."""
# The same browser without the parts that draw its window, which cost half of the processor time.
HEADLESS = "/usr/bin/chromium-headless-shell"
PHONE: ViewportSize = {"width": 390, "height": 844}
AXE = Path(__file__).parent / "vendor" / "axe.min.js"
FLAGS = [
    "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-quic", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
REACHABLE = """() => [...document.querySelectorAll(
    'a[href], button, input, select, textarea, summary, [tabindex="0"]')].filter(e =>
        !e.disabled && e.tabIndex >= 0 && e.type !== 'hidden' && e.checkVisibility({visibilityProperty: true})
        && !(e.type === 'radio' && e !== (document.querySelector(`input[name="${e.name}"]:checked`)
             ?? document.querySelector(`input[name="${e.name}"]`))))"""
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
    return REACHABLE().length;
}""".replace("REACHABLE", f"({REACHABLE})")
MISSED = f"({REACHABLE})().filter(e => !window.__focused.has(e)).map(e => e.outerHTML.slice(0, 120))"
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
ZOOMED: ViewportSize = {"width": 320, "height": 256}
"""A window of 1,280 by 1,024 pixels at 400 %."""
COVERING = """() => [...document.querySelectorAll("body *")]
    .filter(e => e.checkVisibility() && ["fixed", "sticky"].includes(getComputedStyle(e).position))
    .filter(e => { const r = e.getBoundingClientRect();
        return r.width > innerWidth / 2 && Math.min(r.bottom, innerHeight) - Math.max(r.top, 0) > innerHeight / 2; })
    .map(e => e.outerHTML.slice(0, 120))"""
INVISIBLE = """() => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.setProperty("color", "Canvas");
    const ground = getComputedStyle(probe).color;
    probe.remove();
    const says = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    return [...document.querySelectorAll("body *")]
        .filter(e => says(e) && e.checkVisibility({visibilityProperty: true}) && !e.closest("svg, noscript"))
        .filter(e => getComputedStyle(e).color === ground && getComputedStyle(e).forcedColorAdjust === "auto")
        .map(e => e.outerHTML.slice(0, 120)); }"""
"""Behind text the browser paints the ground's own colour, so that text of that colour is not seen."""
UNMARKED = """() => {
    const look = e => { const s = getComputedStyle(e);
        return [s.backgroundColor, s.borderTopWidth, s.borderBottomWidth, s.borderBottomColor].join(); };
    const other = e => [...e.closest("nav, form, ul, section, div").querySelectorAll(e.localName)]
        .find(o => o !== e && !o.matches('[aria-current], [aria-pressed="true"]') && o.checkVisibility());
    return [...document.querySelectorAll('nav:not(.breadcrumbs) a[aria-current], [aria-pressed="true"]')]
        .filter(e => e.checkVisibility() && other(e) && look(e) === look(other(e)))
        .map(e => e.outerHTML.slice(0, 120)); }"""
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

    def new_profile_page(self, **options: Any) -> Page:
        return profile(self.browser, **{"viewport": LAPTOP} | options).new_page()

    def empty_profile_page(self, address: str, **options: Any) -> Page:
        """A tab in a profile that others may have used; it is a fresh one where more than a window's size is asked."""
        size: ViewportSize = options.get("viewport", LAPTOP)
        if options.keys() - {"viewport"}:
            return self.new_profile_page(**options)
        kept = next((kept for kept in reversed(self._idle) if kept.address == address), None)
        if kept:
            self._idle.remove(kept)
        else:
            kept = self._make_profile(address)
        self._busy[kept.context] = kept
        with kept.opener.expect_popup() as opened:
            kept.opener.evaluate("void open()")
        page = opened.value
        if size != LAPTOP:
            page.set_viewport_size(size)
        return page

    def give_back(self, page: Page) -> None:
        kept = self._busy.pop(page.context, None)
        if kept and self._empty(kept):
            self._idle.append(kept)
        else:
            page.context.close()

    def _make_profile(self, address: str) -> Kept:
        context = profile(self.browser, viewport=LAPTOP)
        opener = context.new_page()
        opener.goto(f"{address}/app/limits")
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


# --- signing in once a role: whoever comes later gets a session of their own, copied from the first ---

NAME = "candor-session"
PRESET = "UPDATE accounts_person SET language = '', theme = 'system' WHERE username = ?"
"""As somebody before may have left it."""
COPY = """
INSERT INTO django_session (session_key, session_data, expire_date)
SELECT ?, session_data, expire_date FROM django_session WHERE session_key = ? AND expire_date > ?
"""
FRESH = timedelta(minutes=5)
"""Whoever signed in longer ago may soon be asked again, before what cannot be undone."""


def copy_session_cookies(database: Path, cookies: Sequence[Cookie]) -> list[Any]:
    """The cookies of another browser in which the same person has just signed in.

    None if the first has signed out, or signed in a while ago.
    """
    (known,) = {cookie["value"] for cookie in cookies if cookie["name"] == NAME}
    key = "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in known)
    ends = datetime.now(UTC).replace(tzinfo=None) + timedelta(seconds=settings.SESSION_COOKIE_AGE)
    with closing(sqlite3.connect(database, timeout=60)) as connection, connection:
        if not connection.execute(COPY, (key, known, str(ends - FRESH))).rowcount:
            return []
    return [cookie | {"value": key} if cookie["name"] == NAME else {**cookie} for cookie in cookies]


def reset_preferences(database: Path, username: str) -> None:
    """Give the account the language and the theme of the browser again."""
    with closing(sqlite3.connect(database, timeout=60)) as connection, connection:
        connection.execute(PRESET, (username,))


# --- a visitor ---


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
        origin = f"{address.scheme}://{address.netloc}"
        if address.scheme not in ("data", "blob") and origin != self.product.url:
            self.strangers.append(request.url)

    def _console(self, message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text or "Content-Security-Policy" in message.text:
            self.complaints.append(message.text)

    def go(self, path: str) -> Page:
        self.page.goto(self.product.url + path)
        return self.page

    def go_and_check(self, path: str, within: str | None = None) -> Page:
        """Go there, and `check` the page."""
        self.go(path)
        self.check(within)
        return self.page

    def sign_in(self, role: str) -> Page:
        """In English, as a session's copy is."""
        name, password = self.product.passwords[role]
        reset_preferences(self.product.var / "candor.sqlite3", name)
        enter_password(self.page, self.product.url, name, password)
        self.page.wait_for_url(lambda address: "sign-in" not in address)
        return self.page

    def be_signed_in(self, role: str) -> None:
        """In English; by password the first time, then by a copy of that session: a password takes long to check."""
        known, database = self.product.cookies.get(role), self.product.var / "candor.sqlite3"
        reset_preferences(database, self.product.passwords[role][0])
        copies = copy_session_cookies(database, known) if known else []
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
            found = axe_violations(page, within, rules, scheme)
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
        missed = page.evaluate(MISSED) if reached < wanted else ()
        assert reached >= wanted, f"{page.url}: Tab reaches {reached} of {wanted} controls, not {missed}"
        for _ in range(4):
            page.keyboard.press("Tab")
            if not page.evaluate("document.activeElement === window.__last"):
                return
        raise AssertionError(f"{page.url}: Tab does not leave the last control")


def enter_password(page: Page, url: str, name: str, password: str) -> None:
    page.goto(f"{url}/app/account/sign-in")
    page.fill("input[name=username]", name)
    page.fill("input[name=password]", password)
    page.click("main button[type=submit]")


def fits_a_phone(page: Page) -> None:
    """Nothing scrolls sideways at 390 pixels."""
    before = page.viewport_size
    page.set_viewport_size(PHONE)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= PHONE["width"], f"{page.url} is {wide} pixels wide on a phone"
    if before:
        page.set_viewport_size(before)


def box_of(of: Locator) -> FloatRect:
    box = of.bounding_box()
    assert box
    return box


def attach(page: Page, name: str, content: bytes) -> None:
    """Choose a file of this name and content for upload."""
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    page.set_input_files("input[type=file]", {"name": name, "mimeType": kind, "buffer": content})


def download(control: Locator) -> Path:
    """The file that a click on this brings."""
    with control.page.expect_download() as download:
        control.click()
    return Path(download.value.path())


def collect_requests(page: Page) -> list[Request]:
    """What this page requests from now on."""
    requests: list[Request] = []

    def note_request(request: Request) -> None:
        requests.append(request)

    page.on("request", note_request)
    return requests


def wait_for_expression(page: Page, expression: str) -> None:
    """Playwright's own way to wait has the page evaluate a string, which the policy forbids."""

    def expression_holds() -> bool:
        try:
            return bool(page.evaluate(expression))
        except Error as error:
            if "context was destroyed" in error.message:  # the page is just going somewhere else
                return False
            raise

    servers.wait(expression_holds, expression)


def open_fold(page: Page, name: str) -> None:
    """Opens what a summary of this name folds away, if it is not open yet.

    It asks for the attribute, which stands in what was read: what is visible depends on styles that may still come.
    """
    details = page.locator("details").filter(has=page.locator("> summary", has_text=name))
    if details.get_attribute("open") is None:
        details.locator("> summary").click()


def axe_violations(
    page: Page, within: str | None = None, rules: dict[str, Any] | None = None, theme: str | None = None
) -> list[str]:
    """What these rules find, all rules by default; the page is first put into the theme, if one is named."""
    found: Any = page.evaluate(FIND, [within, rules, theme])
    if found is None:
        page.evaluate(LOAD % AXE.read_text())
        found = page.evaluate(FIND, [within, rules, theme])
    return [f"{v['id']}: {[n['html'][:160] for n in v['nodes'][:4]]}" for v in found]


def walk_page(visitor: Visitor, *, checked: bool = False) -> None:
    """Everything of this page, but what the test that it has of its own has `checked`: 400 % zoom, forced colours."""
    page = visitor.page
    if checked:
        page.wait_for_load_state()
    else:
        visitor.check()
    check_at_400_percent(page)
    forced_colours(page)


def another_language(page: Page) -> None:
    """What can differ from the language in which `Visitor.check` saw this page: words and their widths, not the colours
    and the order of what Tab reaches."""
    page.wait_for_load_state()
    page.evaluate(SETTLED)
    found = axe_violations(page)
    assert not found, f"{page.url}: {found}"
    fits_a_phone(page)


def check_at_400_percent(page: Page) -> None:
    """At 400 % nothing scrolls sideways, and no bar covers more than half of the window."""
    before: Any = page.viewport_size
    page.set_viewport_size(ZOOMED)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= ZOOMED["width"], f"{page.url} is {wide} pixels wide at 400 %"
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    covering = page.evaluate(COVERING)
    assert not covering, f"{page.url} at 400 %: covered by {covering}"
    page.set_viewport_size(before)


def forced_colours(page: Page) -> None:
    """Text can be read, and what is chosen differs from what is not."""
    page.emulate_media(forced_colors="active")
    for fault, script in {"cannot be seen": INVISIBLE, "looks as if not chosen": UNMARKED}.items():
        found = page.evaluate(script)
        assert not found, f"{page.url} in forced colours: {fault}: {found}"
    page.emulate_media(forced_colors="none")


# --- drafts of the running product, and where their questions stand on the page ---

PRELUDE = """
import json
from django.utils import timezone
from accounts.models import Person
from privacy.designs import parse_design
from surveys.lifecycle import opening
from surveys.models import Survey
from tests.surveys import drafts
robin = Person.objects.get(username="demo-researcher")

def opened(**values):
    survey = Survey.objects.create(owner=robin, **values)
    opening.open_survey_now(survey, robin, timezone.now())
    return survey

"""
"""What every program of `shell` begins with."""
JOIN = "INSERT INTO surveys_involvement (survey_id, person_id) SELECT id, owner_id FROM surveys_survey WHERE id = ?"
TABS = 8
"""How often Tab goes down between two looks at the page."""
STAY = """element => {
    const isThere = element === document.activeElement;
    if (!("__wanted" in window)) addEventListener("keydown", event => {
        if (event.key !== "Tab" || document.activeElement !== window.__wanted) return;
        event.preventDefault();
        event.stopImmediatePropagation();
    }, true);
    window.__wanted = isThere ? undefined : element;
    return isThere;
}"""
"""Whether the element has the focus; if not, Tab leads no further once it does."""
_first: dict[Path, int] = {}


def shell(product: Product, code: str, **env: str) -> str:
    """What this code prints inside the product."""
    return servers.manage({**product.env, **env}, "shell", "--verbosity=0", "-c", PRELUDE + code).strip()


def first_survey(product: Product) -> int:
    """A survey of the demo's researcher, to copy: that takes a hundredth of making one by a command."""
    if product.var not in _first:
        _first[product.var] = int(shell(product, "print(Survey.objects.create(owner=robin).pk)"))
    return _first[product.var]


class Draft:
    """A survey of the demo's researcher, and what is stored of it."""

    def __init__(self, product: Product, stored: Any) -> None:
        first, self.database = first_survey(product), product.var / "candor.sqlite3"
        own = {"id": None, "slug": secrets.token_hex(8), "draft": json.dumps(stored)}
        with closing(sqlite3.connect(self.database, timeout=servers.PATIENCE)) as connection, connection:
            connection.row_factory = sqlite3.Row
            row = connection.execute("SELECT * FROM surveys_survey WHERE id = ?", [first]).fetchone()
            values = {**dict(row), **own}
            places = ", ".join(f":{name}" for name in values)
            insert = f"INSERT INTO surveys_survey ({', '.join(values)}) VALUES ({places})"
            self.pk = connection.execute(insert, values).lastrowid or 0
            connection.execute(JOIN, [self.pk])
        self.path = f"/app/surveys/{self.pk}"

    @property
    def draft_json(self) -> Any:
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            row = connection.execute("SELECT draft FROM surveys_survey WHERE id = ?", [self.pk]).fetchone()
        return json.loads(row[0])

    def store(self, draft: Any) -> None:
        """As somebody else may do meanwhile."""
        with closing(sqlite3.connect(self.database, timeout=servers.PATIENCE)) as connection, connection:
            update = "UPDATE surveys_survey SET draft = ? WHERE id = ?"
            connection.execute(update, [json.dumps(draft), self.pk])

    @property
    def names(self) -> list[list[str]]:
        return [[each["name"] for each in section["questions"]] for section in self.draft_json["sections"]]


Make = Callable[..., Draft]


def draft_maker(product: Product) -> Make:
    def make_draft(*sections: Any, **more: Any) -> Draft:
        return Draft(product, stored_draft(*sections, **more))

    return make_draft


def usual_sections() -> list[Any]:
    return [
        plain(
            question("age", "young", "old", role="quasi"),
            question("work", "employed", "none"),
            *options("use", "bus", "car"),
        ),
        sensitive(
            question("theft", "no", "yes", "prefer-not-to-say", show_if={"work": ["employed"]}),
            question("debt"),
            question("drink", "never", "weekly", "daily", form="scale"),
        ),
    ]


def wait_until_saved(page: Page) -> None:
    """All that was typed is stored."""
    expect(page.locator("[data-saved][data-unsaved]")).to_have_count(0)
    expect(page.locator("[data-saved]")).to_have_text(re.compile(r"^Saved \d+:\d\d"))


def block(page: Page, words: str) -> Locator:
    """The closed question with these words."""
    return page.locator(".block", has=page.locator("h3", has_text=words))


def tab_to(page: Page, locator: Locator, most: int = 120) -> None:
    """Hold Tab until the element has the focus."""
    pressed = 0
    try:
        while not locator.evaluate(STAY):
            if pressed >= most:
                raise AssertionError(f"Tab never came to {locator}")
            pressed += TABS
            for _ in range(TABS):
                page.keyboard.down("Tab")
    finally:
        page.keyboard.up("Tab")


def press_key_on(page: Page, control: Locator) -> None:
    """Come to the control by Tab, and press Enter."""
    tab_to(page, control, most=300)
    page.keyboard.press("Enter")


# --- what a person does for a task, beside the numbers in bench/figures/clicks.md


def stated_clicks(task: str) -> int:
    """The clicks of a task as they stand in bench/figures/clicks.md beside the most that it allows."""
    lines = (servers.ROOT / "bench/figures/clicks.md").read_text().splitlines()
    rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in lines)
    (row,) = (row for row in rows if row and row[0] == task)
    clicks, most = int(row[2]), int(row[3])
    assert clicks <= most
    return clicks


class Hand:
    """What one person does on a page; `acts` of it so far."""

    def __init__(self, page: Page) -> None:
        self.page, self.acts = page, 0

    def click(self, on: Locator) -> None:
        self.acts += 1
        on.click()

    def tap(self, on: Locator) -> None:
        self.acts += 1
        on.tap()

    def press(self, key: str) -> None:
        self.acts += 1
        self.page.keyboard.press(key)

    def choose(self, of: Locator, label: str) -> None:
        self.acts += 1
        of.select_option(label=label)

    def follow(self, link: str) -> None:
        """A link in an email."""
        self.acts += 1
        self.page.goto(link)


def desk(report: int, page: str) -> str:
    return f"/app/admin/reports/review/{report}/{page}"
