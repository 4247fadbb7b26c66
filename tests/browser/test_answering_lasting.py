"""Two rounds on two devices with one code: the same permanent answers, and no trace of the code."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from privacy.mechanisms import person_code
from privacy.mechanisms.coins import draw_coins, seeded_words
from privacy.mechanisms.permanent import permanent_answers, rotated, study_of
from privacy.records import Record, read_record
from tests.browser.answering import ANSWER, Asked, Line, Respondent, arrived, asked, listening
from tests.browser.building import press
from tests.browser.conftest import PHONE, Visit, fits_a_phone, profile
from tests.browser.test_answering_traces import SNAPSHOT
from tests.product import Product

pytestmark = pytest.mark.browser

TRUTH = {0: 1, 1: 1, 2: 0, 3: 1}


class Traced:
    """A device with whoever listens on its line, and what a page leaves at every step."""

    def __init__(self, page: Page, line: Line, survey: Asked) -> None:
        self.page, self.line, self.survey = page, line, survey
        self.respondent = Respondent(page)
        self.seen = ""

    def look(self) -> None:
        self.seen += json.dumps(self.page.evaluate(SNAPSHOT))

    def start(self) -> None:
        self.page.goto(self.line.url + self.survey.address)
        self.respondent.begin()
        self.look()

    def type(self, code: str) -> None:
        self.page.locator("#code").fill(code)
        self.look()
        self.respondent.press("Continue")

    def answers_until_receipt(self) -> tuple[int, ...]:
        self.page.get_by_role("heading", name="Work?").wait_for()
        self.look()
        self.page.evaluate(ANSWER, [{str(place): answer for place, answer in TRUTH.items()}, 1, 50])
        self.look()
        self.respondent.send()
        arrived(self.page)
        self.look()
        record: dict[str, Any] = self.respondent.receipt()
        return read_record(self.survey.design, Record(**record))

    def holds(self, code: str) -> bool:
        """Whether any form of the code is in what went over the line or was left in the browser."""
        left = self.seen.encode() + b"".join(self.line.requests())
        bare, raw = code.replace("-", ""), person_code.typed(code, study_of(self.survey.design))
        assert raw is not None
        forms = (code, bare, bare.lower(), raw.hex(), json.dumps(list(raw))[1:-1])
        return any(form.encode() in left for form in forms)


def test_one_code_gives_the_same_permanent_answers_on_two_devices_and_leaves_no_trace(
    chromium: Browser, product: Product
) -> None:
    first, again = asked(product, "lasting"), asked(product, "lasting again")
    with listening(product) as line:
        page = profile(chromium).new_page()
        device = Traced(page, line, first)
        device.start()
        expect(page.get_by_role("heading", name="Your code")).to_be_focused()
        expect(page.locator(".person-code")).to_have_count(0)
        device.respondent.press("Make a new code")
        code = page.locator(".person-code").inner_text()
        assert re.fullmatch(r"([0-9A-Z]{6}-){2}[0-9A-Z]{6}", code)
        # The last two characters check the others.
        device.type(code[:-1] + ("0" if code[-1] != "0" else "1"))
        expect(page.locator(".error-summary")).to_contain_text("This is not the code above.")
        device.type(code)
        sent = device.answers_until_receipt()
        assert not device.holds(code)
        page.context.close()
    with listening(product) as line:
        page = profile(chromium, viewport=PHONE).new_page()
        device = Traced(page, line, again)
        device.start()
        expect(page.locator("#screen")).to_contain_text(
            re.compile("this is a new start.* at most 1,369 times")
        )
        requests = len(line.requests())
        # A character too many, one that is mistyped, one code of another study, and two codes.
        elsewhere = person_code.written(bytes(range(10)), "0" * 64)
        for wrong in (code[:5] + code, code[:-1] + ("0" if code[-1] != "0" else "1"), elsewhere, code + code):
            device.type(wrong)
            expect(page.locator("#wrong")).to_contain_text("This is not a code of this study.")
            assert len(line.requests()) == requests
        device.type(f" {code.lower().replace('-', ' ')}")
        sent_again = device.answers_until_receipt()
        assert not device.holds(code)
        page.context.close()
    # The instant stage keeps all but one in 5,000 of the permanent answers.
    raw = person_code.typed(code, study_of(first.design))
    assert raw is not None
    coins = rotated(first.design, draw_coins(first.design, seeded_words(1)), raw)
    permanent = permanent_answers(first.design, coins, [1, 1, 0, 1], raw)
    asks = [place for place, code in enumerate(sent) if code < first.design.questions[place].not_asked]
    assert len(asks) == 3
    assert (
        [sent[place] for place in asks]
        == [sent_again[place] for place in asks]
        == [permanent[p] for p in asks]
    )


def test_the_page_of_the_code_is_for_every_reader_and_after_a_reload_a_code_is_typed(
    visit: Visit, product: Product
) -> None:
    visitor = visit()
    page = visitor.go(asked(product, "lasting").address)
    page.locator("[data-agree]:visible").click()
    make = page.locator("section[aria-labelledby=no-code] button")
    press(page, make)
    code = page.locator(".person-code")
    shown = code.inner_text()
    visitor.check()
    visitor.shoot("code-made")
    page.get_by_role("button", name="العربيّة").click()
    assert page.locator("html").get_attribute("dir") == "rtl"
    assert (code.inner_text(), code.get_attribute("dir")) == (shown, "ltr")
    fits_a_phone(page)
    visitor.shoot("code-arabic")
    page.reload()
    page.locator("[data-agree]:visible").click()
    expect(code).to_have_count(0)
    screen = page.locator("#screen").inner_text()
    assert screen.index("Your code from an earlier round") < screen.index("If you have no code")
    visitor.shoot("code-again")


def test_without_an_https_address_no_code_is_made_or_typed_and_nothing_goes_on(
    chromium: Browser, product: Product
) -> None:
    """Browsers offer no `crypto.subtle` there."""
    with listening(product) as line:
        page = profile(chromium).new_page()
        page.add_init_script("Object.defineProperty(crypto, 'subtle', { value: undefined })")
        page.goto(line.url + asked(product, "lasting").address)
        requests = len(line.requests())
        Respondent(page).begin()
        expect(page.locator("#screen .notice.error")).to_contain_text("its address does not begin with https")
        assert page.locator("#screen").get_by_role("button").all_inner_texts() == ["Back"]
        expect(page.locator("#screen input")).to_have_count(0)
        assert len(line.requests()) == requests
        page.context.close()
