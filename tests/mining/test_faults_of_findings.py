"""Faults that nobody would see in a report: in levels, families, heads, floors and measures of what is found.

Each test fails at the change of `bench/figures/faults.json` that it is named after, within a second.
"""

import json
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from mining.counting import make_counter
from mining.counting.mined_records import pack_columns
from mining.disclosure.verdict import Verdict
from mining.engines.candor_engine import make_rules
from mining.inference.selection_correction import (
    ARMS,
    GROUPS,
    HEADS,
    UNDERSTANDING,
    FamilyCriticalZ,
    RulePairCorrection,
    critical_z,
    critical_z_by_rank,
    displayed_head_length,
    front_page_p_limit,
    list_critical_z,
    plan_critical_z,
    q_values,
)
from mining.itemsets.frequent import find_frequent_itemsets
from mining.kinds.minimum_record_counts import has_enough_records
from mining.kinds.number.report_node_from_counts import estimate_number
from mining.nodes.report_nodes import HEAD_ENDS, head_at_rank, number_and_sort_rules, shorter_heads
from mining.nodes.study_nodes import HypothesisResult
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter, estimate_supports_without_intervals
from mining.rules import measures
from mining.studies.front_page_statements import Statements
from mining.studies.group_comparisons import decide_hypotheses
from privacy.designs import Design
from privacy.designs.hypothesis_plan import Plan, parse_plan
from privacy.kinds.number.classes.section import ClassesSection
from privacy.records.record import DISGUISED
from tests.privacy.questionnaires import HALF, UNDERSTOOD, classes, design, plain, question, sensitive

NORMAL = NormalDist()
AGE, SEX = {"name": "age", "choices": ["a", "b", "c"]}, {"name": "sex", "choices": ["f", "m"]}
SECRETS = sensitive("0.5", question("s0", *HALF), question("s1", *HALF))


def z_at(error_rate: float) -> float:
    """The critical z of a two-sided test."""
    return NORMAL.inv_cdf(1 - error_rate / 2)


def make_design(*sections: dict[str, Any], **more: Any) -> Design:
    return design(*sections, **{"title": {"en": "Asked"}, "least": 40, "open_answers": False} | more)


def counter_of(of: Design, n: int = 400) -> CachedCounter:
    """Records whose answers are as likely."""
    rng = np.random.default_rng(1)
    codes = np.array([rng.integers(0, one.codes, n) for one in of.questions], np.uint16)
    columns = pack_columns(of, np.full(n, DISGUISED, np.uint8), codes)
    return CachedCounter(make_counter(of.mined, [columns]), without_plain=True)


def plan_of(*hypotheses: dict[str, Any]) -> Plan:
    named = [{"name": f"H{number}", **one} for number, one in enumerate(hypotheses, 1)]
    return parse_plan(json.dumps({"format": "candor-plan/1", "salt": "0" * 32, "hypotheses": named}))


def statements_of(of: Design, *hypotheses: dict[str, Any]) -> Statements:
    return Statements(counter_of(of), plan_of(*hypotheses) if hypotheses else None, Verdict(of.mined))


PAIR = {"kind": "association", "antecedent": ["s0=yes"], "consequent": ["age=a"]}


# --- levels


def test_interval_misses_in_both_tails_together() -> None:
    assert critical_z(0.01) == pytest.approx(2.575829, abs=1e-6)
    assert list_critical_z(np.array([1]), 5)[0] == pytest.approx(z_at(0.01), abs=1e-9)


def test_front_page_level_is_divided_by_families_and_statements() -> None:
    assert front_page_p_limit({"groups": 10, "arms": 4, "pairs": 0}, "groups") == pytest.approx(0.05 / 2 / 10)
    assert RulePairCorrection(others=2).front_page_critical_z(10) == pytest.approx(z_at(0.05 / 3 / 10))


def test_plan_level_is_divided_by_its_hypotheses_and_planned_shares() -> None:
    assert plan_critical_z(4) == pytest.approx(z_at(0.05 / 4))
    share = HypothesisResult("H1", "share", "s0=yes", "0.5", estimate=0.6, p=0.03)
    (alone,) = decide_hypotheses([share])
    first, _second = decide_hypotheses([share, HypothesisResult("H2", "share", "s1=yes", "0.5", p=0.9)])
    assert (alone.met, first.met) == (True, False)


def test_negative_difference_is_on_the_front_like_a_positive_one() -> None:
    levels = FamilyCriticalZ(np.array([False, False]), front=3.0)
    assert levels.critical_z_by_row(np.array([3.1, -3.1])).tolist() == [3.0, 3.0]


# --- families


def test_q_counts_tests_that_no_list_shows() -> None:
    assert q_values(np.array([0.01]), 20)[0] == pytest.approx(0.2)


def test_answer_by_a_two_class_question_is_a_statement_but_not_by_understanding() -> None:
    """s0 and s1 by age and sex."""
    counts = statements_of(
        make_design(plain(AGE, SEX), SECRETS, UNDERSTOOD, understanding=True)
    ).count_by_family
    assert counts == {GROUPS: 4, ARMS: 0, UNDERSTANDING: 2}


def test_planned_statement_is_in_no_family() -> None:
    of = make_design(plain(AGE, SEX), SECRETS)
    planned = statements_of(of, PAIR)
    assert planned.count_by_family[GROUPS] == 3
    known, wanted = planned.known, Parameters(0.01, 0.01, max_size=2)
    itemsets = find_frequent_itemsets(known, wanted)
    # Pairs of answers to two questions: of age with four others, of sex with two, and of both yes.
    whole = 3 * 4 + 2 * 2 + 1
    assert make_rules(known, itemsets, wanted).splits.families == {"pairs": whole, "larger": 0}
    found = make_rules(known, itemsets, wanted, front=planned.pairs())
    assert found.splits.families == {"pairs": whole - 1, "larger": 0}


def test_other_families_count_beside_the_pairs() -> None:
    assert statements_of(make_design(plain(AGE), SECRETS)).pairs().others == 1
    assert statements_of(make_design(SECRETS)).pairs().others == 0


def test_single_answers_are_in_the_family_of_itemsets() -> None:
    """Where nothing else is searched the first of them was still chosen among all."""
    known = counter_of(make_design(SECRETS))
    supports = find_frequent_itemsets(known, Parameters(0.01, 0.01, max_size=1)).supports
    first = int(np.argmax(supports.support))
    assert (
        supports.low_listed[first] < supports.low[first] < supports.high[first] < supports.high_listed[first]
    )


def test_planned_arm_comparison_is_in_no_family() -> None:
    of = make_design(plain(AGE), SECRETS, direct="0.5")
    compared = statements_of(of, {"kind": "arms", "item": "s0=yes"})
    vars(compared)["arm_answers"] = [(1, 1), (2, 1)]
    assert compared.count_by_family[ARMS] == 1


# --- heads


def test_interval_has_the_level_of_the_longest_head_its_rank_fills() -> None:
    assert displayed_head_length(np.array([1, 2, 3, 4, 7, 8])).tolist() == [1, 2, 2, 4, 4, 8]
    by_rank = critical_z_by_rank(np.array([3]), 100, heads=True)[0]
    # Rank 3 has its own interval, and wider ones for the first row and for no other head.
    assert np.flatnonzero(~np.isnan(by_rank[HEADS:])).tolist() == [0]
    assert by_rank[HEADS] == pytest.approx(z_at(0.05 / 100))


def test_row_that_moves_up_shows_the_interval_of_its_new_rank() -> None:
    heads = ((1.0,), (2.0,), (4.0,))
    assert [head_at_rank(heads, rank) for rank in (1, 2, 3, 4, 8)] == [(1.0,), (2.0,), (2.0,), (4.0,), None]
    assert [len(shorter_heads(heads, rank)) for rank in (1, 2, 3, 4)] == [0, 1, 1, 2]


def test_published_rules_are_numbered_in_order() -> None:
    from tests.reports.made_nodes import rule  # late for cost

    ends = (None,) * len(HEAD_ENDS)
    given = [rule(number=9, under=4, heads=((0, *ends),)), rule(number=4), rule(number=7)]
    published = number_and_sort_rules(given, {})
    assert [(one.number, one.under) for one in published] == [(1, None), (2, None), (3, 1)]


# --- floors


def test_share_needs_fifty_records_and_ten_of_each_group() -> None:
    assert has_enough_records(np.array([10, 40]))
    assert has_enough_records(np.array([0, 50]))
    assert not has_enough_records(np.array([9, 41]))
    assert not has_enough_records(np.array([0, 49]))


def test_itemset_needs_fifty_records_and_ten_with_its_plain_answer() -> None:
    of = make_design(plain(AGE), SECRETS)
    for n, of_a, is_enough in ((50, 50, True), (49, 49, False), (60, 10, True), (60, 9, False)):
        codes = np.zeros((3, n), np.uint16)
        codes[0, of_a:] = 1
        counter = CachedCounter(
            make_counter(of.mined, [pack_columns(of, np.full(n, DISGUISED, np.uint8), codes)]),
            without_plain=True,
        )
        number = counter.numbering.number
        itemset = np.array([[number((0, 0)), number((1, 1))]], np.int32)
        found = estimate_supports_without_intervals(counter, itemset, "stratified")
        assert found.enough.tolist() == [is_enough], (n, of_a)


def test_mean_needs_200_classes_and_ten_bits() -> None:
    section = make_design(classes("debt", "0.7", 0, 10, 20, rest=2)).sections[0]
    assert isinstance(section, ClassesSection)
    many = section.question.n_intervals
    for of_classes, bits, has_mean in ((200, 10, True), (199, 10, False), (200, 9, False)):
        counts = np.zeros((2, section.question.codes), np.int64)
        counts[1, :many] = of_classes // many
        counts[1, 0] += of_classes % many
        counts[1, many] = bits
        assert (estimate_number(section, counts).mean is not None) == has_mean, (of_classes, bits)


# --- measures


def test_each_rule_measure_by_hand() -> None:
    """Of 100 people 40 have A, 50 have C, 30 both."""
    s, a, c = (np.array([share]) for share in (0.3, 0.4, 0.5))
    assert measures.confidence(s, a) == pytest.approx(0.75)
    assert measures.lift(s, a, c) == pytest.approx(1.5)
    assert measures.conviction(np.array([0.75]), c) == pytest.approx(0.5 / 0.25)
    # .1 / max(.3 * .6, .4 * .2)
    assert measures.zhangs_metric(s, a, c) == pytest.approx(0.1 / 0.18)
    # A larger C: .3 - .28 of max(.3 * .6, .4 * .4)
    assert measures.zhangs_metric(s, a, np.array([0.7])) == pytest.approx(0.02 / 0.18)
    # Fewer than by chance: .1 - .2 of max(.1 * .6, .4 * .4)
    assert measures.zhangs_metric(np.array([0.1]), a, c) == pytest.approx(-0.1 / 0.16)
    assert measures.jaccard(s, a, c) == pytest.approx(0.3 / 0.6)
    assert measures.certainty(np.array([0.75]), c) == pytest.approx(0.5)
    assert measures.kulczynski(s, a, c) == pytest.approx((0.75 + 0.6) / 2)
