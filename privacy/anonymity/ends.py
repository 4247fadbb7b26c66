"""Ends of classes that are the value of one person."""

import numpy as np

from privacy.anonymity.anonymised import AnonymisedTable

DAY = "2020-12-31"


def ends_of_one(outcome: AnonymisedTable) -> dict[str, int]:
    """By column of numbers, dates and ordered choices: the ends of classes whose text one person of the table has.

    A point of a grid is nobody's value, unless a bin can hold one value only; a month, a quarter or a year is nobody's
    date.
    """
    classes, found = outcome.partition, {}
    for at, column in enumerate(outcome.source.quasi):
        if column.positions is None:
            continue
        counts = np.bincount(column.bins[column.codes], minlength=int(column.bins.max()) + 1)
        exact = np.ones(len(counts), bool)
        if column.is_date and not column.grid:
            exact = np.array([len(text) == len(DAY) for text in column.texts])
        if column.grid:
            inside = column.grid.exact
            if column.is_date:
                inside &= np.array([len(text) == len(DAY) for text in column.grid.low_texts])
            exact[: len(inside)] = inside
        of_one = (counts == 1) & exact
        low, high = column.bins[classes.lows[:, at]], column.bins[classes.highs[:, at]]
        hidden = column.shows_all(classes.lows[:, at], classes.highs[:, at]) | classes.hidden(at)
        of_high = of_one[high] & (low != high)
        found[column.name] = int((of_one[low] & ~hidden).sum() + (of_high & ~hidden).sum())
    return found
