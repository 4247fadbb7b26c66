"""A file is told by its content: read in every encoding, named by what it is, and its damage by its place.

XLSForms as CSV: one file with the name of each sheet above its rows.
"""

import csv
import io
import json
import zipfile
from collections.abc import Mapping, Sequence

import pytest

from importing import questionnaire_file
from importing.import_result import ImportResult
from importing.loose_json import looks_like_json, parse_object_or_empty
from importing.markup_removal import plain_text
from tests.importing.conftest import faults, rules
from tests.importing.flow.made_files import group, lime_table, question, workbook
from tests.surveys import drafts

Sheet = Sequence[Sequence[str]]
SURVEY = [
    ["type", "name", "label", "relevant"],
    ["select_one yn", "ok", "Is it so, or not?"],
    ["integer", "age", "Age?", "${ok} = 'y'"],
]
CHOICES = [["list name", "name", "label"], ["yn", "y", "Yes, sir"], ["yn", "n", "No"]]
SETTINGS = [["form_title"], ["A title"]]


def table(rows: Sheet, separator: str = ",") -> str:
    made = io.StringIO()
    csv.writer(made, delimiter=separator, lineterminator="\n").writerows(rows)
    return made.getvalue()


def form(sheets: Mapping[str, Sheet], margin: bool = True, separator: str = ",") -> str:
    """With an empty first column for the names of the sheets, as pyxform writes it, or without."""
    rows = list[Sequence[str]]()
    for name, lines in sheets.items():
        rows += [[name, "", ""], *([*([""] if margin else []), *line] for line in lines)]
    return table(rows, separator)


def read(text: str, encoding: str = "utf-8") -> ImportResult:
    return questionnaire_file.read(text.encode(encoding))


SHORT = {"survey": SURVEY, "choices": CHOICES}
SHEETS = {**SHORT, "settings": SETTINGS}
TURNED = {"Settings": SETTINGS, "CHOICES": CHOICES, "survey": SURVEY}
WHOLE, ENTITIES = form(SHEETS), [["x"], ["y"]]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (WHOLE, "utf-8"),
        (WHOLE, "utf-8-sig"),
        (WHOLE, "utf-16"),
        (WHOLE.replace("\n", "\r\n"), "utf-8"),
        ("\n\n" + WHOLE, "utf-8"),
        (form(SHEETS, margin=False), "utf-8"),
        (form(TURNED, separator=";"), "utf-8"),
        (form(SHEETS, separator=";").replace(";;\n", "\n"), "utf-8"),
        (form(SHEETS, separator="\t").replace("\t\t\n", "\n"), "utf-8"),
        (form({**SHEETS, "survey": [*SURVEY[:2], [], *SURVEY[2:]]}, separator="\t"), "utf-8"),
        (form({**SHEETS, "entities": ENTITIES}), "utf-8"),
        (WHOLE.replace("Yes, sir", "Señor"), "cp1252"),
    ],
)  # fmt: skip
def test_form_of_three_sheets_is_read_in_every_format(text: str, encoding: str) -> None:
    taken = read(text, encoding)
    assert rules(taken) == {"ok": {}, "age": {"ok": ["y"]}}
    assert taken.draft["title"] == {"en": "A title"}


def test_rows_are_named_as_in_the_file_and_unread_parts_reported() -> None:
    taken = read(form({**SHORT, "survey": [*SURVEY, ["text", "why", "Why?"]], "entities": ENTITIES}))
    assert "sheet survey, row 5" in [line.location for line in taken.lines]
    assert "These sheets were not read: entities." in taken.remarks
    many = [*CHOICES, *(["towns", f"t{n}", f"Town {n}"] for n in range(2_000))]
    cut = [line for line in read(form({**SHORT, "choices": many})).lines if "more rows below" in str(line)]
    assert [line.location.partition(",")[0] for line in cut] == ["sheet choices"]
    # A sheet alone is read where it makes sense.
    assert rules(read(table([SURVEY[0], ["integer", "age", "Age, in years?"]]))) == {"age": {}}
    for alone in (SURVEY, CHOICES):
        assert "send its sheets survey, choices and settings together" in faults(table(alone).encode())[0]


def test_empty_rows_are_named_only_where_something_stands_below_them() -> None:
    rows = [*SURVEY, *[[]] * 300]
    for more, named in ((rows, False), ([*rows, ["text", "why", "Why?"]], True)):
        lines = questionnaire_file.read(workbook(survey=more, choices=CHOICES, settings=[[]] * 300)).lines
        assert ("empty rows follow" in str(lines)) == named


def test_file_without_questions_says_so_first() -> None:
    texts = [["text", name, "Why?"] for name in ("a", "b", "c")]
    said = faults(form({"survey": [SURVEY[0], *texts]}).encode())
    assert said[0] == "the file: none of its 3 rows can be asked"
    assert len(said) == 4


def archive(*names: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in names:
            packed.writestr(name, b"<w/>")
    return made.getvalue()


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"%PDF-1.7\n...", "is a PDF"),
        (b"\x89PNG\r\n\x1a\n\0\0", "is a picture"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "is a picture"),
        (b'{"elements": [{"type": "node", "id": 1}]}', "is JSON of no known kind"),
        (b'{"questions": ["How old are you?"]}', "is JSON of no known kind"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "old spreadsheet"),
        (archive("word/document.xml"), "Word document"),
        (archive("content.xml"), "OpenDocument"),
        (b"<!DOCTYPE html><html></html>", "web page"),
        (b'<?xml version="1.0"?><codeBook xmlns="ddi:codebook:2_5"/>', "DDI"),
        (b'{"formId": "1", "info": {}, "items": []}', "Google Forms"),
        (b"1. How old are you?\n2. Where do you live?\n", "no known kind"),
        (b"Dear all, please answer\nthese questions, one by one\n", "a table of no known kind"),
        (b"Dear all, please answer\n\nthese questions\n", "a text of no known kind"),
        (b"1, 2, 3", "a text of no known kind"),
        (b"[1, 2]", "a text of no known kind"),
        (b"{see above}, and below", "a text of no known kind"),
        (b"id,context,limit\n1,2,3\n", "a table of no known kind"),
        (b"", "is empty"),
        (form({"choices": CHOICES}).encode(), "no sheet called survey"),
        (form({"survey": [SURVEY[0], ["text", "why", "Why?"]]}).encode(), "free answers"),
        (form({"survey": [["x"] * 301]}).encode(), "more columns"),
        (f'{WHOLE}"{"x" * 140_000}'.encode(), "damaged table"),
        ((WHOLE + "\n" * 51_000).encode(), "holds more"),
        (b'{"pages": [', "line 1: is damaged JSON; export it again"),
        (b'{"a": 1,\n"b": }', "line 2: is damaged JSON; export it again"),
        (b'{"a": "\xff"}', "line 1: is damaged JSON; export it again"),
        (b'{"a": 1,\n"b": 2,\n}', "line 2: is damaged JSON; export it again"),
        (b'{"a": ' + b"[" * 200_000, "the file: is nested too deeply"),
        (b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}", "the file: is nested too deeply"),
        (b"<document>\n<a></b></document>", "line 2: is damaged XML; export it again"),
        (b"<a>\n\n<!DOCTYPE a><a/></a>", "line 3: is damaged XML; export it again"),
        (b"\n<!DOCTYPE a><a/>", "line 2: defines a document type, which no questionnaire does"),
    ],
)
def test_unreadable_file_is_named_by_its_type_and_damage_by_its_line(data: bytes, named: str) -> None:
    (fault,) = faults(data)
    assert named in fault
    assert "not JSON" not in fault


def test_json_is_recognised_by_content_in_every_json_encoding() -> None:
    for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-32"):
        data = '{"a": 1}'.encode(encoding)
        assert (looks_like_json(data), parse_object_or_empty(data)) == (True, {"a": 1}), encoding
    assert parse_object_or_empty(rb'{"a": ["\ud83d", "\ud83d\ude00"]}') == {"a": ["?", "😀"]}


def test_control_characters_are_removed_and_too_many_accents_refused() -> None:
    assert plain_text("a\x87\0 b\tc\n") == "a b\tc\n"
    (fault,) = faults(lime_table(group("G"), question("Q1", "Y", "a" + "\u0316" * 200)))
    assert fault.startswith("Question 1, question text: ")
    assert "accents in a row" in fault


def test_fraction_is_refused_for_what_belongs_in_its_place() -> None:
    for member, value, kind in (
        ("thanks", 0.5, "an object"),
        ("languages", 1e9, "a list"),
        ("minutes", 1.5, "an integer"),
        ("expected", 1.5, "an integer"),
    ):
        data = json.dumps(drafts.complete(**{member: value})).encode()
        assert faults(data) == [f"{member}: must be {kind}"]
