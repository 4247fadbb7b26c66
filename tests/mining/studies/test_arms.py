"""The comparison of the direct with the disguised arm: vectors, numbers by hand, brute force, simulations."""

from itertools import product
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.special import bdtr
from scipy.stats import binom  # type: ignore[attr-defined]

from mining.inference.share_differences import detectable_differences
from mining.studies.arms import arm_dropout, arm_intervals, compare_arms, worst_case_difference_bounds
from mining.studies.preference_and_dropout_tests import drawn_dropout_p
from mining.studies.single_answer_estimates import (
    AnswerCounts,
    AnswerLaw,
    answer_moments,
    group_mean_bounds,
    group_sides,
)
from tests.mining.studies.patterned import vectors

NINE = 2e-9


def near(number: Any) -> Any:
    return pytest.approx(number, abs=NINE)


def study_counts(of: dict[str, Any]) -> tuple[Any, Any, AnswerLaw]:
    law = AnswerLaw(of["keep"], (1 - of["keep"]) * of["theta"])
    records = np.array([[of["direct"]], [of["disguised"]]])
    return records, np.array([[of["direct_yes"]], [of["disguised_yes"]]]), law


def moments_of(of: dict[str, Any]) -> Any:
    return answer_moments(*study_counts(of))


def test_the_difference_its_interval_and_its_test(subtests: pytest.Subtests) -> None:
    for vector in vectors("3.8 arms"):
        with subtests.test(f"{vector!r:.60}"):
            expected, of = vector["expected"], moments_of(vector["inputs"])
            found = compare_arms(*study_counts(vector["inputs"]))
            assert (found.first[0], found.second[0]) == near((expected["m0"], expected["m1"]))
            assert found.difference[0] == near(expected["D"])
            # The vector's interval and z are another test's, of the same counts.
            assert (found.low[0], found.high[0]) == pytest.approx(
                (expected["low"], expected["high"]), abs=0.005
            )
            assert found.z[0] == pytest.approx(expected["z"], rel=0.03)
            low, high = group_mean_bounds(of)
            assert [*low[:, 0], *high[:, 0]] == near([expected[name] for name in ("l0", "l1", "u0", "u1")])


def test_who_left_and_the_bounds_of_the_difference(subtests: pytest.Subtests) -> None:
    for vector in vectors("3.8 arms"):
        with subtests.test(f"{vector!r:.60}"):
            expected, of = vector["expected"], vector["inputs"]
            left = arm_dropout(np.array([of["direct"]]), np.array([of["disguised"]]), of["d"])
            assert (left["completion"][0], left["z"][0]) == near((expected["q"], expected["z_left"]))
            assert (left["low"][0], left["high"][0]) == near((expected["q_low"], expected["q_high"]))
            bounds = worst_case_difference_bounds(
                np.array([expected["m0"]]), np.array([expected["m1"]]), left["completion"]
            )
            assert [end[0] for end in bounds] == near(expected["bounds"])


def test_who_left_of_nine_hundred() -> None:
    (vector,) = vectors("3.8 who left")
    found = arm_dropout(np.array([vector["inputs"]["n0"]]), np.array([vector["inputs"]["n1"]]), 0.5)
    expected = vector["expected"]
    assert (found["completion"][0], found["low"][0], found["high"][0], found["z"][0]) == near(
        (expected["q"], expected["q_low"], expected["q_high"], expected["z_left"])
    )


def test_an_arm_without_records_has_no_interval_of_who_left() -> None:
    found = arm_dropout(np.array([0.0]), np.array([50.0]), 0.5)
    assert found["completion"][0] == 0
    assert np.isnan(found["low"][0])
    assert found["z"][0] == pytest.approx(-sqrt(50))


def test_moments_are_those_of_all_scores_written_out() -> None:
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


def test_the_bounds_are_not_cut() -> None:
    of = answer_moments(np.array([[100], [100]]), np.array([[2], [20]]), AnswerLaw(0.4, 0.3))
    assert group_mean_bounds(of)[0][1, 0] < 0


def test_holm_counts_the_answers_that_could_be_tested() -> None:
    records = np.array([[400, 400, 5, 400], [400, 400, 400, 400]])
    having = np.array([[40, 40, 1, 100], [210, 130, 200, 200]])
    found = compare_arms(records, having, AnswerLaw(0.6923, 0.15385))
    assert np.isnan(found.holm[2])
    assert np.isnan(found.difference[2])
    order = np.argsort(found.p[[0, 1, 3]])
    p = found.p[[0, 1, 3]][order]
    assert found.holm[[0, 1, 3]][order] == pytest.approx(
        np.minimum(np.maximum.accumulate(p * [3, 2, 1]), 1), rel=1e-12
    )


@pytest.mark.parametrize("leave_direct", [True, False])
def test_the_bounds_hold_every_answer_of_those_who_left(leave_direct: bool) -> None:
    """Brute force: 1,000 people in each arm, of one of which 150 left."""
    stayed, everybody, staying_yes, other_yes = 850, 1_000, 200, 400
    shares = [(staying_yes + left) / everybody for left in range(everybody - stayed + 1)]
    other = other_yes / everybody
    # Of the arm that lost nobody, those are compared who would have stayed in the other, too.
    compared = [
        (other_yes - left) / stayed
        for left in range(everybody - stayed + 1)
        if 0 <= other_yes - left <= stayed
    ]
    assert len(shares) == len(compared)
    direct, disguised = (staying_yes / stayed, other) if leave_direct else (other, staying_yes / stayed)
    completion = stayed / everybody if leave_direct else everybody / stayed
    low, high = worst_case_difference_bounds(
        np.array([direct]), np.array([disguised]), np.array([completion])
    )
    own = staying_yes / stayed
    differences = [share - own if leave_direct else own - share for share in compared]
    assert low[0] == pytest.approx(min(differences))
    assert high[0] == pytest.approx(max(differences))


def test_shares_outside_are_clipped_before_the_bounds() -> None:
    low, high = worst_case_difference_bounds(np.array([0.1]), np.array([-0.2]), np.array([0.9]))
    assert low[0] == pytest.approx(-0.1)
    assert high[0] == pytest.approx(-0.1)
    low, high = worst_case_difference_bounds(np.array([0.1]), np.array([0.3]), np.array([1.0]))
    assert low[0] == high[0] == pytest.approx(0.2)


def test_the_interval_of_each_arm_covers_its_share(subtests: pytest.Subtests) -> None:
    """Over all numbers that can be received of 120 direct and 120 disguised records."""
    for share in [0.05, 0.2, 0.4]:
        with subtests.test(f"{share}"):
            n, law = 120, AnswerLaw(0.6, 0.2)
            received = np.tile(np.arange(n + 1), (2, 1))
            items = ((0, 1),) * (n + 1)
            ends = arm_intervals(
                AnswerCounts(items, np.full_like(received, n), received, law), received[0] >= 0
            )
            for (low, high), chance in zip(ends, (share, 0.2 + 0.6 * share), strict=True):
                covered = binom.pmf(received[0], n, chance)[(low <= share) & (share <= high)].sum()
                assert 0.93 <= covered <= 0.98


def test_the_interval_of_an_arm_depends_on_its_records_alone() -> None:
    def intervals(direct: int, disguised: int) -> Any:
        records, having = np.array([[100], [200]]), np.array([[direct], [disguised]])
        return arm_intervals(AnswerCounts(((0, 1),), records, having, AnswerLaw(0.6, 0.2)), np.array([True]))

    assert (intervals(10, 60)[0] == intervals(10, 90)[0]).all()
    assert (intervals(10, 60)[1] == intervals(50, 60)[1]).all()


def test_drawn_versions_that_lose_people_are_seen() -> None:
    assert drawn_dropout_p(np.array([50, 50]), np.array([0.5, 0.5])) == 1
    # (10^2 + 10^2) / 50 = 4 on one degree of freedom.
    assert drawn_dropout_p(np.array([60, 40]), np.array([0.5, 0.5])) == pytest.approx(0.04550026, abs=1e-8)


def test_the_test_of_who_left_has_its_size(subtests: pytest.Subtests) -> None:
    """Exact, over all binomial counts."""
    for n in [300, 500, 1_000, 4_000]:
        with subtests.test(f"{n}"):
            direct = np.arange(n + 1)
            for share in (0.1, 0.3, 0.5, 0.9):
                rejected = arm_dropout(direct, n - direct, share)["p"] < 0.05
                assert 0.04 <= np.diff(bdtr(direct, n, share), prepend=0.0)[rejected].sum() <= 0.06


class Setting(NamedTuple):
    """`share` have the attribute and say so when disguised; `hidden` of all have it and deny it when asked directly."""

    keep: float
    noise: float
    share: float
    hidden: float
    n: int
    direct: float

    def measured(self, surveys: int, rng: np.random.Generator) -> tuple[float, float]:
        """How often the difference is covered, and how often its test rejects."""
        law = AnswerLaw.from_probabilities(self.keep, self.noise)
        direct = rng.binomial(self.n, self.direct, surveys)
        records = np.stack([direct, self.n - direct])
        received = float(self.keep * self.share + law.chance)
        having = [rng.binomial(direct, self.share - self.hidden), rng.binomial(records[1], received)]
        found = compare_arms(records, np.stack(having), law)
        covered = (found.low <= self.hidden) & (self.hidden <= found.high)
        return float(covered.mean()), float((found.p < 0.05).mean())


SETTINGS = [
    Setting(*rest)
    for rest in product(
        (0.9, 0.6923, 0.36), (0.5, 0.2), (0.15, 0.3, 0.5), (0.0, 0.1), (500, 1_000, 4_000), (0.3, 0.5)
    )
]


@pytest.mark.proof
@pytest.mark.parametrize("every", [43, pytest.param(9, marks=pytest.mark.night)])
def test_the_difference_covers_and_its_test_has_its_size(every: int) -> None:
    for number, of in enumerate(SETTINGS[::every]):
        covered, rejected = of.measured(3_000, np.random.default_rng((1, number)))
        assert 0.935 <= covered <= 0.975, of
        assert of.hidden or 0.035 <= rejected <= 0.065, of


@pytest.mark.proof
@pytest.mark.parametrize("direct", [0.3, 0.5])
@pytest.mark.parametrize(
    "keep", [0.6923, *(pytest.param(keep, marks=pytest.mark.night) for keep in (0.9, 0.36))]
)
def test_the_planned_difference_is_found_four_times_in_five(keep: float, direct: float) -> None:
    n, share = 2_000, 0.3
    records = np.array([[n * direct], [n * (1 - direct)]])
    sides = group_sides(records, 0 * records, AnswerLaw.from_probabilities(keep, 0.5))
    smallest = float(detectable_differences(*sides, np.array([share]))[0][0])
    of = Setting(keep, 0.5, share + smallest, smallest, n, direct)
    assert 0.77 <= of.measured(5_000, np.random.default_rng(2))[1] <= 0.83


@pytest.mark.proof
@pytest.mark.parametrize("keep", [0.9, 0.6923])
def test_where_a_tenth_leaves_the_mean_bounds_hold_the_truth(keep: float) -> None:
    """A tenth of those drawn for the direct arm leaves, all with the attribute; all tell the truth: no difference."""
    n, share, law, rng = 4_000, 0.3, AnswerLaw.from_probabilities(keep, 0.5), np.random.default_rng(3)
    drawn_direct = rng.binomial(n, 0.5, 4_000)
    direct, disguised = drawn_direct - rng.binomial(drawn_direct, 0.1), n - drawn_direct
    records = np.stack([direct, disguised])
    received = float(keep * share + law.chance)
    having = np.stack([rng.binomial(direct, (share - 0.1) / 0.9), rng.binomial(disguised, received)])
    of = answer_moments(records, having, law)
    low, high = worst_case_difference_bounds(
        of.mean[0], of.mean[1], arm_dropout(direct, disguised, 0.5)["completion"]
    )
    assert low.mean() - 0.005 <= 0 <= high.mean() + 0.005
