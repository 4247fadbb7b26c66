"""The comparison of two engines: equal on the same records, and every planted difference found."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from mining.disclosure.verdict import Verdict
from mining.engines import candor_engine, mlxtend_engine
from mining.engines.comparison import (
    Difference,
    EngineResult,
    FoundItemset,
    FoundRule,
    compare_results,
    count_incomparable_items,
)
from mining.parameters import Parameters
from mining.queries_and_counters import Numbering
from tests.mining.strategies import Answered, survey_answered
from tests.privacy import questionnaires

THEFT, DRUGS, YOUNG = 3, 5, 0
PAIR = frozenset({THEFT, DRUGS})
SIDES = (frozenset({THEFT}), frozenset({DRUGS}))
FOUND = EngineResult(
    {
        frozenset({THEFT}): FoundItemset(0.4, 1.5),
        frozenset({DRUGS}): FoundItemset(0.5, 1.5),
        PAIR: FoundItemset(0.3, 2.0),
    },
    {SIDES: FoundRule(0.75, 0.4), SIDES[::-1]: FoundRule(0.6, 0.5)},
)


def with_itemset(support: float) -> EngineResult:
    return replace(FOUND, itemsets={**FOUND.itemsets, PAIR: FoundItemset(support, 1.0)})


def with_rule(confidence: float) -> EngineResult:
    return replace(FOUND, rules={**FOUND.rules, SIDES: FoundRule(confidence, 0.4)})


def without_itemset() -> EngineResult:
    return replace(FOUND, itemsets={key: row for key, row in FOUND.itemsets.items() if key != PAIR})


def without_rule() -> EngineResult:
    return replace(FOUND, rules={SIDES[::-1]: FOUND.rules[SIDES[::-1]]})


def test_what_is_equal_is_counted_a_rule_and_its_converse_once() -> None:
    comparison = compare_results(FOUND, FOUND)
    assert (comparison.itemsets, comparison.rules, comparison.directed) == (3, 1, 2)
    assert comparison.difference is None


def test_a_planted_difference_is_found(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Callable[[], EngineResult], Difference]] = [
        (without_itemset, Difference((3, 5), (), 0.3, None)),
        (lambda: with_itemset(0.3 + 1e-11), Difference((3, 5), (), 0.3, 0.3 + 1e-11)),
        (without_rule, Difference((3,), (5,), 0.75, None)),
        (lambda: with_rule(0.75 + 1e-10), Difference((3,), (5,), 0.75, 0.75 + 1e-10)),
    ]
    for theirs, difference in cases:
        with subtests.test(f"{theirs!r:.60} {difference!r:.60}"):
            assert compare_results(FOUND, theirs()).difference == difference
            turned = replace(difference, candor=difference.mlxtend, mlxtend=difference.candor)
            assert compare_results(theirs(), FOUND).difference == turned


def test_the_first_difference_is_of_the_smallest_itemset_and_before_any_rule() -> None:
    nothing = EngineResult({}, {})
    assert compare_results(FOUND, nothing).difference == Difference((3,), (), 0.4, None)


def test_rounding_is_no_difference() -> None:
    assert compare_results(FOUND, with_itemset(0.3 + 1e-15)).difference is None
    assert compare_results(FOUND, with_rule(0.75 - 1e-15)).difference is None
    # Scores as large as 1,000 round a thousand times as coarsely.
    wide = replace(FOUND, itemsets={**FOUND.itemsets, PAIR: FoundItemset(0.3, 1_000.0)})
    assert compare_results(wide, with_itemset(0.3 + 1e-10)).difference is None


def test_both_engines_find_the_same(subtests: pytest.Subtests) -> None:
    for withhold in [True, False]:
        for exact in [True, False]:
            with subtests.test(f"{withhold} {exact}"):
                survey = answered()
                records = survey.records(withhold=withhold)
                counter = records.counter()
                wanted = Parameters(0.15, 0.2, exact=exact)
                found = candor_engine.mine_rules(counter, wanted)
                comparison = compare_results(
                    EngineResult.from_mining_result(found, Numbering(counter.design)),
                    mlxtend_engine.mine_without_errors(records, counter, wanted),
                )
                assert comparison.difference is None
                assert comparison.itemsets == len(found.frequent.itemsets) > 3
                assert comparison.rules == len(found.rules.splits) > 3


def test_records_that_one_engine_lacks_are_noticed() -> None:
    records = answered().records()
    fewer = answered(n=399).records()
    wanted = Parameters(0.15, 0.2)
    ours = EngineResult.from_mining_result(
        candor_engine.mine_rules(records.counter(), wanted), Numbering(records.design)
    )
    theirs = mlxtend_engine.mine_without_errors(fewer, fewer.counter(), wanted)
    assert compare_results(ours, theirs).difference


def test_items_of_scores_are_counted_and_in_no_comparison() -> None:
    design = questionnaires.design(
        questionnaires.sensitive("0.7", questionnaires.question("theft", "0.5", "0.5")),
        questionnaires.classes("debt", "0.5", 0, 10, 20),
    )
    survey = survey_answered(design, 600, 0.3, 1)
    records = survey.records()
    counter = records.counter()
    wanted = Parameters(0.05, 0.1, exact=True)
    found = candor_engine.mine_rules(counter, wanted)
    numbering = Numbering(records.design)
    scored = numbering.scored_mask(found.frequent.itemsets).any(axis=1)
    assert scored.any()
    comparison = compare_results(
        EngineResult.from_mining_result(found, numbering),
        mlxtend_engine.mine_without_errors(records, counter, wanted),
    )
    assert comparison.difference is None
    assert comparison.itemsets == len(found.frequent.itemsets) - scored.sum()
    assert count_incomparable_items(records.design, absences=False, verdict=Verdict(records.design)) > 0


def answered(n: int = 400) -> Answered:
    design = questionnaires.design(
        questionnaires.plain({"name": "age", "choices": ["young", "old"]}),
        questionnaires.sensitive(
            "0.8", *(questionnaires.question(name, "0.5", "0.5") for name in ("theft", "drugs", "lie"))
        ),
    )
    return survey_answered(design, n, 0.4, 3)
