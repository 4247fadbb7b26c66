"""The published CSV file of an anonymised table: writes, checks, and measures it from its cells alone."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from decimal import Decimal
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.anonymisation_result import AnonymisedTable, labels_from_cells, shown_cell_by_class
from privacy.anonymity.criteria_check import asked_and_reached_levels, label_equal_rows, violations
from privacy.anonymity.disguised_columns import corrected_shares
from privacy.anonymity.information_loss import Partition
from privacy.anonymity.risk.risks import published_risks
from privacy.anonymity.tables.hierarchies import (
    EVERYTHING,
    MISSING,
    UP_TO,
    build_hierarchy,
    first_day_of_label,
)
from privacy.anonymity.tables.specification import (
    ProposedHierarchy,
    QuasiIdentifier,
    QuasiKind,
    Sensitive,
    Specification,
)
from privacy.anonymity.tables.table import MOST_RECORDS, Codes, Column, QuasiColumn, Table
from privacy.designs.formula_escape import escape_formula, unescape_formula
from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.grammar.json_node import PARTS
from privacy.records.csv_row_reader import csv_rows
from privacy.records.csv_writer import Sink, csv_writer
from privacy.records.dictionary_encoding import AT_ONCE, Codebook, Tick, ignore_tick, read_codes_within_limit

Integers = NDArray[np.int64]


def write_published_table(
    file: Sink, outcome: AnonymisedTable, order: Integers, tick: Tick = ignore_tick
) -> None:
    """Writes the records of an anonymised table as CSV, a row for each.

    `order`: the indexes of the records from `record_order_by_cells`, since the order of the source could identify
    people. `tick`: called between blocks of rows; it may raise to stop.
    """
    table, classes = outcome.table, outcome.partition
    columns = (*table.quasi, *table.single_value_columns)
    writer = csv_writer(file)
    writer.writerow([escape_formula(column.name) for column in columns])
    quasi = [shown_cell_by_class(column, classes, at) for at, column in enumerate(table.quasi)]
    plain = [tuple(map(escape_formula, column.texts)) for column in table.single_value_columns]
    codes = [column.codes for column in table.single_value_columns]
    for start in range(0, len(order), AT_ONCE):
        tick()
        records = order[start : start + AT_ONCE]
        places = classes.labels[records].tolist()
        shown = [[cells[index] for index in places] for cells in quasi]
        shown += [
            [texts[code] for code in column[records].tolist()]
            for texts, column in zip(plain, codes, strict=True)
        ]
        writer.writerows(zip(*shown, strict=True))


def record_order_by_cells(outcome: AnonymisedTable) -> Integers:
    """Returns the indexes of the published records, sorted by the cells that they show.

    The order depends on these cells alone, so equal tables give equal bytes.
    """
    table, classes, keys = outcome.table, outcome.partition, []
    for at, column in enumerate(table.quasi):
        cells = shown_cell_by_class(column, classes, at)
        ends = zip(*column.shown_code_ranges(classes.lows[:, at], classes.highs[:, at]), strict=True)
        first: dict[str, tuple[int, int]] = {}
        for cell, (low, high) in zip(cells, ends, strict=True):
            first[cell] = min(first.get(cell, (low, high)), (low, high))
        rank = {cell: index for index, cell in enumerate(sorted(first, key=lambda cell: (first[cell], cell)))}
        keys.append(np.array([rank[cell] for cell in cells])[classes.labels])
    return np.lexsort([*(column.codes for column in reversed(table.single_value_columns)), *reversed(keys)])


def check_published_table(
    file: BinaryIO,
    name: str,
    outcome: AnonymisedTable,
    specification: Specification,
    order: Integers,
    tick: Tick = ignore_tick,
) -> None:
    """Refuses a published file that differs from its anonymised table, or violates the specification.

    Compares the file with the source: no more records may be missing, sensitive values changed, or cells suppressed
    than the specification allows. `order`: the index of the record in each row of the file.
    """
    source, records = outcome.source.take_records(outcome.kept), len(outcome.kept)
    books = read_codebooks(file, name, source, tick)
    if books[0].records != records or not _is_within_share(
        outcome.left_out_record_count, specification.suppression, outcome
    ):
        raise InputError(name, _("it does not hold the records of the table"))
    for at, column in enumerate(source.quasi):
        tick()
        lows, highs = read_record_code_ranges(name, column, books[at])
        codes = column.codes[order]
        _require_table_values(name, column.name, bool(((lows <= codes) & (codes <= highs)).all()))
        _require_table_values(
            name,
            column.name,
            _count_star_cells(books[at]) == _count_records_to_show_star(column, outcome.partition, at),
        )
    cells = outcome.source.records * len(source.quasi)
    _require_table_values(
        name, "cells", outcome.suppressed_cell_count * PARTS <= specification.cell_suppression * cells
    )
    changed = np.zeros(records, bool)
    published = []
    for at, plain in enumerate(source.sensitive, len(source.quasi)):
        codes = read_record_codes(name, plain, books[at])
        changed |= codes != plain.codes[order]
        published.append(replace(plain, codes=codes))
    _require_table_values(
        name,
        "sensitive",
        _is_within_share(int(np.count_nonzero(changed)), specification.falsification, outcome),
    )
    unchanged = (*outcome.table.disguised, *source.other)
    for at, plain in enumerate(unchanged, len(source.quasi) + len(source.sensitive)):
        _require_table_values(
            name, plain.name, bool((read_record_codes(name, plain, books[at]) == plain.codes[order]).all())
        )
    # The criteria hold of what is in the file, in the file's order.
    read = Table(source.take_records(order).quasi, tuple(published))
    tick()
    for criterion, classes in violations(
        read, specification, label_equal_rows(*(book.codes for book in books[: len(source.quasi)]))
    ).items():
        if classes:
            raise InputError(name, _("its classes do not keep %(criterion)s"), criterion=criterion)


def read_codebooks(file: BinaryIO, name: str, table: Table, tick: Tick = ignore_tick) -> list[Codebook]:
    """Reads the cells of a published file, one codebook per column; refuses columns not in `table`."""
    rows = csv_rows(file, name)
    _where, header = next(rows, ("", []))
    names = [escape_formula(column.name) for column in (*table.quasi, *table.single_value_columns)]
    if header != names:
        raise InputError(name, _("its columns are not those of the specification"))
    books = [Codebook() for _name in names]
    read_codes_within_limit(rows, books, list(enumerate(names)), MOST_RECORDS, tick)
    return books


def _count_star_cells(book: Codebook) -> int:
    """Returns the number of records whose cell in this column of the file is `*`."""
    if EVERYTHING not in book.values_by_code:
        return 0
    return int(np.count_nonzero(book.codes == book.values_by_code.index(EVERYTHING)))


def _count_records_to_show_star(column: QuasiColumn, classes: Partition, index: int) -> int:
    """Returns the number of records whose class must show `*` in the column with the index `index`."""
    cells = np.array(shown_cell_by_class(column, classes, index), object)
    return int(classes.sizes[cells == EVERYTHING].sum())


def _is_within_share(count: int, most: int, outcome: AnonymisedTable) -> bool:
    """Returns True if `count` is at most the share `most` (in ten-thousandths) of the source's records."""
    return count * PARTS <= most * outcome.source.records


def _require_table_values(name: str, column: str, holds: bool) -> None:
    """Raises InputError unless `holds`: a column of a published file has other values than the table."""
    if not holds:
        raise InputError(f"{name}: {column}", _("it does not hold the values of the table"))


def read_record_code_ranges(name: str, column: QuasiColumn, book: Codebook) -> tuple[Codes, Codes]:
    """Returns the first and last code that each record's cell shows; refuses a cell that shows no value."""
    lows, highs = column.read_code_ranges(book.values_by_code).T
    _require_table_values(name, column.name, bool((lows <= highs).all()))
    return lows[book.codes], highs[book.codes]


def read_record_codes(name: str, column: Column, book: Codebook) -> Codes:
    """Returns the code of each record in a column of single values; refuses a cell with an unknown value."""
    codes_by_cell = {escape_formula(text): code for code, text in enumerate(column.texts)}
    codes = np.array([codes_by_cell.get(cell, -1) for cell in book.values_by_code], np.int32)
    _require_table_values(name, column.name, bool((codes >= 0).all()))
    return codes[book.codes]


# --- published report
# A function of the file and of the specification alone, which are both public.

Floats = NDArray[np.float64]


def measure_published_file(file: BinaryIO, name: str, specification: Specification) -> dict[str, Any]:
    """Computes criteria, losses and risks of a published file from its cells and specification, as JSON."""
    rows = csv_rows(file, name)
    next(rows)
    cells = [
        [unescape_formula(cell) for cell in column]
        for column in zip(*(row for _at, row in rows), strict=True)
    ]
    many = len(specification.quasi_identifiers)
    labels = labels_from_cells(cells[:many])
    sensitive = tuple(
        column_from_cells(attribute, column)
        for attribute, column in zip(
            specification.sensitive, cells[many : many + len(specification.sensitive)], strict=True
        )
    )
    numbers = np.arange(int(labels.max()) + 1, dtype=np.int32)[:, None]
    classes = Partition(labels, numbers, numbers)
    # Quasi-identifiers count only through the classes.
    table = Table((QuasiColumn("", (), labels.astype(np.int32)),), sensitive)
    _classes, first = np.unique(labels, return_index=True)
    shown = [[column[index] for index in first.tolist()] for column in cells[:many]]
    lost = np.stack(
        [
            PENALTIES[attribute.role](attribute, column)
            for attribute, column in zip(specification.quasi_identifiers, shown, strict=True)
        ],
        axis=1,
    )
    columns, risks = classes.sizes @ lost / len(labels), published_risks(table, classes)
    shares = corrected_shares_by_column(specification, cells[many + len(sensitive) :])
    return {
        "criteria": asked_and_reached_levels(table, specification, labels),
        "losses": {
            "ncp": float(columns.mean()),
            "discernibility": int((classes.sizes.astype(object) ** 2).sum()),
            "hasr": risks["hasr"],
            "columns": {
                attribute.name: float(share)
                for attribute, share in zip(specification.quasi_identifiers, columns, strict=True)
            },
        },
        "risks": risks,
        "classes": classes.class_count,
        "published": len(labels),
        "method": specification.method,
        **({"disguised": shares} if shares else {}),
    }


def corrected_shares_by_column(
    specification: Specification, cells: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """Returns, for each disguised column, its gamma and the estimated shares of its true values, as JSON.

    `cells`: the cells of each disguised column.
    """
    columns = [
        (column, column_from_cells(Sensitive(column.name, column.values), shown))
        for column, shown in zip(specification.disguised, cells, strict=False)
    ]
    return {
        column.name: {
            "gamma": float(column.gamma),
            "shares": [asdict(share) for share in corrected_shares(shown, column.gamma)],
        }
        for column, shown in columns
    }


def column_from_cells(attribute: Sensitive, cells: Sequence[str]) -> Column:
    """Builds a sensitive column from its cells; its values are in the specification's order, or sorted."""
    texts = attribute.order or tuple(sorted(set(cells)))
    code = {text: index for index, text in enumerate(texts)}
    return Column(attribute.name, texts, np.array([code[cell] for cell in cells], np.int32))


# --- penalties of shown cells: 0 is a single value, 1 is everything ---


def number_penalties(column: QuasiIdentifier, shown: Sequence[str]) -> Floats:
    """Returns the information loss (NCP) of each cell of a number: its share of the range of all cells.

    An open end counts as one step of the grid further out.
    """
    if column.ends is None:
        return range_penalties(shown, Decimal)
    step = column.ends.grid

    def fill_missing_end(cell: str) -> str:
        low, sign, high = cell.partition(UP_TO)
        return f"{low or Decimal(high) - step}{UP_TO}{high or Decimal(low) + step}" if sign else cell

    return range_penalties(list(map(fill_missing_end, shown)), Decimal)


def date_penalties(_column: QuasiIdentifier, shown: Sequence[str]) -> Floats:
    """Returns the information loss (NCP) of each cell of a date: its share of the range of all cells.

    An open end counts as equal to the other end, since the file does not show how far it reaches.
    """

    def fill_missing_end(cell: str) -> str:
        low, sign, high = cell.partition(UP_TO)
        return f"{low or high}{UP_TO}{high or low}" if sign else cell

    return range_penalties(
        list(map(fill_missing_end, shown)), lambda text: Decimal(first_day_of_label(text).toordinal())
    )


def range_penalties(shown: Sequence[str], position_of: Callable[[str], Decimal]) -> Floats:
    """Returns the information loss (NCP) of each cell: its share of the range of all cells, 0 if missing.

    `position_of`: position of an end on the scale of the column.
    """
    ranges = {cell: tuple(map(position_of, cell_ends(cell))) for cell in {*shown} - {EVERYTHING, MISSING}}
    lost = {EVERYTHING: 1.0, MISSING: 0.0}
    if ranges:
        whole = max(high for _low, high in ranges.values()) - min(low for low, _high in ranges.values())
        lost |= {cell: float((high - low) / whole) if whole else 0.0 for cell, (low, high) in ranges.items()}
    return np.array([lost[cell] for cell in shown])


def ordered_penalties(column: QuasiIdentifier, shown: Sequence[str]) -> Floats:
    """Returns the information loss (NCP) of each cell of an ordered choice: its share of the order."""
    rank = {value: at for at, value in enumerate(column.order)}
    last = max(len(column.order) - 1, 1)

    def range_share(cell: str) -> float:
        low, high = (rank[end] for end in cell_ends(cell))
        return (high - low) / last

    own = {EVERYTHING: 1.0} | ({MISSING: 0.0} if MISSING not in rank else {})
    return np.array([own[cell] if cell in own else range_share(cell) for cell in shown])


def category_penalties(column: QuasiIdentifier, shown: Sequence[str]) -> Floats:
    """Returns the information loss (NCP) of each cell of a category, from 0 to 1.

    In a given hierarchy it is the share of leaves below the cell; of a prefix the share of hidden characters;
    else 0 or 1.
    """
    if column.branches:
        hierarchy = build_hierarchy(column.branches, column.name)
        lost = dict(zip(hierarchy.labels, hierarchy.penalties.tolist(), strict=True))
        return np.array([lost.get(cell, 0.0) for cell in shown])
    if column.proposal is ProposedHierarchy.PREFIXES:
        return np.array([cell.count(EVERYTHING) / max(len(cell), 1) for cell in shown])
    return np.array([float(cell == EVERYTHING) for cell in shown])


def cell_ends(cell: str) -> tuple[str, str]:
    """Returns the first and the last value of the range in a cell: "25" and "39" of `25..39`."""
    low, _sign, high = cell.partition(UP_TO)
    return low, high or low


PENALTIES: dict[QuasiKind, Callable[[QuasiIdentifier, Sequence[str]], Floats]] = {
    QuasiKind.NUMBER: number_penalties,
    QuasiKind.DATE: date_penalties,
    QuasiKind.ORDERED: ordered_penalties,
    QuasiKind.CATEGORY: category_penalties,
}
