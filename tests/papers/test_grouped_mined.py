"""What is mined of D and of D*, held by counting person by person."""

import numpy as np
import pytest

from mining.parameters import Parameters
from papers.grouped_model.repeated_mining import (
    COHERENT,
    ESTIMATORS,
    MINED,
    compare_mining_results,
    count_true_and_received,
    draw_records,
    estimate_bias,
    mine_repeatedly,
    reconstruct_itemsets,
)
from papers.grouped_model.simulated_survey import (
    SHARES,
    PaperSetting,
    SimulatedSurvey,
    all_itemsets,
    answer_distribution,
    question_indexes,
    true_supports,
)
from tests.papers.by_hand import ByHand

pytestmark = pytest.mark.proof
SMALL = SimulatedSurvey(open_share=0.3, keep=0.5, theta=0.6, questions=3, respondents=400)
WANTED = Parameters(0.15, 0.55)
SEEDS = range(12)


def by_hand(survey: SimulatedSurvey, seed: int) -> ByHand:
    records = draw_records(survey.design, survey.population, survey.respondents, np.random.default_rng(seed))
    return ByHand(survey, records)


@pytest.mark.at_push(1)
@pytest.mark.parametrize("estimator", MINED)
def test_what_is_found_false_and_missed_is_as_counted_by_hand(estimator: str) -> None:
    seen = np.zeros((2, 4), np.int64)
    for seed in SEEDS:
        hand = by_hand(SMALL, seed)
        of = count_true_and_received(SMALL.design, hand.records)
        found = compare_mining_results(of, WANTED, reconstruct_itemsets(of.received, all_itemsets(3)))[
            estimator
        ]
        expected = hand.counts(estimator, WANTED.min_support, WANTED.min_confidence)
        assert found.tolist() == expected
        seen += expected
    # Everything that is counted has occurred.
    assert (seen > 0).all()


def test_coherent_itemsets_are_compared_and_no_rules_made_of_them() -> None:
    hand = by_hand(SMALL, 1)
    of = count_true_and_received(SMALL.design, hand.records)
    found = reconstruct_itemsets(of.received, all_itemsets(3))
    (in_d, in_star, false, missed), rules = compare_mining_results(of, WANTED, found)[COHERENT].tolist()
    true = hand.frequent({itemset: hand.true_support(itemset) for itemset in hand.itemsets}, 0.15)
    coherent = dict(zip(map(frozenset, question_indexes(3)), found.support[COHERENT].tolist(), strict=True))
    star = hand.frequent(coherent, 0.15)
    assert [in_d, in_star, false, missed] == [len(true), len(star), len(star - true), len(true - star)]
    assert rules[0] == len(hand.rules({of: hand.true_support(of) for of in hand.itemsets}, 0.15, 0.55))
    assert np.isnan(rules[1:]).all()
    # A support of the whole is never above that of a part.
    assert all(
        coherent[part] >= coherent[whole] - 1e-9 for part in coherent for whole in coherent if part <= whole
    )


def test_w_is_the_distance_from_the_support_in_d() -> None:
    result = mine_repeatedly(SMALL, [], 2, 7)
    rng = SMALL.rng(7)
    for repetition in range(2):
        hand = ByHand(SMALL, draw_records(SMALL.design, SMALL.population, SMALL.respondents, rng))
        for estimator in MINED:
            expected = [abs(hand.support(of, estimator) - hand.true_support(of)) for of in hand.itemsets]
            assert result.w[estimator][repetition].tolist() == pytest.approx(expected, abs=1e-12)


def test_a_survey_draws_the_same_whatever_else_is_mined() -> None:
    alone = mine_repeatedly(SMALL, [WANTED], 2, 7)
    among = mine_repeatedly(SMALL, [Parameters(0.3, 0.5), WANTED], 3, 7)
    for name in ESTIMATORS:
        assert (alone.w[name] == among.w[name][:2]).all()
        both = alone.counts[WANTED][name], among.counts[WANTED][name][:2]
        assert np.array_equal(*both, equal_nan=True)
    other = mine_repeatedly(SMALL, [], 2, 8)
    assert (other.w["pooled"] != alone.w["pooled"]).all()


def test_with_everybody_open_nothing_is_false_missed_or_off() -> None:
    survey = PaperSetting("open", k=1).survey
    result = mine_repeatedly(survey, [WANTED], 2, 1)
    for name in ESTIMATORS:
        assert result.w[name] == pytest.approx(0, abs=1e-9)
        itemsets_, rules = result.counts[WANTED][name][0].tolist()
        assert itemsets_[:2] == [itemsets_[0]] * 2
        assert itemsets_[2:] == [0, 0]
        assert name == COHERENT or rules == [rules[0], rules[0], 0, 0]


def test_both_readings_are_the_same_surveys_under_k_and_its_complement() -> None:
    for k in (0.0, 0.2, 0.3, 0.7, 1.0):
        assert PaperSetting("open", k=k).survey == PaperSetting("randomised", k=round(1 - k, 1)).survey
    assert PaperSetting("open", k=0.2).survey.open_share == 0.2
    assert PaperSetting("randomised", k=0.2).survey.open_share == 0.8


def test_the_population_has_the_stated_supports() -> None:
    a, b, c, ab, ac, bc, abc = true_supports(3).tolist()
    assert (a, b, c, abc) == pytest.approx((0.44, 0.36, 0.26, 0.10))
    assert (ab, ac, bc) == pytest.approx((0.22, 0.16, 0.14))
    assert sum(SHARES) == pytest.approx(1)


@pytest.mark.parametrize("questions", [3, 6, 9])
def test_what_is_drawn_has_the_supports_of_the_population(questions: int) -> None:
    table = answer_distribution(questions)
    of_hand = [
        sum(
            share for row, share in zip(table.answers, table.shares, strict=True) if all(row[at] for at in of)
        )
        for of in question_indexes(questions)
    ]
    assert true_supports(questions).tolist() == pytest.approx(of_hand)
    # Threes are independent: a of one and a of the next.
    if questions > 3:
        assert true_supports(questions)[question_indexes(questions).index((0, 3))] == pytest.approx(0.44**2)


def test_pooled_is_off_where_open_answerers_differ_and_stratified_is_not() -> None:
    found = estimate_bias(40, 1, [0.3])
    # .1 and .4: (.5 * .1 + .5 * .12) / .65 = .1692, its error over 40 repetitions below .001.
    assert found["pooled"][0].mean == pytest.approx(0.1692, abs=0.003)
    assert found["stratified"][0].mean == pytest.approx(0.25, abs=0.008)
    assert found["combined"][0].mean < found["pooled"][0].mean
    for (spread,) in found.values():
        assert spread.low < spread.mean < spread.high
