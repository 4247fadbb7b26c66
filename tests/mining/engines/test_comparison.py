"""The comparison of two engines: equal on the same records, a planted difference found, and its predicted cost."""

from dataclasses import replace
from itertools import product

import pytest

from mining.counting import MinedRecords
from mining.disclosure.verdict import Verdict
from mining.engines import candor_engine, mlxtend_check_duration, mlxtend_engine
from mining.engines.candor_engine import MiningResult
from mining.engines.comparison import Comparison, compare_lists, count_incomparable_items
from mining.engines.mlxtend_check_duration import CheckCost, CheckSpeed, Line, measure_speed, predict_cost
from mining.engines.row_comparison import Difference
from mining.itemsets.frequent import Level
from mining.parameters import Parameters
from mining.queries_and_counters import Numbering
from mining.reconstruction import CachedCounter
from tests.mining.strategies import Answered, survey_answered
from tests.privacy.questionnaires import HALF, classes, design, plain, question, sensitive

THEFT, DRUGS = 3, 5
ONE, OTHER, PAIR = frozenset({THEFT}), frozenset({DRUGS}), frozenset({THEFT, DRUGS})


def test_itemsets_of_one_list_are_named_smaller_first() -> None:
    ours, theirs = {ONE: 0.4, PAIR: 0.3}, {OTHER: 0.5, PAIR: 0.9}
    assert compare_lists(ours, ours) == ()
    alone = (Difference((3,), (), 0.4, None), Difference((5,), (), None, 0.5))
    assert compare_lists(ours, theirs) == alone
    assert compare_lists({**ours, OTHER: 0.1}, {ONE: 0.4, OTHER: 0.1}) == (Difference((3, 5), (), 0.3, None),)


def answer_survey(n: int = 400) -> Answered:
    asks = design(
        plain({"name": "age", "choices": ["young", "old"]}),
        sensitive("0.8", *(question(name, *HALF) for name in ("theft", "drugs", "lie"))),
    )
    return survey_answered(asks, n, 0.4, 3)


def compare_engines(
    ours: MinedRecords, theirs: MinedRecords, wanted: Parameters
) -> tuple[MiningResult, Comparison]:
    found = candor_engine.mine_rules(ours.counter(), wanted)
    return found, mlxtend_engine.check_by_mlxtend(found, theirs, theirs.counter(), wanted)


@pytest.mark.proof
def test_engines_agree_and_missing_records_are_noticed() -> None:
    for withhold, exact in product([True, False], [True, False]):
        records = answer_survey().records(withhold=withhold)
        found, comparison = compare_engines(records, records, Parameters(0.15, 0.2, exact=exact))
        assert comparison.difference is None, (withhold, exact)
        assert comparison.rows.itemsets == len(found.frequent.itemsets) > 3
        assert comparison.rows.rules == len(found.rules.splits) > 3
        assert comparison.rows.directed == len(found.rules)
    _found, comparison = compare_engines(
        answer_survey().records(), answer_survey(n=399).records(), Parameters(0.15, 0.2)
    )
    assert comparison.difference


@pytest.mark.proof
def test_scored_items_are_counted_and_not_compared() -> None:
    asks = design(sensitive("0.7", question("theft", *HALF)), classes("debt", "0.5", 0, 10, 20))
    records = survey_answered(asks, 600, 0.3, 1).records()
    found, comparison = compare_engines(records, records, Parameters(0.05, 0.1, exact=True))
    scored = Numbering(records.design).scored_mask(found.frequent.itemsets).any(axis=1)
    assert scored.any()
    assert comparison.difference is None
    assert comparison.rows.itemsets == len(found.frequent.itemsets) - scored.sum()
    assert count_incomparable_items(records.design, absences=False, verdict=Verdict(records.design)) > 0


DESIGN = design(sensitive("0.5", question("a", *HALF), question("b", *HALF)))


def test_search_time_and_memory_are_forecast() -> None:
    # Inverted are what both searches count, at most the survivors of the proof: 4 of one item, 5 of two. Apriori looks
    # at 4 itemsets for the first size and at 4 and 6 for the second.
    searched, proved = [Level(1, 4, 4, 3), Level(2, 6, 5, 2)], [Level(1, 4, 4, 3), Level(2, 6, 5, 2)]
    speed = CheckSpeed((Line(0.1, 0.001), Line(0.2, 0.002)), Line(0.01, 0.0))
    cost = predict_cost(speed, DESIGN, searched, proved)
    assert cost.seconds.fixed == pytest.approx(4 * 0.1 + 5 * 0.2 + (4 + 10) * 0.01)
    assert cost.seconds.per_record == pytest.approx(4 * 0.001 + 5 * 0.002)
    # Four items and two questions of four bytes, and 200 bytes, on each record.
    assert cost.record_bytes == 224
    # Up to 60 seconds and 2 gigabytes it is made of all records.
    of = CheckCost(Line(0.0, 0.06), 224.0)
    assert [of.is_low(records) for records in (1_000, 1_001)] == [True, False]
    assert not replace(of, record_bytes=2e6 + 1).is_low(1_000)
    # A sample is as large as it may cost.
    sizes = {(5.9, 59e-5): int((60 - 5.9) / 59e-5), (0.0, 0.0): int(2e9 / 224), (70.0, 0.0): 0, (1.0, 0.1): 0}
    for line, expected in sizes.items():
        sample = CheckCost(Line(*line), 224.0)
        assert sample.affordable_sample_size() == expected, line
        assert not expected or sample.is_low(expected)
    assert [mlxtend_check_duration.round_to_minutes(seconds) for seconds in (1.0, 61.0, 3600.0)] == [1, 2, 60]


@pytest.mark.proof
def test_speed_is_interpolated_between_two_measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that stands still but for one second a reading."""
    monkeypatch.setattr(mlxtend_check_duration, "FEW", 100)
    records, ticks = answer_survey().records(), iter(range(1_000))
    known = CachedCounter(records.counter())
    speed = measure_speed(
        records, known, Parameters(0.15, 0.2, max_size=2), Verdict(known.design), lambda: float(next(ticks))
    )
    # 24 itemsets take a second, with however many records; four items make ten itemsets of one and two.
    assert speed.inversions == (Line(1 / 24, 0.0), Line(1 / 24, 0.0))
    assert speed.candidate == Line(1 / 15, 0.0)
