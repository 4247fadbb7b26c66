"""Mapping from each value that a release shows to the source values it covers, computed from the file and the
specification."""

import csv
import io
from typing import Any

from privacy.anonymity.tables.hierarchies import EVERYTHING, MISSING, UP_TO, Branch
from privacy.anonymity.tables.specification import (
    ProposedHierarchy,
    QuasiIdentifier,
    QuasiKind,
    Specification,
)
from privacy.designs.formula_escape import unescape_formula

Covered = dict[str, Any]


def covered_values_by_column(data: bytes, specification: Specification) -> dict[str, dict[str, Covered]]:
    """Returns, for each quasi-identifier, the source values that each shown value covers.

    It names no value that the file does not show or imply.
    """
    _header, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
    columns = zip(specification.quasi_identifiers, zip(*rows, strict=True), strict=False)
    return {
        column.name: {shown: covered_values(column, shown) for shown in sorted(set(cells))}
        for column, cells in columns
    }


def covered_values(column: QuasiIdentifier, shown: str) -> Covered:
    """Returns the source values that a shown value stands for (docs/formats.md, Releases)."""
    shown = unescape_formula(shown)
    if shown == EVERYTHING:
        return {"any": True}
    if shown == MISSING and column.missing:
        return {"missing": True}
    low, sign, high = shown.partition(UP_TO)
    match column.role:
        case QuasiKind.NUMBER | QuasiKind.DATE:
            # Without the end that is open.
            return {key: end for key, end in (("from", low), ("to", high if sign else low)) if end}
        case QuasiKind.ORDERED:
            order = column.order
            return {"values": list(order[order.index(low) : order.index(high or low) + 1])}
        case QuasiKind.CATEGORY:
            if column.branches:
                return {"values": leaves_below(column.branches, shown)}
            if column.proposal is ProposedHierarchy.PREFIXES and shown.endswith(EVERYTHING):
                return {"begins": shown.rstrip(EVERYTHING)}
            return {"values": [shown]}


def leaves_below(branches: tuple[Branch, ...], shown: str, *, inside: bool = False) -> list[str]:
    """Returns the leaves of a hierarchy below the branch named `shown`, or the leaf itself.

    `inside`: `branches` are already below that branch, so all their leaves count.
    """
    leaves: list[str] = []
    for branch in branches:
        if isinstance(branch, str):
            leaves += [branch] * (inside or branch == shown)
        else:
            leaves += leaves_below(branch[1], shown, inside=inside or branch[0] == shown)
    return leaves
