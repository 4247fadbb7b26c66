"""The direct against the disguised arm, control items, crosswise versions: vectors, brute force, simulations."""

from itertools import product, starmap
from math import comb, erfc, sqrt
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.special import bdtr
from scipy.stats import binom  # type: ignore[attr-defined]

from bench.coverage.controls import (
    ControlSetting,
    control_cell,
    control_settings,
    control_table,
    preference_rate,
)
from mining.inference.contingency_table import Floats
from mining.inference.share_differences import detectable_differences
from mining.studies.control_item_correction import (
    JointEstimates,
    binomial_p,
    careless_share,
    corrected_shares,
    estimate_disguised_control,
    estimate_plain_control,
    joint_estimates,
)
from mining.studies.crosswise_preference_dropout_tests import drawn_dropout_p, word_preference
from mining.studies.direct_disguised_arm_comparison import (
    arm_intervals,
    compare_arms,
    compare_completion_rates,
    worst_case_difference_bounds,
)
from mining.studies.single_answer_score_moments import (
    AnswerCounts,
    AnswerLaw,
    answer_moments,
    group_mean_bounds,
    group_sides,
)
from tests.mining.listed import at_night
from tests.mining.strategies import vectors

NINE = 2e-9


def approx_nine_digits(number: Any) -> Any:
    return pytest.approx(number, abs=NINE)


def study_counts(of: dict[str, Any]) -> tuple[Any, Any, AnswerLaw]:
    law = AnswerLaw(of["keep"], (1 - of["keep"]) * of["theta"])
    records = np.array([[of["direct"]], [of["disguised"]]])
    return records, np.array([[of["direct_yes"]], [of["disguised_yes"]]]), law


def test_differences_and_dropouts_match_the_vectors() -> None:
    for vector in vectors("3.8 arms"):
        expected, of = vector["expected"], vector["inputs"]
        found = compare_arms(*study_counts(of))
        assert (found.first[0], found.second[0]) == approx_nine_digits((expected["m0"], expected["m1"]))
        assert found.difference[0] == approx_nine_digits(expected["D"])
        # The vector's interval and z are another test's, of the same counts.
        ends = expected["low"], expected["high"]
        assert (found.low[0], found.high[0]) == pytest.approx(ends, abs=0.005)
        assert found.z[0] == pytest.approx(expected["z"], rel=0.03)
        low, high = group_mean_bounds(answer_moments(*study_counts(of)))
        assert [*low[:, 0], *high[:, 0]] == approx_nine_digits(
            [expected[name] for name in ("l0", "l1", "u0", "u1")]
        )
        left = compare_completion_rates(np.array([of["direct"]]), np.array([of["disguised"]]), of["d"])
        assert dropout(left) == approx_nine_digits(
            tuple(expected[name] for name in ("q", "q_low", "q_high", "z_left"))
        )
        means = np.array([expected["m0"]]), np.array([expected["m1"]])
        bounds = worst_case_difference_bounds(*means, left["completion"])
        assert [end[0] for end in bounds] == approx_nine_digits(expected["bounds"])
    (vector,) = vectors("3.8 who left")
    direct, disguised = (np.array([vector["inputs"][name]]) for name in ("n0", "n1"))
    of_both = compare_completion_rates(direct, disguised, 0.5)
    numbers = [vector["expected"][name] for name in ("q", "q_low", "q_high", "z_left")]
    assert [*dropout(of_both)] == approx_nine_digits(numbers)
    # An arm without records has no interval of who left.
    nobody = compare_completion_rates(np.array([0.0]), np.array([50.0]), 0.5)
    assert dropout(nobody) == pytest.approx((0, np.nan, dropout(nobody)[2], -sqrt(50)), nan_ok=True)


def dropout(left: Any) -> tuple[float, ...]:
    return tuple(float(left[name][0]) for name in ("completion", "low", "high", "z"))


def test_moments_equal_those_of_all_scores_and_bounds_are_not_cut() -> None:
    law = AnswerLaw(0.4, 0.6 * 0.3)
    of = answer_moments(np.array([[7], [10]]), np.array([[2], [4]]), law)
    direct = np.repeat([1.0, 0.0], [2, 5])
    disguised = np.repeat([(1 - 0.18) / 0.4, -0.18 / 0.4], [4, 6])
    assert of.mean[:, 0] == pytest.approx([direct.mean(), disguised.mean()])
    assert of.second[:, 0] == pytest.approx([(direct**2).mean(), (disguised**2).mean()])
    # E z^2 = A + B P holds for every share.
    for share in (0.0, 0.3, 1.0):
        chance = 0.4 * share + 0.18
        second = chance * disguised[0] ** 2 + (1 - chance) * disguised[-1] ** 2
        assert of.constant[1, 0] + of.slope[1, 0] * share == pytest.approx(second)
    of = answer_moments(np.array([[100], [100]]), np.array([[2], [20]]), AnswerLaw(0.4, 0.3))
    assert group_mean_bounds(of)[0][1, 0] < 0


def test_holm_counts_only_testable_answers() -> None:
    records = np.array([[400, 400, 5, 400], [400, 400, 400, 400]])
    having = np.array([[40, 40, 1, 100], [210, 130, 200, 200]])
    found = compare_arms(records, having, AnswerLaw(0.6923, 0.15385))
    assert np.isnan(found.holm[2])
    assert np.isnan(found.difference[2])
    order = np.argsort(found.p[[0, 1, 3]])
    p = found.p[[0, 1, 3]][order]
    adjusted = np.minimum(np.maximum.accumulate(p * [3, 2, 1]), 1)
    assert found.holm[[0, 1, 3]][order] == pytest.approx(adjusted, rel=1e-12)


def test_bounds_hold_every_answer_of_dropouts() -> None:
    """Brute force: 1,000 people in each arm, of one of which 150 left."""
    stayed, everybody, staying_yes, other_yes = 850, 1_000, 200, 400
    own, other = staying_yes / stayed, other_yes / everybody
    # Of the arm that lost nobody, those are compared who would have stayed in the other, too.
    compared = [(other_yes - left) / stayed for left in range(151) if 0 <= other_yes - left <= stayed]
    assert len(compared) == 151

    def bounds(direct: float, disguised: float, completion: float) -> list[float]:
        ends = worst_case_difference_bounds(*(np.array([one]) for one in (direct, disguised, completion)))
        return [float(end[0]) for end in ends]

    differences = [share - own for share in compared]
    assert bounds(own, other, stayed / everybody) == pytest.approx([min(differences), max(differences)])
    assert bounds(other, own, everybody / stayed) == pytest.approx([-max(differences), -min(differences)])
    # Shares outside are clipped before.
    assert bounds(0.1, -0.2, 0.9) == pytest.approx([-0.1, -0.1])
    assert bounds(0.1, 0.3, 1.0) == pytest.approx([0.2, 0.2])


def test_arm_interval_covers_and_depends_on_its_records_only() -> None:
    """Over all numbers that can be received of 120 direct and 120 disguised records."""
    n, law = 120, AnswerLaw(0.6, 0.2)

    def intervals(records: Any, having: Any) -> Any:
        items = ((0, 1),) * having.shape[1]
        return arm_intervals(AnswerCounts(items, records, having, law), np.ones(len(items), np.bool_))

    received = np.tile(np.arange(n + 1), (2, 1))
    for share in [0.05, 0.2, 0.4]:
        chances = share, 0.2 + 0.6 * share
        ends = intervals(np.full_like(received, n), received)
        for (low, high), chance in zip(ends, chances, strict=True):
            covered = binom.pmf(received[0], n, chance)[(low <= share) & (share <= high)].sum()
            assert 0.93 <= covered <= 0.98, share
    records = np.array([[100], [200]])
    one, less, more = (intervals(records, np.array([[a], [b]])) for a, b in ((10, 60), (10, 90), (50, 60)))
    assert (one[0] == less[0]).all()
    assert (one[1] == more[1]).all()


def test_version_that_loses_people_is_detected_at_the_stated_level() -> None:
    assert drawn_dropout_p(np.array([50, 50]), np.array([0.5, 0.5])) == 1
    # (10^2 + 10^2) / 50 = 4 on one degree of freedom.
    assert drawn_dropout_p(np.array([60, 40]), np.array([0.5, 0.5])) == pytest.approx(0.04550026, abs=1e-8)
    # Exact, over all binomial counts.
    for n, share in product([300, 500, 1_000, 4_000], (0.1, 0.3, 0.5, 0.9)):
        direct = np.arange(n + 1)
        rejected = compare_completion_rates(direct, n - direct, share)["p"] < 0.05
        assert 0.04 <= np.diff(bdtr(direct, n, share), prepend=0.0)[rejected].sum() <= 0.06, (n, share)


class Setting(NamedTuple):
    """`share` have the attribute and say so when disguised; `hidden` of all have it and deny it when asked directly."""

    keep: float
    noise: float
    share: float
    hidden: float
    n: int
    direct: float

    def measure_coverage(self, surveys: int, rng: np.random.Generator) -> tuple[float, float]:
        """How often the difference is covered, and how often its test rejects."""
        law = AnswerLaw.from_probabilities(self.keep, self.noise)
        direct = rng.binomial(self.n, self.direct, surveys)
        records = np.stack([direct, self.n - direct])
        received = float(self.keep * self.share + law.chance)
        having = [rng.binomial(direct, self.share - self.hidden), rng.binomial(records[1], received)]
        found = compare_arms(records, np.stack(having), law)
        covered = (found.low <= self.hidden) & (self.hidden <= found.high)
        return float(covered.mean()), float((found.p < 0.05).mean())


LAWS = (0.9, 0.6923, 0.36), (0.5, 0.2)
SETTINGS = [*starmap(Setting, product(*LAWS, (0.15, 0.3, 0.5), (0.0, 0.1), (500, 1_000, 4_000), (0.3, 0.5)))]


@pytest.mark.proof
@pytest.mark.parametrize("every", [43, *at_night([9])])
def test_arm_difference_covers_and_its_test_keeps_its_level(every: int) -> None:
    for number, of in enumerate(SETTINGS[::every]):
        covered, rejected = of.measure_coverage(3_000, np.random.default_rng((1, number)))
        assert 0.935 <= covered <= 0.975, of
        assert of.hidden or 0.035 <= rejected <= 0.065, of


@pytest.mark.proof
@pytest.mark.parametrize("keep", [0.6923, *at_night([0.9, 0.36])])
def test_planned_difference_is_detected_four_times_in_five(keep: float) -> None:
    n, share = 2_000, 0.3
    for direct in (0.3, 0.5):
        records = np.array([[n * direct], [n * (1 - direct)]])
        sides = group_sides(records, 0 * records, AnswerLaw.from_probabilities(keep, 0.5))
        smallest = float(detectable_differences(*sides, np.array([share]))[0][0])
        of = Setting(keep, 0.5, share + smallest, smallest, n, direct)
        assert 0.77 <= of.measure_coverage(5_000, np.random.default_rng(2))[1] <= 0.83, direct


@pytest.mark.proof
@pytest.mark.parametrize("keep", [0.9, 0.6923])
def test_bounds_hold_the_truth_where_a_tenth_drops_out(keep: float) -> None:
    """A tenth of those drawn for the direct arm leaves, all with the attribute; all tell the truth: no difference."""
    n, share, law, rng = 4_000, 0.3, AnswerLaw.from_probabilities(keep, 0.5), np.random.default_rng(3)
    drawn_direct = rng.binomial(n, 0.5, 4_000)
    direct, disguised = drawn_direct - rng.binomial(drawn_direct, 0.1), n - drawn_direct
    records = np.stack([direct, disguised])
    received = float(keep * share + law.chance)
    having = np.stack([rng.binomial(direct, (share - 0.1) / 0.9), rng.binomial(disguised, received)])
    of = answer_moments(records, having, law)
    completion = compare_completion_rates(direct, disguised, 0.5)["completion"]
    low, high = worst_case_difference_bounds(of.mean[0], of.mean[1], completion)
    assert low.mean() - 0.005 <= 0 <= high.mean() + 0.005


def one_number_array(number: float) -> Any:
    return np.array([number])


def estimates(*numbers: float) -> JointEstimates:
    return JointEstimates(*map(one_number_array, numbers))


def test_corrected_shares_match_the_vectors_and_by_hand() -> None:
    for vector in vectors("3.8 control items"):
        of, expected = vector["inputs"], vector["expected"]
        joint = estimates(*(of[name] for name in ("P_j", "P_c", "var_j", "var_c", "cov")))
        found = corrected_shares(joint, of["known"], of["m_j"])
        ends = expected["corrected"], expected["low"], expected["high"]
        assert (found.share[0], found.low[0], found.high[0]) == pytest.approx(ends, abs=2e-9), vector
        assert careless_share(one_number_array(of["P_c"]), of["known"])[0] == pytest.approx(
            expected["L"], abs=2e-9
        )
    # Of those who may all be careless nothing is left: 1 - L is within its error of 0.
    found = corrected_shares(estimates(0.4, 0.45, 0.001, 0.002, 0.0), 0.0, 2)
    assert np.isnan([found.low[0], found.high[0]]).all()
    # Carelessness that favours yes is hardly corrected: a tenth ticks *yes* everywhere, pi_c = 0 and a share of .1:
    # .19 is seen, .1125 is left.
    assert corrected_shares(estimates(0.19, 0.1, 0, 0, 0), 0.0, 2).share[0] == pytest.approx(0.1125)


def test_fieller_interval_holds_values_the_test_accepts() -> None:
    found = corrected_shares(estimates(0.3, 0.1, 0.0009, 0.0004, 0.0001), 0.05, 3)

    def z_statistic_at(t: float) -> float:
        # (P_j - L/3) - t (1 - L), written as a sum over P_j and P_c.
        by_control = (t - 1 / 3) / 0.45
        value = 0.3 - t + by_control * (0.1 - 0.05)
        return value / sqrt(0.0009 + by_control**2 * 0.0004 + 2 * by_control * 0.0001)

    ends = z_statistic_at(found.share[0]), z_statistic_at(found.low[0]), z_statistic_at(found.high[0])
    assert ends == pytest.approx((0, 1.96, -1.96), abs=1e-6)


def published_estimate(
    received: Floats, received_control: Floats, secret: Floats, secret_control: Floats
) -> Floats:
    """Atsusaka and Stevenson (2023): the crosswise estimate less its bias, from an anchor nobody should affirm.

    `received` is the share of *same* where the secret has this share.
    """
    attentive = (received_control - 0.5) / (0.5 - secret_control)
    naive = (received + secret - 1) / (2 * secret - 1)
    return np.asarray(naive - 0.5 * (1 - 1 / attentive) * (received - 0.5) / (secret - 0.5))


def crosswise_estimate(same: Floats, secret: Floats) -> Floats:
    """The crosswise estimate by the section of one question that it is."""
    keep = np.abs(1 - 2 * secret)
    yes = np.where(secret < 0.5, 1 - same, same)
    return np.asarray((yes - (1 - keep) / 2) / keep)


def test_correction_matches_the_crosswise_literature() -> None:
    rng = np.random.default_rng(5)
    secret, secret_control = rng.choice([0.05, 0.1, 0.25, 0.2466, 0.4, 0.75], (2, 1_000))
    careless, share = rng.uniform(0, 0.4, 1_000), rng.uniform(0, 1, 1_000)
    # Of an anchor nobody says *yes*: the attentive say *same* if the secret is not true of them.
    same = (1 - careless) * (share * secret + (1 - share) * (1 - secret)) + careless / 2
    same_control = (1 - careless) * (1 - secret_control) + careless / 2
    shares = crosswise_estimate(same, secret), crosswise_estimate(same_control, secret_control)
    found = corrected_shares(JointEstimates(*shares, *np.zeros((3, 1_000))), 0.0, 2).share
    assert found == pytest.approx(published_estimate(same, same_control, secret, secret_control), abs=1e-12)
    assert found == pytest.approx(share, abs=1e-12)


def test_plain_control_item_is_counted_and_tested_exactly() -> None:
    for having, records, share in [(3, 20, 0.05), (0, 20, 0.2), (19, 20, 0.95), (8, 9, 0.5)]:
        chances = [comb(records, k) * share**k * (1 - share) ** (records - k) for k in range(records + 1)]
        expected = sum(chance for chance in chances if chance <= chances[having] * (1 + 1e-9))
        assert binomial_p(having, records, share) == pytest.approx(expected)
    # One yes where nobody should say it is certain.
    assert [binomial_p(*of) for of in ((0, 500, 0.0), (1, 500, 0.0), (500, 500, 1.0))] == [1, 0, 1]
    found = estimate_plain_control(np.array([200]), np.array([10]), 0.0)
    assert (found["seen"][0], found["careless"][0]) == pytest.approx((0.05, 0.1))
    assert found["low"][0] < 0.05 < found["high"][0]
    assert found["p"][0] == 0


def disguised_control(records: tuple[int, int], having: tuple[int, int], law: AnswerLaw, known: float) -> Any:
    """Of open and disguised records."""
    asked, yes = (np.array(of)[:, None] for of in (records, having))
    return {name: float(of[0]) for name, of in estimate_disguised_control(asked, yes, law, known).items()}


def test_disguised_control_item_is_tested_at_its_known_share() -> None:
    """All disguised, p = .5, theta = .5, known 0: P* = .25, of 400 records 124 say yes."""
    found = disguised_control((0, 400), (0, 124), AnswerLaw(0.5, 0.25), 0.0)
    assert found["seen"] == pytest.approx((124 / 400 - 0.25) / 0.5)
    z = (124 / 400 - 0.25) / sqrt(0.25 * 0.75 / 400)
    # Its skewness makes the z a little smaller: gamma is 1 / sqrt(3 * 400 * .25 * .25) of the binomial law at .25.
    assert erfc(z / sqrt(2)) < found["p"] < erfc(0.97 * z / sqrt(2))
    assert found["careless"] == pytest.approx(0.24)
    assert found["low"] < 0.12 < found["high"]
    # With open answers the groups add up.
    found = disguised_control((100, 300), (4, 90), AnswerLaw(0.5, 0.25), 0.1)
    assert found["seen"] == pytest.approx(0.25 * 0.04 + 0.75 * (0.3 - 0.25) / 0.5)
    assert found["low"] < 0.1 < found["high"]
    assert found["p"] > 0.05
    # Where nearly all should say yes one other record is no sign; with the error at the known share alone p was .027.
    found = disguised_control((0, 296), (0, 295), AnswerLaw(0.95, 0.0495), 1.0)
    assert (found["p"], found["high"]) == (pytest.approx(0.07980959, abs=1e-8), 1)


def test_joint_estimates_match_records_written_out() -> None:
    for is_plain in (True, False):
        table = control_table(ControlSetting(0.1, 0.1, 0.3, 0.6, 50, is_plain), 1, np.random.default_rng(1))
        counts = table.counts[:, 1, 0].astype(int)
        control, item = (np.repeat(codes, counts).astype(float) for codes in ([0, 1, 0, 1], [0, 0, 1, 1]))
        z = np.array([(item - 0.2) / 0.6, control if is_plain else (control - 0.2) / 0.6])
        found, covariances = joint_estimates(table), np.cov(z, bias=True) / 50
        assert (found.share[0], found.control[0]) == pytest.approx(z.mean(axis=1))
        second = found.variance[0], found.covariance[0], found.control_variance[0]
        assert second == pytest.approx(covariances[[0, 0, 1], [0, 1, 1]]), is_plain


@pytest.mark.proof
def test_corrected_shares_cover_where_uncorrected_ones_miss() -> None:
    settings = list(control_settings())
    for number, of in enumerate(settings[::5]):
        found = control_cell(of, 10_000, np.random.default_rng((4, number)))
        assert 0.935 <= found.covered <= 0.965, found
    of = ControlSetting(0.2, 0.0, 0.1, 0.9, 40_000, plain=True)
    assert control_cell(of, 2_000, np.random.default_rng(4)).uncorrected == 0


def test_difference_of_two_versions_by_hand() -> None:
    (vector,) = vectors("3.8 turned")
    of = vector["inputs"]
    records, having = np.array([[of["n_a"]], [of["n_b"]]]), np.array([[of["yes_a"]], [of["yes_b"]]])
    difference, z, p = word_preference(records, having, 1 - 2 * of["u"])
    assert z[0] == pytest.approx(vector["expected"]["z"], abs=2e-9)
    # (.28 - .25) / .5 less (.35 - .25) / .5
    assert difference[0] == pytest.approx(0.06 - 0.2)
    assert 0.01 < p[0] < 0.02
    # Versions that all answer alike do not differ.
    _same, z, p = word_preference(np.array([[40], [60]]), np.array([[0], [0]]), 0.5)
    assert (z[0], p[0]) == (0, 1)
    assert np.isnan(word_preference(np.array([[0], [60]]), np.array([[0], [20]]), 0.5)[2][0])


@pytest.mark.proof
def test_fit_test_keeps_its_level_and_detects_a_tenth_saying_same() -> None:
    for n in (500, 1_000, 4_000):
        assert 0.04 <= preference_rate(0.0, n, 0.25, 40_000, np.random.default_rng((6, n))) <= 0.06
    assert preference_rate(0.1, 1_000, 0.25, 20_000, np.random.default_rng(7)) > 0.9
