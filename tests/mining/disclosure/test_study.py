"""What a verdict leaves of a study: everything, or nothing that a few people could be told from."""

import json

import numpy as np
import pytest

from mining.disclosure.plain_table_counts import table_counter
from mining.disclosure.verdict import Verdict, decide_verdict
from mining.reconstruction import CachedCounter
from mining.report.group_comparisons import remove_withheld_results
from mining.report.json_codec import dump_brief
from mining.studies.control_items import analyse_controls
from mining.studies.hypothesis_tests import PlannedRecords, plan_result, question_sets, unevaluated_result
from privacy.designs import parse
from privacy.designs.hypothesis_plan import parse_plan
from tests.mining.listed import Listed
from tests.privacy.questionnaires import HALF, crosswise, drawn, plain, written

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


def test_where_all_may_be_told_all_is_told() -> None:
    counter, told = verdict()
    assert dump_brief(analyse_controls(counter, told)) == dump_brief(analyse_controls(counter))
    assert analyse_controls(counter, told).words


def test_a_control_item_of_a_few_is_withheld_with_what_is_corrected_by_it() -> None:
    counter, told = verdict(moon=4)
    controls = analyse_controls(counter, told)
    assert controls.withheld
    assert (controls.item, controls.seen, controls.items) == ("moon=yes", None, ())
    assert controls.drawn


def test_a_small_version_withholds_what_compares_versions() -> None:
    counter, told = verdict(version=5)
    controls = analyse_controls(counter, told)
    assert (controls.words, controls.drawn) == ((), ())
    assert controls.items


def plan(*hypotheses: dict[str, str]) -> str:
    return json.dumps({"format": "candor-plan/1", "salt": "ab" * 16, "hypotheses": list(hypotheses)})


SHARE = {"name": "many steal", "kind": "share", "item": "theft=yes", "than": "0.1000"}
BY_VERSION = {"name": "by version", "kind": "version", "item": "theft=yes", "by": "version"}


@pytest.mark.parametrize(("few", "withheld"), [({}, []), ({"version": 5}, ["by version"])])
def test_the_results_of_a_plan_are_withheld_one_by_one(few: dict[str, int], withheld: list[str]) -> None:
    counter, told = verdict(**few)
    frozen = parse_plan(plan(SHARE, BY_VERSION))
    assert question_sets(frozen, DESIGN) == [(THEFT,), (VERSION, THEFT)]
    result = plan_result(frozen, PlannedRecords.from_counter(counter), told)
    assert [one.name for one in result.hypotheses if one.withheld] == withheld
    for one in result.hypotheses:
        numbers = (one.estimate, one.p, one.low, one.high, one.why)
        assert (numbers == (None,) * 5) == one.withheld
    assert result.sha256 == frozen.fingerprint


def test_a_withheld_result_counts_as_failed_whatever_it_was() -> None:
    counter, _told = verdict()
    frozen = parse_plan(plan(SHARE, BY_VERSION))
    result = plan_result(frozen, PlannedRecords.from_counter(counter))
    left = remove_withheld_results(result, [True, False])
    p = result.hypotheses[0].p
    assert p is not None
    assert left.hypotheses[0].holm == min(1.0, 2 * p)
    assert left.hypotheses[1] == unevaluated_result(frozen.hypotheses[1]).without_result
