"""Profiles of columns, and the specification that is proposed for them."""

import io
import json

import pytest

from privacy.anonymity.methods import METHODS
from privacy.anonymity.specification import QuasiKind, read_specification
from releases import proposing
from releases.profiling import ColumnProfile, TableProfile, profile_csv


def profiled(text: str) -> TableProfile:
    return profile_csv(io.BytesIO(text.encode()), "t.csv")


def test_a_column_says_what_it_holds() -> None:
    (column,) = profiled('town\nAa\nBee\nAa\n""\n').columns
    assert column == ColumnProfile("town", QuasiKind.CATEGORY, 2, 1, (("Aa", 2), ("Bee", 1), ("", 1)))
    assert ColumnProfile.from_json(json.loads(json.dumps(column.as_json()))) == column


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "20", "-3.5"], "number"),
        (["1", "", "3"], "category"),
        (["01", "20", "30"], "category"),
        (["1", "NaN", "3"], "category"),
        (["a", "b"], "category"),
    ],
)
def test_the_kind_of_a_column_is_guessed_from_its_values(values: list[str], kind: str) -> None:
    (column, _other) = profiled("q,r\n" + "".join(f"{value},x\n" for value in values)).columns
    assert str(column.kind) == kind


def test_at_most_twenty_values_are_quoted_the_most_frequent_first() -> None:
    (column,) = profiled("q\n" + "a\n" * 3 + "".join(f"v{n}\n" for n in range(30))).columns
    assert (column.distinct, len(column.examples), column.examples[0]) == (31, 20, ("a", 3))


def proposed(text: str) -> dict[str, object]:
    said = proposing.of_upload(profiled(text))
    read_specification(said, "s", frozenset(METHODS))
    found: dict[str, object] = json.loads(said)
    return found


def test_columns_with_a_value_for_each_record_are_identifiers_and_long_texts_are_left_out() -> None:
    lines = [f"p{n},{n % 7},{1000 + n % 90},text {n // 2}" for n in range(2200)]
    said = proposed("name,age,code,remark\n" + "\n".join(lines) + "\n")
    assert said["identifiers"] == ["name"]
    assert [column["name"] for column in said["quasi_identifiers"]] == ["age", "code"]  # type: ignore[attr-defined]


def test_codes_are_shortened_from_their_end_and_empty_cells_are_values() -> None:
    said = proposed("zip,sex\n01234,m\n01235,\n01234,f\n01235,f\n")
    assert said["quasi_identifiers"] == [
        {"name": "zip", "kind": "category", "hierarchy": "prefixes"},
        {"name": "sex", "kind": "category", "empty": True},
    ]
    assert (said["k"], said["method"]) == (10, "tree")


def test_of_sensitive_columns_two_values_and_at_most_half_are_proposed() -> None:
    said = json.loads(proposing.written({"quasi_identifiers": [{"name": "q", "kind": "number"}]}, ["ill"]))
    assert (said["l"], said["max_frequency"]) == ({"kind": "distinct", "value": 2}, "0.5")
    read_specification(json.dumps(said), "s", frozenset(METHODS))


def test_sixty_columns_are_proposed_at_most() -> None:
    header = ",".join(f"c{n}" for n in range(70))
    said = proposed(f"{header}\n" + (",".join("1" * 70) + "\n") * 2)
    assert len(said["quasi_identifiers"]) == 60  # type: ignore[arg-type]
