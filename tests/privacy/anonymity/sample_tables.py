"""Tables and specifications that tests of anonymised tables share."""

import io
import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from papers.publishing import adult_data as experiment
from privacy.anonymity.anonymisation_result import AnonymisedTable
from privacy.anonymity.published_file import write
from privacy.anonymity.risk.attacked_table import ShownTable, read_shown
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Table, read_table

METHODS = frozenset({"tree", "bottom-up", "k-member", "ilp"})
adult_bytes, adult_specification = experiment.adult_csv_bytes, experiment.adult_specification

PLAIN: dict[str, Any] = {
    "format": "candor-release/1",
    "quasi_identifiers": [
        {"name": "age", "kind": "number"},
        {"name": "wealth", "kind": "ordered", "order": ["poor", "middling", "rich"]},
        {"name": "town", "kind": "category", "hierarchy": {"North": ["Aa", "Bee"], "South": ["Cee", "Dee"]}},
    ],
    "sensitive": ["illness"],
    "k": 2,
    "max_frequency": None,
}
ROWS = ["30,poor,Aa,flu", "31,poor,Bee,cold", "45,rich,Cee,flu", "47,rich,Dee,gout"]


@cache
def adult() -> Table:
    return experiment.adult_table()


def specified(**changed: Any) -> Specification:
    return read_specification(json.dumps({**PLAIN, **changed}), "spec", METHODS)


def csv_of(rows: Iterable[str], header: str = "age,wealth,town,illness") -> io.BytesIO:
    return io.BytesIO("\n".join([header, *rows, ""]).encode())


def table_of(rows: Iterable[str] = ROWS, specification: Specification | None = None, **changed: Any) -> Table:
    return read_table(csv_of(rows), "t.csv", specification or specified(**changed))


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


def medical(**changed: Any) -> Specification:
    quasi = [
        {"name": "age", "kind": "number"},
        {"name": "sex", "kind": "category"},
        {"name": "zip", "kind": "category", "hierarchy": "prefixes"},
    ]
    return specified(quasi_identifiers=quasi, sensitive=["problem"], **changed)


def patients(**changed: Any) -> Specification:
    quasi = [
        {"name": "race", "kind": "category"},
        {"name": "birth", "kind": "number"},
        {"name": "sex", "kind": "category"},
        {"name": "zip", "kind": "category"},
    ]
    return specified(quasi_identifiers=quasi, sensitive=["problem"], **changed)


def written(outcome: AnonymisedTable, order: Sequence[int] | None = None) -> str:
    """The published file, in the order of the table unless another is given."""
    file = io.StringIO()
    write(file, outcome, np.arange(len(outcome.kept)) if order is None else np.array(order))
    return file.getvalue()


def shown(
    text: str, specification: Specification, name: str = "out.csv", *, complete: bool = True
) -> ShownTable:
    return read_shown(io.BytesIO(text.encode()), name, specification, complete=complete)
