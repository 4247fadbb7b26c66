"""Stratified rules, from the records to the numbers: means of scores among E(S), and the one test of their tables."""

from math import erfc, isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

from mining.queries_and_counters import Item
from mining.reconstruction import ESTIMATORS, reconstruct
from mining.reconstruction.supports import COLUMNS
from mining.rules import Rules, rules
from proof.record_probabilities import hidden_questions
from tests.mining.inference.exact_table import Question, What
from tests.mining.listed import OPEN, Exact, Listed, sides
from tests.mining.scores import base, eligible, enough, joins_plain_and_sensitive, rule_table, z
from tests.mining.strategies import answered, itemsets_of
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, plain, question, sensitive, written

pytestmark = pytest.mark.proof
OFTEN_NOTHING = [HealthCheck.filter_too_much, HealthCheck.too_slow]
"""Of many random surveys too few are asked all of an itemset."""


@given(st.data())
def test_everything_about_a_rule_is_what_the_scores_of_the_eligible_say(data: st.DataObject) -> None:
    listed = data.draw(answered(150))
    itemset = data.draw(itemsets_of(listed, least=2))
    found = rules(listed, [itemset], -np.inf, max_size=4)
    records = eligible(listed, itemset)
    if len(itemset) < 2 or not enough(listed, records, itemset):
        assert len(found) == 0
        return
    for row in range(len(found)):
        scores = [z(listed, records, side) for side in sides(found, row, listed.design)]
        a, c, s = (float(values.mean()) for values in scores)
        assert (found.base[row], found.eligible[row]) == (len(base(listed, itemset)), len(records))
        assert found.antecedent_support[row] == pytest.approx(a, abs=1e-12)
        assert found.consequent_support[row] == pytest.approx(c, abs=1e-12)
        assert found.share[row] == pytest.approx(s, abs=1e-12)
        assert found.confidence[row] == pytest.approx(s / a, rel=1e-9)
        assert found.leverage[row] == pytest.approx(s - a * c, abs=1e-12)


@given(st.data())
def test_the_support_of_a_rule_is_that_of_its_itemset(data: st.DataObject) -> None:
    listed = data.draw(answered(150))
    itemset = data.draw(itemsets_of(listed, least=2))
    for estimator in ("stratified", "pooled", "combined"):
        found = rules(listed, [itemset], -np.inf, estimator, max_size=4)
        alone = reconstruct(listed, [itemset], estimator)
        # The floors of a rule are those of its itemset's, or stricter: fewer are eligible than asked.
        np.testing.assert_array_equal(found.support, np.repeat(alone.support, len(found)))
        np.testing.assert_array_equal(found.base, np.repeat(alone.base, len(found)))
        np.testing.assert_array_equal(found.eligible, np.repeat(alone.shown, len(found)))


def assert_interval(low: float, high: float, question: Question, level: float = 1.96) -> None:
    found = question.interval(level)
    if question.what == "lift" and question.lacking < 10:
        found = None
    expected = (nan, nan) if found is None else (found[0], nan if np.isinf(found[1]) else found[1])
    assert low == pytest.approx(expected[0], abs=1e-6, rel=1e-6, nan_ok=True)
    assert high == pytest.approx(expected[1], abs=1e-6, rel=1e-6, nan_ok=True)


@settings(suppress_health_check=OFTEN_NOTHING)
@given(st.data())
def test_intervals_and_p_are_those_of_the_one_test(data: st.DataObject) -> None:
    listed = data.draw(answered(250))
    itemset = data.draw(itemsets_of(listed, least=2, most=3))
    found = rules(listed, [itemset], -np.inf, max_size=4)
    assume(len(found))
    for row in range(len(found)):
        antecedent, consequent, _whole = sides(found, row, listed.design)
        table = rule_table(listed, antecedent, consequent)
        whats: tuple[What, What] = ("confidence", "lift")
        confidence, lift = (Question(table, what) for what in whats)
        assert_interval(found.confidence_low[row], found.confidence_high[row], confidence)
        assert_interval(found.lift_low[row], found.lift_high[row], lift)
        p = erfc(abs(lift.z(1.0)) / sqrt(2))
        assert found.p[row] == pytest.approx(p, abs=1e-7)
        assert not isnan(found.p[row])


@settings(suppress_health_check=OFTEN_NOTHING)
@given(st.data())
def test_both_rules_of_a_split_share_its_lift_and_p(data: st.DataObject) -> None:
    listed = data.draw(answered(200))
    itemset = data.draw(itemsets_of(listed, least=2))
    found = rules(listed, [itemset], -np.inf, max_size=4)
    assume(len(found))
    by_sides = {sides(found, row, listed.design)[:2]: row for row in range(len(found))}
    for (antecedent, consequent), row in by_sides.items():
        other = by_sides.get((consequent, antecedent))
        if other is None:
            continue
        assert found.split[row] == found.split[other]
        assert found.antecedent_support[row] == found.consequent_support[other]
        assert found.lift[row] == pytest.approx(found.lift[other], rel=1e-9)
        # Excluding 1 and p < .05 are the same where there is an interval.
        if not isnan(found.lift_low[row]):
            excluded = found.lift_low[row] > 1 or found.lift_high[row] < 1
            assert excluded == (found.p[row] < 0.049996)


SICK = written(
    plain(WORK),
    sensitive("0.4", question("sick", "0.4", "0.6", **IF_EMPLOYED), question("drunk", *HALF)),
    sensitive("0.7", question("late", "0.3", "0.7", **IF_EMPLOYED)),
)


def truth(people: dict[tuple[int, ...], float], items: tuple[Item, ...], whole: tuple[Item, ...]) -> float:
    """The share with these answers among those to whom all of the whole applies."""
    questions = [question for section in SICK["sections"] for question in section["questions"]]
    shown = {
        answers: share
        for answers, share in people.items()
        if not hidden_questions(questions, answers) & {place for place, _ in whole}
    }
    having = [
        share for answers, share in shown.items() if all(answers[place] == code for place, code in items)
    ]
    return sum(having) / sum(shown.values())


def test_given_the_exact_law_a_rule_is_true_of_those_it_applies_to(subtests: pytest.Subtests) -> None:
    """Not of everybody: who works differs from who does not."""
    for k in [0.0, 0.3]:
        for estimator in ["stratified", "pooled", "combined"]:
            with subtests.test(f"{k} {estimator}"):
                rng = np.random.default_rng(1)
                answers = [
                    (work, sick, drunk, late)
                    for work in (0, 1)
                    for sick in (0, 1)
                    for drunk in (0, 1)
                    for late in (0, 1)
                ]
                people: dict[tuple[int, ...], float] = dict(
                    zip(answers, rng.dirichlet(np.ones(len(answers))).tolist(), strict=True)
                )
                # Those who answer openly are like the others, as pooled and combined assume.
                records = Exact(SICK, people, people, k)
                for itemset in (((1, 1), (2, 1)), ((1, 1), (3, 1)), ((1, 1), (2, 1), (3, 1))):
                    found = rules(records, [itemset], -np.inf, estimator, max_size=3)  # type: ignore[arg-type]
                    assert len(found) == 2 ** len(itemset) - 2
                    for row in range(len(found)):
                        antecedent, consequent, whole = sides(found, row, records.design)
                        a, c, s = (truth(people, side, whole) for side in (antecedent, consequent, whole))
                        assert found.antecedent_support[row] == pytest.approx(a, abs=1e-9)
                        assert found.share[row] == pytest.approx(s, abs=1e-9)
                        assert found.confidence[row] == pytest.approx(s / a, abs=1e-9)
                        assert found.lift[row] == pytest.approx(s / a / c, abs=1e-9)
                        assert found.support[row] < found.share[row]


@settings(max_examples=8, suppress_health_check=OFTEN_NOTHING)
@given(st.data())
def test_open_records_change_nothing_of_what_joins_plain_and_sensitive_items(data: st.DataObject) -> None:
    listed = data.draw(answered(200))
    itemset = data.draw(itemsets_of(listed, least=2))
    assume(joins_plain_and_sensitive(listed, itemset) and 0 < (listed.group == OPEN).sum() < 200)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    other = Listed(listed.design, listed.group, listed.codes.copy())
    opened = np.flatnonzero(listed.group == OPEN)
    for place, of in enumerate(listed.design.questions):
        told = listed.codes[place, opened] < of.not_asked
        other.codes[place, opened[told]] = rng.integers(0, len(of.choices), int(told.sum()))
    for estimator in ESTIMATORS:
        before, after = (
            rules(records, [itemset], -np.inf, estimator, max_size=4) for records in (listed, other)
        )
        assert_same(before, after)
        one, same = (reconstruct(records, [itemset], estimator) for records in (listed, other))
        for name in COLUMNS:
            np.testing.assert_array_equal(getattr(one, name), getattr(same, name))


def assert_same(one: Rules, other: Rules) -> None:
    assert len(one) == len(other)
    for name in (
        *("base", "eligible", "support", "share", "antecedent_support", "consequent_support", "confidence"),
        *("confidence_low", "confidence_high", "confidence_low_listed", "confidence_high_listed", "lift_low"),
        *("lift_high", "p", "q", "rank", "association", "under"),
    ):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
