"""What reported itemsets are worth, from the records to the badge, against the definition written out."""

from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import beta, binom  # type: ignore[attr-defined]

from mining.counts import NONE, Item, Numbering
from mining.engines import bitmap
from mining.engines.found import Found
from mining.itemsets.frequent import frequent
from mining.parameters import Parameters
from mining.reconstruction import Supports, reconstruct
from tests.mining.counting.by_hand import CACHE
from tests.mining.engines.surveyed import answered
from tests.mining.inference.one_test import Question
from tests.mining.listed import Listed
from tests.mining.scores import base, contains, plain_only
from tests.mining.tabled import support_table
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, design, plain, question, sensitive

pytestmark = pytest.mark.proof
SURVEY = design(
    plain(WORK, {"name": "age", "choices": ["young", "old"]}),
    sensitive("0.5", question("theft", "0.6", "0.4", **IF_EMPLOYED), question("drugs", *HALF)),
    sensitive("0.7", question("drink", "0.2", "0.5", "0.3")),
)
WANTED = Parameters(0.26, 0.4, max_size=3)
SINGLES = 9
"""Work and age have two items each, theft and drugs one, drink three."""


@pytest.fixture(scope="module")
def survey() -> tuple[Listed, Found]:
    given = answered(SURVEY, 900, 0.3, 5)
    found = bitmap.find(given.records().counter(CACHE), WANTED)
    return Listed(SURVEY, given.group, given.codes), found


def itemsets(found: Supports) -> list[tuple[Item, ...]]:
    numbering = Numbering(SURVEY)
    return [
        tuple(numbering.item(number) for number in row if number != NONE) for row in found.itemsets.tolist()
    ]


def looked_through(found: Supports) -> int:
    """Every single item, and every pair and triple of those that are in a reported itemset."""
    items = sorted({item for itemset in itemsets(found) for item in itemset})
    larger = [of for size in (2, 3) for of in combinations(items, size) if len(dict(of)) == size]
    return SINGLES + len(larger)


def p_of(listed: Listed, itemset: tuple[Item, ...]) -> float:
    if plain_only(listed, itemset):
        records = base(listed, itemset)
        having = sum(contains(listed, at, itemset) for at in records)
        return float(binom.sf(having - 1, len(records), WANTED.min_support))
    z = Question(support_table(listed, itemset), "support").z(WANTED.min_support)
    return NormalDist().cdf(-z)


def test_the_search_looked_through_more_than_it_reported(survey: tuple[Listed, Found]) -> None:
    found = survey[1].frequent.supports
    alone = [itemset for itemset in itemsets(found) if len(itemset) == 1]
    assert len(alone) < SINGLES
    # Drugs is frequent only with others, by chance, and in the family all the same.
    assert ((3, 1),) not in alone
    assert any((3, 1) in itemset for itemset in itemsets(found))
    assert len(found) < looked_through(found)


def test_q_holds_is_of_all_that_was_reported(survey: tuple[Listed, Found]) -> None:
    listed, found = survey[0], survey[1].frequent.supports
    p = [p_of(listed, itemset) for itemset in itemsets(found)]
    assert found.p == pytest.approx(p, rel=1e-6, abs=1e-12)
    tests = min(2 * len(p), looked_through(found))
    ranked = sorted(p)
    expected = [
        min(1.0, *(of * tests / rank for rank, of in enumerate(ranked, start=1) if of >= one)) for one in p
    ]
    assert found.q_holds == pytest.approx(expected, rel=1e-6, abs=1e-12)
    assert found.holds.tolist() == [q <= 0.05 for q in expected]
    assert 0 < found.holds.sum() < len(found)


def test_after_the_search_intervals_are_of_the_level_that_is_left(survey: tuple[Listed, Found]) -> None:
    listed, found = survey[0], survey[1].frequent.supports
    tail = 0.025 * len(found) / looked_through(found)
    level = -NormalDist().inv_cdf(tail)
    assert level > 2.2
    for row, itemset in enumerate(itemsets(found)):
        after = found.low_after[row], found.high_after[row]
        if plain_only(listed, itemset):
            records = base(listed, itemset)
            yes = sum(contains(listed, at, itemset) for at in records)
            no = len(records) - yes
            assert after[0] == pytest.approx(beta.ppf(tail, yes, no + 1), rel=1e-5)
            assert after[1] == pytest.approx(beta.ppf(1 - tail, yes + 1, no), rel=1e-5)
        else:
            ends = Question(support_table(listed, itemset), "support").interval(level)
            assert after == pytest.approx(ends, abs=1e-6)
        assert after[0] <= found.low[row] <= found.support[row] <= found.high[row] <= after[1]


def test_without_a_search_nothing_holds(survey: tuple[Listed, Found]) -> None:
    alone = reconstruct(survey[0], [((0, 0),), ((2, 1),)])
    assert np.isnan(alone.q_holds).all()
    assert alone.holds.tolist() == [False, False]


def test_what_holds_is_taken_along(survey: tuple[Listed, Found]) -> None:
    found = survey[1].frequent.supports
    some = found.take(np.array([3, 1]))
    assert some.q_holds.tolist() == found.q_holds[[3, 1]].tolist()
    assert some.holds.tolist() == found.holds[[3, 1]].tolist()
    assert some.itemsets.tolist() == found.itemsets[[3, 1]].tolist()
    assert len(found.take(found.holds)) == found.holds.sum()


def test_of_a_search_that_reports_nothing_nothing_is_judged() -> None:
    half = np.arange(60) % 2
    nobody = Listed(SURVEY, np.ones(60, np.int64), np.stack([half, half, 3 * half, half, half]))
    found = frequent(nobody, Parameters(0.95, 0.5)).supports
    assert len(found) == 0
    assert (found.holds.tolist(), found.q_holds.tolist(), found.low_after.tolist()) == ([], [], [])
