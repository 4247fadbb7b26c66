"""Intervals and floors, against numbers from elsewhere."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mining.reconstruction import reconstruct
from mining.reconstruction.supports import Supports
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


@settings(max_examples=50, deadline=None)
@given(n=st.integers(50, 5_000), data=st.data())
def test_of_one_section_it_is_wilsons_mapped_through_the_inverse(n: int, data: st.DataObject) -> None:
    yes = data.draw(st.integers(0, n))
    found = theft(of({(DISGUISED, 0, 1): yes, (DISGUISED, 0, 0): n - yes}, "0.3", "0.6"))
    low, high = ((bound - 0.7 * 0.6) / 0.3 for bound in wilson(yes, n))
    assert found.low[0] == pytest.approx(low, abs=1e-9)
    assert found.high[0] == pytest.approx(high, abs=1e-9)


def test_of_open_answers_alone_it_is_wilsons() -> None:
    found = theft(of({(OPEN, 0, 1): 10, (OPEN, 0, 0): 90}))
    # A textbook's example: 10 of 100.
    assert found.low[0] == pytest.approx(0.0552, abs=5e-5)
    assert found.high[0] == pytest.approx(0.1744, abs=5e-5)


@pytest.mark.parametrize(
    ("yes", "low", "high"), [(20, 0.1267, 0.2918), (50, 0.3983, 0.6017), (100, 0.9638, 1)]
)
def test_of_plain_items_it_is_clopper_and_pearsons(yes: int, low: float, high: float) -> None:
    # From printed tables for 100.
    counts = {(OPEN, 1, 0): yes // 2, (DISGUISED, 1, 0): yes - yes // 2}
    no = 100 - yes
    counts |= {(OPEN, 0, 0): no // 2, (DISGUISED, 0, 0): no - no // 2}
    found = reconstruct(of(counts), [((0, 1),)])
    assert found.low[0] == pytest.approx(low, abs=5e-5)
    assert found.high[0] == pytest.approx(high, abs=5e-5)


def test_two_groups_join_their_intervals_and_the_chance_of_who_came() -> None:
    found = theft(of({(OPEN, 0, 1): 20, (OPEN, 0, 0): 180, (DISGUISED, 0, 1): 400, (DISGUISED, 0, 0): 400}))
    of_open, of_disguised = wilson(20, 200), wilson(400, 800)
    disguised = (0.5 - 0.25) / 0.5
    assert found.support[0] == pytest.approx(0.2 * 0.1 + 0.8 * disguised)
    below = sqrt(
        (0.2 * (0.1 - of_open[0])) ** 2
        + (0.8 * (disguised - (of_disguised[0] - 0.25) / 0.5)) ** 2
        + 1.96**2 * 0.2 * 0.8 * (0.1 - disguised) ** 2 / 1000
    )
    assert found.low[0] == pytest.approx(found.support[0] - below)


def test_no_interval_is_of_width_0() -> None:
    for counts in ({(OPEN, 0, 0): 100}, {(DISGUISED, 0, 0): 100}, {(OPEN, 0, 1): 60, (DISGUISED, 0, 0): 60}):
        found = theft(of(counts))
        assert found.high[0] - found.low[0] > 0.01


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


@pytest.mark.parametrize(("opened", "enough"), [(0, True), (9, False), (10, True)])
def test_a_group_with_any_record_needs_ten(opened: int, enough: bool) -> None:
    found = theft(of({(DISGUISED, 0, 0): 500, (OPEN, 0, 1): opened}))
    assert bool(found.enough[0]) is enough


@pytest.mark.parametrize(("young", "enough"), [(9, False), (10, True)])
def test_and_ten_that_carry_the_plain_items(young: int, enough: bool) -> None:
    listed = of({(DISGUISED, 1, 0): 500, (OPEN, 1, 0): young, (OPEN, 0, 0): 100})
    found = reconstruct(listed, [((0, 1), (1, 1)), ((1, 1),)])
    assert found.enough.tolist() == [enough, True]
