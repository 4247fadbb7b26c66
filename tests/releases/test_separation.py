"""Separation against the example of ARX's own tests, worked out by hand there."""

import numpy as np
import pytest

from releases.profiling import separation_of

ROWS = [
    ("20", "Female", "CA"),
    ("30", "Female", "CA"),
    ("40", "Female", "TX"),
    ("20", "Male", "NY"),
    ("40", "Male", "CA"),
]


@pytest.mark.parametrize(
    ("chosen", "separation"),
    [((1,), 0.6), ((2,), 0.7), ((0,), 0.8), ((1, 2), 0.9), ((0, 2), 1.0), ((0, 1), 1.0), ((0, 1, 2), 1.0)],
)
def test_columns_separate_pairs_of_rows(chosen: tuple[int, ...], separation: float) -> None:
    _values, counts = np.unique([[row[at] for at in chosen] for row in ROWS], axis=0, return_counts=True)
    assert separation_of(counts) == separation


def test_a_single_row_has_no_pairs() -> None:
    assert separation_of(np.array([1])) == 0
