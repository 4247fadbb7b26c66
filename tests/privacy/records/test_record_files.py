import contextlib
import io
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice, repeat
from pathlib import Path
from time import process_time
from typing import Any, BinaryIO

import pytest
from hypothesis import given, strategies as st

from privacy.designs import InputError, parse
from privacy.mechanisms.disguise import disguise
from privacy.mechanisms.random_draws import draw_coins, seeded_words
from privacy.records import RecordRow, open_file, read_record, write_records
from tests.privacy.questionnaires import ASKED, HALF, WORK, design, plain, question, read_records, sensitive
from tests.privacy.strategies import answers_to, designs

FILE = """group,work,theft,drink,drugs
disguised,employed,yes,choice 2,
open,not,-,choice 0,
disguised,not,,choice 1,no
"""
ROWS = [RecordRow(1, (0, 1, 2, 2)), RecordRow(0, (1, 3, 0, 2)), RecordRow(1, (1, 2, 1, 0))]


def rows_of(text: str | bytes) -> list[RecordRow]:
    content = text.encode() if isinstance(text, str) else text
    return list(read_records(io.BytesIO(content), "records.csv", ASKED))


def written(rows: list[RecordRow], **more: Any) -> str:
    file = io.StringIO()
    write_records(file, ASKED, rows, **more)
    return file.getvalue()


def test_a_record_file_holds_choice_names_nothing_and_a_dash() -> None:
    assert rows_of(FILE) == ROWS
    assert written(ROWS) == FILE


def test_columns_may_stand_in_any_order() -> None:
    assert rows_of("drugs,group,theft,work,drink\n,disguised,yes,employed,choice 2\n") == ROWS[:1]


def test_a_byte_order_mark_windows_line_ends_quotes_and_blank_lines_are_read() -> None:
    text = "\r\n".join(
        ['"group","work","theft","drink","drugs"', "", 'disguised,"employed",yes,choice 2,', "", ""]
    )
    assert rows_of("\ufeff" + text) == ROWS[:1]


def test_a_name_in_decomposed_letters_is_the_same_name() -> None:
    cafe = design(plain({"name": "caf\u00e9", "choices": ["th\u00e9", "eau"]}))
    file = io.BytesIO("group,cafe\u0301\ndisguised,the\u0301\n".encode())
    assert list(read_records(file, "records.csv", cafe)) == [RecordRow(1, (0,))]


def test_a_file_that_leaves_withholds_the_plain_answers_of_open_records() -> None:
    out = written(ROWS, withhold=True)
    assert out.splitlines()[1:] == [
        "disguised,employed,yes,choice 2,",
        "open,?,-,choice 0,",
        "disguised,not,,choice 1,no",
    ]
    # Codes of "work": two choices, not asked 2, not applicable 3, withheld 4.
    assert rows_of(out) == [ROWS[0], RecordRow(0, (4, 3, 0, 2)), ROWS[2]]


HEADER = "group,work,theft,drink,drugs\n"


def test_a_bad_file_is_refused_with_file_line_and_reason(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str | bytes, str]] = [
        ("", "records.csv:1: the line with the names of the columns is missing"),
        ("work,theft,drink,drugs\n", "records.csv:1: the column 'group' is missing"),
        ("group,work,theft,drink\n", "records.csv:1: the column 'drugs' is missing"),
        (HEADER[:-1] + ",age\n", "records.csv:1: unknown column 'age'"),
        (HEADER[:-1] + ",work\n", "records.csv:1: the column 'work' appears twice"),
        (HEADER + "disguised,employed,yes,choice 2\n", "records.csv:2: 4 cells, not 5"),
        (
            FILE + "disguised,employed,maybe,choice 2,\n",
            "records.csv:5: theft: 'maybe' is not one of its choices",
        ),
        (
            FILE + "\n\nhidden,employed,yes,choice 2,\n",
            "records.csv:7: the group is open or disguised, not 'hidden'",
        ),
        (FILE + ",employed,yes,choice 2,\n", "records.csv:5: the group is open or disguised, not ''"),
        (
            FILE + "disguised,employed,yes,choice 2,no\n",
            "records.csv:5: theft: 3 questions asked in the section",
        ),
        (
            FILE + "disguised,employed,-,choice 2,\n",
            "records.csv:5: theft: not applicable, but the answers that are not disguised show",
        ),
        (
            FILE + "disguised,not,yes,choice 2,\n",
            "records.csv:5: theft: answered, but the answers that are not disguised hide it",
        ),
        (
            FILE + "disguised,,yes,choice 2,\n",
            "records.csv:5: work: a question that is not disguised is always asked",
        ),
        (
            FILE + "disguised,?,yes,choice 2,\n",
            "records.csv:5: work: only places and answers that are not disguised are withheld",
        ),
        (
            FILE + "open,?,?,choice 2,\n",
            "records.csv:5: theft: only places and answers that are not disguised are withheld",
        ),
        (FILE + "open,?,yes,-,\n", "records.csv:5: drink: not applicable, but no rule hides it"),
        (FILE + 'disguised,"employed,yes,choice 2,\n', "records.csv:5: not CSV"),
        (FILE + 'disguised,"employed"x,yes,choice 2,\n', "records.csv:5: not CSV"),
        (FILE.encode() + b"disguised,\xff,yes,choice 2,\n", "records.csv:5: not UTF-8"),
        (FILE.encode("utf-16"), "records.csv:1: not UTF-8"),
    ]
    for text, said in cases:
        with subtests.test(f"{text!r:.60} {said!r:.60}"):
            with pytest.raises(InputError) as caught:
                rows_of(text)
            assert str(caught.value).startswith(said)
            assert str(caught.value).isprintable()


def test_an_open_row_is_refused_where_the_design_allows_none() -> None:
    closed = replace(ASKED, open_answers=False)
    with pytest.raises(InputError) as caught:
        list(read_records(io.BytesIO(FILE.encode()), "records.csv", closed))
    assert str(caught.value) == "records.csv:3: in this design nobody can choose to answer without disguise"


ODD = design(plain(WORK), sensitive("0.3", question("می\u200cخواهم\u3000x", *HALF), question("drugs", *HALF)))


def test_a_refusal_prints_a_name_on_one_line_of_visible_characters(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("maybe,no", "'maybe' is not one of its choices"),
        ("-,no", "not applicable, but the answers that are not disguised show it"),
        (",no", "1 questions asked in the section that begins here, not 2"),
    ]
    for cells, said in cases:
        with subtests.test(f"{cells!r:.60} {said!r:.60}"):
            file = io.BytesIO(f"group,work,می\u200cخواهم\u3000x,drugs\ndisguised,not,{cells}\n".encode())
            with pytest.raises(InputError) as caught:
                list(read_records(file, "of\u202eme\n.csv", ODD))
            assert str(caught.value) == rf"of\u202eme\n.csv:2: می\u200cخواهم\u3000x: {said}"
            assert str(caught.value).isprintable()


@pytest.mark.night
@pytest.mark.proof
def test_many_columns_are_found_in_time() -> None:
    names = [f"q{number}" for number in range(24_000)]
    wide = design(plain(*({"name": name, "choices": ["a", "b"]} for name in names)))
    file = io.StringIO()
    write_records(file, wide, [RecordRow(1, (0,) * len(names))])
    start = process_time()
    reading = read_records(io.BytesIO(file.getvalue().encode()), "records.csv", wide)
    assert [row.group for row in reading] == [1]
    assert process_time() - start < 4


def test_rows_are_read_block_by_block() -> None:
    class Endless(io.RawIOBase):
        """A file that a reader of whole files would never finish."""

        lines = chain([HEADER.encode()], repeat(b"disguised,employed,yes,choice 2,\n"))

        def __iter__(self) -> Iterator[bytes]:
            return self.lines

        def read(self, size: int = -1) -> bytes:
            assert 0 < size < 10_000_000
            return b"".join(islice(self.lines, 3_000))

    file: BinaryIO = Endless()  # type: ignore[assignment]
    assert list(islice(read_records(file, "records.csv", ASKED), 3)) == ROWS[:1] * 3


@pytest.mark.proof
@given(source=designs(), data=st.data(), withhold=st.booleans())
def test_what_is_written_is_read_again(source: dict[str, Any], data: st.DataObject, withhold: bool) -> None:
    found = parse(json.dumps(source))
    words = seeded_words(data.draw(st.integers(0, 99)))
    rows = []
    for _ in range(4):
        group = data.draw(st.integers(0, 1))
        answers = data.draw(answers_to(source))
        rows.append(
            RecordRow(group, read_record(found, disguise(found, draw_coins(found, words), group, answers)))
        )
    file = io.StringIO()
    write_records(file, found, rows, withhold=withhold)
    again = list(read_records(io.BytesIO(file.getvalue().encode()), "records.csv", found))
    always = [not question.withheld_if_open for question in found.questions]
    for row, reread in zip(rows, again, strict=True):
        kept = [told or not withhold or row.group == 1 for told in always]
        assert reread.group == row.group
        assert [code for code, told in zip(reread.codes, kept, strict=True) if told] == [
            code for code, told in zip(row.codes, kept, strict=True) if told
        ]


@pytest.mark.proof
def test_a_row_longer_than_any_design_is_refused_by_its_line() -> None:
    file = io.BytesIO(HEADER.encode() + b'"' + b'\n","' * 1_200_000)
    with pytest.raises(InputError, match=r"records.csv:\d+: a row of more than 4000000 bytes"):
        list(read_records(file, "records.csv", ASKED))


def test_a_line_without_end_is_read_no_further_than_a_row(tmp_path: Path) -> None:
    endless = tmp_path / "records.csv"
    os.mkfifo(endless)

    def write() -> None:
        with contextlib.suppress(BrokenPipeError), endless.open("wb") as pipe:
            while True:
                pipe.write(b"a" * 100_000)

    writing = threading.Thread(target=write)
    writing.start()
    with open_file(endless) as file, pytest.raises(InputError, match=r"records\.csv:1: a row of more than"):
        list(read_records(file, "records.csv", ASKED))
    writing.join()


def test_a_long_cell_is_no_name_and_is_not_composed() -> None:
    accents = "\u0301\u0316" * 60_000
    start = process_time()
    with pytest.raises(InputError, match="is not one of its choices"):
        list(
            read_records(io.BytesIO(f"{HEADER}disguised,{accents},yes,choice 2,\n".encode()), "r.csv", ASKED)
        )
    with pytest.raises(InputError, match="unknown column"):
        list(read_records(io.BytesIO(f"group,{accents}\n".encode()), "r.csv", ASKED))
    assert process_time() - start < 2
