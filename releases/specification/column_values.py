"""The values of one column of a source, for the pages that order and group them."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from privacy.designs.spreadsheet_cells import MARK, harmless
from privacy.records.csv_rows import Lines, column_names
from releases import sources
from releases.models import Source
from releases.specification.profiling import EXAMPLES, ColumnProfile
from releases.specification.roles import Values
from surveys.questionnaire.problems import NotAllowed
from ui.numbers import count

MOST_SHOWN = 2000
"""Values that a page lists; a column with more has no order or hierarchy that a person would write."""
LEADING_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?", re.ASCII)


@dataclass(frozen=True)
class ColumnValues:
    """`shown`: at most MOST_SHOWN of them, in the order that is proposed; `number`: how many there are in all."""

    shown: tuple[str, ...]
    number: int


NONE = ColumnValues((), 0)


def values(source: Source, column: ColumnProfile, now: datetime) -> ColumnValues:
    """The values of a column; of a survey in the order of its design. A large upload takes seconds."""
    known = [value for value, _count in column.examples if value]
    if source.is_upload:
        if column.distinct > EXAMPLES:
            known = list(_uploaded(sources.rows_of(source, now), column.name))
        known = natural(known)
    return ColumnValues(tuple(known[:MOST_SHOWN]), len(known))


def proposed(source: Source, columns: tuple[ColumnProfile, ...], now: datetime) -> Values:
    """The values of a column by its name, as `roles.with_roles` asks for them."""
    by_name = {column.name: column for column in columns}

    def ordered(name: str) -> tuple[str, ...]:
        listing = values(source, by_name[name], now)
        if listing.number > MOST_SHOWN:
            raise NotAllowed(
                _("“%(column)s” has %(number)s values, too many to order. Choose another role for it.")
                % {"column": name, "number": count(listing.number)}
            )
        return listing.shown

    return ordered


def natural(known: list[str]) -> list[str]:
    """By the number with which they begin, so that “9 or less” is before “10 to 19”; the others after them, by text."""

    def sort_key(value: str) -> tuple[float, str]:
        match = LEADING_NUMBER.match(value)
        return (float(match[0]) if match else float("inf"), value)

    return sorted(known, key=sort_key)


def _uploaded(rows: Lines, column: str) -> set[str]:
    at = column_names(next(rows), "").index(column)
    return {_value(cells[at]) for _where, cells in rows if cells[at]}


def _value(cell: str) -> str:
    """Composed (NFC), without the apostrophe that `harmless` sets before a formula."""
    plain = cell[1:] if cell.startswith(MARK) and harmless(cell[1:]) == cell else cell
    return unicodedata.normalize("NFC", plain)
