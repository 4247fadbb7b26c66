"""What a run stores: all that the search finds, and nothing where it is cancelled or its survey is destroyed."""

import json
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from accounts.insert_only_tables import InsertOnlyViolation
from accounts.models import Person
from jobs import job_state_changes
from jobs.models import State
from mining.counting import make_counter
from mining.engines import candor_engine
from mining.findings.result_row_conversion import RULE_HEAD, unpack_heads
from mining.inference.selection_correction import holm, list_critical_z
from mining.itemsets.answer_names import AnswerNames
from mining.nodes.report_nodes import HEAD_ENDS
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter, reconstruct_supports
from mining.reconstruction.open_versus_disguised_test import run_group_test
from mining.rules import Rules
from mining.rules.rule_intervals import confidence_intervals
from mining.rules.rules_from_frequent_itemsets import confident_splits
from privacy.designs import parse_design
from privacy.records.batch_bit_columns import take_numbered_records, unpack_columns
from runs import run_start
from runs.models import Itemset, Rule, Run
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Design, Survey
from tests.runs import sealed
from tests.runs.conftest import Ran
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def counter(survey: Survey) -> CachedCounter:
    return CachedCounter(make_counter(sealed.small_design(), sealed.columns(survey)), without_plain=True)


def first_rules_of_splits(rules: Rules) -> NDArray[np.intp]:
    """The first rule of each split."""
    return np.unique(rules.split, return_index=True)[1]


def test_a_run_stores_what_the_search_finds(survey: Survey, ran: Ran) -> None:
    run = ran(max_size=3)
    assert run.state == State.DONE
    result = candor_engine.mine_rules(counter(survey), run.search_parameters)
    supports, rules = result.frequent.supports, result.rules
    itemsets = list(run.itemsets.all())
    items = [tuple(number for number in row if number >= 0) for row in supports.itemsets.tolist()]
    assert [row.item_numbers for row in itemsets] == items
    assert [row.support for row in itemsets] == supports.support.tolist()
    assert [row.high for row in itemsets] == supports.high.tolist()
    opened = supports.groups[:, 0].tolist()
    bases = zip(supports.base.tolist(), opened, strict=True)
    assert [(row.base, row.n_open) for row in itemsets] == list(bases)
    by_sides = {rules.sides(row): row for row in range(len(rules))}
    stored = list(run.rules.all())
    assert [rule.place for rule in stored] == sorted(set(rules.split.tolist()))
    directions = [rule.sides for rule in stored] + [rule.sides[::-1] for rule in stored if rule.both]
    assert sorted(directions) == sorted(by_sides)
    for rule in stored:
        row, converse = by_sides[rule.sides], by_sides.get(rule.sides[::-1])
        found = (rules["confidence"][row], rules["q"][row], rules.split[row] + 1)
        assert (rule.confidence, rule.q, rule.place + 1) == found
        assert (converse is not None) == rule.both
        assert converse is None or rule.converse == rules["confidence"][converse]
        assert rule.converse == pytest.approx(rules["share"][row] / rules["consequent_support"][row])
    assert (run.itemset_count, run.rule_count) == (len(supports), len(stored))
    # Each rule belongs to the itemset of both its sides, and both are found by what they hold.
    for rule in run.rules.select_related("itemset"):
        first, second = rule.sides
        assert tuple(sorted(first + second)) == rule.itemset.item_numbers
    held = [row.place for row in itemsets if {1, 3} <= set(row.item_numbers)]
    assert held
    holding = run.itemsets.filter(items__contains=" 1 ").filter(items__contains=" 3 ")
    assert list(holding.values_list("place", flat=True)) == held
    assert not run.rules.filter(items__contains=" 12 ").exists()


def test_with_arms_a_run_is_of_the_disguised_arm_alone(owner: Person, ran: Ran) -> None:
    said = json.loads(sealed.small_design().canonical)
    arms = parse_design(json.dumps({**said, "open_answers": False, "direct": "0.5000", "least": 40}))
    survey = sealed.survey(owner, arms, [400])
    (columns,) = sealed.columns(survey)
    group, _codes = unpack_columns(columns)
    alone = make_counter(arms, [take_numbered_records([columns], np.flatnonzero(group))])
    run = ran(survey)
    expected = candor_engine.mine_rules(alone, run.search_parameters)
    assert (run.n_open, run.disguised) == (0, (group == 1).sum())
    assert [row.support for row in run.itemsets.all()] == expected.frequent.supports.support.tolist()
    assert [rule.lift for rule in run.rules.all()] == expected.rules["lift"][
        first_rules_of_splits(expected.rules)
    ].tolist()
    assert run.itemset_count
    assert run.rule_count


def test_the_evidence_is_what_the_search_finds(survey: Survey, owner: Person, ran: Ran) -> None:
    run = ran(min_support=0.3)
    found = candor_engine.mine_rules(counter(survey), run.search_parameters)
    supports, rules = found.frequent.supports, found.rules
    for name in ("low_listed", "high_listed"):
        stored = list(run.itemsets.order_by("place").values_list(name, flat=True))
        assert stored == pytest.approx(getattr(supports, name).tolist()), name
    assert [row.shown for row in run.itemsets.all()] == supports.shown.tolist()
    listed = [f"{name}_{end}_listed" for name in ("confidence", "lift") for end in ("low", "high")]
    for name in (*listed, "consequent_low"):
        stored = [np.nan if value is None else value for value in run.rules.values_list(name, flat=True)]
        assert stored == pytest.approx(rules[name][first_rules_of_splits(rules)].tolist(), nan_ok=True), name
    for name in ("eligible", "association"):
        assert (
            list(run.rules.values_list(name, flat=True)) == rules[name][first_rules_of_splits(rules)].tolist()
        )
    # What cannot be estimated is null.
    few = sealed.survey(owner, sealed.small_design(), [80])
    run = ran(few, min_support=0.02)
    rules = candor_engine.mine_rules(counter(few), run.search_parameters).rules
    highs = rules["lift_high"][first_rules_of_splits(rules)].tolist()
    told = [high if np.isfinite(high) else None for high in highs]
    assert [rule.lift_high for rule in run.rules.all()] == told
    assert not np.isfinite(highs).all()


def test_the_ends_of_shorter_lists_are_those_at_their_levels(survey: Survey, ran: Ran) -> None:
    run = ran(min_support=0.05, max_size=3)
    found = candor_engine.mine_rules(counter(survey), run.search_parameters)
    families = found.rules.splits.families
    assert run.findings["family"] == sum(families.values())
    assert families.items() <= run.findings["statements"].items()
    pairs = run.rules.filter(itemset__size=2).count()
    stored = list(run.rules.all())
    assert len(stored) > 4
    for rule in stored[:9]:
        number = rule.place + 1 - (0 if rule.place < pairs else pairs)
        heads: Any = unpack_heads(rule.heads, RULE_HEAD)
        assert len(heads) == number.bit_length() - 1
        ends = dict(zip(("association", *HEAD_ENDS), zip(*heads, strict=True), strict=False))
        for name in HEAD_ENDS if heads else ():
            low = name.endswith("low")
            around = [*ends[name], getattr(rule, f"{name}_listed")]
            ends_known = [value for value in around if value is not None]
            assert ends_known == sorted(ends_known, reverse=not low), name
            if name.startswith("lift"):
                said = [1 if head[1] > 1 else -1 if head[2] and head[2] < 1 else 0 for head in heads]
                assert [head[0] for head in heads] == said
    # The confidence of one rule is found anew at each level.
    rule = stored[-1]
    known = counter(survey)
    itemset = np.array([sorted([*rule.sides[0], *rule.sides[1]])], np.int32)
    pieces, _splits = confident_splits(known, itemset, -np.inf, "stratified")
    for power, head in enumerate(unpack_heads(rule.heads, RULE_HEAD)):
        level = list_critical_z(np.array([2**power]), families["larger"])[0]
        of_level = np.full((len(pieces), 1), level)
        every = np.arange(len(pieces))
        sides = (confidence_intervals(pieces, side, of_level, every)[:, 0].tolist() for side in (0, 1))
        whole = [end for ends in sides for end in ends]
        assert [head[3], head[4]] in [pytest.approx(pair, abs=2e-7) for pair in whole]
        assert [head[5], head[6]] in [pytest.approx(pair, abs=2e-7) for pair in whole]


def test_an_interval_of_a_list_holds_the_one_by_itself_and_results_are_written_once(ran: Ran) -> None:
    run, ends = ran(), attrgetter("low_listed", "low", "high", "high_listed")
    for row in run.itemsets.all():
        low_listed, low, high, high_listed = ends(row)
        assert low_listed <= low < high <= high_listed
    rules = run.rules.exclude(confidence_low=None)
    assert rules.exists()
    for rule in rules:
        assert (rule.confidence_low_listed or 0) <= (rule.confidence_low or 0)
        assert (rule.confidence_high or 1) <= (rule.confidence_high_listed or 1)
    for result in (run.itemsets.first(), run.rules.first()):
        assert isinstance(result, Itemset | Rule)
        with pytest.raises(InsertOnlyViolation):
            result.save()
    with pytest.raises(InsertOnlyViolation):
        run.itemsets.update(support=1)


def test_what_joins_plain_and_sensitive_answers_is_of_the_disguised_alone(survey: Survey, ran: Ran) -> None:
    """Items 0 and 1 are plain."""
    run = ran()
    disguised = sum(int(np.bitwise_count(of.disguised).sum()) for of in sealed.columns(survey))
    assert (run.n_open, run.disguised) == (600 - disguised, disguised)
    joined = {
        row.item_numbers: (row.base, row.n_open)
        for row in run.itemsets.all()
        if min(row.item_numbers) < 2 <= max(row.item_numbers)
    }
    assert joined
    assert set(joined.values()) == {(run.disguised, 0)}
    of_plain, of_sensitive = (run.disguised, 0), (600, run.n_open)
    singles = {row.item_numbers[0] < 2: (row.base, row.n_open) for row in run.itemsets.filter(size=1)}
    assert singles == {True: of_plain, False: of_sensitive}
    for rule in run.rules.select_related("itemset"):
        assert rule.eligible == (run.disguised if rule.itemset.item_numbers in joined else 600)


def test_all_answers_are_found_however_rare(survey: Survey, ran: Ran) -> None:
    run = ran(min_support=0.9)
    supports = reconstruct_supports(counter(survey), [((q, c),) for q in range(5) for c in range(2)])
    names = AnswerNames(run.mined_design)
    answers = run.findings["answers"]
    assert [row["items"] for row in answers] == [[names.name_of_number(item)] for item in range(10)]
    assert [row["support"] for row in answers] == supports.support.tolist()
    assert run.itemset_count == 0
    compared = run_group_test(counter(survey).whole)
    assert compared.raw is not None
    found = run.findings["alike"]
    told = [item for item in compared.items if run.stored_verdict.allows_comparing_open_and_disguised(item)]
    assert [row["item"] for row in found] == list(map(names.name, told))
    alone = [p for item, p in zip(compared.items, compared.raw.tolist(), strict=True) if item in told]
    assert [row["p"] for row in found] == holm(np.array(alone)).tolist() == compared.p.tolist()


def test_a_level_that_is_too_large_is_not_counted_and_the_run_says_so(ran: Ran) -> None:
    run = ran(most=3)
    assert run.state == State.DONE
    assert [level["size"] for level in run.levels] == [1]
    assert run.stopped
    assert (run.stopped["size"], run.stopped["most"]) == (2, 3)
    assert run.stopped["fits"] > 0.1


def test_what_is_cancelled_or_destroyed_stores_nothing(survey: Survey, owner: Person) -> None:
    wanted = Parameters(min_support=0.1, min_confidence=0.5)
    run = run_start.start_mining_run(survey, owner, wanted, NOW)
    job_state_changes.cancel(run, NOW)
    sealed.work(run)
    assert run.state == State.CANCELLED
    assert not Itemset.objects.exists()
    run = run_start.start_mining_run(survey, owner, wanted, NOW)
    claimed = job_state_changes.claim(run.pk, token="a" * 32, worker="w1", now=NOW)
    assert claimed
    write = claimed.perform(lambda *_, **__: None)
    lifecycle.destroy_survey(survey, owner, NOW)
    assert not job_state_changes.finish(claimed, write, NOW)
    assert not Itemset.objects.exists()


def test_a_changed_design_fails(survey: Survey, owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    # An upgrade may lie between the request and the first attempt.
    run = run_start.start_mining_run(survey, owner, Parameters(0.1, 0.3), NOW)
    assert run.version == ""
    monkeypatch.setattr(run_start, "VERSION", 7)
    done = sealed.work(run)
    assert done.version.startswith("mining 7, numpy ")
    run = run_start.start_mining_run(survey, owner, Parameters(min_support=0.1, min_confidence=0.5), NOW)
    changed = sealed.make_design(sealed.section("a", "b"))
    row = Design.objects.create(fingerprint="0" * 64, json=changed.canonical)
    draft = json.loads(changed.canonical)
    other = Survey.objects.create(owner=owner, design=row, draft=draft, state="closed")
    Run.objects.filter(pk=run.pk).update(survey=other, design="0" * 64)
    run = sealed.work(run)
    assert run.state == State.FAILED
    assert "it was changed in the database" in str(run.problem)
