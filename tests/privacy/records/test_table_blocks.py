"""Record files in blocks: machine code and Python read the same, and refuse with the same words."""

import io
import json
from collections.abc import Callable, Iterator
from itertools import compress, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from privacy.designs import Design, InputError, parse_design
from privacy.mechanisms.disguise_by_given_coins import disguise
from privacy.mechanisms.random_draws import draw_coins, seeded_words
from privacy.records import RecordRow, read_record, record_file_blocks as module, write_records
from privacy.records.record_csv_row_kernel import build_record_row_parser
from privacy.records.record_file import open_as_plain_csv
from tests.privacy import questionnaires as q
from tests.privacy.strategies import answers_to, designs

pytestmark = pytest.mark.proof
FORM = q.design(q.plain(q.WORK), q.sensitive("0.5", q.question("theft", *q.HALF)))
HEADER = "group,work,theft\n"
ROW = "disguised,employed,yes\n"
WAYS = {"machine code": 0, "Python": 1 << 40}
"""By what reads: the least bytes that machine code reads."""


@pytest.fixture(params=WAYS)
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Blocks of a few rows, all read by this reader where it can."""
    monkeypatch.setattr(module, "BLOCK", 64)
    monkeypatch.setattr(module, "SMALL", WAYS[request.param])
    return str(request.param)


def outcome(work: Callable[[], Any]) -> Any:
    """What it returns, or the words of its refusal."""
    try:
        return work()
    except InputError as refused:
        return str(refused)


def read(text: str | bytes, of: Design = FORM) -> Any:
    """The rows of a file, or the words of its refusal."""
    data = text.encode() if isinstance(text, str) else text
    return outcome(lambda: [(row.group, row.codes) for row in q.read_records(io.BytesIO(data), "t.csv", of)])


def outcomes(read: Callable[[], Iterator[RecordRow]]) -> list[Any]:
    """What Python reads in one block, and in short blocks each way."""
    found = [outcome(lambda: list(read()))]
    with pytest.MonkeyPatch.context() as patch:
        for block in (48, 200):
            for small in WAYS.values():
                patch.setattr(module, "BLOCK", block)
                patch.setattr(module, "AT_ONCE", 5)
                patch.setattr(module, "SMALL", small)
                found.append(outcome(lambda: list(read())))
    return found


THEFT = q.sensitive("0.5", q.question("theft", *q.HALF))
TOWNS = ["é", "a, b", 'say "no"', "-5", "as long as it may be", "="]
ODD = q.design(q.plain({"name": "city, or town", "choices": TOWNS}), THEFT)
CELLS = (
    ["disguised", "disguised", "disguised", "open"],
    ["é", "a, b", 'say "no"', "'-5", "-5", "as long as it may be", "'=", "e\u0301"],
    ["yes", "no", "no", "no"],
)
BYTES = [bytes([byte]) for byte in b',\n\r"\0\xff\xc3a ;\t\x0b']
SEVERAL = [b"", b"\r\n", b'""', b"\xef\xbb\xbf", b"\n\n", b"open,?,yes\n", b"\ndisguised,-,no\n", b'"yes"']
FAULTS = st.sampled_from(BYTES + SEVERAL)


def quoted_lines(data: st.DataObject, separator: str = ",") -> list[str]:
    """The header and some rows of a file, each cell in quotation marks or, where that is the same, not."""
    quotes = data.draw(st.booleans())
    rows = data.draw(st.lists(st.tuples(*map(st.sampled_from, CELLS)), min_size=1, max_size=30))
    lines = []
    for row in [("group", "city, or town", "theft"), *rows]:
        quoted = ('"' + cell.replace('"', '""') + '"' for cell in row)
        needs = (quotes or "," in cell or '"' in cell for cell in row)
        lines.append(separator.join(a if of else b for a, of, b in zip(quoted, needs, row, strict=True)))
    return lines


@settings(max_examples=60)
@given(
    data=st.data(),
    ends=st.sampled_from(["\n", "\r\n"]),
    last_end=st.booleans(),
    mark=st.booleans(),
    faults=st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 3), FAULTS), max_size=2),
)
def test_fast_reader_treats_damaged_files_like_the_slow_one(
    data: st.DataObject, ends: str, last_end: bool, mark: bool, faults: list[tuple[int, int, bytes]]
) -> None:
    """Faults: so many bytes of the file, from this one on, are replaced."""
    lines = ends.join(quoted_lines(data)) + ends * last_end
    raw = b"\xef\xbb\xbf" * mark + lines.encode()
    for at, length, instead in faults:
        start = at % len(raw)
        raw = raw[:start] + instead + raw[start + length :]
    found = outcomes(lambda: q.read_records(io.BytesIO(raw), "t.csv", ODD))
    assert found == found[:1] * len(found)


@settings(max_examples=20)
@given(
    data=st.data(),
    separator=st.sampled_from(";\t,"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    ends=st.sampled_from(["\n", "\r\n"]),
    last=st.booleans(),
)
def test_fast_reader_reads_other_layouts_like_the_slow_one(
    tmp_path_factory: pytest.TempPathFactory, data: Any, separator: str, encoding: str, ends: str, last: bool
) -> None:
    file: Path = tmp_path_factory.getbasetemp() / "layouts.csv"
    file.write_bytes((ends.join(quoted_lines(data, separator)) + ends * last).encode(encoding))

    def read_file() -> Iterator[RecordRow]:
        with open_as_plain_csv(file) as rows:
            yield from q.read_records(rows, "t.csv", ODD)

    found = outcomes(read_file)
    assert found == found[:1] * len(found)
    assert isinstance(found[0], list)


@given(source=designs(), data=st.data(), withhold=st.booleans())
def test_fast_reader_reads_a_record_file_as_written(
    source: dict[str, Any], data: st.DataObject, withhold: bool
) -> None:
    found = parse_design(json.dumps(source))
    words, rows = seeded_words(data.draw(st.integers(0, 99))), []
    for _ in range(6):
        group, answers = data.draw(st.integers(0, 1)), data.draw(answers_to(source))
        sent = disguise(found, draw_coins(found, words), group, answers)
        rows.append(RecordRow(group, read_record(found, sent)))
    file = io.StringIO()
    write_records(file, found, rows, withhold=withhold)
    by = outcomes(lambda: q.read_records(io.BytesIO(file.getvalue().encode()), "r.csv", found))
    assert by == by[:1] * len(by)
    for row, reread in zip(rows, by[0], strict=True):
        kept = [not withhold or row.group == 1 or not of.withheld_if_open for of in found.questions]
        told = [tuple(compress(each.codes, kept)) for each in (row, reread)]
        assert (reread.group, told[1]) == (row.group, told[0])


REFUSED = {
    "disguised,not,maybe\n": "theft: 'maybe' is not one of its choices",
    "disguised,-,no\n": "work: not applicable",
    "disguised,not,\n": "theft: 0 questions asked",
    "disguised,,no\n": "work: a question that is not disguised is always asked",
    "disguised,?,no\n": "work: only places and answers that are not disguised",
    "nobody,not,no\n": "the group is open or disguised, not 'nobody'",
    "disguised,not\n" + 9 * ROW: "2 cells, not 3",
    'disguised,"not,no\n': "not CSV",
    'disguised,"not"x,no\n': "not CSV",
}


def test_a_refusal_names_the_line_in_a_later_block(reader: str) -> None:
    told = [(f"t.csv:42: {words}", read(HEADER + 40 * ROW + text)) for text, words in REFUSED.items()]
    assert [(words, said) for words, said in told if not str(said).startswith(words)] == []
    assert read((HEADER + 40 * ROW).encode() + b"disguised,\xff,no\n") == "t.csv:42: not UTF-8"
    # The first of two faults is refused.
    two = HEADER + 3 * ROW + "disguised,not,maybe\n" + 3 * ROW + "disguised\n"
    assert read(two) == "t.csv:5: theft: 'maybe' is not one of its choices"


def test_every_row_of_many_blocks_is_read_once(reader: str) -> None:
    cells = [("disguised", "employed", "yes"), ("open", "?", "no"), ("disguised", "not", "no")] * 40
    for ends, quote in product(("\n", "\r\n"), ("", '"')):
        lines = [",".join(f"{quote}{cell}{quote}" for cell in row) for row in cells]
        assert read(ends.join([HEADER.strip(), *lines])) == [(1, (0, 1)), (0, (4, 0)), (1, (1, 0))] * 40
    # Names in another composition.
    asked = {"name": "caf\u00e9", "choices": ["n\u00e9e", "no"], "noise": [*q.HALF]}
    cafe = q.design(q.sensitive("0.5", asked))
    text = "group,cafe\u0301\n" + "disguised,ne\u0301e\n" * 9 + "disguised,no\n"
    assert read(text, cafe) == [(1, (0,))] * 9 + [(1, (1,))]


@pytest.mark.parametrize("small", [0, 200], ids=["", "a quarter, as numba is loaded"])
def test_compiled_reader_reads_plain_files(monkeypatch: pytest.MonkeyPatch, small: int) -> None:
    """So the tests above do not compare Python's reader with itself."""
    monkeypatch.setattr(module, "SMALL", small)
    monkeypatch.setattr(module, "read_rows", lambda *_of: pytest.fail("by Python"))
    lines = ["group,city,theft", "open,é,no", 'disguised,"a, b","yes"', 'open,"say ""no""",no\r', "open,=,no"]
    city = q.plain({"name": "city", "choices": ["é", "a, b", 'say "no"', "="]})
    found = q.design(city, q.sensitive("0.5", q.question("theft", *q.HALF)))
    assert [codes for _group, codes in read("\n".join(lines), found)] == [(0, 0), (1, 1), (2, 0), (3, 0)]


def test_distinct_long_texts_of_a_column_are_told_apart() -> None:
    """Most share their first word; the codes need two bytes."""
    texts = [f"the same for all, then {number}" for number in range(700)]
    splitter = build_record_row_parser([{text: code for code, text in enumerate(texts)}], [0])
    codes = splitter.split("\n".join(f'"{text}"' for text in texts).encode())
    assert codes is not None
    assert codes.tolist() == [list(range(700))]
    assert splitter.split(b'"the same for all, then 700"\n') is None
    assert splitter.split(b'"the same for all, then 12') is None


def test_parallel_parsing_needs_all_cells_in_each_row() -> None:
    splitter = build_record_row_parser([{"a": 0, "é": 1}, {"b": 0, "c": 1}], [1, 0])
    for rows in range(1, 10):
        codes = splitter.split(b"b,a\n" + "c,é\n".encode() * rows)
        assert codes is not None
        assert codes.tolist() == [[0, *[1] * rows]] * 2
        for wrong in (b"b\n", b"b,a,a\n", b"a,b\n", b"\n"):
            assert splitter.split(b"b,a\n" * rows + wrong) is None, (rows, wrong)
            assert splitter.split(wrong * rows) is None, (rows, wrong)
