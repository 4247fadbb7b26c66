"""Supports, errors, intervals and floors, against numbers from elsewhere, averages over records and the definition."""

from itertools import product
from math import pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mining.queries_and_counters import Item
from mining.reconstruction import ESTIMATORS, CachedCounter, reconstruct_supports
from mining.reconstruction.supports import Supports, support_intervals
from tests.mining.inference.exact_table import Question
from tests.mining.listed import (
    DISGUISED,
    OPEN,
    Inversion,
    Listed,
    base,
    by_section,
    contains_itemset,
    eligible_records,
    has_enough_records,
    joins_plain_and_sensitive,
    keep_and_chance,
    may_hide,
    plain_only,
    score_rows,
    support_table,
)
from tests.mining.strategies import answered_surveys, itemsets_of
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, YES_NO, design, plain, question, sensitive

AGE = {"name": "age", "choices": YES_NO}


def listed_of(counts: dict[tuple[int, int, int], int], keep: str = "0.5", noise: str = "0.5") -> Listed:
    """So many records of a group with this age and this answer about theft."""
    found = design(plain(AGE), sensitive(keep, question("theft", f"{1 - float(noise):.4f}", noise)))
    rows = np.array(list(counts))
    return Listed(found, rows[:, 0], rows[:, 1:].T, np.array(list(counts.values())))


def theft_support(listed: Listed) -> Supports:
    return reconstruct_supports(listed, [((1, 1),)])


def wilson(yes: int, n: int) -> tuple[float, float]:
    square = 1.96**2
    middle = (yes + square / 2) / (n + square)
    half = 1.96 * sqrt(yes * (n - yes) / n + square / 4) / (n + square)
    return middle - half, middle + half


@pytest.mark.proof
@given(n=st.integers(50, 5_000), data=st.data())
def test_interval_of_one_section_contains_the_mapped_wilson_interval(n: int, data: st.DataObject) -> None:
    """The test corrects for skewness where that makes it more careful; elsewhere it is Wilson's, cut to [0, 1]."""
    yes = data.draw(st.integers(4, n - 4))
    found = theft_support(listed_of({(DISGUISED, 0, 1): yes, (DISGUISED, 0, 0): n - yes}, "0.3", "0.6"))
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


def test_interval_of_open_answers_is_slightly_wider_than_wilson() -> None:
    for yes, low, high in [(10, 0.0523, 0.1744), (5, 0.0190, 0.1118), (50, 0.4029, 0.5971)]:
        found = theft_support(listed_of({(OPEN, 0, 1): yes, (OPEN, 0, 0): 100 - yes}))
        assert (found.low[0], found.high[0]) == pytest.approx((low, high), abs=1e-4)
        assert found.low[0] <= wilson(yes, 100)[0] < wilson(yes, 100)[1] <= found.high[0] + 1e-6


def test_interval_of_plain_items_is_clopper_pearson() -> None:
    """From printed tables for 100."""
    for yes, low, high in [(20, 0.1267, 0.2918), (50, 0.3983, 0.6017), (100, 0.9638, 1)]:
        no = 100 - yes
        counts = {(OPEN, 1, 0): yes // 2, (DISGUISED, 1, 0): yes - yes // 2}
        counts |= {(OPEN, 0, 0): no // 2, (DISGUISED, 0, 0): no - no // 2}
        found = reconstruct_supports(listed_of(counts), [((0, 1),)])
        assert (found.low[0], found.high[0]) == pytest.approx((low, high), abs=5e-5)


def test_estimates_outside_0_to_1_stay_and_intervals_end_inside() -> None:
    for counts in ({(OPEN, 0, 0): 100}, {(OPEN, 0, 1): 100}, {(OPEN, 0, 1): 60, (DISGUISED, 0, 0): 60}):
        found = theft_support(listed_of(counts))
        assert found.high[0] - found.low[0] > 0.01
    # Counts that no share could give have no interval. Nobody sent yes, though noise alone makes a quarter: -.5.
    for sent, support in ((0, -0.5), (1, 1.5)):
        found = theft_support(listed_of({(DISGUISED, 0, sent): 400}))
        assert np.isnan([found.low[0], found.high[0]]).all()
        assert found.support[0] == pytest.approx(support)
    for estimator, (sent, end) in product(ESTIMATORS[1:], ((0, 0.0), (1, 1.0))):
        listed = listed_of({(DISGUISED, 0, sent): 300, (OPEN, 0, sent): 100})
        found = reconstruct_supports(listed, [((1, 1),)], estimator)
        assert (found.support[0] < 0) == (sent == 0) or estimator == "combined"
        assert 0 <= found.low[0] <= found.high[0] <= 1
        assert end in (found.low[0], found.high[0])


def test_two_groups_make_one_interval() -> None:
    found = theft_support(
        listed_of({(OPEN, 0, 1): 20, (OPEN, 0, 0): 180, (DISGUISED, 0, 1): 400, (DISGUISED, 0, 0): 400})
    )
    disguised = (0.5 - 0.25) / 0.5
    assert found.support[0] == pytest.approx(0.2 * 0.1 + 0.8 * disguised)
    # The mean square of z: .1 of the open score 1, half of the disguised 1.5 and half -.5.
    square = 0.2 * 0.1 + 0.8 * (2.25 + 0.25) / 2 - found.support[0] ** 2
    assert found.se[0] == pytest.approx(sqrt(square / 1000))
    # So many answers are nearly normal, and a share of .42 is hardly skewed.
    assert found.low[0] == pytest.approx(found.support[0] - 1.96 * found.se[0], abs=0.001)
    assert found.high[0] == pytest.approx(found.support[0] + 1.96 * found.se[0], abs=0.001)


def test_estimate_needs_fifty_asked_and_ten_of_each_group() -> None:
    for n, is_enough in ((49, False), (50, True)):
        found = theft_support(listed_of({(DISGUISED, 0, 0): n - 20, (DISGUISED, 0, 1): 20}))
        assert bool(found.enough[0]) is is_enough
        assert np.isnan([found.support[0], found.low[0]]).tolist() == [not is_enough] * 2
        assert found.base[0] == n
        assert found.observed[0] == pytest.approx(20 / n)
    for opened, is_enough in [(0, True), (9, False), (10, True)]:
        assert (
            bool(theft_support(listed_of({(DISGUISED, 0, 0): 500, (OPEN, 0, 1): opened})).enough[0])
            is is_enough
        ), opened


def test_floors_of_joined_items_count_disguised_people() -> None:
    both = [((0, 1), (1, 1)), ((1, 1),)]
    # Ten that carry the plain items.
    for young, is_enough in ((9, False), (10, True)):
        records = listed_of({(DISGUISED, 1, 0): young, (DISGUISED, 0, 0): 500, (OPEN, 1, 0): 100})
        found = reconstruct_supports(records, both)
        assert found.enough.tolist() == [is_enough, True], young
    for disguised, is_enough in ((49, False), (50, True)):
        found = reconstruct_supports(listed_of({(DISGUISED, 1, 0): disguised, (OPEN, 1, 0): 500}), both)
        assert found.enough.tolist() == [is_enough, True], disguised
        assert found.base.tolist() == [disguised, disguised + 500]
        assert found.groups.tolist() == [[0, disguised], [500, disguised]]
    # Nine open records of that age are too few to estimate from, but nothing of it is estimated from them.
    found = reconstruct_supports(
        listed_of({(DISGUISED, 1, 0): 500, (OPEN, 1, 0): 9, (OPEN, 0, 0): 100}), both[:1]
    )
    assert found.enough.tolist() == [True]


AFTER = 2.8


def assert_interval(low: float, high: float, question: Question, level: float = 1.96) -> None:
    expected = question.interval(level)
    if expected is None:
        assert np.isnan(low)
        assert np.isnan(high)
        return
    assert low == pytest.approx(expected[0], abs=1e-6)
    assert high == pytest.approx(expected[1], abs=1e-6)


@pytest.mark.proof
@settings(max_examples=max(15, settings().max_examples))
@given(st.data())
def test_single_listed_and_shown_intervals_come_from_one_test(data: st.DataObject) -> None:
    listed = data.draw(answered_surveys(250))
    itemset = data.draw(itemsets_of(listed))
    known = CachedCounter(listed)
    found = reconstruct_supports(known, [itemset])
    tested = found.enough[0] and not plain_only(listed, itemset)
    if tested:
        of, _shown = support_intervals(known, found, "stratified", np.array([[1.96, AFTER]]))
        question = Question(support_table(listed, itemset), "support")
        (low, high), wider = of[0].tolist()
        np.testing.assert_array_equal([low, high], [found.low[0], found.high[0]])
        assert_interval(low, high, question)
        assert_interval(wider[0], wider[1], question, AFTER)
        assert np.isnan(low) or wider[0] <= low <= high <= wider[1]
    shown = eligible_records(listed, itemset)
    assert found.shown[0] == len(shown)
    numbers = found.share_shown[0], found.low_shown[0], found.high_shown[0]
    if not (found.enough[0] and has_enough_records(listed, shown, itemset) and may_hide(listed, itemset)):
        assert np.isnan(numbers).all()
        return
    assert numbers[0] == pytest.approx(found.support[0] * found.base[0] / len(shown), rel=1e-12)
    if tested:
        assert_interval(*numbers[1:], Question(support_table(listed, itemset, shown=True), "support"))


BEHIND = question("theft", *HALF, **IF_EMPLOYED)
SHOWN = design(plain(WORK), sensitive("0.5", BEHIND, question("drugs", *HALF)))
THEFT: tuple[Item, ...] = ((1, 1),)


def workers(counts: dict[tuple[int, int, int], int]) -> Listed:
    """So many records of a group, employed or not, with this answer about theft; 3 is not applicable."""
    rows = np.array([(group, work, theft, 0) for group, work, theft in counts])
    return Listed(SHOWN, rows[:, 0], rows[:, 1:].T, np.array(list(counts.values())))


def test_share_among_those_shown_by_hand() -> None:
    # 400 of 1,000 work; of their 400 disguised answers 190 are yes: (.475 - .25) / .5 = .45, and .18 of everybody.
    listed = workers({(1, 0, 1): 190, (1, 0, 0): 210, (1, 1, 3): 600})
    found = reconstruct_supports(listed, [THEFT])
    assert (found.base[0], found.shown[0]) == (1_000, 400)
    assert found.support[0] == pytest.approx(0.18)
    assert found.share_shown[0] == pytest.approx(0.45)
    # Among 400 of one section it is nearly Wilson's through the inverse: of 190 in 400 from .4265 to .5240.
    assert found.low_shown[0] == pytest.approx((0.4265 - 0.25) / 0.5, abs=0.003)
    assert found.high_shown[0] == pytest.approx((0.5240 - 0.25) / 0.5, abs=0.003)
    assert found.low[0] < 0.18 < found.high[0]


def test_plain_share_among_those_shown_is_clopper_pearson() -> None:
    shift = {"name": "shift", "choices": ["day", "night"], **IF_EMPLOYED}
    found = design(plain(WORK, shift))
    # Of 200 that work 20 do so at night; three in ten of everybody are not asked.
    listed = Listed(found, np.ones(3, np.int64), np.array([[0, 0, 1], [0, 1, 3]]), np.array([180, 20, 100]))
    of = reconstruct_supports(listed, [((1, 1),)])
    assert of.support[0] == pytest.approx(20 / 300)
    assert of.share_shown[0] == pytest.approx(0.1)
    # From a table of exact limits.
    assert (of.low_shown[0], of.high_shown[0]) == pytest.approx((0.0622, 0.1502), abs=1e-4)


def test_share_among_few_shown_or_by_other_estimators_is_missing() -> None:
    def among_shown(of: Supports, row: int = 0) -> list[float]:
        return [of.share_shown[row], of.low_shown[row], of.high_shown[row]]

    # Five open records, all without work: too few in base(S), and none among those shown.
    few = reconstruct_supports(workers({(1, 0, 1): 90, (1, 0, 0): 110, (0, 1, 3): 5}), [THEFT])
    assert not few.enough[0]
    assert np.isnan(among_shown(few)).all()
    # Where too few were shown only that is not said.
    shown = reconstruct_supports(workers({(1, 0, 1): 20, (1, 0, 0): 20, (1, 1, 3): 500}), [THEFT])
    assert shown.enough[0]
    assert np.isfinite([shown.support[0], shown.low[0]]).all()
    assert np.isnan(among_shown(shown)).all()
    counts = {(1, 0, 1): 190, (1, 0, 0): 210, (1, 1, 3): 600, (0, 0, 1): 70, (0, 0, 0): 80, (0, 1, 3): 200}
    for estimator in ESTIMATORS[1:]:
        found = reconstruct_supports(workers(counts), [THEFT], estimator)
        assert found.share_shown[0] == pytest.approx(found.support[0] * 1_350 / 550), estimator
        assert 0 <= found.low_shown[0] < found.share_shown[0] < found.high_shown[0] <= 1, estimator
    # A question that nothing hides has no share among those shown.
    both = reconstruct_supports(workers({(1, 0, 1): 190, (1, 0, 0): 210}), [((2, 0),), THEFT])
    assert [np.isnan(among_shown(both, row)).all() for row in (0, 1)] == [True, False]
    assert np.isfinite(among_shown(both, 1)).all()


@pytest.mark.proof
@given(st.data())
def test_stratified_support_and_error_match_the_scores(data: st.DataObject) -> None:
    listed = data.draw(answered_surveys())
    itemset = data.draw(itemsets_of(listed))
    found = reconstruct_supports(listed, [itemset])
    records = base(listed, itemset)
    assert found.base[0] == len(records)
    assert found.groups[0].tolist() == [sum(listed.group[at] == of for at in records) for of in (0, 1)]
    assert found.enough[0] == has_enough_records(listed, records, itemset)
    if not found.enough[0]:
        return
    scores = score_rows(listed, records, itemset)
    assert found.support[0] == pytest.approx(scores.mean(), abs=1e-12)
    assert found.se[0] == pytest.approx(scores.std() / sqrt(len(records)), rel=1e-9, abs=1e-9)
    observed = contains_itemset(listed, records, itemset).mean()
    assert found.observed[0] == pytest.approx(observed, abs=1e-12)
    # n are all records that could be meant: of the disguised those alone, where plain and sensitive items are joined
    # and where open records withhold what is asked.
    opened, questions = listed.group == OPEN, listed.design.questions
    withheld = any((listed.codes[place, opened] == questions[place].withheld).any() for place, _ in itemset)
    alone = withheld or joins_plain_and_sensitive(listed, itemset)
    p, n = scores.mean(), (~opened).sum() if alone else len(opened)
    disguise = ((scores**2).mean() - p) / len(records) + p * (1 - p) * (1 / len(records) - 1 / n)
    assert found.expected_w[0] ** 2 == pytest.approx(2 / pi * max(disguise, 0), abs=1e-12)


@pytest.mark.proof
@given(st.data())
def test_pooled_support_and_error_match_the_recursion(data: st.DataObject) -> None:
    listed = data.draw(answered_surveys())
    itemset = data.draw(itemsets_of(listed))
    found = reconstruct_supports(listed, [itemset], "pooled")
    if not found.enough[0]:
        return
    records = base(listed, itemset)
    inversion = Inversion(listed, records, itemset)
    if not len(inversion.records):
        assert found.support[0] == 0
        return
    shown = inversion.support(inversion.all_part_numbers)
    support = shown * len(inversion.records) / len(records)
    assert found.support[0] == found.pooled[0] == pytest.approx(support, abs=1e-11)
    # Those to whom S does not apply say only that: their influence is on the share to whom it does.
    psi = np.full(len(records), -support)
    psi[: len(inversion.records)] += inversion.scores_of_parts(inversion.all_part_numbers) + shown
    assert psi.mean() == pytest.approx(0, abs=1e-9)
    assert found.se[0] == pytest.approx(sqrt((psi**2).mean() / len(records)), rel=1e-9, abs=1e-9)
    if plain_only(listed, itemset):
        return
    kept, slopes, group = 1.0, [1.0, 1.0], listed.group[records]
    for part in by_section(listed.design, itemset).values():
        p, c = keep_and_chance(listed.design, part)
        kept, slopes[1] = kept * p, slopes[1] * (1 - 2 * c) / p
    numbers = [int((group == of).sum()) for of in (0, 1)]
    weights = [numbers[0], numbers[1] * kept]
    # The square of the error at t is that at the estimate, and what the law's own would be more or less there.
    each = [(weight / sum(weights)) ** 2 / max(n, 1) for weight, n in zip(weights, numbers, strict=True)]
    slope, curve = np.dot(each, slopes), sum(each)
    low, high = interval_roots(support, found.se[0] ** 2 - support * slope + support**2 * curve, slope, curve)
    assert found.low[0] == pytest.approx(low, rel=1e-7, abs=1e-8)
    assert found.high[0] == pytest.approx(high, rel=1e-7, abs=1e-8)


def interval_roots(estimate: float, constant: float, slope: float, curve: float) -> tuple[float, float]:
    """Where (P - t)^2 is 1.96^2 (constant + slope t - curve t^2), P itself at least; cut to [0, 1]."""
    square = 1.96**2
    roots = np.roots([1 + square * curve, -2 * estimate - square * slope, estimate**2 - square * constant])
    low, high = np.clip([min(*roots.real, estimate), max(*roots.real, estimate)], 0.0, 1.0)
    return low, high


@pytest.mark.proof
@settings(max_examples=15, deadline=None)
@given(st.data())
def test_itemsets_of_all_shapes_match_single_results(data: st.DataObject) -> None:
    listed = data.draw(answered_surveys(120))
    itemsets = data.draw(st.lists(itemsets_of(listed), min_size=2, max_size=6))
    together = reconstruct_supports(listed, itemsets)
    for row, itemset in enumerate(itemsets):
        alone = reconstruct_supports(listed, [itemset])
        exact = "support se pooled expected_w observed share_shown base groups shown enough"
        for name in exact.split():
            np.testing.assert_array_equal(getattr(together, name)[row], getattr(alone, name)[0])
        # Ends are searched for.
        for name in ("low", "high", "low_shown", "high_shown"):
            np.testing.assert_allclose(getattr(together, name)[row], getattr(alone, name)[0], atol=1e-7)
