"""XLSForms as somebody would write them in a spreadsheet program, and workbooks that no such program would write."""

import io
from collections.abc import Callable, Sequence
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from openpyxl import Workbook

from importing import xlsform
from importing.faults import FileRefused
from importing.import_result import CHANGED, LEFT

Lines = Sequence[Sequence[Any]]
CHOICES: Lines = [
    ["list_name", "name", "label::English (en)"],
    ["ages", "young", "18 to 39"],
    ["ages", "old", "40 or older"],
    ["yes_no", "yes", "Yes"],
    ["yes_no", "no", "No"],
    ["paid", "cash", "In cash"],
    ["paid", "goods", "In goods"],
]
HEADER = [
    *("type", "name", "label::English (en)", "required", "relevant"),
    *("candor_section", "candor_keep", "candor_noise"),
]


def workbook(**sheets: Lines) -> bytes:
    book = Workbook()
    book.remove(book.active)
    for name, lines in sheets.items():
        sheet = book.create_sheet(name)
        for line in lines:
            sheet.append(list(line))
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def form(
    *rows: Sequence[Any], header: Sequence[str] = HEADER, choices: Lines = CHOICES, **sheets: Lines
) -> bytes:
    return workbook(survey=[header, *rows], choices=choices, **sheets)


def outcomes(data: bytes, outcome: str) -> list[str]:
    """What is said of the rows of a form that came to this, a place and a remark in each line."""
    lines = [line for line in xlsform.read(data).lines if line.outcome == outcome]
    return [f"{line.location}: {remark}" for line in lines for remark in line.remarks]


def left(data: bytes) -> list[str]:
    return outcomes(data, LEFT)


def changed(data: bytes) -> list[str]:
    return outcomes(data, CHANGED)


def refused(data: bytes) -> list[str]:
    """What is said of a file that is not taken, a place and a reason in each line."""
    with pytest.raises(FileRefused) as found:
        xlsform.read(data)
    return [f"{place}: {reason}" for place, reason in found.value.faults]


# --- packed by hand

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


def packed(**members: str) -> bytes:
    """A workbook with one sheet; `sheet1`, `sharedStrings`, `styles` … replace the whole member of that name."""
    file = io.BytesIO()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, content in PARTS.items():
            key = name.rpartition("/")[2].partition(".")[0]
            archive.writestr(name, members.get(key, content))
    return file.getvalue()


def rows(content: str) -> str:
    return f'<worksheet xmlns="{MAIN}"><sheetData>{content}</sheetData></worksheet>'


def shared(content: str) -> str:
    return f'<sst xmlns="{MAIN}">{content}</sst>'


def styled(content: str) -> str:
    return f'<styleSheet xmlns="{MAIN}">{content}</styleSheet>'


def cells(count: int, cell: str, lines: int) -> str:
    """Below a header of as many columns, though never more than a sheet may have."""
    header = "".join(f'<c t="inlineStr"><is><t>c{number}</t></is></c>' for number in range(min(count, 300)))
    below = "".join(f'<row r="{number}">{cell * count}</row>' for number in range(2, lines + 1))
    return rows(f'<row r="1">{header}</row>{below}')


def asked(count: int, relevant: str = "", kind: str = "select_one ages") -> list[list[str]]:
    return [[kind, f"q{number}", "Q?", "yes", relevant if number else ""] for number in range(count)]


def listed(count: int, label: str = "x") -> list[list[str]]:
    return [list(CHOICES[0]), *(["ages", f"c{number}", label] for number in range(count))]


def nested(count: int, relevant: str = "") -> list[list[str]]:
    inside = [["begin_group", f"g{number}", "", "", relevant] for number in range(count)]
    return [*asked(1), *inside, *([["end_group"]] * count)]


def numbers(**cells: str) -> bytes:
    """A hundred and twenty numbers, or 490 where their cells are short."""
    count = 120 if max(map(len, cells.values())) > 1_000 else 490
    rows = [["range", f"n{number}", "Q?", "yes", *cells.values()] for number in range(count)]
    return form(*rows, header=[*HEADER[:4], *cells])


SHARED_CELL = '<c t="s"><v>0</v></c>'
LINE_ENDS = shared(f"<si><t>{'a&#13;&#10;' * 3_300}</t></si>")
HOSTILE: dict[str, Callable[[], bytes]] = {
    "references of nothing but spaces": lambda: form(*asked(490, "${" + " " * 4_900)),
    "one text with line ends in 600,000 cells": lambda: packed(
        sheet1=cells(300, SHARED_CELL, 2_000), sharedStrings=LINE_ENDS
    ),
    "one text with line ends in 500,000 cells": lambda: packed(
        sheet1=cells(300, SHARED_CELL, 1_700), sharedStrings=LINE_ENDS
    ),
    "one short text in 500,000 cells": lambda: packed(
        sheet1=cells(300, SHARED_CELL, 1_700), sharedStrings=shared("<si><t>a</t></si>")
    ),
    "a million empty texts": lambda: packed(sharedStrings=shared("<si/>" * 1_900_000)),
    "a million texts": lambda: packed(sharedStrings=shared("<si><t>a</t></si>" * 540_000)),
    "a text in a million pieces": lambda: packed(sharedStrings=shared(f"<si>{'<r><t>a</t></r>' * 640_000}</si>")),
    "a million styles": lambda: packed(styles=styled(f"<cellXfs>{'<xf/>' * 1_900_000}</cellXfs>")),
    "a million sheets": lambda: packed(
        workbook=f'<workbook xmlns="{MAIN}"><sheets>{"<sheet/>" * 1_200_000}</sheets></workbook>'
    ),
    "a million names": lambda: packed(
        workbook=f'<workbook xmlns="{MAIN}"><definedNames>{"<definedName/>" * 600_000}</definedNames></workbook>'
    ),
    "a workbook in a workbook in …": lambda: packed(workbook="<a>" * 3_300_000),
    "a cell in a cell in …": lambda: packed(sheet1="<a>" * 3_300_000),
    "cells with a million attributes": lambda: packed(
        sheet1="<worksheet " + " ".join(f'a{number}=""' for number in range(780_000)) + "/>"
    ),
    "240,000 cells of their own": lambda: packed(sheet1=cells(120, '<c t="inlineStr"><is><t>a</t></is></c>', 2_000)),
    "cells beyond the last column": lambda: packed(sheet1=cells(2_000, "<c/>", 1_200)),
    "rows without number": lambda: packed(sheet1=rows("<row/>" * 1_600_000)),
    "a number of millions of digits": lambda: packed(sheet1=rows(f'<row r="1"><c><v>{"9" * 9_900_000}</v></c></row>')),
    "a text of millions of characters": lambda: packed(
        sheet1=rows(f'<row r="1"><c t="inlineStr"><is><t>{"9" * 9_900_000}</t></is></c></row>')
    ),
    "kinds of content without end": lambda: packed(
        **{"[Content_Types]": f'<Types xmlns="{PACKAGE}/content-types">{"<Default/>" * 890_000}</Types>'}
    ),
    "2,000 questions": lambda: form(*asked(1_999)),
    "rules on one question": lambda: form(*asked(500, " or ".join(["${q0} = 'old'"] * 270))),
    "rules on every question above": lambda: form(
        *(
            [*row[:4], " and ".join(f"${{q{above}}}='old'" for above in range(min(number, 270)))]
            for number, row in enumerate(asked(500))
        )
    ),
    "groups in groups": lambda: form(*nested(990)),
    "long rules of groups": lambda: form(
        *nested(990, "${q0} != 'c1' and " * 200 + "${q0} != 'c2'"), choices=listed(1_900)
    ),
    "a question with 1,900 options": lambda: form(*asked(1, kind="select_multiple ages"), choices=listed(1_900)),
    "long words used over and over": lambda: form(*asked(400), choices=listed(2, "x" * 32_000)),
    "100 columns with long names": lambda: form(
        *asked(1), header=[*HEADER, *(f"{number} {'x' * 30_000}" for number in range(100))]
    ),
    "130 long faults": lambda: form(*([f"{number} {'x' * 30_000}", "q", "Q?"] for number in range(130))),
    "constraints as long as a cell": lambda: numbers(constraint=" and ".join([". >= 0"] * 2_900)),
    "brackets around nothing in constraints": lambda: numbers(constraint="(" * 16_000 + ")" * 16_000),
    "spaces in constraints": lambda: numbers(constraint="." + " " * 32_000),
    "limits without end": lambda: numbers(candor_limits="1 " * 16_000),
    "digits without end": lambda: numbers(candor_limits="1" * 32_000),
    "parameters without end": lambda: numbers(parameters="start=" * 5_400),
    "500 numbers of all sizes": lambda: numbers(constraint=". >= -1000000000 and . <= 1000000000"),
    "2,000 faults": lambda: form(*asked(1_999, kind="nothing")),
}  # fmt: skip
