"""Tables and specifications that tests of anonymised tables share."""

import io
import json
from collections.abc import Iterable
from functools import cache
from typing import Any

from papers.publishing import adult as experiment
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Table, read_table

METHODS = frozenset({"tree", "bottom-up", "k-member", "ilp"})
adult_bytes, adult_specification = experiment.adult_bytes, experiment.adult_specification

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
ROWS = [
    "30,poor,Aa,flu",
    "31,poor,Bee,cold",
    "45,rich,Cee,flu",
    "47,rich,Dee,gout",
]


@cache
def adult() -> Table:
    return experiment.adult_table()


def specified(**changed: Any) -> Specification:
    return read_specification(json.dumps({**PLAIN, **changed}), "spec", METHODS)


def csv_of(rows: Iterable[str], header: str = "age,wealth,town,illness") -> io.BytesIO:
    return io.BytesIO("\n".join([header, *rows, ""]).encode())


def table_of(rows: Iterable[str] = ROWS, specification: Specification | None = None, **changed: Any) -> Table:
    return read_table(csv_of(rows), "t.csv", specification or specified(**changed))
