"""The combined estimator against the iteration written out for one itemset."""

from math import sqrt

import numpy as np
import pytest

from mining.reconstruction import CachedCounter, reconstruct
from mining.reconstruction.score_moments_by_group import Moments
from mining.reconstruction.support_intervals import Parabola, combined_parabola, group_variances
from mining.reconstruction.supports import support_intervals
from tests.mining.listed import Listed
from tests.privacy.questionnaires import design, question, sensitive

ONE = design(sensitive("0.3", question("theft", "0.4", "0.6")))


def people(open_yes: int, opened: int, sent_yes: int, disguised: int) -> Listed:
    counts = np.array([opened - open_yes, open_yes, disguised - sent_yes, sent_yes])
    return Listed(ONE, np.array([0, 0, 1, 1]), np.array([[0, 1, 0, 1]]), counts)


def by_hand(open_yes: int, opened: int, sent_yes: int, disguised: int) -> tuple[float, float]:
    m0, m1 = open_yes / opened, (sent_yes / disguised - 0.42) / 0.3
    p = (opened * m0 + disguised * m1) / (opened + disguised)
    for _ in range(4):
        # What a disguised respondent sends is yes with .3 p + .42.
        sent = 0.3 * p + 0.42
        v0, v1 = p * (1 - p) / opened, sent * (1 - sent) / 0.09 / disguised
        se = sqrt(1 / (1 / v0 + 1 / v1))
        before, p = p, (m0 / v0 + m1 / v1) / (1 / v0 + 1 / v1)
    return before, se


def test_it_weighs_the_groups_by_their_variances_at_the_common_share() -> None:
    counts = (240, 2_000, 3_700, 8_000)
    support, se = by_hand(*counts)
    found = reconstruct(people(*counts), [((0, 1),)], "combined")
    assert found.support[0] == pytest.approx(support, rel=1e-9)
    assert found.se[0] == pytest.approx(se, rel=1e-9)


def test_both_ends_are_1_96_of_the_errors_there_from_the_estimate(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, int, int, int]] = [
        (240, 2_000, 3_700, 8_000),
        (0, 200, 350, 800),
        (2, 300, 40, 100),
    ]
    for counts in cases:
        with subtests.test(f"{counts}"):
            open_yes, opened, sent_yes, disguised = counts
            found = reconstruct(people(*counts), [((0, 1),)], "combined")
            support = found.support[0]
            m0, m1 = open_yes / opened, (sent_yes / disguised - 0.42) / 0.3
            # The weight that makes this of the two means; it moves hardly any more after three rounds.
            of_open = (support - m1) / (m0 - m1)
            for end in (found.low[0], found.high[0]):
                sent = 0.3 * end + 0.42
                spread = of_open**2 * end * (1 - end) / opened
                spread += (1 - of_open) ** 2 * sent * (1 - sent) / 0.09 / disguised
                distance = pytest.approx(1.96 * sqrt(spread), rel=0.01)
                # Cut to [0, 1], where it would lie outside.
                assert abs(end - support) == distance or (
                    end in (0, 1) and abs(end - support) < 1.96 * sqrt(spread)
                )
            assert found.low[0] < support < found.high[0]


def test_where_nobody_open_has_it_some_still_may() -> None:
    # Wilson's of 0 in 200 ends at .019, and so does this nearly: the disguised weigh little.
    found = reconstruct(people(0, 200, 336, 800), [((0, 1),)], "combined")
    assert found.high[0] == pytest.approx(0.019, abs=0.001)
    assert found.support[0] + 1.96 * found.se[0] < 0.005


def test_an_estimate_that_noise_put_below_0_stays_there_and_its_interval_begins_at_0() -> None:
    found = reconstruct(people(0, 200, 280, 800), [((0, 1),)], "combined")
    assert found.support[0] < 0
    assert found.low[0] == 0
    assert 0 < found.high[0] < 0.05


@pytest.mark.parametrize("counts", [(0, 0, 3_700, 8_000), (240, 2_000, 0, 0)])
def test_one_group_alone_is_the_stratified_estimate(counts: tuple[int, int, int, int]) -> None:
    listed = people(*counts)
    combined, stratified = (
        reconstruct(listed, [((0, 1),)], estimator) for estimator in ("combined", "stratified")
    )
    assert combined.support[0] == pytest.approx(stratified.support[0])
    assert combined.se[0] == pytest.approx(stratified.se[0], rel=1e-6)
    # Both are Wilson's through the inverse, but for the skewness that only the stratified one's test corrects.
    assert combined.low[0] == pytest.approx(stratified.low[0], abs=0.001)
    assert combined.high[0] == pytest.approx(stratified.high[0], abs=0.001)
    assert stratified.low[0] <= combined.low[0] + 1e-6
    assert combined.high[0] <= stratified.high[0] + 1e-6


def test_where_nobody_open_has_it_the_disguised_still_count() -> None:
    found = reconstruct(people(0, 100, 3_600, 8_000), [((0, 1),)], "combined")
    # The open say 0, the disguised .1; neither alone.
    assert 0 < found.support[0] < 0.1
    assert found.se[0] > 0


def test_a_variance_is_never_below_that_of_the_truth_itself() -> None:
    # A mean square that noise made too small.
    of = Moments(np.array([[0.2], [0.2]]), np.array([[0.2], [0.1]]), np.ones((2, 1)), np.full((2, 1), 50))
    variance = group_variances(np.array([0.2]), of)
    assert variance[:, 0] == pytest.approx([0.16 / 50, 0.16 / 50])
    # Wilson's of 20 in 100.
    low, high = combined_parabola(np.array([0.2]), variance, of).interval()
    assert (low[0], high[0]) == (pytest.approx(0.1334, abs=5e-5), pytest.approx(0.2888, abs=5e-5))


def test_the_ends_of_any_level_are_so_many_errors_away() -> None:
    of = Parabola(*(np.array([value]) for value in (0.3, 0.001, 0.002, 0.004)))
    for level in (1.0, 1.96, 2.8):
        for end in of.interval(level):
            t = float(end[0])
            assert abs(0.3 - t) == pytest.approx(level * sqrt(0.001 + 0.002 * t - 0.004 * t**2))


def test_an_estimate_outside_has_an_interval_of_the_nearest_share_at_least() -> None:
    # No error at all where noise put it: one end is the estimate, and both are cut.
    of = Parabola(*(np.array(values) for values in ([-0.2, 1.2], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])))
    low, high = of.interval()
    assert (low.tolist(), high.tolist()) == ([0.0, 1.0], [0.0, 1.0])


def test_in_a_list_intervals_are_wider() -> None:
    known = CachedCounter(people(240, 2_000, 3_700, 8_000))
    found = reconstruct(known, [((0, 1),)], "combined")
    of, _shown = support_intervals(known, found, "combined", np.array([[1.96, 2.8]]))
    (low, high), (low_listed, high_listed) = of[0].tolist()
    assert (low, high) == (found.low[0], found.high[0])
    assert low_listed < low < found.support[0] < high < high_listed
