"""Every command that reads files ends in order on hostile ones, with 300 MB above what it takes to start and 10 s."""

import gc
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import SEEK_END
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from django.conf import settings

from candor.__main__ import COMMANDS, main
from candor.privacy_breaches import MOST_PROBABILITIES, MOST_VALUES
from config.backup.archive import COMMENT_BYTES, FORMAT, HEAD
from privacy.designs import parse_design
from privacy.designs.hypothesis_plan import parse_plan
from tests.hostile import arena as arenas
from tests.hostile.arena import Arena, arena

# Hostile designs, records, backups, specifications, plans and margins, and honest ones beside them.

SENSITIVE = {"kind": "unrelated-question", "keep": "0.5"}
ASKED = ("--min-support", ".1", "--min-confidence", ".5")
NUMBER = ("--question", "debt")
LARGEST = 10**9
HEADER = b"group,age,theft,late\n"
ROW = b"disguised,a,no,yes\n"


def design_bytes(*sections: Mapping[str, Any], **more: Any) -> bytes:
    whole = {"format": "candor-design/1", "sections": sections, "open_answers": True, **more}
    return json.dumps(whole, separators=(",", ":")).encode()


def questions(count: int, choices: int = 2, start: str = "q") -> list[dict[str, Any]]:
    names = [str(choice) for choice in range(choices)]
    return [{"name": f"{start}{number}", "choices": names} for number in range(count)]


def yes_no(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "choices": ["no", "yes"]} for name in names]


def design_of_raw_sections(sections: Sequence[str]) -> bytes:
    return f'{{"format":"candor-design/1","sections":[{",".join(sections)}]}}'.encode()


AGE = {"kind": "plain", "questions": [{"name": "age", "choices": ["a", "b"]}]}
HONEST = design_bytes(AGE, {**SENSITIVE, "questions": yes_no("theft", "late")})
CONTROLLED = {**SENSITIVE, "questions": [{**yes_no("theft")[0], "known": "0.0000"}, *yes_no("late")]}
MODEL = ("--item", "late=yes", "--on", "age")


def shares_of_debt(limits: Sequence[int]) -> dict[str, Any]:
    number = {"name": "debt", "law": "classes", "limits": limits, "cuts": 1}
    return {"kind": "number", "keep": "0.8000", "questions": [number]}


def shape_of_debt(values: int, **said: Any) -> dict[str, Any]:
    number = {"name": "debt", "law": "window", "values": values, "window": 3, "uniform": "0.2000", **said}
    return {"kind": "number", "questions": [number]}


NUMBERS = {
    "shares": design_bytes(shares_of_debt([0, 10, 20])),
    "the shape of as many values as there may be": design_bytes(shape_of_debt(65_000)),
}
DESIGNS: dict[str, Callable[[], bytes]] = {
    "100,000 questions": lambda: design_bytes({"kind": "plain", "questions": questions(100_000)}),
    "25,000 sensitive questions": lambda: design_bytes({**SENSITIVE, "questions": questions(25_000)}),
    "10,000 sensitive sections": lambda: design_bytes(
        *({**SENSITIVE, "questions": questions(1, start=f"s{number}q")} for number in range(10_000))
    ),
    "10,000 numbers": lambda: design_bytes(
        *(shape_of_debt(65_000, name=f"debt{number}") for number in range(10_000))
    ),
    "100,000 limits": lambda: design_bytes(shares_of_debt([*range(100_000)])),
    "limits of no common measure": lambda: design_bytes(shares_of_debt([0, 65_537, 140_000, LARGEST])),
    "a number of 10^9 values": lambda: design_bytes(shape_of_debt(LARGEST)),
    "half of 20,000 questions": lambda: design_bytes(
        {**SENSITIVE, "asked": 10_000, "questions": questions(20_000)}
    ),
    "9,999 choices": lambda: design_bytes({**SENSITIVE, "questions": questions(1, 9_999)}),
    "150 questions of 1,000 choices": lambda: design_bytes(
        {**SENSITIVE, "asked": 70, "questions": questions(150, 1_000)}
    ),
    "rules on every question above": lambda: design_bytes(
        {
            "kind": "plain",
            "questions": [
                {**asked, "show_if": {f"q{above}": ["0"] for above in range(number)}}
                for number, asked in enumerate(questions(600))
            ],
        }
    ),
    "a million empty lists": lambda: design_of_raw_sections(["[]"] * 1_300_000),
    "half a million small objects": lambda: design_of_raw_sections(['{"":0}'] * 480_000),
    "a long key with many values": lambda: json.dumps(
        {"a" * 1_000_000: {f"b{number}": 0 for number in range(200_000)}}
    ).encode(),
    "lists in lists": lambda: b"[" * 3_900_000,
    "a number of millions of digits": lambda: design_of_raw_sections(["9" * 3_900_000]),
    "no text": lambda: b"\xff" * 3_900_000,
    "nothing": lambda: b"",
    "far more than a design": lambda: bytes(50_000_000),
}


def write_repeatedly(
    piece: bytes, times: int, *, start: bytes = b"", end: bytes = b""
) -> Callable[[BinaryIO], None]:
    """Written in blocks, so that the test itself needs little memory."""

    def write(file: BinaryIO) -> None:
        file.write(start)
        if not any(piece):
            # The file system writes no zeros.
            file.truncate(len(start) + len(piece) * times)
            file.seek(0, SEEK_END)
            file.write(end)
            return
        block, rest = divmod(times, 1_000_000)
        file.writelines(piece * 1_000_000 for _number in range(block))
        file.write(piece * rest + end)

    return write


LARGE = 310_000_000
"""Bytes: more than the memory that a command has."""
RECORDS: dict[str, Callable[[BinaryIO], None]] = {
    "a line without end": write_repeatedly(b"a", LARGE),
    "cells without end": write_repeatedly(b",", LARGE),
    "columns without end": write_repeatedly(b"a,", LARGE // 2, start=b"group,"),
    "a quoted cell without end": write_repeatedly(b"x\n", 5_000_000, start=HEADER + b'"'),
    "a row of many lines": write_repeatedly(b'"\n",', LARGE // 4, start=HEADER),
    "bytes of nothing": write_repeatedly(b"\0", LARGE),
    "empty lines": write_repeatedly(b"\n", 500_000, start=HEADER),
    "no text": write_repeatedly(b"\xff\n", 10_000_000),
    "a cell of accents": write_repeatedly("\u0301\u0316".encode(), 60_000, start=HEADER + b"disguised,a,no,"),
    "a header of accents": write_repeatedly("\u0301\u0316".encode(), 60_000, start=b"group,"),
    "many records": write_repeatedly(ROW, 30_000, start=HEADER),
    "nothing": write_repeatedly(b"", 0),
}

BEGUN = b"PK\3\4" + bytes(26) + HEAD.encode() + f'{{"format": "{FORMAT}"'.encode()
ENDED = b"PK\5\6" + bytes(16) + COMMENT_BYTES.to_bytes(2, "little") + b"0" * COMMENT_BYTES
BACKUPS: dict[str, Callable[[BinaryIO], None]] = {
    "nothing": write_repeatedly(b"", 0),
    "bytes of nothing": write_repeatedly(b"\0", LARGE),
    "a head without end": write_repeatedly(b"[", LARGE, start=BEGUN),
    "a head as long as the file": write_repeatedly(b"[", LARGE, start=BEGUN, end=ENDED),
    "a directory of nothing": write_repeatedly(b"PK\1\2" + bytes(42), LARGE // 46, start=BEGUN, end=ENDED),
    "a later format": write_repeatedly(b"9", 60, start=BEGUN[:-2]),
}


RELEASED: dict[str, Any] = {
    "format": "candor-release/1",
    "quasi_identifiers": [{"name": "group", "kind": "category"}, {"name": "age", "kind": "category"}],
    "sensitive": ["theft"],
    "other": ["late"],
    "k": 2,
    "max_frequency": None,
}


def nest_json(depth: int) -> bytes:
    return b'{"a":' * depth + b'["b"]' + b"}" * depth


def specification_bytes(**changed: object) -> bytes:
    return json.dumps({**RELEASED, **changed}, separators=(",", ":")).encode()


def with_hierarchy(hierarchy: bytes) -> bytes:
    age = b'[{"name":"age","kind":"category","hierarchy":' + hierarchy + b"}]"
    return specification_bytes(quasi_identifiers="HERE").replace(b'"HERE"', age)


SPECIFICATIONS: dict[str, Callable[[], bytes]] = {
    "a hierarchy of 20,000 levels": lambda: with_hierarchy(nest_json(20_000)),
    "a hierarchy of 100 levels": lambda: with_hierarchy(nest_json(100)),
    "a hierarchy of 300,000 values": lambda: with_hierarchy(
        json.dumps({"all": ["a", *map(str, range(300_000))]}).encode()
    ),
    "100,000 quasi-identifiers": lambda: specification_bytes(
        quasi_identifiers=[{"name": f"q{number}", "kind": "number"} for number in range(80_000)]
    ),
    "100,000 ordered values": lambda: specification_bytes(
        sensitive=[{"name": "theft", "order": ["yes", *map(str, range(100_000))]}], t="0.5"
    ),
    "every criterion": lambda: specification_bytes(
        l={"kind": "recursive", "value": 1, "c": "9"}, t="0.9", rho=["0.1", "0.9"], seconds=1
    ),
    "600 seconds": lambda: specification_bytes(seconds=601),
    "lists in lists": lambda: b"[" * 3_900_000,
    "no text": lambda: b"\xff" * 3_900_000,
    "nothing": lambda: b"",
    "far more than a specification": lambda: bytes(50_000_000),
}


HYPOTHESIS = {"name": "h", "kind": "share", "item": "theft=yes", "than": "0.1"}


def plan_bytes(*hypotheses: Mapping[str, Any]) -> bytes:
    of = [*hypotheses] or [HYPOTHESIS]
    return json.dumps({"format": "candor-plan/1", "salt": "0" * 32, "hypotheses": of}).encode()


PLANS: dict[str, Callable[[], bytes]] = {
    "50,000 hypotheses": lambda: plan_bytes(*({**HYPOTHESIS, "name": f"h{n}"} for n in range(50_000))),
    "an association of 100,000 items": lambda: plan_bytes(
        {
            "name": "h",
            "kind": "association",
            "antecedent": [f"a{n}" for n in range(200_000)],
            "consequent": ["b"],
        }
    ),
    "a kind that is not known": lambda: plan_bytes({**HYPOTHESIS, "kind": "k" * 1_000_000}),
    "lists in lists": lambda: b"[" * 3_900_000,
    "no text": lambda: b"\xff" * 3_900_000,
    "nothing": lambda: b"",
    "far more than a plan": lambda: bytes(50_000_000),
}
MARGINS: dict[str, Callable[[BinaryIO], None]] = {
    "many rows": write_repeatedly(b"a,0.5\n", 1_000_000, start=b"age,share\n"),
    "a number without end": write_repeatedly(b"9", 3_900_000, start=b"age,share\na,"),
    "no number": write_repeatedly(b"nan\n", 1, start=b"age,share\na,"),
    "many columns": write_repeatedly(b"age,", 900_000),
}
MATRICES: dict[str, Callable[[BinaryIO], None]] = {
    "a million values": write_repeatedly(b",0,1\n", 1_000_000, start=b"value,prior,yes\n"),
    "a million records": write_repeatedly(b",1", 1_000_000, start=b"value,prior"),
    "a row without end": write_repeatedly(b",1", LARGE // 2, start=b"value,prior,yes\nthief"),
    "numbers beyond doubles": write_repeatedly(b"x,1e308,1e308,1e308\n", 1, start=b"value,prior,yes,no\n"),
    "no numbers": write_repeatedly(b"x,nan,nan,nan\n", 1, start=b"value,prior,yes,no\n"),
    "a number of many digits": write_repeatedly(b"9", 130_000, start=b"value,prior,yes\nthief,"),
}
PLANES: dict[str, Sequence[str]] = {
    "no numbers": ("nan", "1", "1"),
    "without end": ("inf", "inf", "1"),
    "beyond doubles": ("1e308", "1e308", "1"),
    "hardly there": ("1e-308", "1e-308", "1"),
    "an amplification beyond doubles": ("1", "1", "1e308"),
    "a region without end": ("1", "1", "1", "--region", "0,0,1e999,1"),
    "a region of a million numbers": ("1", "1", "1", "--region", "0," * 60_000),
    "20,000 regions": ("20000", "1", "1", *(["--region", "0,0,1,1"] * 20_000)),
}


pytestmark = [pytest.mark.page, pytest.mark.night(smaller="privacy/designs/test_hostile.py")]


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    folder = tmp_path_factory.mktemp("commands")
    (folder / "honest.json").write_bytes(HONEST)
    (folder / "honest.csv").write_bytes(HEADER + ROW * 100)
    (folder / "plan.json").write_bytes(plan_bytes())
    study = {"open_answers": False, "direct": "0.5", "plan": parse_plan(plan_bytes()).fingerprint}
    (folder / "studied.json").write_bytes(design_bytes(AGE, CONTROLLED, **study))
    with arena("commands", folder) as running:
        yield running


@pytest.fixture(scope="module")
def columns_arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """With the machine code that counts many columns."""
    with arena("columns", tmp_path_factory.mktemp("columns")) as running:
        yield running


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    folder = tmp_path_factory.mktemp("releases")
    (folder / "honest.csv").write_bytes(HEADER + ROW * 100)
    (folder / "specification.json").write_bytes(specification_bytes())
    # Compiled kernels are those of the other tests: a fresh folder would take a minute.
    settings.VAR.joinpath("numba").mkdir(parents=True, exist_ok=True)
    (folder / "numba").symlink_to(settings.VAR / "numba")
    with arena("releases", folder) as running:
        yield running


def ends_in_order(commands: Arena, *words: str | Path) -> str:
    """What is said on standard error by a command that ends in order."""
    ended = commands.run(*map(str, words))
    assert not ended.broken, f"{words}: {ended.broken}"
    return ended.err


def assert_refuses_in_one_line(commands: Arena, *words: str | Path) -> str:
    """What is said in one line by a command that refuses its file."""
    said = ends_in_order(commands, *words)
    assert said.startswith(("candor: ", "CommandError: ")), words
    assert len(said.splitlines()) == 1, words
    return said


def valid_files(commands: Arena) -> tuple[Path, Path]:
    """A design and records of it."""
    return commands.folder / "honest.json", commands.folder / "honest.csv"


def write_hostile_file(path: Path, write: Callable[[BinaryIO], None]) -> Path:
    with path.open("wb") as file:
        write(file)
    return path


def study_commands(commands: Arena, design: Path, records: Path) -> list[tuple[str | Path, ...]]:
    """Every command of studies on this design and these records."""
    return [
        ("arms", design, records),
        ("controls", design, records),
        ("model", design, records, *MODEL),
        ("waves", design, records, *valid_files(commands)),
        ("waves", *valid_files(commands), design, records),
        ("plan", commands.folder / "plan.json", design, records),
    ]


def readers(commands: Arena, design: Path, records: Path) -> list[tuple[str | Path, ...]]:
    """Every command that reads this design with these records."""
    return [
        ("disguise", design, records),
        ("mine", design, records, *ASKED),
        ("estimate", design, records, *NUMBER),
        *study_commands(commands, design, records),
    ]


def test_every_file_command_is_tried_within_the_promised_limits() -> None:
    assert (arenas.MEMORY, arenas.SECONDS) == (300_000_000, 10)
    # Of those on own tables, uploads are tried (tests/odd_files); `completion` reads none.
    tried = {
        "anonymize",
        "arms",
        "attack",
        "audit",
        "breaches",
        "controls",
        "disguise",
        "estimate",
        "lattice",
    }
    tried |= {"mine", "model", "plan", "square-mechanism", "waves"}
    assert COMMANDS.keys() - {"own-table", "completion", "check"} == tried


@pytest.mark.parametrize("name", DESIGNS)
def test_hostile_design_file_ends_without_a_crash(commands: Arena, name: str) -> None:
    """A design that is taken is read with records, too, by the function that every command has for it."""
    design, records = commands.folder / "design.json", commands.folder / "honest.csv"
    design.write_bytes(DESIGNS[name]())
    if not ends_in_order(commands, "audit", design).startswith("candor: "):
        ends_in_order(commands, "mine", design, records, *ASKED)


def test_a_design_is_taken_or_refused_in_the_same_words_by_every_command(commands: Arena) -> None:
    design, records = commands.folder / "design.json", commands.folder / "honest.csv"
    design.write_bytes(DESIGNS["9,999 choices"]())
    for words in readers(commands, design, records):
        assert str(design) not in ends_in_order(commands, *words)
    design.write_bytes(DESIGNS["a number of millions of digits"]())
    said = {
        ends_in_order(commands, *words) for words in (("audit", design), *readers(commands, design, records))
    }
    assert said == {f"candor: {design}: sections[0]: must be an object\n"}


def test_records_are_refused_in_the_same_words_by_every_command(commands: Arena, releases: Arena) -> None:
    design, number = commands.folder / "honest.json", commands.folder / "number.json"
    records = write_hostile_file(commands.folder / "hostile.csv", RECORDS["a line without end"])
    number.write_bytes(NUMBERS["shares"])
    words = [
        ("disguise", design, records),
        ("mine", design, records, *ASKED),
        ("mine", *valid_files(commands), *ASKED, "--truth", records),
        ("mine", *valid_files(commands), *ASKED, "--margins", records),
        ("estimate", number, records, *NUMBER),
        *study_commands(commands, commands.folder / "studied.json", records),
    ]
    table = (records, releases.folder / "specification.json", "-o", releases.folder / "out.csv")
    said = {ends_in_order(commands, *each) for each in [*words, ("breaches", records)]}
    said |= {ends_in_order(releases, *each) for each in (("anonymize", *table), ("lattice", *table[:2]))}
    records.unlink()
    assert said == {f"candor: {records}:1: a row of more than 4000000 bytes\n"}


@pytest.mark.parametrize("name", RECORDS)
def test_hostile_record_file_ends_without_a_crash(commands: Arena, releases: Arena, name: str) -> None:
    """As records, the truth, margins, a matrix and a table; other commands read records as `mine` does."""
    design, records = (
        commands.folder / "honest.json",
        write_hostile_file(commands.folder / "hostile.csv", RECORDS[name]),
    )
    ends_in_order(commands, "disguise", design, records)
    ends_in_order(commands, "mine", design, records, *ASKED)
    ends_in_order(commands, "mine", *valid_files(commands), "--truth", records, *ASKED)
    margins_are_refused(commands, records)
    assert_refuses_in_one_line(commands, "breaches", records)
    specification, out = releases.folder / "specification.json", releases.folder / "out.csv"
    ends_in_order(releases, "anonymize", records, specification, "-o", out)
    ends_in_order(releases, "lattice", records, specification)
    records.unlink()


@pytest.mark.parametrize("rows", [b"", ROW * 30_000], ids=["none", "many"])
def test_hostile_study_records_end_without_a_crash(commands: Arena, rows: bytes) -> None:
    records = commands.folder / "hostile.csv"
    records.write_bytes(HEADER + rows)
    for words in study_commands(commands, commands.folder / "studied.json", records):
        ends_in_order(commands, *words)


@pytest.mark.parametrize("name", PLANS)
def test_hostile_plan_is_refused_in_one_line(commands: Arena, name: str) -> None:
    plan = commands.folder / "hostile.json"
    plan.write_bytes(PLANS[name]())
    for more in ((), (commands.folder / "studied.json", commands.folder / "honest.csv")):
        assert assert_refuses_in_one_line(commands, "plan", plan, *more).startswith(f"candor: {plan}: ")


def margins_are_refused(commands: Arena, margins: Path) -> None:
    said = assert_refuses_in_one_line(commands, "mine", *valid_files(commands), *ASKED, "--margins", margins)
    assert said.startswith(f"candor: {margins}")


@pytest.mark.parametrize("name", MARGINS)
def test_hostile_margins_are_refused_in_one_line(commands: Arena, name: str) -> None:
    margins_are_refused(commands, write_hostile_file(commands.folder / "margins.csv", MARGINS[name]))


@pytest.mark.parametrize("name", SPECIFICATIONS)
def test_hostile_specification_ends_without_a_crash(releases: Arena, name: str) -> None:
    specification, out = releases.folder / "hostile.json", releases.folder / "out.csv"
    specification.write_bytes(SPECIFICATIONS[name]())
    ends_in_order(releases, "anonymize", releases.folder / "honest.csv", specification, "-o", out)
    ends_in_order(releases, "attack", releases.folder / "honest.csv", specification)
    ends_in_order(releases, "lattice", releases.folder / "honest.csv", specification, "--svg")


@pytest.mark.parametrize("name", MATRICES)
def test_hostile_matrix_is_refused_in_one_line(commands: Arena, name: str) -> None:
    matrix = write_hostile_file(commands.folder / "matrix.csv", MATRICES[name])
    assert_refuses_in_one_line(commands, "breaches", matrix)
    matrix.unlink()


def test_largest_matrix_is_read_within_memory_and_time(commands: Arena) -> None:
    matrix, records = commands.folder / "matrix.csv", MOST_PROBABILITIES // MOST_VALUES - 2
    start = ",".join(["value", "prior", *map(str, range(records))])
    rows = (f"{number},{1 / MOST_VALUES},1{',0' * (records - 1)}\n" for number in range(MOST_VALUES))
    matrix.write_text(f"{start}\n{''.join(rows)}")
    assert ends_in_order(commands, "breaches", matrix, "--property", "some=0,1,2") == ""
    matrix.unlink()


@pytest.mark.parametrize("name", PLANES)
def test_hostile_plane_is_refused_in_one_line(commands: Arena, name: str) -> None:
    assert_refuses_in_one_line(commands, "square-mechanism", *PLANES[name])


@pytest.mark.parametrize("law", NUMBERS)
def test_number_is_estimated_within_memory_and_time(commands: Arena, law: str) -> None:
    design, records = commands.folder / "number.json", commands.folder / "number.csv"
    design.write_bytes(NUMBERS[law])
    question = parse_design(NUMBERS[law]).questions[0]
    foreign = question.codes_never_sent(is_open=False)
    names = [name for code, name in enumerate(question.code_names) if code not in foreign]
    rows = [f"disguised,{names[number % len(names)]}" for number in range(3_000)]
    records.write_text("\n".join(["group,debt", *rows]) + "\n")
    assert ends_in_order(commands, "estimate", design, records, *NUMBER) == ""


@pytest.mark.parametrize("kind", ["plain", "unrelated-question"])
def test_largest_number_of_columns_is_mined(columns_arena: Arena, kind: str) -> None:
    keep = {} if kind == "plain" else {"keep": "0.5"}
    asked = questions(25_000)
    design, records = columns_arena.folder / "wide.json", columns_arena.folder / "wide.csv"
    design.write_bytes(design_bytes({"kind": kind, **keep, "questions": asked}))
    header = ",".join(["group", *(question["name"] for question in asked)])
    records.write_text("\n".join([header, *([",".join(["disguised", *(["1"] * 25_000)])] * 30)]) + "\n")
    ends_in_order(columns_arena, "mine", design, records, *ASKED)


@pytest.mark.parametrize("name", BACKUPS)
def test_a_hostile_backup_is_refused_in_one_line(commands: Arena, name: str) -> None:
    backup = write_hostile_file(commands.folder / "hostile.backup", BACKUPS[name])
    assert_refuses_in_one_line(commands, "restore", "--check", backup)
    backup.unlink()


@pytest.mark.parametrize("place", ["/dev/zero", "/dev/urandom", "/", "/nowhere"])
def test_special_file_is_refused_in_one_line(commands: Arena, releases: Arena, place: str) -> None:
    design, debt = commands.folder / "honest.json", commands.folder / "number.json"
    debt.write_bytes(NUMBERS["shares"])
    for words in (
        ("audit", place),
        ("disguise", design, place),
        ("mine", design, place, *ASKED),
        ("estimate", debt, place, *NUMBER),
        ("mine", *valid_files(commands), *ASKED, "--margins", place),
        ("plan", place),
        ("breaches", place),
        *study_commands(commands, commands.folder / "studied.json", Path(place))[:-2],
        ("restore", "--check", place),
    ):
        assert_refuses_in_one_line(commands, *words)
    folder = releases.folder
    for files in ((place, folder / "specification.json"), (folder / "honest.csv", place)):
        assert_refuses_in_one_line(releases, "anonymize", *files, "-o", folder / "out.csv")
        assert_refuses_in_one_line(releases, "lattice", *files)


def test_long_row_is_refused_by_its_line(commands: Arena) -> None:
    records = commands.folder / "long.csv"
    records.write_bytes(HEADER + ROW + b"disguised," + b"a" * 4_000_000 + b"\n")
    said = ends_in_order(commands, "mine", commands.folder / "honest.json", records, *ASKED)
    assert said == f"candor: {records}:3: a row of more than 4000000 bytes\n"


def test_lack_of_memory_is_reported_in_one_line(tmp_path: Path) -> None:
    """Every answer alike makes a hundred thousand itemsets, which is what was asked for."""
    names = [f"q{number}" for number in range(100)]
    design, records = tmp_path / "alike.json", tmp_path / "alike.csv"
    design.write_bytes(design_bytes({**SENSITIVE, "questions": yes_no(*names)}))
    rows = [",".join(["group", *names]), *([",".join(["disguised", *(["yes"] * 100)])] * 60)]
    records.write_text("\n".join(rows) + "\n")
    with arena("poor", tmp_path) as running:
        said = ends_in_order(running, "mine", design, records, *ASKED)
    assert said.splitlines()[-1] == "candor: the files need more memory than there is"


def test_garbage_collection_is_restored_after_a_command() -> None:
    usual = gc.get_threshold()
    assert main(["audit", "/nowhere"]) == 1
    assert gc.get_threshold() == usual
