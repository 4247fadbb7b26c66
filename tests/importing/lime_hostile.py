"""Surveys of LimeSurvey that are large in one way each."""

from collections.abc import Callable

from importing.limesurvey.tsv import MOST_ROWS
from tests.importing.lime_files import HEADER, answers, document, group, parts, question, table

XML = '<?xml version="1.0" encoding="UTF-8"?>'
KIND = "<LimeSurveyDocType>Survey</LimeSurveyDocType>"


def xml(inside: str) -> bytes:
    return f"{XML}<document>{KIND}{inside}</document>".encode()


def many_attributes() -> str:
    return " ".join(f"a{number}=''" for number in range(400_000))


BIG: dict[str, Callable[[], bytes]] = {
    "depth": lambda: xml("<a>" * 1_000_000),
    "elements": lambda: xml("<a/>" * 1_200_000),
    "attributes": lambda: xml(f"<a {many_attributes()}/>"),
    "text": lambda: document({"groups": [{"gid": "1", "group_name": "x" * 4_900_000}]}),
    "one name": lambda: xml(f"<{'x' * 4_900_000}/>"),
    "rows": lambda: table(*([group("G")] * (MOST_ROWS + 1)), header=HEADER[2:7]),
    "columns": lambda: table(header=[*HEADER, *(str(n) for n in range(400_000))], settings=()),
    "quotes": lambda: b"class\tname\ttext\n" + b'"' * 4_900_000,
    "tabs": lambda: b"class\tname\ttext\n" + b"\t" * 4_900_000,
    "lines": lambda: b"class\tname\ttext\n" + b"\n" * 4_900_000,
    "one cell": lambda: b"class\tname\ttext\n" + b"x" * 4_900_000,
    "zeros": lambda: b"class\tname\ttext\n" + bytes(4_900_000),
    "tags": lambda: table(group("G", "<b>" * 40_000), question("Q1", "Y", "<" * 120_000)),
    "stars": lambda: table(group("G", "**" * 60_000), question("Q1", "Y", "_*[" * 40_000)),
    "conditions": lambda: table(
        group("G"),
        question("Q1", "Y", "?"),
        *(question(f"R{n}", "Y", "?", relevance="(" * 4_900) for n in range(400)),
    ),
    "questions": lambda: table(group("G"), *(question(f"Q{n}", "Y", "?") for n in range(2_000))),
    "groups": lambda: table(
        *(group("G", scale=f"G{n}") for n in range(6_000)), question("Q1", "Y", "?"), header=HEADER[2:7]
    ),
    "languages": lambda: table(
        *(group("G", language=f"l{n}") for n in range(20_000)), question("Q1", "Y", "?"), header=HEADER[2:9]
    ),
    "answers": lambda: table(
        group("G"), question("Q1", "L", "?"), *answers(*(["x"] * 25_000)), header=HEADER[2:12]
    ),
    "a table of tables": lambda: table(
        group("G"), question("Q1", "F", "?"), *parts(*(["x"] * 400)), *answers(*(["x"] * 400))
    ),
}
