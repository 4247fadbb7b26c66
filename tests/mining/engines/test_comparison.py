"""The comparison of two engines: equal on the same records, every planted difference found, and its predicted cost."""

from dataclasses import replace
from itertools import product
from time import process_time

import pytest

from mining.counting import MinedRecords
from mining.disclosure.verdict import Verdict
from mining.engines import candor_engine, mlxtend_check_duration, mlxtend_engine
from mining.engines.candor_engine import MiningResult
from mining.engines.comparison import (
    Comparison,
    Difference,
    EngineResult,
    FoundItemset,
    FoundRule,
    compare_results,
    count_incomparable_items,
)
from mining.engines.mlxtend_check_duration import (
    CheckCost,
    CheckSpeed,
    affordable_sample_size,
    count_work,
    predict_cost,
)
from mining.itemsets.frequent import Level
from mining.parameters import Parameters
from mining.queries_and_counters import Numbering
from tests.mining.strategies import Answered, survey_answered
from tests.privacy.questionnaires import HALF, classes, design, plain, question, sensitive

THEFT, DRUGS, YOUNG = 3, 5, 0
PAIR = frozenset({THEFT, DRUGS})
SIDES = (frozenset({THEFT}), frozenset({DRUGS}))
SINGLE = {SIDES[0]: FoundItemset(0.4, 1.5), SIDES[1]: FoundItemset(0.5, 1.5)}
RULES = {SIDES: FoundRule(0.75, 0.4), SIDES[::-1]: FoundRule(0.6, 0.5)}
FOUND = EngineResult({**SINGLE, PAIR: FoundItemset(0.3, 2.0)}, RULES)


def with_itemset(support: float) -> EngineResult:
    return replace(FOUND, itemsets={**FOUND.itemsets, PAIR: FoundItemset(support, 1.0)})


def with_rule(confidence: float) -> EngineResult:
    return replace(FOUND, rules={**FOUND.rules, SIDES: FoundRule(confidence, 0.4)})


def test_what_is_equal_is_counted_a_rule_and_its_converse_once_and_rounding_is_no_difference() -> None:
    comparison = compare_results(FOUND, FOUND)
    assert (comparison.itemsets, comparison.rules, comparison.directed) == (3, 1, 2)
    assert comparison.difference is None
    # Scores as large as 1,000 round a thousand times as coarsely.
    wide = replace(FOUND, itemsets={**FOUND.itemsets, PAIR: FoundItemset(0.3, 1_000.0)})
    assert compare_results(wide, with_itemset(0.3 + 1e-10)).difference is None
    for other in (with_itemset(0.3 + 1e-15), with_rule(0.75 - 1e-15)):
        assert compare_results(FOUND, other).difference is None


def test_a_planted_difference_is_found() -> None:
    """The first is of the smallest itemset and before any rule."""
    without_rule = {SIDES[::-1]: FOUND.rules[SIDES[::-1]]}
    for theirs, difference in (
        (replace(FOUND, itemsets=SINGLE), Difference((3, 5), (), 0.3, None)),
        (with_itemset(0.3 + 1e-11), Difference((3, 5), (), 0.3, 0.3 + 1e-11)),
        (replace(FOUND, rules=without_rule), Difference((3,), (5,), 0.75, None)),
        (with_rule(0.75 + 1e-10), Difference((3,), (5,), 0.75, 0.75 + 1e-10)),
        (EngineResult({}, {}), Difference((3,), (), 0.4, None)),
    ):
        assert compare_results(FOUND, theirs).difference == difference
        turned = replace(difference, candor=difference.mlxtend, mlxtend=difference.candor)
        assert compare_results(theirs, FOUND).difference == turned


def answered(n: int = 400) -> Answered:
    asks = design(
        plain({"name": "age", "choices": ["young", "old"]}),
        sensitive("0.8", *(question(name, *HALF) for name in ("theft", "drugs", "lie"))),
    )
    return survey_answered(asks, n, 0.4, 3)


def compared(ours: MinedRecords, theirs: MinedRecords, wanted: Parameters) -> tuple[MiningResult, Comparison]:
    found = candor_engine.mine_rules(ours.counter(), wanted)
    return found, compare_results(
        EngineResult.from_mining_result(found, Numbering(ours.design)),
        mlxtend_engine.mine_without_standard_errors(theirs, theirs.counter(), wanted),
    )


@pytest.mark.proof
def test_both_engines_find_the_same_and_records_that_one_lacks_are_noticed() -> None:
    for withhold, exact in product([True, False], [True, False]):
        records = answered().records(withhold=withhold)
        found, comparison = compared(records, records, Parameters(0.15, 0.2, exact=exact))
        assert comparison.difference is None, (withhold, exact)
        assert comparison.itemsets == len(found.frequent.itemsets) > 3
        assert comparison.rules == len(found.rules.splits) > 3
    _found, comparison = compared(answered().records(), answered(n=399).records(), Parameters(0.15, 0.2))
    assert comparison.difference


def test_items_of_scores_are_counted_and_in_no_comparison() -> None:
    asks = design(sensitive("0.7", question("theft", *HALF)), classes("debt", "0.5", 0, 10, 20))
    records = survey_answered(asks, 600, 0.3, 1).records()
    found, comparison = compared(records, records, Parameters(0.05, 0.1, exact=True))
    scored = Numbering(records.design).scored_mask(found.frequent.itemsets).any(axis=1)
    assert scored.any()
    assert comparison.difference is None
    assert comparison.itemsets == len(found.frequent.itemsets) - scored.sum()
    assert count_incomparable_items(records.design, absences=False, verdict=Verdict(records.design)) > 0


LEVELS = [Level(1, 4, 4, 3), Level(2, 6, 5, 2)]
DESIGN = design(sensitive("0.5", question("a", *HALF), question("b", *HALF)))


def test_the_work_the_time_and_the_memory_of_a_check() -> None:
    # Candidates: 4 of 2 parts, 6 of 4; reported: 3 of one item, 2 of two with 3 + 6 parts of subsets and the empty one.
    assert count_work(LEVELS) == 4 * 2 + 6 * 4 + 3 * 3 + 2 * 9
    # 59 units; four items and two questions of four bytes, and 200 bytes, on each record.
    cost = predict_cost(CheckSpeed(0.1, 0.001), DESIGN, 1_000, LEVELS)
    assert cost.seconds == pytest.approx(64.9)
    assert cost.bytes == 224_000
    # Up to 60 seconds and 2 gigabytes it is made of all records.
    costs = [CheckCost(60.0, 2e9), CheckCost(60.1, 1.0), CheckCost(1.0, 2.1e9)]
    assert [cost.is_low for cost in costs] == [True, False, False]
    # A sample is as large as it may cost.
    sizes = {(0.1, 1e-5): int((60 - 5.9) / 59e-5), (0.0, 0.0): int(2e9 / 224), (2.0, 0.0): 0, (0.5, 0.001): 0}
    for of, expected in sizes.items():
        speed = CheckSpeed(*of)
        assert affordable_sample_size(speed, DESIGN, LEVELS) == expected, speed
        assert not expected or predict_cost(speed, DESIGN, expected, LEVELS).is_low
    assert [mlxtend_check_duration.round_to_minutes(seconds) for seconds in (1.0, 61.0, 3600.0)] == [1, 2, 60]


@pytest.mark.proof
def test_the_speed_is_the_line_through_two_measured_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    # The clock is read twice a check; the first is not counted. 500 records take 1 s, 5,000 take 3.
    monkeypatch.setattr(mlxtend_check_duration, "MANY", 5_000)
    ticks = iter([0.0, 9.0, 0.0, 1.0, 0.0, 3.0])
    speed = mlxtend_check_duration.measure_speed(lambda: next(ticks))
    few, many = (speed.fixed + records * speed.per_record for records in (500, 5_000))
    # Of more records slightly fewer itemsets survive, so a unit is not quite three times as long.
    assert many / few == pytest.approx(3.0, rel=0.15)


@pytest.mark.night
def test_what_is_predicted_is_what_a_check_takes() -> None:
    names = [f"q{index}" for index in range(9)]
    sections = (sensitive("0.5", *(question(name, *HALF) for name in names[at : at + 3])) for at in (0, 3, 6))
    records = survey_answered(design(*sections), 20_000, 0.3, 1).records()
    counter, levels = records.counter(), list[Level]()
    begin, wanted = process_time(), Parameters(0.1, 0.3, exact=True)
    mlxtend_engine.mine_without_standard_errors(records, counter, wanted, levels.append)
    seconds = process_time() - begin
    done = [level for level in levels if level.survivors is not None]
    predicted = predict_cost(mlxtend_check_duration.measure_speed(), records.design, 20_000, done).seconds
    assert seconds / 4 < predicted < 4 * seconds
