"""Tables, specifications and random ones of both that tests of anonymised tables share."""

import io
import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from papers.publishing import adult_data as experiment
from privacy.anonymity import table_anonymisation
from privacy.anonymity.anonymisation_result import (
    AnonymisedTable,
    outcome_from_labels,
    outcome_of_kept_records,
    outcome_with_changed_values,
)
from privacy.anonymity.published_file import write_published_table
from privacy.anonymity.risk.table_seen_by_attacker import ShownTable, read_shown_table
from privacy.anonymity.tables.hierarchies import EVERYTHING, UP_TO
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Column, QuasiColumn, Table, read_table

METHODS = frozenset({"tree", "bottom-up", "k-member", "ilp"})
adult_specification = experiment.adult_specification

TOWNS = {"North": ["Aa", "Bee"], "South": ["Cee", "Dee"]}
QUASI: list[dict[str, Any]] = [
    {"name": "age", "kind": "number"},
    {"name": "wealth", "kind": "ordered", "order": ["poor", "middling", "rich"]},
    {"name": "town", "kind": "category", "hierarchy": TOWNS},
    {"name": "tongue", "kind": "category"},
]
PLAIN: dict[str, Any] = {
    "format": "candor-release/1",
    "quasi_identifiers": QUASI[:3],
    "sensitive": ["illness"],
    "k": 2,
    "max_frequency": None,
}
ROWS = ["30,poor,Aa,flu", "31,poor,Bee,cold", "45,rich,Cee,flu", "47,rich,Dee,gout"]


@cache
def adult_table() -> Table:
    return experiment.adult_table()


def make_specification(**changed: Any) -> Specification:
    return read_specification(json.dumps({**PLAIN, **changed}), "spec", METHODS)


def csv_of(rows: Iterable[str], header: str = "age,wealth,town,illness") -> io.BytesIO:
    return io.BytesIO("\n".join([header, *rows, ""]).encode())


def table_of(rows: Iterable[str] = ROWS, specification: Specification | None = None, **changed: Any) -> Table:
    return read_table(csv_of(rows), "t.csv", specification or make_specification(**changed))


# The worked tables of two documents, and a register of the second.

MEDICAL = """age,sex,zip,problem
25,F,12300,AIDS
29,F,14000,pneumonia
38,M,13500,bronchitis
37,M,13010,flu
40,M,13400,bronchitis
26,M,12600,flu
"""
"""Document 003: a medical table without names."""
REGISTER = """name,age,sex,zip
Betty,25,F,12300
Linda,35,F,13000
Bill,21,M,12000
Sam,35,M,27000
John,28,M,14000
"""
"""Its register of voters."""
PATIENTS = """race,birth,sex,zip,problem
Black,1965,m,0214*,short breath
Black,1965,m,0214*,chest pain
Black,1965,f,0213*,hypertension
Black,1965,f,0213*,hypertension
Black,1964,f,0213*,obesity
Black,1964,f,0213*,chest pain
White,1964,m,0213*,chest pain
White,1964,m,0213*,obesity
White,1964,m,0213*,short breath
White,1967,m,0213*,chest pain
White,1967,m,0213*,chest pain
"""
"""Document 001: eleven rows that keep k = 2."""


def medical_specification(**changed: Any) -> Specification:
    code = {"name": "zip", "kind": "category", "hierarchy": "prefixes"}
    quasi = [QUASI[0], {"name": "sex", "kind": "category"}, code]
    return make_specification(quasi_identifiers=quasi, sensitive=["problem"], **changed)


def patients(**changed: Any) -> Specification:
    kinds = {"race": "category", "birth": "number", "sex": "category", "zip": "category"}
    quasi = [{"name": name, "kind": kind} for name, kind in kinds.items()]
    return make_specification(quasi_identifiers=quasi, sensitive=["problem"], **changed)


def published_text(outcome: AnonymisedTable, order: Sequence[int] | None = None) -> str:
    """The published file, in the order of the table unless another is given."""
    file = io.StringIO()
    write_published_table(file, outcome, np.arange(len(outcome.kept)) if order is None else np.array(order))
    return file.getvalue()


def read_published(
    text: str, specification: Specification, name: str = "out.csv", *, complete: bool = True
) -> ShownTable:
    return read_shown_table(io.BytesIO(text.encode()), name, specification, complete=complete)


# What tells a search that it is enough.


def stop_at_once(_steps: int, _loss: float) -> bool:
    return True


class After:
    """Says enough after so many questions."""

    def __init__(self, questions: int) -> None:
        self.questions = questions
        self.losses: list[float] = []

    def __call__(self, _steps: int, loss: float) -> bool:
        self.losses.append(loss)
        return len(self.losses) > self.questions


# Random tables with random criteria.

ILLNESSES = ["cold", "flu", "gout", "mumps"]
HEADER = "age,wealth,town,tongue,illness,mood"


@st.composite
def any_rows(draw: st.DrawFn, least: int = 2, most: int = 40) -> list[str]:
    towns = [town for towns in TOWNS.values() for town in towns]
    columns = (["poor", "middling", "rich"], towns, ["x", "y", "z"], ILLNESSES, ["good", "bad"])
    row = st.tuples(st.integers(-3, 60).map(str), *map(st.sampled_from, columns))
    return [",".join(cells) for cells in draw(st.lists(row, min_size=least, max_size=most))]


@st.composite
def any_said(draw: st.DrawFn) -> dict[str, Any]:
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


def any_table(rows: list[str], said: dict[str, Any], **changed: Any) -> tuple[Table, Specification]:
    methods = frozenset(table_anonymisation.METHODS)
    specification = read_specification(json.dumps({**said, **changed}), "spec", methods)
    return read_table(csv_of(rows, HEADER), "t.csv", specification), specification


# Random tables in random classes, and what a class shows spelled out.


def specified_widely(**changed: Any) -> Specification:
    return make_specification(
        **{"quasi_identifiers": QUASI, "sensitive": ["illness", "mood"], "k": 1, **changed}
    )


@st.composite
def outcomes(draw: st.DrawFn, least: int = 2, most: int = 14) -> AnonymisedTable:
    """Some records left out, some sensitive values changed, or neither."""
    lines = draw(any_rows(least, most))
    table = read_table(csv_of(lines, HEADER), "t.csv", specified_widely())
    labels = np.array(draw(st.lists(st.integers(0, 3), min_size=len(lines), max_size=len(lines))))
    match draw(st.sampled_from(["whole", "kept", "changed"])):
        case "kept":
            kept = np.array(sorted(draw(st.sets(st.integers(0, len(lines) - 1), min_size=1))))
            return without_the_others(table, kept, labels[kept])
        case "changed":
            drawn = [[draw(st.integers(0, len(of.texts) - 1)) for _line in lines] for of in table.sensitive]
            changed = (with_codes(of, codes) for of, codes in zip(table.sensitive, drawn, strict=True))
            return outcome_with_changed_values(table, labels, tuple(changed))
        case _:
            return outcome_from_labels(table, labels)


def without_the_others(table: Table, kept: NDArray[np.int64], labels: NDArray[np.int64]) -> AnonymisedTable:
    partition = outcome_from_labels(table.take_records(kept), labels).partition
    return outcome_of_kept_records(table, kept, partition)


def with_codes(column: Column, codes: Sequence[int]) -> Column:
    return Column(column.name, column.texts, np.array(codes, np.int32))


def values_of_cell(column: QuasiColumn, cell: str) -> list[str]:
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
    classes, quasi = outcome.partition, outcome.table.quasi
    ends = zip(classes.lows.tolist(), classes.highs.tolist(), strict=True)
    shown = [
        [values_of_cell(of, of.cell_text(*pair)) for of, *pair in zip(quasi, *both, strict=True)]
        for both in ends
    ]
    return [shown[label] for label in classes.labels.tolist()]


def texts_of(column: Column) -> list[str]:
    """The value of every record."""
    return [column.texts[code] for code in column.codes.tolist()]
