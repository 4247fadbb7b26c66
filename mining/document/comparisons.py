"""The tests of a report that compare several answers or classes: over those that it has."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.document.report import GroupRow, GroupTable, GroupTest
from mining.finite_numbers import finite
from mining.inference.selection import holm
from mining.reconstruction.shares import classes_together, compared_classes


def compare_groups(answers: Iterable[GroupTest]) -> tuple[GroupTest, ...]:
    """With Holm's p over these answers, which come with that of each alone."""
    tests = tuple(answers)
    adjusted = holm(np.array([one.p for one in tests], np.float64)).tolist()
    return tuple(replace(one, p=p) for one, p in zip(tests, adjusted, strict=True))


def compare_classes(table: GroupTable) -> GroupTable:
    """With the share in all classes together that have one, and Holm's p over the answers."""

    def column(name: str) -> NDArray[Any]:
        return np.array([[getattr(cell, name) for cell in row.cells] for row in table.rows], np.float64)

    columns = [*map(column, ("share", "second", "slope", "n_asked"))]
    *compared, records = classes_together(*columns)
    numbers = zip(*(one.tolist() for one in (*compared, compared_classes(*columns))), strict=True)
    rows = zip(table.rows, (map(finite, row) for row in numbers), records.astype(int).tolist(), strict=True)
    return replace(
        table, rows=tuple(_compared(row, *numbers_of_row, n_asked=n) for row, numbers_of_row, n in rows)
    )


def _compared(
    row: GroupRow,
    together: float | None,
    low: float | None,
    high: float | None,
    p: float | None,
    *,
    n_asked: int,
) -> GroupRow:
    return replace(row, together=together, low=low, high=high, p=p, n_asked=n_asked)
