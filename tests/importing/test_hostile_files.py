"""Spreadsheets that are damaged, too large, or made to be slow to read."""

import io
import random
import time
from collections.abc import Callable
from zipfile import ZIP_DEFLATED, ZIP_LZMA, ZipFile

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
from tests.importing.conftest import changes_of, items_left_out, refusals
from tests.importing.flow.made_files import CHOICES, HEADER, form, workbook
from tests.odd_files.mutations import damage
from tests.surveys.drafts import bilingual, complete, normalize_draft

pytestmark = pytest.mark.page
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{KIND}.worksheet+xml"/>'
    f'<Override PartName="/xl/sharedStrings.xml" ContentType="{KIND}.sharedStrings+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{KIND}.styles+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}">'
    '<sheets><sheet name="survey" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="r2" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
    f'<Relationship Id="r3" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>',
    "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}"><sheetData/></worksheet>',
    "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}"/>',
    "xl/styles.xml": ZipFile(io.BytesIO(form())).read("xl/styles.xml").decode(),
}


def xlsx(**members: str) -> bytes:
    """A workbook with one sheet; `sheet1`, `sharedStrings`, `styles` … replace the whole member of that name."""
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, content in PARTS.items():
            key = name.rpartition("/")[2].partition(".")[0]
            archive.writestr(name, members.get(key, content))
    return file.getvalue()


def rows(content: str) -> str:
    return f'<worksheet xmlns="{MAIN}"><sheetData>{content}</sheetData></worksheet>'


def strings(content: str) -> str:
    return f'<sst xmlns="{MAIN}">{content}</sst>'


def cells(count: int, cell: str, lines: int) -> str:
    """Below a header of as many columns, though never more than a sheet may have."""
    header = "".join(f'<c t="inlineStr"><is><t>c{number}</t></is></c>' for number in range(min(count, 300)))
    below = "".join(f'<row r="{number}">{cell * count}</row>' for number in range(2, lines + 1))
    return rows(f'<row r="1">{header}</row>{below}')


def questions(count: int, relevant: str = "", kind: str = "select_one ages") -> list[list[str]]:
    return [[kind, f"q{number}", "Q?", "yes", relevant if number else ""] for number in range(count)]


def options(count: int, label: str = "x") -> list[list[str]]:
    return [list(CHOICES[0]), *(["ages", f"c{number}", label] for number in range(count))]


def nested_groups(count: int, relevant: str = "") -> list[list[str]]:
    inside = [["begin_group", f"g{number}", "", "", relevant] for number in range(count)]
    return [*questions(1), *inside, *([["end_group"]] * count)]


def file_of_many_numbers(**cells: str) -> bytes:
    """A hundred and twenty numbers, or 490 where their cells are short."""
    count = 120 if max(map(len, cells.values())) > 1_000 else 490
    rows = [["range", f"n{number}", "Q?", "yes", *cells.values()] for number in range(count)]
    return form(*rows, header=[*HEADER[:4], *cells])


SHARED_CELL = '<c t="s"><v>0</v></c>'
LINE_ENDS = strings(f"<si><t>{'a&#13;&#10;' * 3_300}</t></si>")
HOSTILE: dict[str, Callable[[], bytes]] = {
    "references of nothing but spaces": lambda: form(*questions(490, "${" + " " * 4_900)),
    "one text with line ends in 600,000 cells": lambda: xlsx(
        sheet1=cells(300, SHARED_CELL, 2_000), sharedStrings=LINE_ENDS
    ),
    "one text with line ends in 500,000 cells": lambda: xlsx(
        sheet1=cells(300, SHARED_CELL, 1_700), sharedStrings=LINE_ENDS
    ),
    "one short text in 500,000 cells": lambda: xlsx(
        sheet1=cells(300, SHARED_CELL, 1_700), sharedStrings=strings("<si><t>a</t></si>")
    ),
    "a million empty texts": lambda: xlsx(sharedStrings=strings("<si/>" * 1_900_000)),
    "a million texts": lambda: xlsx(sharedStrings=strings("<si><t>a</t></si>" * 540_000)),
    "a text in a million pieces": lambda: xlsx(sharedStrings=strings(f"<si>{'<r><t>a</t></r>' * 640_000}</si>")),
    "a million styles": lambda: xlsx(
        styles=f'<styleSheet xmlns="{MAIN}"><cellXfs>{"<xf/>" * 1_900_000}</cellXfs></styleSheet>'
    ),
    "a million sheets": lambda: xlsx(
        workbook=f'<workbook xmlns="{MAIN}"><sheets>{"<sheet/>" * 1_200_000}</sheets></workbook>'
    ),
    "a million names": lambda: xlsx(
        workbook=f'<workbook xmlns="{MAIN}"><definedNames>{"<definedName/>" * 600_000}</definedNames></workbook>'
    ),
    "a workbook in a workbook in …": lambda: xlsx(workbook="<a>" * 3_300_000),
    "a cell in a cell in …": lambda: xlsx(sheet1="<a>" * 3_300_000),
    "cells with a million attributes": lambda: xlsx(
        sheet1="<worksheet " + " ".join(f'a{number}=""' for number in range(780_000)) + "/>"
    ),
    "240,000 cells of their own": lambda: xlsx(sheet1=cells(120, '<c t="inlineStr"><is><t>a</t></is></c>', 2_000)),
    "cells beyond the last column": lambda: xlsx(sheet1=cells(2_000, "<c/>", 1_200)),
    "rows without number": lambda: xlsx(sheet1=rows("<row/>" * 1_600_000)),
    "a number of millions of digits": lambda: xlsx(sheet1=rows(f'<row r="1"><c><v>{"9" * 9_900_000}</v></c></row>')),
    "a text of millions of characters": lambda: xlsx(
        sheet1=rows(f'<row r="1"><c t="inlineStr"><is><t>{"9" * 9_900_000}</t></is></c></row>')
    ),
    "kinds of content without end": lambda: xlsx(
        **{"[Content_Types]": f'<Types xmlns="{PACKAGE}/content-types">{"<Default/>" * 890_000}</Types>'}
    ),
    "2,000 questions": lambda: form(*questions(1_999)),
    "rules on one question": lambda: form(*questions(500, " or ".join(["${q0} = 'old'"] * 270))),
    "rules on every question above": lambda: form(
        *(
            [*row[:4], " and ".join(f"${{q{above}}}='old'" for above in range(min(number, 270)))]
            for number, row in enumerate(questions(500))
        )
    ),
    "groups in groups": lambda: form(*nested_groups(990)),
    "long rules of groups": lambda: form(
        *nested_groups(990, "${q0} != 'c1' and " * 200 + "${q0} != 'c2'"), choices=options(1_900)
    ),
    "a question with 1,900 options": lambda: form(*questions(1, kind="select_multiple ages"), choices=options(1_900)),
    "long words used over and over": lambda: form(*questions(400), choices=options(2, "x" * 32_000)),
    "100 columns with long names": lambda: form(
        *questions(1), header=[*HEADER, *(f"{number} {'x' * 30_000}" for number in range(100))]
    ),
    "130 long faults": lambda: form(*([f"{number} {'x' * 30_000}", "q", "Q?"] for number in range(130))),
    "constraints as long as a cell": lambda: file_of_many_numbers(constraint=" and ".join([". >= 0"] * 2_900)),
    "brackets around nothing in constraints": lambda: file_of_many_numbers(constraint="(" * 16_000 + ")" * 16_000),
    "spaces in constraints": lambda: file_of_many_numbers(constraint="." + " " * 32_000),
    "limits without end": lambda: file_of_many_numbers(candor_limits="1 " * 16_000),
    "digits without end": lambda: file_of_many_numbers(candor_limits="1" * 32_000),
    "parameters without end": lambda: file_of_many_numbers(parameters="start=" * 5_400),
    "500 numbers of all sizes": lambda: file_of_many_numbers(constraint=". >= -1000000000 and . <= 1000000000"),
    "2,000 faults": lambda: form(*questions(1_999, kind="nothing")),
}  # fmt: skip
HONEST = xlsform.write(read_questionnaire(bilingual()))


def repack_workbook(change: Callable[[str, bytes], bytes], of: bytes = HONEST, **more: bytes) -> bytes:
    """An honest workbook with its members changed, and others added."""
    file = io.BytesIO()
    with ZipFile(io.BytesIO(of)) as before, ZipFile(file, "w", ZIP_DEFLATED) as after:
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


def test_other_file_than_a_spreadsheet_is_refused() -> None:
    for data in (b"", b"PK", b"PK\x05\x06" + bytes(18), b"\xd0\xcf\x11\xe0" * 200, b"type,name\ntext,a\n"):
        assert not taken_in(1, data), data[:20]
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_LZMA) as archive:  # members are stored or deflated
        archive.writestr("xl/workbook.xml", b" ")
    assert refusals(file.getvalue()) == ["the file: is a damaged archive or spreadsheet; save it again"]


def test_file_that_unpacks_into_too_much_is_refused_unread() -> None:
    bomb = repack_workbook(lambda name, data: data, **{"xl/bomb.xml": bytes(MOST_UNPACKED)})
    assert len(bomb) < 60_000
    assert "unpacks to more" in refusals(bomb)[0]


def test_zip_member_cannot_unpack_beyond_its_declared_size() -> None:
    sheet = "xl/worksheets/sheet1.xml"
    with ZipFile(io.BytesIO(HONEST)) as archive:
        size = 30_000_000 + archive.getinfo(sheet).file_size
    big = repack_workbook(lambda name, data: data + b" " * 30_000_000 if name == sheet else data)
    lying = big.replace(size.to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    assert lying != big
    assert not taken_in(2, lying)


def test_too_many_members_are_refused() -> None:
    many = {f"a{number}": b"" for number in range(MOST_MEMBERS)}
    assert not taken_in(1, repack_workbook(lambda name, data: data, **many))


ENTITIES = b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
LAUGHS = b'<!DOCTYPE x [<!ENTITY a "ha">%s]>' % ENTITIES


@pytest.mark.parametrize("name", ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml"])
def test_entities_are_refused(name: str) -> None:
    def insert_entity(member: str, data: bytes) -> bytes:
        return LAUGHS + data.replace(b"<t>", b"<t>&j;") if member == name else data

    assert not taken_in(1, repack_workbook(insert_entity, of=form(["select_one ages", "age", "Age?", "yes"])))


def test_distant_row_and_endless_groups_cost_little() -> None:
    def move_row_far_down(name: str, data: bytes) -> bytes:
        return data.replace(b'<row r="2"', b'<row r="1048576"') if name.endswith("sheet1.xml") else data

    assert taken_in(1, repack_workbook(move_row_far_down)) in (True, False)
    assert taken_in(5, form(*nested_groups(990)))


def test_too_many_columns_are_refused_and_excess_rows_not_read() -> None:
    rows = [["note", "", "Words"] for number in range(MOST_ROWS)]
    data = form(["select_one ages", "q", "Q?", "yes"], *rows)
    lines = xlsform.read(data).lines
    assert len(lines) == MOST_ROWS
    assert any("has more rows below it" in remark for line in lines for remark in line.remarks)
    # Words that a list repeats in every question are counted each time.
    (remark,) = items_left_out(form(*questions(400), choices=options(2, "x" * 32_000)))
    assert "more text in all" in remark
    wide = workbook(survey=[[f"c{number}" for number in range(MOST_COLUMNS + 1)]])
    assert "has more columns" in refusals(wide)[0]


@pytest.mark.night
def test_questions_are_read_up_to_their_limit() -> None:
    # A form of as many questions as there may be is read in a moment.
    assert taken_in(5, form(*questions(MOST_QUESTIONS, "${q0} = 'old'")))
    # Reading stops at the first question beyond.
    beyond = [*questions(MOST_QUESTIONS + 1), ["text", "why", "Why?"]]
    data = form(["text", "who", "Who?"], *beyond)
    (remark,) = items_left_out(data)[1:]
    assert len(xlsform.read(data).draft["sections"][0]["questions"]) == MOST_QUESTIONS
    assert remark.startswith(
        f"sheet survey, row {MOST_QUESTIONS + 3}: here the form has more than 500 questions"
    )
    # Every option of several is a question.
    several = [["select_multiple ages", f"q{number}", "Q?", "yes"] for number in range(2)]
    assert len(items_left_out(form(*several, choices=options(MOST_QUESTIONS // 2 + 1)))) == 1
    assert taken_in(5, form(*several, choices=options(MOST_QUESTIONS // 2)))


@pytest.mark.night
def test_long_list_used_repeatedly_is_refused() -> None:
    choices = [CHOICES[0], *(["ages", f"c{number}", "x"] for number in range(1_000))]
    faults = items_left_out(
        form(*(["select_one ages", f"q{number}", "Q?"] for number in range(22)), choices=choices)
    )
    assert [fault.split(": ")[0] for fault in faults] == ["sheet survey, row 22", "sheet survey, row 23"]
    assert "more answers in all" in faults[0]


@pytest.mark.night
def test_cells_and_characters_of_all_sheets_share_one_budget() -> None:
    lines = [[f"c{number}" for number in range(200)], *([["x"] * 200] * 300)]
    (fault,) = refusals(workbook(survey=lines, choices=lines))
    assert fault.startswith("sheet choices, row 200: up to here the sheets hold more cells or text")
    long = [["type", "label"], *([["x", "y" * 30_000]] * 140)]
    (fault,) = refusals(workbook(survey=long))
    assert fault.startswith("sheet survey, row 135: up to here the sheets hold more cells or text")


def test_a_text_that_many_cells_share_is_converted_once() -> None:
    said = "one\r\ntwo " * 1_000
    header = '<c t="inlineStr"><is><t>type</t></is></c><c t="inlineStr"><is><t>label</t></is></c>'
    row = '<row r="{}"><c t="s"><v>0</v></c><c t="s"><v>0</v></c></row>'
    lines = f'<row r="1">{header}</row>' + "".join(row.format(number) for number in range(2, 20))
    shared_text = strings(f"<si><t>{said.replace(chr(13), '&#13;')}</t></si>")
    found = read_workbook(xlsx(sheet1=rows(lines), sharedStrings=shared_text)).read["survey"].rows
    texts = [text for row in found for text in row.cells.values()]
    assert len(texts) == 36
    assert texts[0] == "one\ntwo " * 1_000
    assert all(text is texts[0] for text in texts)


def test_slow_xml_is_refused_unparsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openpyxl.load_workbook", None)
    attributes = "cells with a million attributes"
    for name in ("a million texts", "a text in a million pieces", "a million styles", attributes):
        assert "unpacks to more than a questionnaire holds" in refusals(HOSTILE[name]())[0], name


def test_lack_of_memory_is_not_reported_as_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_memory_error(*given: object, **more: object) -> None:
        raise MemoryError

    monkeypatch.setattr("openpyxl.load_workbook", raise_memory_error)
    with pytest.raises(MemoryError):
        xlsform.read(HONEST)


@pytest.mark.night
def test_rules_of_one_file_share_one_budget() -> None:
    data = HOSTILE["rules on every question above"]()
    began = time.process_time()
    remarks = changes_of(data)
    assert time.process_time() - began < 10
    assert "compares more answers than a questionnaire has" in remarks[0]
    assert taken_in(5, form(*questions(500, " and ".join(["${q0} != 'old'"] * 20))))


def test_formula_is_read_as_text() -> None:
    draft = normalize_draft(complete(contact="=HYPERLINK(1)", title={"en": "=1+1"}))
    data = xlsform.write(read_questionnaire(draft))
    with ZipFile(io.BytesIO(data)) as archive:
        assert not any(b"<f>" in archive.read(name) for name in archive.namelist())
    assert xlsform.read(data).draft == draft


@given(seed=st.integers(0, 2**32))
def test_a_damaged_workbook_is_taken_or_refused_in_words(seed: int) -> None:
    draw = random.Random(seed)
    taken_in(5, repack_workbook(lambda _name, data: data if draw.random() < 0.6 else damage(data, draw)))


CELLS = [
    *("select_one ages", "select_multiple paid", "begin_group", "end_group", "age", "q", "1", "A", ""),
    *("many", "#N/A"),
    *("${age} = 'old'", "selected(${q}, 'cash')", "not(", "=1", "yes", "no", "sensitive", "plain"),
    *("0.5", "old=0.5"),
]


@given(rows=st.lists(st.lists(st.sampled_from(CELLS), max_size=8), max_size=6))
def test_any_cells_are_taken_or_refused_in_words(rows: list[list[str]]) -> None:
    taken_in(5, form(*rows))


def test_sheet_ends_after_200_empty_rows_and_says_so() -> None:
    """Some programs format empty rows down to the end of a sheet."""
    question = ["integer", "age", "How old?"]

    def sheet(empty: int) -> Sheet:
        lines = [["type", "name", "label"], question, *([["", "", ""]] * empty), question]
        return read_workbook(write_workbook({"survey": lines}))[0]["survey"]

    whole, ended = sheet(empty=200), sheet(empty=201)
    assert (len(whole.rows), whole.ends_early) == (2, False)
    assert (len(ended.rows), ended.ends_early) == (1, True)
