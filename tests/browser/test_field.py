"""A field device in a browser: set up once, handed from one person to the next without a network, and sent from."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Frame, Page, expect

from privacy.designs import Design, parse_design
from tests.browser.conftest import ANSWER, Asked, Visit, forget_all, inbox
from tests.browser.questionnaires import SHORT
from tests.browser.visiting import Visitor, axe_violations, shell
from tests.product import Product

pytestmark = pytest.mark.browser
MAKE_FIELD = """
from intake.field_devices.devices import make_device_and_ticket
from tests.intake import asked
asks = json.loads(%r) | {"token_key": asked.signing_key(0).public.text, "sealing_key": asked.sealing_key(0)[1]}
survey = asked.field_survey(parse_design(json.dumps(asks)))
tickets = [make_device_and_ticket(survey, survey.owner, f"Tablet {n}", %d, timezone.now()) for n in range(1, 4)]
print(json.dumps([survey.address, tickets, asks]))
"""
PEOPLE = 7
TITLES = {"en": "Harvest", "ar": "الحصاد"}
STORED = """async () => [localStorage.length, sessionStorage.length, (await indexedDB.databases()).length]"""


@dataclass
class Field:
    address: str
    tickets: list[str]
    design: Design

    @property
    def survey(self) -> Asked:
        return Asked(self.address, [], self.design)


@pytest.fixture
def field(product: Product) -> Field:
    forget_all(product)
    code = MAKE_FIELD % (json.dumps(SHORT | {"languages": ["en", "ar"], "title": TITLES}), PEOPLE)
    address, tickets, asked = json.loads(shell(product, code))
    return Field(address, tickets, parse_design(json.dumps(asked)))


@dataclass
class Device:
    """The browser of a keeper."""

    page: Page
    field: Field
    pin: str = ""

    def press_button(self, words: str) -> None:
        self.page.get_by_role("button", name=words, exact=True).click()

    def heading(self, words: str) -> None:
        expect(self.page.get_by_role("heading", name=words, exact=True)).to_be_visible()

    def set_up(self) -> None:
        self.heading("Set up this device")
        self.press_button("Set up")
        self.heading("Your PIN for this device")
        self.pin = self.page.locator(".figure").inner_text().replace(" ", "")
        self.press_button("I have written it down")
        self.heading("Ready")
        expect(self.page.get_by_text(f"{PEOPLE} people can be asked.")).to_be_visible()
        assert self.page.locator(".figure").inner_text().replace(" ", "") == self.pin
        self.press_button("To the first page")

    @property
    def frame(self) -> Frame:
        (frame,) = self.page.frames[1:]
        return frame

    def begin_interview(self) -> Frame:
        self.page.locator(".begin").click()
        self.page.frame_locator("iframe").locator("[data-agree]:visible").wait_for()
        return self.frame

    def interview(self, first: int = 0) -> None:
        self.interview_in(self.begin_interview(), first)

    def interview_in(self, frame: Frame, first: int = 0) -> None:
        frame.locator("[data-agree]:visible").click()
        frame.evaluate(ANSWER, [{"0": first, "1": 1, "2": 0}, 1, 50])
        frame.get_by_role("button", name="Finish", exact=True).click()

    def hand_back(self) -> None:
        self.frame.get_by_role("button", name="Hand the device back").click()
        expect(self.page.locator("iframe")).to_have_count(0)
        expect(self.page.locator(".begin")).to_be_visible()

    def enter_pin(self, pin: str) -> None:
        self.page.fill("#pin", pin)
        self.press_button("Continue")

    def keepers_page(self) -> None:
        self.press_button("For the keeper")
        self.enter_pin(self.pin)
        self.heading("Tablet 1")

    def fact_on_page(self, name: str) -> str:
        return self.page.locator(".counts > div", has_text=name).locator("dd").inner_text()


@pytest.fixture
def visitor(visit: Visit) -> Visitor:
    return visit(viewport={"width": 600, "height": 960})


@pytest.fixture
def device(visitor: Visitor, field: Field) -> Iterator[Device]:
    """Just set up."""
    keeper = Device(visitor.go(f"{field.address}/field#{field.tickets[0]}"), field)
    assert keeper.page.evaluate("location.hash") == ""
    keeper.set_up()
    yield keeper
    assert keeper.page.evaluate(STORED) == [0, 0, 0]


def test_three_offline_interviews_arrive_with_the_network(device: Device, product: Product) -> None:
    page = device.page
    page.context.set_offline(True)
    page.reload()
    expect(page.locator(".begin")).to_be_visible()
    before = page.evaluate("history.length")
    for first in (0, 1, 0):
        device.interview(first)
        expect(device.frame.get_by_role("heading", name="Your answers are locked")).to_be_visible()
        expect(device.frame.locator("#screen :is(pre, table, details)")).to_have_count(0)
        device.hand_back()
    assert page.evaluate("history.length") == before
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.get_by_role("heading", name="Open in another tab")).to_be_visible()
    other.close()
    assert inbox(product, device.field.survey) == []
    page.context.set_offline(False)
    device.keepers_page()
    assert [device.fact_on_page(name) for name in ("Records that wait", "People asked")] == [
        "3",
        "fewer than 5",
    ]
    device.press_button("Send now")
    expect(page.get_by_text("Sent: 3")).to_be_visible()
    assert device.fact_on_page("Records that wait") == "0"
    assert len(inbox(product, device.field.survey)) == 3


UNANSWERED = """
  navigator.storage.persist = () => new Promise((resolve) => { window.allow = () => resolve(true); })
"""
"""As Firefox does until the person has answered its question."""


def test_device_is_ready_while_the_browser_asks_about_storage(visitor: Visitor, field: Field) -> None:
    page, unkept = visitor.page, visitor.page.get_by_text("does not promise to keep what is stored")
    page.add_init_script(UNANSWERED)
    device = Device(visitor.go(f"{field.address}/field#{field.tickets[0]}"), field)
    device.heading("Set up this device")
    device.press_button("Set up")
    device.press_button("I have written it down")
    device.heading("Ready")
    expect(unkept).to_be_visible()
    page.evaluate("window.allow()")
    expect(unkept).to_be_hidden()


def test_practice_and_leaving_store_nothing_and_the_banner_says_so(device: Device) -> None:
    device.begin_interview().locator("[data-exit]:visible").first.click()
    expect(device.page.locator(".begin")).to_be_visible()
    device.keepers_page()
    device.press_button("Practice")
    device.press_button("To the first page")
    device.interview()
    expect(device.frame.get_by_text("Practice, nothing is kept")).to_be_visible()
    device.hand_back()
    device.keepers_page()
    assert device.fact_on_page("Records that wait") == "0"


def test_app_is_unreachable_behind_an_interview(device: Device) -> None:
    page = device.page
    page.context.set_offline(True)
    device.keepers_page()
    # The cache answers the page, and not who asks for a newer one.
    device.press_button("Renew")
    expect(page.get_by_text("The server does not answer.")).to_be_visible()
    device.press_button("To the first page")
    page.context.set_offline(False)
    device.begin_interview()
    assert page.evaluate("[...document.body.children].every(e => e.inert === (e.tagName !== 'IFRAME'))")
    # Even a script that presses Begin again gets no second interview.
    page.evaluate("document.querySelector('.begin').click()")
    expect(page.locator("iframe")).to_have_count(1)
    device.interview_in(device.frame)
    device.hand_back()
    assert page.evaluate("[...document.body.children].every(e => !e.inert)")
    device.keepers_page()
    page.context.set_offline(True)
    # What is under way when the device is handed over shows nothing of the keeper's page later.
    device.press_button("Send now")
    device.press_button("To the first page")
    page.context.set_offline(False)
    expect(page.locator(".begin")).to_be_visible()
    page.wait_for_timeout(6000)
    expect(page.locator(".begin")).to_be_visible()
    expect(page.locator(".counts")).to_have_count(0)


@pytest.mark.night(smaller="browser/test_field.py")
def test_wrong_pins_are_counted_over_reloads_and_then_wait(device: Device) -> None:
    wrong = str((int(device.pin) + 1) % 1_000_000).zfill(6)
    for times in (3, 2):
        device.page.reload()
        device.press_button("For the keeper")
        for _try in range(times):
            device.enter_pin(wrong)
            expect(device.page.get_by_text("That is not the PIN.")).to_be_visible()
            device.press_button("To the first page")
            device.press_button("For the keeper")
    device.enter_pin(device.pin)
    expect(device.page.get_by_text(re.compile(r"Try again in \d+ seconds"))).to_be_visible()


@pytest.mark.night(smaller="browser/test_field.py")
def test_a_forgotten_device_keeps_nothing(device: Device) -> None:
    device.interview()
    device.hand_back()
    device.press_button("For the keeper")
    device.press_button("PIN forgotten")
    expect(device.page.get_by_text("Records that wait and will be lost: 1.")).to_be_visible()
    device.page.fill("#label", "Tablet 2")
    device.press_button("Forget this device")
    expect(device.page.get_by_text("That is another name.")).to_be_visible()
    device.page.fill("#label", "Tablet 1")
    device.press_button("Forget this device")
    device.heading("This device is forgotten")
    kept = """async () => {
        const files = [];
        for await (const name of (await navigator.storage.getDirectory()).keys()) files.push(name);
        return [files, await caches.keys(), (await navigator.serviceWorker.getRegistrations()).length];
    }"""
    assert device.page.evaluate(kept) == [[], [], 0]


@pytest.mark.night(smaller="browser/test_field.py")
def test_link_sets_up_one_device(device: Device, visit: Visit, field: Field) -> None:
    other = Device(visit().go(f"{field.address}/field#{field.tickets[0]}"), field)
    other.press_button("Set up")
    expect(other.page.get_by_text("Another device has used this link.")).to_be_visible()
    other.press_button("Try again")
    other.page.fill("#code", field.tickets[1])
    other.press_button("Set up")
    other.heading("Your PIN for this device")
    other.page.reload()
    other.heading("Your PIN for this device")
    other.pin = other.page.locator(".figure").inner_text()
    other.press_button("I have written it down")
    other.heading("Ready")


@pytest.mark.night(smaller="browser/test_field.py")
@pytest.mark.parametrize("language", ["en", "ar"])
def test_every_device_screen_is_accessible(device: Device, language: str) -> None:
    page = device.page

    def check_screen() -> None:
        for size in ((600, 960), (1280, 800)):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            for theme in ("light", "dark"):
                page.emulate_media(color_scheme=theme)
                found = axe_violations(page)
                assert found == [], (size, theme, found)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    check_screen()
    page.locator(f".choose-language [lang={language}]").click()
    device.begin_interview()
    check_screen()
    device.frame.locator("[data-exit]:visible").first.click()
    page.get_by_role("button", name=re.compile("keeper")).click()
    page.locator(f".languages [lang={language}]").click()
    check_screen()
    page.fill("#pin", device.pin)
    page.locator(".button.primary").click()
    page.get_by_role("heading", name="Tablet 1").wait_for()
    check_screen()
    page.locator(".button.quiet").click()
    check_screen()
