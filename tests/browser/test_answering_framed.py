"""A survey inside a page of another site: it is answered there, and nobody is made to press what they do not see."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, FrameLocator, Locator, Page, expect

from intake.invitations.embedding_setup import embedding_snippet
from privacy.designs import parse_design
from tests import servers
from tests.browser.conftest import ANSWER, MAKE, TRUTH, WORDS, Asked, NewPage, Respondent, forget_all, inbox
from tests.browser.questionnaires import LASTING, SHORT, brief
from tests.browser.visiting import CHROMIUM, FLAGS, box_of, collect_requests, profile, shell
from tests.product import Product

pytestmark = pytest.mark.browser
ATTACKS = {
    "covered": """holder.style.position = "relative"; const cover = document.createElement("div");
        cover.style = "position:absolute; inset:0; background:#fff; pointer-events:none"; holder.append(cover);""",
    "transparent": "holder.style.opacity = 0.01",
    "blurred": "holder.style.filter = 'contrast(0)'",
}
"""What the other site does to the frame, which still gets every click."""
HOLDS = "delete IntersectionObserverEntry.prototype.isVisible"
"""As in browsers that cannot say what lies over an element."""


@dataclass
class OtherSite:
    """Another site on this machine, of which each page is the markup that a test gives it."""

    port: int
    pages: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"


@pytest.fixture(scope="module")
def other_site() -> Iterator[OtherSite]:
    site = OtherSite(0)

    class Handler(servers.HTTPHandler):
        def do_GET(self) -> None:
            self.send(site.pages.get(self.path, "").encode(), Content_Type="text/html; charset=utf-8")

    with servers.serve_http(Handler) as site.port:
        yield site


@pytest.fixture(scope="module")
def surveys(product: Product, other_site: OtherSite) -> dict[str, Asked]:
    sites = {"sites": [other_site.url]}
    thanks = {"panel": {"en": "A link leads you back to your panel."}}
    designs: dict[str, dict[str, Any]] = {
        "framed": {"design": SHORT | sites},
        "unlisted": {"design": SHORT | {"sites": ["https://www.example.org"]}},
        "lasting": {"design": LASTING | sites},
        "plain": {"design": brief("Plain", SHORT["sections"][0]) | sites},
        "panel": {"design": SHORT | thanks, "completion": "https://panel.example.org/done?cc=C1&id={panel}"},
    }
    made = json.loads(shell(product, MAKE % json.dumps(designs)))
    return {
        name: Asked(address, tokens, parse_design(json.dumps(designs[name]["design"])))
        for name, (address, tokens) in made.items()
    }


Shown = Callable[..., tuple[Page, FrameLocator]]


@pytest.fixture
def show_framed(new_page: NewPage, product: Product, other_site: OtherSite) -> Iterator[Shown]:
    """A page of the other site with the survey in it, by the markup that its researcher copies."""

    def show(address: str, script: str = "", **options: Any) -> tuple[Page, FrameLocator]:
        page = new_page(viewport={"width": 1280, "height": 1000}, **options)
        page.add_init_script(script)
        return page, show_inside(page, other_site, f"{product.url}{address}")

    yield show
    forget_all(product)


def show_inside(page: Page, other_site: OtherSite, address: str) -> FrameLocator:
    snippet = embedding_snippet(address, "Survey").replace(' loading="lazy"', "")
    other_site.pages["/"] = f"<!doctype html><title>Other</title><div id=holder>{snippet}</div>"
    page.goto(f"{other_site.url}/")
    return page.frame_locator("iframe")


def answer(page: Page) -> None:
    """From the first question to the check, inside the frame."""
    page.frames[1].evaluate(ANSWER, [{str(place): code for place, code in TRUTH.items()}, 1, 50])


def look_long_enough_at(button: Locator) -> None:
    """Looks at it for as long as our page asks for; the browser drops clicks into a frame that has just moved."""
    button.scroll_into_view_if_needed()
    button.page.wait_for_timeout(1500)


def press_agree(frame: FrameLocator) -> None:
    button = frame.locator("[data-agree]:visible")
    look_long_enough_at(button)
    button.click()
    frame.get_by_role("button", name="Continue").wait_for()


def test_framed_survey_is_answered_and_the_record_arrives(
    show_framed: Shown, product: Product, surveys: dict[str, Asked]
) -> None:
    forget_all(product)
    page, frame = show_framed(surveys["framed"].address, f"({WORDS})([])")
    page.evaluate("window.heard = []; addEventListener('message', ({data}) => void heard.push(String(data)))")
    before = page.evaluate("history.length")
    expect(frame.get_by_text("This page is inside another site, which can see when it loads")).to_be_visible()
    press_agree(frame)
    answer(page)
    frame.get_by_role("button", name="Back").click()
    frame.get_by_role("button", name="Continue").click()
    send = frame.get_by_role("button", name="Send", exact=True)
    look_long_enough_at(send)
    send.click()
    frame.get_by_role("heading", name="Your answers have been received").wait_for()
    assert len(inbox(product, surveys["framed"])) == 1
    # The number of screens would tell what was answered; the page around reads the length of the history.
    assert page.evaluate("history.length") == before
    assert page.evaluate("heard") == []


@pytest.mark.at_push(2)
@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("button", ["agree", "send"])
def test_hidden_button_in_a_frame_does_nothing(
    show_framed: Shown, surveys: dict[str, Asked], button: str, attack: str
) -> None:
    page, frame = show_framed(surveys["framed"].address)
    if button == "send":
        press_agree(frame)
        answer(page)
    pressed = frame.locator("[data-agree]:visible, [data-send]:visible")
    pressed.wait_for()
    page.evaluate(ATTACKS[attack])
    requests = collect_requests(page)
    look_long_enough_at(pressed)
    box = box_of(pressed)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(frame.get_by_text("Not yet: this button has to be in full view")).to_have_count(1)
    expect(pressed).to_have_count(1)
    assert requests == []


def test_survey_opens_on_its_own_page_where_framed_storage_is_blocked(
    chromium: Browser, product: Product, other_site: OtherSite, surveys: dict[str, Asked]
) -> None:
    """As Chromium's full build does in a private window, and Firefox and Safari always; headless-shell never does."""
    forget_all(product)
    survey = surveys["framed"]
    with chromium.browser_type.launch(executable_path=CHROMIUM, args=FLAGS) as private:
        page = profile(private).new_page()
        frame = show_inside(page, other_site, f"{product.url}{survey.address}")
        button = frame.locator("[data-agree]:visible")
        look_long_enough_at(button)
        button.click()
        expect(frame.get_by_role("heading", name="Your browser is blocking storage")).to_be_visible()
        with page.context.expect_page() as opened:
            frame.get_by_role("link", name="Open on its own page").click()
        Respondent(opened.value).deliver(TRUTH)
    assert len(inbox(product, survey)) == 1
    forget_all(product)


def test_site_that_is_not_listed_cannot_frame_the_survey(
    show_framed: Shown, product: Product, surveys: dict[str, Asked]
) -> None:
    page, frame = show_framed(surveys["unlisted"].address)
    page.wait_for_timeout(1000)
    expect(frame.locator("#start")).to_have_count(0)
    assert product.url not in page.frames[1].url
    _page, frame = show_framed(f"{surveys['plain'].address}/form", java_script_enabled=False)
    expect(frame.get_by_text("If this page is inside another site")).to_be_visible()


def test_buttons_must_be_held_where_the_frame_may_be_covered(
    show_framed: Shown, other_site: OtherSite, surveys: dict[str, Asked]
) -> None:
    page, frame = show_framed(surveys["framed"].address, HOLDS)
    agree_button = frame.locator("[data-agree]:visible")
    expect(agree_button).to_have_accessible_description(re.compile("Hold this button for half a second"))
    look_long_enough_at(agree_button)
    agree_button.click()
    agree_button.focus()
    for key in ("Enter", " "):
        page.keyboard.press(key)
    expect(agree_button).to_be_visible()
    page.keyboard.down("Enter")
    page.wait_for_timeout(600)
    page.keyboard.up("Enter")
    expect(frame.get_by_role("button", name="Continue")).to_be_visible()
    answer(page)
    send = frame.get_by_role("button", name="Send", exact=True)
    look_long_enough_at(send)
    send.click()
    expect(send).to_be_visible()
    send.hover()
    page.mouse.down()
    page.wait_for_timeout(600)
    page.mouse.up()
    frame.get_by_role("heading", name="Your answers have been received").wait_for()
    page, frame = show_framed(surveys["framed"].address)
    press_agree(frame)
    frame.locator("[data-exit]:visible").first.click()
    expect(frame.locator("[data-exit]")).to_have_count(0)
    page.wait_for_timeout(300)
    assert (page.url, page.frames[1].url) == (f"{other_site.url}/", "about:blank")


def test_survey_with_a_code_opens_on_its_own_page(show_framed: Shown, surveys: dict[str, Asked]) -> None:
    page, frame = show_framed(surveys["lasting"].address)
    expect(frame.get_by_text("Type it only where the address bar shows").first).to_be_visible()
    expect(frame.locator("[data-agree]")).to_have_count(0)
    with page.context.expect_page() as opened:
        frame.get_by_role("link", name="Open on its own page").last.click()
    alone = opened.value
    expect(alone.locator("[data-agree]:visible")).to_be_visible()
    expect(alone.locator("[data-framed]:visible")).to_have_count(0)
    assert alone.evaluate("[opener, top === window]") == [None, True]


ENCODED = "Panelist%20Zq%2F7"
DONE = "https://panel.example.org/done?cc=C1"


@pytest.fixture
def panel_survey(product: Product, surveys: dict[str, Asked]) -> Iterator[Asked]:
    forget_all(product)
    yield surveys["panel"]
    forget_all(product)


def leads_to(page: Page, address: str) -> None:
    expect(page.get_by_role("link", name="Continue to panel.example.org")).to_have_attribute("href", address)


def test_panel_parameter_reaches_the_completion_link_and_no_request(
    new_page: NewPage, product: Product, panel_survey: Asked
) -> None:
    page = new_page()
    requests = collect_requests(page)
    page.goto(f"{product.url}{panel_survey.address}#panel={ENCODED}")
    assert page.evaluate("[location.hash, history.length]") == ["", 2]
    page.reload()
    Respondent(page).deliver(TRUTH)
    leads_to(page, f"{DONE}&id={ENCODED}")
    assert page.evaluate("[sessionStorage.length, localStorage.length]") == [0, 0]
    assert len(requests) > 5
    assert not [one for one in requests if "Panelist" in f"{one.url} {one.headers} {one.post_data}"]
    for file in product.var.rglob("*"):
        assert not file.is_file() or b"Panelist%20Zq" not in file.read_bytes()


@pytest.mark.at_push(2)
@pytest.mark.parametrize("value", ["", "x" * 201, "%C3%A9", "%0A", "%"])
def test_page_says_when_the_completion_link_lacks_the_panel_id(
    new_page: NewPage, product: Product, panel_survey: Asked, value: str
) -> None:
    page = new_page()
    page.goto(f"{product.url}{panel_survey.address}#panel={value}")
    Respondent(page).deliver(TRUTH)
    expect(page.get_by_text("does not have the ID by which your panel knows you")).to_be_visible()
    leads_to(page, DONE)


def test_kept_record_is_not_sent_with_the_parameter_of_another_person(
    new_page: NewPage, product: Product, panel_survey: Asked
) -> None:
    page = new_page()
    context, waits = page.context, {"status": 503, "headers": {"Retry-After": "90"}}
    context.route(f"**{panel_survey.record}", lambda route: route.fulfill(**waits, json={"outcome": "busy"}))
    page.goto(f"{product.url}{panel_survey.address}#panel=first")
    Respondent(page).send(TRUTH).press_button("Keep it and send it later")
    page.get_by_text("This device keeps your record.").wait_for()
    page.close()
    context.unroute(f"**{panel_survey.record}")
    page = context.new_page()
    page.goto(f"{product.url}{panel_survey.address}#panel=second")
    leads_to(page, DONE)


def test_panel_parameter_is_forgotten_after_its_person(
    new_page: NewPage, product: Product, panel_survey: Asked
) -> None:
    page, address = new_page(), f"{product.url}{panel_survey.address}"

    def kept_parameter() -> str | None:
        page.locator("[data-agree]:visible").wait_for()
        found: str | None = page.evaluate("sessionStorage.getItem(location.pathname + ' panel')")
        return found

    page.goto(f"{address}#panel=first")
    assert kept_parameter() == "first"
    page.locator("[data-exit]:visible").first.click()
    page.wait_for_url("about:blank")
    page.goto(address)
    assert kept_parameter() is None
    page.goto("about:blank")
    page.goto(f"{address}#panel=first")
    assert kept_parameter() == "first"
    page.goto(f"{address}#{'0' * 32}")
    servers.wait(lambda: kept_parameter() is None, "the parameter being gone")
