"""Tables and specifications that tests of anonymised tables share."""

import gzip
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from privacy.anonymity.specification import Specification, read_specification
from privacy.anonymity.table import Table, read_table

HERE = Path(__file__).parent
METHODS = frozenset({"tree", "bottom-up", "kacluk", "ilp"})

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


def specified(**changed: Any) -> Specification:
    return read_specification(json.dumps({**PLAIN, **changed}), "spec", METHODS)


def csv_of(rows: Iterable[str], header: str = "age,wealth,town,illness") -> io.BytesIO:
    return io.BytesIO("\n".join([header, *rows, ""]).encode())


def table_of(rows: Iterable[str] = ROWS, specification: Specification | None = None, **changed: Any) -> Table:
    return read_table(csv_of(rows), "t.csv", specification or specified(**changed))


def adult_specification(**changed: Any) -> Specification:
    said: Mapping[str, Any] = json.loads((HERE / "adult-spec.json").read_text())
    return read_specification(json.dumps({**said, **changed}), "spec", METHODS)


def adult_bytes() -> bytes:
    """The 30,162 complete records of the training part of Adult: adult.md says where they are from."""
    return gzip.decompress((HERE / "adult.csv.gz").read_bytes())


def adult(**changed: Any) -> Table:
    return read_table(io.BytesIO(adult_bytes()), "adult.csv", adult_specification(**changed))
