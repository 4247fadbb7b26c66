"""What is reported, what is kept to grow, where a search stops, the intervals of its list, and what pruning loses."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from scipy.stats import beta  # type: ignore[attr-defined]

from bench.pruning import (
    ALLOWANCES,
    ONE_IN_A_HUNDRED,
    Lost,
    Setting,
    kinds,
    lost,
    row_of,
    settings as pruning_settings,
)
from mining.counting import HistogramCounter, PatternHistogram
from mining.engines import candor_engine
from mining.engines.candor_engine import MiningResult
from mining.itemsets import frequent
from mining.itemsets.candidates import single_items
from mining.itemsets.frequent import (
    Frequent,
    Level,
    StoppedSearch,
    find_frequent_itemsets,
    reaches_support,
    search_itemsets_without_intervals,
)
from mining.itemsets.itemset_intervals import rank_by_support
from mining.parameters import ERRORS, Parameters
from mining.queries_and_counters import NONE, Item, Numbering
from mining.reconstruction import CachedCounter, Supports, reconstruct_supports
from privacy.designs import Design
from runs.pages.start_and_forecast_forms import StartRunForm
from tests.mining.inference.exact_table import Question
from tests.mining.listed import (
    Listed,
    Records,
    base,
    contains_itemset,
    is_settled,
    level_at,
    pack_records,
    plain_only,
    subsets_of,
    support_table,
)
from tests.mining.strategies import Answered, survey_answered, surveys
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, design, plain, question, sensitive

pytestmark = pytest.mark.proof


FORM = design(sensitive("0.5", *[question(name, *HALF) for name in ("theft", "drugs", "lying")]))
"""Theft 1, drugs 3, lying 5 are the items yes."""


def counter(records: Records) -> HistogramCounter:
    return HistogramCounter(PatternHistogram.count_records(FORM, [pack_records(FORM, records)]))


def find_itemsets(records: Records, wanted: Parameters) -> Frequent:
    return find_frequent_itemsets(counter(records), wanted)


def itemset_tuples(found: Frequent) -> list[tuple[int, ...]]:
    return [tuple(number for number in row if number != NONE) for row in found.itemsets.tolist()]


# All open, so that a support is simply a share: of 100 records 40, 35, 30 say yes, and 20 both first two.
OPEN: Records = [(0, [1, 1, 0])] * 20 + [(0, [1, 0, 1])] * 20 + [(0, [0, 1, 1])] * 10
OPEN += [(0, [0, 1, 0])] * 5 + [(0, [0, 0, 0])] * 45


def test_frequent_and_growable_itemsets_by_hand() -> None:
    """A support that is the threshold is frequent; what no record holds is not, however large its estimate."""
    found = find_itemsets(OPEN, Parameters(0.2, 0.5))
    assert itemset_tuples(found) == [(1,), (3,), (5,), (1, 3), (1, 5)]
    assert found.supports.support.round(12).tolist() == [0.4, 0.35, 0.3, 0.2, 0.2]
    at_threshold = find_itemsets(OPEN, Parameters(0.4, 0.5))
    assert itemset_tuples(at_threshold) == [(1,)]
    assert reaches_support(at_threshold.supports, 0.4).tolist() == [True]
    assert reaches_support(replace(at_threshold.supports, observed=np.zeros(1)), 0.4).tolist() == [False]
    # .1 and 3 sqrt(.1 * .9 / 100) = .09 reach .19, not .191.
    assert find_itemsets(OPEN, Parameters(0.19, 0.5)).levels[1].survivors == 3
    assert find_itemsets(OPEN, Parameters(0.191, 0.5)).levels[1].survivors == 2
    assert find_itemsets(OPEN, Parameters(0.19, 0.5, errors=2.9)).levels[1].survivors == 2
    assert [level.size for level in find_itemsets(OPEN, Parameters(0.01, 0.5, max_size=2)).levels] == [1, 2]
    assert itemset_tuples(find_itemsets(OPEN, Parameters(0.65, 0.5, absences=True))) == [(2,), (4,)]
    # With fewer than fifty asked nothing is estimated.
    assert len(find_itemsets(OPEN[:49], Parameters(0.01, 0.5)).itemsets) == 0
    assert len(find_itemsets(OPEN[:50], Parameters(0.01, 0.5)).itemsets) > 0


def test_level_past_the_cap_stops_the_search_and_names_a_threshold() -> None:
    # Three single items make three pairs, until lying is too rare to be kept: .3 and three errors are .43748.
    found = find_itemsets(OPEN, Parameters(0.1, 0.5, most=2))
    assert itemset_tuples(found) == [(1,), (3,), (5,)]
    assert found.stopped == StoppedSearch(2, 2, 0.4375)
    assert find_itemsets(OPEN, Parameters(0.4375, 0.5, most=2)).stopped is None
    assert find_itemsets(OPEN, Parameters(0.4374, 0.5, most=2)).stopped is not None
    # Where no threshold fits none is named.
    everything: Records = [(0, [1, 1, 1])] * 100
    assert find_itemsets(everything, Parameters(0.1, 0.5, most=2)).stopped == StoppedSearch(2, 2, None)


def test_watcher_sees_each_level_and_may_end_the_search() -> None:
    seen: list[Level] = []
    find_frequent_itemsets(counter(OPEN), Parameters(0.2, 0.5, max_size=2), seen.append)
    assert seen == [Level(1, 3), Level(1, 3, 3, 3), Level(2, 3), Level(2, 3, 2, 2)]

    def stop(level: Level) -> None:
        if level.size == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        find_frequent_itemsets(counter(OPEN), Parameters(0.2, 0.5), stop)


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
def test_exact_search_misses_nothing(answered: Answered, wanted: Parameters, withhold: bool) -> None:
    known = CachedCounter(answered.records(withhold=withhold).counter())
    found = set(itemset_tuples(find_frequent_itemsets(known, wanted)))
    everything = [tuple(sorted(itemset)) for itemset in all_itemsets(answered.design.mined, wanted)]
    itemsets = [tuple(map(known.numbering.item, itemset)) for itemset in everything]
    supports = reconstruct_supports(known, itemsets, wanted.estimator)
    enough = dict(zip(everything, supports.enough, strict=True))
    mined_design = answered.design.mined
    settled = {of for of, items in zip(everything, itemsets, strict=True) if is_settled(mined_design, items)}
    for itemset, support, observed in zip(everything, supports.support, supports.observed, strict=True):
        # What the questionnaire implies is not looked at, and neither is what contains it.
        estimated = all(enough[part] and part not in settled for part in subsets_of(itemset))
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


def test_thresholds_outside_0_and_1_are_refused() -> None:
    for threshold in [0.0, -0.1, 1.1, np.nan]:
        with pytest.raises(ValueError, match="min_support"):
            Parameters(threshold, 0.5)
        with pytest.raises(ValueError, match="min_confidence"):
            Parameters(0.5, threshold)


def test_search_without_intervals_finds_the_same_and_computes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 600 records of one plain question and three sensitive ones, a quarter of them open."""
    sensitive_ones = sensitive("0.5", *(question(name, "0.6", "0.4") for name in "abc"))
    asks = design(plain({"name": "age", "choices": ["y", "o"]}), sensitive_ones)
    group = np.where(np.arange(600) % 4 == 0, 0, 1)
    counted = CachedCounter(Listed(asks, group, np.random.default_rng(3).integers(0, 2, (4, 600))))
    wanted = Parameters(min_support=0.1, min_confidence=0.5)
    searched = search_itemsets_without_intervals(counted, wanted)
    whole = find_frequent_itemsets(counted, wanted)
    assert len(searched.supports) > 5
    assert searched.itemsets.tolist() == whole.itemsets.tolist()
    assert searched.supports.support.tolist() == whole.supports.support.tolist()
    assert (searched.levels, searched.stopped) == (whole.levels, whole.stopped)
    for name in ("low", "high", "low_listed", "high_listed", "low_shown", "high_shown"):
        assert np.isnan(getattr(searched.supports, name)).all(), name
    assert not np.isnan(whole.supports.low_listed).any()

    def refuse(*_: Any, **_more: Any) -> None:
        raise AssertionError("a search asked for evidence")

    monkeypatch.setattr(frequent, "add_intervals", refuse)
    search_itemsets_without_intervals(counted, wanted)
    with pytest.raises(AssertionError, match="asked for evidence"):
        find_frequent_itemsets(counted, wanted)


SURVEY = design(
    plain(WORK, {"name": "age", "choices": ["young", "old"]}),
    sensitive("0.5", question("theft", "0.6", "0.4", **IF_EMPLOYED), question("drugs", *HALF)),
    sensitive("0.7", question("drink", "0.2", "0.5", "0.3")),
)
OF_THREE = Parameters(0.26, 0.4, max_size=3)
SINGLES = 9
"""Work and age have two items each, theft and drugs one, drink three."""


@pytest.fixture(scope="module")
def survey() -> tuple[Listed, MiningResult]:
    given = survey_answered(SURVEY, 900, 0.3, 5)
    found = candor_engine.mine_rules(given.records().counter(), OF_THREE)
    return Listed(SURVEY, given.group, given.codes), found


def as_items(found: Supports) -> list[tuple[Item, ...]]:
    numbering = Numbering(SURVEY)
    rows = found.itemsets.tolist()
    return [tuple(numbering.item(number) for number in row if number != NONE) for row in rows]


def looked_through(found: Supports) -> int:
    """Every single item, and every pair and triple of those that are in a reported itemset."""
    items = sorted({item for itemset in as_items(found) for item in itemset})
    larger = [of for size in (2, 3) for of in combinations(items, size) if len(dict(of)) == size]
    return SINGLES + len(larger)


def test_search_considers_more_than_it_reports(survey: tuple[Listed, MiningResult]) -> None:
    found = survey[1].frequent.supports
    alone = [itemset for itemset in as_items(found) if len(itemset) == 1]
    assert len(alone) < SINGLES
    # Drugs is frequent only with others, by chance, and in the family all the same.
    assert ((3, 1),) not in alone
    assert any((3, 1) in itemset for itemset in as_items(found))
    assert len(found) < looked_through(found)
    places = rank_by_support(found)
    assert sorted(places.tolist()) == list(range(1, len(found) + 1))
    assert (np.diff(found.support[np.argsort(places)]) <= 1e-9).all()
    # Of a search that reports nothing nothing is judged.
    half = np.arange(60) % 2
    nobody = Listed(SURVEY, np.ones(60, np.int64), np.stack([half, half, 3 * half, half, half]))
    none = find_frequent_itemsets(nobody, Parameters(0.95, 0.5)).supports
    assert len(none) == 0
    assert none.low_listed.tolist() == []


def test_listed_intervals_have_the_level_of_their_rank(survey: tuple[Listed, MiningResult]) -> None:
    listed, found = survey[0], survey[1].frequent.supports
    family = looked_through(found)
    by_support = np.argsort(-found.support, kind="stable").tolist()
    assert level_at(1, family) > 2.9
    for place, row in enumerate(by_support, start=1):
        itemset, level = as_items(found)[row], level_at(place, family)
        tail = NormalDist().cdf(-level) if level > 1.96 else 0.025
        ends = found.low_listed[row], found.high_listed[row]
        if plain_only(listed, itemset):
            records = base(listed, itemset)
            yes = contains_itemset(listed, records, itemset).sum()
            no = len(records) - yes
            assert ends[0] == pytest.approx(beta.ppf(tail, yes, no + 1), rel=1e-5)
            assert ends[1] == pytest.approx(beta.ppf(1 - tail, yes + 1, no), rel=1e-5)
        else:
            expected = Question(support_table(listed, itemset), "support").interval(level)
            assert ends == pytest.approx(expected, abs=1e-6)
        assert ends[0] <= found.low[row] <= found.support[row] <= found.high[row] <= ends[1]


DOCS = Path(__file__).parents[3] / "bench" / "figures" / "pruning.md"


@pytest.mark.night
def test_default_pruning_loses_little_even_in_small_noisy_surveys() -> None:
    for keep, min_support in product(["0.2", "0.5"], [0.02, 0.1]):
        found = lost(Setting(100_000, keep, min_support), 20, seed=7)
        assert found.itemsets > 50, (keep, min_support)
        assert max(found.shares[ERRORS]) == 0, (keep, min_support)
    found = lost(Setting(100, "0.2", 0.02), 60, seed=7)
    assert np.quantile(found.shares[ERRORS], 0.9) < ONE_IN_A_HUNDRED
    assert sum(found.shares[ERRORS]) < sum(found.shares[2.0])


def test_form_states_the_measured_losses() -> None:
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in DOCS.read_text().splitlines()
        if line.startswith("| ") and line[2].isdigit()
    ]
    assert len(rows) == len(list(pruning_settings()))
    with_default = [row[4 + ALLOWANCES.index(ERRORS)] for row in rows]
    cells = [cell.split(";")[0].split(", ") for cell in with_default]
    shares = [[float(share.removesuffix(" %")) for share in cell] for cell in cells]
    assert max(in_nine_of_ten for in_nine_of_ten, _ in shares) == 0
    assert max(worst for _, worst in shares) == 12.5
    said = str(StartRunForm.base_fields["exact"].help_text)
    assert f"With the {ERRORS:g} set here, nine of ten simulated surveys" in said
    assert "the worst one an eighth" in said


def test_table_rows_by_hand_and_both_groups_answer_equally_often() -> None:
    shares = {2.0: [0.0] * 9 + [0.5], 3.0: [0.0] * 9 + [0.004], 4.0: []}
    found = Lost(Setting(1_000, "0.2", 0.1), 1_912, shares)
    assert row_of(found) == ["1,000", "0.2", "0.1", "1,912", "5.0 %, 50.0 %; 1", "0.0 %, 0.4 %; 0", ""]
    # Both kinds of people give an answer as often in all.
    for alike in (True, False):
        drawn = kinds(0.1, alike=alike).draw(200_000, np.random.default_rng(1))
        assert (drawn == 1).mean() == pytest.approx(0.1, abs=0.002)
