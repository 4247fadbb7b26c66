"""The tests of a report that compare several answers or classes: over those that it has."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.document.report import GroupTable, GroupTest
from mining.finite_numbers import finite
from mining.inference.selection import holm
from mining.reconstruction.shares import compared_classes


def compare_groups(answers: Iterable[GroupTest]) -> tuple[GroupTest, ...]:
    """With Holm's p over these answers."""
    tests = tuple(answers)
    adjusted = holm(np.array([one.p_alone for one in tests], np.float64)).tolist()
    return tuple(replace(one, p=p) for one, p in zip(tests, adjusted, strict=True))


def compare_classes(table: GroupTable) -> GroupTable:
    """With the share in all classes together that have one, and Holm's p over the answers."""

    def column(name: str) -> NDArray[Any]:
        return np.array([[getattr(cell, name) for cell in row.cells] for row in table.rows], np.float64)

    shares, tests = compared_classes(*map(column, ("share", "second", "slope", "n_asked")))
    columns = zip(table.rows, shares.tolist(), tests.tolist(), strict=True)
    rows = (replace(row, together=finite(share), p=finite(p)) for row, share, p in columns)
    return replace(table, rows=tuple(rows))
