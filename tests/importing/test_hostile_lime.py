"""Surveys of LimeSurvey that nobody exported: refused in words, in little time."""

import random
import time
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from importing import questionnaire_file
from importing.delimited_text import MOST_ROWS
from importing.faults import FileRefused
from tests.importing.lime_files import (
    HEADER,
    HONEST_TABLE,
    HONEST_XML,
    answers,
    document,
    group,
    parts,
    question,
    table,
)

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


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


def refused(data: bytes, seconds: float = 5) -> str:
    began = time.process_time()
    with pytest.raises(FileRefused) as refusal:
        questionnaire_file.read(data)
    assert time.process_time() - began < seconds
    return " ".join(reason for _place, reason in refusal.value.faults)


def test_the_honest_files_are_taken() -> None:
    assert questionnaire_file.read(HONEST_TABLE).lines
    assert questionnaire_file.read(HONEST_XML).lines


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
def test_a_document_type_is_refused_before_any_entity(definition: str) -> None:
    text = f"{XML}<!DOCTYPE document {definition}><document>{KIND}<a>&l9;&f;</a></document>"
    assert "defines a document type" in refused(text.encode(), 1)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_other_encodings_that_say_so_are_read(encoding: str) -> None:
    text = HONEST_XML.decode().replace('encoding="UTF-8"', "" if encoding == "utf-16" else 'encoding="UTF-8"')
    assert questionnaire_file.read(text.encode(encoding)).lines
    assert questionnaire_file.read(HONEST_TABLE.decode("utf-8-sig").encode(encoding)).lines


def test_text_that_is_no_utf_8_is_refused() -> None:
    latin = HONEST_TABLE.decode("utf-8-sig").replace("Work", "Größe").encode("latin-1")
    assert "is not in UTF-8" in refused(latin)
    assert "damaged" in refused(HONEST_XML.replace(b"Work", b"Gr\xf6\xdfe"))


@pytest.mark.parametrize("encoding", ["utf-7", "ebcdic-cp-us", "idna", "unknown"])
def test_an_encoding_that_no_survey_has_is_refused(encoding: str) -> None:
    assert refused(HONEST_XML.replace(b"UTF-8", encoding.encode()))


def test_half_a_file_is_refused_or_read_as_far_as_it_goes() -> None:
    for cut in range(0, len(HONEST_XML) - 12, 40):
        assert refused(HONEST_XML[:cut])
    for cut in range(0, len(HONEST_TABLE), 25):
        taken_or_refused(HONEST_TABLE[:cut])


def taken_or_refused(data: bytes) -> None:
    began = time.process_time()
    try:
        questionnaire_file.read(data)
    except FileRefused as refusal:
        faults = refusal.faults
    else:
        faults = ()
    assert all(place and reason for place, reason in faults)
    assert time.process_time() - began < 5


@pytest.mark.page
@given(seed=st.integers(0, 2**32), as_xml=st.booleans())
def test_a_damaged_survey_is_taken_or_refused_in_words(seed: int, as_xml: bool) -> None:
    chance, broken = random.Random(seed), bytearray(HONEST_XML if as_xml else HONEST_TABLE)
    for _time in range(chance.randint(1, 8)):
        place = chance.randrange(len(broken))
        change = chance.randrange(3)
        if change == 0:
            broken[place] = chance.randrange(256)
        elif change == 1:
            del broken[place : place + chance.randint(1, 40)]
        else:
            broken[place:place] = bytes(chance.choice(b"<>&\"'/=\t\n]![CDAT0189ax") for _ in range(4))
    taken_or_refused(bytes(broken))


@pytest.mark.page
@given(
    data=st.binary(max_size=300),
    begins=st.sampled_from([b"<", b"<?xml ", b"class\tname\ttext\n", b"\xff\xfec\0l"]),
)
def test_any_bytes_are_taken_or_refused_in_words(data: bytes, begins: bytes) -> None:
    taken_or_refused(begins + data)
