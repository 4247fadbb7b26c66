import pytest
from hypothesis import assume, given, strategies as st

from mining.document.study import ArmDifference
from reports.sentences.change import MOST, change, needed, what_would_change
from tests.reports.sentences.nodes import rule, weak


def test_an_interval_that_reaches_twice_as_far_needs_four_times_the_answers() -> None:
    # 1.2 is .2 above 1, and its interval reaches .4 below it.
    assert what_would_change(weak(lift=1.2, lift_low_listed=0.8), 1000) == 4000


def test_a_ratio_below_one_is_held_against_its_upper_end() -> None:
    # (1.3 - .8)^2 / (1 - .8)^2 = 6.25 times 1,000, rounded up to two figures.
    assert what_would_change(weak(lift=0.8, lift_low_listed=0.3, lift_high_listed=1.3), 1000) == 6300


def test_a_difference_is_held_against_none() -> None:
    # (.03 + .05)^2 / .03^2 = 7.11 times 4,800 is 34,133.
    one = ArmDifference("theft=yes", 0.38, 0.41, 0.03, -0.05, 0.11, 0.4, 0.8)
    assert what_would_change(one, 4800) == 35_000


def test_what_is_beyond_ten_million_or_has_no_such_number_is_not_said() -> None:
    assert what_would_change(weak(lift=1.001, lift_low_listed=0.8), 1000) is None
    assert what_would_change(weak(lift=1.0), 1000) is None
    assert what_would_change(weak(lift=None), 1000) is None
    assert what_would_change(weak(lift_low_listed=None, lift_high_listed=None), 1000) is None
    assert what_would_change(rule(), 1000) is None, "the interval excludes 1 already"
    assert change(weak(lift=1.0), 1000) == ()


ends = st.floats(0.01, 3)


@given(ends, ends, ends, st.integers(50, 1_000_000))
@pytest.mark.proof
def test_with_so_many_answers_the_interval_excludes_that_nothing_differs(
    a: float, b: float, c: float, records: int
) -> None:
    low, estimate, high = sorted((a, b, c))
    assume(low < 1 < high)
    answers = needed(estimate, low, high, 1.0, records)
    if answers is None:
        return
    narrower = (records / answers) ** 0.5
    assert records <= answers <= 1.1 * MOST
    assert int(str(answers)[2:] or 0) == 0
    if estimate > 1:
        assert estimate - narrower * (estimate - low) >= 1 - 1e-9
    else:
        assert estimate + narrower * (high - estimate) <= 1 + 1e-9
