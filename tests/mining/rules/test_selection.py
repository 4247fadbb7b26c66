"""Reported rules in their list, from the records to the badge, against the definition written out."""

from itertools import combinations, product
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.engines import candor_engine
from mining.engines.candor_engine import MiningResult
from mining.inference import score_test_kernel
from mining.inference.intervals import share_interval
from mining.inference.score_test import SIDES, support_test
from mining.inference.selection_correction import RulePairCorrection, list_critical_z
from mining.itemsets.frequent import find_frequent_itemsets, search_itemsets_without_intervals
from mining.parameters import Parameters
from mining.queries_and_counters import Numbering
from mining.reconstruction import CachedCounter, reconstruct_supports
from mining.reconstruction.supports import ESTIMATORS, Estimator
from mining.rules import reconstruct_rules, rule_intervals
from mining.rules.fold_redundant_rules import UNFOLDED
from mining.rules.rule_intervals import ListIntervals, base_rate_intervals
from mining.rules.rules_from_frequent_itemsets import Rules, confident_splits
from tests.mining.inference.exact_table import Question
from tests.mining.listed import (
    Listed,
    assert_same_columns,
    level_at,
    plain_only,
    rule_table,
    sides_of_rule,
    stepped_up,
    support_table,
    vector_file,
)
from tests.mining.strategies import survey_answered
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, classes, design, plain, question, sensitive

pytestmark = pytest.mark.proof
SURVEY = design(
    plain(WORK),
    sensitive("0.5", question("theft", "0.6", "0.4", **IF_EMPLOYED), question("drugs", "0.5", "0.5")),
    sensitive("0.7", question("drink", "0.2", "0.8"), question("late", "0.6", "0.4")),
)
WANTED = Parameters(0.15, 0.5, max_size=3)


@pytest.fixture(scope="module")
def survey() -> tuple[Listed, MiningResult]:
    given = survey_answered(SURVEY, 1_200, 0.3, 2)
    found = candor_engine.mine_rules(given.records().counter(), WANTED)
    return Listed(SURVEY, given.group, given.codes), found


def families(found: MiningResult) -> tuple[int, int]:
    """Every pair of the items that are in a reported itemset, and the unordered splits of every triple."""
    numbers = {number for row in found.frequent.itemsets.tolist() for number in row if number >= 0}
    items = sorted(map(Numbering(SURVEY).item, numbers))
    pairs, triples = (sum(len(dict(of)) == size for of in combinations(items, size)) for size in (2, 3))
    return pairs, 3 * triples


def listed_splits(found: Rules) -> tuple[list[int], list[int]]:
    """The splits of pairs, and those of three items."""
    size = {int(split): sum(map(len, found.sides(row))) for row, split in enumerate(found.split)}
    pairs, larger = ([split for split in sorted(size) if size[split] == many] for many in (2, 3))
    assert [*pairs, *larger] == list(range(len(found.splits)))
    assert pairs
    assert larger
    return pairs, larger


def test_q_covers_all_splits_of_the_family(survey: tuple[Listed, MiningResult]) -> None:
    listed, found = survey
    splits: dict[int, float] = {}
    for row in range(len(found.rules)):
        antecedent, consequent, _whole = sides_of_rule(found.rules, row, SURVEY)
        z = Question(rule_table(listed, antecedent, consequent), "lift").z_statistic(1.0)
        splits[int(found.rules.split[row])] = 2 * NormalDist().cdf(-abs(z))
    assert sorted(splits) == list(range(len(found.rules.splits.p)))
    p = [splits[split] for split in sorted(splits)]
    assert found.rules.splits.p == pytest.approx(p, rel=1e-5, abs=1e-9)
    for mine, tests in zip(listed_splits(found.rules), families(found), strict=True):
        by_hand = stepped_up([splits[split] for split in mine], tests)
        assert found.rules.splits.q[mine] == pytest.approx(by_hand, rel=1e-5, abs=1e-9)


def test_report_with_one_list_is_recomputed_as_one(survey: tuple[Listed, MiningResult]) -> None:
    both = RulePairCorrection(is_one_list=True)
    of = candor_engine.mine_rules(survey[0], WANTED, front=both).rules
    assert of.splits.q == pytest.approx(stepped_up(of.splits.p.tolist(), sum(families(survey[1]))))
    assert set(of.list_name.tolist()) == {"pairs"}
    assert of.rank.tolist() == (of.split + 1).tolist()
    sizes = [sum(map(len, of.sides(row))) for row in range(len(of)) if of.under[row] == UNFOLDED]
    assert sizes != sorted(sizes)


def test_each_list_is_sorted_by_p_and_badges_match_lifts(survey: tuple[Listed, MiningResult]) -> None:
    """What folds is of the second list, stands there behind what does not, and is by p too."""
    of = survey[1].rules
    stands_alone = np.zeros(len(of.splits), np.bool_)
    np.logical_or.at(stands_alone, of.split, of.under == UNFOLDED)
    assert 0 < stands_alone.sum() < len(stands_alone)
    assert stands_alone.tolist() == sorted(stands_alone.tolist(), reverse=True)
    is_pair = np.arange(len(of.splits)) < len(listed_splits(of)[0])
    assert stands_alone[is_pair].all()
    for rows in (is_pair, stands_alone & ~is_pair, ~stands_alone):
        assert (np.diff(np.abs(of.splits.z[rows])) <= 1e-9).all()
    for mine, name in zip(listed_splits(of), ("pairs", "larger"), strict=True):
        rows = np.isin(of.split, mine)
        assert set(of.list_name[rows].tolist()) == {name}
        assert sorted(set(of.rank[rows].tolist())) == list(range(1, len(mine) + 1))
    ours = {of.sides(row): int(of.rank[row]) for row in range(len(of))}
    assert any(sides[::-1] in ours for sides in ours)
    assert all(ours[sides[::-1]] == rank for sides, rank in ours.items() if sides[::-1] in ours)
    # A badge says what the interval of the lift says.
    said = np.where(of["lift_low_listed"] > 1, 1, np.where(of["lift_high_listed"] < 1, -1, 0))
    assert of["association"].tolist() == said.tolist()
    # A badge implies q of at most .05.
    assert (of["q"][of["association"] != 0] <= 0.05 + 1e-12).all()


def test_ties_are_ordered_by_support_then_items() -> None:
    """Two questions that everybody answers alike, in two pairs: the same z, and the same support."""
    asks = design(plain(*({"name": name, "choices": ["no", "yes"]} for name in "abcd")))
    half = np.arange(200) % 2
    other = np.arange(200) // 2 % 2
    listed = Listed(asks, np.zeros(200, np.int64), np.stack([other, half, half, other]))
    made = reconstruct_rules(listed, [((1, 1), (2, 1)), ((0, 1), (3, 1))], 0.5, max_size=2)
    both = [((1,), (7,)), ((7,), (1,)), ((3,), (5,)), ((5,), (3,))]
    assert [made.sides(row) for row in range(len(made))] == both
    assert made.rank.tolist() == [1, 1, 2, 2]
    assert made["association"].tolist() == [1, 1, 1, 1]
    absent = reconstruct_rules(listed, [((1, 0), (2, 1))], 0.0, max_size=2)
    assert set(absent["association"].tolist()) <= {-1}


@pytest.mark.night
def test_listed_rule_intervals_have_the_level_of_their_rank(survey: tuple[Listed, MiningResult]) -> None:
    """A rule that folds stands behind rules of larger p: its level is that of its place by p, if that is less."""
    listed, found = survey
    of, z = found.rules, np.abs(found.rules.splits.z)
    pairs, larger = listed_splits(of)
    by_p = []
    for split in range(len(z)):
        mine = np.array(pairs if split in pairs else larger)
        ahead = (z[mine] > z[split] + 1e-9) | (np.isclose(z[mine], z[split]) & (mine < split))
        by_p.append(1 + int(ahead.sum()))
    for row, split in enumerate(of.split):
        antecedent, consequent, _whole = sides_of_rule(of, row, SURVEY)
        tests = families(found)[split not in pairs]
        table, level = rule_table(listed, antecedent, consequent), level_at(by_p[split], tests)
        if by_p[split] > of.rank[row]:
            level = level_at(int(of.rank[row]), tests)
        if split in pairs and z[split] > level_at(1, tests):  # it stands on the front page
            level = level_at(1, tests)
        ends = Question(table, "confidence").interval(level)
        low, high = of["confidence_low_listed"][row], of["confidence_high_listed"][row]
        assert (low, high) == pytest.approx(ends, abs=1e-6)
        ends = Question(table, "lift").interval(level)
        assert (of["lift_low_listed"][row], of["lift_high_listed"][row]) == pytest.approx(
            ends, rel=1e-6, abs=1e-6
        )
        listed_ends = (
            of["lift_low_listed"][row],
            of["lift_low"][row],
            of["lift_high"][row],
            of["lift_high_listed"][row],
        )
        assert sorted(listed_ends) == list(listed_ends)


def test_base_rate_is_a_support_of_people_shown_all(survey: tuple[Listed, MiningResult]) -> None:
    listed, found = survey
    of = found.rules
    for row in range(len(of)):
        _antecedent, consequent, whole = sides_of_rule(of, row, SURVEY)
        table = support_table(listed, consequent, among=whole)
        ends = of["consequent_low"][row], of["consequent_high"][row]
        assert ends == pytest.approx(Question(table, "support").interval(1.96), abs=1e-6)


def test_badges_match_the_vectors() -> None:
    for vector in vector_file("corrections")["badges"]:
        z, level = vector["z_at_lift_1"], list_critical_z(np.array([vector["rank"]]), vector["m"])[0]
        badge = "not shown" if abs(z) <= level else "more often together" if z > 0 else "less often together"
        assert badge == vector["badge"], vector
        assert 2 * NormalDist().cdf(-abs(z)) == pytest.approx(vector["p"], rel=1e-6), vector


def test_plain_rule_has_the_tests_interval_and_its_support_its_own() -> None:
    found = design(plain(WORK, {"name": "age", "choices": ["young", "old"]}))
    codes = np.array([[0, 0, 1, 1], [0, 1, 0, 1]])
    listed = Listed(found, np.ones(4, np.int64), codes, np.array([30, 10, 20, 40]))
    itemset = ((0, 0), (1, 0))
    assert plain_only(listed, itemset)
    made = reconstruct_rules(listed, [itemset], 0.0, max_size=2)
    for row in range(2):
        antecedent, consequent, _whole = sides_of_rule(made, row, found)
        ends = Question(rule_table(listed, antecedent, consequent), "confidence").interval()
        assert (made["confidence_low"][row], made["confidence_high"][row]) == pytest.approx(ends, abs=1e-6)
    # Clopper and Pearson's of 30 in 100, from a table.
    alone = reconstruct_supports(listed, [itemset])
    assert (alone.low[0], alone.high[0]) == (pytest.approx(0.2124, abs=1e-4), pytest.approx(0.3998, abs=1e-4))


def test_other_estimators_give_all_rule_measures(survey: tuple[Listed, MiningResult]) -> None:
    estimators: tuple[Estimator, ...] = ("pooled", "combined")
    for estimator in estimators:
        of = candor_engine.mine_rules(survey[0], Parameters(0.15, 0.5, max_size=3, estimator=estimator)).rules
        assert len(of) > 5
        assert np.isfinite([of["p"], of["q"]]).all()
        there = np.isfinite(of["confidence_low"])
        assert there.any()
        ends = of["confidence_low"], of["confidence_high"]
        assert (of["confidence_low_listed"][there] <= ends[0][there]).all()
        assert (of["confidence_high_listed"][there] >= ends[1][there]).all()
        assert ((ends[0][there] >= 0) & (ends[1][there] <= 1)).all()
        told = np.isfinite(of["lift_low"])
        # p is that of Fieller's z at 1, so that its interval leaves 1 out exactly where p is below .05.
        excluded = (of["lift_low"] > 1) | (of["lift_high"] < 1)
        assert (excluded[told] == (of["p"][told] < 0.049996)).all()
        assert (of["q"] >= of["p"]).all()
        base_rate = np.clip(of["consequent_support"], 0, 1)
        assert (
            (of["consequent_low"] <= base_rate + 1e-9) & (base_rate <= of["consequent_high"] + 1e-9)
        ).all()


def test_family_includes_items_not_frequent_alone() -> None:
    asks = design(sensitive("0.5", *(question(name, "0.5", "0.5") for name in "abc")))
    codes = np.array(list(product((0, 1), repeat=3))).T
    listed = Listed(asks, np.ones(8, np.int64), codes, np.array([90, 40, 40, 50, 40, 50, 50, 140]))
    pairs = [((0, 1), (1, 1)), ((0, 1), (2, 1))]
    for alone in ([], [((0, 1),)], [((0, 1),), ((1, 1),), ((2, 1),)]):
        made = reconstruct_rules(listed, [*alone, *pairs], -np.inf, max_size=3)
        # Three pairs; both look alike.
        assert made.splits.p[0] == pytest.approx(made.splits.p[1]), alone
        assert 0 < made.splits.p[0] < 1 / 3
        assert made.splits.q == pytest.approx(made.splits.p * 3 / 2), alone


FORM = design(plain(WORK), sensitive("0.6", *(question(f"s{at}", *HALF) for at in range(4))))
HEAD = 7


def mine_rules_by(estimator: Estimator) -> Rules:
    known = CachedCounter(survey_answered(FORM, 3_000, 0.3, 1).records().counter())
    found = find_frequent_itemsets(known, Parameters(0.02, 0.2, max_size=3, estimator=estimator))
    return reconstruct_rules(known, found.supports, 0.2, estimator, max_size=3, heads=True)


def test_ends_computed_later_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those beyond the head of a list are computed when they are read, to the digits that they had at once."""
    for estimator, kept in product(ESTIMATORS, [0, 1 << 15]):
        at_once = mine_rules_by(estimator)
        with monkeypatch.context() as patch:
            patch.setattr(rule_intervals, "AT_ONCE", HEAD)
            patch.setattr(rule_intervals, "KEPT", kept)
            later = mine_rules_by(estimator)
            assert len(at_once.splits) > 3 * HEAD
            assert later.splits.intervals.first[0].shape[1] == HEAD
            names = ("lift_low", "confidence_high_listed", "consequent_low")
            assert_same_columns(later, at_once, names)
            assert_same_columns(later.splits, at_once.splits, ("interval_ends", "base_rate_ends"))
    # The head of a list is read without the rest.
    whole = mine_rules_by("stratified")["confidence_low"]
    monkeypatch.setattr(rule_intervals, "AT_ONCE", HEAD)
    found = mine_rules_by("stratified")
    monkeypatch.setattr(ListIntervals, "all_ends", property(lambda _: pytest.fail("the rest is computed")))
    head = np.flatnonzero(found.split < HEAD)
    assert found.take(head)["confidence_low"].tolist() == whole[head].tolist()


# --- intervals that splits share ---


LOOSE = Parameters(0.005, 0.1, max_size=3)


@pytest.fixture(scope="module")
def counter_of_records() -> CachedCounter:
    """Rotation, a rule that hides, a number, open and plain answers: E(S) differs between itemsets."""
    form = design(
        plain(WORK),
        sensitive("0.7", *(question(f"s{at}", *HALF) for at in range(4)), asked=3),
        sensitive("0.8", question("t0", *HALF), question("t1", *HALF, **IF_EMPLOYED)),
        classes("n", "0.7", 0, 1, 2, 3, cuts=2),
    )
    return CachedCounter(survey_answered(form, 4_000, 0.3, 1).records().counter())


def test_shared_base_rate_is_that_of_each_split(counter_of_records: CachedCounter) -> None:
    itemsets = search_itemsets_without_intervals(counter_of_records, LOOSE).itemsets
    pieces, _found = confident_splits(counter_of_records, itemsets, 0.1, "stratified")
    ends = base_rate_intervals(pieces, np.ones((2, len(pieces)), np.bool_))
    for piece in pieces.pieces:
        for side in SIDES:
            test = support_test(piece.sides.table.reduce_to_side(side))
            alone = np.stack(share_interval(test), axis=-1)
            assert np.array_equal(ends[side, piece.rows], alone, equal_nan=True)


def test_splits_share_intervals(counter_of_records: CachedCounter, monkeypatch: pytest.MonkeyPatch) -> None:
    supports = search_itemsets_without_intervals(counter_of_records, LOOSE).supports
    solved: list[int] = []
    solve = score_test_kernel.fill_share_ends

    def counting(rows: NDArray[Any], chosen: NDArray[Any], *rest: Any) -> None:
        solved.append(len(chosen))
        solve(rows, chosen, *rest)

    monkeypatch.setattr(score_test_kernel, "fill_share_ends", counting)
    found = reconstruct_rules(counter_of_records, supports, -np.inf, max_size=3, heads=True)
    assert found.splits.interval_ends.shape[1] == len(found.splits)
    # Each split has two confidences, at the levels of the list; those of rules that may fold are computed at 95 %
    # before. Of its two base rates many are those of other splits.
    splits = len(found.splits)
    assert splits > 500
    assert 2 * splits < sum(solved) < 4 * splits
