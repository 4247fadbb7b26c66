"""Shares by group, against averages over the records of each class and a textbook's test."""

import json
from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency  # type: ignore[attr-defined]

from mining.inference.contingency_table import ANTECEDENT, PLAIN, ContingencyTable, ItemsetPart
from mining.inference.intervals import share_interval
from mining.inference.score_test import support_test
from mining.queries_and_counters import Item
from mining.reconstruction import ESTIMATORS, reconstruct_supports
from mining.reconstruction.coherent_supports import coherent_supports
from mining.reconstruction.shares_by_group import (
    GroupShares,
    holm_class_difference_p,
    plain_questions,
    reported_sensitive_answers,
    share_interval_of_all_classes,
    shares_by_group,
)
from mining.rules import reconstruct_rules
from privacy.designs import parse_design
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population
from tests.mining.inference.exact_table import Question, standardise
from tests.mining.listed import (
    DISGUISED,
    OPEN,
    Exact,
    Listed,
    Person,
    base,
    itemset_applies,
    random_people,
    score_rows,
    support_table,
    true_share,
)
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    THIRDS,
    WORK,
    design,
    make_design,
    place_in_row,
    plain,
    question,
    sensitive,
)

pytestmark = pytest.mark.proof
AGE = {"name": "age", "choices": ["young", "middle", "old"]}
SURVEY = design(
    plain(WORK, AGE),
    sensitive("0.5", question("theft", *HALF, **IF_EMPLOYED), question("drugs", *HALF), asked=1),
    sensitive("0.6", question("drink", *THIRDS)),
)


@pytest.fixture(scope="module")
def listed_records() -> Listed:
    rng = np.random.default_rng(4)
    shares = ((0.6, 0.4), (0.3, 0.5, 0.2), (0.8, 0.2), (0.7, 0.3), (0.2, 0.3, 0.5))
    others = ((0.6, 0.4), (0.3, 0.5, 0.2), (0.9, 0.1), (0.9, 0.1), (0.6, 0.2, 0.2))
    people = Population(Independent(shares), Independent(others), 0.3).draw(SURVEY, 1_500, rng)
    return Listed(SURVEY, people.group, disguise(SURVEY, people.group, people.truth, rng))


def test_questions_answers_and_an_inapplicable_class_are_listed(listed_records: Listed) -> None:
    one = Listed(SURVEY, np.zeros(1, np.int64), np.zeros((5, 1)))
    assert plain_questions(one) == [0, 1]
    assert reported_sensitive_answers(one) == [(2, 1), (3, 1), (4, 0), (4, 1), (4, 2)]
    # A class to whom the question never applies has no share.
    found = shares_by_group(listed_records, 0)
    theft, drugs = found.share[0], found.share[1]
    assert np.isfinite(theft[0])
    assert np.isnan(theft[1])
    assert np.isfinite(drugs).all()
    # Nothing to compare with either.
    assert np.isnan(holm_class_difference_p(*moments_of(found))[0])


def records_of_class(listed: Listed, item: Item, answer: Item) -> Listed:
    """Those of this class who chose disguise and were asked for the answer, whether it applies to them or not."""
    place, code = item
    chosen = [at for at in base(listed, [item, answer]) if listed.codes[place, at] == code]
    return Listed(listed.design, listed.group[chosen], listed.codes[:, chosen])


def moments_of(of: GroupShares) -> tuple[Any, Any, Any, Any]:
    return of.share, of.second, of.slope, of.base


def test_undisclosed_share_is_not_compared(listed_records: Listed) -> None:
    """The share of all, less those of the others, would give it back."""
    found = shares_by_group(listed_records, 1)
    told = found.share.copy()
    told[:, 2] = np.nan
    others = found.second, found.slope, found.base
    together, _low, _high, records = share_interval_of_all_classes(told, *others)
    assert records.tolist() == found.base[:, :2].sum(axis=1).tolist()
    weights = found.base[:, :2] / found.base[:, :2].sum(axis=1, keepdims=True)
    assert together == pytest.approx((weights * found.share[:, :2]).sum(axis=1))
    other = found.share.copy()
    other[:, 2] = 0.99
    # The mean square goes with the share.
    second = found.second + found.slope * (other - found.share)
    with_it = holm_class_difference_p(other, second, found.slope, found.base)
    assert (with_it != holm_class_difference_p(told, *others)).all()


def test_share_is_the_class_mean_score_with_a_support_interval(listed_records: Listed) -> None:
    checked = 0
    for classes in (0, 1):
        found = shares_by_group(listed_records, classes)
        for (row, answer), code in product(enumerate(found.answers), range(found.share.shape[1])):
            if np.isnan(found.share[row, code]):
                continue
            of = records_of_class(listed_records, (classes, code), answer)
            assert set(of.group.tolist()) == {DISGUISED}
            scores = score_rows(of, np.arange(len(of.group)), [answer])
            assert found.base[row, code] == len(scores)
            assert found.share[row, code] == pytest.approx(scores.mean(), abs=1e-12)
            low, high = found.low[row, code], found.high[row, code]
            ends = Question(support_table(of, [answer]), "support").interval()
            assert (low, high) == pytest.approx(ends, abs=1e-6)
            assert low < found.share[row, code] < high
            checked += 1
    # Of the last, by age, every class has a share.
    weights = found.base / found.base.sum(axis=1, keepdims=True)
    together, *_rest = share_interval_of_all_classes(*moments_of(found))
    assert together == pytest.approx((weights * found.share).sum(axis=1))
    assert checked > 20


def test_conditional_question_has_a_share_among_those_shown(listed_records: Listed) -> None:
    found = shares_by_group(listed_records, 1)
    theft = found.answers.index((2, 1))
    for age in range(3):
        of = records_of_class(listed_records, (1, age), (2, 1))
        everybody = np.arange(len(of.group))
        shown = everybody[itemset_applies(of, everybody, [(2, 1)])]
        assert 50 <= len(shown) < len(of.group)
        assert found.shown[theft, age] == len(shown)
        scores = score_rows(of, shown, [(2, 1)])
        assert found.share_shown[theft, age] == pytest.approx(scores.mean(), abs=1e-12)
        ends = Question(support_table(of, [(2, 1)], shown=True), "support").interval()
        assert [found.low_shown[theft, age], found.high_shown[theft, age]] == pytest.approx(ends, abs=1e-6)
    # No rule hides the others.
    others = [row for row in range(len(found.answers)) if row != theft]
    for of_shown in (found.share_shown, found.low_shown, found.high_shown):
        assert np.isnan(of_shown[others]).all()


def test_class_with_few_shown_omits_only_that_share() -> None:
    survey = design(plain(WORK, AGE), sensitive("0.5", question("theft", *HALF, **IF_EMPLOYED)))
    # Of the young 49 work, of the middle-aged 50; 3 is not applicable.
    patterns = [(0, 0, 1), (0, 0, 0), (1, 0, 3), (0, 1, 1), (0, 1, 0), (1, 1, 3), (0, 2, 0), (0, 2, 1)]
    counts = np.array([25, 24, 100, 25, 25, 100, 60, 40])
    found = shares_by_group(Listed(survey, np.ones(8, np.int64), np.array(patterns).T, counts), 1)
    assert np.isnan(found.share).tolist() == [[False, False, False]]
    assert np.isnan(found.share_shown).tolist() == [[True, False, False]]
    assert np.isnan(found.low_shown).tolist() == [[True, False, False]]
    assert found.shown.tolist() == [[49, 50, 100]]
    # Too few of every class.
    patterns = [(0, age, theft) for age in range(3) for theft in (0, 1)] + [(1, age, 3) for age in range(3)]
    counts = np.array([20] * 6 + [100] * 3)
    found = shares_by_group(Listed(survey, np.ones(9, np.int64), np.array(patterns).T, counts), 1)
    assert np.isfinite([found.share, found.low, found.high]).all()
    assert np.isnan([found.share_shown, found.low_shown, found.high_shown]).all()


def test_open_answers_change_no_class(listed_records: Listed) -> None:
    other = Listed(listed_records.design, listed_records.group, listed_records.codes.copy())
    other.codes[:, other.group == OPEN] = np.array([[0], [2], [1], [3], [2]])
    for classes in (0, 1):
        one, same = shares_by_group(listed_records, classes), shares_by_group(other, classes)
        for name in ("share", "low", "high", "base", "shown", "share_shown", "low_shown", "second"):
            np.testing.assert_array_equal(getattr(one, name), getattr(same, name))


BY_AGE = design(plain(AGE), sensitive("0.5", question("theft", *HALF)))


def theft_shares_by_age(counts: Sequence[int], group: int = DISGUISED) -> GroupShares:
    """By age so many records without and with theft."""
    patterns = [(age, theft) for age in range(3) for theft in (0, 1)]
    return shares_by_group(Listed(BY_AGE, np.full(6, group), np.array(patterns).T, np.array(counts)), 0)


def test_test_of_one_section_is_pearsons() -> None:
    """But for skewness, where that makes less of a difference. The error of every class is taken at the common share,
    where what was sent is as common everywhere."""
    table = np.array([[60, 30], [90, 70], [80, 35]])
    found = theft_shares_by_age(table.ravel().tolist())
    assert holm_class_difference_p(*moments_of(found))[0] == pytest.approx(p_of_sent(table))
    # The interval of all classes is Wilson's of 135 of 365 through (received - .25) / .5; the correction for skewness
    # moves it by less than a thousandth.
    (share,), (low,), (high,), (records,) = share_interval_of_all_classes(*moments_of(found))
    n, received, square = 365, 135 / 365, 1.96**2
    middle = received + square / (2 * n)
    half = 1.96 * np.sqrt(received * (1 - received) / n + square / (4 * n**2))
    ends = [((middle + side * half) / (1 + square / n) - 0.25) / 0.5 for side in (-1, 1)]
    assert records == n
    assert share == pytest.approx((received - 0.25) / 0.5)
    assert [low, high] == pytest.approx(ends, abs=1e-3)


def p_of_sent(table: Any) -> float:
    """Each class against the others: z of the pooled share, Wilson and Hilferty's if that is nearer to 0."""
    n, sent = table.sum(axis=1), table[:, 1]
    pooled = sent.sum() / n.sum()
    statistic = 0.0
    for records, having in zip(n, sent, strict=True):
        others = n.sum() - records
        difference = having / records - (sent.sum() - having) / others
        variance = pooled * (1 - pooled) * (1 / records + 1 / others)
        third = pooled * (1 - pooled) * (1 - 2 * pooled) * (1 / records**2 - 1 / others**2)
        statistic += (1 - records / n.sum()) * standardise(difference, variance, third) ** 2
    pearsons = chi2_contingency(table, correction=False).pvalue
    assert chi2.sf(statistic, len(n) - 1) == pytest.approx(pearsons, rel=0.1)
    return float(chi2.sf(statistic, len(n) - 1))


def test_share_after_noise_and_hidden_questions_stays_possible() -> None:
    """Of 369 people without the answer .0922 records show it: one or more in 1 of 11 surveys, so 0 is inside."""
    keep, chance, n = 0.498, 0.502 * 0.0005, np.array([[256.0, 113.0]])
    received = np.array([[1 / 256, 0.0]])
    has, lacks = (1 - chance) / keep, -chance / keep
    share = received * has + (1 - received) * lacks
    second = received * has**2 + (1 - received) * lacks**2
    columns = share, second, np.full((1, 2), has + lacks), n
    _share, (low,), (high,), _n = share_interval_of_all_classes(*columns)
    assert low == 0 < high
    # Keep .5, noise .9, half of the people hidden: a keep of .99 beside a chance of .4 would be no law.
    keep, chance, n = 0.5, 0.45, np.array([[200.0, 200.0]])
    has, lacks, received = (1 - chance) / keep, -chance / keep, np.array([[0.95, 0.95]])
    share = 0.5 * (received * has + (1 - received) * lacks)
    second = 0.5 * (received * has**2 + (1 - received) * lacks**2)
    columns = share, second, np.full((1, 2), has + lacks), n
    (together,), (low,), (high,), _n = share_interval_of_all_classes(*columns)
    assert together == pytest.approx(0.5)
    assert 0 < low < together < high < 1
    assert holm_class_difference_p(*columns) == pytest.approx(1)


def test_open_answers_alone_have_no_classes_and_few_people_no_share() -> None:
    found = theft_shares_by_age([200] * 6, OPEN)
    assert np.isnan(found.share).all()
    assert np.isnan(holm_class_difference_p(*moments_of(found))).all()
    assert found.base.tolist() == [[0, 0, 0]]
    assert np.isnan(theft_shares_by_age([200, 50, 30, 19, 30, 20]).share[0]).tolist() == [False, True, False]


def test_p_values_are_adjusted_by_holm() -> None:
    rng = np.random.default_rng(1)
    two = design(plain(WORK), sensitive("0.5", question("a", *HALF), question("b", *HALF)))
    codes = rng.integers(0, 2, (3, 600))
    codes[1] = codes[0] ^ (rng.random(600) < 0.35)
    both = shares_by_group(Listed(two, np.full(600, DISGUISED), codes), 0)
    alone = [p_of_sent(np.histogram2d(codes[0], codes[row], 2)[0]) for row in (1, 2)]
    assert alone[0] < alone[1]
    adjusted = [2 * alone[0], max(2 * alone[0], alone[1])]
    assert holm_class_difference_p(*moments_of(both)) == pytest.approx(adjusted, rel=1e-6)


REGIONS = {"north": [0, 1, 2], "south": [4, 5]}
"""Of seven cells, so that two lie outside."""
HOME_IN_ROW = place_in_row("home", REGIONS, 7, 2, "6", **IF_EMPLOYED)
SOURCE = make_design(plain(WORK), HOME_IN_ROW, sensitive("0.6", question("theft", "0.4", "0.6")))
MINED = parse_design(json.dumps(SOURCE)).mined
NORTH, SOUTH, ELSEWHERE = 0, 1, 2


def person_has_items(itemset: tuple[Item, ...], person: tuple[int, int, int]) -> bool:
    work, cell, theft = person
    return all((work, item(cell), theft)[place] == code for place, code in itemset)


def item(cell: int) -> int:
    return NORTH if cell in REGIONS["north"] else SOUTH if cell in REGIONS["south"] else ELSEWHERE


def residents(seed: int) -> dict[Person, float]:
    """Work, cell, theft."""
    return random_people([*product([0], range(7), (0, 1)), *product([1], [None], (0, 1))], seed)


WORK_PLACE, HOME, THEFT = 0, 1, 2
HOMES_ITEMS = (NORTH, SOUTH, ELSEWHERE)
DRAWN_SURVEYS = 4_000

BESIDE: list[tuple[Item, ...]] = [(), ((THEFT, 1),)]
ITEMSETS = [((HOME, code), *more) for more in BESIDE for code in HOMES_ITEMS]


def test_hidden_place_is_recovered_among_people_it_applies_to() -> None:
    disguised = residents(3)
    for estimator, k in product(ESTIMATORS, [0.0, 0.3, 1.0]):
        opened = residents(4) if estimator == "stratified" else disguised
        found = reconstruct_supports(Exact(SOURCE, opened, disguised, k), ITEMSETS, estimator)
        employed = [sum(people[of] for of in people if of[0] == 0) for people in (opened, disguised)]
        for row, itemset in enumerate(ITEMSETS):
            expected = true_share(opened, disguised, k, partial(person_has_items, itemset))
            assert found.support[row] == pytest.approx(expected, abs=1e-12), (estimator, k, itemset)
            # All of base(S) were shown the place.
            assert found.base[row] == found.shown[row] == int(1e6 * np.dot([k, 1 - k], employed))
    coherent = coherent_supports(Exact(SOURCE, {}, disguised, 0.0), ITEMSETS)
    assert coherent is not None
    true = [true_share({}, disguised, 0.0, partial(person_has_items, itemset)) for itemset in ITEMSETS]
    assert coherent == pytest.approx(true, abs=1e-6)


def test_intervals_of_regions_and_elsewhere_cover() -> None:
    """Alone, with theft, and by work; some answer openly and are other people."""
    opened, disguised, k = residents(6), residents(5), 0.2
    law = Exact(SOURCE, opened, disguised, k)
    for n, home in product([250, 2_000], HOMES_ITEMS):
        rng = np.random.default_rng(n + home)
        weights = rng.multinomial(n, law.weights / law.weights.sum(), DRAWN_SURVEYS)
        for itemset in ((), ((THEFT, 1),), ((WORK_PLACE, 0),)):
            low, high, used = intervals(law, weights, home, itemset)
            # What joins plain and sensitive items is of people who chose disguise.
            openly = 0.0 if (WORK_PLACE, 0) in itemset else k
            truth = true_share(opened, disguised, openly, partial(person_has_items, ((HOME, home), *itemset)))
            held = ((low <= truth) & (truth <= high))[used]
            assert used.mean() > 0.5
            # .35 points are the standard error of 4,000 surveys.
            assert 0.935 < held.mean() < 0.985, (n, home, itemset)


def intervals(
    law: Listed, weights: np.ndarray, home: int, itemset: tuple[Item, ...]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ends of the interval in each survey, and whether it is above the floors; as it is tabled, in one table."""
    joined = itemset and itemset[0][0] == WORK_PLACE
    weights = weights * ((law.group == DISGUISED) | (not joined))
    asked = law.codes[HOME] != 3
    has = [law.codes[HOME] == home, *(law.codes[place] == code for place, code in itemset)]
    cells = np.array(list(product((False, True), repeat=len(has))))[:, ::-1]
    at_least = np.zeros((len(cells), 2, len(weights)))
    for cell, row in zip(cells, at_least, strict=True):
        having = asked & np.all([~need | of for need, of in zip(cell, has, strict=True)], axis=0)
        row[:] = [(weights * (having & (law.group == g))).sum(axis=1) for g in (OPEN, DISGUISED)]
    keep, noise = [2 / 3], [(3 / 5, 2 / 5, 0.0)[home]]
    parts = [ItemsetPart(ANTECEDENT, 0)]
    if joined:
        # The plain part stands first.
        at_least = at_least[[0, 2, 1, 3]]
        parts, noise = [ItemsetPart(ANTECEDENT, PLAIN), *parts], [1.0, *noise]
    elif itemset:
        parts, keep, noise = [*parts, ItemsetPart(ANTECEDENT, 1)], [*keep, 0.6], [*noise, 0.6]
    table = ContingencyTable(tuple(parts), at_least, np.array(keep)[:, None], np.array(noise)[:, None])
    low, high = share_interval(support_test(table))
    assert_same_ends(law, weights[0], home, itemset, (low[0], high[0]))
    base = at_least[0]
    undisguised = at_least[1 if joined else 0] if home != ELSEWHERE else at_least[3 if joined else 1]
    used = (base.sum(axis=0) >= 50) & ((base == 0) | (undisguised >= 10)).all(axis=0)
    return low, high, used


def assert_same_ends(
    law: Listed, weights: np.ndarray, home: int, itemset: tuple[Item, ...], ends: tuple[float, float]
) -> None:
    """The product makes the same interval of one survey."""
    whole = tuple(sorted([(HOME, home), *itemset]))
    found = reconstruct_supports(Listed(law.design, law.group, law.codes, weights), [whole])
    if found.enough[0]:
        assert (found.low[0], found.high[0]) == pytest.approx(ends, abs=1e-9)


def employed_records(homes: dict[int, int]) -> Listed:
    """So many disguised records of employed people with each region."""
    codes = np.array([(0, home, 0) for home in homes]).T
    return Listed(MINED, np.ones(len(homes), np.int64), codes, np.array(list(homes.values())))


def test_elsewhere_is_estimated_from_ten_records_of_each_group() -> None:
    """By rules and shares by group, too."""
    itemsets = [((HOME, ELSEWHERE),), ((HOME, ELSEWHERE), (THEFT, 0)), ((HOME, SOUTH),)]
    for elsewhere, enough in ((9, False), (10, True)):
        found = reconstruct_supports(employed_records({NORTH: 100, SOUTH: 3, ELSEWHERE: elsewhere}), itemsets)
        assert found.enough.tolist() == [enough, enough, True]
        assert np.isnan(found.support).tolist() == [not enough, not enough, False]
        records = employed_records({NORTH: 100, SOUTH: 20, ELSEWHERE: elsewhere})
        assert bool(len(reconstruct_rules(records, itemsets[1:2], -np.inf, max_size=3))) == enough
        by_work = shares_by_group(records, WORK_PLACE)
        shares = dict(zip(by_work.answers, by_work.share[:, 0].tolist(), strict=True))
        assert np.isnan(shares[HOME, ELSEWHERE]) != enough
        assert not np.isnan(shares[HOME, NORTH])
    # Nine open ones beside forty disguised.
    groups, homes = np.array([1, 1, 0, 0]), [NORTH, ELSEWHERE, NORTH, ELSEWHERE]
    both = Listed(MINED, groups, np.array([[0] * 4, homes, [0] * 4]), np.array([80, 40, 30, 9]))
    of_both = reconstruct_supports(both, [((HOME, ELSEWHERE),), ((HOME, NORTH),)])
    assert of_both.enough.tolist() == [False, True]
    # m (W - V) = 2 * 5 of Z = 10 + 5 sides: b = 2/3.
    found = reconstruct_supports(employed_records({NORTH: 60, SOUTH: 20, ELSEWHERE: 20}), itemsets[:1])
    assert found.support[0] == pytest.approx(0.2 * 3 / 2)
