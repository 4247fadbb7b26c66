"""Data dictionaries of REDCap, put together as its pages export them."""

import csv
import io
from typing import Any

import pytest

from importing import questionnaire_file
from importing.faults import FileRefused
from importing.import_result import LEFT, ImportResult

HEADER = (
    *("Variable / Field Name", "Form Name", "Section Header", "Field Type", "Field Label"),
    *("Choices, Calculations, OR Slider Labels", "Field Note", "Text Validation Type OR Show Slider Number"),
    *("Text Validation Min", "Text Validation Max", "Identifier?"),
    *("Branching Logic (Show field only if...)", "Required Field?", "Matrix Group Name", "Field Annotation"),
)
SHORT = dict(
    zip(
        (
            *("name", "form", "header", "kind", "label", "choices", "note", "validation", "least", "most"),
            *("person", "logic"),
        ),
        HEADER,
        strict=False,
    )
) | {"required": "Required Field?", "matrix": "Matrix Group Name", "tags": "Field Annotation"}  # fmt: skip


def dictionary(*fields: dict[str, str]) -> bytes:
    made = io.StringIO()
    table = csv.DictWriter(made, HEADER, restval="")
    table.writeheader()
    for field in fields:
        table.writerow({SHORT[key]: cell for key, cell in {"form": "first", **field}.items()})
    return made.getvalue().encode()


def field(name: str, kind: str = "radio", **more: str) -> dict[str, str]:
    choices = "1, Yes | 2, No" if kind in ("radio", "checkbox") else ""
    return {"name": name, "kind": kind, "label": f"About {name}", "choices": choices, **more}


def questions_in(taken: ImportResult) -> list[dict[str, Any]]:
    return [question for section in taken.draft["sections"] for question in section["questions"]]


def test_fields_become_questions_in_their_order_with_branching_logic() -> None:
    taken = questionnaire_file.read(
        dictionary(
            field("sex"),
            field("drugs", "checkbox", logic="[sex] = '2'"),
            field("why", logic="[drugs(1)] = '1'"),
            field("not_why", logic="[drugs(1)] = '0'"),
            field("other", logic="[sex] <> 1"),
            field("smokes", "yesno"),
            field("since", logic="[smokes] = '1'"),
        )
    )
    made = {each["name"]: each.get("show_if", {}) for each in questions_in(taken)}
    assert list(made) == ["sex", "drugs-1", "drugs-2", "why", "not_why", "other", "smokes", "since"]
    assert made["drugs-2"] == {"sex": ["2"]}
    assert made["why"] == {"drugs-1": ["yes"]}
    assert made["not_why"] == {}
    assert made["other"] == {"sex": ["2"]}
    assert made["since"] == {"smokes": ["1"]}
    # People who were not asked about drugs have not ticked the option either: no rule here can say that.
    assert "not asked" in str([line.remarks for line in taken.lines if line.questions == ("not_why",)])


def test_a_field_that_identifies_people_is_left_out_by_name() -> None:
    taken = questionnaire_file.read(dictionary(field("sex"), field("code", person="y")))
    (row,) = [line for line in taken.lines if line.outcome == LEFT]
    assert (row.location, row.remarks) == ("question code", ("identifies people: not asked here",))


def test_a_matrix_group_is_a_battery_whose_fields_conditions_can_name() -> None:
    rows = [field("calm", matrix="mood"), field("glad", matrix="mood")]
    calm, glad, why = questions_in(
        questionnaire_file.read(dictionary(*rows, field("why", logic="[glad] = '2'")))
    )
    assert calm["of"] == glad["of"]
    assert why["show_if"] == {glad["name"]: ["2"]}


def test_numbers_keep_their_range_and_a_hidden_field_is_left_out() -> None:
    taken = questionnaire_file.read(
        dictionary(
            field("age", "text", validation="integer", least="18", most="90"),
            field("wave", tags="@HIDDEN"),
            field("usual", tags="@DEFAULT='1'"),
            field("count", logic="[age] > 30"),
        )
    )
    age, usual, _count = questions_in(taken)
    assert all(18 < limit < 90 for limit in age["number"]["limits"])
    assert "@DEFAULT" in str([line.remarks for line in taken.lines if line.questions == (usual["name"],)])
    assert "[age]" not in str(taken.draft)
    assert "age > 30" in str(taken.lines)


@pytest.mark.parametrize(
    "data",
    [
        dictionary(),
        dictionary(field("name", "text")),
        dictionary(field("a")) + b'b,first,,radio,"' + b"x" * 200_000 + b'"\n',
        dictionary(*(field(f"f{n}") for n in range(6_000))),
    ],
)
def test_a_dictionary_without_questions_or_too_large_is_refused(data: bytes) -> None:
    with pytest.raises(FileRefused):
        questionnaire_file.read(data)
