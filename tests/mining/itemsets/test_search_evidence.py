"""The intervals of reported itemsets in their list, from the records on, against the definition written out."""

from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import beta  # type: ignore[attr-defined]

from mining.engines import candor_engine
from mining.engines.candor_engine import MiningResult
from mining.itemsets.frequent import find_frequent_itemsets
from mining.itemsets.itemset_intervals import rank_by_support
from mining.parameters import Parameters
from mining.queries_and_counters import NONE, Item, Numbering
from mining.reconstruction import Supports
from tests.mining.inference.exact_table import Question
from tests.mining.listed import Listed
from tests.mining.scores import base, contains, plain_only, support_table
from tests.mining.strategies import survey_answered
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
def survey() -> tuple[Listed, MiningResult]:
    given = survey_answered(SURVEY, 900, 0.3, 5)
    found = candor_engine.mine_rules(given.records().counter(), WANTED)
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


def test_the_search_looked_through_more_than_it_reported(survey: tuple[Listed, MiningResult]) -> None:
    found = survey[1].frequent.supports
    alone = [itemset for itemset in itemsets(found) if len(itemset) == 1]
    assert len(alone) < SINGLES
    # Drugs is frequent only with others, by chance, and in the family all the same.
    assert ((3, 1),) not in alone
    assert any((3, 1) in itemset for itemset in itemsets(found))
    assert len(found) < looked_through(found)


def level_at(place: int, family: int) -> float:
    """As the design says it: the largest power of two up to the place."""
    k = max(2**power for power in range(10) if 2**power <= place)
    return max(1.96, NormalDist().inv_cdf(1 - 0.025 * k / family))


def test_in_the_list_intervals_are_of_the_level_of_their_place(survey: tuple[Listed, MiningResult]) -> None:
    listed, found = survey[0], survey[1].frequent.supports
    family = looked_through(found)
    by_support = np.argsort(-found.support, kind="stable").tolist()
    assert level_at(1, family) > 2.9
    for place, row in enumerate(by_support, start=1):
        itemset, level = itemsets(found)[row], level_at(place, family)
        tail = NormalDist().cdf(-level) if level > 1.96 else 0.025
        ends = found.low_listed[row], found.high_listed[row]
        if plain_only(listed, itemset):
            records = base(listed, itemset)
            yes = contains(listed, records, itemset).sum()
            no = len(records) - yes
            assert ends[0] == pytest.approx(beta.ppf(tail, yes, no + 1), rel=1e-5)
            assert ends[1] == pytest.approx(beta.ppf(1 - tail, yes + 1, no), rel=1e-5)
        else:
            expected = Question(support_table(listed, itemset), "support").interval(level)
            assert ends == pytest.approx(expected, abs=1e-6)
        assert ends[0] <= found.low[row] <= found.support[row] <= found.high[row] <= ends[1]


def test_places_are_by_the_estimated_support(survey: tuple[Listed, MiningResult]) -> None:
    found = survey[1].frequent.supports
    places = rank_by_support(found)
    assert sorted(places.tolist()) == list(range(1, len(found) + 1))
    assert (np.diff(found.support[np.argsort(places)]) <= 1e-9).all()


def test_of_a_search_that_reports_nothing_nothing_is_judged() -> None:
    half = np.arange(60) % 2
    nobody = Listed(SURVEY, np.ones(60, np.int64), np.stack([half, half, 3 * half, half, half]))
    found = find_frequent_itemsets(nobody, Parameters(0.95, 0.5)).supports
    assert len(found) == 0
    assert found.low_listed.tolist() == []
