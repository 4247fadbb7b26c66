"""Profiles of columns, and the specification that is proposed for them."""

import json
from typing import Any

import pytest

from mining.json_codec import node_from_json, node_to_json
from privacy.anonymity.table_anonymisation import METHODS
from privacy.anonymity.tables.specification import QuasiKind
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.grammar.input_error import InputError
from releases.specification import specification_proposal, table_profile
from releases.specification.table_profile import ColumnProfile, TableProfile, profile_csv


def profile_text(text: str) -> TableProfile:
    return profile_csv(text.encode(), "t.csv")


def test_column_profile_describes_its_values() -> None:
    (column,) = profile_text('town\nAa\nBee\nAa\n""\n').columns
    assert column == ColumnProfile(
        "town", QuasiKind.CATEGORY, 2, 1, (("Aa", 2), ("Bee", 1), ("", 1)), separation=5 / 6, together=0.5
    )
    assert node_from_json(ColumnProfile, json.loads(json.dumps(node_to_json(column)))) == column


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "20", "-3.5"], "number"),
        (["1", "", "3"], "number"),
        (["01", "20", "30"], "category"),
        (["1", "NaN", "3"], "number"),
        (["0.25", "0.50", "0.75"], "number"),
        (["1e3", "+5", "7."], "number"),
        (["", "NA"], "category"),
        (["2020-01-31", "2021-05-01 10:30"], "date"),
        (["31.01.2020", ""], "date"),
        (["1/31/2020", "2/1/2020"], "date"),
        (["31.02.2020", "30.02.2020"], "category"),
        (["a", "b"], "category"),
    ],
)
def test_the_kind_of_a_column_is_guessed_from_its_values(values: list[str], kind: str) -> None:
    (column, _other) = profile_text("q,r\n" + "".join(f"{value},x\n" for value in values)).columns
    assert str(column.kind) == kind


def test_missing_codes_of_a_number_are_named_and_other_cells_with_their_lines_up_to_one_in_ten() -> None:
    cells = [*map(str, range(60)), "", "NA", "about 7", "x"]
    profile = profile_text("q,r\n" + "".join(f"{cell},x\n" for cell in cells)).columns[0]
    assert (profile.kind, profile.missing, profile.empty) == (QuasiKind.NUMBER, ("", "NA"), 1)
    assert (profile.odd, profile.odd_cells) == (2, ((64, "about 7"), (65, "x")))
    profile = profile_text("q,r\n" + "1,x\n" * 18 + "a,x\nb,x\n").columns[0]
    assert (profile.kind, profile.odd) == (QuasiKind.CATEGORY, 0)


@pytest.mark.parametrize(
    ("last", "level"),
    [("2020-04-10", "day"), ("2020-04-11", "month"), ("2028-03-20", "quarter"), ("2044-08-23", "year")],
)
def test_longer_date_ranges_are_read_coarser(last: str, level: str) -> None:
    """100, 101, 3,000 + 1 and 9,000 + 2 days after the first of January 2020."""
    (column, _other) = profile_text(f"q,r\n2020-01-01,x\n{last},x\n").columns
    assert (str(column.kind), str(column.level)) == ("date", level)


def test_of_very_many_values_the_number_and_the_pairs_are_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_profile, "MOST_VALUES", 40)
    monkeypatch.setattr(table_profile, "CELLS_AT_ONCE", 20)
    lines = [f"{n % 70}.5,{'odd' if n == 80 else n}" for n in range(100)]
    first, second = profile_text("\n".join(["q,r", *lines])).columns
    assert (first.kind, first.distinct, first.examples[0][1]) == (QuasiKind.NUMBER, 70, 2)
    assert (second.kind, second.distinct, second.odd_cells) == (QuasiKind.NUMBER, 100, ((82, "odd"),))
    # 0 to 99, each three times: each value is a pair with two others of 299.
    (column,) = profile_text("\n".join(["x", *(str(at % 100) for at in range(300)), ""])).columns
    assert column.separation == pytest.approx(1 - 2 / 299)


def test_a_second_header_and_too_many_columns_or_records_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_profile, "MOST_RECORDS", 30)
    twice = ["age,born,town", "years,date,name", *(f"{n},2020-01-{n:02},Aa" for n in range(1, 20))]
    names = ",".join(f"c{n}" for n in range(5000))
    for text, fault in (
        ("\n".join(twice), "t.csv:2: age: looks like a second row of names"),
        (f"{names}\n{names}\n", "t.csv:1: more than 500 columns"),
        ("q\n" + "1\n" * 31, "t.csv:32: more than 30 records"),
    ):
        with pytest.raises(InputError, match=f"^{fault}"):
            profile_text(text)


def proposed_specification(text: str) -> dict[str, Any]:
    said = specification_proposal.propose_specification(profile_text(text))
    read_specification(said, "s", frozenset(METHODS))
    found: dict[str, Any] = json.loads(said)
    return found


def test_proposal_follows_the_column_profiles() -> None:
    # At most twenty values are quoted the most frequent first.
    (column,) = profile_text("q\n" + "a\n" * 3 + "".join(f"v{n}\n" for n in range(30))).columns
    assert (column.distinct, len(column.examples), column.examples[0]) == (31, 20, ("a", 3))
    # Columns with a value for each record are identifiers and long texts are left out.
    lines = [f"p{n},{n % 7},{1000 + n % 90},text {n // 2}" for n in range(2200)]
    said = proposed_specification("name,age,code,remark\n" + "\n".join(lines) + "\n")
    assert said["identifiers"] == ["name"]
    assert [column["name"] for column in said["quasi_identifiers"]] == ["age", "code"]
    # A number without a name is an index and no quasi identifier.
    said = proposed_specification(",age\n0,30\n1,30\n2,40\n")
    assert said["identifiers"] == ["column 1"]
    assert said["quasi_identifiers"] == [{"name": "age", "kind": "number"}]
    # Of missing values and dates the specification says how they are read.
    said = proposed_specification("age,born\n30,1.2.1950\n,\nNA,31.12.2001\n")
    assert said["quasi_identifiers"] == [
        {"name": "age", "kind": "number", "missing": ["", "NA"]},
        {"name": "born", "kind": "date", "missing": [""], "dates": "dmy", "level": "year"},
    ]
    # A grid is proposed for a number with many values. A step of at least a twentieth of the middle 98 %: of
    # 2 to 99 that is 4.85, of 20 to 990 it is 48.5.
    lines = [f"{n},{n * 10},{n % 9}" for n in range(1, 101)] * 2
    columns = proposed_specification("age,wage,children\n" + "\n".join(lines) + "\n")["quasi_identifiers"]
    assert [column.get("ends") for column in columns] == [{"grid": "5"}, {"grid": "50"}, None]
    # Codes are shortened from their end and empty cells are values.
    said = proposed_specification("zip,sex\n01234,m\n01235,\n01234,f\n01235,f\n")
    assert said["quasi_identifiers"] == [
        {"name": "zip", "kind": "category", "hierarchy": "prefixes"},
        {"name": "sex", "kind": "category", "empty": True},
    ]
    assert (said["k"], said["method"]) == (10, "tree")
    # Of sensitive columns two values and at most half are proposed.
    known = {"quasi_identifiers": [{"name": "q", "kind": "number"}]}
    said = json.loads(specification_proposal.specification_with_usual_criteria(known, ["ill"]))
    assert (said["l"], said["max_frequency"]) == ({"kind": "distinct", "value": 2}, "0.5")
    read_specification(json.dumps(said), "s", frozenset(METHODS))
    # Twelve quasi-identifiers are proposed at most.
    header = ",".join(f"c{n}" for n in range(70))
    said = proposed_specification(f"{header}\n" + (",".join("1" * 70) + "\n") * 2)
    assert len(said["quasi_identifiers"]) == 12
    # A column tells apart the pairs of rows that differ in it. Of the six pairs of a, a, b and an empty cell
    # one is of equals.
    assert [column.separation for column in profile_text("x,y\na,1\na,1\nb,1\n,1\n").columns] == [5 / 6, 0]


def test_a_column_with_a_sensitive_name_is_proposed_as_sensitive_and_the_criteria_can_be_kept() -> None:
    rows = "\n".join(f"{20 + at % 30},{'flu' if at % 4 else 'asthma'},{at % 3}" for at in range(120))
    said = proposed_specification(f"age,Illness,town\n{rows}\n")
    assert [column["name"] for column in said["quasi_identifiers"]] == ["age", "town"]
    # Three in four have the flu: no class could have it in half of its records at most, if all do.
    assert (said["sensitive"], said["l"]["value"], said["max_frequency"]) == (["Illness"], 2, None)


def test_proposal_picks_the_most_identifying_of_many_columns() -> None:
    names = ",".join([*(f"c{at}" for at in range(70)), "age"])
    rows = "\n".join(",".join(["x", *["1"] * 69, str(20 + at % 50)]) for at in range(100))
    said = proposed_specification(f"{names}\n{rows}\n")
    assert "age" in [column["name"] for column in said["quasi_identifiers"]]
