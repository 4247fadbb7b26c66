"""The example that was worked through by hand, number by number; what the loops give is in test_vectors.py."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mining.inference.contingency_table import ANTECEDENT, CONSEQUENT
from mining.inference.intervals import lift_interval, share_interval, two_sided_p
from mining.inference.score_test import SIDES, SplitTests
from mining.inference.score_test_kernel import (
    ANTECEDENT as A_SHARES,
    BELOW,
    CONSEQUENT as C_SHARES,
    ESTIMATE,
    SHARE,
    constrained_shares,
    received_variance,
    share_steps,
)
from tests.mining.inference.exact_table import NOTHING, ExactTable, Part, as_table, scored
from tests.mining.inference.kernel_cells import disguised_cells, true_cells

pytestmark = pytest.mark.proof
FILE = Path(__file__).parents[2] / "vectors" / "interval-example.json"
EXAMPLE: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
SIX = 1e-6
"""The numbers are rounded to six digits."""
CELLS = [NOTHING, frozenset({0}), frozenset({1}), frozenset({0, 1})]

KEEP = {0: Fraction(EXAMPLE["keep"])}
A, C = (Fraction(noise) for noise in EXAMPLE["noise"])
COUNTS = [(opened, disguised) for opened, disguised in EXAMPLE["at_least"]]
SPLIT = ExactTable((Part("A", 0, A), Part("C", 0, C)), KEEP, dict(zip(CELLS, COUNTS, strict=True)))
# A support is one part: those without S and those with it.
ITEMSET = ExactTable((Part("A", 0, A * C),), KEEP, {NOTHING: COUNTS[0], frozenset({0}): COUNTS[3]})


def table_of(what: str) -> ExactTable:
    return ITEMSET if what == "support" else SPLIT


def near(numbers: Any) -> Any:
    return pytest.approx(numbers, abs=SIX)


def test_the_cells_as_received_and_before_the_disguise() -> None:
    table = as_table([SPLIT])
    for group in (0, 1):
        assert table.received_shares[:, group, 0] == near(EXAMPLE["received"][group])
    assert true_cells(table)[:, 1, 0] == near(EXAMPLE["true"])
    # Open answers are the truth.
    assert true_cells(table)[:, 0, 0] == near(EXAMPLE["received"][0])


def test_the_law_of_the_disguise() -> None:
    table = as_table([SPLIT])
    for cell, row in ((0, EXAMPLE["H"]["neither"]), (3, EXAMPLE["H"]["both"])):
        one = np.zeros(4)
        one[cell] = 1.0
        assert disguised_cells(table, one) == near(row)


def test_the_scores_and_the_supports_with_their_variances() -> None:
    table, of = as_table([SPLIT]), SplitTests(as_table([SPLIT]))
    for place, (name, sides) in enumerate((("A", (ANTECEDENT,)), ("C", (CONSEQUENT,)), ("AC", SIDES))):
        assert table.score(sides)[:, 1, 0] == near(EXAMPLE["z"][name])
        assert of.supports[place][0] == near(EXAMPLE["P"][name])
    for name, first, second in (("A", 0, 0), ("C", 1, 1), ("AC", 0, 1)):
        assert of.covariance(first, second)[0] == near(EXAMPLE["V"][name])


def test_what_each_group_gives_to_a_c_and_both() -> None:
    (row,) = SplitTests(as_table([SPLIT])).lift().rows
    for at, sides in ((SHARE, "AC"), (A_SHARES, "A"), (C_SHARES, "C")):
        assert row[at : at + 2] == near(EXAMPLE["shares"][sides])


def test_the_steps_of_the_code(subtests: pytest.Subtests) -> None:
    for of in EXAMPLE["tests"]:
        with subtests.test(f"{of!r:.60}"):
            test, t = scored([table_of(of["what"])], of["what"]), np.array([float(of["t"])])
            row = test.rows[0]
            assert row[ESTIMATE] - t[0] * row[BELOW] == near(of["D"])
            step = share_steps(row, t[0])
            assert list(step) == near(of["u"])
            assert list(constrained_shares(row, t[0], step)) == near(of["s"])
            assert received_variance(row, t[0], step) == near(of["of_counts"])
            assert test.z(t)[0] == near(of["z"])


def test_both_ends_and_p(subtests: pytest.Subtests) -> None:
    for of in EXAMPLE["tests"]:
        with subtests.test(f"{of!r:.60}"):
            table, what = table_of(of["what"]), of["what"]
            test = scored([table], what)
            if what == "lift":
                found = lift_interval(test, SplitTests(as_table([table])).records_lacking_side())
                assert two_sided_p(test.z(np.ones(1)))[0] == near(of["p"])
            else:
                found = share_interval(test)
            assert [end[0] for end in found] == near(of["interval"])
