"""Proposes a specification for an uploaded table: the columns that identify people, and the criteria for
every class.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from privacy.anonymity.tables.specification import FORMAT, MOST_COLUMNS, QuasiKind
from privacy.records.csv_dialect_detection import Layout
from privacy.records.csv_row_reader import PLAIN
from releases.specification.table_profile import ColumnProfile, TableProfile

K = 10
MOST_QUASI = 12
"""Largest number of proposed quasi-identifiers: each further one makes all of them coarser."""
WEIGHT = re.compile(r"weight|wgt|gewicht|poids|pond[eé]r|peso|权重", re.IGNORECASE)
"""Words in column names that suggest sample weights, the number of people that a record stands for; such columns are
dropped."""
MOST_CATEGORIES = 1000
"""Largest number of values of a category that is proposed as a quasi-identifier; texts with more are dropped."""
MOST_SENSITIVE = 3
SENSITIVE = re.compile(
    r"illness|disease|diagnos|health|hiv|medic|symptom|therap|disab|disorder|pregnan|abort|drug|alcohol|salary|income"
    r"|debt|religio|politic|party|vote|sexual|crim|convict|krank|behinder|einkommen|gehalt|partei|maladie|revenu"
    r"|enfermedad|ingresos|疾病|病|诊断|健康|收入|工资|宗教|政治|党派",
    re.IGNORECASE,
)
"""Words in names of columns that are proposed as sensitive."""
MEASURED = (QuasiKind.NUMBER, QuasiKind.DATE)
SHORTEST_CODE = 3
"""Fewest characters of codes that are generalised by leaving out their ends (prefixes)."""

Json = dict[str, Any]


def propose_specification(table: TableProfile, layout: Layout = PLAIN) -> str:
    """Returns the proposed specification.

    Columns whose values are all unique become identifiers, those whose name says so sensitive, and the rest
    quasi-identifiers; if these are too many, those that separate most people. No column is proposed as other, since
    that publishes it unchanged and unprotected. Weights are dropped, and columns without a name, in which statistics
    programs number the rows.
    """
    identifiers = [column for column in table.columns if is_identifier(column, table.records)]
    rest = [column for column in table.columns if column not in identifiers and column.has_name]
    rest = [column for column in rest if not sounds_like_weight(column)] or rest
    usable = [column for column in rest if can_be_generalised(column)]
    sensitive = [column for column in usable if sounds_sensitive(column)][:MOST_SENSITIVE]
    quasi = [column for column in usable if column not in sensitive]
    if not quasi:
        quasi, sensitive = usable or rest or list(table.columns), []
    # The columns of the set that separates the records first.
    quasi = sorted(
        quasi, key=lambda column: (column.together is not None, column.separation or 0.0), reverse=True
    )
    quasi = quasi[:MOST_QUASI]
    chosen = {column.name for column in (*quasi, *sensitive)}
    names = [column.name for column in identifiers if column.name not in chosen]
    roles: Json = {
        "table": asdict(layout),
        "identifiers": names[: MOST_COLUMNS - len(chosen)],
        "quasi_identifiers": [
            propose_quasi_identifier(column) for column in table.columns if column in quasi
        ],
    }
    named = [{"name": column.name, "empty": True} if column.empty else column.name for column in sensitive]
    largest = (max((n or 0 for _value, n in column.examples), default=0) for column in sensitive)
    is_even = all(records * 2 <= table.records for records in largest)
    return specification_with_usual_criteria(roles, named, "0.5" if is_even else None)


def is_identifier(column: ColumnProfile, records: int) -> bool:
    """Returns True if a column of texts has a different value in each of several records.

    A column of numbers or dates counts only if it has no name.
    """
    is_text = column.kind not in MEASURED or not column.has_name
    return is_text and column.distinct == records > 1


def sounds_sensitive(column: ColumnProfile) -> bool:
    """Returns True if the column's name suggests sensitive values; False if it has one value only, from which nothing
    is learned."""
    return column.distinct > 1 and SENSITIVE.search(column.name) is not None


def sounds_like_weight(column: ColumnProfile) -> bool:
    """Returns True if the column's name suggests sample weights."""
    return column.kind is QuasiKind.NUMBER and WEIGHT.search(column.name) is not None


def can_be_generalised(column: ColumnProfile) -> bool:
    """Returns True if the column's values can be generalised to classes: numbers, dates, or few enough categories."""
    return column.distinct <= MOST_CATEGORIES or column.kind in MEASURED


def may_others_know(column: ColumnProfile, records: int) -> bool:
    """Returns True if others may know a person's value in the column: it has a name and seems neither identifier,
    sensitive nor weight."""
    is_no_trait = is_identifier(column, records) or sounds_sensitive(column) or sounds_like_weight(column)
    return column.has_name and not is_no_trait


def propose_quasi_identifier(column: ColumnProfile) -> Json:
    """Returns the specification's entry for a column as a quasi-identifier, of the kind that its profile suggests."""
    said: Json = {"name": column.name, "kind": str(column.kind)}
    if column.grid:
        said["ends"] = {"grid": column.grid}
    if column.missing:
        said["missing"] = list(column.missing)
    match column.kind:
        case QuasiKind.DATE:
            said |= {"dates": str(column.dates), "level": str(column.level)}
        case QuasiKind.ORDERED:
            said["order"] = [value for value, _count in column.examples]
        case QuasiKind.CATEGORY:
            if look_like_codes([value for value, _count in column.examples if value]):
                said["hierarchy"] = "prefixes"
            if column.empty:
                said["empty"] = True
    return said


def look_like_codes(values: Sequence[str]) -> bool:
    """Returns True for codes of one length that contain digits, such as postcodes."""
    return (
        len(values) > 1
        and len(set(map(len, values))) == 1
        and len(values[0]) >= SHORTEST_CODE
        and all(any(map(str.isdigit, value)) for value in values)
    )


def specification_with_usual_criteria(
    roles: Mapping[str, Any], sensitive: Sequence[Any] = (), largest_share: str | None = "0.5"
) -> str:
    """Returns a specification (candor-release/1) with the usual criteria.

    These are k = 10 and, for sensitive columns, two values in every class and none in more than the share
    `largest_share` of its records.
    """
    criteria: Json = {"k": K}
    if sensitive:
        diverse = {"kind": "distinct", "value": 2}
        criteria |= {"sensitive": list(sensitive), "l": diverse, "max_frequency": largest_share}
    return json.dumps({"format": FORMAT, **roles, **criteria, "method": "tree"}, indent=2, ensure_ascii=False)
