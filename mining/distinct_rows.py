"""Finds and removes duplicates among rows of numbers: distinct rows, sort keys, and an index for looking rows up."""

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mining.queries_and_counters import Numbers, stack_tables

KEY_BITS = 62


class DistinctRows(NamedTuple):
    """The distinct `rows` of a table, and for each original row its index among them (`places`)."""

    rows: Numbers
    places: NDArray[np.intp]


def distinct_rows(rows: Numbers, bound: int) -> DistinctRows:
    """Returns the distinct rows in lexicographic order, a prefix before a longer row; all numbers are below `bound`."""
    if not len(rows):
        return DistinctRows(rows, np.zeros(0, np.intp))
    keys = row_sort_keys(rows, bound)
    if len(keys) == 1 and (keys[0][1:] > keys[0][:-1]).all():
        return DistinctRows(rows, np.arange(len(rows)))
    order = np.lexsort(keys[::-1]) if len(keys) > 1 else np.argsort(keys[0], kind="stable")
    is_new = np.ones(len(rows), np.bool_)
    is_new[1:] = np.logical_or.reduce([key[order[1:]] != key[order[:-1]] for key in keys])
    places = np.empty(len(rows), np.intp)
    places[order] = np.cumsum(is_new) - 1
    return DistinctRows(rows[order[is_new]], places)


def row_sort_keys(rows: NDArray[np.signedinteger], bound: int) -> list[NDArray[np.int64]]:
    """Returns arrays of sort keys, which order the rows lexicographically: each integer packs as many numbers of a row
    as fit into KEY_BITS."""
    bits = bound.bit_length()
    per_key = KEY_BITS // bits
    keys = []
    for start in range(0, max(rows.shape[1], 1), per_key):
        digits = rows[:, start : start + per_key] + np.int64(1)
        keys.append(digits @ _place_values(digits.shape[1], bits))
    return keys


@cache
def _place_values(digits: int, bits: int) -> NDArray[np.int64]:
    """Returns the place value of each digit of `bits` bits, the largest first."""
    worth: NDArray[np.int64] = 1 << bits * np.arange(digits, dtype=np.int64)[::-1]
    return worth


def pack_row_keys(rows: NDArray[np.signedinteger], bound: int) -> NDArray[Any]:
    """Returns one integer per row, which orders the rows lexicographically; Python integers if 62 bits are too few."""
    key, *others = row_sort_keys(rows, bound)
    whole: NDArray[Any] = key.astype(object) if others else key
    for other in others:
        whole = (whole << KEY_BITS) | other.astype(object)
    return whole


class RowIndex:
    """A sorted index of rows for looking up other rows."""

    def __init__(self, rows: Numbers, bound: int) -> None:
        self.rows, self.bound = rows, bound
        keys = row_sort_keys(rows, bound)
        self.keys = np.sort(keys[0]) if len(keys) == 1 else None

    def contains(self, rows: Numbers) -> NDArray[np.bool_]:
        """Returns True for each row that is in the index; both have the same width."""
        if not len(self.rows):
            return np.zeros(len(rows), np.bool_)
        if self.keys is not None:
            (keys,) = row_sort_keys(rows, self.bound)
            places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            return np.asarray(self.keys[places] == keys, np.bool_)
        places = distinct_rows(stack_tables([self.rows, rows]), self.bound).places
        is_known = np.zeros(len(places), np.bool_)
        is_known[places[: len(self.rows)]] = True
        return np.asarray(is_known[places[len(self.rows) :]], np.bool_)

    def rows_with_indexed_subsets(self, rows: Numbers, positions: Iterable[int]) -> Numbers:
        """Returns the rows whose subsets are all in the index: the row without the number at each of `positions`."""
        for index in positions:
            others = [column for column in range(rows.shape[1]) if column != index]
            rows = rows[self.contains(rows[:, others])]
        return rows
