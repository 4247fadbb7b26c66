"""A real browser on the real product, whose every page is watched for strangers and refusals; and respondents in it."""

import json
import os
import re
import socket
import sqlite3
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Error, Page, Playwright, expect, sync_playwright

from privacy.designs import Design, parse_design
from privacy.mechanisms.random_draws import RandomWords
from tests import servers
from tests.browser.questionnaires import SURVEYS
from tests.browser.visiting import (
    FLAGS,
    HEADLESS,
    Draft,
    Make,
    Profiles,
    Visitor,
    draft_maker,
    profile,
    shell,
    usual_sections,
)
from tests.product import Product, product as start_product

__all__ = ["Draft", "Make", "Visitor"]  # beside its own names

# --- respondents ---


MAKE = """
from intake.invitations.tokens import create_tokens
from tests.intake import asked
made = {}
for name, what in json.loads(%r).items():
    survey = asked.survey(parse_design(json.dumps(what.pop("design"))), **what)
    made[name] = [survey.address, create_tokens(survey, 5) if survey.invited else []]
print(json.dumps(made))
"""


@dataclass
class Asked:
    """A survey of the running product."""

    address: str
    tokens: list[str]
    design: Design

    @property
    def record(self) -> str:
        return f"{self.address}/record"


_made: dict[Path, dict[str, Asked]] = {}


def get_survey(product: Product, name: str) -> Asked:
    """One of SURVEYS; all of them are made when the first is asked for."""
    if product.var not in _made:
        made = json.loads(shell(product, MAKE % json.dumps(SURVEYS)))
        _made[product.var] = {
            key: Asked(address, tokens, parse_design(json.dumps(SURVEYS[key]["design"])))
            for key, (address, tokens) in made.items()
        }
    return _made[product.var][name]


def database(product: Product) -> Any:
    return closing(sqlite3.connect(product.var / "candor.sqlite3", timeout=servers.PATIENCE))


def inbox(product: Product, survey: Asked) -> list[str]:
    """The records that wait: group and answer text."""
    with database(product) as rows:
        found = rows.execute(
            "SELECT record FROM intake_inbox JOIN surveys_survey ON surveys_survey.id = survey_id WHERE slug = ?",
            [survey.address.removeprefix("/a/")],
        )
        return sorted(record.decode() for (record,) in found)


def get_unanswered_survey(product: Product, name: str) -> Asked:
    """One of SURVEYS, as if nobody had ever answered any."""
    forget_all(product)
    return get_survey(product, name)


def close(product: Product, survey: Asked, hours: int = 0) -> None:
    """As if it had just been closed, or so many hours ago."""
    with database(product) as rows, rows:
        rows.execute(
            "UPDATE surveys_survey SET state = 'closed', closed_at = datetime('now', ?) WHERE slug = ?",
            [f"-{hours} hours", survey.address.removeprefix("/a/")],
        )


def forget_all(product: Product) -> None:
    """As if nobody had ever answered."""
    with database(product) as rows, rows:
        rows.execute("DELETE FROM intake_inbox")
        rows.execute("DELETE FROM intake_freshkey")


# --- a respondent --------------------------------------------------------------------------------

TRUTH = {0: 0, 1: 1, 2: 0}
"""Answers to the survey `short`: its plain question, theft, tax."""
WORDS = """words => {
  let spare = 1;
  crypto.getRandomValues = array => {
    for (let i = 0; i < array.length; i += 1)
      array[i] = words.length ? words.shift() : (spare = (spare * 48271) % 2147483647);
    return array;
  };
}"""


def fix_words(page: Page, words: Sequence[int]) -> None:
    """From its next load on this page draws these words first, and then always the same ones."""
    page.add_init_script(f"({WORDS})({json.dumps(list(words))})")


ACTS = """
  const all = query => [...document.querySelectorAll(query)];
  const press = words =>
    all("button").find(each => each.textContent.trim() === words && each.checkVisibility()).click();
  const choose = () => {
    const choice = document.getElementById(`group-${group}`);
    if (choice) return [choice.click()];
    const ids = all("#screen input[type=radio]").map(each => each.id.match(/^answer-([0-9]+)-[0-9]+$/)?.[1]);
    const places = [...new Set(ids.filter(Boolean))], typed = all("#screen .typed input");
    for (const place of places) document.getElementById(`answer-${place}-${truth[place] ?? 0}`).click();
    for (const input of typed) {
      input.value = truth[input.id.replace("answer-", "")] ?? 0;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    }
    return [...places, ...typed];
  };
"""
ANSWER = f"""([truth, group, most]) => {{{ACTS}
  if (all(".arm").length) press("Go on");
  for (let screen = 0; screen < most && choose().length; screen += 1) {{
    press("Continue");
    const wrong = document.querySelector(".error-summary");
    if (wrong) throw new Error(wrong.textContent);
  }}
}}"""
"""As `Respondent.choose` and "Continue" do, until nothing more is asked."""
CHOOSE = f"""([truth, group]) => {{{ACTS}
  return [choose().length > 0, all("h1").find(each => each.checkVisibility()).innerText];
}}"""
"""As `Respondent.choose` does; whether something is asked, and the heading."""


class Respondent:
    def __init__(self, page: Page) -> None:
        self.page = page

    def press_button(self, words: str) -> None:
        self.page.get_by_role("button", name=words, exact=True).click()

    def agree_and_begin(self) -> Self:
        self.page.locator("[data-agree]:visible").click()
        return self

    @property
    def heading(self) -> str:
        return self.page.locator("h1:visible").inner_text()

    @property
    def question_numbers(self) -> list[int]:
        """The questions on the screen."""
        ids = self.page.locator("#screen input[type=radio]").evaluate_all("all => all.map(e => e.id)")
        return sorted({int(match[1]) for id_ in ids if (match := re.fullmatch(r"answer-(\d+)-\d+", id_))})

    @property
    def typed_question_numbers(self) -> list[int]:
        """The questions on the screen that take a number."""
        ids = self.page.locator("#screen .typed input").evaluate_all("all => all.map(e => e.id)")
        return [int(id_.removeprefix("answer-")) for id_ in ids]

    def choose(self, truth: Mapping[int, int], group: int = 1) -> bool:
        """Answer what is on the screen, by a choice's code or a number; False where nothing is asked."""
        if self.page.locator(f"#group-{group}").count():
            self.page.check(f"#group-{group}")
            return True
        for place in self.question_numbers:
            self.page.check(f"#answer-{place}-{truth.get(place, 0)}")
        for place in self.typed_question_numbers:
            self.page.locator(f"#answer-{place}").press_sequentially(str(truth.get(place, 0)))
        return bool(self.question_numbers or self.typed_question_numbers)

    def screens(self, truth: Mapping[int, int], group: int = 1, *, by_hand: bool = False) -> Iterator[str]:
        """From the start to the check, screen by screen; each answered when it is handed out, by a script: that costs
        a quarter of what clicks and keys, `by_hand`, cost. From these a browser learns what was entered."""
        self.agree_and_begin()
        if self.page.locator(".arm").count():
            yield self.heading
            self.press_button("Go on")
        script = [{str(place): answer for place, answer in truth.items()}, group]
        while by_hand:
            is_asked = self.choose(truth, group)
            yield self.heading
            if not is_asked:
                return
            self.press_button("Continue")
        while True:
            is_asked, heading = self.page.evaluate(CHOOSE, script)
            yield heading
            if not is_asked:
                return
            self.page.evaluate(f"() => {{{ACTS} press('Continue'); }}")

    def answer(
        self, truth: Mapping[int, int], group: int = 1, screens: int = 50, *, is_begun: bool = False
    ) -> Self:
        """From the start to the check, or so many screens far, without a look at them on the way."""
        if not is_begun:
            self.agree_and_begin()
        self.page.evaluate(ANSWER, [{str(place): answer for place, answer in truth.items()}, group, screens])
        return self

    def go_on(self, truth: Mapping[int, int], group: int = 1) -> None:
        self.choose(truth, group)
        self.press_button("Continue")

    def send(self, truth: Mapping[int, int] | None = None, group: int = 1) -> Self:
        """What is answered, or first answer all of this."""
        if truth is not None:
            self.answer(truth, group)
        self.press_button("Send")
        return self

    def deliver(self, truth: Mapping[int, int] | None = None, group: int = 1) -> None:
        """Send, wait until the record has arrived, and unfold the receipt."""
        self.send(truth, group)
        wait_for_receipt(self.page)

    def receipt(self) -> dict[str, Any]:
        """The record that the receipt shows, once it is there."""
        record: dict[str, Any] = json.loads(self.page.locator("pre.bytes").first.text_content() or "")
        return record

    def tab_storage(self) -> dict[str, Any]:
        """What the tab keeps for this survey."""
        text = self.page.evaluate("sessionStorage.getItem(location.pathname)")
        return json.loads(text) if text else {}


def wait_for_receipt_heading(page: Page) -> None:
    """Wait until the page says so; where it is an answer to the form, it has no receipt."""
    page.get_by_role("heading", name="Your answers have been received").wait_for()


def wait_for_receipt(page: Page) -> None:
    """Wait until the record has, and unfold the receipt."""
    wait_for_receipt_heading(page)
    page.locator("#screen > details").evaluate("receipt => { receipt.open = true; }")


# --- whoever listens on the line -------------------------------------------------------------------


@dataclass
class Line:
    """Everything that went over the network, byte by byte."""

    url: str
    sent: list[bytearray] = field(default_factory=list)
    received: list[bytearray] = field(default_factory=list)

    def requests(self) -> list[bytes]:
        """Every request with its headers and body; sorted, since a browser opens lines as it likes."""
        found = []
        for stream in self.sent:
            rest = bytes(stream)
            while rest:
                head, _, rest = rest.partition(b"\r\n\r\n")
                length = re.search(rb"\r\ncontent-length: (\d+)", head.lower())
                size = int(length[1]) if length else 0
                found.append(head + b"\r\n\r\n" + rest[:size])
                rest = rest[size:]
        return sorted(found)

    def bytes_received(self) -> int:
        return sum(map(len, self.received))


@contextmanager
def record_line(product: Product, port: int = 0) -> Iterator[Line]:
    """The product behind a line that is listened to, at a free port or at this one."""
    target = urlsplit(product.url)
    server = socket.create_server(("127.0.0.1", port))
    line = Line(f"http://127.0.0.1:{server.getsockname()[1]}")
    ends: list[socket.socket] = [server]
    threads: list[threading.Thread] = []

    def start(work: Callable[..., None], *words: Any) -> None:
        threads.append(threading.Thread(target=work, args=words))
        threads[-1].start()

    def forward_bytes(source: socket.socket, sink: socket.socket, heard: bytearray) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                heard.extend(data)
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                browser, _address = server.accept()
                inside = socket.create_connection((target.hostname, target.port))
                ends.extend((browser, inside))
                line.sent.append(bytearray())
                line.received.append(bytearray())
                start(forward_bytes, browser, inside, line.sent[-1])
                start(forward_bytes, inside, browser, line.received[-1])

    start(accept)
    try:
        yield line
    finally:
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()
        for end in ends:
            end.close()


# --- which random words a respondent's page has drawn, so that the Python twin can throw the same coins

NOTE = """() => {
  const real = crypto.getRandomValues.bind(crypto);
  window.words = [];
  crypto.getRandomValues = array => { real(array); window.words.push(...array); return array; };
}"""


def note_drawn_words(page: Page) -> None:
    """From its next load on this page remembers which words it draws, in its memory."""
    page.add_init_script(f"({NOTE})()")


def drawn_words(page: Page) -> RandomWords:
    """The words that this page has drawn since it was loaded."""
    return RandomWords(32, iter(page.evaluate("window.words")).__next__)


# --- browsers, and who visits ---


_browsers: list[Browser] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Takes a picture of each page that is open where a test fails, and prints their paths with its failure."""
    report = yield
    if report.when == "call" and report.failed:
        pages = [page for browser in _browsers for context in browser.contexts for page in context.pages]
        folder = servers.ROOT / "var" / "screenshots"
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for number, page in enumerate(page for page in pages if page.url != "about:blank"):
            path = folder / f"{re.sub(r'[^A-Za-z0-9]+', '-', item.name)[:100]}-{number}.png"
            try:
                page.screenshot(path=path, timeout=10_000)
            except Error:  # the page is just going somewhere, or has crashed
                continue
            paths.append(f"{path} ({page.url})")
        if paths:
            report.sections.append(("screenshots", "\n".join(paths)))
    return report


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with start_product(tmp_path_factory.mktemp("product")) as running:
        yield running


SUPERUSER = 'Person.objects.create_superuser("superuser", "superuser@example.org", "a long password 1")'


@pytest.fixture(scope="session")
def superuser(product: Product) -> str:
    """The role of somebody that the demonstration itself has not."""
    shell(product, SUPERUSER)
    product.others["superuser"] = ("superuser", "a long password 1")
    return "superuser"


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """The one of this process: a second one cannot start beside it."""
    with sync_playwright() as running:
        expect.set_options(timeout=servers.PATIENCE * 1000)
        yield running


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    # Another font would move what the tests measure.
    fonts: dict[str, str | float | bool] = {
        **os.environ,
        "FONTCONFIG_FILE": str(Path(__file__).with_name("fonts.conf")),
    }
    browser = playwright.chromium.launch(executable_path=HEADLESS, args=FLAGS, env=fonts)
    _browsers.append(browser)
    yield browser
    _browsers.remove(browser)
    browser.close()


@pytest.fixture(scope="session")
def profiles(chromium: Browser) -> Profiles:
    return Profiles(chromium)


@contextmanager
def open_visitor(
    profiles: Profiles, product: Product, role: str | None = None, *, used: bool = False, **options: Any
) -> Iterator[Visitor]:
    """In an empty browser profile, which others may have `used`, as it is for all who sign in.

    On leaving, nothing foreign was fetched and no policy was broken.
    """
    page = (
        profiles.empty_profile_page(product.url, **options)
        if role or used
        else profiles.new_profile_page(**options)
    )
    visiting = Visitor(page, product)
    try:
        if role:
            visiting.be_signed_in(role)
        yield visiting
    finally:
        profiles.give_back(page)
    assert visiting.strangers == []
    assert visiting.complaints == []


Visit = Callable[..., Visitor]
NewPage = Callable[..., Page]


@pytest.fixture
def new_page(chromium: Browser) -> Iterator[NewPage]:
    """A page of a fresh profile, for a test that listens on its line; nothing that it fetches is complained of."""
    with ExitStack() as contexts:
        yield lambda **options: contexts.enter_context(profile(chromium, **options)).new_page()


@pytest.fixture
def visit(profiles: Profiles, product: Product, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """Open an empty browser profile, of somebody who is signed in where a role is named.

    A file whose tests neither look for what is left behind nor go offline has USED_PROFILES: that a process has no
    network holds for all of its tabs.
    """
    used = getattr(request.module, "USED_PROFILES", False)
    with ExitStack() as visitors:
        yield lambda role=None, **options: visitors.enter_context(
            open_visitor(profiles, product, role, **{"used": used} | options)
        )


@pytest.fixture
def visitor(visit: Visit) -> Visitor:
    return visit()


@pytest.fixture
def robin(visit: Visit) -> Visitor:
    """A researcher."""
    return visit("researcher")


@pytest.fixture
def ruth(visit: Visit) -> Visitor:
    """A reviewer."""
    return visit("reviewer")


def unanswered_survey_fixture(name: str) -> Callable[[Product], Asked]:
    """One of SURVEYS that nobody has answered yet."""

    @pytest.fixture
    def survey(product: Product) -> Asked:
        return get_unanswered_survey(product, name)

    return survey


short, fourteen, numbers, places = map(unanswered_survey_fixture, ("short", "fourteen", "numbers", "places"))
bands, invited = map(unanswered_survey_fixture, ("bands", "invited"))
mixture, sets, battery, understanding = map(
    unanswered_survey_fixture, ("mixture", "sets", "battery", "understanding")
)


@pytest.fixture
def make(product: Product) -> Make:
    return draft_maker(product)


@pytest.fixture
def draft(make: Make) -> Draft:
    return make(*usual_sections())
