"""Mutated files of the commands: they end in order, within the limits, whatever was done to the file.

`./run bench mutations` runs thousands; a failure names the line that runs its file alone."""

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.hostile import mutations
from tests.hostile.arena import Arena, arena

pytestmark = [pytest.mark.page, pytest.mark.night(smaller="privacy/designs/test_hostile.py")]

NUMBER, SEED, FIRST = (
    int(os.environ.get(name, otherwise))
    for name, otherwise in (("MUTATIONS", "60"), ("MUTATIONS_SEED", "1"), ("MUTATIONS_FIRST", "0"))
)
MOST_FAILURES = 10
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


def test_what_is_mutated_is_taken_as_it_is(commands: Arena) -> None:
    folder = commands.folder
    for words in (
        ("audit", folder / "design"),
        ("disguise", folder / "design", folder / "truth"),
        ("mine", folder / "design", folder / "records", *ASKED),
    ):
        ended = commands.run(*map(str, words))
        assert ended.status == 0, ended.err


MAKERS: dict[str, mutations.Mutated] = {
    "design": mutations.design,
    "records": mutations.records,
    "truth": mutations.truth,
}


@pytest.mark.parametrize("kind", MAKERS)
def test_a_seed_and_a_number_make_the_same_file_again(kind: str) -> None:
    one, again = (MAKERS[kind](random.Random(f"{kind} 1 7")) for _time in range(2))
    assert one == again
    assert one != MAKERS[kind](random.Random(f"{kind} 1 8"))
