"""Random tables with random criteria."""

import json
from typing import Any

import numpy as np
from hypothesis import strategies as st

from privacy.anonymity.anonymisation_result import (
    AnonymisedTable,
    outcome_from_labels,
    outcome_with_changed_values,
    outcome_without_left_out_records,
)
from privacy.anonymity.tables.hierarchies import EVERYTHING, UP_TO
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Column, QuasiColumn, read_table
from tests.privacy.anonymity.sample_tables import METHODS, csv_of

TOWNS = {"North": ["Aa", "Bee"], "South": ["Cee", "Dee"]}
ILLNESSES = ["cold", "flu", "gout", "mumps"]
MOODS = ["good", "bad"]
QUASI: list[dict[str, Any]] = [
    {"name": "age", "kind": "number"},
    {"name": "wealth", "kind": "ordered", "order": ["poor", "middling", "rich"]},
    {"name": "town", "kind": "category", "hierarchy": TOWNS},
    {"name": "tongue", "kind": "category"},
]
HEADER = "age,wealth,town,tongue,illness,mood"


@st.composite
def rows(draw: st.DrawFn, least: int = 2, most: int = 40) -> list[str]:
    row = st.tuples(
        st.integers(-3, 60).map(str),
        st.sampled_from(["poor", "middling", "rich"]),
        st.sampled_from([town for towns in TOWNS.values() for town in towns]),
        st.sampled_from(["x", "y", "z"]),
        st.sampled_from(ILLNESSES),
        st.sampled_from(MOODS),
    )
    return [",".join(cells) for cells in draw(st.lists(row, min_size=least, max_size=most))]


@st.composite
def said(draw: st.DrawFn) -> dict[str, Any]:
    two = draw(st.booleans())
    kind = draw(st.sampled_from(["distinct", "entropy", "recursive"]))
    least = draw(st.integers(1, 3))
    diversity: dict[str, Any] = {"kind": kind, "value": least, "joint": two and draw(st.booleans())}
    if kind == "recursive":
        diversity["c"] = draw(st.sampled_from(["0.5", "1", "2.5", "10"]))
    illness = {"name": "illness", "order": ILLNESSES} if draw(st.booleans()) else "illness"
    return {
        "format": "candor-release/1",
        "quasi_identifiers": QUASI,
        "sensitive": [illness, "mood"] if two else [illness],
        "k": draw(st.integers(1, 6)),
        "l": draw(st.sampled_from([None, diversity])),
        "t": draw(st.sampled_from([None, "0.2", "0.4", "0.7"])),
        "max_frequency": draw(st.sampled_from([None, "0.5", "0.7", "0.9"])),
        "rho": draw(st.sampled_from([None, ["0.2", "0.6"], ["0.3", "0.9"]])),
        "weights": draw(st.sampled_from(["unit"] if two else ["unit", "data"])),
        "seconds": 0,
    }


# Random tables in random classes, and what a class shows spelled out.

SAID: dict[str, Any] = {
    "format": "candor-release/1",
    "quasi_identifiers": QUASI,
    "sensitive": ["illness", "mood"],
    "k": 1,
    "max_frequency": None,
}


def specified(**changed: Any) -> Specification:
    return read_specification(json.dumps({**SAID, **changed}), "spec", METHODS)


@st.composite
def outcomes(draw: st.DrawFn, least: int = 2, most: int = 14) -> AnonymisedTable:
    """Some records left out, some sensitive values changed, or neither."""
    lines = draw(rows(least, most))
    table = read_table(csv_of(lines, HEADER), "t.csv", specified())
    labels = np.array(draw(st.lists(st.integers(0, 3), min_size=len(lines), max_size=len(lines))))
    match draw(st.sampled_from(["whole", "kept", "changed"])):
        case "kept":
            places = draw(st.sets(st.integers(0, len(lines) - 1), min_size=1))
            kept = np.array(sorted(places))
            return outcome_without_left_out_records(
                table, kept, outcome_from_labels(table.take_records(kept), labels[kept]).partition
            )
        case "changed":
            return outcome_with_changed_values(
                table, labels, tuple(_changed(draw, column) for column in table.sensitive)
            )
        case _:
            return outcome_from_labels(table, labels)


def _changed(draw: st.DrawFn, column: Column) -> Column:
    codes = st.integers(0, len(column.texts) - 1)
    drawn = draw(st.lists(codes, min_size=len(column.codes), max_size=len(column.codes)))
    return Column(column.name, column.texts, np.array(drawn, np.int32))


def meant(column: QuasiColumn, cell: str) -> list[str]:
    """The values that a published cell stands for."""
    if cell in column.texts:
        return [cell]
    if cell == EVERYTHING:
        return list(column.texts)
    if cell in TOWNS:
        return TOWNS[cell]
    low, high = cell.split(UP_TO)
    if column.is_number:
        return [text for text in column.texts if float(low) <= float(text) <= float(high)]
    return list(column.texts[column.texts.index(low) : column.texts.index(high) + 1])


def shown_by_record(outcome: AnonymisedTable) -> list[list[list[str]]]:
    """By published record and quasi-identifier, the values that its cell stands for."""
    classes = outcome.partition
    return [
        [
            meant(column, column.cell_text(int(classes.lows[label, at]), int(classes.highs[label, at])))
            for at, column in enumerate(outcome.table.quasi)
        ]
        for label in classes.labels.tolist()
    ]


def texts_of(column: Column) -> list[str]:
    """The value of every record."""
    return [column.texts[code] for code in column.codes.tolist()]
