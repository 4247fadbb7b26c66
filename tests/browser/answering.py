"""The cast of the answering tests: surveys in the running product, a scripted respondent, and whoever listens."""

import json
import re
import secrets
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page

from privacy.designs import Design, parse
from tests import servers
from tests.product import Product

YES_NO = ["no", "yes"]
TRUE_NAMES = [f"true-{secrets.token_hex(8)}" for _place in range(2)]
"""What the true answers are called in the survey `secret`: strings that occur nowhere else in the world."""


def both(english: str, chinese: str) -> dict[str, str]:
    return {"en": english, "zh-hans": chinese}


def yes_no(name: str, english: str, chinese: str) -> dict[str, Any]:
    return {"name": name, "form": "yes-no", "choices": YES_NO, "text": both(english, chinese)}


def choice(name: str, english: str, chinese: str) -> dict[str, Any]:
    return {"name": name, "label": both(english, chinese)}


WORK = {
    "name": "work",
    "form": "one",
    "text": both("What is your situation at work?", "您的工作状况如何？"),
    "help": both("Choose the one that takes most of your time.", "请选占用您时间最多的一项。"),
    "choices": [choice("employed", "Employed", "受雇"), choice("none", "Not in paid work", "没有有偿工作")],
}
HOW_OFTEN = {
    "name": "how-often",
    "form": "scale",
    "text": both("How often have you driven after drinking?", "您酒后驾车有多频繁？"),
    "choices": [
        choice("never", "Never", "从不"),
        choice("once", "Once", "一次"),
        choice("more", "More often", "更多次"),
        choice("silent", "I prefer not to say", "不想说"),
    ],
    "noise": ["0.4", "0.2", "0.2", "0.2"],
}
DRUGS = [
    ("cannabis", "Cannabis", "大麻"),
    ("pills", "Sleeping pills", "安眠药"),
    ("cocaine", "Cocaine", "可卡因"),
]
USED = [
    {
        "name": name,
        "form": "many",
        "of": "used",
        "text": both("Which of these have you used this year?", "今年您用过以下哪些？"),
        "help": both("Only without a prescription.", "仅指没有处方的情况。"),
        "choices": [{"name": "no"}, choice("yes", english, chinese)],
    }
    for name, english, chinese in DRUGS
]
TEXTS: dict[str, Any] = {
    "format": "candor-design/1",
    "languages": ["en", "zh-hans"],
    "title": both("Work, money and health", "工作、金钱与健康"),
    "asker": both("Institute for Social Research, University of Exampleton", "示例大学社会研究所"),
    "why": both(
        "To learn how common some things are that people rarely admit, so that advice centres can plan for them.",
        "了解一些人们很少承认的事情有多普遍，以便咨询中心做出安排。",
    ),
    "intro": both(
        "Fourteen short questions about how people really live. Nobody likes to answer some of them, and for"
        " those this page works differently from others.",
        "十四个关于人们真实生活的简短问题。其中有些没人愿意回答，对于这些问题，本页的做法与众不同。",
    ),
    "consent": both(
        "I am 18 or older, I have read how my answers are disguised, and I take part of my own free will.",
        "我已年满18岁，已阅读我的回答如何被伪装，并自愿参加。",
    ),
    "thanks": both("Thank you for your candour.", "感谢您的坦诚。"),
    "contact": "survey@exampleton.example",
    "minutes": 4,
    "retention": "2099-12-31",
    "open_answers": True,
}
AGE = {
    "name": "age",
    "form": "one",
    "role": "quasi",
    "text": both("How old are you?", "您多大年纪？"),
    "choices": [
        choice("18-39", "18 to 39", "18至39岁"),
        choice("40-64", "40 to 64", "40至64岁"),
        choice("65+", "65 or older", "65岁以上"),
    ],
}
STOLEN = yes_no(
    "stolen", "Have you ever taken home what was not yours?", "您曾把不属于您的东西带回家吗？"
) | {"show_if": {"work": ["employed"]}}
FOURTEEN = TEXTS | {
    "sections": [
        {"kind": "plain", "questions": [AGE, WORK]},
        {
            "kind": "unrelated-question",
            "keep": "0.6",
            "questions": [
                STOLEN,
                yes_no("tax", "Have you ever left income out of a tax return?", "您是否曾在报税时漏报收入？"),
                yes_no(
                    "dole",
                    "Have you ever received a benefit you had no right to?",
                    "您是否曾领取无权领取的补助？",
                ),
                yes_no("lied", "Have you ever lied on a job application?", "您是否曾在求职申请中撒谎？"),
                yes_no(
                    "debt", "Do you have debts your family does not know of?", "您是否有家人不知道的欠债？"
                ),
                *USED,
            ],
        },
        {
            "kind": "unrelated-question",
            "keep": "0.5",
            "asked": 2,
            "questions": [
                HOW_OFTEN,
                yes_no("beaten", "Has anybody hit you at home this year?", "今年是否有人在家中打过您？"),
                yes_no("hit", "Have you hit anybody at home this year?", "今年您是否在家中打过人？"),
                yes_no("afraid", "Are you afraid of anybody at home?", "您害怕家里的某个人吗？"),
            ],
        },
    ]
}
SHORT = {
    "format": "candor-design/1",
    "title": "Short",
    "sections": [
        {"kind": "plain", "questions": [{"name": "work", "choices": ["employed", "none"], "text": "Work?"}]},
        {
            "kind": "unrelated-question",
            "keep": "0.5",
            "questions": [
                {"name": "theft", "choices": YES_NO, "text": "Stolen?"},
                {"name": "tax", "choices": YES_NO, "text": "Taxes?"},
            ],
        },
    ],
}
SECRET = {
    "format": "candor-design/1",
    "title": "Secret",
    "sections": [
        {
            "kind": "unrelated-question",
            "keep": "0.5",
            "questions": [
                {"name": "first", "choices": ["other", TRUE_NAMES[0]], "text": "First?"},
                {"name": "second", "choices": ["one", "two", TRUE_NAMES[1]], "text": "Second?"},
            ],
        }
    ],
}
SURVEYS: dict[str, dict[str, Any]] = {
    "fourteen": {"design": FOURTEEN},
    "short": {"design": SHORT},
    "secret": {"design": SECRET},
    "invited": {"design": SHORT, "invited": True},
    "closed": {"design": SHORT, "state": "closed"},
    "closing": {"design": SHORT},
    "rehearsed": {"design": SHORT | {"rehearsal": True}, "state": "closed"},
    "demo": {"design": json.loads((servers.ROOT / "config" / "demo.json").read_text())},
}
MAKE = """
import json, sys
from privacy.designs import parse
from surveys.invitations.making import generate
from tests.intake import asked
made = {}
for name, what in json.loads(%r).items():
    survey = asked.survey(parse(json.dumps(what.pop("design"))), **what)
    made[name] = [survey.address, generate(survey, 5) if survey.invited else []]
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


def asked(product: Product, name: str) -> Asked:
    """One of SURVEYS; all of them are made when the first is asked for."""
    if product.var not in _made:
        code = MAKE % json.dumps(SURVEYS)
        made = json.loads(servers.manage(product.env, "shell", "-v", "0", "-c", code))
        _made[product.var] = {
            key: Asked(address, tokens, parse(json.dumps(SURVEYS[key]["design"])))
            for key, (address, tokens) in made.items()
        }
    return _made[product.var][name]


def database(product: Product) -> Any:
    return closing(sqlite3.connect(product.var / "candor.sqlite3", timeout=20))


def inbox(product: Product, survey: Asked) -> list[str]:
    """The records that wait: group and answer text."""
    with database(product) as rows:
        found = rows.execute(
            "SELECT record FROM intake_inbox JOIN surveys_survey ON surveys_survey.id = survey_id WHERE slug = ?",
            [survey.address.removeprefix("/a/")],
        )
        return sorted(record.decode() for (record,) in found)


def close(product: Product, survey: Asked) -> None:
    """As if it had just been closed."""
    with database(product) as rows, rows:
        rows.execute(
            "UPDATE surveys_survey SET state = 'closed', closed_at = datetime('now') WHERE slug = ?",
            [survey.address.removeprefix("/a/")],
        )


def forget(product: Product) -> None:
    """As if nobody had ever answered."""
    with database(product) as rows, rows:
        rows.execute("DELETE FROM intake_inbox")
        rows.execute("DELETE FROM intake_freshkey")


# --- a respondent --------------------------------------------------------------------------------

WORDS = """words => {
  let spare = 1;
  crypto.getRandomValues = array => {
    for (let i = 0; i < array.length; i += 1)
      array[i] = words.length ? words.shift() : (spare = (spare * 48271) % 2147483647);
    return array;
  };
}"""


def throws(page: Page, words: Sequence[int]) -> None:
    """From its next load on this page draws these words first, and then always the same ones."""
    page.add_init_script(f"({WORDS})({json.dumps(list(words))})")


class Respondent:
    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, words: str) -> None:
        self.page.get_by_role("button", name=words, exact=True).click()

    def begin(self) -> None:
        self.page.locator("[data-agree]:visible").click()

    @property
    def heading(self) -> str:
        return self.page.locator("h1:visible").inner_text()

    @property
    def places(self) -> list[int]:
        """The questions on the screen."""
        ids = self.page.locator("#screen input[type=radio]").evaluate_all("all => all.map(e => e.id)")
        return sorted({int(match[1]) for id_ in ids if (match := re.fullmatch(r"answer-(\d+)-\d+", id_))})

    def choose(self, truth: Mapping[int, int], group: int = 1) -> bool:
        """Answer what is on the screen; False where nothing is asked."""
        if self.page.locator(f"#group-{group}").count():
            self.page.check(f"#group-{group}")
            return True
        for place in self.places:
            self.page.check(f"#answer-{place}-{truth.get(place, 0)}")
        return bool(self.places)

    def screens(self, truth: Mapping[int, int], group: int = 1) -> Iterator[str]:
        """From the start to the check, screen by screen; each answered when it is handed out."""
        self.begin()
        while self.choose(truth, group):
            yield self.heading
            self.press("Continue")
        yield self.heading

    def answer(self, truth: Mapping[int, int], group: int = 1) -> None:
        for _screen in self.screens(truth, group):
            pass

    def send(self) -> None:
        self.press("Send")

    def receipt(self) -> dict[str, Any]:
        """The record that the receipt shows, once it is there."""
        text = self.page.locator("pre.bytes").first.inner_text()
        record: dict[str, Any] = json.loads(text)
        return record

    def kept(self) -> dict[str, Any]:
        """What the tab keeps for this survey."""
        text = self.page.evaluate("sessionStorage.getItem(location.pathname)")
        return json.loads(text) if text else {}


def arrived(page: Page) -> None:
    """Wait until the record has."""
    page.get_by_role("heading", name="Your record has arrived").wait_for()


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
def listening(product: Product) -> Iterator[Line]:
    """The product behind a line that is listened to."""
    target = urlsplit(product.url)
    server = socket.create_server(("127.0.0.1", 0))
    line = Line(f"http://127.0.0.1:{server.getsockname()[1]}")
    ends: list[socket.socket] = [server]
    threads: list[threading.Thread] = []

    def start(work: Callable[..., None], *words: Any) -> None:
        threads.append(threading.Thread(target=work, args=words))
        threads[-1].start()

    def pump(source: socket.socket, sink: socket.socket, heard: bytearray) -> None:
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
                start(pump, browser, inside, line.sent[-1])
                start(pump, inside, browser, line.received[-1])

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
