"""Disguised columns: their law, corrected shares, and intervals that hold what they promise."""

from decimal import Decimal
from fractions import Fraction
from os import urandom

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.disguised_columns import (
    KeepLaw,
    corrected_shares,
    disguise_column,
    largest_keep_law,
    share_interval,
)
from privacy.anonymity.tables.table import Column

VALUES = ("cold", "flu", "gout", "none")
LAW = KeepLaw(5000, 4)


def column(*counts: int) -> Column:
    codes = np.repeat(np.arange(len(counts)), counts).astype(np.int32)
    return Column("illness", VALUES[: len(counts)], codes)


def seeded_bytes(seed: int):  # type: ignore[no-untyped-def]
    return np.random.default_rng(seed).bytes


@given(st.decimals("1.01", "1000", places=2), st.integers(2, 200))
def test_a_law_keeps_as_much_as_gamma_allows(gamma: Decimal, values: int) -> None:
    law = largest_keep_law(gamma, values)
    assert law.gamma <= Fraction(gamma)
    assert law.keep == 9999 or KeepLaw(law.keep + 1, values).gamma > Fraction(gamma)


def test_gamma_and_shares_by_hand() -> None:
    kept, drawn = Fraction(1, 2) + Fraction(1, 8), Fraction(1, 8)
    assert LAW.gamma == kept / drawn == 5
    assert largest_keep_law(Decimal(9), 2) == KeepLaw(8000, 2)
    # Of 100 records 34 show cold. With p = 1/2 and four values an eighth shows any: (.34 - .125) / .5 = .43.
    found = corrected_shares(column(34, 26, 20, 20), Decimal(5))
    assert found[0].share == pytest.approx(0.43)
    assert sum(share.share for share in found) == pytest.approx(1)


def test_values_are_kept_or_drawn_as_the_law_says_and_anew_each_time() -> None:
    found = disguise_column(column(40_000, 0), Decimal(9), seeded_bytes(1))
    # 4 in 5 are kept and a tenth of all is drawn the same: nine in ten show it. Four standard errors are .006.
    assert (found.codes == 0).mean() == pytest.approx(0.9, abs=0.006)
    found = disguise_column(column(0, 0, 60_000), Decimal(4), seeded_bytes(2))
    # keep 1/2, noise 1/6 each.
    assert np.bincount(found.codes)[:2] / 60_000 == pytest.approx(1 / 6, abs=0.007)
    fifties = column(50, 50, 50, 50)
    again = [disguise_column(fifties, Decimal(3), urandom).codes.tolist() for _draw in range(2)]
    assert again[0] != again[1]


def test_the_ends_of_an_interval_are_where_the_score_test_excludes_and_stay_shares() -> None:
    count, size, a, b = 34, 100, 0.625, 0.125
    for end in share_interval(count, size, LAW):
        assert end is not None
        mean = size * (end * a + (1 - end) * b)
        variance = size * (end * a * (1 - a) + (1 - end) * b * (1 - b))
        assert abs(count - mean) == pytest.approx(1.96 * variance**0.5)
    assert share_interval(12, 100, LAW)[0] == 0
    # An impossible count has no interval.
    assert share_interval(0, 100_000, LAW) == (None, None)


@pytest.mark.at_push(3)
@pytest.mark.proof
@pytest.mark.parametrize("gamma", ["2", "5", "20"])
@pytest.mark.parametrize("counts", [(300, 150, 45, 5), (125, 125, 125, 125), (490, 10)])
def test_corrected_shares_are_unbiased_and_their_intervals_cover(gamma: str, counts: tuple[int, ...]) -> None:
    repetitions, true = 600, column(*counts)
    shares, covered = np.zeros((repetitions, len(counts))), np.zeros((repetitions, len(counts)))
    for at in range(repetitions):
        found = corrected_shares(disguise_column(true, Decimal(gamma), seeded_bytes(at)), Decimal(gamma))
        for value, share in enumerate(found):
            actual = counts[value] / sum(counts)
            shares[at, value] = share.share
            low, high = (np.nan if end is None else end for end in (share.low, share.high))
            covered[at, value] = low <= actual <= high
    errors = shares.std(axis=0) / repetitions**0.5
    assert (abs(shares.mean(axis=0) - np.array(counts) / sum(counts)) < 4 * errors).all()
    assert covered.mean() >= 0.93
