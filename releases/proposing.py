"""Proposes a specification for a table: which columns tell who somebody is, and what every class must keep."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from privacy.anonymity.specification import FORMAT, MOST_COLUMNS, QuasiKind
from privacy.records.csv_rows import PLAIN
from privacy.records.layouts import Layout
from releases.profiling import ColumnProfile, TableProfile

K = 10
MOST_CATEGORIES = 1000
"""The most values of a category that is proposed as a quasi-identifier; texts with more are dropped."""
MEASURED = (QuasiKind.NUMBER, QuasiKind.DATE)
SAME_LENGTH = 3
"""The least characters of codes whose ends are left out (prefixes)."""

Json = dict[str, Any]


def of_upload(table: TableProfile, layout: Layout = PLAIN) -> str:
    """The specification of an uploaded table: columns whose every value stands once are identifiers.

    A column without a name is none: statistics programs number the rows in such.
    """
    identifiers = [column for column in table.columns if _identifies(column, table.records)]
    rest = [column for column in table.columns if column not in identifiers and column.has_name]
    quasi = [column for column in rest if column.distinct <= MOST_CATEGORIES or column.kind in MEASURED]
    quasi = (quasi or rest or list(table.columns))[:MOST_COLUMNS]
    chosen = {column.name for column in quasi}
    listed = [column.name for column in identifiers if column.name not in chosen]
    return written(
        {
            "table": asdict(layout),
            "identifiers": listed[: MOST_COLUMNS - len(quasi)],
            "quasi_identifiers": [quasi_identifier(column) for column in quasi],
        }
    )


def _identifies(column: ColumnProfile, records: int) -> bool:
    is_text = column.kind not in MEASURED or not column.has_name
    return is_text and column.distinct == records > 1


def quasi_identifier(column: ColumnProfile) -> Json:
    """A column as a quasi-identifier of the kind that it seems to be."""
    said: Json = {"name": column.name, "kind": str(column.kind)}
    if column.grid:
        said["ends"] = {"grid": column.grid}
    if column.missing:
        said["missing"] = list(column.missing)
    if column.kind is QuasiKind.DATE:
        said |= {"dates": str(column.dates), "level": str(column.level)}
    if column.kind is QuasiKind.ORDERED:
        return {**said, "order": [value for value, _count in column.examples]}
    if column.kind is QuasiKind.CATEGORY:
        values = [value for value, _count in column.examples if value]
        if _are_codes(values):
            said["hierarchy"] = "prefixes"
        if column.empty:
            said["empty"] = True
    return said


def _are_codes(values: Sequence[str]) -> bool:
    """Codes of one length with digits in them, such as postcodes."""
    return (
        len(values) > 1
        and len(set(map(len, values))) == 1
        and len(values[0]) >= SAME_LENGTH
        and all(any(map(str.isdigit, value)) for value in values)
    )


def written(said: Mapping[str, Any], sensitive: Iterable[str] = ()) -> str:
    """candor-release/1, with the criteria that are proposed: k = 10 and, of sensitive columns, two values in every
    class and none in more than half of its records."""
    named = list(sensitive)
    criteria: Json = {"k": K}
    if named:
        criteria |= {"sensitive": named, "l": {"kind": "distinct", "value": 2}, "max_frequency": "0.5"}
    return json.dumps({"format": FORMAT, **said, **criteria, "method": "tree"}, indent=2, ensure_ascii=False)
