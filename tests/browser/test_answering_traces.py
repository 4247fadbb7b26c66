"""Whatever leaves the page is the record, and nothing else of what was answered."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from privacy.mechanisms.disguise_by_given_coins import disguise
from privacy.mechanisms.random_draws import draw_coins
from privacy.records import Record
from tests.browser.conftest import (
    Asked,
    Respondent,
    database,
    drawn_words,
    fix_words,
    forget_all,
    get_survey,
    inbox,
    note_drawn_words,
    record_line,
)
from tests.browser.questionnaires import TRUE_CELL, TRUE_NAMES, TRUE_NUMBER
from tests.browser.visiting import CHROMIUM, FLAGS, profile
from tests.privacy.mechanisms.test_twin import redraw_shuffle_coins
from tests.product import Product
from tests.servers import wait

pytestmark = [pytest.mark.browser, pytest.mark.night(smaller="browser/test_journeys.py")]

# One coin for the section, then one per question: 9999 replaces, and chance draws the first choice of each.
REPLACED = [9999, 0, 0]
# The same, but chance draws a yes and a no.
YES_AND_NO = [9999, 9999, 0]
SNAPSHOT = """async () => ({
    session: {...sessionStorage}, local: {...localStorage}, cookie: document.cookie,
    databases: await indexedDB.databases(), caches: await caches.keys(),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    history: [history.length, history.state], address: location.href, title: document.title,
    window: window.name, fetched: performance.getEntriesByType('resource').map(e => e.name).sort()})"""


@pytest.fixture(scope="module", autouse=True)
def worker(product: Product) -> None:
    """What a worker says as it starts would stand in one trace and not in the other."""
    wait(lambda: product.ask("GET", "/healthz").status == 200, "the worker being heard")


@dataclass
class Trace:
    requests: list[bytes] = field(default_factory=list)
    snapshots: list[dict[str, Any]] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    cookies: list[Any] = field(default_factory=list)
    receipt: str = ""
    log: str = ""
    inbox: list[str] = field(default_factory=list)
    keys: list[Any] = field(default_factory=list)

    @property
    def arrived(self) -> tuple[object, ...]:
        """What left the device, and what became of it."""
        return self.requests, self.receipt, self.log, self.inbox


def trace_answering(
    page: Page,
    product: Product,
    survey: Asked,
    truth: Mapping[int, int],
    url: str,
    trace: Trace,
    *,
    by_hand: bool = False,
) -> None:
    """From the first paint to the receipt, writing down what there is to be seen at every step."""
    logged = len(product.logs())
    page.on("console", lambda message: trace.console.append(message.text))
    page.on("pageerror", lambda error: trace.console.append(str(error)))

    def take_snapshot() -> None:
        trace.snapshots.append(json.loads(json.dumps(page.evaluate(SNAPSHOT)).replace(url, "")))

    respondent = Respondent(page)
    page.goto(url + survey.address)
    page.wait_for_load_state("networkidle")  # what is still on its way at the first look differs by chance
    take_snapshot()
    for _screen in respondent.screens(truth, by_hand=by_hand):
        take_snapshot()
    respondent.deliver()
    take_snapshot()
    trace.receipt = page.locator("main").inner_html()
    trace.cookies = list(page.context.cookies())
    trace.log = product.logs()[logged:]
    trace.inbox = inbox(product, survey)
    with database(product) as rows:
        trace.keys = rows.execute("SELECT hash, survey_id FROM intake_freshkey").fetchall()


def trace_of_answering(
    chromium: Browser, product: Product, survey: Asked, truth: Mapping[int, int], words: list[int]
) -> Trace:
    forget_all(product)
    trace = Trace()
    with record_line(product) as line:
        page = profile(chromium).new_page()
        fix_words(page, words)
        trace_answering(page, product, survey, truth, line.url, trace)
        page.context.close()
        ports = (line.url.encode(), line.url.removeprefix("http://").encode())
        trace.requests = [one.replace(ports[0], b"").replace(ports[1], b"") for one in line.requests()]
    return trace


@pytest.fixture(scope="module")
def first_trace(worker: None, chromium: Browser, product: Product) -> Trace:
    return trace_of_answering(chromium, product, get_survey(product, "short"), {0: 1, 1: 0, 2: 0}, YES_AND_NO)


Person = tuple[dict[int, int], list[int]]
"""Answers and coins."""


@dataclass(frozen=True)
class Alike:
    """People who answer this survey and leave one record."""

    record: str
    replaced: Person
    """Whose coins let chance speak."""
    other: Person
    """With another truth."""
    near: Person
    """Whose truth, or what is near it, is kept."""


# Of each number. Debt: below the limit 2,000; hours: 777; balance: at least 0.
UNKEPT = [2, 9999, 0, *[0, 0, 777], 1, 9999, 1, 19, 0, 0, 0]
ALIKE = {
    "numbers": Alike(
        record="1002077708",
        replaced=({0: 0, 1: 1700, 2: 40, 3: -950}, UNKEPT),
        other=({0: 0, 1: 9999, 2: 1000, 3: 650}, UNKEPT),
        # 1,700 is below 2,000; 700 is shifted to 777, no more than 100 off; 150 is at least 0, and no bit is sent.
        near=({0: 0, 1: 1700, 2: 700, 3: 150}, [2, 0, 1, *[9999, 177, 3], 1, 0, 0, 19, 0, 0, 0]),
    ),
    "places": Alike(
        record="10011",
        # Home: of the 1976 sides 1476 to 1575 are the second place inside, Quarter A2, for C3, which is inside. Work:
        # of the 2,000 sides 1,800 and more are Stop 1 for Stop 5 and Stop 2.
        replaced=({0: 0, 1: 10, 2: 5}, [1550, 1850]),
        # For D4, which is outside, 1376 to 1475 are Quarter A2.
        other=({0: 0, 1: 15, 2: 7}, [1400, 1850]),
        # Quarter A2 is near A1. Stop 1 is itself.
        near=({0: 0, 1: 0, 2: 1}, [738, 0]),
    ),
}


@pytest.mark.parametrize("survey", ALIKE)
def test_numbers_and_places_that_give_the_same_record_leave_the_same_traces(
    worker: None, chromium: Browser, product: Product, survey: str
) -> None:
    """Also of one truth that chance drew and another that was kept."""
    people = ALIKE[survey]
    replaced, other, near = (
        trace_of_answering(chromium, product, get_survey(product, survey), *person)
        for person in (people.replaced, people.other, people.near)
    )
    assert replaced.inbox == near.inbox == [people.record]
    assert replaced == other
    assert near.arrived == replaced.arrived


def test_kept_true_answer_looks_like_a_drawn_one(
    first_trace: Trace, chromium: Browser, product: Product
) -> None:
    kept = trace_of_answering(chromium, product, get_survey(product, "short"), {0: 1, 1: 1, 2: 0}, [0, 0, 0])
    assert kept.inbox == ["1110"]
    assert kept.arrived == first_trace.arrived


def test_record_is_the_only_request_after_the_first_load(
    chromium: Browser, product: Product, short: Asked
) -> None:
    with record_line(product) as line:
        page = profile(chromium).new_page()
        page.goto(line.url + short.address)
        page.wait_for_load_state("networkidle")
        loaded = len(line.requests())
        respondent = Respondent(page).answer({0: 0, 1: 1, 2: 0})
        assert len(line.requests()) == loaded
        respondent.deliver()
        later = [request for request in line.requests() if b"POST" in request[:4]]
        assert len(line.requests()) == loaded + 1
        page.context.close()
    head, _, body = later[0].partition(b"\r\n\r\n")
    assert head.startswith(f"POST {short.record} HTTP/1.1".encode())
    assert set(json.loads(body)) == {"epoch", "key", "record"}
    names = {line.split(b":")[0].lower() for line in head.split(b"\r\n")[1:]}
    assert not names & {b"cookie", b"referer", b"authorization", b"content-encoding"}


def answer_without_sending(chromium: Browser, product: Product) -> tuple[Asked, Respondent, dict[int, int]]:
    """A page on which the true answers are given and not sent; its coins are noted."""
    survey = get_survey(product, "fourteen")
    forget_all(product)
    page = profile(chromium).new_page()
    note_drawn_words(page)
    page.goto(product.url + survey.address)
    respondent = Respondent(page)
    truth = {place: place % 2 for place in range(len(survey.design.questions))}
    respondent.answer(truth)
    return survey, respondent, truth


def sent_by(respondent: Respondent) -> Record:
    respondent.deliver()
    sent = respondent.receipt()
    respondent.page.context.close()
    return Record(**sent)


def test_reload_draws_new_coins_for_the_same_questions(chromium: Browser, product: Product) -> None:
    survey, respondent, truth = answer_without_sending(chromium, product)
    before = draw_coins(survey.design, drawn_words(respondent.page))
    respondent.page.reload()
    respondent.answer(truth)
    after = redraw_shuffle_coins(survey.design, before, drawn_words(respondent.page))
    assert sent_by(respondent) == disguise(survey.design, after, 1, list(truth.values()))


TYPED = [str(TRUE_NUMBER), f"{TRUE_NUMBER:,}"]
SECRETS: dict[str, tuple[dict[int, int], list[str], list[int]]] = {
    "secret": ({0: 1, 1: 2}, TRUE_NAMES, REPLACED),
    "secret number": ({0: TRUE_NUMBER}, TYPED, REPLACED),
    "secret place": ({0: 2}, [TRUE_CELL], [200]),
}
"""By survey the true answers, the words of them, and coins that replace every answer; of the 400 sides of the place 200
to 299 are the first of the others."""


def has_word(content: bytes, word: str) -> bool:
    return word.encode() in content or word.encode("utf-16-le") in content


def database_dump(product: Product) -> str:
    with database(product) as rows:
        tables = [name for (name,) in rows.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rest = [name for name in tables if name != "surveys_design"]
        return repr([rows.execute(f'SELECT * FROM "{name}"').fetchall() for name in rest])


def test_true_answers_are_only_in_the_page(
    worker: None, chromium: Browser, product: Product, tmp_path: Path
) -> None:
    """One person answers all of `SECRETS`: names of answers, a number that is typed and a place that is chosen."""
    folder = tmp_path / "profile"
    traces = {name: Trace() for name in SECRETS}
    # Both a name and a label stand in the database as part of the design, so that is read table by table.
    dumps = []
    with record_line(product) as line:
        context = chromium.browser_type.launch_persistent_context(
            folder, executable_path=CHROMIUM, args=FLAGS
        )
        for name, (truth, _words, coins) in SECRETS.items():
            forget_all(product)
            page = context.new_page()
            fix_words(page, coins)
            trace_answering(
                page, product, get_survey(product, name), truth, line.url, traces[name], by_hand=True
            )
            dumps.append(database_dump(product))
        context.close()
        sent = b"".join(bytes(stream) for stream in line.sent)
    records = {name: trace.inbox for name, trace in traces.items()}
    assert records == {"secret": ["100"], "secret number": ["10"], "secret place": ["10"]}
    files = [path for place in (folder, product.var) for path in place.rglob("*") if path.is_file()]
    places = {str(path): path.read_bytes() for path in files if "candor.sqlite3" not in path.name}
    assert len(places) > 20
    for name, trace in traces.items():
        seen = [trace.snapshots, trace.console, trace.cookies, trace.log, trace.inbox, trace.receipt]
        places[f"what was seen of {name}"] = json.dumps(seen, ensure_ascii=False).encode()
    places |= {"the requests": sent, "the database": "".join(dumps).encode()}
    words = [word for _truth, words, _coins in SECRETS.values() for word in words]
    found = {word: [place for place, content in places.items() if has_word(content, word)] for word in words}
    assert {word: where for word, where in found.items() if where} == {}
