"""Special uniques against a published example and plain loops."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.risk.population_uniqueness import special_uniques
from privacy.anonymity.tables.table import Column

GUIDE = """Urban Female Secondary-incomplete Employed
Urban Female Secondary-incomplete Employed
Urban Female Primary-incomplete Non-LF
Urban Male Secondary-complete Employed
Rural Female Secondary-complete Unemployed
Urban Male Secondary-complete Employed
Urban Female Primary-complete Non-LF
Urban Male Post-secondary Unemployed
Urban Female Secondary-incomplete Non-LF
Urban Female Secondary-incomplete Non-LF"""
"""Benschop, Machingauta and Welch, Statistical Disclosure Control: A Practice Guide, Calculating SUDA scores."""


def columns_of(rows: Sequence[tuple[str, ...]]) -> list[Column]:
    found = []
    for at, cells in enumerate(zip(*rows, strict=True)):
        texts = tuple(sorted(set(cells)))
        found.append(Column(f"c{at}", texts, np.array([texts.index(cell) for cell in cells], np.int32)))
    return found


def test_the_scores_are_those_of_the_practice_guide() -> None:
    rows = [tuple(line.split()) for line in GUIDE.splitlines()]
    assert special_uniques(columns_of(rows), 3).scores.tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]


def test_a_record_is_special_by_the_columns_that_make_it_so() -> None:
    rows = [("a", "x"), ("a", "x"), ("b", "x"), ("a", "y"), ("a", "y")]
    found = special_uniques(columns_of(rows))
    assert found.scores.tolist() == [0, 0, 1, 0, 0]
    assert found.as_json() == {"records": 1, "largest": 3, "columns": {"c0": 1.0, "c1": 0.0}}


def test_a_table_without_uniques_has_none() -> None:
    found = special_uniques(columns_of([("a", "x"), ("a", "x")]))
    assert found.as_json() == {"records": 0, "largest": 3, "columns": {"c0": 0.0, "c1": 0.0}}


@pytest.mark.proof
@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 4), min_size=1, max_size=14), st.integers(1, 4))
def test_they_agree_with_plain_loops(rows: list[tuple[str, ...]], largest: int) -> None:
    expected = []
    for row in rows:
        minimal: list[set[int]] = []
        for size in range(1, largest + 1):
            for chosen in combinations(range(4), size):
                alone = Counter(tuple(other[at] for at in chosen) for other in rows)
                if alone[tuple(row[at] for at in chosen)] == 1 and not any(
                    part <= set(chosen) for part in minimal
                ):
                    minimal.append(set(chosen))
        expected.append(sum(prod(4 - at for at in range(len(part), min(largest, 3) + 1)) for part in minimal))
    assert special_uniques(columns_of(rows), largest).scores.tolist() == expected
