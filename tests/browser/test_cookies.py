"""Which pages a browser sends cookies to, and that a used profile is empty."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from django.middleware.csrf import _does_token_match  # type: ignore[attr-defined]
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.conftest import Asked, Line, Respondent, Visit, get_survey, open_visitor, record_line
from tests.browser.visiting import Profiles, Visitor, enter_password, profile, shell
from tests.product import Product
from ui.cookie_and_log_paths import APP

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
SESSION, CSRF = "candor-session", "candor-csrf"

# A page of every path that has cookies; what is not built yet answers that there is no such page.
PAGES = [
    "/app/account/home", "/app/admin/", "/app/jobs/", "/app/limits", "/app/method", "/app/releases/", "/app/reports/",
    "/app/runs/", "/app/styleguide/", "/app/surveys/",
]  # fmt: skip
OPEN_TO_ALL = ["/app/limits", "/app/method", "/app/runs/"]
MAKE = """
made = Survey.objects.create(owner=robin, draft=drafts.complete())
print(f"/app/surveys/{made.pk}/edit /app/surveys/{opened(draft=drafts.complete(), invited=True).pk}/")
"""
AWAY = re.compile(r"/(a|static|healthz)(/|$)|\.(csv|json|xlsx|svg|html|zip|txt|parquet)$|/export/|/files/")


def cookies_by_path(line: Line) -> dict[str, list[str]]:
    """The path of each request, and the cookies that came with it; a browser opens lines as it likes."""
    found: dict[str, list[str]] = {}
    for request in line.requests():
        path = request.split(b" ", 2)[1].decode().split("?")[0]
        header = re.search(rb"\r\ncookie: ([^\r]*)", request, re.IGNORECASE)
        found.setdefault(path, []).append(header[1].decode() if header else "")
    return found


def cookie_paths(context: BrowserContext, name: str) -> dict[str, str]:
    """The cookies of this name: path -> value."""
    return {cookie["path"]: cookie["value"] for cookie in context.cookies() if cookie["name"] == name}


def test_respondent_page_gets_no_cookie_of_a_signed_in_person(
    chromium: Browser, product: Product, short: Asked
) -> None:
    with record_line(product) as line:
        context = profile(chromium)
        page = context.new_page()
        page.goto(f"{line.url}/app/method")
        page.click("button[name=theme][value=dark]")
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        enter_password(page, line.url, *product.passwords["researcher"])
        page.wait_for_url("**/app/account/home")
        for path in PAGES:
            page.goto(line.url + path)
        page.goto(f"{line.url}/")
        page.goto(line.url + short.address)
        Respondent(page).answer({0: 0, 1: 1, 2: 0}).deliver()
        page.goto(f"{line.url}/a/receipt")
        page.goto(f"{line.url}/a/no-such-survey")
        assert set(cookie_paths(context, SESSION)) == set(cookie_paths(context, "candor-theme")) == {APP}
        # The mark of a known device goes to the account's pages alone.
        assert {cookie["path"] for cookie in context.cookies()} == {APP, "/app/account/"}
        context.close()
        found = cookies_by_path(line)
    assert {short.address, short.record, "/a/receipt", "/a/no-such-survey", "/"} <= set(found)
    assert [path for path in found if path.startswith("/static/")]
    for path, cookies in found.items():
        if path != APP and not path.startswith(f"{APP}/"):
            assert set(cookies) == {""}, path
    for path in PAGES:
        assert any(SESSION in cookies for cookies in found[path]), path


def test_signing_out_ends_the_session_on_every_path(ruth: Visitor) -> None:
    page, context = ruth.page, ruth.page.context
    before = cookie_paths(context, SESSION)
    assert set(before) == {APP}
    ruth.go("/app/jobs/")
    page.click("header button:has-text('Sign out')")
    page.wait_for_url("**/app/account/sign-in")
    expect(page.locator("[role=status] .toast")).to_contain_text("You are signed out.")
    ruth.go("/app/limits")
    assert not set(cookie_paths(context, SESSION).values()) & set(before.values())

    def needs_signing_in(path: str) -> bool:
        return urlsplit(ruth.go(path).url).path == "/app/account/sign-in"

    assert [path for path in PAGES if not needs_signing_in(path)] == OPEN_TO_ALL
    # Not even with the cookies of before: the session itself is gone.
    cookie = {"name": SESSION, "value": before[APP], "domain": "127.0.0.1", "path": APP}
    context.add_cookies([cookie])  # type: ignore[list-item]
    assert needs_signing_in("/app/account/home")


def test_a_language_that_is_chosen_on_the_home_page_is_spoken_on_all_pages(visit: Visit) -> None:
    visitor = visit(used=True)
    page = visitor.go("/")
    page.get_by_role("button", name="简体中文").click()
    for path in ("/", "/app/method", "/app/limits", "/app/account/sign-in", "/"):
        if path == "/" and "language" not in page.url:
            page.click("a.wordmark")
        elif path != "/":
            visitor.go(path)
        assert page.locator("html").get_attribute("lang") == "zh-hans", path
    visitor.go("/app/limits")
    page.get_by_role("button", name="English").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    for path in ("/app/method", "/app/account/sign-in", "/"):
        visitor.go(path)
        assert page.locator("html").get_attribute("lang") == "en", path


def test_a_language_that_somebody_signed_in_chooses_is_the_accounts_and_no_cookies(visit: Visit) -> None:
    visitor = visit(used=True)
    page = visitor.go("/app/method")
    page.get_by_role("button", name="简体中文").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    visitor.sign_in("reviewer")
    page.get_by_role("button", name="简体中文").first.click()
    for path in ("/app/surveys/", "/app/admin/", "/app/jobs/"):
        visitor.go(path)
        assert page.locator("html").get_attribute("lang") == "zh-hans", path
    assert cookie_paths(page.context, "candor-language") == {}
    visitor.go("/app/account/home")
    page.get_by_role("button", name="English").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "en")


def page_kind(address: str) -> str:
    """Numbers and fingerprints in an address do not make another kind of page."""
    return re.sub(r"[0-9a-f]{64}|\d+", "1", urlsplit(address).path)


class PageRead(HTMLParser):
    """The addresses that links lead to, and the address and the token of each form that is posted."""

    def __init__(self, url: str, text: str) -> None:
        super().__init__()
        self.url = url
        self.links: list[str] = []
        self.forms: list[list[str]] = []
        self._posts = False
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if tag == "a" and "href" in given:
            self.links.append(urljoin(self.url, given["href"]))
        elif tag == "form":
            self._posts = given.get("method", "").lower() == "post"
            if self._posts:
                self.forms.append([urljoin(self.url, given.get("action", "")), ""])
        elif self._posts and given.get("name") == "csrfmiddlewaretoken":
            self.forms[-1][1] = given["value"]

    def handle_endtag(self, tag: str) -> None:
        self._posts = self._posts and tag != "form"


def crawl_pages(context: BrowserContext, url: str, first: list[str]) -> Iterator[PageRead]:
    """One page of each kind that links lead to, beginning with these; got with the browser's cookies, and not drawn."""
    waiting, seen = [f"{url}{path}" for path in (*first, "/", "/app/account/home")], set[str]()
    while waiting:
        address = waiting.pop(0)
        if page_kind(address) in seen or not address.startswith(url) or AWAY.search(urlsplit(address).path):
            continue
        seen.add(page_kind(address))
        response = context.request.get(address)
        page = PageRead(response.url, response.text())
        yield page
        waiting += page.links


FROM_HOME = "/app/account/preferences/from-home"
"""The home page gets no cookie, so its form brings no token."""
SURVEYS, PEOPLE = "/app/surveys/", "/app/admin/accounts/person/"
SIGNED_IN = {"/app/account/preferences", "/app/account/sign-out"}
FOUND = {
    None: {FROM_HOME, "/app/account/sign-in", "/app/account/password/forgotten", "/app/account/preferences"},
    "researcher": {
        *SIGNED_IN,
        "/app/account/",
        *(f"{SURVEYS}{each}" for each in ("import", "new", "new/start")),
    }
    | {f"{SURVEYS}1/{each}" for each in ("close", "edit/act", "edit/protection/save", "open")},
    "reviewer": {*SIGNED_IN, "/app/account/password", "/app/jobs/"},
    "superuser": {PEOPLE, f"{PEOPLE}1/change/", f"{PEOPLE}add/"},
}


@pytest.mark.parametrize("role", FOUND)
def test_each_form_carries_its_token(
    visit: Visit, product: Product, superuser: str, role: str | None
) -> None:
    """Looking at the home page or at a respondent's, which get no cookie, does not make other forms useless."""
    # A draft of any other test may have less to edit.
    first = shell(product, MAKE).split() if role == "researcher" else []
    visitor = visit(role, used=True)
    visitor.go("/app/limits")
    context = visitor.page.context
    secret = set(cookie_paths(context, CSRF).values())
    found = set()
    for page in crawl_pages(context, product.url, first):
        for action, token in page.forms:
            found.add(page_kind(action))
            if page_kind(action) == FROM_HOME:
                assert not token, page.url
                continue
            (cookie,) = (each["value"] for each in context.cookies(action) if each["name"] == CSRF)
            assert _does_token_match(token, cookie), (page.url, action)
    visitor.go("/")
    visitor.go(get_survey(product, "short").address)
    assert set(cookie_paths(context, CSRF).values()) == secret
    assert len(secret) == 1
    assert found >= FOUND[role]


LEAVE = """async () => {
    localStorage.setItem('left', '1');
    sessionStorage.setItem('left', '1');
    await caches.open('left');
    await new Promise(done => { indexedDB.open('left').onsuccess = done; });
}"""
FIND = """async () => [localStorage.length, sessionStorage.length, (await caches.keys()).length,
    (await indexedDB.databases()).length]"""


def test_next_visitor_finds_no_session(profiles: Profiles, product: Product) -> None:
    with open_visitor(profiles, product, used=True) as first:
        page, context = first.go("/app/limits"), first.page.context
        page.evaluate(LEAVE)
        assert page.evaluate(FIND) == [1, 1, 1, 1]
        context.add_cookies([{"name": "left", "value": "1", "url": product.url}])
        context.new_page()
        context.route("**", lambda route: route.abort())
        context.set_offline(True)
    with open_visitor(profiles, product, used=True) as second:
        assert second.page.context is context
        assert context.cookies() == []
        second.page.clock.install()
        assert second.go("/app/limits").evaluate(FIND) == [0, 0, 0, 0]
    with open_visitor(profiles, product, used=True) as third:
        assert third.page.context is not context
