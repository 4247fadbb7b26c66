"""Rows of numbers as things to sort, to find again and to tell apart."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mining.counts import Numbers, stacked

KEY_BITS = 62


class Distinct(NamedTuple):
    """`rows[places]` are the rows that were given."""

    rows: Numbers
    places: NDArray[np.intp]


def distinct(rows: Numbers, bound: int) -> Distinct:
    """The different rows in order, a row before those that it begins; all numbers are below `bound`."""
    if not len(rows):
        return Distinct(rows, np.zeros(0, np.intp))
    keys = row_keys(rows, bound)
    if len(keys) == 1 and (keys[0][1:] > keys[0][:-1]).all():
        return Distinct(rows, np.arange(len(rows)))
    order = np.lexsort(keys[::-1]) if len(keys) > 1 else np.argsort(keys[0], kind="stable")
    is_new = np.ones(len(rows), np.bool_)
    is_new[1:] = np.logical_or.reduce([key[order[1:]] != key[order[:-1]] for key in keys])
    places = np.empty(len(rows), np.intp)
    places[order] = np.cumsum(is_new) - 1
    return Distinct(rows[order[is_new]], places)


def row_keys(rows: Numbers, bound: int) -> list[NDArray[np.int64]]:
    """Integers that order the rows as they are ordered themselves: as many numbers in each as fit."""
    bits = bound.bit_length()
    per_key = KEY_BITS // bits
    keys = []
    for start in range(0, max(rows.shape[1], 1), per_key):
        key = np.zeros(len(rows), np.int64)
        for column in rows[:, start : start + per_key].T:
            key = (key << bits) | (column + 1)
        keys.append(key)
    return keys


def found_in(rows: Numbers, known: Numbers, bound: int) -> NDArray[np.bool_]:
    """Which of these rows are among the known ones."""
    if not len(known):
        return np.zeros(len(rows), np.bool_)
    keys, of_known = row_keys(rows, bound), row_keys(known, bound)
    if len(keys) == 1:
        ordered = np.sort(of_known[0])
        places = np.minimum(np.searchsorted(ordered, keys[0]), len(ordered) - 1)
        return np.asarray(ordered[places] == keys[0], np.bool_)
    places = distinct(stacked([known, rows]), bound).places
    is_known = np.zeros(len(places), np.bool_)
    is_known[places[: len(known)]] = True
    return np.asarray(is_known[places[len(known) :]], np.bool_)
