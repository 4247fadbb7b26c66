"""Reads the source of a release, an upload or the records of a survey: its columns, their values, its table."""

import io
import re
import unicodedata
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext as _

from intake.disclosure.canonical_order import DisguisedRecords
from mining.json_codec import node_from_json
from privacy.anonymity.table_anonymisation import METHODS
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Table, read_table
from privacy.designs.formula_escape import unescape_formula
from privacy.records.csv_dialect_detection import Layout
from privacy.records.csv_row_reader import PLAIN, column_names, csv_rows
from releases import survey_tables
from releases.models import Release, Source
from releases.specification.table_profile import EXAMPLES, ColumnProfile
from releases.uploads import get_upload
from surveys.questionnaire.problems_and_refusals import NotAllowed
from ui.number_format import format_count

MOST_SHOWN = 2000
"""Largest number of values that a page lists; a person would not write an order or hierarchy of more."""
LEADING_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?", re.ASCII)


def get_specification(release: Release) -> Specification:
    return read_specification(release.specification, "specification", frozenset(METHODS))


def get_layout(release: Release) -> Layout:
    """Returns the layout of an upload (how it is split into cells), from the specification of its release."""
    return get_specification(release).layout or PLAIN


def column_profiles(source: Source, now: datetime) -> tuple[ColumnProfile, ...]:
    """Returns the profiles of the source's columns: of an upload with values and counts, of a survey by its design
    alone."""
    if source.is_upload:
        return tuple(node_from_json(ColumnProfile, column) for column in get_upload(source, now).columns)
    return survey_tables.survey_column_profiles(source)


def read_source_file(source: Source, records: DisguisedRecords | None, now: datetime) -> bytes:
    """Returns the source table as a file: the upload, or the `records` of a survey in canonical order."""
    if records is None:
        return bytes(get_upload(source, now).content)
    assert source.through is not None
    return survey_tables.records_as_csv(
        records, records.canonical_order_through_batch(source.through), source.with_sensitive
    )


def read_source_table(
    source: Source, records: DisguisedRecords | None, specification: Specification, now: datetime
) -> Table:
    """Returns the table of a source, parsed by the specification; raises `InputError` with line and column."""
    return read_table(io.BytesIO(read_source_file(source, records, now)), str(source), specification)


class ColumnValues(NamedTuple):
    """Values of a column.

    `shown`: at most `MOST_SHOWN` of them in the proposed order. `number`: the number of all values.
    """

    shown: tuple[str, ...]
    number: int


NO_VALUES = ColumnValues((), 0)


def column_values(source: Source, column: ColumnProfile, now: datetime) -> ColumnValues:
    """Returns the values of a column: of an upload sorted, of a survey in the design's order. Takes seconds for a large
    upload."""
    values = [value for value, _count in column.examples if value]
    if source.is_upload:
        if column.distinct > EXAMPLES:
            content = io.BytesIO(bytes(get_upload(source, now).content))
            rows = csv_rows(content, source.name, layout=get_layout(source.release))
            index = column_names(next(rows), "").index(column.name)
            values = list({_unescape_cell(cells[index]) for _where, cells in rows if cells[index]})
        values = sort_values(values)
    return ColumnValues(tuple(values[:MOST_SHOWN]), len(values))


def _unescape_cell(cell: str) -> str:
    """Returns a cell in composed form (NFC), without the apostrophe that `escape_formula` adds."""
    return unicodedata.normalize("NFC", unescape_formula(cell))


def sort_values(values: list[str]) -> list[str]:
    """Sorts values by their leading number, so that “9 or less” precedes “10 to 19”; values without one follow, by
    text."""

    def sort_key(value: str) -> tuple[float, str]:
        match = LEADING_NUMBER.match(value)
        return (float(match[0]) if match else float("inf"), value)

    return sorted(values, key=sort_key)


def value_order_function(
    source: Source, columns: tuple[ColumnProfile, ...], now: datetime
) -> Callable[[str], tuple[str, ...]]:
    """Returns a function from a column's name to the proposed order of its values, for
    `column_role_editing.change_roles`."""
    by_name = {column.name: column for column in columns}

    def order_values(name: str) -> tuple[str, ...]:
        values = column_values(source, by_name[name], now)
        if values.number > MOST_SHOWN:
            raise NotAllowed(
                _("“%(column)s” has %(number)s values, too many to order. Choose another role for it.")
                % {"column": name, "number": format_count(values.number)}
            )
        return values.shown

    return order_values
