"""Profiles of the columns of a table: what they hold, and what kind of column each seems to be."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, BinaryIO

from privacy.anonymity.specification import QuasiKind
from privacy.anonymity.table import MOST_RECORDS, NUMBER
from privacy.designs.spreadsheet_cells import MARK, harmless
from privacy.grammar.node import Node
from privacy.grammar.refusal import Refusal, marked as _, quoted
from privacy.records.codebooks import AT_ONCE
from privacy.records.csv_rows import csv_rows

EXAMPLES = 20
MOST_COLUMNS = 500


@dataclass(frozen=True)
class ColumnProfile:
    """A column: `examples` are its most frequent values, at most 20, each with its number of records.

    Of a survey there are no numbers of records (None) and no empty cells; the values are those of its design.
    """

    name: str
    kind: QuasiKind
    distinct: int
    empty: int
    examples: tuple[tuple[str, int | None], ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> "ColumnProfile":
        examples = tuple((value, count) for value, count in stored["examples"])
        return cls(**{**stored, "kind": QuasiKind(stored["kind"]), "examples": examples})


@dataclass(frozen=True)
class TableProfile:
    records: int
    columns: tuple[ColumnProfile, ...]


def profile_csv(file: BinaryIO, name: str) -> TableProfile:
    """Read a whole CSV file; a refusal names its line. A million rows of eight columns take about two seconds."""
    rows = csv_rows(file, name)
    names = _names(rows, name)
    counts: list[Counter[str]] = [Counter() for _name in names]
    records = 0
    while chunk := list(islice(rows, AT_ONCE)):
        records += len(chunk)
        if records > MOST_RECORDS:
            raise Refusal(name, _("more than %(most)s records"), most=MOST_RECORDS)
        for counter, cells in zip(counts, zip(*(cells for _where, cells in chunk), strict=True), strict=True):
            counter.update(cells)
    if not records:
        raise Refusal(name, _("there are no records"))
    return TableProfile(records, tuple(map(_profile, names, counts)))


def _names(rows: Iterator[tuple[str, list[str]]], file: str) -> list[str]:
    where, header = next(rows, (f"{file}:1", []))
    if not header:
        raise Refusal(where, _("the line with the names of the columns is missing"))
    if len(header) > MOST_COLUMNS:
        raise Refusal(where, _("more than %(most)s columns"), most=MOST_COLUMNS)
    found: dict[str, None] = {}
    for cell in header:
        plain = cell[1:] if cell.startswith(MARK) and harmless(cell[1:]) == cell else cell
        name = Node(plain, where).name()
        if name in found:
            raise Refusal(where, _("the column %(column)s appears twice"), column=quoted(name))
        found[name] = None
    return list(found)


def _profile(name: str, counts: Counter[str]) -> ColumnProfile:
    values = [value for value in counts if value]
    numeric = bool(values) and not counts[""] and all(map(NUMBER.fullmatch, values))
    kind = QuasiKind.NUMBER if numeric and not _codes(values) else QuasiKind.CATEGORY
    return ColumnProfile(name, kind, len(values), counts[""], tuple(counts.most_common(EXAMPLES)))


def _codes(values: list[str]) -> bool:
    """Whether digits are codes, such as postcodes: some begin with a zero, and all are equally long."""
    return (
        len(set(map(len, values))) == 1
        and len(values[0]) > 1
        and any(value.startswith("0") for value in values)
    )
