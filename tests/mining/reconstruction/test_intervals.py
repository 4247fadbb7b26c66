"""Intervals and floors, against numbers from elsewhere."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.reconstruction import reconstruct
from mining.reconstruction.supports import Estimator, Supports
from tests.mining.listed import Listed
from tests.privacy.questionnaires import YES_NO, design, plain, question, sensitive

AGE = {"name": "age", "choices": YES_NO}
OPEN, DISGUISED = 0, 1


def of(counts: dict[tuple[int, int, int], int], keep: str = "0.5", noise: str = "0.5") -> Listed:
    """So many records of a group with this age and this answer about theft."""
    found = design(plain(AGE), sensitive(keep, question("theft", f"{1 - float(noise):.4f}", noise)))
    rows = np.array(list(counts))
    return Listed(found, rows[:, 0], rows[:, 1:].T, np.array(list(counts.values())))


def theft(listed: Listed) -> Supports:
    return reconstruct(listed, [((1, 1),)])


def wilson(yes: int, n: int) -> tuple[float, float]:
    square = 1.96**2
    middle = (yes + square / 2) / (n + square)
    half = 1.96 * sqrt(yes * (n - yes) / n + square / 4) / (n + square)
    return middle - half, middle + half


@pytest.mark.proof
@given(n=st.integers(50, 5_000), data=st.data())
def test_of_one_section_it_contains_wilsons_mapped_through_the_inverse(n: int, data: st.DataObject) -> None:
    """The test corrects for skewness where that makes it more careful; elsewhere it is Wilson's, cut to [0, 1]."""
    yes = data.draw(st.integers(4, n - 4))
    found = theft(of({(DISGUISED, 0, 1): yes, (DISGUISED, 0, 0): n - yes}, "0.3", "0.6"))
    low, high = ((bound - 0.7 * 0.6) / 0.3 for bound in wilson(yes, n))
    if high < 0 or low > 1:
        # Less than noise alone would make, or more than everybody: no share is left.
        assert np.isnan(found.low[0])
        assert np.isnan(found.high[0])
        return
    inside = max(low, 0.0), min(high, 1.0)
    assert 0 <= found.low[0] <= inside[0] + 1e-6
    assert inside[1] - 1e-6 <= found.high[0] <= 1
    # About a fifth of a standard error of 50 answers, and a tenth of that of 200, is the most that skewness takes.
    most = 0.25 * (high - low) * sqrt(50 / n)
    assert inside[0] - found.low[0] < most
    assert found.high[0] - inside[1] < most


def test_of_open_answers_alone_it_is_a_little_more_careful_than_wilsons(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, float, float]] = [(10, 0.0523, 0.1744), (5, 0.0190, 0.1118), (50, 0.4029, 0.5971)]
    for yes, low, high in cases:
        with subtests.test(f"{yes} {low}"):
            found = theft(of({(OPEN, 0, 1): yes, (OPEN, 0, 0): 100 - yes}))
            assert found.low[0] == pytest.approx(low, abs=1e-4)
            assert found.high[0] == pytest.approx(high, abs=1e-4)
            assert found.low[0] <= wilson(yes, 100)[0] < wilson(yes, 100)[1] <= found.high[0] + 1e-6


def test_of_plain_items_it_is_clopper_and_pearsons(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, float, float]] = [(20, 0.1267, 0.2918), (50, 0.3983, 0.6017), (100, 0.9638, 1)]
    for yes, low, high in cases:
        with subtests.test(f"{yes} {low}"):
            # From printed tables for 100.
            counts = {(OPEN, 1, 0): yes // 2, (DISGUISED, 1, 0): yes - yes // 2}
            no = 100 - yes
            counts |= {(OPEN, 0, 0): no // 2, (DISGUISED, 0, 0): no - no // 2}
            found = reconstruct(of(counts), [((0, 1),)])
            assert found.low[0] == pytest.approx(low, abs=5e-5)
            assert found.high[0] == pytest.approx(high, abs=5e-5)


def test_two_groups_make_one_interval() -> None:
    found = theft(of({(OPEN, 0, 1): 20, (OPEN, 0, 0): 180, (DISGUISED, 0, 1): 400, (DISGUISED, 0, 0): 400}))
    disguised = (0.5 - 0.25) / 0.5
    assert found.support[0] == pytest.approx(0.2 * 0.1 + 0.8 * disguised)
    # The mean square of z: .1 of the open score 1, half of the disguised 1.5 and half -.5.
    square = 0.2 * 0.1 + 0.8 * (2.25 + 0.25) / 2 - found.support[0] ** 2
    assert found.se[0] == pytest.approx(sqrt(square / 1000))
    # So many answers are nearly normal, and a share of .42 is hardly skewed.
    assert found.low[0] == pytest.approx(found.support[0] - 1.96 * found.se[0], abs=0.001)
    assert found.high[0] == pytest.approx(found.support[0] + 1.96 * found.se[0], abs=0.001)


def test_no_interval_is_of_width_0() -> None:
    for counts in ({(OPEN, 0, 0): 100}, {(OPEN, 0, 1): 100}, {(OPEN, 0, 1): 60, (DISGUISED, 0, 0): 60}):
        found = theft(of(counts))
        assert found.high[0] - found.low[0] > 0.01


def test_counts_that_no_share_could_give_have_no_interval() -> None:
    for sent in (0, 1):
        found = theft(of({(DISGUISED, 0, sent): 100}))
        assert np.isnan(found.low[0])
        assert np.isnan(found.high[0])


@pytest.mark.parametrize("estimator", ["pooled", "combined"])
def test_intervals_of_the_other_estimators_lie_in_0_to_1_too(estimator: Estimator) -> None:
    for sent, end in ((0, 0.0), (1, 1.0)):
        listed = of({(DISGUISED, 0, sent): 300, (OPEN, 0, sent): 100})
        found = reconstruct(listed, [((1, 1),)], estimator)
        assert (found.support[0] < 0) == (sent == 0) or estimator == "combined"
        assert 0 <= found.low[0] <= found.high[0] <= 1
        assert end in (found.low[0], found.high[0])


def test_a_number_outside_0_to_1_stays_what_it_is() -> None:
    found = theft(of({(DISGUISED, 0, 0): 400}))
    # Nobody sent yes, though noise alone makes a quarter.
    assert found.support[0] == pytest.approx(-0.5)


@pytest.mark.parametrize(("n", "enough"), [(49, False), (50, True)])
def test_below_fifty_asked_nothing_is_estimated(n: int, enough: bool) -> None:
    found = theft(of({(DISGUISED, 0, 0): n - 20, (DISGUISED, 0, 1): 20}))
    assert bool(found.enough[0]) is enough
    assert np.isnan(found.support[0]) is not enough
    assert np.isnan(found.low[0]) is not enough
    assert found.base[0] == n
    assert found.observed[0] == pytest.approx(20 / n)


def test_a_group_with_any_record_needs_ten(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, bool]] = [(0, True), (9, False), (10, True)]
    for opened, enough in cases:
        with subtests.test(f"{opened} {enough}"):
            found = theft(of({(DISGUISED, 0, 0): 500, (OPEN, 0, 1): opened}))
            assert bool(found.enough[0]) is enough


@pytest.mark.parametrize(("young", "enough"), [(9, False), (10, True)])
def test_and_ten_that_carry_the_plain_items(young: int, enough: bool) -> None:
    listed = of({(DISGUISED, 1, 0): young, (DISGUISED, 0, 0): 500, (OPEN, 1, 0): 100})
    found = reconstruct(listed, [((0, 1), (1, 1)), ((1, 1),)])
    assert found.enough.tolist() == [enough, True]


@pytest.mark.parametrize(("disguised", "enough"), [(49, False), (50, True)])
def test_open_records_help_no_itemset_that_joins_plain_and_sensitive_items(
    disguised: int, enough: bool
) -> None:
    listed = of({(DISGUISED, 1, 0): disguised, (OPEN, 1, 0): 500})
    found = reconstruct(listed, [((0, 1), (1, 1)), ((1, 1),)])
    assert found.enough.tolist() == [enough, True]
    assert found.base.tolist() == [disguised, disguised + 500]
    assert found.groups.tolist() == [[0, disguised], [500, disguised]]


def test_nor_do_they_hinder_it() -> None:
    # Nine open records of that age are too few to estimate from, but nothing of it is estimated from them.
    found = reconstruct(of({(DISGUISED, 1, 0): 500, (OPEN, 1, 0): 9, (OPEN, 0, 0): 100}), [((0, 1), (1, 1))])
    assert found.enough.tolist() == [True]
