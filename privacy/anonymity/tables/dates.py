"""Dates of a column: read in the order of their parts, and written as days, months, quarters or years."""

import re
from datetime import date
from enum import StrEnum


class DateOrder(StrEnum):
    """The order of year, month and day in a cell."""

    YMD = "ymd"
    DMY = "dmy"
    MDY = "mdy"


class Level(StrEnum):
    """What a date is read as; a class shows a range of these."""

    DAY = "day"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


DATE = {
    DateOrder.YMD: re.compile(
        r"(?P<y>[0-9]{4})(?P<sign>[-/.])(?P<m>[0-9]{1,2})(?P<again>[-/.])(?P<d>[0-9]{1,2})"
        r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?",
        re.ASCII,
    ),
    DateOrder.DMY: re.compile(
        r"(?P<d>[0-9]{1,2})(?P<sign>[-/.])(?P<m>[0-9]{1,2})(?P<again>[-/.])(?P<y>[0-9]{4})"
        r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?",
        re.ASCII,
    ),
    DateOrder.MDY: re.compile(
        r"(?P<m>[0-9]{1,2})(?P<sign>[-/.])(?P<d>[0-9]{1,2})(?P<again>[-/.])(?P<y>[0-9]{4})"
        r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?",
        re.ASCII,
    ),
}
LABEL = re.compile(r"([0-9]{4})(?:-(?:Q([1-4])|([0-9]{2})(?:-([0-9]{2}))?))?", re.ASCII)
"""A year, a quarter, a month or a day, as `label` writes them."""


def looks_like_date(cell: str, order: DateOrder) -> bool:
    """Whether a cell has the form of a date; it need not be one of the calendar."""
    match = DATE[order].fullmatch(cell)
    return match is not None and match["sign"] == match["again"]


def read_date(cell: str, order: DateOrder) -> date | None:
    """The date of a cell, its time left out; None if it has another form or is not in the calendar (31.02.)."""
    match = DATE[order].fullmatch(cell) if looks_like_date(cell, order) else None
    try:
        return date(int(match["y"]), int(match["m"]), int(match["d"])) if match else None
    except ValueError:
        return None


def label(day: date, level: Level) -> str:
    year = f"{day.year:04d}"
    if level is Level.YEAR:
        return year
    if level is Level.QUARTER:
        return f"{year}-Q{(day.month + 2) // 3}"
    return f"{year}-{day.month:02d}" if level is Level.MONTH else day.isoformat()


def first_day(text: str) -> date:
    """The first day of what a label names."""
    match = LABEL.fullmatch(text)
    assert match
    year, quarter, month, day = match.groups()
    return date(int(year), 3 * int(quarter) - 2 if quarter else int(month or 1), int(day or 1))


def coarser(text: str) -> list[str]:
    """The labels above this one, the nearest first: of a day its month, quarter and year."""
    levels = list(Level)
    own = next(level for level in levels if label(first_day(text), level) == text)
    return [label(first_day(text), level) for level in levels[levels.index(own) + 1 :]]
