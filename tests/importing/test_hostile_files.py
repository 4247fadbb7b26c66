"""Spreadsheets that are damaged, too large, or made to be slow to read."""

import io
import random
import time
import zipfile
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from importing import xlsform
from importing.draft_check import MOST_QUESTIONS
from importing.faults import FileRefused
from importing.safe_zip import MOST_MEMBERS, MOST_UNPACKED
from importing.xlsform.workbook import (
    MOST_COLUMNS,
    MOST_ROWS,
    Sheet,
    read as read_workbook,
    write as write_workbook,
)
from surveys.kinds.read_draft import read_questionnaire
from tests.importing.spreadsheets import (
    CHOICES,
    HOSTILE,
    asked,
    changed,
    form,
    left,
    listed,
    nested,
    packed,
    refused,
    rows,
    shared,
    workbook,
)
from tests.odd_files.mutations import damaged
from tests.surveys.drafts import bilingual, complete, normalized

pytestmark = pytest.mark.page
HONEST = xlsform.write(read_questionnaire(bilingual()))


def repacked(change: Callable[[str, bytes], bytes], of: bytes = HONEST, **more: bytes) -> bytes:
    """An honest workbook with its members changed, and others added."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(of)) as before, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            after.writestr(name, change(name, before.read(name)))
        for name, data in more.items():
            after.writestr(name, data)
    return file.getvalue()


def taken_in(seconds: float, data: bytes) -> bool:
    began = time.process_time()
    try:
        xlsform.read(data)
        taken = True
    except FileRefused:
        taken = False
    assert time.process_time() - began < seconds
    return taken


def test_what_is_no_spreadsheet_is_refused() -> None:
    for data in (b"", b"PK", b"PK\x05\x06" + bytes(18), b"\xd0\xcf\x11\xe0" * 200, b"type,name\ntext,a\n"):
        assert not taken_in(1, data), data[:20]
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:  # members are stored or deflated
        archive.writestr("xl/workbook.xml", b" ")
    assert refused(file.getvalue()) == ["the file: is a damaged archive or spreadsheet; save it again"]


def test_a_file_that_unpacks_into_too_much_is_refused_unread() -> None:
    bomb = repacked(lambda name, data: data, **{"xl/bomb.xml": bytes(MOST_UNPACKED)})
    assert len(bomb) < 60_000
    assert "unpacks to more" in refused(bomb)[0]


def test_a_member_cannot_unpack_into_more_than_it_declares() -> None:
    sheet = "xl/worksheets/sheet1.xml"
    with zipfile.ZipFile(io.BytesIO(HONEST)) as archive:
        size = 30_000_000 + archive.getinfo(sheet).file_size
    big = repacked(lambda name, data: data + b" " * 30_000_000 if name == sheet else data)
    lying = big.replace(size.to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    assert lying != big
    assert not taken_in(2, lying)


def test_too_many_members_are_refused() -> None:
    many = {f"a{number}": b"" for number in range(MOST_MEMBERS)}
    assert not taken_in(1, repacked(lambda name, data: data, **many))


ENTITIES = b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
LAUGHS = b'<!DOCTYPE x [<!ENTITY a "ha">%s]>' % ENTITIES


@pytest.mark.parametrize("name", ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml"])
def test_entities_are_refused(name: str) -> None:
    def laughing(member: str, data: bytes) -> bytes:
        return LAUGHS + data.replace(b"<t>", b"<t>&j;") if member == name else data

    assert not taken_in(1, repacked(laughing, of=form(["select_one ages", "age", "Age?", "yes"])))


def test_a_row_in_the_far_distance_and_groups_without_end_cost_little() -> None:
    def far(name: str, data: bytes) -> bytes:
        return data.replace(b'<row r="2"', b'<row r="1048576"') if name.endswith("sheet1.xml") else data

    assert taken_in(1, repacked(far)) in (True, False)
    assert taken_in(5, form(*nested(990)))


def test_more_columns_than_a_questionnaire_has_are_refused_and_more_rows_are_not_read() -> None:
    rows = [["note", "", "Words"] for number in range(MOST_ROWS)]
    data = form(["select_one ages", "q", "Q?", "yes"], *rows)
    lines = xlsform.read(data).lines
    assert len(lines) == MOST_ROWS
    assert any("has more rows below it" in remark for line in lines for remark in line.remarks)
    # Words that a list repeats in every question are counted each time.
    (remark,) = left(form(*asked(400), choices=listed(2, "x" * 32_000)))
    assert "more text in all" in remark
    wide = workbook(survey=[[f"c{number}" for number in range(MOST_COLUMNS + 1)]])
    assert "has more columns" in refused(wide)[0]


@pytest.mark.night
def test_no_more_questions_are_read_than_there_may_be() -> None:
    # A form of as many questions as there may be is read in a moment.
    assert taken_in(5, form(*asked(MOST_QUESTIONS, "${q0} = 'old'")))
    # Reading stops at the first question beyond.
    beyond = [*asked(MOST_QUESTIONS + 1), ["text", "why", "Why?"]]
    data = form(["text", "who", "Who?"], *beyond)
    (remark,) = left(data)[1:]
    assert len(xlsform.read(data).draft["sections"][0]["questions"]) == MOST_QUESTIONS
    assert remark.startswith(
        f"sheet survey, row {MOST_QUESTIONS + 3}: here the form has more than 500 questions"
    )
    # Every option of several is a question.
    several = [["select_multiple ages", f"q{number}", "Q?", "yes"] for number in range(2)]
    assert len(left(form(*several, choices=listed(MOST_QUESTIONS // 2 + 1)))) == 1
    assert taken_in(5, form(*several, choices=listed(MOST_QUESTIONS // 2)))


@pytest.mark.night
def test_a_long_list_used_over_and_over_is_refused() -> None:
    choices = [CHOICES[0], *(["ages", f"c{number}", "x"] for number in range(1_000))]
    faults = left(form(*(["select_one ages", f"q{number}", "Q?"] for number in range(22)), choices=choices))
    assert [fault.split(": ")[0] for fault in faults] == ["sheet survey, row 22", "sheet survey, row 23"]
    assert "more answers in all" in faults[0]


@pytest.mark.night
def test_cells_and_characters_of_all_sheets_have_one_budget() -> None:
    lines = [[f"c{number}" for number in range(200)], *([["x"] * 200] * 300)]
    (fault,) = refused(workbook(survey=lines, choices=lines))
    assert fault.startswith("sheet choices, row 200: up to here the sheets hold more cells or text")
    long = [["type", "label"], *([["x", "y" * 30_000]] * 140)]
    (fault,) = refused(workbook(survey=long))
    assert fault.startswith("sheet survey, row 135: up to here the sheets hold more cells or text")


def test_a_text_that_many_cells_share_is_converted_once() -> None:
    said = "one\r\ntwo " * 1_000
    header = '<c t="inlineStr"><is><t>type</t></is></c><c t="inlineStr"><is><t>label</t></is></c>'
    row = '<row r="{}"><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>'
    lines = f'<row r="1">{header}</row>' + "".join(row.format(number) for number in range(2, 20))
    shared_text = shared(f"<si><t>{said.replace(chr(13), '&#13;')}</t></si>")
    found = read_workbook(packed(sheet1=rows(lines), sharedStrings=shared_text)).read["survey"].rows
    texts = [text for row in found for text in row.cells.values()]
    assert len(texts) == 36
    assert texts[0] == "one\ntwo " * 1_000
    assert all(text is texts[0] for text in texts)


def test_what_takes_seconds_to_parse_is_refused_unparsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openpyxl.load_workbook", None)
    attributes = "cells with a million attributes"
    for name in ("a million texts", "a text in a million pieces", "a million styles", attributes):
        assert "unpacks to more than a questionnaire holds" in refused(HOSTILE[name]())[0], name


def test_running_out_of_memory_is_not_taken_for_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*given: object, **more: object) -> None:
        raise MemoryError

    monkeypatch.setattr("openpyxl.load_workbook", exhausted)
    with pytest.raises(MemoryError):
        xlsform.read(HONEST)


@pytest.mark.night
def test_rules_of_one_file_share_one_budget() -> None:
    data = HOSTILE["rules on every question above"]()
    began = time.process_time()
    remarks = changed(data)
    assert time.process_time() - began < 10
    assert "compares more answers than a questionnaire has" in remarks[0]
    assert taken_in(5, form(*asked(500, " and ".join(["${q0} != 'old'"] * 20))))


def test_a_formula_is_a_text_like_any_other() -> None:
    draft = normalized(complete(contact="=HYPERLINK(1)", title={"en": "=1+1"}))
    data = xlsform.write(read_questionnaire(draft))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert not any(b"<f>" in archive.read(name) for name in archive.namelist())
    assert xlsform.read(data).draft == draft


@given(seed=st.integers(0, 2**32))
def test_a_damaged_workbook_is_taken_or_refused_in_words(seed: int) -> None:
    draw = random.Random(seed)
    taken_in(5, repacked(lambda _name, data: data if draw.random() < 0.6 else damaged(data, draw)))


CELLS = [
    *("select_one ages", "select_multiple paid", "begin_group", "end_group", "age", "q", "1", "A", ""),
    *("many", "#N/A"),
    *("${age} = 'old'", "selected(${q}, 'cash')", "not(", "=1", "yes", "no", "sensitive", "plain"),
    *("0.5", "old=0.5"),
]


@given(rows=st.lists(st.lists(st.sampled_from(CELLS), max_size=8), max_size=6))
def test_any_cells_are_taken_or_refused_in_words(rows: list[list[str]]) -> None:
    taken_in(5, form(*rows))


def test_a_sheet_ends_after_200_empty_rows_and_tells_it() -> None:
    """Some programs format empty rows down to the end of a sheet."""
    question = ["integer", "age", "How old?"]

    def sheet(empty: int) -> Sheet:
        lines = [["type", "name", "label"], question, *([["", "", ""]] * empty), question]
        return read_workbook(write_workbook({"survey": lines}))[0]["survey"]

    whole, ended = sheet(empty=200), sheet(empty=201)
    assert (len(whole.rows), whole.ends_early) == (2, False)
    assert (len(ended.rows), ended.ends_early) == (1, True)
