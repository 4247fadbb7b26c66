"""Open answers against disguised ones: the test of the groups and its words, and the combined estimator."""

from math import erfc, sqrt

import numpy as np
import pytest

from mining.inference.selection_correction import holm
from mining.queries_and_counters import Item
from mining.reconstruction import CachedCounter, Supports, reconstruct_supports
from mining.reconstruction.open_versus_disguised_sentence import group_test_sentence
from mining.reconstruction.open_versus_disguised_test import GroupTestResult, run_group_test
from mining.reconstruction.score_moments_by_group import ScoreMoments
from mining.reconstruction.support_intervals import VarianceParabola, combined_parabola, group_variances
from mining.reconstruction.supports import support_intervals
from tests.mining.listed import Listed
from tests.privacy.questionnaires import HALF, design, question, sensitive

pytestmark = pytest.mark.proof
ONE = design(sensitive("0.3", question("theft", "0.4", "0.6")))
RUNS = 200


def people(open_yes: int, disguised_yes: int, each: int = 5_000) -> Listed:
    """So many in each group say yes; of the disguised that is what was sent."""
    counts = np.array([each - open_yes, open_yes, each - disguised_yes, disguised_yes])
    return Listed(ONE, np.array([0, 0, 1, 1]), np.array([[0, 1, 0, 1]]), counts)


def survey(rng: np.random.Generator) -> Listed:
    # Sent yes: .3 of the 40 % who have it, and .7 times .6 of everybody.
    return people(int(rng.binomial(5_000, 0.1)), int(rng.binomial(5_000, 0.3 * 0.4 + 0.7 * 0.6)))


def name(item: Item) -> str:
    return ["no theft", "theft"][item[1]]


def test_stratified_estimator_is_unbiased() -> None:
    rng = np.random.default_rng(2)
    estimates = [reconstruct_supports(survey(rng), [((0, 1),)]) for _ in range(RUNS)]
    columns = (np.array([getattr(of, name)[0] for of in estimates]) for name in ("support", "se", "pooled"))
    support, se, pooled = columns
    assert abs(support.mean() - 0.25) < 3 * support.std() / sqrt(RUNS)
    assert se.mean() == pytest.approx(support.std(), rel=0.15)
    # Pooled is not: (.5 * .1 + .5 * (.12 + .42) - .5 * .42) / (.5 + .15) = .1692.
    assert pooled.mean() == pytest.approx(0.1692, abs=0.002)


def test_group_difference_is_worded_found_not_found_or_not_testable() -> None:
    words = group_test_sentence(run_group_test(survey(np.random.default_rng(3))), name)
    assert "not like the others: theft (10 % of the answers not disguised, 4" in words
    assert "would mislead" in words
    words = group_test_sentence(run_group_test(people(500, 2_250)), name)
    assert "No difference was found" in words
    assert "does not show that they are alike" in words
    # About 2.80 * sqrt(.09 / 5000 + .2475 / .09 / 5000) = 6.7.
    assert "6.7 percentage points (theft) would have been missed one time in five, a smaller one" in words
    assert "alone" not in words
    for open_records, is_compared in ((9, False), (10, True)):
        counts = np.array([open_records, 5_000])
        few = run_group_test(Listed(ONE, np.array([0, 1]), np.array([[0, 1]]), counts))
        assert bool(few.items) == is_compared, open_records
        assert ("Too few" in group_test_sentence(few, name)) != is_compared, open_records
    # Where even the largest difference may be missed a hundred points are named.
    none = np.full(1, np.nan)
    words = group_test_sentence(GroupTestResult(((0, 1),), none, none, np.ones(1), none, none), name)
    assert "100.0 percentage points" in words


def test_group_difference_of_many_answers_is_worded() -> None:
    """Among many a difference is missed more often; many differences are counted, not listed."""
    for many in (2, 10):
        items: tuple[Item, ...] = tuple((place, 1) for place in range(many))
        same = np.full(many, 0.5)
        result = GroupTestResult(items, same, same, np.ones(many), np.linspace(0.1, 0.2, many), same / 10)
        words = group_test_sentence(result, name)
        missed = "20.0 percentage points (theft) would have been missed one time in five if this answer"
        assert missed in words
        assert f"were tested alone, and more often among the {many} answers that were compared" in words
    items, half = tuple((place, 1) for place in range(5)), np.full(5, 0.5)
    result = GroupTestResult(items, half, half / 2, np.full(5, 0.01), half, half)
    words = group_test_sentence(result, lambda item: f"q{item[0]}")
    assert words.count("50 % of the answers not disguised, 25 % of the disguised ones") == 3
    assert "2 more answers" in words


def test_difference_is_tested_at_the_common_share() -> None:
    # 500 of 5,000 open; 2,250 of 5,000 sent: (.45 - .42) / .3 = .1 among the disguised too.
    found = run_group_test(people(500, 2_250))
    assert found.items == ((0, 1),)
    assert found.open[0] == pytest.approx(0.1)
    assert found.disguised[0] == pytest.approx(0.1)
    assert found.p[0] == pytest.approx(1)
    # More than .1 by the smallest of these is found four times out of five, and .1 leaves less room for fewer.
    assert 0.05 < found.more[0] < 0.08
    assert 0.05 < found.fewer[0] < 0.08
    # Sent is yes with .45 if the share is .1: variances .09 / 5000, and .45 * .55 / .09 / 5000.
    found = run_group_test(people(500, 2_350))
    spread = sqrt(0.09 / 5_000 + 0.45 * 0.55 / 0.09 / 5_000)
    assert found.p[0] == pytest.approx(erfc((0.05 / 0.3 - 0.1) / spread / sqrt(2)), rel=0.1)


def test_smallest_detectable_difference_grows_with_many_answers() -> None:
    # .01 x 4, .02 x 3 = .06, then .03 x 2 = .06, and .9.
    assert holm(np.array([0.9, 0.02, 0.01, 0.03])) == pytest.approx([0.9, 0.06, 0.04, 0.06])
    for many, found in [(1, 0.80), (2, 0.71), (10, 0.50)]:
        # One answer differs by 2.80 of its errors, the others not; Holm's first step asks for |z| above 2.24 of two
        # answers and above 2.81 of ten.
        z = np.random.default_rng(4).normal(size=(2_000, many))
        z[:, 0] += 2.80
        p = np.vectorize(erfc)(np.abs(z) / sqrt(2))
        differs = [GroupTestResult((), row, row, holm(row), row, row).differs[0] for row in p]
        assert np.mean(differs) == pytest.approx(found, abs=0.025), many


def test_yes_no_questions_compare_one_answer_and_others_each() -> None:
    of = design(sensitive("0.3", question("theft", *HALF), question("drink", "0.3", "0.3", "0.4")))
    rng = np.random.default_rng(1)
    codes = np.stack([rng.integers(0, 2, 400), rng.integers(0, 3, 400)])
    found = run_group_test(Listed(of, np.arange(400) % 2, codes))
    assert found.items == ((0, 1), (1, 0), (1, 1), (1, 2))


def theft_records(open_yes: int, opened: int, sent_yes: int, disguised: int) -> Listed:
    counts = np.array([opened - open_yes, open_yes, disguised - sent_yes, sent_yes])
    return Listed(ONE, np.array([0, 0, 1, 1]), np.array([[0, 1, 0, 1]]), counts)


def share_and_error_by_hand(open_yes: int, opened: int, sent_yes: int, disguised: int) -> tuple[float, float]:
    m0, m1 = open_yes / opened, (sent_yes / disguised - 0.42) / 0.3
    p = (opened * m0 + disguised * m1) / (opened + disguised)
    for _ in range(4):
        # What a disguised respondent sends is yes with .3 p + .42.
        sent = 0.3 * p + 0.42
        v0, v1 = p * (1 - p) / opened, sent * (1 - sent) / 0.09 / disguised
        se = sqrt(1 / (1 / v0 + 1 / v1))
        before, p = p, (m0 / v0 + m1 / v1) / (1 / v0 + 1 / v1)
    return before, se


def reconstruct_combined(*counts: int) -> Supports:
    return reconstruct_supports(theft_records(*counts), [((0, 1),)], "combined")


def test_combined_weighs_groups_by_variance_at_the_common_share() -> None:
    counts = (240, 2_000, 3_700, 8_000)
    found = reconstruct_combined(*counts)
    assert (found.support[0], found.se[0]) == pytest.approx(share_and_error_by_hand(*counts), rel=1e-9)


def test_combined_interval_ends_are_1_96_errors_away() -> None:
    for counts in [(240, 2_000, 3_700, 8_000), (0, 200, 350, 800), (2, 300, 40, 100)]:
        open_yes, opened, sent_yes, disguised = counts
        found = reconstruct_combined(*counts)
        support = found.support[0]
        m0, m1 = open_yes / opened, (sent_yes / disguised - 0.42) / 0.3
        # The weight that makes this of the two means; it moves hardly any more after three rounds.
        of_open = (support - m1) / (m0 - m1)
        for end in (found.low[0], found.high[0]):
            sent = 0.3 * end + 0.42
            spread = of_open**2 * end * (1 - end) / opened
            spread += (1 - of_open) ** 2 * sent * (1 - sent) / 0.09 / disguised
            distance = 1.96 * sqrt(spread)
            # Cut to [0, 1], where it would lie outside.
            is_cut = end in (0, 1) and abs(end - support) < distance
            assert is_cut or abs(end - support) == pytest.approx(distance, rel=0.01), counts
        assert found.low[0] < support < found.high[0], counts


def test_combined_handles_an_item_no_open_person_has() -> None:
    # Wilson's of 0 in 200 ends at .019, and so does this nearly: the disguised weigh little.
    some = reconstruct_combined(0, 200, 336, 800)
    assert some.high[0] == pytest.approx(0.019, abs=0.001)
    assert some.support[0] + 1.96 * some.se[0] < 0.005
    # An estimate that noise put below 0 stays there, and its interval begins at 0.
    negative = reconstruct_combined(0, 200, 280, 800)
    assert negative.support[0] < 0 == negative.low[0]
    assert 0 < negative.high[0] < 0.05
    # The open say 0, the disguised .1; neither alone.
    both = reconstruct_combined(0, 100, 3_600, 8_000)
    assert 0 < both.support[0] < 0.1
    assert both.se[0] > 0


@pytest.mark.parametrize("counts", [(0, 0, 3_700, 8_000), (240, 2_000, 0, 0)])
def test_one_group_alone_is_the_stratified_estimate(counts: tuple[int, int, int, int]) -> None:
    listed = theft_records(*counts)
    combined = reconstruct_supports(listed, [((0, 1),)], "combined")
    stratified = reconstruct_supports(listed, [((0, 1),)], "stratified")
    assert combined.support[0] == pytest.approx(stratified.support[0])
    assert combined.se[0] == pytest.approx(stratified.se[0], rel=1e-6)
    # Both are Wilson's through the inverse, but for the skewness that only the stratified one's test corrects.
    assert combined.low[0] == pytest.approx(stratified.low[0], abs=0.001)
    assert combined.high[0] == pytest.approx(stratified.high[0], abs=0.001)
    assert stratified.low[0] <= combined.low[0] + 1e-6
    assert combined.high[0] <= stratified.high[0] + 1e-6


def test_interval_parabolas_by_hand() -> None:
    # A mean square that noise made too small.
    one = np.ones((2, 1))
    moments = ScoreMoments(0.2 * one, np.array([[0.2], [0.1]]), one, np.full((2, 1), 50))
    variance = group_variances(np.array([0.2]), moments)
    assert variance[:, 0] == pytest.approx([0.16 / 50, 0.16 / 50])
    # Wilson's of 20 in 100.
    low, high = combined_parabola(np.array([0.2]), variance, moments).interval()
    assert (low[0], high[0]) == (pytest.approx(0.1334, abs=5e-5), pytest.approx(0.2888, abs=5e-5))
    # The ends of any level are so many errors away.
    of = VarianceParabola(*(np.array([value]) for value in (0.3, 0.001, 0.002, 0.004)))
    for level in (1.0, 1.96, 2.8):
        for end in of.interval(level):
            t = float(end[0])
            assert abs(0.3 - t) == pytest.approx(level * sqrt(0.001 + 0.002 * t - 0.004 * t**2))
    # An estimate outside has an interval of the nearest share at least.
    # No error at all where noise put it: one end is the estimate, and both are cut.
    of = VarianceParabola(*(np.array(values) for values in ([-0.2, 1.2], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])))
    lows, highs = of.interval()
    assert (lows.tolist(), highs.tolist()) == ([0.0, 1.0], [0.0, 1.0])


def test_listed_intervals_are_wider() -> None:
    known = CachedCounter(theft_records(240, 2_000, 3_700, 8_000))
    found = reconstruct_supports(known, [((0, 1),)], "combined")
    of, _shown = support_intervals(known, found, "combined", np.array([[1.96, 2.8]]))
    (low, high), (low_listed, high_listed) = of[0].tolist()
    assert (low, high) == (found.low[0], found.high[0])
    assert low_listed < low < found.support[0] < high < high_listed
