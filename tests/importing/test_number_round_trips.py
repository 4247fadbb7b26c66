"""Numbers in XLSForms that we write: they come back as the same draft."""

from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, strategies as st
from openpyxl import load_workbook
from pyxform.xls2xform import convert

from importing import xlsform
from surveys.kinds.read_draft import read_questionnaire
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.number_bands import DraftBands, question_with_bands
from tests.builder.written import plain, question, sensitive, stored as draft_of
from tests.privacy.questionnaires import classes, window
from tests.surveys.drafts import said

pytestmark = pytest.mark.page
NUMBERS = draft_of(
    plain(question("age", "18-39", "40+")),
    {
        "kind": "number",
        "keep": "0.7142",
        "keep_rest": "0.8000",
        "questions": [
            {
                "name": "net income?",
                "text": said("How much do you earn?"),
                "help": said("In a month."),
                "unit": said("euros"),
                "show_if": {"age": ["40+"]},
                "step": 50,
                "law": "classes",
                "low": -500,
                "high": 10_000,
                "limits": [0, 500, 1000],
                "cuts": 2,
                "rest": 2,
            }
        ],
    },
    {
        "kind": "number",
        "keep": "0.5000",
        "questions": [
            {
                "name": "debt",
                "text": said("How much do you owe?"),
                "help": {},
                "unit": {},
                "show_if": {},
                "step": 1,
                "law": "classes",
                "low": 0,
                "high": 1000,
                "limits": [500],
                "cuts": 1,
                "rest": 0,
                "wanted": "quantiles",
                "expected": [0, 100, 700],
            }
        ],
    },
    sensitive(question("theft", "no", "yes", form="yes-no")),
    {
        "kind": "number",
        "questions": [
            {
                "name": "drinks",
                "text": said("How many drinks?"),
                "help": {},
                "unit": {},
                "show_if": {},
                "step": 1,
                "law": "window",
                "low": -1,
                "values": 41,
                "window": 4,
                "uniform": "0.5000",
            }
        ],
    },
    expected=4321,
)


def test_a_draft_with_numbers_comes_back_from_a_spreadsheet() -> None:
    data = xlsform.write(read_questionnaire(NUMBERS))
    assert xlsform.read(data).draft == NUMBERS
    assert xlsform.read(data).remarks == ()
    converted = convert(data, validate=False, file_type=".xlsx").xform
    assert (
        'nodeset="/data/drinks" type="int" required="true()" constraint=". &gt;= -1 and . &lt;= 39"'
        in converted
    )


@st.composite
def number_sections(draw: st.DrawFn) -> dict[str, Any]:
    more = {
        "help": {},
        "unit": draw(st.sampled_from([{}, said("euros")])),
        "show_if": {},
        "text": said("How many?"),
    }
    step = draw(st.integers(1, 50))
    low = draw(st.integers(-1_000, 1_000))
    if draw(st.booleans()):
        steps = sorted(draw(st.sets(st.integers(1, 500), min_size=2, max_size=20)))
        points = [low, *(low + step * each for each in steps)]
        keep = f"0.{draw(st.integers(1, 9_999)):04d}"
        return classes("n", keep, *points, step=step, **more)
    return window("n", draw(st.sampled_from([7, 101, 1_001])), 1, "0.5000", low=low, step=step, **more)


@given(section=number_sections())
def test_every_number_comes_back_from_a_spreadsheet(section: dict[str, Any]) -> None:
    draft = draft_of(section)
    assert xlsform.read(xlsform.write(read_questionnaire(draft))).draft == draft


@pytest.mark.parametrize("allowed", [[], ["18..34", "56+"]])
def test_a_plain_number_comes_back_from_a_spreadsheet_with_the_rules_on_it(allowed: list[str]) -> None:
    bands = DraftBands(-10, 120, 2, (18, 36, 56), {"en": "years"})
    age = question_with_bands(DraftQuestion(name="age", text={"en": "Age?"}, role="quasi"), bands, ["en"])
    assert age.choice_names == ("<18", "18..34", "36..54", "56+")
    rule = {"age": allowed} if allowed else {}
    draft = draft_of(plain(age.as_json(), question("later", "a", "b", show_if=rule)))
    assert xlsform.read(xlsform.write(read_questionnaire(draft))).draft == draft


@pytest.mark.parametrize("broken", [{"limits": []}, {"limits": [5, 3]}, {"step": 4}])
def test_an_unfinished_number_is_left_out_and_named(broken: dict[str, Any]) -> None:
    section = classes("n", "0.5000", 0, 5, 10)
    section["questions"][0] |= {"text": {}, "help": {}, "unit": {}, "show_if": {}, **broken}
    draft = read_questionnaire(draft_of(plain(), section))
    assert b"candor_unit" not in xlsform.write(draft)
    (left_out,) = xlsform.unsupported_parts(draft)
    assert left_out.startswith("Section 2: ")


def test_a_spreadsheet_without_numbers_has_no_columns_for_them() -> None:
    """The header as commit 055593d wrote it."""
    book = load_workbook(
        BytesIO(xlsform.write(read_questionnaire(draft_of(plain(question("age", "a", "b"))))))
    )
    assert [cell.value for cell in book["survey"][1]] == [
        "type",
        "name",
        "label::English (en)",
        "hint::English (en)",
        "required",
        "relevant",
        *(
            f"candor_{about}"
            for about in ("section", "keep", "asked", "noise", "role", "form", "group", "name")
        ),
    ]
