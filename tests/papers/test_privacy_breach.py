"""The figures of document 000, and what is said beyond them; the page of them: test_pages.py."""

from collections import Counter
from fractions import Fraction
from math import erf, sqrt

import numpy as np
import pytest

from papers.privacy_breach import breaches
from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.number.window.smoothed_distribution_estimate import count_shown_modes

pytestmark = pytest.mark.proof


def test_table_1_has_the_printed_digits() -> None:
    zero, outside = breaches.table_1_posteriors()
    assert [round(100 * float(zero.after[law]), 4) for law in breaches.LAWS] == [71.6332, 4.8077, 2.9374]
    assert [round(100 * float(outside.after[law]), 4) for law in breaches.LAWS] == [82.9516, 100, 70.7745]
    assert (float(zero.before), float(outside.before)) == (0.01, 0.40501)


def posterior_by_hand(row: breaches.Extremes, y: int) -> float:
    """The posterior of X outside [200, 800] after one record, from the definition of the law."""
    law = breaches.LAWS[row.law]
    joint = [float(belief * law.probability(x, y)) for x, belief in enumerate(breaches.prior_weights())]
    return (sum(joint[:200]) + sum(joint[801:])) / sum(joint)


def test_the_extremes_are_over_all_records() -> None:
    rows = [row for row in breaches.extremes_by_law() if row.name == breaches.OUTSIDE.name]
    assert {row.law for row in rows} == breaches.LAWS.keys()
    for row in rows:
        some = [posterior_by_hand(row, y) for y in range(0, 1001, 100)]
        assert min(some) >= row.least - 1e-12
        assert max(some) <= row.most + 1e-12
        assert row.most == pytest.approx(posterior_by_hand(row, 0))
        assert row.least == pytest.approx(posterior_by_hand(row, 500))


def test_nothing_that_is_known_beforehand_breaks_the_bound_of_gamma() -> None:
    assert len(breaches.extremes_by_known_fact()) == 4
    for row in breaches.extremes_by_known_fact():
        assert row.bound is not None
        assert row.least <= row.before <= row.most <= row.bound + 1e-12


def test_r3_admits_no_breach_from_a_seventh_to_a_half_and_one_from_a_little_less() -> None:
    assert Fraction(1202, 201) == breaches.R3.gamma
    assert GammaLimit.never_reaches(Fraction(1, 7), Fraction(1, 2)).admits(breaches.R3.gamma)
    assert not GammaLimit.never_reaches(Fraction(1, 7), Fraction(49, 100)).admits(breaches.R3.gamma)


def test_normal_noise_proves_more_the_larger_the_number_received() -> None:
    """By the normal distribution function: ages of 70 to 100 against 0 to 100, as a continuum."""
    uniform, *rows = breaches.age_breaches()
    # 120 proves an age that 31 of 101 had before.
    assert (uniform.noise, uniform.received, uniform.before, uniform.after) == ("uniform", 120, 31 / 101, 1)
    for row in rows:
        below = [erf((edge - row.received) / (25 * sqrt(2))) for edge in (-0.5, 69.5, 100.5)]
        assert row.after == pytest.approx((below[2] - below[1]) / (below[2] - below[0]), abs=2e-3)
    assert [row.after for row in rows] == sorted(row.after for row in rows)
    # No finite gamma: the odds of 100 against 0 after y are exp( 100 (2y - 100) / 1250 ), whatever bound one names.
    assert np.exp(100 * (2 * 1_000 - 100) / (2 * 25**2)) > 1e60


def test_the_likeliest_distribution_is_nearer_to_the_people_than_the_records() -> None:
    of = breaches.simulate_and_reconstruct_shares()
    assert of.reconstructed.sum() == pytest.approx(1)
    assert of.distance(of.reconstructed) < 0.6 * of.distance(of.received)
    assert of.true[200:400].sum() > 1.5 * of.true[600:800].sum()


def test_a_law_is_constructed_for_each_condition() -> None:
    laws = list(breaches.construct_laws())
    assert [(row.rho1, row.rho2) for row in laws] == list(breaches.CONDITIONS)
    for row in laws:
        assert GammaLimit.never_reaches(row.rho1, row.rho2).admits(row.law.law.gamma or Fraction(0))
        assert count_shown_modes(row.law) >= count_shown_modes(breaches.R3)
    assert laws[0].error < laws[1].error < laws[2].error


def test_breaches_are_found_where_the_document_has_them() -> None:
    rows = {(row.law, row.known): row for row in breaches.worst_properties()}
    verdicts = {of: (row.is_positive_breach, row.is_negative_breach) for of, row in rows.items()}
    assert verdicts["R1", "nothing"] == (True, False)
    assert verdicts["R2", "nothing"] == (True, True)
    assert [verdicts[of] for of in rows if of[0] == "R3"] == [(False, False)] * 4


@pytest.mark.night
@pytest.mark.parametrize("law", breaches.LAWS)
def test_the_worst_properties_are_worse_than_any_interval(law: str) -> None:
    """Every interval of numbers (round the circle, with 0 and without it), from the definition of the law."""
    row = breaches.find_worst_properties(law, breaches.FACTS[0])
    before = np.array([float(belief) for belief in breaches.prior_weights()])
    rises, falls = 0.0, 1.0
    for y in (0, 500):
        joint = before * [float(breaches.LAWS[law].probability(x, y)) for x in range(1001)]
        after = joint / joint.sum()
        for start in range(1001):
            had, has = (np.cumsum(np.roll(each, -start)) for each in (before, after))
            rises = max(rises, has[had <= float(breaches.LOW)].max(initial=0))
            falls = min(falls, has[had >= float(breaches.HIGH)].min(initial=1))
    assert float(row.raised_to) >= rises - 1e-9
    assert float(row.lowered_to) <= falls + 1e-9
    assert row.raised_from <= breaches.LOW
    assert row.lowered_from >= breaches.HIGH
    if law != "R1":
        assert float(row.raised_to) == pytest.approx(rises, abs=0.01)


def test_every_record_says_as_much_as_a_typical_one() -> None:
    """How many numbers have which prior and which chance to send it is as for a record near 0, or far off."""
    before = breaches.prior_weights()
    for law in breaches.LAWS.values():
        records = (*breaches.TYPICAL, 1, 60, 100, 101, 150, 750, 899, 900, 901, 1000)
        kinds = {y: Counter((before[x], law.probability(x, y)) for x in range(1001)) for y in records}
        typical = [kinds[y] for y in breaches.TYPICAL[:2]]
        assert all(kind in typical for kind in kinds.values())


def test_a_constructed_law_keeps_its_condition_for_priors_chosen_against_it() -> None:
    """All belief on a number inside the window of a record and one outside it, for each record the worst there is."""
    for row in breaches.construct_laws():
        inside, outside = (row.law.law.probability(x, 0) for x in (0, 500))
        after = row.rho1 * inside / (row.rho1 * inside + (1 - row.rho1) * outside)
        assert Fraction(99, 100) * row.rho2 < after < row.rho2
        fallen = row.rho2 * outside / (row.rho2 * outside + (1 - row.rho2) * inside)
        assert row.rho1 < fallen < Fraction(101, 100) * row.rho1


def test_both_readings_of_another_number_miss_table_1() -> None:
    """Another number than R2's: (1/201 + 200/201 of 1/1000) / 2 near 0; than X: 1/402 for 0, more beside it."""
    sent, true = (breaches.posteriors_of_another_number(than_sent=than_sent) for than_sent in (True, False))
    assert [round(100 * float(share), 1) for share in sent] == [2.9, 70.7]
    assert [round(100 * float(share), 1) for share in true] == [2.5, 70.6]
    near, far = (Fraction(1, 201) + Fraction(200, 201_000)) / 2, Fraction(1, 2_000)
    before = breaches.prior_weights()
    total = (before[0] + 200 * before[1]) * near + 800 * before[1] * far
    assert sent[0] == before[0] * near / total


def test_the_theorem_holds_in_all_cases_and_its_proof_with_the_smallest_chance_alone() -> None:
    """36 priors in tenths, 64 laws of a record and six properties."""
    checked = breaches.check_theorem()
    assert checked.cases == 36 * 64 * 6
    assert (checked.theorem, checked.upper, checked.lower, checked.ratio, checked.odds) == (0,) * 5
    # With the larger of two different chances the step is false: of three properties with two answers outside.
    assert checked.lower_as_printed == 36 * 3 * (64 - 16)


def test_the_chance_of_a_record_is_the_sum_of_the_joint_distribution() -> None:
    assert breaches.chance_of_zero(breaches.LAWS["R1"]) == Fraction(2, 1000) + Fraction(99, 100) / 1250
    assert breaches.is_other_record_silent()
