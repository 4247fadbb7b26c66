"""The verdict: what may be told is decided before a search, closed downwards, and the same for all thresholds."""

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import chain, combinations, product
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from mining.disclosure.plain_table_counts import (
    PlainTable,
    Questions,
    bound_question_set_count,
    revealed_questions,
    smallest_tables_to_decide,
    table_counter,
)
from mining.disclosure.small_cells import EarlierPublication
from mining.disclosure.verdict import Decision, Verdict, decide_verdict, read_verdict, withhold_everything
from mining.engines import candor_engine
from mining.findings.remove_withheld_numbers import read_report_verdict, withheld_content_from_verdict
from mining.itemsets.answer_names import AnswerNames
from mining.itemsets.itemset_intervals import count_itemsets_by_size
from mining.json_codec import dump_brief, node_to_json
from mining.nodes.study_nodes import Understanding
from mining.parameters import Parameters
from mining.queries_and_counters import Numbering
from mining.reconstruction import CachedCounter, least_count
from mining.rules.rule_intervals import ListIntervals
from mining.studies.control_item_correction import analyse_controls
from mining.studies.group_comparisons import remove_withheld_results
from mining.studies.hypothesis_tests import (
    PlannedRecords,
    plan_result,
    question_indexes_by_hypothesis,
    unevaluated_result,
)
from mining.studies.understanding_check import analyse_understanding
from privacy.designs import Design, InputError
from privacy.designs.hypothesis_plan import parse_plan
from tests.mining.listed import Listed
from tests.mining.strategies import CHECKED
from tests.privacy.questionnaires import HALF, crosswise, design, drawn_question, plain, question, sensitive

NAMES = ("a", "b", "c", "d")


def survey(many: int = 3, *, rule: bool = False) -> Design:
    """Plain questions of two choices each, then one sensitive question, shown to those with a=yes where `rule` says."""
    shown = {"show_if": {"a": ["yes"]}} if rule else {}
    return design(
        plain(*({"name": name, "choices": ["no", "yes"]} for name in NAMES[:many])),
        sensitive("0.5", question("theft", *HALF, **shown)),
    ).mined


def counter(of: Design, codes: NDArray[np.int64]) -> CachedCounter:
    return CachedCounter(Listed(of, np.ones(codes.shape[1], np.int64), codes))


def people(of: Design, cells: NDArray[np.int64], seed: int = 1) -> NDArray[np.int64]:
    """So many people in each cell of the plain questions, with random sensitive answers."""
    plain_questions = len(of.questions) - 1
    states = np.array(list(product(range(2), repeat=plain_questions))).T
    columns = np.repeat(states, cells, axis=1)
    theft: NDArray[np.int64] = np.random.default_rng(seed).integers(0, 2, (columns.shape[1],))
    hidden = of.questions[-1].not_applicable
    if of.questions[-1].show_if:
        theft = np.where(columns[0] == 1, theft, hidden)
    return np.vstack([columns, theft])


CELLS = st.lists(st.sampled_from([0, 3, 9, 10, 11, 40, 80]), min_size=8, max_size=8)
NINE_TOGETHER = np.array([100, 100, 100, 100, 100, 100, 4, 5])


@given(cells=CELLS, before=CELLS, rule=st.booleans())
def test_verdict_is_closed_downwards(cells: list[int], before: list[int], rule: bool) -> None:
    of = survey(rule=rule)
    first, tables = decide_verdict(of, table_counter(counter(of, people(of, np.array(before))).counter), 3)
    earlier = EarlierPublication(tables, first.hidden)
    everybody = counter(of, people(of, np.array(before) + np.array(cells)))
    verdict, _tables = decide_verdict(of, table_counter(everybody.counter), 3, (), [earlier])
    for size in range(1, 4):
        for chosen in combinations(range(4), size):
            if verdict.may_tell(chosen):
                assert all(verdict.may_tell(part) for part in combinations(chosen, size - 1))


def columns_of(node: Any) -> Iterator[Any]:
    if isinstance(node, ListIntervals):
        yield from node.all_ends
    elif is_dataclass(node):
        for one in fields(node):
            yield from columns_of(getattr(node, one.name))
    else:
        yield node


def test_list_can_be_recomputed_from_the_reports_exclusions(tmp_path: Path) -> None:
    of = survey()
    known = counter(of, people(of, np.array([900, 2, 500, 1, 500, 3, 5, 2])))
    verdict, _tables = decide_verdict(of, table_counter(known.counter), 3)
    file = tmp_path / "report.json"
    told = withheld_content_from_verdict(verdict, AnswerNames(of))
    file.write_text(json.dumps({"told": node_to_json(told)}))
    assert any(verdict.hidden.values())
    assert verdict.untold
    for exact in (False, True):
        wanted = replace(WANTED, exact=exact, absences=True)
        one, other, everything = (
            candor_engine.mine_rules(known, wanted, verdict=by)
            for by in (verdict, read_report_verdict(file, of), None)
        )
        assert 0 < len(one.rules) < len(everything.rules)
        for column, same in zip(columns_of(one), columns_of(other), strict=True):
            np.testing.assert_array_equal(column, same)


def test_too_deeply_nested_report_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    for depth in (100, 101):
        members = {"told": '{"hidden": [], "questions": []}', "later": "[" * (depth - 1) + "]" * (depth - 1)}
        file.write_text("{" + ", ".join(f'"{name}": {text}' for name, text in members.items()) + "}")
        if depth == 100:
            assert not any(read_report_verdict(file, survey()).hidden.values())
        else:
            with pytest.raises(InputError, match="is no report"):
                read_report_verdict(file, survey())


@cache
def told_apart(rule: bool) -> tuple[Design, CachedCounter, Verdict]:
    """a=yes and b=yes are nine together, so that a and b may not be told together."""
    of = survey(rule=rule)
    known = counter(of, people(of, NINE_TOGETHER))
    verdict, _tables = decide_verdict(of, table_counter(known.counter), 3)
    assert not verdict.may_tell([0, 1])
    return of, known, verdict


def test_exact_pruning_counts_no_forbidden_set_of_questions() -> None:
    _of, known, verdict = told_apart(True)
    asked: list[Questions] = []

    class Watched(CachedCounter):
        def count(self, queries: Any) -> Any:
            asked.extend(tuple(row) for part in queries for row in part.asked.tolist())
            return super().count(queries)

    least_count(Watched(known.counter), [(0, 1), (1, 1), (3, 1)], 3, "stratified", 0.05, verdict)
    assert asked
    assert not any({0, 1} <= set(row) for row in asked)


def test_last_state_of_each_question_is_the_remainder() -> None:
    shift = {"name": "shift", "choices": ["day", "night"], "show_if": {"work": ["some"]}}
    work = {"name": "work", "choices": ["none", "some", "much"]}
    asked = plain(work, shift, {"name": "sex", "choices": ["f", "m"]})
    of = design(asked, sensitive("0.5", question("theft", *HALF))).mined
    rng = np.random.default_rng(3)
    works = rng.integers(0, 3, 500)
    hours = np.where(works == 1, rng.integers(0, 2, 500), of.questions[1].not_applicable)
    codes = np.array([works, hours, rng.integers(0, 2, 500), rng.integers(0, 2, 500)])
    tables = [(0,), (1,), (0, 1), (0, 2), (0, 1, 2)]
    counted = table_counter(counter(of, codes).counter)(tables)
    for table in tables:
        shape = np.array([of.questions[index].codes + bool(of.questions[index].show_if) for index in table])
        expected = np.zeros(shape, np.int64)
        np.add.at(expected, tuple(np.minimum(codes[list(table)].T, shape - 1).T), 1)
        assert counted[table].counts.tolist() == expected.tolist(), table


def test_table_of_more_than_4096_cells_is_not_disclosed() -> None:
    wide = plain(*({"name": name, "choices": [f"c{code}" for code in range(65)]} for name in "ab"))
    of = design(wide, sensitive("0.5", question("theft", *HALF))).mined
    asked: list[Questions] = []

    def count(wanted: list[Questions]) -> dict[Questions, PlainTable]:
        asked.extend(wanted)
        return {table: PlainTable(table, np.full([65] * len(table), 1000)) for table in wanted}

    verdict, _tables = decide_verdict(of, count, 2)  # type: ignore[arg-type]
    assert (0, 1) not in asked
    assert verdict.may_tell([0])
    assert not verdict.may_tell([0, 1])


WANTED = Parameters(0.05, 0.1, max_size=3)


def test_forbidden_itemset_is_in_no_search_or_family() -> None:
    """No rule joins a and b, and no test of one is counted."""
    _of, known, verdict = told_apart(False)
    found = candor_engine.mine_rules(known, WANTED, verdict=verdict)
    questions = [{int(known.numbering.question[n]) for n in row if n >= 0} for row in found.frequent.itemsets]
    assert {0, 2} in questions
    assert not any({0, 1} <= both for both in questions)
    # Of a, b, c and theft yes: pairs without a and b, and the triples a c theft and b c theft.
    items = [(index, 1) for index in range(4)]
    assert count_itemsets_by_size(verdict, items, 3) == [1, 4, 5, 2]
    assert found.rules.splits.families == {"pairs": 5, "larger": 6}


def test_list_does_not_depend_on_forbidden_cells() -> None:
    """The same tables of a and c, of b and c, and of theft with each; a and b together are moved."""
    of, lists = survey(), []
    for moved in (0, 1):
        codes = people(of, NINE_TOGETHER + moved * np.array([-1, 0, 1, 0, 1, 0, -1, 0]))
        # Theft is had by the same number in each cell of a and c, and of b and c.
        codes[3] = 1
        known = counter(of, codes)
        verdict, tables = decide_verdict(of, table_counter(known.counter), 3)
        assert not verdict.may_tell([0, 1])
        rules = candor_engine.mine_rules(known, WANTED, verdict=verdict).rules
        told = {table: tables[table].counts.tolist() for table in verdict.told or () if table}
        columns = rules.splits.p, rules.splits.q, rules.rank
        lists.append((told, [column.tolist() for column in columns]))
    assert lists[0] == lists[1]


def test_reports_with_other_thresholds_share_one_stored_verdict() -> None:
    """So the second tells no table that the first has not told."""
    of = survey()
    known = counter(of, people(of, np.array([30, 40, 50, 12, 9, 60, 70, 80])))
    first, tables = decide_verdict(of, table_counter(known.counter), 3)
    again = EarlierPublication(tables, first.hidden, same=True)
    second, _tables = decide_verdict(of, table_counter(known.counter), 3, (), [again])
    assert second == first
    opened = replace(first, open_questions=frozenset({0, 2}))
    assert read_verdict(Decision(opened, tables).as_json(), of) == opened


def test_unreadable_ledger_forbids_all_and_a_missing_verdict_nothing() -> None:
    of = survey()
    nothing, numbering = withhold_everything(of), Numbering(of)
    singles = np.arange(len(numbering), dtype=np.int32)[:, None]
    assert not nothing.allowed_itemsets(singles, numbering).any()
    assert not nothing.may_tell([3])
    assert Verdict(of).may_tell([0, 1, 2, 3])
    assert Verdict(of).allows([(0, 1), (3, 1)])


def test_open_and_disguised_people_are_compared_in_permitted_answers_only() -> None:
    """Files withhold the plain answers of open people, so these are compared only where they are told."""
    of = survey()
    plain_answer, sensitive_answer = (0, 1), (3, 1)
    for told, compared in ((None, True), (frozenset({0}), True), (frozenset({1}), False)):
        verdict = Verdict(of, open_questions=told)
        assert verdict.allows_comparing_open_and_disguised(plain_answer) is compared, told
        assert verdict.allows_comparing_open_and_disguised(sensitive_answer)


def test_question_sets_are_counted_before_a_run() -> None:
    of = survey()
    assert [bound_question_set_count(of, size) for size in (1, 2, 3)] == [3 + 3, 3 + 3, 3 + 3 + 1]
    assert smallest_tables_to_decide(of) == [(0,), (1,), (2,)]
    assert revealed_questions(of, [0, 3]) == (0,)


MOON_KNOWN = {"name": "moon", "choices": ["no", "yes"], "known": "0.0000"}
ASKED = design(
    plain({"name": "age", "choices": ["young", "old"]}, MOON_KNOWN, drawn_question("version", *HALF)),
    crosswise("theft", "0.25", turned_by="version"),
    open_answers=False,
).mined
AGE, MOON, VERSION, THEFT = range(4)


def verdict_of(**few: int) -> tuple[CachedCounter, Verdict]:
    """Of 600 people; `few`: of these questions so many have the second choice."""
    rng, n = np.random.default_rng(1), 600
    codes = np.array([rng.integers(0, 2, n) for _question in ASKED.questions])
    for name, many in few.items():
        index = [question.name for question in ASKED.questions].index(name)
        codes[index] = np.arange(n) < many
    counter = CachedCounter(Listed(ASKED, np.ones(n, np.int64), codes))
    return counter, decide_verdict(ASKED, table_counter(counter.counter), 2)[0]


def test_control_item_of_few_people_is_withheld_with_its_corrections() -> None:
    counter, told = verdict_of(moon=4)
    controls = analyse_controls(counter, told)
    assert controls.withheld
    assert (controls.item, controls.seen, controls.items) == ("moon=yes", None, ())
    assert controls.drawn
    counter, told = verdict_of(version=5)
    left = analyse_controls(counter, told)
    assert (left.words, left.drawn) == ((), ())
    assert left.items
    counter, told = verdict_of()
    assert dump_brief(analyse_controls(counter, told)) == dump_brief(analyse_controls(counter))
    assert analyse_controls(counter, told).words


SHARE = {"name": "many steal", "kind": "share", "item": "theft=yes", "than": "0.1000"}
BY_VERSION = {"name": "by version", "kind": "version", "item": "theft=yes", "by": "version"}


def test_plan_results_are_withheld_one_by_one() -> None:
    plan = {"format": "candor-plan/1", "salt": "ab" * 16, "hypotheses": [SHARE, BY_VERSION]}
    frozen = parse_plan(json.dumps(plan))
    assert question_indexes_by_hypothesis(frozen, ASKED) == [(THEFT,), (VERSION, THEFT)]
    cases: list[tuple[dict[str, int], list[str]]] = [({}, []), ({"version": 5}, ["by version"])]
    for few, withheld in cases:
        counter, told = verdict_of(**few)
        result = plan_result(frozen, PlannedRecords.from_counter(counter), told)
        assert [one.name for one in result.hypotheses if one.withheld] == withheld
        for one in result.hypotheses:
            numbers = (one.estimate, one.p, one.low, one.high, one.why)
            assert (numbers == (None,) * 5) == one.withheld
        assert result.sha256 == frozen.fingerprint
    # A withheld result counts as failed whatever it was.
    result = plan_result(frozen, PlannedRecords.from_counter(verdict_of()[0]))
    left = remove_withheld_results(result, [True, False])
    p = result.hypotheses[0].p
    assert p is not None
    assert left.hypotheses[0].holm == min(1.0, 2 * p)
    assert left.hypotheses[1] == unevaluated_result(frozen.hypotheses[1]).without_result


TEN = 10


def told_of_checks(
    work: NDArray[np.int64], check: NDArray[np.int64], rng: np.random.Generator
) -> Understanding:
    """What a first publication tells of disguised people who work so and understood so."""
    n = len(work)
    lie = np.where(work == 0, rng.integers(0, 2, n), CHECKED.questions[2].not_applicable)
    codes = np.array([work, rng.integers(0, 2, n), lie, check])
    counter = CachedCounter(Listed(CHECKED.mined, np.ones(n, np.int64), codes))
    verdict_of, _tables = decide_verdict(CHECKED.mined, table_counter(counter.counter), 2)
    found = analyse_understanding(counter, verdict_of)
    items = (one for one in found.items if one.difference is not None and isfinite(one.difference))
    return replace(found, items=tuple(items))


@pytest.mark.proof
def test_no_count_of_one_to_nine_is_disclosed_or_derivable() -> None:
    rng = np.random.default_rng(8)
    some = 0
    for _survey in range(30):
        cells = rng.choice([0, 3, 8, 10, 14, 40, 120], 6)
        work, check = np.repeat([0, 1], 3), np.tile([0, 1, 2], 2)
        everybody = np.repeat(work, cells), np.repeat(check, cells)
        if not len(everybody[0]):
            continue
        found = told_of_checks(*everybody, rng)
        some += len(found.items)
        for counts in found.counts:
            shown = [one.having for one in counts.shares if one.having is not None]
            assert all(having >= TEN for having in shown)
            if counts.n is not None:
                rest = counts.n - sum(shown)
                assert rest == 0 or rest >= TEN
        # Of those to whom it applies and of all: employed people and the others beside them.
        sides = {(one.item, one.n_understood, one.n_not) for one in found.items}
        assert all((n or 0) >= TEN for n in chain.from_iterable(side[1:] for side in sides))
        by_item = {item: (understood or 0, others or 0) for item, understood, others in sides}
        if len(by_item) == 2:
            differences = np.subtract(by_item["theft=yes"], by_item["lie=yes"])
            assert all(one == 0 or one >= TEN for one in differences.tolist())
    assert some > 10


def test_class_beside_people_who_did_not_understand_may_be_small() -> None:
    """Five needed the explanation: with the next larger class they are one, so that both sides have enough."""
    found, few = (
        told_of_checks(np.ones(sum(counts), np.int64), np.repeat([0, 1, 2], counts), np.random.default_rng(1))
        for counts in ([60, 5, 80], [160, 80, 9])
    )
    assert [one.having for one in found.all_disguised_counts.shares] == [None, None, 80]
    assert [(one.item, one.n_understood, one.n_not) for one in found.items] == [("theft=yes", 65, 80)]
    # Few who did not understand withhold every difference.
    assert few.items == ()
    assert [one.having for one in few.all_disguised_counts.shares] == [160, None, None]
