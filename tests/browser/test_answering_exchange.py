"""An invitation that is exchanged for a token, and a code that keeps the disguise over two rounds."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Response, Route, expect

from privacy.blind_signatures.tokens import LONGEST_WAIT, SHORT_WAIT
from privacy.designs import parse_design
from privacy.mechanisms import permanent_draws
from privacy.mechanisms.permanent_draws import study_fingerprint
from privacy.records import Record, read_record
from tests.browser.conftest import (
    ANSWER,
    TRUTH,
    Asked,
    Line,
    NewPage,
    Respondent,
    Visit,
    get_survey,
    inbox,
    record_line,
    wait_for_receipt,
)
from tests.browser.questionnaires import SHORT
from tests.browser.test_answering_traces import SNAPSHOT
from tests.browser.visiting import Visitor, fits_a_phone, press_key_on, shell
from tests.intake.asked import primes, signing_key
from tests.product import Product

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]
MODULES = {"exchange", "blinding", "base64url", "blindrsa"}
DESIGN = SHORT | {"invitation_key": signing_key().public.text, "contact": "board@example.org"}
MAKE = """
from intake.invitations.tokens import create_tokens
from surveys.models import InvitationKey
from tests.intake import asked
survey = asked.survey(parse_design({design!r}), invited=True)
InvitationKey.objects.create(survey=survey, primes={primes!r})
print(json.dumps([survey.address, create_tokens(survey, 3)]))
"""
AFTER = 1000 * LONGEST_WAIT
LATER = "This page has drawn a moment within the day"


@pytest.fixture
def survey(product: Product) -> Asked:
    address, tokens = json.loads(shell(product, MAKE.format(design=json.dumps(DESIGN), primes=primes())))
    return Asked(address, tokens, parse_design(json.dumps(DESIGN)))


def posts(page: Page, survey: Asked) -> list[tuple[str, dict[str, Any]]]:
    """From now on what this page sends: the last part of the address, and the body."""
    sent: list[tuple[str, dict[str, Any]]] = []

    def note_post(request: Request) -> None:
        if request.method == "POST":
            sent.append((request.url.rpartition("/")[2], json.loads(request.post_data or "")))

    page.on("request", note_post)
    return sent


def begin_exchange(page: Page) -> Respondent:
    """After the exchange, at the first question."""
    respondent = Respondent(page).agree_and_begin()
    page.locator("#screen .onward").wait_for()
    return respondent


def handed_in(respondent: Respondent) -> None:
    """All is answered, and *Send* pressed."""
    while respondent.choose(TRUTH):
        respondent.press_button("Continue")
    respondent.send()


def test_send_now_warns_what_it_reveals_and_sends(visit: Visit, product: Product, survey: Asked) -> None:
    page = visit().go(f"{survey.address}#{survey.tokens[0]}")
    respondent = begin_exchange(page)
    handed_in(respondent)
    expect(page.get_by_text("guess from the times which invitation")).to_be_visible()
    assert inbox(product, survey) == []
    respondent.press_button("Send now")
    wait_for_receipt(page)
    assert len(inbox(product, survey)) == 1


def test_closed_tab_loses_no_invitation_or_record(visit: Visit, product: Product, survey: Asked) -> None:
    """Opened again in this browser, with or without the link; a third person's link there begins their own."""
    page = visit().go(f"{survey.address}#{survey.tokens[0]}")
    sent = posts(page, survey)
    token = begin_exchange(page).tab_storage()["token"]
    later: list[list[tuple[str, dict[str, Any]]]] = []

    def reopen(address: str) -> Page:
        nonlocal page
        before, page = page, page.context.new_page()
        later.append(posts(page, survey))
        page.clock.install()
        page.goto(f"{product.url}{address}")
        before.close()
        return page

    expect(reopen(survey.address).get_by_text("This browser still has an invitation")).to_be_visible()
    reopen(f"{survey.address}#{survey.tokens[0]}")
    respondent = begin_exchange(page)
    assert respondent.tab_storage()["token"] == token
    handed_in(respondent)
    page.get_by_text(LATER).wait_for()
    reopen(f"{survey.address}#{survey.tokens[1]}")
    expect(page.locator("[data-agree]:visible")).to_be_visible()
    for address in (survey.address, f"{survey.address}#{survey.tokens[0]}"):
        reopen(address).get_by_text(LATER).wait_for()
    assert [name for name, _body in sum(later, sent)] == ["exchange"]
    page.clock.fast_forward(AFTER)
    page.get_by_role("heading", name="Your answers have been received").wait_for()
    assert len(inbox(product, survey)) == 1
    assert page.evaluate("Object.keys(localStorage)") == []


def test_record_waits_in_the_tab_without_storage(visit: Visit, product: Product, survey: Asked) -> None:
    page = visit().page
    page.clock.install()
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error(); } });")
    page.goto(f"{product.url}{survey.address}#{survey.tokens[0]}")
    handed_in(begin_exchange(page))
    expect(page.get_by_text("more seconds, so that its time does not tell")).to_be_visible()
    assert inbox(product, survey) == []
    page.clock.fast_forward(1000 * SHORT_WAIT[1])
    wait_for_receipt(page)


def test_page_repeats_the_same_exchange_after_a_lost_answer(visit: Visit, survey: Asked) -> None:
    """The server has signed, and nobody hears of it; the page says what it does, and a reload goes on."""
    page = visit().go(f"{survey.address}#{survey.tokens[0]}")
    sent = posts(page, survey)
    lost: list[str] = []

    def lose_answer(route: Route) -> None:
        lost.append(route.fetch().text())
        route.abort()

    page.route(f"**{survey.address}/exchange", lose_answer, times=2)
    Respondent(page).agree_and_begin()
    expect(page.get_by_text("Nothing is lost: the next try is in")).to_be_visible()
    page.get_by_role("button", name="Try now").click()
    page.reload()
    begin_exchange(page)
    assert len({body["blinded"] for _name, body in sent}) == 1
    assert len(lost) >= 1
    assert '"signed"' in lost[0]


def test_exchange_waits_for_the_network_and_belongs_to_its_tab(visit: Visit, survey: Asked) -> None:
    visitor, link = visit(), f"{survey.address}#{survey.tokens[0]}"
    page = visitor.go(link)
    sent = posts(page, survey)
    page.context.set_offline(True)
    respondent = Respondent(page).agree_and_begin()
    expect(page.get_by_text("the exchange goes on when you are back online")).to_be_visible()
    page.context.set_offline(False)
    page.locator("#screen .onward").wait_for()
    token = respondent.tab_storage()["token"]
    page.reload()
    begin_exchange(page)
    assert respondent.tab_storage()["token"] == token
    visitor.go("/app/limits")
    visitor.go(link)
    begin_exchange(page)
    assert respondent.tab_storage()["token"] == token
    assert [name for name, _body in sent] == ["exchange"]

    elsewhere = visit().go(link)
    Respondent(elsewhere).agree_and_begin()
    elsewhere.get_by_role("heading", name="This invitation link cannot be used").wait_for()
    said = ("that one may still have your invitation", "ask the people who invited you", "board@example.org")
    for words in said:
        expect(elsewhere.locator("#screen").get_by_text(words)).to_be_visible()


def test_exchange_module_is_loaded_only_for_an_exchange(
    new_page: NewPage, product: Product, survey: Asked
) -> None:
    """At most 60 kB over the line, headers included, in two languages, beside the modules and the bundle."""
    module: dict[str, int] = {}

    def note_module_size(response: Response) -> None:
        name = response.url.rpartition("/")[2].partition(".")[0]
        if name in MODULES:
            module[name] = int(response.headers["content-length"])

    with record_line(product) as line:
        page = new_page()
        page.on("response", note_module_size)
        page.goto(line.url + survey.address, wait_until="networkidle")
        print(f"{line.bytes_received()} bytes, of these {module}")
        assert module.keys() == MODULES
        assert line.bytes_received() - sum(module.values()) <= 60_000
    with record_line(product) as line:
        new_page().goto(line.url + get_survey(product, "invited").address, wait_until="networkidle")
        assert not any(b"blindrsa" in request or b"intake/exchange" in request for request in line.requests())


# --- Two rounds on two devices with one code

TRUE_IN_ROUNDS = {0: 1, 1: 1, 2: 0, 3: 1}


class Traced:
    """A device with whoever listens on its line, and what a page leaves at every step."""

    def __init__(self, page: Page, line: Line, survey: Asked) -> None:
        self.page, self.line, self.survey = page, line, survey
        self.respondent = Respondent(page)
        self.seen = ""

    def take_snapshot(self) -> None:
        self.seen += json.dumps(self.page.evaluate(SNAPSHOT))

    def start(self) -> None:
        self.page.goto(self.line.url + self.survey.address)
        self.respondent.agree_and_begin()
        self.take_snapshot()

    def type(self, code: str) -> None:
        self.page.locator("#code").fill(code)
        self.take_snapshot()
        self.respondent.press_button("Continue")

    def answers_until_receipt(self) -> tuple[int, ...]:
        self.page.get_by_role("heading", name="Work?").wait_for()
        self.take_snapshot()
        self.page.evaluate(ANSWER, [{str(place): answer for place, answer in TRUE_IN_ROUNDS.items()}, 1, 50])
        self.take_snapshot()
        self.respondent.send()
        wait_for_receipt(self.page)
        self.take_snapshot()
        record: dict[str, Any] = self.respondent.receipt()
        return read_record(self.survey.design, Record(**record))

    def shows_code(self, code: str) -> bool:
        """Whether any form of the code is in what went over the line or was left in the browser."""
        left = self.seen.encode() + b"".join(self.line.requests())
        bare = code.replace("-", "")
        raw = permanent_draws.read_person_code(code, study_fingerprint(self.survey.design))
        assert raw is not None
        forms = (code, bare, bare.lower(), raw.hex(), json.dumps(list(raw))[1:-1])
        return any(form.encode() in left for form in forms)


def test_code_page_is_accessible_and_forgets_the_code(visitor: Visitor, product: Product) -> None:
    page = visitor.go(get_survey(product, "lasting").address)
    page.locator("[data-agree]:visible").click()
    press_key_on(page, page.locator("section[aria-labelledby=no-code] button"))
    code = page.locator(".person-code")
    shown = code.inner_text()
    visitor.check()
    page.get_by_role("button", name="العربيّة").click()
    assert page.locator("html").get_attribute("dir") == "rtl"
    assert (code.inner_text(), code.get_attribute("dir")) == (shown, "ltr")
    fits_a_phone(page)
    page.reload()
    page.locator("[data-agree]:visible").click()
    expect(code).to_have_count(0)
    screen = page.locator("#screen").inner_text()
    assert screen.index("Your code from an earlier round") < screen.index("If you have no code")


def test_code_is_neither_made_nor_typed_without_https(new_page: NewPage, product: Product) -> None:
    """Browsers offer no `crypto.subtle` there."""
    with record_line(product) as line:
        page = new_page()
        page.add_init_script("Object.defineProperty(crypto, 'subtle', { value: undefined })")
        page.goto(line.url + get_survey(product, "lasting").address)
        requests = len(line.requests())
        Respondent(page).agree_and_begin()
        expect(page.locator("#screen .notice.error")).to_contain_text("its address does not begin with https")
        assert page.locator("#screen").get_by_role("button").all_inner_texts() == ["Back"]
        expect(page.locator("#screen input")).to_have_count(0)
        assert len(line.requests()) == requests
