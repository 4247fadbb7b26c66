"""Rows of a run are compared with means over its records: what is right is equal, and every planted number is named."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from mining.counting import MinedRecords
from mining.disclosure.verdict import Verdict
from mining.engines import candor_engine
from mining.engines.record_means import RecordBits, count_means, rows_by_shape
from mining.engines.row_comparison import (
    ITEMSET_COLUMNS,
    LISTED,
    RULE_COLUMNS,
    CheckedRows,
    RowComparison,
    compare_rows,
)
from mining.parameters import Parameters
from mining.queries_and_counters import Numbering
from mining.reconstruction import CachedCounter
from tests.mining.engines.test_agreement import parameters
from tests.mining.strategies import Answered, survey_answered, surveys
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, design, plain, question, sensitive

pytestmark = pytest.mark.proof
WANTED = Parameters(0.1, 0.2)
ALMOST = 1e-7
"""A planted number is off by so little."""


def answer_survey(n: int = 600) -> Answered:
    """With plain and sensitive questions, of which a rule hides one and each device asks two of three."""
    asks = design(
        plain(WORK),
        sensitive("0.6", *(question(name, "0.6", "0.4") for name in ("theft", "drugs", "lie")), asked=2),
        sensitive("0.8", question("debt", *HALF, **IF_EMPLOYED)),
    )
    return survey_answered(asks, n, 0.3, 8)


def mine_rows(survey: Answered, wanted: Parameters = WANTED) -> tuple[MinedRecords, CheckedRows]:
    records = survey.records()
    known = CachedCounter(records.counter(), without_plain=True)
    return records, CheckedRows.from_mining_result(candor_engine.mine_rules(known, wanted))


def compare_mined_rows(
    records: MinedRecords, rows: CheckedRows, wanted: Parameters = WANTED, verdict: Verdict | None = None
) -> RowComparison:
    bits = RecordBits.from_columns(records.design, records.complete)
    return compare_rows(rows, [bits], records.design, wanted, verdict)


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(surveys(), parameters, st.booleans(), st.booleans())
def test_engine_rows_match_means_over_the_records(
    survey: Answered, wanted: Parameters, withhold: bool, exact: bool
) -> None:
    records, wanted = survey.records(), replace(wanted, exact=exact)
    known = CachedCounter(records.counter(), without_plain=withhold)
    found = CheckedRows.from_mining_result(candor_engine.mine_rules(known, wanted))
    bits = RecordBits.from_columns(records.design, records.complete, without_plain=withhold)
    assert compare_rows(found, [bits], records.design, wanted).differences == ()


def test_support_is_the_mean_of_record_scores() -> None:
    """By hand: of ten disguised records three have the answer, of two open ones one has it; p is .5 and c is .25."""
    asks = design(sensitive("0.5", question("a", *HALF)))
    group = np.array([1] * 10 + [0, 0], np.uint8)
    codes = np.array([[1] * 3 + [0] * 7 + [1, 0]], np.uint8)
    records = Answered(asks, group, codes, codes).records()
    bits = RecordBits.from_columns(records.design, records.complete)
    itemsets = np.array([[1]], np.int32)
    ((shape, _rows),) = rows_by_shape(bits.laws, itemsets)
    support, _se = count_means(bits, itemsets, shape).support_and_error("stratified")
    assert support[0] == pytest.approx((3 * (1 - 0.25) / 0.5 + 7 * (0 - 0.25) / 0.5 + 1) / 12)


@pytest.mark.parametrize("column", ITEMSET_COLUMNS)
def test_planted_itemset_error_is_named(column: str) -> None:
    records, rows = mine_rows(answer_survey())
    at = next(at for at, (_items, row) in enumerate(rows.itemsets) if np.isfinite(row[column] or np.nan))
    items, row = rows.itemsets[at]
    itemsets = [*rows.itemsets[:at], (items, plant_error(row, column)), *rows.itemsets[at + 1 :]]
    (difference,) = compare_mined_rows(records, replace(rows, itemsets=itemsets)).differences
    assert (difference.items, difference.consequent, difference.column) == (items, (), column)
    assert difference.mlxtend == pytest.approx(row[column])


@pytest.mark.parametrize("column", RULE_COLUMNS)
def test_planted_rule_error_is_named(column: str) -> None:
    records, rows = mine_rows(answer_survey())
    first, second, row = rows.rules[-1]
    rules = [*rows.rules[:-1], (first, second, plant_error(row, column))]
    differences = compare_mined_rows(records, replace(rows, rules=rules)).differences
    assert (first, second, column) in [(one.items, one.consequent, one.column) for one in differences]


def plant_error(row: Mapping[str, Any], column: str) -> Mapping[str, Any]:
    value = row[column]
    if isinstance(value, bool):
        return {**row, column: not value}
    # Errors are compared to five digits.
    step = 1 if isinstance(value, int) else 1e-4 if column in ("se", "expected_w") else ALMOST
    return {**row, column: value + step}


def test_missing_invented_or_duplicate_row_is_named() -> None:
    records, rows = mine_rows(answer_survey())
    pair = next(at for at, (items, _row) in enumerate(rows.itemsets) if len(items) == 2)
    items, row = rows.itemsets[pair]
    first, second, of_rule = rows.rules[0]
    for changed, named in (
        (replace(rows, rules=rows.rules[1:]), (first, second)),
        (replace(rows, rules=[*rows.rules, (first, second, of_rule)]), (first, second)),
        (replace(rows, itemsets=[*rows.itemsets, (items, row)]), (items, ())),
        (replace(rows, itemsets=[*rows.itemsets, ((99,), row)]), ((99,), ())),
    ):
        found = [
            (one.items, one.consequent)
            for one in compare_mined_rows(records, changed).differences
            if one.column == LISTED
        ]
        assert named in found
    without = [one for at, one in enumerate(rows.itemsets) if at != pair]
    rules = [rule for rule in rows.rules if sorted((*rule[0], *rule[1])) != list(items)]
    # No search is made, so a whole itemset may be missing; `reference_list` names it.
    assert compare_mined_rows(records, replace(rows, itemsets=without, rules=rules)).differences == ()


def test_itemset_below_the_threshold_or_forbidden_is_named() -> None:
    records, rows = mine_rows(answer_survey())
    higher = compare_mined_rows(records, rows, replace(WANTED, min_support=0.3)).differences
    below = {items for items, row in rows.itemsets if row["support"] < 0.3 - 1e-9}
    assert {one.items for one in higher if not one.consequent} == below
    untold = Verdict(records.design, untold=frozenset({(0,)}))
    # Whoever is asked of debts works, so what is said of debts tells how many work.
    question = Numbering(records.design).question
    with_work = {items for items, _row in rows.itemsets if {0, 4} & {*question[list(items)].tolist()}}
    found = compare_mined_rows(records, rows, verdict=untold).differences
    assert {one.items for one in found} == with_work
    # What may not be told is not computed for anybody to read.
    assert {one.mlxtend for one in found} == {None}


def test_confidences_above_one_and_itemsets_with_rarer_parts_are_counted() -> None:
    survey = survey_answered(
        design(sensitive("0.3", *(question(name, *HALF) for name in "abcdef"))), 200, 0.0, 1
    )
    records, rows = mine_rows(survey, Parameters(0.05, 0.1))
    found = compare_mined_rows(records, rows, Parameters(0.05, 0.1))
    assert found.differences == ()
    said = [row["confidence"] for *_sides, row in rows.rules]
    said += [row["converse"] for *_sides, row in rows.rules if row["both"]]
    assert found.above_one == sum(of > 1 for of in said) > 0
    listed = {frozenset(items) for items, _row in rows.itemsets}
    rarer = {one for one in listed if any(one - {item} not in listed for item in one if len(one) > 1)}
    assert found.below == rarer != set()


def test_pieces_of_records_give_the_same_comparison() -> None:
    survey = answer_survey()
    records, rows = mine_rows(survey)
    pieces = [
        RecordBits.from_columns(records.design, Answered(survey.design, *part).records().complete)
        for part in (
            (survey.group[:250], survey.truth[:, :250], survey.codes[:, :250]),
            (survey.group[250:], survey.truth[:, 250:], survey.codes[:, 250:]),
        )
    ]
    found = compare_rows(rows, pieces, records.design, WANTED)
    assert (found.records, found.differences) == (600, ())


def test_rows_of_columns_equal_the_stored_result() -> None:
    columns = {name: [1.0] for name in (*ITEMSET_COLUMNS, *RULE_COLUMNS)}
    rows = CheckedRows.from_columns(
        {"items": [" 1 3 "], **columns}, {"antecedent": [" 1 "], "consequent": [" 3 "], **columns}
    )
    assert [items for items, _row in rows.itemsets] == [(1, 3)]
    assert [(first, second) for first, second, _row in rows.rules] == [((1,), (3,))]
