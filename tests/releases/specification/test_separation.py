"""Separation against the example of ARX's own tests, worked out by hand there, and the set that separates."""

from collections.abc import Sequence

import numpy as np
import pytest

from releases.specification.quasi_identifier_search import RowSample, compute_separation, find_separating_set
from releases.specification.specification_proposal import may_others_know
from releases.specification.table_profile import profile_csv

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
    assert compute_separation(counts) == separation


def sample_rows(rows: Sequence[tuple[str, ...]]) -> RowSample:
    sample = RowSample(len(rows[0]))
    sample.add([list(row) for row in rows])
    return sample


def test_sets_of_columns_separate_rows() -> None:
    # A single row has no pairs.
    assert compute_separation(np.array([1])) == 0
    # The set that separates begins with the best column and has no more than it needs.
    found = find_separating_set(sample_rows(ROWS), [0, 1, 2])
    # Age separates most pairs, and then both others separate all.
    assert (found.columns, found.singled_out) == ((0, 1), 1.0)
    assert find_separating_set(sample_rows(ROWS), [1]).singled_out == 0
    assert find_separating_set(sample_rows(ROWS), []).columns == ()
    # A set of columns singles out those who share their values with nobody.
    rows = [*ROWS, ("20", "Female", "CA")]
    assert find_separating_set(sample_rows(rows), [0, 1, 2]).singled_out == pytest.approx(4 / 6)
    # Two columns that tell little alone can tell all together. A grid of 60 by 60 beside a column of 100
    # values, which is better alone and worse beside either.
    rows = [(str(at // 60), str(at % 60), str(at // 36)) for at in range(3600)]
    found = find_separating_set(sample_rows(rows), [0, 1, 2])
    assert found.columns == (1, 2)
    assert found.singled_out == 1


def test_a_large_table_is_sampled_evenly_and_always_the_same() -> None:
    rows = [[str(at)] for at in range(100_000)]
    sample, again = RowSample(1), RowSample(1)
    for start in range(0, len(rows), 7_000):
        sample.add(rows[start : start + 7_000])
        again.add(rows[start : start + 7_000])
    chosen = np.array([int(row[0]) for row in sample._rows])
    assert len(chosen) == len(set(chosen.tolist())) == 20_000
    assert chosen.mean() == pytest.approx(50_000, rel=0.02)
    assert sample._rows == again._rows


def test_column_naming_a_person_or_sensitive_is_in_no_separating_set() -> None:
    lines = [f"p{at},{at % 20},{at // 20},{at % 7}" for at in range(200)]
    text = "\n".join(["who,row,place,income", *lines])
    columns = profile_csv(text.encode(), "t.csv", may_be_known=may_others_know).columns
    assert [column.together for column in columns] == [None, 1.0, 1.0, None]
