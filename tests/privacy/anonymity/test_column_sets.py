"""Distinction and separation against the example of ARX's own tests, worked out by hand there."""

import pytest

from privacy.anonymity.column_sets import column_set, proposed
from tests.privacy.anonymity.test_special_uniques import columns_of

ROWS = [
    ("20", "Female", "CA"),
    ("30", "Female", "CA"),
    ("40", "Female", "TX"),
    ("20", "Male", "NY"),
    ("40", "Male", "CA"),
]


@pytest.mark.parametrize(
    ("chosen", "distinction", "separation"),
    [
        ((1,), 0.4, 0.6),
        ((2,), 0.6, 0.7),
        ((0,), 0.6, 0.8),
        ((1, 2), 0.8, 0.9),
        ((0, 2), 1.0, 1.0),
        ((0, 1), 1.0, 1.0),
        ((0, 1, 2), 1.0, 1.0),
    ],
)
def test_sets_of_columns_tell_rows_apart(
    chosen: tuple[int, ...], distinction: float, separation: float
) -> None:
    columns = columns_of(ROWS)
    found = column_set([columns[at] for at in chosen])
    assert (found.distinction, found.separation) == (distinction, separation)


def test_the_column_that_separates_most_comes_first_and_the_next_completes_it() -> None:
    found = proposed(columns_of(ROWS))
    assert [one.names for one in found] == [("c0",), ("c0", "c1")]
    assert found[-1].separation == 1


def test_columns_that_separate_nothing_more_are_not_needed() -> None:
    found = proposed(columns_of([("a", "x"), ("b", "x"), ("c", "x")]))
    assert [one.names for one in found] == [("c0",)]
