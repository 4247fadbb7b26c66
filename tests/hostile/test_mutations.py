"""Mutated files of the commands: they end in order, within the limits, whatever was done to the file.

`./run bench mutations` runs thousands; a failure names the line that runs its file alone."""

import csv
import io
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.arena import Arena, arena, mutation_numbers
from tests.odd_files.mutations import mutate

pytestmark = [pytest.mark.page, pytest.mark.night(smaller="privacy/designs/test_hostile.py")]

NUMBER, SEED, FIRST = mutation_numbers("60")
MOST_FAILURES = 10
ASKED = ("--min-support", ".2", "--min-confidence", ".5")
THEFT = {"name": "theft", "text": {"en": "Stolen?"}, "choices": ["no", "yes"], "noise": ["0.4", "0.6"]}
LIED = {"name": "lied", "choices": ["no", "yes"]}
DESIGN: dict[str, Any] = {
    "format": "candor-design/1",
    "languages": ["en", "zh-hans"],
    "title": {"en": "Work", "zh-hans": "工作"},
    "thanks": {"en": "Thank you."},
    "open_answers": True,
    "sections": [
        {"kind": "plain", "questions": [{"name": "age", "choices": ["18-39", "40+"], "role": "quasi"}]},
        {
            "kind": "unrelated-question",
            "keep": "0.5",
            "asked": 2,
            "questions": [
                THEFT,
                {"name": "late", "choices": ["no", "yes"], "show_if": {"age": ["40+"]}},
                {"name": "often", "choices": ["never", "once", "=often"]},
            ],
        },
        {"kind": "unrelated-question", "keep": "0.25", "questions": [LIED]},
    ],
}
ROWS = [
    ["group", "age", "theft", "late", "often", "lied"],
    *[["disguised", "40+", "yes", "no", "", "no"]] * 30,
    *[["disguised", "18-39", "no", "-", "", "yes"]] * 20,
    *[["open", "?", "yes", "", "never", "no"]] * 20,
    *[["disguised", "18-39", "", "-", "'=often", "no"]] * 20,
]
TRUTH = [
    ["group", "age", "theft", "late", "often", "lied"],
    *[["disguised", "40+", "yes", "no", "once", "no"]] * 50,
    *[["open", "18-39", "no", "", "=often", "yes"]] * 40,
]


def as_csv(rows: list[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


HONEST = {"design": json.dumps(DESIGN).encode(), "records": as_csv(ROWS), "truth": as_csv(TRUTH)}
ENDINGS = {"design": ".json", "records": ".csv", "truth": ".csv"}


def mutate_honest_file(kind: str, number: int) -> tuple[random.Random, bytes]:
    draw = random.Random(f"{kind} {SEED} {number}")
    return draw, mutate(HONEST[kind], ENDINGS[kind], draw)


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    folder = tmp_path_factory.mktemp("commands")
    for kind, data in HONEST.items():
        (folder / kind).write_bytes(data)
    with arena("commands", folder) as running:
        yield running


Lines = Callable[[Path, random.Random], list[tuple[Any, ...]]]
OPTIONS: list[tuple[str, ...]] = [(), ("--exact",), ("--absences",), ("--coherent",)]
OPTIONS += [("--estimator", "pooled"), ("--engine", "mlxtend")]


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


@pytest.mark.parametrize("lines", [of_design, of_records, of_truth], ids=["design", "records", "truth"])
def test_commands_end_without_a_crash_on_mutated_files(lines: Lines, commands: Arena) -> None:
    kind = lines.__name__.removeprefix("of_")
    ends, failures, slowest = Counter[str](), list[str](), 0.0
    for number in range(FIRST, FIRST + NUMBER):
        draw, data = mutate_honest_file(kind, number)
        (commands.folder / "mutated").write_bytes(data)
        for words in lines(commands.folder, draw):
            ended = commands.run(*map(str, words))
            ends[f"{words[0]} {'taken' if ended.status == 0 else 'refused'}"] += 1
            slowest = max(slowest, ended.seconds)
            if ended.broken:
                again = f"./run bench mutations --kind {kind} --seed {SEED} --first {number} --number 1"
                failures.append(f"{again}\n{words}: {ended.broken}")
        if len(failures) >= MOST_FAILURES:
            break
    print(f"\n{kind}, seed {SEED}, from {FIRST} on: {dict(ends)}; at most {slowest:.2f} s each")
    assert not failures, "\n\n".join(failures)


def test_mutated_file_is_reproduced_by_seed_and_number(commands: Arena) -> None:
    folder = commands.folder
    for words in (
        ("audit", folder / "design"),
        ("disguise", folder / "design", folder / "truth"),
        ("mine", folder / "design", folder / "records", *ASKED),
    ):
        ended = commands.run(*map(str, words))
        assert ended.status == 0, ended.err
    for kind in HONEST:
        assert (
            mutate_honest_file(kind, 7)[1] == mutate_honest_file(kind, 7)[1] != mutate_honest_file(kind, 8)[1]
        ), kind
