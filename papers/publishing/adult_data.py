"""Reads the data set Adult as the publishing papers use it; adult.md names its source."""

import gzip
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from privacy.anonymity.table_anonymisation import METHODS
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Table, read_table

KS = (2, 5, 10, 20, 50)
DIVERSITY = 3
"""Number of distinct sensitive values that every class must have."""
SEED = 1
TRIES = 2_000
"""Number of tries after which *tree* stops: not a time, so that its classes are the same everywhere."""


HERE = Path(__file__).parent
SPECIFICATION = HERE / "adult-spec.json"


def adult_csv_bytes() -> bytes:
    """Returns the CSV file of Adult: a header and the 30,162 complete records of the training part."""
    return gzip.decompress((HERE / "adult.csv.gz").read_bytes())


def adult_specification(**replaced_members: Any) -> Specification:
    """Returns the specification of adult-spec.json with these members replaced."""
    members: Mapping[str, Any] = json.loads(SPECIFICATION.read_text(encoding="utf-8"))
    return read_specification(
        json.dumps({**members, **replaced_members}), "adult-spec.json", frozenset(METHODS)
    )


def adult_table() -> Table:
    return read_table(io.BytesIO(adult_csv_bytes()), "adult.csv", adult_specification())
