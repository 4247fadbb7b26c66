"""Hostile designs, records, backups, specifications, plans and margins, and honest ones beside them."""

import json
from collections.abc import Callable, Mapping, Sequence
from os import SEEK_END
from typing import Any, BinaryIO

from config.backup.archive import COMMENT_BYTES, FORMAT, HEAD

SENSITIVE = {"kind": "unrelated-question", "keep": "0.5"}
ASKED = ("--min-support", ".1", "--min-confidence", ".5")
NUMBER = ("--question", "debt")
LARGEST = 10**9
HEADER = b"group,age,theft,late\n"
ROW = b"disguised,a,no,yes\n"


def written(*sections: Mapping[str, Any]) -> bytes:
    whole = {"format": "candor-design/1", "sections": sections, "open_answers": True}
    return json.dumps(whole, separators=(",", ":")).encode()


def questions(count: int, choices: int = 2, start: str = "q") -> list[dict[str, Any]]:
    names = [str(choice) for choice in range(choices)]
    return [{"name": f"{start}{number}", "choices": names} for number in range(count)]


def yes_no(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "choices": ["no", "yes"]} for name in names]


def filled(sections: Sequence[str]) -> bytes:
    return f'{{"format":"candor-design/1","sections":[{",".join(sections)}]}}'.encode()


HONEST = written(
    {"kind": "plain", "questions": [{"name": "age", "choices": ["a", "b"]}]},
    {**SENSITIVE, "questions": yes_no("theft", "late")},
)
STUDIED = json.dumps(
    {
        **json.loads(HONEST),
        "open_answers": False,
        "direct": "0.5",
        "sections": [
            {"kind": "plain", "questions": [{"name": "age", "choices": ["a", "b"]}]},
            {**SENSITIVE, "questions": [{**yes_no("theft")[0], "known": "0.0000"}, *yes_no("late")]},
        ],
    }
).encode()
MODEL = ("--item", "late=yes", "--on", "age")


def shares_of_debt(limits: Sequence[int]) -> dict[str, Any]:
    number = {"name": "debt", "law": "classes", "limits": limits, "cuts": 1}
    return {"kind": "number", "keep": "0.8000", "questions": [number]}


def shape_of_debt(values: int, **said: Any) -> dict[str, Any]:
    number = {"name": "debt", "law": "window", "values": values, "window": 3, "uniform": "0.2000", **said}
    return {"kind": "number", "questions": [number]}


NUMBERS = {
    "shares": written(shares_of_debt([0, 10, 20])),
    "the shape of as many values as there may be": written(shape_of_debt(65_000)),
}
DESIGNS: dict[str, Callable[[], bytes]] = {
    "100,000 questions": lambda: written({"kind": "plain", "questions": questions(100_000)}),
    "25,000 sensitive questions": lambda: written({**SENSITIVE, "questions": questions(25_000)}),
    "10,000 sensitive sections": lambda: written(
        *({**SENSITIVE, "questions": questions(1, start=f"s{number}q")} for number in range(10_000))
    ),
    "10,000 numbers": lambda: written(
        *(
            {**section, "questions": [{**section["questions"][0], "name": f"debt{number}"}]}
            for number, section in enumerate([shape_of_debt(65_000)] * 10_000)
        )
    ),
    "100,000 limits": lambda: written(shares_of_debt([*range(100_000)])),
    "limits of no common measure": lambda: written(shares_of_debt([0, 65_537, 140_000, LARGEST])),
    "a number of 10^9 values": lambda: written(shape_of_debt(LARGEST)),
    "half of 20,000 questions": lambda: written(
        {**SENSITIVE, "asked": 10_000, "questions": questions(20_000)}
    ),
    "9,999 choices": lambda: written({**SENSITIVE, "questions": questions(1, 9_999)}),
    "150 questions of 1,000 choices": lambda: written(
        {**SENSITIVE, "asked": 70, "questions": questions(150, 1_000)}
    ),
    "rules on every question above": lambda: written(
        {
            "kind": "plain",
            "questions": [
                {**asked, "show_if": {f"q{above}": ["0"] for above in range(number)}}
                for number, asked in enumerate(questions(600))
            ],
        }
    ),
    "a million empty lists": lambda: filled(["[]"] * 1_300_000),
    "half a million small objects": lambda: filled(['{"":0}'] * 480_000),
    "a long key with many values": lambda: json.dumps(
        {"a" * 1_000_000: {f"b{number}": 0 for number in range(200_000)}}
    ).encode(),
    "lists in lists": lambda: b"[" * 3_900_000,
    "a number of millions of digits": lambda: filled(["9" * 3_900_000]),
    "no text": lambda: b"\xff" * 3_900_000,
    "nothing": lambda: b"",
    "far more than a design": lambda: bytes(50_000_000),
}


def repeated(piece: bytes, times: int, *, start: bytes = b"", end: bytes = b"") -> Callable[[BinaryIO], None]:
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
    "a line without end": repeated(b"a", LARGE),
    "cells without end": repeated(b",", LARGE),
    "columns without end": repeated(b"a,", LARGE // 2, start=b"group,"),
    "a quoted cell without end": repeated(b"x\n", 5_000_000, start=HEADER + b'"'),
    "a row of many lines": repeated(b'"\n",', LARGE // 4, start=HEADER),
    "bytes of nothing": repeated(b"\0", LARGE),
    "empty lines": repeated(b"\n", 500_000, start=HEADER),
    "no text": repeated(b"\xff\n", 10_000_000),
    "a cell of accents": repeated("\u0301\u0316".encode(), 60_000, start=HEADER + b"disguised,a,no,"),
    "a header of accents": repeated("\u0301\u0316".encode(), 60_000, start=b"group,"),
    "many records": repeated(ROW, 30_000, start=HEADER),
    "nothing": repeated(b"", 0),
}

BEGUN = b"PK\3\4" + bytes(26) + HEAD.encode() + f'{{"format": "{FORMAT}"'.encode()
ENDED = b"PK\5\6" + bytes(16) + COMMENT_BYTES.to_bytes(2, "little") + b"0" * COMMENT_BYTES
BACKUPS: dict[str, Callable[[BinaryIO], None]] = {
    "nothing": repeated(b"", 0),
    "bytes of nothing": repeated(b"\0", LARGE),
    "a head without end": repeated(b"[", LARGE, start=BEGUN),
    "a head as long as the file": repeated(b"[", LARGE, start=BEGUN, end=ENDED),
    "a directory of nothing": repeated(b"PK\1\2" + bytes(42), LARGE // 46, start=BEGUN, end=ENDED),
    "a later format": repeated(b"9", 60, start=BEGUN[:-2]),
}


RELEASED: dict[str, Any] = {
    "format": "candor-release/1",
    "quasi_identifiers": [{"name": "group", "kind": "category"}, {"name": "age", "kind": "category"}],
    "sensitive": ["theft"],
    "other": ["late"],
    "k": 2,
    "max_frequency": None,
}


def nested(depth: int) -> bytes:
    return b'{"a":' * depth + b'["b"]' + b"}" * depth


def released(**changed: object) -> bytes:
    return json.dumps({**RELEASED, **changed}, separators=(",", ":")).encode()


def with_hierarchy(hierarchy: bytes) -> bytes:
    age = b'[{"name":"age","kind":"category","hierarchy":' + hierarchy + b"}]"
    return released(quasi_identifiers="HERE").replace(b'"HERE"', age)


SPECIFICATIONS: dict[str, Callable[[], bytes]] = {
    "a hierarchy of 20,000 levels": lambda: with_hierarchy(nested(20_000)),
    "a hierarchy of 100 levels": lambda: with_hierarchy(nested(100)),
    "a hierarchy of 300,000 values": lambda: with_hierarchy(
        json.dumps({"all": ["a", *map(str, range(300_000))]}).encode()
    ),
    "100,000 quasi-identifiers": lambda: released(
        quasi_identifiers=[{"name": f"q{number}", "kind": "number"} for number in range(80_000)]
    ),
    "100,000 ordered values": lambda: released(
        sensitive=[{"name": "theft", "order": ["yes", *map(str, range(100_000))]}], t="0.5"
    ),
    "every criterion": lambda: released(
        l={"kind": "recursive", "value": 1, "c": "9"}, t="0.9", rho=["0.1", "0.9"], seconds=1
    ),
    "600 seconds": lambda: released(seconds=601),
    "lists in lists": lambda: b"[" * 3_900_000,
    "no text": lambda: b"\xff" * 3_900_000,
    "nothing": lambda: b"",
    "far more than a specification": lambda: bytes(50_000_000),
}


HYPOTHESIS = {"name": "h", "kind": "share", "item": "theft=yes", "than": "0.1"}


def planned(*hypotheses: Mapping[str, Any]) -> bytes:
    of = [*hypotheses] or [HYPOTHESIS]
    return json.dumps({"format": "candor-plan/1", "salt": "0" * 32, "hypotheses": of}).encode()


PLANS: dict[str, Callable[[], bytes]] = {
    "50,000 hypotheses": lambda: planned(*({**HYPOTHESIS, "name": f"h{n}"} for n in range(50_000))),
    "an association of 100,000 items": lambda: planned(
        {
            "name": "h",
            "kind": "association",
            "antecedent": [f"a{n}" for n in range(200_000)],
            "consequent": ["b"],
        }
    ),
    "a kind that is not known": lambda: planned({**HYPOTHESIS, "kind": "k" * 1_000_000}),
    "lists in lists": lambda: b"[" * 3_900_000,
    "no text": lambda: b"\xff" * 3_900_000,
    "nothing": lambda: b"",
    "far more than a plan": lambda: bytes(50_000_000),
}
MARGINS: dict[str, Callable[[BinaryIO], None]] = {
    "many rows": repeated(b"a,0.5\n", 1_000_000, start=b"age,share\n"),
    "a number without end": repeated(b"9", 3_900_000, start=b"age,share\na,"),
    "no number": repeated(b"nan\n", 1, start=b"age,share\na,"),
    "many columns": repeated(b"age,", 900_000),
}
