"""Record files: choices, numbers and sets by name, the groups, what is withheld, and what is refused."""

import contextlib
import io
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice, repeat
from pathlib import Path
from time import process_time
from typing import Any, BinaryIO

import pytest

from privacy.designs import Design
from privacy.records import DISGUISED, OPEN, RecordRow, open_table_file, write_records
from tests.privacy import questionnaires as q

HEADER = "group,work,theft,drink,drugs\n"
FILE = HEADER + "disguised,employed,yes,choice 2,\nopen,not,-,choice 0,\ndisguised,not,,choice 1,no\n"
ROWS = [RecordRow(1, (0, 1, 2, 2)), RecordRow(0, (1, 3, 0, 2)), RecordRow(1, (1, 2, 1, 0))]
NUMBERS = q.design(
    q.plain(q.WORK),
    q.window("change", 5, 1, low=-4, step=2),
    q.classes("debt", "0.5", -5, 0, 10, **q.IF_EMPLOYED),
)
NUMBER_ROWS = [RecordRow(0, (0, 0, 0)), RecordRow(1, (0, 4, 5)), RecordRow(1, (1, 2, 7))]
NUMBER_HEADER = "group,work,change,debt\n"
NUMBER_FILE = NUMBER_HEADER + "open,employed,-4,<0\ndisguised,employed,4,>=10\ndisguised,not,0,-\n"
VERSIONS = [{"name": n, "choices": ["no", "yes"], "show_if": {"version": [of]}} for n, of in ("ma", "sb")]
ARMS = q.design(
    q.plain(q.drawn_question("version", *q.HALF), *VERSIONS),
    q.crosswise("tax", "0.05"),
    q.sensitive("0.5", q.question("theft", *q.HALF)),
    open_answers=False,
    direct="0.5",
)
ARM_HEADER = "group,version,m,s,tax,theft\n"
ARM_FILE = ARM_HEADER + "direct,a,yes,-,yes,no\ndisguised,b,-,no,no,yes\n"
ARM_ROWS = [RecordRow(OPEN, (0, 1, 3, 1, 0)), RecordRow(DISGUISED, (1, 3, 0, 0, 1))]


def rows_of(text: str | bytes, of: Design = q.ASKED) -> list[RecordRow]:
    content = text.encode() if isinstance(text, str) else text
    return list(q.read_records(io.BytesIO(content), "records.csv", of))


def record_file_text(rows: list[RecordRow], of: Design = q.ASKED, **more: Any) -> str:
    file = io.StringIO()
    write_records(file, of, rows, **more)
    return file.getvalue()


def test_a_record_file_holds_names_numbers_nothing_and_a_dash_and_is_read_as_it_is_written() -> None:
    for rows, text, of in (
        (ROWS, FILE, q.ASKED),
        (NUMBER_ROWS, NUMBER_FILE, NUMBERS),
        (ARM_ROWS, ARM_FILE, ARMS),
    ):
        assert rows_of(text, of) == rows
        assert record_file_text(rows, of) == text


def test_record_file_may_vary_order_marks_line_ends_and_quotes() -> None:
    assert rows_of("drugs,group,theft,work,drink\n,disguised,yes,employed,choice 2\n") == ROWS[:1]
    lines = ['"group","work","theft","drink","drugs"', "", 'disguised,"employed",yes,choice 2,', "", ""]
    assert rows_of("\ufeff" + "\r\n".join(lines)) == ROWS[:1]
    cafe = q.design(q.plain({"name": "caf\u00e9", "choices": ["th\u00e9", "eau"]}))
    assert rows_of("group,cafe\u0301\ndisguised,the\u0301\n", cafe) == [RecordRow(1, (0,))]


def test_exported_file_withholds_plain_answers_of_open_records() -> None:
    out = record_file_text(ROWS, withhold=True)
    assert out == FILE.replace("open,not", "open,?")
    # Codes of "work": two choices, not asked 2, not applicable 3, withheld 4.
    assert rows_of(out) == [ROWS[0], RecordRow(0, (4, 3, 0, 2)), ROWS[2]]
    # Those of direct records like those of open ones.
    out = record_file_text(ARM_ROWS, ARMS, withhold=True)
    assert out == ARM_FILE.replace("direct,a,yes,-", "direct,?,?,?")
    assert [row.group for row in rows_of(out, ARMS)] == [OPEN, DISGUISED]


def test_a_bad_file_is_refused_with_file_line_and_reason() -> None:
    shows, hides = (f"the answers that are not disguised {what} it" for what in ("show", "hide"))
    withheld = "only places and answers that are not disguised are withheld"
    group = "the group is open or disguised, not"
    lines = {
        "disguised,employed,maybe,choice 2,": "theft: 'maybe' is not one of its choices",
        ",employed,yes,choice 2,": f"{group} ''",
        "disguised,employed,yes,choice 2,no": "theft: 3 questions asked in the section",
        "disguised,employed,-,choice 2,": f"theft: not applicable, but {shows}",
        "disguised,not,yes,choice 2,": f"theft: answered, but {hides}",
        "disguised,,yes,choice 2,": "work: a question that is not disguised is always asked",
        "disguised,?,yes,choice 2,": f"work: {withheld}",
        "open,?,?,choice 2,": f"theft: {withheld}",
        "open,?,yes,-,": "drink: not applicable, but no rule hides it",
        'disguised,"employed,yes,choice 2,': "not CSV",
        'disguised,"employed"x,yes,choice 2,': "not CSV",
    }
    cases: list[tuple[str | bytes, str]] = [
        ("", "records.csv:1: the line with the names of the columns is missing"),
        ("work,theft,drink,drugs\n", "records.csv:1: the column 'group' is missing"),
        ("group,work,theft,drink\n", "records.csv:1: the column 'drugs' is missing"),
        (HEADER[:-1] + ",age\n", "records.csv:1: unknown column 'age'"),
        (HEADER[:-1] + ",work\n", "records.csv:1: the column 'work' appears twice"),
        (HEADER + "disguised,employed,yes,choice 2\n", "records.csv:2: 4 cells, not 5"),
        (FILE + "\n\nhidden,employed,yes,choice 2,\n", f"records.csv:7: {group} 'hidden'"),
        *((f"{FILE}{line}\n", f"records.csv:5: {said}") for line, said in lines.items()),
        (FILE.encode() + b"disguised,\xff,yes,choice 2,\n", "records.csv:5: not UTF-8"),
        (FILE.encode("utf-16"), "records.csv:1: not UTF-8"),
    ]
    assert q.refused_otherwise(rows_of, cases) == []
    for cell in ("-5", "6", "1", "4.0", "four", "", "-", "４", " 4", "+4"):
        said = q.refusal(rows_of, f"{NUMBER_HEADER}disguised,employed,{cell},<0\n", NUMBERS)
        assert said.startswith("records.csv:2: change"), cell


def test_a_group_is_refused_where_the_design_has_none() -> None:
    nobody = "records.csv:3: in this design nobody can choose to answer without disguise"
    assert q.refusal(rows_of, FILE, replace(q.ASKED, open_answers=False)) == nobody
    said = q.refusal(rows_of, ARM_FILE.replace("direct", "open"), ARMS)
    assert said == "records.csv:2: the group is direct or disguised, not 'open'"
    for open_answers in (True, False):
        said = q.refusal(rows_of, ARM_FILE, replace(ARMS, direct_parts=0, open_answers=open_answers))
        assert said == "records.csv:2: the group is open or disguised, not 'direct'"


def test_a_refusal_prints_a_name_on_one_line_of_visible_characters() -> None:
    name = "می\u200cخواهم\u3000x"
    odd = q.design(q.plain(q.WORK), q.sensitive("0.3", q.question(name, *q.HALF), q.DRUGS))
    for cells, words in {
        "maybe,no": "'maybe' is not one of its choices",
        "-,no": "not applicable, but the answers that are not disguised show it",
        ",no": "1 questions asked in the section that begins here, not 2",
    }.items():
        file = io.BytesIO(f"group,work,{name},drugs\ndisguised,not,{cells}\n".encode())
        said = q.refusal(lambda file: list(q.read_records(file, "of\u202eme\n.csv", odd)), file)
        assert said == rf"of\u202eme\n.csv:2: می\u200cخواهم\u3000x: {words}"


@pytest.mark.night
@pytest.mark.proof
def test_many_columns_are_found_in_time() -> None:
    names = [f"q{number}" for number in range(24_000)]
    wide = q.design(q.plain(*({"name": name, "choices": ["a", "b"]} for name in names)))
    text = record_file_text([RecordRow(1, (0,) * len(names))], wide)
    start = process_time()
    assert [row.group for row in rows_of(text, wide)] == [1]
    assert process_time() - start < 4


def test_record_rows_are_read_block_by_block() -> None:
    class Endless(io.RawIOBase):
        """A file that a reader of whole files would never finish."""

        lines = chain([HEADER.encode()], repeat(b"disguised,employed,yes,choice 2,\n"))

        def __iter__(self) -> Iterator[bytes]:
            return self.lines

        def read(self, size: int = -1) -> bytes:
            assert 0 < size < 10_000_000
            return b"".join(islice(self.lines, 3_000))

    file: BinaryIO = Endless()  # type: ignore[assignment]
    assert list(islice(q.read_records(file, "records.csv", q.ASKED), 3)) == ROWS[:1] * 3


@pytest.mark.proof
def test_overlong_row_or_cell_is_refused_early() -> None:
    said = q.refusal(rows_of, HEADER.encode() + b'"' + b'\n","' * 1_200_000)
    assert said.endswith(": a row of more than 4000000 bytes")
    accents, start = "\u0301\u0316" * 60_000, process_time()
    assert "is not one of its choices" in q.refusal(rows_of, f"{HEADER}disguised,{accents},yes,choice 2,\n")
    assert "unknown column" in q.refusal(rows_of, f"group,{accents}\n")
    assert process_time() - start < 2


def test_line_without_end_is_read_only_to_the_row_limit(tmp_path: Path) -> None:
    endless = tmp_path / "records.csv"
    os.mkfifo(endless)

    def write() -> None:
        with contextlib.suppress(BrokenPipeError), endless.open("wb") as pipe:
            while True:
                pipe.write(b"a" * 100_000)

    writing = threading.Thread(target=write)
    writing.start()
    with open_table_file(endless) as file:
        said = q.refusal(lambda: list(q.read_records(file, "records.csv", q.ASKED)))
    assert "records.csv:1: a row of more than" in said
    writing.join()
