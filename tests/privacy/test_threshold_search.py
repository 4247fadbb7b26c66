"""The thresholds that a guarantee allows, and their errors, against exact laws and every other choice."""

import json
import re
from fractions import Fraction
from itertools import combinations
from math import sqrt

import pytest
from hypothesis import given, strategies as st

from privacy.designs import parse
from privacy.grammar.refusal import Refusal
from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.expected_numbers import ExpectedNumbers
from privacy.guarantee.number_range import NumberRange
from privacy.guarantee.quantile_search import QuantileSearch
from privacy.guarantee.threshold_error import Thresholds, largest_keep
from privacy.guarantee.threshold_search import (
    thresholds_for_mean,
    thresholds_for_quantile,
    thresholds_for_shares,
)
from tests.privacy.questionnaires import thresholds, written

pytestmark = pytest.mark.proof
SIX = GammaLimit(Fraction(6), strict=False)
BELOW_NINETEEN = GammaLimit.never_reaches(Fraction(1, 20), Fraction(1, 2))
TINY = GammaLimit.never_reaches(Fraction(1, 2), Fraction(50001, 100000))
THOUSAND = ExpectedNumbers.even(NumberRange(0, 1000))


@pytest.mark.parametrize("limit", [SIX, BELOW_NINETEEN, GammaLimit(Fraction(3), strict=True)])
def test_keep_is_the_largest_of_four_places(limit: GammaLimit) -> None:
    keep = largest_keep(limit)
    more = keep + Fraction(1, 10_000)
    assert limit.admits((1 + keep) / (1 - keep))
    assert not limit.admits((1 + more) / (1 - more))


def test_keep_by_hand() -> None:
    # (1 + p) / (1 - p) = 6 at p = 5/7 = .714285...; = 19 at .9, which a strict limit does not admit.
    assert (largest_keep(SIX), largest_keep(BELOW_NINETEEN)) == (
        Fraction(7142, 10_000),
        Fraction(8999, 10_000),
    )


def test_where_no_keep_is_small_enough_it_says_so() -> None:
    with pytest.raises(Refusal, match="limit: no keep of four places is within this limit"):
        thresholds_for_mean(THOUSAND, TINY, 1000)


def exact_scores(of: Thresholds, numbers: dict[int, Fraction], gaps: bool) -> tuple[Fraction, Fraction]:
    """Mean and variance over all numbers and coins of one record's score, from what a device does.

    The score of the mean, or (`gaps` False) that of the first threshold's share among those asked it.
    """
    first = second = Fraction(0)
    thresholds, count = of.points[1:], of.count
    for x, share in numbers.items():
        for moved, chance in moves(of, x).items():
            for place, threshold in enumerate(thresholds):
                if not gaps and place:
                    continue
                truth = moved >= threshold
                says_yes = of.keep * truth + (1 - of.keep) / 2
                for answer, probability in ((1, says_yes), (0, 1 - says_yes)):
                    z = (answer - (1 - of.keep) / 2) / of.keep
                    score = count * of.gaps[place] * z if gaps else z
                    weight = share * chance * probability / (count if gaps else 1)
                    first += weight * score
                    second += weight * score**2
    return first, second - first**2


def moves(of: Thresholds, x: int) -> dict[int, Fraction]:
    for below, above in zip(of.points, of.points[1:], strict=False):
        if of.mean and below < x < above:
            up = Fraction(x - below, above - below)
            return {above: up, below: 1 - up}
    return {x: Fraction(1)}


SKEWED = ExpectedNumbers.weighted(NumberRange(10, 40, 2), (10, 16, 34), (5, 3, 2))
SKEWED_SHARES = (
    {x: Fraction(5, 30) for x in (10, 12, 14)}
    | {x: Fraction(3, 90) for x in range(16, 34, 2)}
    | {x: Fraction(2, 40) for x in range(34, 42, 2)}
)


def test_classes_spread_their_share_evenly() -> None:
    for t in range(10, 42, 2):
        assert SKEWED.share_from(t)[0] == pytest.approx(
            float(sum(share for x, share in SKEWED_SHARES.items() if x >= t))
        )
        assert SKEWED.mean_up_to(t)[0] == pytest.approx(
            float(sum(share * min(x, t) for x, share in SKEWED_SHARES.items()))
        )


@pytest.mark.parametrize("points", [(10, 20, 40), (10, 12, 24, 30, 40), (10, 22, 30)])
def test_the_error_of_the_mean_is_that_of_the_exact_law(points: tuple[int, ...]) -> None:
    of = Thresholds(Fraction(1, 2), points, mean=True)
    found = of.expected_mean(SKEWED, 100)
    clamped: dict[int, Fraction] = {}
    for x, share in SKEWED_SHARES.items():
        clamped[min(x, points[-1])] = clamped.get(min(x, points[-1]), Fraction(0)) + share
    mean, variance = exact_scores(of, clamped, gaps=True)
    assert found.mean == pytest.approx(float(points[0] + mean))
    assert found.mean == pytest.approx(float(sum(x * share for x, share in clamped.items())))
    assert found.se == pytest.approx(sqrt(variance / 100))


@pytest.mark.parametrize("mean", [False, True])
def test_the_error_of_a_share_is_that_of_the_exact_law(mean: bool) -> None:
    of = Thresholds(Fraction(1, 2), (10, 20, 40), mean)
    share, variance = exact_scores(of, SKEWED_SHARES, gaps=False)
    found = of.expected_shares(SKEWED, 100)[0]
    assert found.threshold == 20
    assert found.share == pytest.approx(float(share))
    # Fifty are asked each of the two.
    assert found.half_width == pytest.approx(1.96 * sqrt(variance / 50))


@given(
    st.lists(st.integers(1, 9), min_size=2, max_size=5),
    st.lists(st.integers(0, 9), min_size=46, max_size=46).filter(any),
)
def test_no_distribution_has_a_larger_error_of_the_mean_than_stated(
    gaps: list[int], weights: list[int]
) -> None:
    points = tuple(sum(gaps[:place]) for place in range(len(gaps) + 1))
    numbers = NumberRange(0, points[-1])
    total = sum(weights[: numbers.values])
    if total:
        of = Thresholds(Fraction(3, 5), points, mean=True)
        expected = ExpectedNumbers.weighted(numbers, range(numbers.values), weights[: numbers.values])
        found = of.expected_mean(expected, 50)
        assert found.se <= found.most_se * (1 + 1e-9)


def test_the_largest_error_of_the_mean_is_reached_by_two_numbers() -> None:
    of = Thresholds(Fraction(3, 5), (0, 1, 4, 20), mean=True)
    numbers = NumberRange(0, 20)
    found = []
    for below, above in combinations(of.points, 2):
        for part in range(101):
            weights = [0.0] * 21
            weights[below], weights[above] = 1 - part / 100, part / 100
            expected = ExpectedNumbers.weighted(numbers, range(21), weights)
            found.append(of.expected_mean(expected, 50))
    assert max(each.se for each in found) == pytest.approx(found[0].most_se, rel=1e-3)


def test_equally_far_thresholds_have_one_error_of_the_mean_however_many() -> None:
    found = thresholds_for_mean(THOUSAND, BELOW_NINETEEN, 10_000)
    even = [each for each in found.options if 1000 % each.thresholds.count == 0]
    assert [each.thresholds.count for each in even] == [2, 4, 5, 8, 10, 20]
    # 1 / (2 p sqrt(n)) of the range.
    for each in even:
        assert each.mean.relative_most_se == pytest.approx(1 / (2 * 0.8999 * 100))
        assert each.mean.se == pytest.approx(even[0].mean.se)
    assert found.best.thresholds.points == (0, 500, 1000)
    # Each of them gets fewer respondents, so more thresholds only cost the shares.
    widths = [max(share.half_width for share in each.shares) for each in found.options]
    assert widths == sorted(widths)


@given(st.lists(st.integers(1, 29), min_size=1, max_size=4, unique=True))
def test_no_other_spacing_has_a_smaller_largest_error(inner: list[int]) -> None:
    keep = largest_keep(SIX)
    expected = ExpectedNumbers.even(NumberRange(0, 30))
    best = thresholds_for_mean(expected, SIX, 100).best.mean.most_se
    other = Thresholds(keep, (0, *sorted(inner), 30), mean=True)
    assert other.expected_mean(expected, 100).most_se >= best * (1 - 1e-12)


@pytest.mark.parametrize(("gamma", "most"), [(3, 0.010), (6, 0.00701), (19, 0.0056)])
def test_the_mean_is_as_exact_as_the_design_promises(gamma: int, most: float) -> None:
    found = thresholds_for_mean(THOUSAND, GammaLimit(Fraction(gamma), strict=False), 10_000)
    assert found.best.mean.relative_most_se <= most


def test_where_steps_do_not_divide_gaps_differ_by_one() -> None:
    found = thresholds_for_mean(ExpectedNumbers.even(NumberRange(0, 21, 3)), SIX, 1000)
    assert found.best.thresholds.points == (0, 3, 6, 9, 12, 15, 18, 21)
    assert [each.thresholds.points for each in found.options][:2] == [(0, 9, 21), (0, 6, 12, 21)]


def test_a_range_whose_gaps_have_no_small_multiple_is_refused() -> None:
    # 1,000,003 is a prime number, and 500,001 * 500,002 is above 2^31.
    prime = ExpectedNumbers.even(NumberRange(0, 1_000_003))
    with pytest.raises(Refusal, match="from 0 to 1000003 have no common multiple of at most 2147483648"):
        thresholds_for_mean(prime, SIX, 1000)


def test_exactly_the_given_shares_are_asked() -> None:
    found = thresholds_for_shares(THOUSAND, SIX, 1000, [200, 500, 900])
    assert (found.thresholds.points, found.thresholds.mean, found.added) == ((0, 200, 500, 900), False, None)
    assert [share.threshold for share in found.shares] == [200, 500, 900]


@pytest.mark.parametrize(("first", "added"), [(300, 650), (700, 350), (1, 501), (1000, 500)])
def test_a_second_threshold_halves_the_likelier_side(first: int, added: int) -> None:
    found = thresholds_for_shares(THOUSAND, SIX, 1000, [first])
    assert found.added is not None
    assert abs(found.added - added) <= 1


def test_the_second_threshold_costs_the_first_the_same_wherever_it_stands() -> None:
    widths = {
        share.half_width
        for other in (1, 250, 499, 501, 1000)
        for share in thresholds_for_shares(THOUSAND, SIX, 1000, sorted([500, other])).shares
        if share.threshold == 500
    }
    assert len(widths) == 1


def test_where_the_likelier_side_has_no_room_the_other_is_taken() -> None:
    expected = ExpectedNumbers.weighted(NumberRange(0, 9), (0, 1), (9, 1))
    found = thresholds_for_shares(expected, SIX, 1000, [1])
    assert found.added is not None
    assert 1 < found.added <= 9


@pytest.mark.parametrize(
    ("at", "reason"),
    [
        ([], "thresholds: at least one threshold"),
        ([30, 20], "questions[0].thresholds[2]: 20 does not lie above 30"),
        ([20, 20], "questions[0].thresholds[2]: 20 does not lie above 20"),
        ([25], "questions[0].thresholds[1]: 25 is no multiple of the step 10 away from 0"),
        ([0], "questions[0].thresholds[1]: 0 does not lie above 0"),
        ([20, 110], "thresholds: 110 is above the highest number, 100"),
    ],
)
def test_wrong_thresholds_are_refused_as_in_a_design(at: list[int], reason: str) -> None:
    expected = ExpectedNumbers.even(NumberRange(0, 100, 10))
    with pytest.raises(Refusal, match=re.escape(reason)):
        thresholds_for_shares(expected, SIX, 1000, at)


def test_more_than_twenty_thresholds_are_refused() -> None:
    with pytest.raises(Refusal, match=r"22 numbers; .* are 3 to 21"):
        thresholds_for_shares(THOUSAND, SIX, 1000, range(1, 22))


@pytest.mark.parametrize(
    ("low", "high", "step", "reason"),
    [
        (0, 10, 3, "step: from 0 to 10 is not a whole number of steps of 3"),
        (5, 5, 1, "high: must be above the lowest number, 5"),
        (0, 10, 0, "step: must be at least 1"),
    ],
)
def test_steps_that_do_not_fit_the_ends_are_refused(low: int, high: int, step: int, reason: str) -> None:
    with pytest.raises(Refusal, match=reason):
        NumberRange(low, high, step)


def test_two_numbers_need_no_thresholds() -> None:
    two = ExpectedNumbers.even(NumberRange(0, 1))
    for refused in (
        lambda: thresholds_for_mean(two, SIX, 1000),
        lambda: thresholds_for_shares(two, SIX, 1000, [1]),
        lambda: thresholds_for_quantile(two, SIX, 1000, 0.5),
    ):
        with pytest.raises(Refusal, match="step: two numbers need no thresholds"):
            refused()


@pytest.mark.parametrize("q", [0.25, 0.5, 0.9])
@pytest.mark.parametrize(
    "expected",
    [
        ExpectedNumbers.even(NumberRange(0, 14)),
        ExpectedNumbers.weighted(NumberRange(-6, 22, 2), (-6, 0, 10), (6, 3, 1)),
    ],
)
def test_no_other_thresholds_are_expected_to_narrow_a_quantile_more(
    expected: ExpectedNumbers, q: float
) -> None:
    search = QuantileSearch(expected, q, 2_000, largest_keep(SIX))
    places = [int(each) for each in search.candidates()]
    for count, found in enumerate(search.best()[:4], 2):
        assert len(found.thresholds) == count
        assert search.width(found.thresholds) == pytest.approx(found.width)
        assert found.width == pytest.approx(min(map(search.width, combinations(places, count))))


def test_a_long_range_is_searched_on_a_grid_that_hardly_costs_anything() -> None:
    rough = QuantileSearch(ExpectedNumbers.even(NumberRange(0, 100_000)), 0.5, 2_000, largest_keep(SIX))
    fine = QuantileSearch(ExpectedNumbers.even(NumberRange(0, 400)), 0.5, 2_000, largest_keep(SIX))
    assert len(rough.candidates()) <= 400
    for few, many in zip(fine.best(), rough.best(), strict=True):
        assert many.width / 100_000 == pytest.approx(few.width / 400, abs=0.004)


def test_more_respondents_narrow_a_quantile() -> None:
    widths = [
        thresholds_for_quantile(THOUSAND, SIX, respondents, 0.5).best.width
        for respondents in (200, 2_000, 20_000)
    ]
    assert widths == sorted(widths, reverse=True)


def test_each_threshold_of_a_quantile_is_asked_often_enough() -> None:
    found = thresholds_for_quantile(THOUSAND, SIX, 260, 0.5)
    assert [each.thresholds.count for each in found.options] == [2, 3, 4, 5]
    with pytest.raises(Refusal, match="respondents: 99 answers; a quantile needs at least 100"):
        thresholds_for_quantile(THOUSAND, SIX, 99, 0.5)


@pytest.mark.parametrize("limit", [SIX, BELOW_NINETEEN])
def test_what_is_proposed_is_a_design_within_the_limit(limit: GammaLimit) -> None:
    for numbers in (NumberRange(-20, 80, 5), NumberRange(0, 997), NumberRange(0, 10**8, 10)):
        expected = ExpectedNumbers.even(numbers)
        for of in (
            thresholds_for_mean(expected, limit, 1000).best.thresholds,
            thresholds_for_quantile(expected, limit, 1000, 0.75).best.thresholds,
            thresholds_for_shares(expected, limit, 1000, [numbers.low + 5 * numbers.step]).thresholds,
        ):
            section = thresholds("n", f"{float(of.keep):.4f}", *of.points, step=numbers.step, mean=of.mean)
            (read,) = parse(json.dumps(written(section))).sections
            assert read.law == of.law
            assert limit.admits(of.law.gamma)
