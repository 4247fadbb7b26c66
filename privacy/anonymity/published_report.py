"""What is said of a published table: a function of the file and of the specification, which is public, alone."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.criteria import reached
from privacy.anonymity.disguised_columns import corrected_shares
from privacy.anonymity.losses import Partition
from privacy.anonymity.published import classes_shown
from privacy.anonymity.risk.risks import published_risks
from privacy.anonymity.tables.dates import first_day
from privacy.anonymity.tables.hierarchies import EVERYTHING, MISSING, UP_TO, made_of
from privacy.anonymity.tables.specification import (
    ProposedHierarchy,
    QuasiIdentifier,
    QuasiKind,
    Sensitive,
    Specification,
)
from privacy.anonymity.tables.table import Column, QuasiColumn, Table, unmarked
from privacy.records.csv_rows import csv_rows

Floats = NDArray[np.float64]


def published_report(file: BinaryIO, name: str, specification: Specification) -> dict[str, Any]:
    """What its classes keep, what they tell, and how much they show less than single values would."""
    rows = csv_rows(file, name)
    next(rows)
    cells = [[unmarked(cell) for cell in column] for column in zip(*(row for _at, row in rows), strict=True)]
    many = len(specification.quasi_identifiers)
    labels = classes_shown(cells[:many])
    sensitive = tuple(
        column_of(attribute, column)
        for attribute, column in zip(
            specification.sensitive, cells[many : many + len(specification.sensitive)], strict=True
        )
    )
    numbers = np.arange(int(labels.max()) + 1, dtype=np.int32)[:, None]
    classes = Partition(labels, numbers, numbers)
    # Nothing here looks at a quasi-identifier but through its classes.
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
    shares = shares_of(specification, cells[many + len(sensitive) :])
    return {
        "criteria": reached(table, specification, labels),
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
        "classes": classes.number,
        "published": len(labels),
        "method": specification.method,
        **({"disguised": shares} if shares else {}),
    }


def shares_of(specification: Specification, cells: Sequence[Sequence[str]]) -> dict[str, Any]:
    """By disguised column its gamma, and of each value the share that the records had before the disguise."""
    columns = [
        (column, column_of(Sensitive(column.name, column.values), shown))
        for column, shown in zip(specification.disguised, cells, strict=False)
    ]
    return {
        column.name: {
            "gamma": float(column.gamma),
            "shares": [asdict(share) for share in corrected_shares(shown, column.gamma)],
        }
        for column, shown in columns
    }


def column_of(attribute: Sensitive, cells: Sequence[str]) -> Column:
    texts = attribute.order or tuple(sorted(set(cells)))
    code = {text: index for index, text in enumerate(texts)}
    return Column(attribute.name, texts, np.array([code[cell] for cell in cells], np.int32))


# --- how much a shown value covers: 0 is one value, 1 is all ------------------------------------------------


def of_numbers(column: QuasiIdentifier, shown: Sequence[str]) -> Floats:
    """Of the range that the file shows; an open end counts as one step of the grid further out."""
    if column.ends is None:
        return of_range(shown, Decimal)
    step = column.ends.grid

    def closed(cell: str) -> str:
        low, sign, high = cell.partition(UP_TO)
        return f"{low or Decimal(high) - step}{UP_TO}{high or Decimal(low) + step}" if sign else cell

    return of_range(list(map(closed, shown)), Decimal)


def of_dates(_column: QuasiIdentifier, shown: Sequence[str]) -> Floats:
    """An open end counts as no further than the other one: the file does not show how far it reaches."""

    def closed(cell: str) -> str:
        low, sign, high = cell.partition(UP_TO)
        return f"{low or high}{UP_TO}{high or low}" if sign else cell

    return of_range(list(map(closed, shown)), lambda text: Decimal(first_day(text).toordinal()))


def of_range(shown: Sequence[str], place_of: Callable[[str], Decimal]) -> Floats:
    """Of the range that the file shows; a missing value is a single one."""
    ranges = {cell: tuple(map(place_of, ends_of(cell))) for cell in {*shown} - {EVERYTHING, MISSING}}
    lost = {EVERYTHING: 1.0, MISSING: 0.0}
    if ranges:
        whole = max(high for _low, high in ranges.values()) - min(low for low, _high in ranges.values())
        lost |= {cell: float((high - low) / whole) if whole else 0.0 for cell, (low, high) in ranges.items()}
    return np.array([lost[cell] for cell in shown])


def of_ordered(column: QuasiIdentifier, shown: Sequence[str]) -> Floats:
    rank = {value: at for at, value in enumerate(column.order)}
    last = max(len(column.order) - 1, 1)

    def part(cell: str) -> float:
        low, high = (rank[end] for end in ends_of(cell))
        return (high - low) / last

    own = {EVERYTHING: 1.0} | ({MISSING: 0.0} if MISSING not in rank else {})
    return np.array([own[cell] if cell in own else part(cell) for cell in shown])


def of_category(column: QuasiIdentifier, shown: Sequence[str]) -> Floats:
    """Of a given hierarchy the leaves below, of prefixes the characters that are hidden, else nothing or all."""
    if column.branches:
        hierarchy = made_of(column.branches, column.name)
        lost = dict(zip(hierarchy.labels, hierarchy.penalties.tolist(), strict=True))
        return np.array([lost.get(cell, 0.0) for cell in shown])
    if column.proposal is ProposedHierarchy.PREFIXES:
        return np.array([cell.count(EVERYTHING) / max(len(cell), 1) for cell in shown])
    return np.array([float(cell == EVERYTHING) for cell in shown])


def ends_of(cell: str) -> tuple[str, str]:
    low, _sign, high = cell.partition(UP_TO)
    return low, high or low


PENALTIES: dict[QuasiKind, Callable[[QuasiIdentifier, Sequence[str]], Floats]] = {
    QuasiKind.NUMBER: of_numbers,
    QuasiKind.DATE: of_dates,
    QuasiKind.ORDERED: of_ordered,
    QuasiKind.CATEGORY: of_category,
}
