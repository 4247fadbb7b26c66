"""What each value that a release shows covers, for programs: by column, from the file and the specification alone."""

import csv
import io
from collections.abc import Callable
from typing import Any

from privacy.anonymity.tables.hierarchies import EVERYTHING, MISSING, UP_TO, Branch
from privacy.anonymity.tables.specification import (
    ProposedHierarchy,
    QuasiIdentifier,
    QuasiKind,
    Specification,
)
from privacy.designs.spreadsheet_cells import MARK, harmless

Covered = dict[str, Any]


def of_file(data: bytes, said: Specification) -> dict[str, dict[str, Covered]]:
    """By quasi-identifier, each value that the file shows. No value is named that the file does not tell of."""
    _header, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
    columns = zip(said.quasi_identifiers, zip(*rows, strict=True), strict=False)
    return {
        column.name: {shown: covered(column, shown) for shown in sorted(set(cells))}
        for column, cells in columns
    }


def covered(column: QuasiIdentifier, shown: str) -> Covered:
    plain = shown[1:] if shown.startswith(MARK) and harmless(shown[1:]) == shown else shown
    if plain == EVERYTHING:
        return {"any": True}
    if plain == MISSING and column.missing:
        return {"missing": True}
    return BY_KIND[column.role](column, plain)


def _range(_column: QuasiIdentifier, shown: str) -> Covered:
    """Without the end that is open."""
    low, sign, high = shown.partition(UP_TO)
    return {key: end for key, end in (("from", low), ("to", high if sign else low)) if end}


def _ordered(column: QuasiIdentifier, shown: str) -> Covered:
    low, _sign, high = shown.partition(UP_TO)
    return {"values": list(column.order[column.order.index(low) : column.order.index(high or low) + 1])}


def _category(column: QuasiIdentifier, shown: str) -> Covered:
    if column.branches:
        return {"values": _leaves(column.branches, shown, inside=False)}
    if column.proposal is ProposedHierarchy.PREFIXES and shown.endswith(EVERYTHING):
        return {"begins": shown.rstrip(EVERYTHING)}
    return {"values": [shown]}


def _leaves(branches: tuple[Branch, ...], shown: str, *, inside: bool) -> list[str]:
    """The values below the branch that is shown."""
    leaves: list[str] = []
    for branch in branches:
        if isinstance(branch, str):
            leaves += [branch] * (inside or branch == shown)
        else:
            leaves += _leaves(branch[1], shown, inside=inside or branch[0] == shown)
    return leaves


BY_KIND: dict[QuasiKind, Callable[[QuasiIdentifier, str], Covered]] = {
    QuasiKind.NUMBER: _range,
    QuasiKind.DATE: _range,
    QuasiKind.ORDERED: _ordered,
    QuasiKind.CATEGORY: _category,
}
