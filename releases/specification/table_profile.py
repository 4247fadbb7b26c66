"""Profiles the columns of a table: their values, and the kind that each column seems to be."""

import io
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.tables.hierarchies import DateOrder, Level, looks_like_date, read_date
from privacy.anonymity.tables.range_rounding import propose_grid_step
from privacy.anonymity.tables.specification import QuasiKind
from privacy.anonymity.tables.table import MOST_RECORDS, number_text
from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.records.csv_dialect_detection import Layout
from privacy.records.csv_row_reader import MISSING_CODES, PLAIN, column_names, csv_rows
from privacy.records.dictionary_encoding import AT_ONCE
from releases.specification.quasi_identifier_search import RowSample, compute_separation, find_separating_set

EXAMPLES = 20
MOST_COLUMNS = 500
MOST_VALUES = 400_000
"""Largest number of distinct values, over all columns, that are counted one by one; of further values only hashes are
kept."""
CELLS_AT_ONCE = 100_000
ODD_PART = 20
"""A column counts as numbers, or as dates, if at most one cell in this many does not fit."""
MOST_ODD = 10
"""Largest number of listed cells of a column that do not fit its kind."""
LEAST_BELOW_HEADER = 10
NONE = np.zeros(0, np.int64)
NUMERIC = 1
DATES = {order: 2 << index for index, order in enumerate(DateOrder)}
LONGEST_SPANS = ((Level.DAY, 100), (Level.MONTH, 3_000), (Level.QUARTER, 9_000))
"""Largest number of days from the first to the last date for which each level is proposed."""


@dataclass(frozen=True)
class ColumnProfile:
    """Profile of a column.

    `examples`: at most 20 of the most frequent values with their counts; in a column with very many values, of those
    that came first. `grid`: proposed step for the ends of number classes, empty for none.

    For a survey there are no counts (None) and no empty cells, and the values are the design's. For numbers and dates:
    `missing`: codes for missing values; `odd`: number of other cells that do not fit; `odd_cells`: the first of them
    with their lines; `dates`, `level`: order of the parts of a date, and the level it is generalised to.

    `separation`: share of all pairs of records that the column separates. `together`: for a column of the separating
    set, the share of records that the set singles out; None for others.
    """

    name: str
    kind: QuasiKind
    distinct: int
    empty: int
    examples: tuple[tuple[str, int | None], ...]
    missing: tuple[str, ...] = ()
    odd: int = 0
    odd_cells: tuple[tuple[int, str], ...] = ()
    dates: DateOrder = DateOrder.YMD
    level: Level = Level.DAY
    has_name: bool = True
    grid: str = ""
    separation: float | None = None
    together: float | None = None


@dataclass(frozen=True)
class TableProfile:
    records: int
    columns: tuple[ColumnProfile, ...]


def profile_csv(
    data: bytes,
    name: str,
    layout: Layout = PLAIN,
    may_be_known: Callable[[ColumnProfile, int], bool] = lambda _column, _records: True,
) -> TableProfile:
    """Profiles a delimited file; raises `InputError` with the line. 50 MB take seconds and 150 MB more memory.

    `may_be_known`: whether a column may belong to the separating set, given the number of records.
    """
    rows = csv_rows(io.BytesIO(data), name, layout=layout)
    header = next(rows, None)
    if header and len(header[1]) > MOST_COLUMNS:
        raise InputError(header[0], _("more than %(most)s columns"), most=MOST_COLUMNS)
    names = column_names(header, name)
    columns = [_CellCounter(MOST_VALUES // len(names), layout.decimal) for _name in names]
    records, first, sample = 0, list[str](), RowSample(len(names))
    while chunk := list(islice(rows, min(AT_ONCE, max(CELLS_AT_ONCE // len(names), 1)))):
        first = first or chunk[0][1]
        records += len(chunk)
        if records > MOST_RECORDS:
            where = chunk[MOST_RECORDS - records][0]
            raise InputError(where, _("more than %(most)s records"), most=MOST_RECORDS)
        rows_of_chunk = [cells for _where, cells in chunk]
        sample.add(rows_of_chunk)
        for column, cells in zip(columns, zip(*rows_of_chunk, strict=True), strict=True):
            column.add(cells)
    if not records:
        raise InputError(name, _("there are no records"))
    assert header
    profiles = [
        column.profile(name, first[index], has_name=bool(header[1][index].strip()))
        for index, (name, column) in enumerate(zip(names, columns, strict=True))
    ]
    candidates = [index for index, profile in enumerate(profiles) if may_be_known(profile, records)]
    separating = find_separating_set(sample, candidates)
    for index in separating.columns:
        profiles[index] = replace(profiles[index], together=separating.singled_out)
    return TableProfile(records, tuple(add_odd_cells(profiles, data, name, layout)))


class _CellCounter:
    """Counts the cells of a column; beyond `limit` values it keeps only their hashes and traits."""

    def __init__(self, limit: int, decimal: str) -> None:
        self._most, self._decimal = max(limit, EXAMPLES), decimal
        self._counts: Counter[str] = Counter()
        self._hashes: list[NDArray[np.int64]] = []
        self._traits: Counter[int] = Counter()

    def add(self, cells: Sequence[str]) -> None:
        if len(self._counts) < self._most:
            self._counts.update(cells)
            return
        counts = self._counts
        new = [cell for cell in cells if cell not in counts]
        if len(new) < len(cells):
            counts.update(cell for cell in cells if cell in counts)
        self._hashes.append(np.fromiter(map(hash, new), np.int64, len(new)))
        self._traits.update(
            cell_traits(cell, self._decimal) for cell in new if cell.strip() not in MISSING_CODES
        )

    def profile(self, name: str, first: str, *, has_name: bool) -> ColumnProfile:
        counts, tally = self._counts, Counter(self._traits)
        values = [value for value in counts if value]
        for value in values:
            if value.strip() not in MISSING_CODES:
                tally[cell_traits(value, self._decimal)] += counts[value]
        hashed = np.unique(np.concatenate(self._hashes), return_counts=True)[1] if self._hashes else NONE
        distinct = len(values) + len(hashed)
        examples = tuple(counts.most_common(EXAMPLES))
        separation = compute_separation(np.append(np.fromiter(counts.values(), np.int64), hashed))
        category = ColumnProfile(
            name, QuasiKind.CATEGORY, distinct, counts[""], examples, has_name=has_name, separation=separation
        )
        present = tally.total()
        ways = {
            way: present - sum(n for trait, n in tally.items() if trait & way)
            for way in (NUMERIC, *DATES.values())
        }
        way = min(ways, key=lambda way: ways[way])
        below_header = (
            ways[way] == 1 and present > LEAST_BELOW_HEADER and not cell_traits(first, self._decimal) & way
        )
        is_other = ways[way] * ODD_PART > present and not below_header
        if not present or is_other or (way == NUMERIC and _are_zero_padded_codes(values)):
            return category
        missing = {code for code in map(str.strip, counts) if code in MISSING_CODES}
        profile = replace(category, missing=tuple(sorted(missing)), odd=ways[way])
        if way == NUMERIC:
            return replace(profile, kind=QuasiKind.NUMBER, grid=_propose_class_width(counts, self._decimal))
        order = next(order for order, trait in DATES.items() if trait == way)
        days = [day for value in values if (day := read_date(value.strip(), order))]
        span = (max(days, default=date.min) - min(days, default=date.min)).days
        level = next((level for level, most in LONGEST_SPANS if span <= most), Level.YEAR)
        return replace(profile, kind=QuasiKind.DATE, dates=order, level=level)


def cell_traits(cell: str, decimal: str) -> int:
    """Returns bits that encode whether a cell is a number (NUMERIC), and in which orders of its parts it is a date
    (DATES)."""
    plain = cell.strip()
    if not plain or plain[0] not in "0123456789+-.,":
        return 0
    if number_text(plain, decimal) is not None:
        return NUMERIC
    return sum(
        bit for order, bit in DATES.items() if looks_like_date(plain, order) and read_date(plain, order)
    )


def _propose_class_width(counts: Counter[str], decimal: str) -> str:
    """Returns the proposed width of number classes, computed from the counted cells; empty for none."""
    texts = {cell: number_text(cell, decimal) for cell in counts}
    numbers = Counter[Decimal]()
    for cell, text in texts.items():
        if text is not None and cell.strip() not in MISSING_CODES:
            numbers[Decimal(text)] += counts[cell]
    grid = propose_grid_step(list(numbers), np.array(list(numbers.values())))
    return f"{grid:f}" if grid else ""


def _are_zero_padded_codes(values: list[str]) -> bool:
    """Returns True if these values of digits are codes, such as postcodes: all equally long, some with a leading
    zero."""
    return (
        len(set(map(len, values))) == 1
        and len(values[0]) > 1
        and any(value.startswith("0") for value in values)
        and all(map(str.isdigit, values))
    )


def add_odd_cells(
    profiles: list[ColumnProfile], data: bytes, name: str, layout: Layout
) -> list[ColumnProfile]:
    """Returns the profiles, completed with the first cells of each column that are no number or date as the others are.

    Refuses a table whose second row seems to hold names.
    """
    missing = {index: min(profile.odd, MOST_ODD) for index, profile in enumerate(profiles) if profile.odd}
    if not missing:
        return profiles
    cells: dict[int, list[tuple[int, str]]] = {index: [] for index in missing}
    rows = csv_rows(io.BytesIO(data), name, layout=layout)
    next(rows)
    first = 0
    for where, row in rows:
        line = int(where.rpartition(":")[2])
        first = first or line
        for index in [*missing]:
            cell = row[index]
            way = NUMERIC if profiles[index].kind is QuasiKind.NUMBER else DATES[profiles[index].dates]
            if cell.strip() in MISSING_CODES or cell_traits(cell, layout.decimal) & way:
                continue
            cells[index].append((line, cell[:100]))
            if len(cells[index]) == missing[index]:
                del missing[index]
        if not missing:
            break
    typed = [index for index, profile in enumerate(profiles) if profile.kind is not QuasiKind.CATEGORY]
    lines = {line for index in typed for line, _cell in cells.get(index, ())}
    # The first record has no number and no date in several columns of nothing else.
    if len(typed) > 1 and all(profiles[index].odd == 1 for index in typed) and lines == {first}:
        words = _("looks like a second row of names; leave one of the two out, and upload the table again")
        raise InputError(f"{name}:{first}: {profiles[typed[0]].name}", words)
    return [replace(profile, odd_cells=tuple(cells.get(index, ()))) for index, profile in enumerate(profiles)]
