"""The worked tables of two documents, and a register of the second."""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from privacy.anonymity.anonymised import AnonymisedTable
from privacy.anonymity.published import write
from privacy.anonymity.risk.shown_table import ShownTable, read_shown
from privacy.anonymity.tables.specification import Specification
from tests.privacy.anonymity.sample_tables import specified

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
