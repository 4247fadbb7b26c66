"""The shares above the limits of a number fall, its classes add up to 1, and no interval gets narrower."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.kinds.number.falling_shares import SharesWithEnds, falling_shares
from mining.kinds.number.report_node_from_counts import estimate_number
from privacy.kinds.number.classes.section import ClassesSection
from tests.privacy.questionnaires import classes, design


def shares_with_margin(*shares: float, by: float = 0.04) -> SharesWithEnds:
    of = np.array(shares)
    return SharesWithEnds(of, of - by, of + by)


def differences(*above: float) -> list[float]:
    return [one - other for one, other in zip((1.0, *above), (*above, 0.0), strict=True)]


def test_two_shares_in_the_wrong_order_become_their_mean() -> None:
    above = shares_with_margin(0.9, 0.5, 0.6, 0.1)
    shares, own = falling_shares(above, shares_with_margin(*differences(0.9, 0.5, 0.6, 0.1)))
    assert shares.share == pytest.approx([0.9, 0.55, 0.55, 0.1])
    # .46 to .54 and .56 to .64 hold .55 and fall; the others are as they were.
    assert shares.low == pytest.approx([0.86, 0.46, 0.46, 0.06])
    assert shares.high == pytest.approx([0.94, 0.64, 0.64, 0.14])
    assert own.share == pytest.approx([0.1, 0.35, 0.0, 0.45, 0.1])
    # The class between had -.1 (-.14 to -.06).
    assert (own.low[2], own.high[2]) == (pytest.approx(-0.14), 0.0)


def test_share_above_a_limit_is_never_below_that_of_a_higher_limit() -> None:
    above = SharesWithEnds(np.array([1.0, 1.0]), np.array([0.97, 0.98]), np.array([1.0, 1.0]))
    shares, _own = falling_shares(above, shares_with_margin(0.0, 0.0, 1.0))
    assert shares.low.tolist() == [0.97, 0.97]


def test_share_beyond_the_range_moves_to_its_end_within_its_interval() -> None:
    above = SharesWithEnds(np.array([1.03, -0.02]), np.array([0.98, 0.0]), np.array([1.0, 0.03]))
    shares, own = falling_shares(above, shares_with_margin(-0.03, 1.05, -0.02))
    assert shares.share.tolist() == [1.0, 0.0]
    assert own.share.tolist() == [0.0, 1.0, 0.0]


def test_contradictory_shares_have_no_interval_and_too_few_no_share() -> None:
    above = SharesWithEnds(np.array([0.5, 0.4]), np.array([np.nan, 0.3]), np.array([np.nan, 0.5]))
    shares, _own = falling_shares(above, shares_with_margin(0.5, 0.1, 0.4))
    assert np.isnan(shares.low[0])
    assert (shares.low[1], shares.high[1]) == (0.3, 0.5)
    nothing = SharesWithEnds(*(np.full(2, np.nan) for _part in range(3)))
    assert falling_shares(nothing, nothing) == (nothing, nothing)


@given(st.lists(st.floats(-0.2, 1.2), min_size=1, max_size=9), st.floats(0.001, 0.3))
def test_intervals_only_widen_shares_fall_and_classes_sum_to_one(above: list[float], by: float) -> None:
    before, classes_before = (
        shares_with_margin(*above, by=by),
        shares_with_margin(*differences(*above), by=by),
    )
    shares, own = falling_shares(before, classes_before)
    for after, raw in ((shares, before), (own, classes_before)):
        assert (after.low <= raw.low).all()
        assert (after.high >= raw.high).all()
        assert ((after.low <= after.share) & (after.share <= after.high)).all()
    for column in (shares.share, shares.low, shares.high):
        assert (np.diff(column) <= 1e-12).all()
    assert own.share.sum() == pytest.approx(1.0)
    assert (own.share >= -1e-12).all()
    if (np.diff([1.0, *above, 0.0]) <= 0).all():
        assert shares.share == pytest.approx(before.share)


def test_number_report_has_falling_shares_and_their_differences() -> None:
    section = design(classes("debt", "0.3", 0, 1, 2, 3, 4)).sections[0]
    assert isinstance(section, ClassesSection)
    counts = np.zeros((2, section.question.codes), np.int64)
    counts[1] = np.random.default_rng(2).integers(5, 60, section.question.codes)
    estimates = estimate_number(section, counts)
    above = [one.share for one in estimates.shares]
    own = [one.share for one in estimates.classes]
    assert None not in above
    assert above == sorted(above, key=lambda share: -(share or 0.0))
    assert own == pytest.approx(differences(*(share or 0.0 for share in above)), abs=1e-5)
