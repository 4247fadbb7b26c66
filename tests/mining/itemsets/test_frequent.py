"""What is reported, what is kept to grow, and where a search stops."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from mining.counting import HistogramCounter, PatternHistogram
from mining.itemsets.candidates import single_items
from mining.itemsets.frequent import Frequent, Level, StoppedSearch, find_frequent_itemsets, reaches_support
from mining.parameters import Parameters
from mining.queries_and_counters import NONE, Item, Numbering
from mining.reconstruction import CachedCounter, reconstruct
from privacy.designs import Design
from tests.mining.counting.by_hand import Records, is_settled, packed
from tests.mining.strategies import Answered, surveys
from tests.privacy.questionnaires import HALF, design, question, sensitive

pytestmark = pytest.mark.proof


def form(**more: int) -> Design:
    """Theft 1, drugs 3, lying 5 are the items yes."""
    return design(sensitive("0.5", *[question(name, *HALF) for name in ("theft", "drugs", "lying")], **more))


def mined(records: Records, wanted: Parameters, of: Design | None = None) -> Frequent:
    of = of or form()
    return find_frequent_itemsets(
        HistogramCounter(PatternHistogram.count_records(of, [packed(of, records)])), wanted
    )


def named(found: Frequent) -> list[tuple[int, ...]]:
    return [tuple(number for number in row if number != NONE) for row in found.itemsets.tolist()]


# All open, so that a support is simply a share: of 100 records 40, 35, 30 say yes, and 20 both first two.
OPEN: Records = [
    *[(0, [1, 1, 0])] * 20,
    *[(0, [1, 0, 1])] * 20,
    *[(0, [0, 1, 1])] * 10,
    *[(0, [0, 1, 0])] * 5,
    *[(0, [0, 0, 0])] * 45,
]


def test_open_records_give_the_plain_shares() -> None:
    found = mined(OPEN, Parameters(0.2, 0.5))
    assert named(found) == [(1,), (3,), (5,), (1, 3), (1, 5)]
    assert found.supports.support.round(12).tolist() == [0.4, 0.35, 0.3, 0.2, 0.2]


def test_a_support_that_is_the_threshold_is_frequent() -> None:
    assert named(mined(OPEN, Parameters(0.4, 0.5))) == [(1,)]


def test_a_candidate_is_kept_while_three_errors_more_would_make_it_frequent() -> None:
    # .1 and 3 sqrt(.1 * .9 / 100) = .09 reach .19, not .191.
    assert mined(OPEN, Parameters(0.19, 0.5)).levels[1].survivors == 3
    assert mined(OPEN, Parameters(0.191, 0.5)).levels[1].survivors == 2


def test_how_many_errors_can_be_chosen() -> None:
    assert mined(OPEN, Parameters(0.19, 0.5, errors=2.9)).levels[1].survivors == 2


def test_the_size_is_limited() -> None:
    assert [level.size for level in mined(OPEN, Parameters(0.01, 0.5, max_size=2)).levels] == [1, 2]


def test_absences_are_mined_if_asked_for() -> None:
    found = mined(OPEN, Parameters(0.65, 0.5, absences=True))
    assert named(found) == [(2,), (4,)]


def test_what_no_record_holds_is_not_reported_however_large_its_estimate() -> None:
    supports = mined(OPEN, Parameters(0.4, 0.5)).supports
    assert reaches_support(supports, 0.4).tolist() == [True]
    assert reaches_support(replace(supports, observed=np.zeros(1)), 0.4).tolist() == [False]


def test_with_fewer_than_fifty_asked_nothing_is_estimated() -> None:
    assert len(mined(OPEN[:49], Parameters(0.01, 0.5)).itemsets) == 0
    assert len(mined(OPEN[:50], Parameters(0.01, 0.5)).itemsets) > 0


def test_a_level_past_the_cap_stops_the_search_and_says_which_threshold_would_fit() -> None:
    # Three single items make three pairs, until lying is too rare to be kept: .3 and three errors are .43748.
    found = mined(OPEN, Parameters(0.1, 0.5, most=2))
    assert named(found) == [(1,), (3,), (5,)]
    assert found.stopped == StoppedSearch(2, 2, 0.4375)
    assert mined(OPEN, Parameters(0.4375, 0.5, most=2)).stopped is None
    assert mined(OPEN, Parameters(0.4374, 0.5, most=2)).stopped is not None


def test_where_no_threshold_fits_none_is_named() -> None:
    everything: Records = [(0, [1, 1, 1])] * 100
    assert mined(everything, Parameters(0.1, 0.5, most=2)).stopped == StoppedSearch(2, 2, None)


def test_each_level_is_watched_before_and_after() -> None:
    seen: list[Level] = []
    counter = HistogramCounter(PatternHistogram.count_records(form(), [packed(form(), OPEN)]))
    find_frequent_itemsets(counter, Parameters(0.2, 0.5, max_size=2), seen.append)
    assert seen == [Level(1, 3), Level(1, 3, 3, 3), Level(2, 3), Level(2, 3, 2, 2)]


class Enough(Exception):
    pass


def test_who_watches_may_end_the_search() -> None:
    def stop(level: Level) -> None:
        if level.size == 2:
            raise Enough

    counter = HistogramCounter(PatternHistogram.count_records(form(), [packed(form(), OPEN)]))
    with pytest.raises(Enough):
        find_frequent_itemsets(counter, Parameters(0.2, 0.5), stop)


wanted = st.builds(
    Parameters,
    min_support=st.sampled_from([0.02, 0.1, 0.3]),
    min_confidence=st.just(0.5),
    estimator=st.sampled_from(["stratified", "pooled", "combined"]),
    exact=st.just(True),
    max_size=st.integers(1, 3),
    absences=st.booleans(),
    most=st.just(10**6),
)


@pytest.mark.night
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(surveys(), wanted, st.booleans())
def test_exact_misses_nothing(answered: Answered, wanted: Parameters, withhold: bool) -> None:
    known = CachedCounter(answered.records(withhold=withhold).counter())
    found = set(named(find_frequent_itemsets(known, wanted)))
    everything = [tuple(sorted(itemset)) for itemset in all_itemsets(answered.design.mined, wanted)]
    supports = reconstruct(known, written(known.numbering, everything), wanted.estimator)
    enough = dict(zip(everything, supports.enough, strict=True))
    settled = {
        itemset
        for itemset in everything
        if is_settled(answered.design.mined, map(known.numbering.item, itemset))
    }
    for itemset, support, observed in zip(everything, supports.support, supports.observed, strict=True):
        # What the questionnaire implies is not looked at, and neither is what contains it.
        estimated = all(enough[part] and part not in settled for part in subsets(itemset))
        reaches = estimated and observed > 0 and support >= wanted.min_support + 1e-8
        falls_short = not estimated or observed == 0 or support < wanted.min_support - 1e-8
        assert reaches <= (itemset in found) <= (not falls_short)


def all_itemsets(of: Design, wanted: Parameters) -> Iterator[tuple[int, ...]]:
    numbering = Numbering(of)
    by_question: dict[int, list[int]] = {}
    for number in single_items(of, numbering, absences=wanted.absences)[:, 0].tolist():
        by_question.setdefault(numbering.item(number)[0], []).append(number)
    for size in range(1, wanted.max_size + 1):
        for questions in combinations(by_question.values(), size):
            yield from product(*questions)


def subsets(itemset: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for size in range(1, len(itemset) + 1):
        yield from combinations(itemset, size)


def written(numbering: Numbering, itemsets: Sequence[tuple[int, ...]]) -> list[tuple[Item, ...]]:
    return [tuple(numbering.item(number) for number in itemset) for itemset in itemsets]


def test_thresholds_outside_0_and_1_are_refused(subtests: pytest.Subtests) -> None:
    for threshold in [0.0, -0.1, 1.1, np.nan]:
        with subtests.test(f"{threshold!r:.60}"):
            with pytest.raises(ValueError, match="min_support"):
                Parameters(threshold, 0.5)
            with pytest.raises(ValueError, match="min_confidence"):
                Parameters(0.5, threshold)
