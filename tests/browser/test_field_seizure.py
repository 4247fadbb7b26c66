"""A field device that is killed at any moment and then searched: nothing on it tells an answer or when it was given."""

import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Error, Frame, Page, Playwright, expect

from privacy.designs import parse_design
from tests import servers
from tests.browser.conftest import Asked, Respondent, forget_all, inbox
from tests.browser.questionnaires import DRUG, PAIR, TAX, TEXTS, classes, plain, question, section, two_texts
from tests.browser.test_field import MAKE_FIELD
from tests.browser.visiting import CHROMIUM, shell
from tests.product import Product

pytestmark = pytest.mark.browser
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--password-store=basic"]
PEOPLE = 20
CODES = [f"c{number:x}" for number in range(16)]
HIGH = 900_000_000
DEBT = classes("debt", two_texts("How much?", "How much?"), 0, HIGH // 2, high=HIGH)
DESIGN = TEXTS | {
    "sections": [
        plain(*[question(name, two_texts(f"{name}?", f"{name}?"), *CODES) for name in ("upper", "lower")]),
        TAX,
        section("crosswise", PAIR),
        section("number", DEBT, keep="0.5"),
        section("subset", DRUG, keep="0.5", size=2),
    ]
}
HEADER, SLOT_HEAD, EXTRA, TOKEN = 2 * 4096, 9, 547 + 82, 288
STEPS = 8
"""Screens of an interview, about."""


class Network:
    """A line to the product that can be cut: then a new connection is refused and an old one breaks."""

    def __init__(self, target: int) -> None:
        self._target, self.port = target, servers.free_port()
        self._open: list[socket.socket] = []
        self._server: socket.socket | None = None

    def connect(self) -> None:
        self._server = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=[self._server], daemon=True).start()

    def cut_connections(self) -> None:
        ends, self._open = [self._server, *self._open], []
        for end in filter(None, ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._server = None

    def _accept(self, server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near, _address = server.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
                self._open += [near, far]
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._forward_bytes, args=[source, sink], daemon=True).start()

    @staticmethod
    def _forward_bytes(source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)


@dataclass
class Tablet:
    """A whole browser with a profile on disk, which is killed at once with all its processes."""

    playwright: Playwright
    profile: Path
    address: str
    process: subprocess.Popen[bytes] | None = None
    pin: str = ""
    complaints: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)

    def start(self, fragment: str = "") -> Page:
        # Else the last process's lock and address may be taken for this one's.
        for name in ("DevToolsActivePort", "SingletonLock", "SingletonCookie", "SingletonSocket"):
            (self.profile / name).unlink(missing_ok=True)
        words = [CHROMIUM, *FLAGS, f"--user-data-dir={self.profile}", "--remote-debugging-port=0"]
        # It opens at an empty page: a connection that is made while a page and its worker start can hang.
        self.process = subprocess.Popen(
            [*words, "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        port = self.profile / "DevToolsActivePort"
        servers.wait(lambda: port.exists() and "\n" in port.read_text(), "the browser's start")
        address = f"http://127.0.0.1:{port.read_text().split()[0]}"
        self.browser = self.playwright.chromium.connect_over_cdp(address)
        context = self.browser.contexts[0]
        context.set_default_timeout(30_000)
        (self.page,) = context.pages
        self.page.on("console", self._console)
        self.page.on("request", self._request)
        self.page.goto(self.address + fragment)
        return self.page

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.address.partition("/a/")[0], "data:", "blob:")):
            self.strangers.append(request.url)

    def _console(self, message: Any) -> None:
        if "Content Security Policy" in message.text:
            self.complaints.append(message.text)

    def kill(self) -> None:
        assert self.process
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        # Its helpers start groups of their own.
        mark = f"--user-data-dir={self.profile}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (folder / "cmdline").read_bytes():
                    os.kill(int(folder.name), signal.SIGKILL)
        with suppress(Error):
            self.browser.close()

    def press_button(self, words: str) -> None:
        self.page.get_by_role("button", name=words, exact=True).click()

    def set_up(self, ticket: str) -> None:
        self.start(f"#{ticket}")
        self.press_button("Set up")
        expect(self.page.get_by_role("heading", name="Your PIN for this device")).to_be_visible(
            timeout=60_000
        )
        self.pin = self.page.locator(".figure").inner_text().replace(" ", "")
        self.press_button("I have written it down")
        expect(self.page.get_by_role("heading", name="Ready")).to_be_visible(timeout=300_000)
        self.press_button("To the first page")
        expect(self.page.locator(".begin")).to_be_visible()

    def frame(self) -> Frame:
        self.page.locator(".begin").click()
        self.page.frame_locator("iframe").locator("[data-agree]:visible").wait_for()
        (frame,) = self.page.frames[1:]
        return frame

    def send(self) -> int:
        self.press_button("For the keeper")
        self.page.fill("#pin", self.pin)
        self.press_button("Continue")
        self.press_button("Send now")
        said = self.page.get_by_text(re.compile(r"^Sent: \d+"))
        expect(said).to_be_visible(timeout=300_000)
        return int(said.inner_text().removeprefix("Sent: "))

    @property
    def file(self) -> Path:
        """The device's one file."""
        return max((self.profile / "Default/File System").rglob("*"), key=lambda path: path.stat().st_size)


@dataclass
class Person:
    number: int
    debt: int
    drug: int
    ended: float = 0.0
    """Seconds since 1970 at which the receipt was there; 0 where it never was."""
    has_finished: bool = False
    """Whether *Finish* was pressed."""
    slot: int = -1


def options(frame: Frame, place: int) -> int:
    return frame.locator(f'#screen input[type=radio][id^="answer-{place}-"]').count()


def answer_survey(tablet: Tablet, person: Person, steps: int = 99, kill_after: float | None = None) -> None:
    """With clicks and keys, up to so many screens; killed so many seconds after *Finish*, if not None."""
    frame = tablet.frame()
    asked: Any = Respondent(frame)  # type: ignore[arg-type]  # a frame does all that it asks for
    asked.agree_and_begin()
    names = {0: person.number // 16, 1: person.number % 16, 2: person.number % 2}
    for _screen in range(steps):
        debts = dict.fromkeys(asked.typed_question_numbers, person.debt)
        places = {
            place: person.drug % options(frame, place)
            for place in asked.question_numbers
            if place not in names
        }
        if not asked.choose({**names, **places, **debts}):
            break
        asked.press_button("Continue")
    else:
        return
    finish = frame.get_by_role("button", name="Finish", exact=True)
    person.has_finished = True
    if kill_after is not None:
        finish.click(no_wait_after=True)
        time.sleep(kill_after)
        return
    finish.click()
    frame.get_by_role("heading", name="Your answers are locked").wait_for()
    person.ended = time.time()


@dataclass
class Found:
    files: int = 0
    bytes: int = 0
    numbers: int = 0
    marks: list[str] = field(default_factory=list)
    times: list[tuple[str, str, int]] = field(default_factory=list)
    """File, unit, and whose interview."""


UNITS = {"1970 µs": (1e6, 0.0), "1970 ms": (1e3, 0.0), "1601 µs": (1e6, 11_644_473_600.0)}
NEAR = 0.5
DECIMAL = re.compile(rb"\d{10,20}(?:\.\d+)?")


def numbers_of(data: bytes) -> Iterator[tuple[str, Any]]:
    """All 64-bit numbers of both orders, of doubles, and those of protocol buffers, wherever they begin."""
    size = len(data)
    padded = np.frombuffer(data + bytes(16), np.uint8)
    for offset in range(8):
        whole = (size - offset) // 8
        if whole > 0:
            for kind in ("<u8", ">u8", "<f8", ">f8"):
                values = np.frombuffer(data, kind, whole, offset).astype(np.float64)
                yield kind, values[np.isfinite(values)]
    for length in (6, 8):
        if size >= length:
            columns = [padded[at : at + size] for at in range(length)]
            whole = np.logical_and.reduce([*[column >= 128 for column in columns[:-1]], columns[-1] < 128])
            rows = [column[whole].astype(np.uint64) & np.uint64(127) for column in columns]
            joined: Any = np.zeros(int(whole.sum()), np.uint64)
            for at, row in enumerate(rows):
                joined = joined | (row << np.uint64(7 * at))
            yield f"varint {length}", joined.astype(np.float64)


def times_near_interviews(values: Any, people: list[Person]) -> Iterator[tuple[str, int]]:
    for unit, (scale, shift) in UNITS.items():
        for person in people:
            from_, to = ((person.ended + shift + off) * scale for off in (-NEAR, NEAR))
            if ((values >= from_) & (values <= to)).any():
                yield unit, person.number


def search(profile: Path, people: list[Person], spent: list[bytes]) -> Found:
    found = Found()
    # The page and its scripts hold the names of questions and members of an envelope; these hold them with an answer.
    digits = rb'"answers" ?: ?"?[0-9A-Za-z]'
    texts = [
        re.compile(p) for p in (digits, digits.replace(b'"', b'\\\\"'), rb"answer-\d+-\d+", rb"group-[12]\b")
    ]
    wide = [re.compile(b"".join(b"%c\x00" % c for c in text)) for text in (b"answer-0-", b'"answers":"')]
    debts = [str(person.debt) for person in people]
    plain_debts = [form for debt in debts for form in (debt.encode(), debt.encode("utf-16-le"))]
    ended = [person for person in people if person.ended]
    for path in sorted(p for p in profile.rglob("*") if p.is_file() and not p.is_symlink()):
        try:
            data = path.read_bytes()
        except OSError:
            continue
        found.files += 1
        found.bytes += len(data)
        name = str(path.relative_to(profile))
        for pattern in [*texts, *wide]:
            found.marks += [f"{name}: {match[0]!r}" for match in pattern.finditer(data)]
        found.marks += [f"{name}: {text!r}" for text in plain_debts if text in data]
        found.marks += [f"{name}: a spent token" for token in spent if token in data]
        if not ended:
            continue
        narrow = data[::2] if b"\x00" in data[:4096] else b""
        lists = [*numbers_of(data), ("decimal", decimals_of(data)), ("wide", decimals_of(narrow))]
        for kind, values in lists:
            found.numbers += len(values)
            found.times += [
                (f"{name} ({kind})", unit, who) for unit, who in times_near_interviews(values, ended)
            ]
    return found


def decimals_of(data: bytes) -> Any:
    return np.array([float(match[0]) for match in DECIMAL.finditer(data)])


def tokens(file: Path, width: int) -> dict[int, bytes]:
    """Of each slot that has one."""
    data, length = file.read_bytes(), SLOT_HEAD + width + EXTRA
    slots = (data[at : at + length] for at in range(HEADER, len(data), length))
    return {n: slot[SLOT_HEAD : SLOT_HEAD + TOKEN] for n, slot in enumerate(slots) if slot[:1] == b"\x02"}


def visited_addresses(profile: Path, into: Path) -> list[str]:
    copy = into / "History"
    for name in ("History", "History-journal"):
        with suppress(OSError):
            shutil.copy(profile / "Default" / name, into / name)
    with closing(sqlite3.connect(copy)) as rows:
        found = rows.execute("SELECT urls.url FROM visits JOIN urls ON urls.id = visits.url")
        return [url for (url,) in found]


OWN = (
    "/History", "/Sessions", "/File System", "/Service Worker", "/IndexedDB", "/Local Storage", "/Session Storage",
)  # fmt: skip
"""Where no moment of an interview may be: the history, the sessions, and what is kept for our origin."""


def tells_nothing(searched: list[Found]) -> None:
    for found in searched:
        print(f"{found.files} files, {found.bytes} bytes, {found.numbers} numbers, {found.times}")
    assert [mark for found in searched for mark in found.marks] == []
    times = {time for found in searched for time in found.times}
    assert [hit for hit in times if any(own in f"/{hit[0]}" for own in OWN)] == []


def assert_all_arrive(sent: int, people: list[Person], stored: list[str]) -> None:
    """Each record begins with its group and the codes of its person's number, which are not disguised."""
    shown = {person.number for person in people if person.ended}
    unsure = {person.number for person in people if person.has_finished and not person.ended}
    numbers = [16 * int(text[1:3]) + int(text[3:5]) for text in stored]
    print(f"asked {len(people)}, receipts {len(shown)}, killed {len(unsure)}, sent {sent}, {stored}")
    # The upload that begins by itself may have sent some before.
    assert len(set(numbers)) == len(numbers) >= sent
    assert shown <= set(numbers) <= shown | unsure


@contextmanager
def seizure(
    product: Product, playwright: Playwright, folder: Path
) -> Iterator[tuple[Tablet, Network, Asked, list[str]]]:
    forget_all(product)
    address, tickets, asks = json.loads(shell(product, MAKE_FIELD % (json.dumps(DESIGN), PEOPLE)))
    survey = Asked(address, [], parse_design(json.dumps(asks)))
    network = Network(product.port)
    network.connect()
    profile = folder / "profile"
    profile.mkdir(mode=0o700)
    tablet = Tablet(playwright, profile, f"http://127.0.0.1:{network.port}{address}/field")
    try:
        yield tablet, network, survey, tickets
    finally:
        tablet.kill()
        network.cut_connections()


@pytest.mark.parametrize("kind", ["<q", ">q", "<d"])
def test_device_search_finds_planted_traces(tmp_path: Path, kind: str) -> None:
    person = Person(7, 123_456_789, 0, ended=1_790_000_000.25)
    moments = {unit: (person.ended + shift) * scale for unit, (scale, shift) in UNITS.items()}
    for place, (unit, moment) in enumerate(moments.items()):
        value: float = moment if kind.endswith("d") else round(moment)
        (tmp_path / f"{place}").write_bytes(b"abc" + struct.pack(kind, value) + b"d")
        found = search(tmp_path, [person], [])
        assert {(name[0], said) for name, said, _who in found.times} >= {(str(place), unit)}
    (tmp_path / "text").write_text(f"{round(moments['1601 µs'])} {person.debt} answer-0-3")
    found = search(tmp_path, [person], [])
    assert "text (decimal)" in {name for name, _unit, _who in found.times}
    assert len(found.marks) == 2


@pytest.mark.parametrize(
    ("interviews", "kills"),
    [(1, 1), pytest.param(12, 6, marks=pytest.mark.night(smaller="browser/test_field_seizure.py"))],
)
def test_killed_and_searched_device_reveals_nothing(
    product: Product, playwright: Playwright, tmp_path: Path, interviews: int, kills: int
) -> None:
    chance = random.Random()
    with seizure(product, playwright, tmp_path) as (tablet, network, survey, tickets):
        tablet.set_up(tickets[0])
        time.sleep(3)
        network.cut_connections()
        before = tokens(tablet.file, survey.design.width)
        assert len(before) == PEOPLE
        people: list[Person] = []
        plan = ["whole"] * interviews + (["finish", "middle"] * kills)[:kills]
        chance.shuffle(plan)
        have, opened, searched = before, 1, []
        for number, what in enumerate(plan):
            person = Person(number, chance.randrange(HIGH // 10, HIGH), chance.randrange(8))
            people.append(person)
            if what == "whole":
                answer_survey(tablet, person)
                now = tokens(tablet.file, survey.design.width)
                (person.slot,) = have.keys() - now.keys()
                have = now
                time.sleep(1.5)
                tablet.page.frames[1].get_by_role("button", name="Hand the device back").click()
                expect(tablet.page.locator("iframe")).to_have_count(0)
                time.sleep(1)
                continue
            if what == "middle":
                answer_survey(tablet, person, steps=chance.randrange(1, STEPS - 1))
            else:
                answer_survey(tablet, person, kill_after=chance.uniform(0, 0.12))
            tablet.kill()
            now = tokens(tablet.file, survey.design.width)
            spent = [token for slot, token in before.items() if slot not in now]
            searched.append(search(tablet.profile, people, spent))
            tablet.start()
            expect(tablet.page.locator(".begin")).to_be_visible()
            opened += 1
            have = tokens(tablet.file, survey.design.width)
        assert not inbox(product, survey)
        time.sleep(3)
        tablet.kill()
        spent = [token for slot, token in before.items() if slot not in have]
        searched.append(search(tablet.profile, people, spent))
        seen = visited_addresses(tablet.profile, tmp_path)
        print(f"opened {opened} times, visits {seen}, slots {[person.slot for person in people]}")
        assert {url.partition("#")[0] for url in seen} <= {tablet.address}, seen
        assert len(seen) <= opened + 4, seen
        tells_nothing(searched)
        network.connect()
        tablet.start()
        assert_all_arrive(tablet.send(), people, inbox(product, survey))
        assert tablet.complaints == tablet.strangers == []
