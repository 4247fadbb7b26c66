"""Mutated files of every format: taken or refused in words, within the limits, whatever was done to them.

`./run bench mutations` runs thousands; a failure names the line that runs its file alone."""

import json
import logging
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client

from accounts.models import Person
from importing import candor_format, isolated_reader
from importing.import_result import LONGEST
from importing.isolated_reader_main import MOST_FAULTS, QUESTIONNAIRE
from surveys.models import Survey
from tests.cast import As
from tests.hostile import mutations
from tests.hostile.arena import Arena, Ended, arena
from tests.hostile.mutations import VALUES, changes, damaged
from tests.importing.lime_files import HONEST_TABLE, HONEST_XML
from tests.importing.sheets import workbook

# Surveys of LimeSurvey changed by chance: their bytes, or the cells of the table.

CODES = [
    "S",
    "SL",
    "G",
    "Q",
    "SQ",
    "A",
    "L",
    "M",
    "F",
    "N",
    "X",
    "Y",
    "1",
    "0",
    "Q1",
    "SQ1",
    "A1",
    "en",
    "zh-Hans",
    "-",
    "?",
]
CONDITIONS = ['Q1.NAOK == "A2"', "!is_empty(Q1)", "((", "{Q1}", "<b>", "&#0;", "group"]


def limesurvey(chance: random.Random) -> bytes:
    if chance.random() < 0.5:
        return damaged(chance.choice([HONEST_TABLE, HONEST_XML]), chance)
    lines = [line.split("\t") for line in HONEST_TABLE.decode().splitlines()]
    for _time in changes(chance):
        line = chance.choice(lines)
        found = chance.choice([*CODES, *CONDITIONS, str(chance.choice(VALUES))[:5_000]])
        line[chance.randrange(len(line))] = found.replace("\t", " ")
        if chance.random() < 0.2:
            lines.append(list(chance.choice(lines)))
    return "\r\n".join("\t".join(line) for line in lines).encode(errors="replace")


pytestmark = [pytest.mark.page, pytest.mark.night(smaller="privacy/designs/test_hostile.py")]

NUMBER, SEED, FIRST = (
    int(os.environ.get(name, otherwise))
    for name, otherwise in (("MUTATIONS", "60"), ("MUTATIONS_SEED", "1"), ("MUTATIONS_FIRST", "0"))
)
MOST_FAILURES = 10
PAGES = ("", "edit", "preview", "open", "export", "export/questionnaire.json", "export/questionnaire.xlsx")
ASKED = ("--min-support", ".2", "--min-confidence", ".5")


@dataclass
class Tally:
    """What became of the mutated files of one kind."""

    kind: str
    ends: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    slowest: float = 0.0

    def note(self, number: int, end: str, wrong: str, seconds: float) -> None:
        self.ends[end] += 1
        self.slowest = max(self.slowest, seconds)
        if wrong:
            again = f"./run bench mutations --kind {self.kind} --seed {SEED} --first {number} --number 1"
            self.failures.append(f"{again}\n{wrong}")

    def settle(self) -> None:
        ends = ", ".join(f"{count} {end}" for end, count in sorted(self.ends.items()))
        print(f"\n{self.kind}, seed {SEED}, from {FIRST} on: {ends}; at most {self.slowest:.2f} s each")
        assert not self.failures, "\n\n".join(self.failures)


def mutated(kind: str, make: mutations.Mutated) -> Iterator[tuple[int, random.Random, bytes]]:
    for number in range(FIRST, FIRST + NUMBER):
        chance = random.Random(f"{kind} {SEED} {number}")
        yield number, chance, make(chance)


def going(tally: Tally) -> bool:
    return len(tally.failures) < MOST_FAILURES


# --- uploads


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    with arena("reading", tmp_path_factory.mktemp("reading")) as running:
        yield running


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Every refusal would be a warning of Django's."""
    caplog.set_level(logging.ERROR, logger="django.request")


@pytest.fixture
def client(owner: Person, signed_in_as: As) -> Client:
    return signed_in_as(owner)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("kind", "make"),
    [("xlsform", mutations.spreadsheet), ("json", mutations.questionnaire), ("limesurvey", limesurvey)],
)
def test_a_mutated_questionnaire_is_taken_or_refused_in_words(
    kind: str, make: mutations.Mutated, reading: Arena, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally, upload = Tally(kind), reading.folder / "upload"
    for number, _chance, data in mutated(kind, make):
        upload.write_bytes(data)
        ended = reading.run(str(upload), QUESTIONNAIRE)
        end, wrong = told(ended)
        if not wrong:
            monkeypatch.setattr(
                isolated_reader, "_run_child_process", lambda *known, said=ended.out: (json.loads(said), b"")
            )
            end, wrong = shown(client, data)
        tally.note(number, end, wrong, ended.seconds)
        if not going(tally):
            break
    tally.settle()


def told(ended: Ended) -> tuple[str, str]:
    """What the reading process says, and what is wrong with that."""
    if ended.broken:
        return "broken", ended.broken
    said = json.loads(ended.out)
    if "failed" in said:
        return "failed", said["failed"]
    faults = said.get("faults", ())
    if len(faults) > MOST_FAULTS + 1 or any(len(text) > LONGEST + 1 for fault in faults for text in fault):
        return "refused", "is refused at too great a length"
    if "read" not in said and not (faults and all(place and reason for place, reason in faults)):
        return "refused", "is refused without a place or a reason"
    return "read", ""


def shown(client: Client, data: bytes) -> tuple[str, str]:
    """What the page says of a file, and which page of the draft that it became breaks."""
    try:
        with transaction.atomic():
            try:
                return answered(client, data)
            finally:
                transaction.set_rollback(True)
    except Exception as error:
        return "broken", f"a page failed with {error!r}"


def answered(client: Client, data: bytes) -> tuple[str, str]:
    # A file of no bytes is missing, as the form says.
    read_through = client.post("/app/surveys/import", {"file": SimpleUploadedFile("q", data)})
    if read_through.status_code == 422:
        return "refused", ""
    if read_through.status_code != 200:
        return "broken", f"the page answers {read_through.status_code}"
    status = client.post("/app/surveys/import/accept", {"ticket": read_through.context["ticket"]}).status_code
    if status != 302:
        return "broken", f"acceptance answers {status}"
    survey = Survey.objects.latest("pk")
    answers = {page: client.get(f"/app/surveys/{survey.pk}/{page}").status_code for page in PAGES}
    broken = {page: status for page, status in answers.items() if status >= 500}
    return "taken", f"pages break: {broken}" if broken else ""


# --- files of the commands


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    folder = tmp_path_factory.mktemp("commands")
    (folder / "design").write_bytes(mutations.HONEST_DESIGN)
    (folder / "records").write_bytes(mutations.HONEST_RECORDS)
    (folder / "truth").write_bytes(mutations.HONEST_TRUTH)
    with arena("commands", folder) as running:
        yield running


Lines = Callable[[Path, random.Random], list[tuple[Any, ...]]]
OPTIONS = [
    (),
    ("--exact",),
    ("--absences",),
    ("--coherent",),
    ("--estimator", "pooled"),
    ("--engine", "mlxtend"),
]


def of_design(folder: Path, chance: random.Random) -> list[tuple[Any, ...]]:
    design = folder / "mutated"
    return [
        ("audit", design),
        ("disguise", design, folder / "truth"),
        ("mine", design, folder / "records", *ASKED, *chance.choice(OPTIONS)),
    ]


def of_records(folder: Path, chance: random.Random) -> list[tuple[Any, ...]]:
    return [("mine", folder / "design", folder / "mutated", *ASKED, *chance.choice(OPTIONS))]


def of_truth(folder: Path, chance: random.Random) -> list[tuple[Any, ...]]:
    design, truth = folder / "design", folder / "mutated"
    return [
        ("disguise", design, truth, *chance.choice([(), ("--seed", "3"), ("--group-column", "age")])),
        ("mine", design, folder / "records", "--truth", truth, *ASKED),
    ]


@pytest.mark.parametrize(
    ("kind", "make", "lines"),
    [
        ("design", mutations.design, of_design),
        ("records", mutations.records, of_records),
        ("truth", mutations.truth, of_truth),
    ],
)
def test_commands_end_in_order_on_mutated_files(
    kind: str, make: mutations.Mutated, lines: Lines, commands: Arena
) -> None:
    tally = Tally(kind)
    for number, chance, data in mutated(kind, make):
        (commands.folder / "mutated").write_bytes(data)
        for words in lines(commands.folder, chance):
            ended = commands.run(*map(str, words))
            end = f"{words[0]} {'taken' if ended.status == 0 else 'refused'}"
            tally.note(number, end, ended.broken and f"{words}: {ended.broken}", ended.seconds)
        if not going(tally):
            break
    tally.settle()


# --- mutations themselves


def test_what_is_mutated_is_taken_as_it_is(reading: Arena, commands: Arena) -> None:
    upload, folder = reading.folder / "upload", commands.folder
    tables = mutations.TABLES[0]
    for data in [*mutations.SPREADSHEETS, *map(candor_format.write, mutations.DRAFTS), workbook(**tables)]:
        upload.write_bytes(data)
        assert "read" in json.loads(reading.run(str(upload), QUESTIONNAIRE).out)
    for words in (
        ("audit", folder / "design"),
        ("disguise", folder / "design", folder / "truth"),
        ("mine", folder / "design", folder / "records", *ASKED),
    ):
        ended = commands.run(*map(str, words))
        assert ended.status == 0, ended.err


MAKERS: dict[str, mutations.Mutated] = {
    "xlsform": mutations.spreadsheet,
    "json": mutations.questionnaire,
    "limesurvey": limesurvey,
    "design": mutations.design,
    "records": mutations.records,
    "truth": mutations.truth,
}


@pytest.mark.parametrize("kind", MAKERS)
def test_a_seed_and_a_number_make_the_same_file_again(kind: str) -> None:
    one, again = (MAKERS[kind](random.Random(f"{kind} 1 7")) for _time in range(2))
    if kind != "xlsform":  # a workbook holds the time when it was written
        assert one == again
    assert one != MAKERS[kind](random.Random(f"{kind} 1 8"))
