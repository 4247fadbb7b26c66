"""Surveys of LimeSurvey that nobody exported: refused in words, in little time."""

import random
import time
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from importing import questionnaire_file
from importing.delimited_text import MOST_ROWS
from importing.faults import Fault, FileRefused
from tests.importing.conftest import faults
from tests.importing.flow.made_files import (
    LIME_HEADER,
    answers,
    group,
    lime_document,
    lime_table,
    question,
    subquestions,
)
from tests.odd_files.mutations import damage

HONEST_TABLE = lime_table(
    group("Work", "<p>About work</p>"),
    question("Q1", "L", "How old?"),
    *answers("Young", "Old"),
    question("Q2", "F", "How often?", relevance='Q1.NAOK == "A2"'),
    *subquestions("Late", "Absent"),
    *answers("Never", "Often"),
)
WELL = {"qid": "7", "gid": "3", "type": "Y", "title": "well", "question": "Well?"}
HONEST_XML = lime_document({"groups": [{"gid": "3", "group_name": "Work"}], "questions": [WELL]})

XML = '<?xml version="1.0" encoding="UTF-8"?>'
KIND = "<LimeSurveyDocType>Survey</LimeSurveyDocType>"


def xml(inside: str) -> bytes:
    return f"{XML}<document>{KIND}{inside}</document>".encode()


BIG: dict[str, Callable[[], bytes]] = {
    "depth": lambda: xml("<a>" * 1_000_000),
    "elements": lambda: xml("<a/>" * 1_200_000),
    "attributes": lambda: xml("<a " + " ".join(f"a{n}=''" for n in range(400_000)) + "/>"),
    "text": lambda: lime_document({"groups": [{"gid": "1", "group_name": "x" * 4_900_000}]}),
    "one name": lambda: xml(f"<{'x' * 4_900_000}/>"),
    "rows": lambda: lime_table(*([group("G")] * (MOST_ROWS + 1)), header=LIME_HEADER[2:7]),
    "columns": lambda: lime_table(header=[*LIME_HEADER, *(str(n) for n in range(400_000))], settings=()),
    "quotes": lambda: b"class\tname\ttext\n" + b'"' * 4_900_000,
    "tabs": lambda: b"class\tname\ttext\n" + b"\t" * 4_900_000,
    "lines": lambda: b"class\tname\ttext\n" + b"\n" * 4_900_000,
    "one cell": lambda: b"class\tname\ttext\n" + b"x" * 4_900_000,
    "zeros": lambda: b"class\tname\ttext\n" + bytes(4_900_000),
    "tags": lambda: lime_table(group("G", "<b>" * 40_000), question("Q1", "Y", "<" * 120_000)),
    "stars": lambda: lime_table(group("G", "**" * 60_000), question("Q1", "Y", "_*[" * 40_000)),
    "conditions": lambda: lime_table(
        group("G"),
        question("Q1", "Y", "?"),
        *(question(f"R{n}", "Y", "?", relevance="(" * 4_900) for n in range(400)),
    ),
    "questions": lambda: lime_table(group("G"), *(question(f"Q{n}", "Y", "?") for n in range(2_000))),
    "groups": lambda: lime_table(
        *(group("G", scale=f"G{n}") for n in range(6_000)), question("Q1", "Y", "?"), header=LIME_HEADER[2:7]
    ),
    "languages": lambda: lime_table(
        *(group("G", language=f"l{n}") for n in range(20_000)),
        question("Q1", "Y", "?"),
        header=LIME_HEADER[2:9],
    ),
    "answers": lambda: lime_table(
        group("G"), question("Q1", "L", "?"), *answers(*(["x"] * 25_000)), header=LIME_HEADER[2:12]
    ),
    "a table of tables": lambda: lime_table(
        group("G"), question("Q1", "F", "?"), *subquestions(*(["x"] * 400)), *answers(*(["x"] * 400))
    ),
}


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


def refusal_within(data: bytes, seconds: float = 5) -> str:
    began = time.process_time()
    words = " ".join(faults(data))
    assert time.process_time() - began < seconds
    return words


def taken_or_refused(data: bytes) -> None:
    began = time.process_time()
    found: tuple[Fault, ...] = ()
    try:
        questionnaire_file.read(data)
    except FileRefused as refusal:
        found = refusal.faults
    assert all(place and reason for place, reason in found)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "definition",
    [
        f'[<!ENTITY l0 "ha">{LAUGHS}]',
        '[<!ENTITY f SYSTEM "file:///etc/passwd">]',
        '[<!ENTITY % p SYSTEM "http://127.0.0.1/x.dtd"> %p;]',
        'SYSTEM "http://127.0.0.1/x.dtd"',
        "[]",
    ],
)
def test_document_type_is_refused_before_any_entity(definition: str) -> None:
    text = f"{XML}<!DOCTYPE document {definition}><document>{KIND}<a>&l9;&f;</a></document>"
    assert "defines a document type" in refusal_within(text.encode(), 1)


def test_declared_encodings_are_read_and_others_refused() -> None:
    table, xml = HONEST_TABLE.decode("utf-8-sig"), HONEST_XML.decode()
    for encoding in ("utf-8", "utf-16", "utf-8-sig"):
        assert questionnaire_file.read(table.encode(encoding)).lines, encoding
        declared = xml.replace('encoding="UTF-8"', "") if encoding == "utf-16" else xml
        assert questionnaire_file.read(declared.encode(encoding)).lines, encoding
    assert "is not in UTF-8" in refusal_within(table.replace("Work", "Größe").encode("latin-1"))
    assert "damaged" in refusal_within(HONEST_XML.replace(b"Work", b"Gr\xf6\xdfe"))
    for encoding in ("utf-7", "ebcdic-cp-us", "idna", "unknown"):
        assert refusal_within(HONEST_XML.replace(b"UTF-8", encoding.encode())), encoding


def test_half_a_file_is_refused_or_read_as_far_as_possible() -> None:
    for cut in range(0, len(HONEST_XML) - 12, 40):
        assert refusal_within(HONEST_XML[:cut])
    for cut in range(0, len(HONEST_TABLE), 25):
        taken_or_refused(HONEST_TABLE[:cut])


@pytest.mark.page
@given(seed=st.integers(0, 2**32), as_xml=st.booleans())
def test_a_damaged_survey_is_taken_or_refused_in_words(seed: int, as_xml: bool) -> None:
    honest = HONEST_XML if as_xml else HONEST_TABLE
    taken_or_refused(damage(honest, random.Random(seed)))


@pytest.mark.page
@given(
    data=st.binary(max_size=300),
    begins=st.sampled_from([b"<", b"<?xml ", b"class\tname\ttext\n", b"\xff\xfec\0l"]),
)
def test_any_bytes_are_taken_or_refused_in_words(data: bytes, begins: bytes) -> None:
    taken_or_refused(begins + data)
