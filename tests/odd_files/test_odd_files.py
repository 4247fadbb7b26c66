"""Odd files by HTTP: whatever is done to a file, its page takes it, and opens what it became, or refuses it in words.

Each file is a valid one with one to three changes of its structure, drawn from the format, the seed and its number.
The real pages and readers have it, within their limits; the readers run in forks of processes that are started once.
`./run bench mutations` runs more; a failure names the command that sends its file alone, and where the file lies.
"""

import json
import logging
import random
import re
import time
import traceback
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.test import Client

from accounts.models import Person
from importing import isolated_reader
from importing.import_result import LONGEST
from importing.isolated_reader_main import MEMORY, MOST_FAULTS
from own_tables import reading_process
from releases import table_reader_main
from tests.cast import cast, client, db, owner, reading
from tests.hostile.arena import Arena, Ended, arena, mutation_numbers
from tests.jobs.conftest import broker
from tests.odd_files import pages
from tests.odd_files.pages import FORMATS

__all__ = ["broker", "cast", "client", "db", "owner", "reading"]

pytestmark = [pytest.mark.page, pytest.mark.django_db]
FEW = 2
NUMBER, SEED, FIRST = mutation_numbers("60")
MOST_FAILURES = 10
STARTED = 250_000_000
"""Bytes resident in a process that has started, at most."""
SECONDS = 5.0
"""Processor time that a small file may take of its reader, and of each request."""
NO_WORDS = re.compile(
    r"\b[A-Z]\w*(Error|Exception)\b|Traceback|<class|object at 0x|Errno|Extra data|NoneType|codec can|\.py\b"
    r"|reason is not known|not JSON \(|(?:^|[\s(])b'|\bdict\b|\blambda\b"
)
"""What no refusal says: names and reprs of Python, or that nobody knows why."""


@dataclass
class Tally:
    """What became of the files of one format, and what the worst of them took."""

    name: str
    ends: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    reading: float = 0.0
    page: float = 0.0
    memory: int = 0

    def __str__(self) -> str:
        ends = ", ".join(f"{count} {end}" for end, count in sorted(self.ends.items()))
        return (
            f"{self.name}, seed {SEED}: {ends}; at most {self.reading:.2f} s to read, {self.page:.2f} s a request,"
            f" {self.memory / 1e6:.0f} MB"
        )


def mutate_file(name: str, files: Sequence[tuple[str, bytes]], number: int) -> bytes:
    _file, data = files[number % len(files)]
    return FORMATS[name].mutate(data, random.Random(f"{name} {SEED} {number}"))


class Campaign:
    """Sends files to the page of a format, which reads them in forks."""

    def __init__(
        self, name: str, client: Client, owner: Person, arenas: Callable[[str], Arena], folder: Path
    ) -> None:
        self.name, self.format, self.tally, self.folder = name, FORMATS[name], Tally(name), folder
        self.arena = arenas(self.format.arena) if self.format.arena else None
        self.send = self.format.page(client, owner)
        self.files = list(self.format.files().items())
        self.ended: list[Ended] = []
        self.slowest = 0.0

    def request(self, client: Client, ask: Callable[..., Any], **asked: Any) -> Any:
        began = time.process_time()
        try:
            return ask(client, **asked)
        finally:
            self.slowest = max(self.slowest, time.process_time() - began)

    def read_in_fork(
        self, data: bytes, _lock: object, entry: tuple[str, ...], known: dict[str, Any]
    ) -> tuple[dict[str, Any], bytes]:
        """In place of `isolated_reader._run_child_process`."""
        assert self.arena
        upload = self.arena.folder / "upload"
        upload.write_bytes(data)
        is_table = entry[-1] in (table_reader_main.__name__, reading_process.__name__)
        words = (entry[-1], json.dumps(known)) if is_table else (known["expected"],)
        ended = self.arena.run(str(upload), *words)
        self.ended.append(ended)
        if ended.status:
            return isolated_reader._answer_for_killed_process(ended.status), b""
        line, _end, rest = (b64decode(ended.out) if is_table else ended.out.encode()).partition(b"\n")
        return json.loads(line), rest

    def run_unchanged(self, number: int) -> None:
        """The files that are changed, so many of them, are taken as they are."""
        for index, (_file, data) in enumerate(self.files[:number]):
            self.try_one(index, data)
        assert not self.tally.failures, "\n\n".join(self.tally.failures)
        expected = pages.REFUSED if self.name == "logo: SVG" else pages.TAKEN
        assert self.tally.ends.keys() == {expected}, self.tally.refusals

    def run(self, numbers: range) -> None:
        for number in numbers:
            self.try_one(number, mutate_file(self.name, self.files, number))
            if len(self.tally.failures) == MOST_FAILURES:
                break
        print(f"\n{self.tally}")
        for words, count in sorted(self.tally.refusals.items()):
            print(f"  {count} {words}")
        assert not self.tally.failures, "\n\n".join(self.tally.failures)

    def try_one(self, number: int, data: bytes) -> None:
        self.ended, self.slowest, wrong = [], 0.0, list[str]()
        try:
            with transaction.atomic():
                answer = self.send(data, f"odd{self.format.ending}")
                transaction.set_rollback(True)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            places = [f"{frame.filename}:{frame.lineno}" for frame in frames]
            inside = [place for place in places if "site-packages" not in place]
            wrong.append(f"{error!r:.500} at {' '.join(inside[-3:])}")
        else:
            self.tally.ends[answer.end] += 1
            self.tally.refusals.update({_without_values(words) for words in answer.refusals})
            wrong += _faults_of_words(answer)
        self.tally.page = max(self.tally.page, self.slowest)
        wrong += [f"a request takes {self.slowest:.1f} s"] * (self.slowest > SECONDS)
        for ended in self.ended:
            wrong += _faults_of_end(ended)
            self.tally.reading = max(self.tally.reading, ended.seconds)
            self.tally.memory = max(self.tally.memory, ended.memory)
        if wrong:
            path = self.folder / f"{number}{self.format.ending}"
            path.write_bytes(data)
            again = f"./run bench mutations --kind '{self.name}' --seed {SEED} --first {number} --number 1"
            self.tally.failures.append("\n".join([again, str(path), *wrong]))


def _without_values(words: str) -> str:
    words = re.sub(r"[“'\"‘].*[”'\"’]", "“…”", words)
    return re.sub(r"\d+", "0", words)[:200]


def _faults_of_words(answer: pages.Answer) -> list[str]:
    odd = [words for words in answer.refusals if NO_WORDS.search(words) or len(words.split()) < 3]
    wrong = [f"is refused as “{words:.300}”" for words in odd]
    if answer.end == pages.REFUSED and not answer.refusals:
        wrong.append("is refused without a word")
    if len(answer.refusals) > MOST_FAULTS + 1 or any(len(words) > 3 * LONGEST for words in answer.refusals):
        wrong.append("is refused at too great a length")
    return wrong


def _faults_of_end(ended: Ended) -> list[str]:
    # A library in C may crash; that no more than the process is lost is what it is for.
    is_crash = -ended.status in isolated_reader.CRASHES
    wrong = [ended.broken] if ended.broken and not is_crash else []
    if ended.seconds > SECONDS:
        wrong.append(f"takes {ended.seconds:.1f} s to read")
    if ended.memory > STARTED + MEMORY:
        wrong.append(f"takes {ended.memory / 1e6:.0f} MB to read")
    return wrong


@pytest.fixture(scope="session")
def arenas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Arena]]:
    """The arena of each kind, which is started when it is first asked for."""
    started: dict[str, Arena] = {}
    with ExitStack() as stack:

        def of_kind(kind: str) -> Arena:
            if kind not in started:
                started[kind] = stack.enter_context(arena(kind, tmp_path_factory.mktemp(kind)))
            return started[kind]

        yield of_kind


@pytest.fixture
def campaign(
    owner: Person,
    arenas: Callable[[str], Arena],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> Callable[[str], Campaign]:
    # Every refusal would be a warning of Django's.
    caplog.set_level(logging.ERROR, logger="django.request")
    monkeypatch.setattr(settings, "VAR", tmp_path)
    pages.with_short_curves(monkeypatch)
    client, ask = Client(), Client.request
    client.force_login(owner)

    def start(name: str) -> Campaign:
        made = Campaign(name, client, owner, arenas, tmp_path)
        monkeypatch.setattr(isolated_reader, "_run_child_process", made.read_in_fork)
        monkeypatch.setattr(Client, "request", lambda client, **asked: made.request(client, ask, **asked))
        return made

    return start


@pytest.mark.parametrize("name", FORMATS)
def test_file_is_read_and_a_few_odd_ones_are_read_or_refused_in_words(
    name: str, campaign: Callable[[str], Campaign]
) -> None:
    sent = campaign(name)
    sent.run_unchanged(1)
    sent.run(range(FEW))


@pytest.mark.night
@pytest.mark.parametrize("name", FORMATS)
def test_many_odd_files_are_read_or_refused_in_words(name: str, campaign: Callable[[str], Campaign]) -> None:
    sent = campaign(name)
    sent.run_unchanged(3)
    sent.run(range(FIRST, FIRST + NUMBER))


def test_odd_file_is_reproduced_by_seed_and_number() -> None:
    for name, kind in FORMATS.items():
        files = list(kind.files().items())
        if not name.endswith(("xlsx", "workbook", "Excel", "imports")):  # these hold the time of writing
            assert mutate_file(name, files, 7) == mutate_file(name, files, 7), name
        assert mutate_file(name, files, 7) != mutate_file(name, files, 8), name
