"""Roles, orders and criteria in the document of a specification."""

import json
from decimal import Decimal
from typing import Any

import pytest

from privacy.anonymity.table_anonymisation import METHODS
from privacy.anonymity.tables.specification_reading import read_specification
from releases.specification import criteria_conversion
from releases.specification.column_role_editing import (
    ColumnRole,
    change_roles,
    get_column_or_empty,
    move_value,
    read_roles,
    replace_column,
)

NUMBER, DATE, ORDERED, CATEGORY, SENSITIVE, OTHER, IDENTIFIER, DROPPED = ColumnRole
DOCUMENT: dict[str, Any] = {
    "format": "candor-release/1",
    "identifiers": ["name"],
    "quasi_identifiers": [
        {"name": "age", "kind": "number"},
        {"name": "town", "kind": "category", "hierarchy": {"North": ["Kiel"], "South": ["Munich"]}},
    ],
    "k": 10,
}
COLUMNS = ("name", "age", "town", "illness", "notes")


def values(column: str) -> list[str]:
    return [f"{column} 1", f"{column} 2"]


def change_roles_of_document(**wanted: ColumnRole) -> dict[str, Any]:
    return change_roles(DOCUMENT, read_roles(DOCUMENT, COLUMNS) | wanted, values)


def test_roles_add_and_keep_what_columns_need() -> None:
    # A column that is not named is left out.
    assert read_roles(DOCUMENT, COLUMNS) == {
        "name": IDENTIFIER, "age": NUMBER, "town": CATEGORY, "illness": DROPPED, "notes": DROPPED,
    }  # fmt: skip
    # Empty cells are values of their own in every role.
    wanted = {"age": NUMBER, "town": ORDERED, "illness": SENSITIVE, "notes": CATEGORY}
    bare = {"format": "candor-release/1", "k": 2}
    said = change_roles(bare, wanted, values, columns_with_empty_cells=list(wanted))
    assert said["quasi_identifiers"] == [
        {"name": "age", "kind": "number", "missing": [""]},
        {"name": "town", "kind": "ordered", "order": ["town 1", "town 2"], "missing": [""]},
        {"name": "notes", "kind": "category", "empty": True},
    ]
    assert said["sensitive"] == [{"name": "illness", "empty": True}]
    read_specification(json.dumps(said), "s", frozenset(METHODS))
    # What keeps its role keeps its hierarchy.
    assert (
        get_column_or_empty(change_roles_of_document(notes=OTHER), "town") == DOCUMENT["quasi_identifiers"][1]
    )
    ordered = {"name": "town", "kind": "ordered", "order": ["town 1", "town 2"]}
    assert get_column_or_empty(change_roles_of_document(town=ORDERED), "town") == ordered
    # The first sensitive column brings l diversity and the last takes the criteria away.
    with_one = change_roles_of_document(illness=SENSITIVE)
    assert with_one["l"] == {"kind": "distinct", "value": 2}
    asked = with_one | {"t": "0.2", "rho": ["0.1", "0.5"], "max_frequency": "0.5", "weights": "data"}
    without = change_roles(asked, read_roles(asked, COLUMNS) | {"illness": DROPPED}, values)
    assert not {"l", "t", "rho", "max_frequency", "weights"} & set(without)
    # What was taken away by hand stays away.
    other = change_roles(with_one | {"l": None}, read_roles(with_one, COLUMNS) | {"notes": OTHER}, values)
    assert other["l"] is None
    # The joint form and weights go with the columns that they need.
    two = change_roles_of_document(illness=SENSITIVE, notes=SENSITIVE)
    joint = two | {"l": {"kind": "distinct", "value": 2, "joint": True}}
    one = change_roles(joint, read_roles(joint, COLUMNS) | {"notes": DROPPED}, values)
    assert one["l"] == {"kind": "distinct", "value": 2}
    expert = one | {"weights": {"flu": {"age": 5, "town": 1}}}
    assert "weights" in change_roles(expert, read_roles(expert, COLUMNS), values)
    assert "weights" not in change_roles(expert, read_roles(expert, COLUMNS) | {"age": DROPPED}, values)


def test_every_role_gives_a_readable_specification() -> None:
    whole = change_roles_of_document(town=ORDERED, illness=SENSITIVE, notes=OTHER)
    said = read_specification(json.dumps(whole), "specification", frozenset(METHODS))
    assert said.columns == ("age", "town", "illness", "notes")


def test_a_column_is_described_anew_in_its_place() -> None:
    document = replace_column(
        change_roles_of_document(illness=SENSITIVE), {"name": "illness", "order": ["a", "b"]}
    )
    assert document["sensitive"] == [{"name": "illness", "order": ["a", "b"]}]
    assert read_roles(document, COLUMNS)["illness"] is SENSITIVE


@pytest.mark.parametrize(
    ("value", "by", "after"),
    [("b", -1, "bac"), ("b", 1, "acb"), ("a", -1, "abc"), ("c", 1, "abc"), ("x", 1, "abc")],
)
def test_a_value_is_moved_within_the_order(value: str, by: int, after: str) -> None:
    assert move_value("abc", value, by) == list(after)


FORM: dict[str, Any] = {"k": 5, "method": "tree", "seconds": 2, "seed": 3}


def test_criteria_are_stored_and_worded() -> None:
    # Criteria of a form are read back from the document.
    document = change_roles_of_document(illness=SENSITIVE)
    percents = {"t": 20, "rho1": 5, "rho2": 50, "suppression": 1}
    said = FORM | {name: Decimal(percent) for name, percent in percents.items()}
    said |= {"max_frequency": Decimal("33.3"), "l_kind": "recursive", "l_value": 3, "l_c": Decimal("2.5")}
    said |= {"l_joint": False, "falsification": None, "weights": "data"}
    written = criteria_conversion.apply_criteria_form(document, said)
    assert read_specification(json.dumps(written), "specification", frozenset(METHODS)).criteria.k == 5
    again = criteria_conversion.criteria_form_values(written)
    assert {name: again[name] for name in said} == said | {"l_c": again["l_c"]}
    assert Decimal(again["l_c"]) == said["l_c"]
    # A specification without a cap has the usual one.
    assert criteria_conversion.criteria_form_values(document)["max_frequency"] == 50
    without = criteria_conversion.criteria_form_values(document | {"max_frequency": None})
    assert without["max_frequency"] is None


def test_each_criterion_is_a_sentence() -> None:
    more = {"t": "0.2", "rho": ["0.05", "0.5"], "suppression": "0.01", "falsification": "0.02"}
    said = criteria_conversion.criteria_sentences(change_roles_of_document(illness=SENSITIVE) | more)
    assert said[0].startswith("Nobody can be told from at least 9 others")
    assert said[1] == "No class gives a sensitive value away with more than 50 %."
    assert said[2] == "Every class holds at least 2 different sensitive values (l-diversity)."
    assert len(said) == 7
    assert len(criteria_conversion.criteria_sentences(DOCUMENT)) == 1
