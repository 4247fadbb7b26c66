"""Regions and elsewhere, an item without noise: estimates against the exact law, floors, intervals."""

import json
from functools import partial
from itertools import product

import numpy as np
import pytest

from mining.inference.contingency_table import ANTECEDENT, PLAIN, ContingencyTable, ItemsetPart
from mining.inference.intervals import share_interval
from mining.inference.score_test import support_test
from mining.queries_and_counters import Item
from mining.reconstruction import ESTIMATORS, reconstruct
from mining.reconstruction.coherent_supports import coherent_supports
from mining.reconstruction.shares_by_group import shares_by_group
from mining.rules import rules
from privacy.designs import parse
from tests.mining.listed import DISGUISED, OPEN, Exact, Listed, Person, random_people, true_share
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, place_in_row, plain, question, sensitive, written

REGIONS = {"north": [0, 1, 2], "south": [4, 5]}
"""Of seven cells, so that two lie outside."""
SOURCE = written(
    plain(WORK),
    place_in_row("home", REGIONS, 7, 2, "6", **IF_EMPLOYED),
    sensitive("0.6", question("theft", "0.4", "0.6")),
)
MINED = parse(json.dumps(SOURCE)).mined
NORTH, SOUTH, ELSEWHERE = 0, 1, 2


def holds(itemset: tuple[Item, ...], person: tuple[int, int, int]) -> bool:
    work, cell, theft = person
    return all((work, item(cell), theft)[place] == code for place, code in itemset)


def item(cell: int) -> int:
    return NORTH if cell in REGIONS["north"] else SOUTH if cell in REGIONS["south"] else ELSEWHERE


def residents(seed: int) -> dict[Person, float]:
    """Work, cell, theft."""
    return random_people([*product([0], range(7), (0, 1)), *product([1], [None], (0, 1))], seed)


pytestmark = pytest.mark.proof
WORK_PLACE, HOME, THEFT = 0, 1, 2
HOMES_ITEMS = (NORTH, SOUTH, ELSEWHERE)
SURVEYS = 4_000


ITEMSETS: list[tuple[Item, ...]] = [
    ((HOME, code), *more) for more in ((), ((THEFT, 1),)) for code in HOMES_ITEMS
]


def test_a_hidden_place_comes_back_among_those_to_whom_it_applies() -> None:
    disguised = residents(3)
    for estimator, k in product(ESTIMATORS, [0.0, 0.3, 1.0]):
        opened = residents(4) if estimator == "stratified" else disguised
        found = reconstruct(Exact(SOURCE, opened, disguised, k), ITEMSETS, estimator)
        employed = [sum(people[of] for of in people if of[0] == 0) for people in (opened, disguised)]
        for row, itemset in enumerate(ITEMSETS):
            expected = true_share(opened, disguised, k, partial(holds, itemset))
            assert found.support[row] == pytest.approx(expected, abs=1e-12), (estimator, k, itemset)
            # All of base(S) were shown the place.
            assert found.base[row] == found.shown[row] == int(1e6 * np.dot([k, 1 - k], employed))
    coherent = coherent_supports(Exact(SOURCE, {}, disguised, 0.0), ITEMSETS)
    assert coherent is not None
    true = [true_share({}, disguised, 0.0, partial(holds, itemset)) for itemset in ITEMSETS]
    assert coherent == pytest.approx(true, abs=1e-6)


def test_intervals_of_regions_and_of_elsewhere_cover() -> None:
    """Alone, with theft, and by work; some answer openly and are other people."""
    opened, disguised, k = residents(6), residents(5), 0.2
    law = Exact(SOURCE, opened, disguised, k)
    for n, home in product([250, 2_000], HOMES_ITEMS):
        rng = np.random.default_rng(n + home)
        weights = rng.multinomial(n, law.weights / law.weights.sum(), SURVEYS)
        for itemset in ((), ((THEFT, 1),), ((WORK_PLACE, 0),)):
            low, high, used = intervals(law, weights, home, itemset)
            # What joins plain and sensitive items is of people who chose disguise.
            openly = 0.0 if (WORK_PLACE, 0) in itemset else k
            truth = true_share(opened, disguised, openly, partial(holds, ((HOME, home), *itemset)))
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
    check(law, weights[0], home, itemset, (low[0], high[0]))
    base = at_least[0]
    undisguised = at_least[1 if joined else 0] if home != ELSEWHERE else at_least[3 if joined else 1]
    used = (base.sum(axis=0) >= 50) & ((base == 0) | (undisguised >= 10)).all(axis=0)
    return low, high, used


def check(
    law: Listed, weights: np.ndarray, home: int, itemset: tuple[Item, ...], ends: tuple[float, float]
) -> None:
    """The product makes the same interval of one survey."""
    whole = tuple(sorted([(HOME, home), *itemset]))
    found = reconstruct(Listed(law.design, law.group, law.codes, weights), [whole])
    if found.enough[0]:
        assert (found.low[0], found.high[0]) == pytest.approx(ends, abs=1e-9)


def employed(homes: dict[int, int], theft: int = 0, group: int = 1) -> Listed:
    """So many employed records with each region."""
    codes = np.array([(0, home, theft) for home in homes]).T
    return Listed(MINED, np.full(len(homes), group), codes, np.array(list(homes.values())))


def test_elsewhere_is_estimated_from_ten_records_of_each_group_on_like_a_plain_answer() -> None:
    """By rules and shares by group, too."""
    itemsets: list[tuple[Item, ...]] = [
        ((HOME, ELSEWHERE),),
        ((HOME, ELSEWHERE), (THEFT, 0)),
        ((HOME, SOUTH),),
    ]
    for elsewhere, enough in ((9, False), (10, True)):
        found = reconstruct(employed({NORTH: 100, SOUTH: 3, ELSEWHERE: elsewhere}), itemsets)
        assert found.enough.tolist() == [enough, enough, True]
        assert np.isnan(found.support).tolist() == [not enough, not enough, False]
        records = employed({NORTH: 100, SOUTH: 20, ELSEWHERE: elsewhere})
        assert bool(len(rules(records, itemsets[1:2], -np.inf, max_size=3))) == enough
        by_work = shares_by_group(records, WORK_PLACE)
        shares = dict(zip(by_work.answers, by_work.share[:, 0].tolist(), strict=True))
        assert np.isnan(shares[HOME, ELSEWHERE]) != enough
        assert not np.isnan(shares[HOME, NORTH])
    disguised, opened = employed({NORTH: 80, ELSEWHERE: 40}), employed({NORTH: 30, ELSEWHERE: 9}, group=0)
    group, codes, weights = (
        np.concatenate([getattr(of, name) for of in (disguised, opened)], axis=-1)
        for name in ("group", "codes", "weights")
    )
    both = Listed(MINED, group, codes, weights)
    assert reconstruct(both, [((HOME, ELSEWHERE),), ((HOME, NORTH),)]).enough.tolist() == [False, True]
    # m (W - V) = 2 * 5 of Z = 10 + 5 sides: b = 2/3.
    found = reconstruct(employed({NORTH: 60, SOUTH: 20, ELSEWHERE: 20}), itemsets[:1])
    assert found.support[0] == pytest.approx(0.2 * 3 / 2)
