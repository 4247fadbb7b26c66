"""What a verdict leaves of a study and of who understood: everything, or nothing that tells of a few people."""

import json
from dataclasses import replace
from itertools import chain
from math import isfinite

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.disclosure.plain_table_counts import table_counter
from mining.disclosure.verdict import Verdict, decide_verdict
from mining.reconstruction import CachedCounter
from mining.report.group_comparisons import remove_withheld_results
from mining.report.json_codec import dump_brief
from mining.report.study_nodes import Understanding
from mining.studies.control_items import analyse_controls
from mining.studies.hypothesis_tests import PlannedRecords, plan_result, question_sets, unevaluated_result
from mining.studies.understanding_check import analyse_understanding
from privacy.designs import parse
from privacy.designs.hypothesis_plan import parse_plan
from tests.mining.listed import Listed
from tests.privacy.questionnaires import (
    HALF,
    IF_EMPLOYED,
    UNDERSTOOD,
    WORK,
    crosswise,
    design,
    drawn,
    plain,
    question,
    sensitive,
    written,
)

DESIGN = parse(
    json.dumps(
        written(
            plain(
                {"name": "age", "choices": ["young", "old"]},
                {"name": "moon", "choices": ["no", "yes"], "known": "0.0000"},
                drawn("version", *HALF),
            ),
            crosswise("theft", "0.25", turned_by="version"),
            open_answers=False,
        )
    )
).mined
AGE, MOON, VERSION, THEFT = range(4)


def verdict(**few: int) -> tuple[CachedCounter, Verdict]:
    """Of 600 people; `few`: of these questions so many have the second choice."""
    rng, n = np.random.default_rng(1), 600
    codes = np.array([rng.integers(0, 2, n) for _question in DESIGN.questions])
    for name, many in few.items():
        index = [question.name for question in DESIGN.questions].index(name)
        codes[index] = np.arange(n) < many
    counter = CachedCounter(Listed(DESIGN, np.ones(n, np.int64), codes))
    return counter, decide_verdict(DESIGN, table_counter(counter.counter), 2)[0]


def test_a_control_item_of_a_few_is_withheld_with_what_is_corrected_by_it() -> None:
    counter, told = verdict(moon=4)
    controls = analyse_controls(counter, told)
    assert controls.withheld
    assert (controls.item, controls.seen, controls.items) == ("moon=yes", None, ())
    assert controls.drawn
    counter, told = verdict(version=5)
    left = analyse_controls(counter, told)
    assert (left.words, left.drawn) == ((), ())
    assert left.items
    counter, told = verdict()
    assert dump_brief(analyse_controls(counter, told)) == dump_brief(analyse_controls(counter))
    assert analyse_controls(counter, told).words


def plan(*hypotheses: dict[str, str]) -> str:
    return json.dumps({"format": "candor-plan/1", "salt": "ab" * 16, "hypotheses": list(hypotheses)})


SHARE = {"name": "many steal", "kind": "share", "item": "theft=yes", "than": "0.1000"}
BY_VERSION = {"name": "by version", "kind": "version", "item": "theft=yes", "by": "version"}


def test_the_results_of_a_plan_are_withheld_one_by_one() -> None:
    frozen = parse_plan(plan(SHARE, BY_VERSION))
    assert question_sets(frozen, DESIGN) == [(THEFT,), (VERSION, THEFT)]
    cases: list[tuple[dict[str, int], list[str]]] = [({}, []), ({"version": 5}, ["by version"])]
    for few, withheld in cases:
        counter, told = verdict(**few)
        result = plan_result(frozen, PlannedRecords.from_counter(counter), told)
        assert [one.name for one in result.hypotheses if one.withheld] == withheld
        for one in result.hypotheses:
            numbers = (one.estimate, one.p, one.low, one.high, one.why)
            assert (numbers == (None,) * 5) == one.withheld
        assert result.sha256 == frozen.fingerprint
    # A withheld result counts as failed whatever it was.
    result = plan_result(frozen, PlannedRecords.from_counter(verdict()[0]))
    left = remove_withheld_results(result, [True, False])
    p = result.hypotheses[0].p
    assert p is not None
    assert left.hypotheses[0].holm == min(1.0, 2 * p)
    assert left.hypotheses[1] == unevaluated_result(frozen.hypotheses[1]).without_result


TEN = 10
SURVEY = design(
    plain(WORK),
    sensitive("0.5", question("theft", *HALF)),
    crosswise("lie", "0.25", secret={"en": "?"}, **IF_EMPLOYED),
    UNDERSTOOD,
    open_answers=True,
    understanding=True,
)


def told_of_checks(
    work: NDArray[np.int64], check: NDArray[np.int64], rng: np.random.Generator
) -> Understanding:
    """What a first publication tells of disguised people who work so and understood so."""
    n = len(work)
    lie = np.where(work == 0, rng.integers(0, 2, n), SURVEY.questions[2].not_applicable)
    codes = np.array([work, rng.integers(0, 2, n), lie, check])
    counter = CachedCounter(Listed(SURVEY.mined, np.ones(n, np.int64), codes))
    verdict, _tables = decide_verdict(SURVEY.mined, table_counter(counter.counter), 2)
    found = analyse_understanding(counter, verdict)
    items = (one for one in found.items if one.difference is not None and isfinite(one.difference))
    return replace(found, items=tuple(items))


@pytest.mark.proof
def test_no_count_of_one_to_nine_is_told_or_follows_by_subtraction() -> None:
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


def test_a_class_beside_those_who_did_not_understand_may_be_small() -> None:
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
