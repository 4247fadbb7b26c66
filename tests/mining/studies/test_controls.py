"""Control items and the two versions of a crosswise question: vectors, published corrections, brute force."""

from math import comb, erfc, sqrt
from typing import Any

import numpy as np
import pytest

from bench.coverage.controls import (
    ControlSetting,
    control_cell,
    control_settings,
    control_table,
    preference_rate,
)
from mining.inference.contingency_table import Floats
from mining.studies.control_items import (
    JointEstimates,
    binomial_p,
    careless_share,
    corrected_shares,
    estimate_disguised_control,
    estimate_plain_control,
    joint_estimates,
)
from mining.studies.preference_and_dropout_tests import word_preference
from mining.studies.single_answer_estimates import AnswerLaw
from tests.mining.studies.patterned import vectors


def one(number: float) -> Any:
    return np.array([number])


def test_corrected_shares(subtests: pytest.Subtests) -> None:
    for vector in vectors("3.8 control items"):
        with subtests.test(f"{vector!r:.60}"):
            of, expected = vector["inputs"], vector["expected"]
            estimates = JointEstimates(*(one(of[name]) for name in ("P_j", "P_c", "var_j", "var_c", "cov")))
            found = corrected_shares(estimates, of["known"], of["m_j"])
            assert (found.share[0], found.low[0], found.high[0]) == pytest.approx(
                (expected["corrected"], expected["low"], expected["high"]), abs=2e-9
            )
            assert careless_share(one(of["P_c"]), of["known"])[0] == pytest.approx(expected["L"], abs=2e-9)


def published(received: Floats, received_control: Floats, secret: Floats, secret_control: Floats) -> Floats:
    """Atsusaka and Stevenson (2023): the crosswise estimate less its bias, from an anchor nobody should affirm.

    `received` is the share of *same* where the secret has this share.
    """
    attentive = (received_control - 0.5) / (0.5 - secret_control)
    naive = (received + secret - 1) / (2 * secret - 1)
    return np.asarray(naive - 0.5 * (1 - 1 / attentive) * (received - 0.5) / (secret - 0.5))


def estimated(same: Floats, secret: Floats) -> Floats:
    """The crosswise estimate by the section of one question that it is."""
    keep = np.abs(1 - 2 * secret)
    yes = np.where(secret < 0.5, 1 - same, same)
    return np.asarray((yes - (1 - keep) / 2) / keep)


def test_the_correction_is_that_of_the_crosswise_literature() -> None:
    rng = np.random.default_rng(5)
    secret, secret_control = rng.choice([0.05, 0.1, 0.25, 0.2466, 0.4, 0.75], (2, 1_000))
    careless, share = rng.uniform(0, 0.4, 1_000), rng.uniform(0, 1, 1_000)
    # Of an anchor nobody says *yes*: the attentive say *same* if the secret is not true of them.
    same = (1 - careless) * (share * secret + (1 - share) * (1 - secret)) + careless / 2
    same_control = (1 - careless) * (1 - secret_control) + careless / 2
    nothing = np.zeros(1_000)
    estimates = JointEstimates(
        estimated(same, secret), estimated(same_control, secret_control), nothing, nothing, nothing
    )
    found = corrected_shares(estimates, 0.0, 2).share
    assert found == pytest.approx(published(same, same_control, secret, secret_control), abs=1e-12)
    assert found == pytest.approx(share, abs=1e-12)


def test_an_interval_without_ends_cannot_be_estimated() -> None:
    # Of those who may all be careless nothing is left: 1 - L is within its error of 0.
    estimates = JointEstimates(one(0.4), one(0.45), one(0.001), one(0.002), one(0.0))
    found = corrected_shares(estimates, 0.0, 2)
    assert np.isnan(found.low[0])
    assert np.isnan(found.high[0])


def test_fieller_holds_the_values_that_the_test_does_not_exclude() -> None:
    estimates = JointEstimates(one(0.3), one(0.1), one(0.0009), one(0.0004), one(0.0001))
    found = corrected_shares(estimates, 0.05, 3)

    def z(t: float) -> float:
        # (P_j - L/3) - t (1 - L), written as a sum over P_j and P_c.
        by_control = (t - 1 / 3) / 0.45
        value = 0.3 - t + by_control * (0.1 - 0.05)
        return value / sqrt(0.0009 + by_control**2 * 0.0004 + 2 * by_control * 0.0001)

    assert z(found.share[0]) == pytest.approx(0, abs=1e-12)
    assert z(found.low[0]) == pytest.approx(1.96)
    assert z(found.high[0]) == pytest.approx(-1.96)


def test_the_exact_test_by_brute_force(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, int, float]] = [(3, 20, 0.05), (0, 20, 0.2), (19, 20, 0.95), (8, 9, 0.5)]
    for having, records, share in cases:
        with subtests.test(f"{having} {records}"):
            chances = [comb(records, k) * share**k * (1 - share) ** (records - k) for k in range(records + 1)]
            expected = sum(chance for chance in chances if chance <= chances[having] * (1 + 1e-9))
            assert binomial_p(having, records, share) == pytest.approx(expected)


def test_one_yes_where_nobody_should_say_it_is_certain_for_a_plain_item() -> None:
    assert binomial_p(0, 500, 0.0) == 1
    assert binomial_p(1, 500, 0.0) == 0
    assert binomial_p(500, 500, 1.0) == 1


def test_a_plain_control_item_is_counted() -> None:
    found = estimate_plain_control(np.array([200]), np.array([10]), 0.0)
    assert (found["seen"][0], found["careless"][0]) == pytest.approx((0.05, 0.1))
    assert found["low"][0] < 0.05 < found["high"][0]
    assert found["p"][0] == 0


def test_a_disguised_control_item_is_tested_with_the_error_at_its_known_share() -> None:
    """All disguised, p = .5, theta = .5, known 0: P* = .25, of 400 records 124 say yes."""
    found = estimate_disguised_control(
        np.array([[0], [400]]), np.array([[0], [124]]), AnswerLaw(0.5, 0.25), 0.0
    )
    assert found["seen"][0] == pytest.approx((124 / 400 - 0.25) / 0.5)
    z = (124 / 400 - 0.25) / sqrt(0.25 * 0.75 / 400)
    # Its skewness makes the z a little smaller: gamma is 1 / sqrt(3 * 400 * .25 * .25) of the binomial law at .25.
    assert erfc(z / sqrt(2)) < found["p"][0] < erfc(0.97 * z / sqrt(2))
    assert found["careless"][0] == pytest.approx(0.24)
    assert found["low"][0] < 0.12 < found["high"][0]


def test_with_open_answers_the_groups_add_up() -> None:
    found = estimate_disguised_control(
        np.array([[100], [300]]), np.array([[4], [90]]), AnswerLaw(0.5, 0.25), 0.1
    )
    assert found["seen"][0] == pytest.approx(0.25 * 0.04 + 0.75 * (0.3 - 0.25) / 0.5)
    assert found["low"][0] < 0.1 < found["high"][0]
    assert found["p"][0] > 0.05


def test_where_nearly_all_should_say_yes_one_other_record_is_no_sign() -> None:
    """The vector: keep .95, chance .0495, 295 of 296; with the error at the known share alone p was .027."""
    found = estimate_disguised_control(
        np.array([[0], [296]]), np.array([[0], [295]]), AnswerLaw(0.95, 0.0495), 1.0
    )
    assert found["p"][0] == pytest.approx(0.07980959, abs=1e-8)
    assert found["high"][0] == 1


@pytest.mark.parametrize("plain", [True, False])
def test_joint_estimates_are_those_of_records_written_out(plain: bool) -> None:
    of = ControlSetting(0.1, 0.1, 0.3, 0.6, 50, plain)
    table = control_table(of, 1, np.random.default_rng(1))
    counts = table.counts[:, 1, 0].astype(int)
    control = np.repeat([0, 1, 0, 1], counts).astype(float)
    item = np.repeat([0, 0, 1, 1], counts).astype(float)
    z_item = (item - 0.2) / 0.6
    z_control = control if plain else (control - 0.2) / 0.6
    found = joint_estimates(table)
    covariances = np.cov(z_item, z_control, bias=True) / 50
    assert (found.share[0], found.control[0]) == pytest.approx((z_item.mean(), z_control.mean()))
    assert found.variance[0] == pytest.approx(covariances[0, 0])
    assert found.control_variance[0] == pytest.approx(covariances[1, 1])
    assert found.covariance[0] == pytest.approx(covariances[0, 1])


def test_carelessness_that_favours_yes_is_hardly_corrected() -> None:
    """A tenth ticks *yes* everywhere, pi_c = 0 and a share of .1: .19 is seen, .1125 is left after the correction."""
    nothing = one(0.0)
    estimates = JointEstimates(one(0.19), one(0.1), nothing, nothing, nothing)
    assert corrected_shares(estimates, 0.0, 2).share[0] == pytest.approx(0.1125)


@pytest.mark.proof
def test_corrected_shares_cover() -> None:
    settings = list(control_settings())
    for number, of in enumerate(settings[::5]):
        found = control_cell(of, 10_000, np.random.default_rng((4, number)))
        assert 0.935 <= found.covered <= 0.965, found


@pytest.mark.proof
def test_uncorrected_intervals_can_miss_every_time() -> None:
    of = ControlSetting(0.2, 0.0, 0.1, 0.9, 40_000, plain=True)
    assert control_cell(of, 2_000, np.random.default_rng(4)).uncorrected == 0


def test_the_difference_of_two_versions() -> None:
    (vector,) = vectors("3.8 turned")
    of = vector["inputs"]
    records, having = np.array([[of["n_a"]], [of["n_b"]]]), np.array([[of["yes_a"]], [of["yes_b"]]])
    difference, z, p = word_preference(records, having, 1 - 2 * of["u"])
    assert z[0] == pytest.approx(vector["expected"]["z"], abs=2e-9)
    # (.28 - .25) / .5 less (.35 - .25) / .5
    assert difference[0] == pytest.approx(0.06 - 0.2)
    assert 0.01 < p[0] < 0.02


def test_versions_that_all_answer_alike_do_not_differ() -> None:
    _difference, z, p = word_preference(np.array([[40], [60]]), np.array([[0], [0]]), 0.5)
    assert (z[0], p[0]) == (0, 1)


def test_a_version_without_records_is_not_compared() -> None:
    assert np.isnan(word_preference(np.array([[0], [60]]), np.array([[0], [20]]), 0.5)[2][0])


@pytest.mark.proof
def test_the_fit_test_has_its_size_and_finds_a_tenth_that_says_same() -> None:
    for n in (500, 1_000, 4_000):
        assert 0.04 <= preference_rate(0.0, n, 0.25, 40_000, np.random.default_rng((6, n))) <= 0.06
    assert preference_rate(0.1, 1_000, 0.25, 20_000, np.random.default_rng(7)) > 0.9
