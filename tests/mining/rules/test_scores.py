"""Rules from the records to the numbers: means of scores among E(S), the one test, and the other two estimators."""

from itertools import product
from math import erfc, isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st
from numpy.typing import NDArray

from mining.queries_and_counters import Item
from mining.reconstruction import ESTIMATORS, reconstruct_supports
from mining.reconstruction.supports import COLUMNS
from mining.rules import Rules, reconstruct_rules
from mining.rules.pooled_and_combined_estimates import Ratio
from proof.record_probabilities import hidden_questions
from tests.mining.inference.exact_table import Question, What
from tests.mining.listed import (
    OPEN,
    Exact,
    Inversion,
    Listed,
    RecordNumbers,
    assert_same_columns,
    base,
    by_section,
    eligible_records,
    has_enough_records,
    joins_plain_and_sensitive,
    keep_and_chance,
    rule_table,
    score_rows,
    sides_of_rule,
)
from tests.mining.strategies import answered_surveys, itemsets_of
from tests.privacy.questionnaires import HALF, IF_EMPLOYED, WORK, make_design, plain, question, sensitive

pytestmark = pytest.mark.proof
OFTEN_NOTHING = [HealthCheck.filter_too_much, HealthCheck.too_slow]
"""Of many random surveys too few are asked all of an itemset."""


@settings(suppress_health_check=OFTEN_NOTHING)
@given(st.data())
def test_rule_measures_match_scores_of_eligible_records(data: st.DataObject) -> None:
    """Its support is that of its itemset, and both rules of a split share its lift and p."""
    listed = data.draw(answered_surveys(200))
    itemset = data.draw(itemsets_of(listed, least=2))
    for estimator in ESTIMATORS:
        found = reconstruct_rules(listed, [itemset], -np.inf, estimator, max_size=4)
        alone = reconstruct_supports(listed, [itemset], estimator)
        # The floors of a rule are those of its itemset's, or stricter: fewer are eligible than asked.
        for name, of in (("support", alone.support), ("base", alone.base), ("eligible", alone.shown)):
            np.testing.assert_array_equal(found[name], np.repeat(of, len(found)))
    found = reconstruct_rules(listed, [itemset], -np.inf, max_size=4)
    records = eligible_records(listed, itemset)
    if len(itemset) < 2 or not has_enough_records(listed, records, itemset):
        assert len(found) == 0
        return
    by_sides = {sides_of_rule(found, row, listed.design)[:2]: row for row in range(len(found))}
    for (antecedent, consequent), row in by_sides.items():
        whole = sides_of_rule(found, row, listed.design)[2]
        a, c, s = (
            float(score_rows(listed, records, side).mean()) for side in (antecedent, consequent, whole)
        )
        assert (found["base"][row], found["eligible"][row]) == (len(base(listed, itemset)), len(records))
        numbers = found["antecedent_support"][row], found["consequent_support"][row], found["share"][row]
        assert numbers == pytest.approx((a, c, s), abs=1e-12)
        assert found["confidence"][row] == pytest.approx(s / a, rel=1e-9)
        assert found["leverage"][row] == pytest.approx(s - a * c, abs=1e-12)
        other = by_sides.get((consequent, antecedent), row)
        assert found.split[row] == found.split[other]
        assert other == row or found["antecedent_support"][row] == found["consequent_support"][other]
        assert found["lift"][row] == pytest.approx(found["lift"][other], rel=1e-9, nan_ok=True)
        # Excluding 1 and p < .05 are the same where there is an interval.
        if not isnan(found["lift_low"][row]):
            excluded = found["lift_low"][row] > 1 or found["lift_high"][row] < 1
            assert excluded == (found["p"][row] < 0.049996)


def assert_interval(low: float, high: float, question: Question, level: float = 1.96) -> None:
    found = question.interval(level)
    if question.what == "lift" and question.fewest_missing_records < 10:
        found = None
    expected = (nan, nan) if found is None else (found[0], nan if np.isinf(found[1]) else found[1])
    assert low == pytest.approx(expected[0], abs=1e-6, rel=1e-6, nan_ok=True)
    assert high == pytest.approx(expected[1], abs=1e-6, rel=1e-6, nan_ok=True)


@settings(suppress_health_check=OFTEN_NOTHING)
@given(st.data())
def test_rule_intervals_and_p_come_from_one_test(data: st.DataObject) -> None:
    listed = data.draw(answered_surveys(250))
    itemset = data.draw(itemsets_of(listed, least=2, most=3))
    found = reconstruct_rules(listed, [itemset], -np.inf, max_size=4)
    assume(len(found))
    for row in range(len(found)):
        antecedent, consequent, _whole = sides_of_rule(found, row, listed.design)
        table = rule_table(listed, antecedent, consequent)
        whats: tuple[What, What] = ("confidence", "lift")
        confidence, lift = (Question(table, what) for what in whats)
        assert_interval(found["confidence_low"][row], found["confidence_high"][row], confidence)
        assert_interval(found["lift_low"][row], found["lift_high"][row], lift)
        p = erfc(abs(lift.z_statistic(1.0)) / sqrt(2))
        assert found["p"][row] == pytest.approx(p, abs=1e-7)
        assert not isnan(found["p"][row])


SICK = make_design(
    plain(WORK),
    sensitive("0.4", question("sick", "0.4", "0.6", **IF_EMPLOYED), question("drunk", *HALF)),
    sensitive("0.7", question("late", "0.3", "0.7", **IF_EMPLOYED)),
)


def true_share_of(
    people: dict[tuple[int, ...], float], items: tuple[Item, ...], whole: tuple[Item, ...]
) -> float:
    """The share with these answers among those to whom all of the whole applies."""
    questions = [question for section in SICK["sections"] for question in section["questions"]]
    shown = {
        answers: share
        for answers, share in people.items()
        if not hidden_questions(questions, answers) & {place for place, _ in whole}
    }
    having = [share for told, share in shown.items() if all(told[place] == code for place, code in items)]
    return sum(having) / sum(shown.values())


def test_rule_is_exact_for_people_it_applies_to() -> None:
    """Not of everybody: who works differs from who does not."""
    answers = list(product((0, 1), repeat=4))
    people = dict(zip(answers, np.random.default_rng(1).dirichlet(np.ones(16)).tolist(), strict=True))
    itemsets = (((1, 1), (2, 1)), ((1, 1), (3, 1)), ((1, 1), (2, 1), (3, 1)))
    for k, estimator, itemset in product([0.0, 0.3], ESTIMATORS, itemsets):
        # Those who answer openly are like the others, as pooled and combined assume.
        records = Exact(SICK, people, people, k)
        found = reconstruct_rules(records, [itemset], -np.inf, estimator, max_size=3)
        assert len(found) == 2 ** len(itemset) - 2
        for row in range(len(found)):
            *both, whole = sides_of_rule(found, row, records.design)
            a, c, s = (true_share_of(people, side, whole) for side in (*both, whole))
            numbers = (
                found["antecedent_support"][row],
                found["share"][row],
                found["confidence"][row],
                found["lift"][row],
            )
            assert numbers == pytest.approx((a, s, s / a, s / a / c), abs=1e-9), (k, estimator, itemset)
            assert found["support"][row] < found["share"][row]


@settings(max_examples=8, suppress_health_check=OFTEN_NOTHING)
@given(st.data())
def test_open_records_do_not_affect_joined_rules(data: st.DataObject) -> None:
    listed = data.draw(answered_surveys(200))
    itemset = data.draw(itemsets_of(listed, least=2))
    assume(joins_plain_and_sensitive(listed, itemset) and 0 < (listed.group == OPEN).sum() < 200)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    other = Listed(listed.design, listed.group, listed.codes.copy())
    opened = np.flatnonzero(listed.group == OPEN)
    for place, of in enumerate(listed.design.questions):
        told = listed.codes[place, opened] < of.not_asked
        other.codes[place, opened[told]] = rng.integers(0, len(of.choices), int(told.sum()))
    numbers = "base eligible support share antecedent_support consequent_support confidence p q rank"
    ends = "confidence_low confidence_high confidence_low_listed confidence_high_listed lift_low lift_high"
    for estimator in ESTIMATORS:
        made = [reconstruct_rules(of, [itemset], -np.inf, estimator, max_size=4) for of in (listed, other)]
        assert len(made[0]) == len(made[1])
        assert_same_columns(made[0], made[1], f"{numbers} {ends} association under".split())
        supports = [reconstruct_supports(records, [itemset], estimator) for records in (listed, other)]
        assert_same_columns(supports[0], supports[1], COLUMNS)


Floats = NDArray[np.float64]


def by_inversion(listed: Listed, records: RecordNumbers, items: tuple[Item, ...]) -> Floats:
    """Each record's part in the pooled support among these, to all of whom the items apply."""
    inversion = Inversion(listed, records, items)
    assert (inversion.records == records).all()
    return inversion.scores(inversion.all_part_numbers)


class Moments:
    """Of A, C and S: supports and covariances."""

    def __init__(self, supports: list[float], covs: Floats) -> None:
        self.a, self.c, self.s = supports
        self.covs = covs

    def of_confidence(self) -> tuple[float, float, float, float, float]:
        """Above and below, the variance above, the covariance, the variance below."""
        return self.s, self.a, self.covs[2, 2], self.covs[0, 2], self.covs[0, 0]

    def of_lift(self) -> tuple[float, float, float, float, float]:
        a, c, covs = self.a, self.c, self.covs
        spread = c**2 * covs[0, 0] + a**2 * covs[1, 1] + 2 * a * c * covs[0, 1]
        spread += covs[0, 0] * covs[1, 1] + covs[0, 1] ** 2
        below = a * c - covs[0, 1]
        return self.s, below, covs[2, 2], c * covs[0, 2] + a * covs[1, 2], spread


def assert_rule(found: Rules, row: int, of: Moments) -> None:
    shares = found["antecedent_support"][row], found["consequent_support"][row], found["share"][row]
    assert shares == pytest.approx((of.a, of.c, of.s), abs=1e-8)
    assert_fieller(
        (found["confidence_low"][row], found["confidence_high"][row]), of.of_confidence(), most=1.0
    )
    assert_fieller((found["lift_low"][row], found["lift_high"][row]), of.of_lift(), most=np.inf)
    above, below, first, between, last = of.of_lift()
    variance = first - 2 * between + last
    if variance > 1e-10:
        p = erfc(abs(above - below) / sqrt(2 * variance))
        assert found["p"][row] == pytest.approx(p, rel=1e-4, abs=1e-6)


def assert_fieller(bounds: tuple[float, float], of: tuple[float, ...], *, most: float) -> None:
    """Where the denominator is well clear of nothing, both ends solve the equation, cut to what a ratio can be."""
    above, below, var_above, cov, var_below = of
    spread = sqrt(max(var_below, 0))
    if below < 1.9 * spread:
        assert np.isnan(bounds).all()
    elif below > 2.1 * spread and below > 1e-3:
        square = 1.96**2
        first, last = below**2 - square * var_below, above**2 - square * var_above
        roots = np.sort(np.roots([first, -2 * (above * below - square * cov), last]).real)
        expected = np.clip(roots, 0, most)
        assert bounds == pytest.approx(expected, rel=1e-4, abs=1e-5)


@settings(suppress_health_check=OFTEN_NOTHING)
@given(st.data())
def test_pooled_rules_invert_each_side(data: st.DataObject) -> None:
    listed = data.draw(answered_surveys(200))
    itemset = data.draw(itemsets_of(listed, least=2))
    found = reconstruct_rules(listed, [itemset], -np.inf, "pooled", max_size=4)
    assume(len(found))
    records = eligible_records(listed, itemset)
    group = listed.group[records]
    for row in range(len(found)):
        scores = [by_inversion(listed, records, side) for side in sides_of_rule(found, row, listed.design)]
        covs = np.zeros((3, 3))
        for of in (0, 1):
            if (group == of).any():
                # n_g / n squared, over n_g.
                covs += np.cov([values[group == of] for values in scores], bias=True) * (group == of).sum()
        covs /= len(records) ** 2
        assert_rule(found, row, Moments([float(values.mean()) for values in scores], covs))


def common(listed: Listed, records: RecordNumbers, items: tuple[Item, ...]) -> tuple[Floats, float, Floats]:
    """The scores, their combined mean after three rounds, and the groups' weights there."""
    scores = score_rows(listed, records, items)
    groups = [scores[listed.group[records] == of] for of in (0, 1)]
    means = [of.mean() if len(of) else 0.0 for of in groups]
    slopes = [1.0, 1.0]
    for part in by_section(listed.design, items).values():
        p, c = keep_and_chance(listed.design, part)
        slopes[1] *= (1 - 2 * c) / p

    def certainty(support: float) -> Floats:
        at = min(max(support, 0.5 / len(records)), 1 - 0.5 / len(records))
        found = np.zeros(2)
        for of, (mine, slope) in enumerate(zip(groups, slopes, strict=True)):
            if len(mine):
                constant = (mine**2).mean() - slope * mine.mean()
                found[of] = len(mine) / (max(constant + slope * at, at) - at**2)
        return np.asarray(found / found.sum())

    support = float(scores.mean())
    for _ in range(3):
        support = float(certainty(support) @ means)
    return scores, support, certainty(support)


@pytest.mark.night
@settings(suppress_health_check=OFTEN_NOTHING)
@given(st.data())
def test_combined_rules_weigh_groups_on_each_side(data: st.DataObject) -> None:
    listed = data.draw(answered_surveys(200))
    itemset = data.draw(itemsets_of(listed, least=2))
    found = reconstruct_rules(listed, [itemset], -np.inf, "combined", max_size=4)
    assume(len(found))
    records = eligible_records(listed, itemset)
    group = listed.group[records]
    for row in range(len(found)):
        of_sides = [common(listed, records, side) for side in sides_of_rule(found, row, listed.design)]
        covs = np.zeros((3, 3))
        for of in (0, 1):
            mine = group == of
            if mine.any():
                weights = np.array([weight[of] for _, _, weight in of_sides])
                values = np.array([scores[mine] for scores, _, _ in of_sides])
                covs += np.outer(weights, weights) * np.cov(values, bias=True) / mine.sum()
        assert_rule(found, row, Moments([support for _, support, _ in of_sides], covs))


def ratio_of_numbers(*numbers: float) -> Ratio:
    return Ratio(*(np.array([number]) for number in numbers))


def test_fieller_interval_by_hand() -> None:
    # (2 - t)^2 <= 1.96^2 (.01 + .01 t^2): .961584 t^2 - 4 t + 3.961584 <= 0.
    (low,), (high,) = ratio_of_numbers(2.0, 1.0, 0.01, 0.01, 0.0).interval()
    root = sqrt(16 - 4 * 0.961584 * 3.961584)
    assert (low, high) == pytest.approx(((4 - root) / (2 * 0.961584), (4 + root) / (2 * 0.961584)))
    of = ratio_of_numbers(0.3, 0.5, 0.001, 0.002, 0.0005)
    for level in (1.0, 1.96, 2.8):
        assert [of.z(float(end[0]))[0] for end in of.interval(level)] == pytest.approx([level, -level])
    # A denominator that may be nothing has no ends: 1.96 errors are .196.
    for below in [0.19, 0.0, -0.5]:
        assert np.isnan(ratio_of_numbers(0.3, below, 0.01, 0.01, 0.0).interval()).all(), below
    # Without any error only the ratio itself is not excluded.
    of = ratio_of_numbers(0.3, 0.6, 0.0, 0.0, 0.0)
    assert [of.z(t)[0] for t in (0.4, 0.5, 0.6)] == [np.inf, 0.0, -np.inf]
