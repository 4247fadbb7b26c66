"""What reported rules are worth, from the records to the badge, against the definition written out."""

from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest

from mining.engines import bitmap
from mining.engines.found import Found
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter, reconstruct
from mining.reconstruction.supports import Estimator
from mining.rules import rules
from tests.mining.counting.by_hand import CACHE
from tests.mining.engines.surveyed import answered
from tests.mining.inference.one_test import Question
from tests.mining.listed import Listed
from tests.mining.rules.sided import sides
from tests.mining.scores import plain_only
from tests.mining.tabled import rule_table, support_table
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, design, plain, question, sensitive

pytestmark = pytest.mark.proof
SURVEY = design(
    plain(WORK),
    sensitive("0.5", question("theft", "0.6", "0.4", **IF_EMPLOYED), question("drugs", "0.5", "0.5")),
    sensitive("0.7", question("drink", "0.2", "0.8"), question("late", "0.6", "0.4")),
)
WANTED = Parameters(0.15, 0.5, max_size=3)


@pytest.fixture(scope="module")
def survey() -> tuple[Listed, Found]:
    given = answered(SURVEY, 1_200, 0.3, 2)
    return Listed(SURVEY, given.group, given.codes), bitmap.find(given.records().counter(CACHE), WANTED)


def family(found: Found) -> int:
    """Unordered splits of every pair and triple of the items that are in a reported itemset."""
    numbers = {number for row in found.frequent.itemsets.tolist() for number in row if number >= 0}
    items = sorted(
        {CachedCounter(Listed(SURVEY, np.ones(1), np.zeros((5, 1)))).numbering.item(n) for n in numbers}
    )
    splits = 0
    for size, each in ((2, 1), (3, 3)):
        splits += each * sum(len(dict(of)) == size for of in combinations(items, size))
    return splits


def below(z: float) -> float:
    return NormalDist().cdf(-z)


def p_of(listed: Listed, found: Found, row: int) -> float:
    """The larger of those of the support, among base(S), and of the confidence, among E(S)."""
    antecedent, consequent, whole = sides(found.rules, row, SURVEY)
    confidence = Question(rule_table(listed, antecedent, consequent), "confidence")
    support = Question(support_table(listed, whole), "support")
    return max(below(confidence.z(WANTED.min_confidence)), below(support.z(WANTED.min_support)))


def stepped_up(p: list[float], tests: int) -> list[float]:
    ranked = sorted(p)
    return [
        min(1.0, *(of * tests / rank for rank, of in enumerate(ranked, start=1) if of >= one)) for one in p
    ]


def test_q_holds_is_of_the_worse_of_support_and_confidence(survey: tuple[Listed, Found]) -> None:
    listed, found = survey
    p = [p_of(listed, found, row) for row in range(len(found.rules))]
    # A rule has two directions; twice what was reported is more than enough where the family is large.
    expected = stepped_up(p, min(2 * len(p), 2 * family(found)))
    assert found.rules.q_holds == pytest.approx(expected, rel=1e-5, abs=1e-9)
    assert found.rules.holds.tolist() == [q <= 0.05 for q in expected]
    assert 3 < found.rules.holds.sum() < len(p) - 3


def test_q_is_of_all_splits_of_the_family(survey: tuple[Listed, Found]) -> None:
    listed, found = survey
    splits: dict[int, float] = {}
    for row in range(len(found.rules)):
        antecedent, consequent, _whole = sides(found.rules, row, SURVEY)
        z = Question(rule_table(listed, antecedent, consequent), "lift").z(1.0)
        splits[int(found.rules.split[row])] = 2 * below(abs(z))
    assert sorted(splits) == list(range(len(found.rules.splits.p)))
    p = [splits[split] for split in sorted(splits)]
    assert found.rules.splits.p == pytest.approx(p, rel=1e-5, abs=1e-9)
    assert found.rules.splits.q == pytest.approx(stepped_up(p, family(found)), rel=1e-5, abs=1e-9)


def test_after_the_search_intervals_are_of_the_level_that_is_left(survey: tuple[Listed, Found]) -> None:
    listed, found = survey
    of = found.rules
    level = NormalDist().inv_cdf(1 - 0.025 * len(of) / (2 * family(found)))
    assert level > 2
    for row in range(len(of)):
        antecedent, consequent, _whole = sides(of, row, SURVEY)
        table = rule_table(listed, antecedent, consequent)
        ends = Question(table, "confidence").interval(level)
        assert (of.confidence_low_after[row], of.confidence_high_after[row]) == pytest.approx(ends, abs=1e-6)
        assert of.confidence_low_after[row] <= of.confidence_low[row]
        assert of.confidence_high[row] <= of.confidence_high_after[row]
        ends = Question(table, "lift").interval(level)
        assert (of.lift_low_after[row], of.lift_high_after[row]) == pytest.approx(ends, rel=1e-6, abs=1e-6)
        assert of.lift_low_after[row] <= of.lift_low[row] <= of.lift_high[row] <= of.lift_high_after[row]


def test_where_the_support_was_not_tested_q_holds_is_of_the_confidence_alone(
    survey: tuple[Listed, Found],
) -> None:
    listed, found = survey
    made = rules(listed, found.frequent.itemsets, WANTED.min_confidence, max_size=WANTED.max_size)
    p = []
    for row in range(len(made)):
        antecedent, consequent, _whole = sides(made, row, SURVEY)
        p.append(below(Question(rule_table(listed, antecedent, consequent), "confidence").z(0.5)))
    assert made.q_holds == pytest.approx(
        stepped_up(p, min(2 * len(p), 2 * family(found))), rel=1e-5, abs=1e-9
    )


def test_what_holds_is_taken_along(survey: tuple[Listed, Found]) -> None:
    of = survey[1].rules
    some = of.take(np.array([5, 2]))
    assert some.q_holds.tolist() == of.q_holds[[5, 2]].tolist()
    assert some.holds.tolist() == of.holds[[5, 2]].tolist()
    assert some.lift_low_after.tolist() == of.lift_low_after[[5, 2]].tolist()
    assert len(of.take(of.holds)) == of.holds.sum()


def test_a_plain_rule_has_the_one_tests_interval_while_its_support_keeps_its_own() -> None:
    found = design(plain(WORK, {"name": "age", "choices": ["young", "old"]}))
    codes = np.array([[0, 0, 1, 1], [0, 1, 0, 1]])
    listed = Listed(found, np.ones(4, np.int64), codes, np.array([30, 10, 20, 40]))
    itemset = ((0, 0), (1, 0))
    assert plain_only(listed, itemset)
    made = rules(listed, [itemset], 0.0, max_size=2)
    for row in range(2):
        antecedent, consequent, _whole = sides(made, row, found)
        ends = Question(rule_table(listed, antecedent, consequent), "confidence").interval()
        assert (made.confidence_low[row], made.confidence_high[row]) == pytest.approx(ends, abs=1e-6)
    # Clopper and Pearson's of 30 in 100, from a table.
    alone = reconstruct(listed, [itemset])
    assert (alone.low[0], alone.high[0]) == (pytest.approx(0.2124, abs=1e-4), pytest.approx(0.3998, abs=1e-4))


@pytest.mark.parametrize("estimator", ["pooled", "combined"])
def test_the_other_estimators_have_all_of_it_too(survey: tuple[Listed, Found], estimator: Estimator) -> None:
    listed, _found = survey
    wanted = Parameters(0.15, 0.5, max_size=3, estimator=estimator)
    of = bitmap.find(listed, wanted).rules
    assert len(of) > 5
    assert np.isfinite([of.p, of.q, of.q_holds]).all()
    there = np.isfinite(of.confidence_low)
    assert there.any()
    assert (of.confidence_low_after[there] <= of.confidence_low[there]).all()
    assert (of.confidence_high_after[there] >= of.confidence_high[there]).all()
    assert (of.confidence_low[there] >= 0).all()
    assert (of.confidence_high[there] <= 1).all()
    told = np.isfinite(of.lift_low)
    # p is that of Fieller's z at 1, so that its interval leaves 1 out exactly where p is below .05.
    excluded = (of.lift_low > 1) | (of.lift_high < 1)
    assert (excluded[told] == (of.p[told] < 0.049996)).all()
    assert (of.q >= of.p).all()
