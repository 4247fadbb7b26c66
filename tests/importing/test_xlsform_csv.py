"""XLSForms as CSV: one file with the name of each sheet above its rows."""

import csv
import io
from collections.abc import Sequence
from typing import Any

import pytest

from importing import questionnaire_file
from importing.faults import FileRefused
from importing.import_result import ImportResult

SURVEY = [
    ["type", "name", "label", "relevant"],
    ["select_one yn", "ok", "Is it so, or not?"],
    ["integer", "age", "Age?", "${ok} = 'y'"],
]
CHOICES = [["list name", "name", "label"], ["yn", "y", "Yes, sir"], ["yn", "n", "No"]]
SETTINGS = [["form_title"], ["A title"]]
Sheet = Sequence[Sequence[str]]


def table(rows: Sheet, separator: str = ",") -> str:
    made = io.StringIO()
    csv.writer(made, delimiter=separator, lineterminator="\n").writerows(rows)
    return made.getvalue()


def form(margin: bool = True, separator: str = ",", **sheets: Sheet) -> str:
    """With an empty first column for the names of the sheets, as pyxform writes it, or without."""
    rows = list[Sequence[str]]()
    for name, lines in sheets.items():
        rows += [[name, "", ""], *([*([""] if margin else []), *line] for line in lines)]
    return table(rows, separator)


WHOLE = form(survey=SURVEY, choices=CHOICES, settings=SETTINGS)


def read(text: str, encoding: str = "utf-8") -> ImportResult:
    return questionnaire_file.read(text.encode(encoding))


def names(taken: ImportResult) -> list[tuple[str, Any]]:
    sections = taken.draft["sections"]
    return [(each["name"], each.get("show_if", {})) for section in sections for each in section["questions"]]


def refused(text: str | bytes) -> str:
    with pytest.raises(FileRefused) as found:
        questionnaire_file.read(text if isinstance(text, bytes) else text.encode())
    return " ".join(reason for _place, reason in found.value.faults)


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (WHOLE, "utf-8"),
        (WHOLE, "utf-8-sig"),
        (WHOLE, "utf-16"),
        (WHOLE.replace("\n", "\r\n"), "utf-8"),
        ("\n\n" + WHOLE, "utf-8"),
        (form(margin=False, survey=SURVEY, choices=CHOICES, settings=SETTINGS), "utf-8"),
        (form(separator=";", Settings=SETTINGS, CHOICES=CHOICES, survey=SURVEY), "utf-8"),
        (form(separator="\t", survey=[*SURVEY[:2], [], *SURVEY[2:]], choices=CHOICES, settings=SETTINGS), "utf-8"),
        (form(survey=SURVEY, choices=CHOICES, settings=SETTINGS, entities=[["x"], ["y"]]), "utf-8"),
        (WHOLE.replace("Yes, sir", "Señor"), "cp1252"),
    ],
)  # fmt: skip
def test_a_form_of_three_sheets_is_read_however_it_is_written(text: str, encoding: str) -> None:
    taken = read(text, encoding)
    assert names(taken) == [("ok", {}), ("age", {"ok": ["y"]})]
    assert taken.draft["title"] == {"en": "A title"}


def test_rows_are_named_as_they_stand_in_the_file_and_other_sheets_by_name() -> None:
    taken = read(form(survey=[*SURVEY, ["text", "why", "Why?"]], choices=CHOICES, entities=[["x"], ["y"]]))
    assert "sheet survey, row 5" in [line.location for line in taken.lines]
    assert "These sheets were not read: entities." in taken.remarks


def test_a_sheet_alone_is_read_where_it_makes_sense() -> None:
    assert names(read(table([SURVEY[0], ["integer", "age", "Age, in years?"]]))) == [("age", {})]
    for alone in (SURVEY, CHOICES):
        assert "send its sheets survey, choices and settings together" in refused(table(alone))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Dear all, please answer\nthese questions, one by one\n", "a table of no known kind"),
        ("Dear all, please answer\n\nthese questions\n", "a text of no known kind"),
        ("1, 2, 3", "a text of no known kind"),
        ("[1, 2]", "a text of no known kind"),
        ("{see above}, and below", "a text of no known kind"),
        ("id,context,limit\n1,2,3\n", "a table of no known kind"),
        ("", "is empty"),
        ('{"pages": [', "damaged JSON"),
        (form(choices=CHOICES), "no sheet called survey"),
        (form(survey=[SURVEY[0], ["text", "why", "Why?"]]), "free answers"),
        (form(survey=[["x"] * 301]), "more columns"),
        (WHOLE + '"' + "x" * 140_000, "damaged table"),
        (WHOLE + "\n" * 51_000, "holds more"),
    ],
)
def test_any_other_text_is_named_by_what_it_is(text: str, named: str) -> None:
    reason = refused(text)
    assert named in reason
    assert "not JSON" not in reason


def test_choices_beyond_the_limit_are_said_to_be_left_out() -> None:
    many = [*CHOICES, *(["towns", f"t{n}", f"Town {n}"] for n in range(2_000))]
    said = [line for line in read(form(survey=SURVEY, choices=many)).lines if "more rows below" in str(line)]
    assert [line.location.partition(",")[0] for line in said] == ["sheet choices"]
