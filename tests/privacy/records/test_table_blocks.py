"""Blocks of a table: Arrow's and Python's readers read the same, and refuse with the same words."""

import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from privacy.designs import InputError, parse
from privacy.mechanisms.disguise import disguise
from privacy.mechanisms.draws import draw_coins, seeded_words
from privacy.records import RecordRow, read_record, table_blocks as module, write_records
from privacy.records.csv_rows import csv_rows
from privacy.records.table_blocks import TableBlock, table_blocks
from tests.privacy.questionnaires import HALF, WORK, design, plain, question, read_records, sensitive
from tests.privacy.strategies import answers_to, designs

pytestmark = pytest.mark.proof
FORM = design(plain(WORK), sensitive("0.5", question("theft", *HALF)))
HEADER = "group,work,theft\n"
ROW = "disguised,employed,yes\n"


@pytest.fixture(params=["Arrow", "Python"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Blocks of a few rows, all split by this reader where it can."""
    monkeypatch.setattr(module, "BLOCK", 64)
    monkeypatch.setattr(module, "SMALL", 0 if request.param == "Arrow" else 1 << 40)
    return str(request.param)


def rows_of(data: bytes) -> list[tuple[str, list[str]]]:
    header, blocks = table_blocks(io.BytesIO(data), "t.csv")
    return ([header] if header else []) + [row for block in blocks for row in block.rows()]


def said(work: Any) -> str:
    with pytest.raises(InputError) as caught:
        work()
    return str(caught.value)


def outcome(work: Callable[[], Any]) -> Any:
    """What it returns, or the words of its refusal."""
    try:
        return work()
    except InputError as refusal:
        return str(refusal)


CELL = st.text(st.sampled_from('ab",\n\r é\u0301-'), max_size=4)


@settings(max_examples=100)
@given(
    rows=st.lists(st.lists(CELL, min_size=1, max_size=3), max_size=12),
    ends=st.sampled_from(["\n", "\r\n"]),
    quoted=st.booleans(),
    mark=st.booleans(),
)
def test_blocks_hold_the_rows_of_pythons_reader(
    rows: list[list[str]], ends: str, quoted: bool, mark: bool
) -> None:
    """Whatever the cells, quoted in the right way or not at all: the same rows at the same lines, or one refusal."""
    lines = (
        ",".join('"' + cell.replace('"', '""') + '"' if quoted else cell for cell in row) for row in rows
    )
    data = b"\xef\xbb\xbf" * mark + "".join(line + ends for line in lines).encode()
    before = module.BLOCK, module.SMALL
    try:
        module.BLOCK, module.SMALL = 16, 0
        assert outcome(lambda: rows_of(data)) == outcome(lambda: list(csv_rows(io.BytesIO(data), "t.csv")))
    finally:
        module.BLOCK, module.SMALL = before


LONG = st.text(st.sampled_from("abé-\U0001f600"), max_size=24)
FAULT = st.sampled_from(
    [b",", b"\n", b"\r", b"\r\n", b'"', b"\0", b"\xff", b"\xc3", b"a", b"\xef\xbb\xbf", b"\n\n", b""]
)


@settings(max_examples=100)
@given(
    pool=st.lists(LONG, min_size=1, max_size=20, unique=True),
    width=st.integers(1, 4),
    many=st.integers(1, 40),
    seed=st.integers(0, 99),
    faults=st.lists(st.tuples(st.integers(0, 999), st.integers(0, 3), FAULT), max_size=2),
    last_end=st.booleans(),
)
def test_damaged_tables_of_short_cells_are_read_or_refused_alike(
    pool: list[str],
    width: int,
    many: int,
    seed: int,
    faults: list[tuple[int, int, bytes]],
    last_end: bool,
) -> None:
    """Faults: so many bytes of the file, from this one on, are replaced."""
    rng = np.random.default_rng(seed)
    rows = [[f"name{column}" for column in range(width)], *rng.choice(pool, (many, width)).tolist()]
    data = "\n".join(map(",".join, rows)).encode() + b"\n" * last_end
    for at, length, instead in faults:
        start = at % len(data)
        data = data[:start] + instead + data[start + length :]
    expected = outcome(lambda: list(csv_rows(io.BytesIO(data), "t.csv")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SMALL", 0)
        for patched in ("BLOCK", "MOST_WORDS"):
            # In blocks of a few rows; and by Arrow where a cell is longer than a word.
            patch.setattr(module, patched, 64 if patched == "BLOCK" else 1)
            assert outcome(lambda: rows_of(data)) == expected


@given(source=designs(), data=st.data(), withhold=st.booleans())
def test_a_record_file_is_read_alike(source: dict[str, Any], data: st.DataObject, withhold: bool) -> None:
    found = parse(json.dumps(source))
    words, rows = seeded_words(data.draw(st.integers(0, 99))), []
    for _ in range(6):
        group, answers = data.draw(st.integers(0, 1)), data.draw(answers_to(source))
        sent = disguise(found, draw_coins(found, words), group, answers)
        rows.append(RecordRow(group, read_record(found, sent)))
    file = io.StringIO()
    write_records(file, found, rows, withhold=withhold)
    before, by = module.SMALL, []
    try:
        for module.SMALL in (0, 1 << 40):
            by.append(list(read_records(io.BytesIO(file.getvalue().encode()), "r.csv", found)))
    finally:
        module.SMALL = before
    assert by[0] == by[1]
    if not withhold:
        assert by[0] == rows


REFUSED = {
    "group,work,theft\n"
    + 40 * ROW
    + "disguised,not,maybe\n": "t.csv:42: theft: 'maybe' is not one of its choices",
    HEADER + 40 * ROW + "disguised,-,no\n": "t.csv:42: work: not applicable",
    HEADER + 40 * ROW + "disguised,not,\n": "t.csv:42: theft: 0 questions asked",
    HEADER + 40 * ROW + "disguised,,no\n": "t.csv:42: work: a question that is not disguised is always asked",
    HEADER + 40 * ROW + "disguised,?,no\n": "t.csv:42: work: only places and answers that are not disguised",
    HEADER + 40 * ROW + "nobody,not,no\n": "t.csv:42: the group is open or disguised, not 'nobody'",
    HEADER + 40 * ROW + "disguised,not\n" + 9 * ROW: "t.csv:42: 2 cells, not 3",
    HEADER + 40 * ROW + 'disguised,"not,no\n': "t.csv:42: not CSV",
    HEADER + 40 * ROW + 'disguised,"not"x,no\n': "t.csv:42: not CSV",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_refusal_names_the_line_in_a_later_block(reader: str, text: str) -> None:
    found = said(lambda: list(read_records(io.BytesIO(text.encode()), "t.csv", FORM)))
    assert found.startswith(REFUSED[text])


def test_bytes_that_are_no_text_are_refused_by_their_line(reader: str) -> None:
    data = HEADER.encode() + 40 * ROW.encode() + b"disguised,\xff,no\n"
    assert said(lambda: list(read_records(io.BytesIO(data), "t.csv", FORM))) == "t.csv:42: not UTF-8"


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_every_row_of_many_blocks_is_read_once(reader: str, ends: str, quoted: bool) -> None:
    cells = [("disguised", "employed", "yes"), ("open", "?", "no"), ("disguised", "not", "no")] * 40
    lines = [",".join(f'"{cell}"' if quoted else cell for cell in row) for row in cells]
    data = ends.join([HEADER.strip(), *lines]).encode()
    rows = [(row.group, row.codes) for row in read_records(io.BytesIO(data), "t.csv", FORM)]
    assert rows == [(1, (0, 1)), (0, (4, 0)), (1, (1, 0))] * 40


def test_names_in_another_composition_are_read(reader: str) -> None:
    cafe = design(
        sensitive("0.5", {"name": "caf\u00e9", "choices": ["n\u00e9e", "no"], "noise": ["0.5", "0.5"]})
    )
    data = "group,cafe\u0301\n" + "disguised,ne\u0301e\n" * 9 + "disguised,no\n"
    rows = [row.codes for row in read_records(io.BytesIO(data.encode()), "t.csv", cafe)]
    assert rows == [(0,)] * 9 + [(1,)]


def test_short_cells_are_split_without_arrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SMALL", 0)
    monkeypatch.setattr(module, "_split_by_arrow", lambda *_of: pytest.fail("by Arrow"))
    rows = [[f"{number:02}", "disguised" * (number % 2), "é" * (number % 20)] for number in range(50)]
    data = "a,b,c\n" + "\n".join(map(",".join, rows))
    _header, blocks = table_blocks(io.BytesIO(data.encode()), "t.csv")
    (block,) = blocks
    assert [len(column.cells) for column in block.columns] == [50, 2, 20]
    assert [cells for _place, cells in block.rows()] == rows


def test_arrow_splits_what_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the tests above do not compare Python's reader with itself."""
    monkeypatch.setattr(module, "SMALL", 0)
    monkeypatch.setattr(module, "_read_blocks", lambda *_of: pytest.fail("row by row"))
    monkeypatch.setattr(module, "_split_short_cells", lambda *_of: None)
    _header, blocks = table_blocks(io.BytesIO((HEADER + 50 * ROW).encode()), "t.csv")
    found: Iterator[TableBlock] = blocks
    (block,) = found
    assert [len(column.cells) for column in block.columns] == [1, 1, 1]
    assert np.asarray(block.line).tolist() == list(range(2, 52))
