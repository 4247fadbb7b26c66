"""Half answer openly, and 10 % of them have it; of the others 40 % do. In truth 25 %."""

from math import erfc, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.inference.selection_correction import holm
from mining.queries_and_counters import Item
from mining.reconstruction import reconstruct
from mining.reconstruction.open_versus_disguised_sentence import group_test_sentence
from mining.reconstruction.open_versus_disguised_test import GroupTestResult, run_group_test
from tests.mining.listed import Listed
from tests.privacy.questionnaires import HALF, design, question, sensitive

pytestmark = pytest.mark.proof
ONE = design(sensitive("0.3", question("theft", "0.4", "0.6")))
RUNS = 200


def people(open_yes: int, disguised_yes: int, each: int = 5_000) -> Listed:
    """So many in each group say yes; of the disguised that is what was sent."""
    counts = np.array([each - open_yes, open_yes, each - disguised_yes, disguised_yes])
    return Listed(ONE, np.array([0, 0, 1, 1]), np.array([[0, 1, 0, 1]]), counts)


def survey(rng: np.random.Generator) -> Listed:
    # Sent yes: .3 of the 40 % who have it, and .7 times .6 of everybody.
    return people(int(rng.binomial(5_000, 0.1)), int(rng.binomial(5_000, 0.3 * 0.4 + 0.7 * 0.6)))


def name(item: Item) -> str:
    return ["no theft", "theft"][item[1]]


@pytest.fixture(scope="module")
def estimates() -> NDArray[np.float64]:
    rng = np.random.default_rng(2)
    found = [reconstruct(survey(rng), [((0, 1),)]) for _ in range(RUNS)]
    return np.array([(float(of.support[0]), float(of.pooled[0]), float(of.se[0])) for of in found])


def test_stratified_is_unbiased(estimates: NDArray[np.float64]) -> None:
    of = estimates[:, 0]
    assert abs(of.mean() - 0.25) < 3 * of.std() / sqrt(RUNS)
    assert estimates[:, 2].mean() == pytest.approx(of.std(), rel=0.15)


def test_pooled_is_near_16_9_percent(estimates: NDArray[np.float64]) -> None:
    # (.5 * .1 + .5 * (.12 + .42) - .5 * .42) / (.5 + .15) = .1692
    assert estimates[:, 1].mean() == pytest.approx(0.1692, abs=0.002)


def test_the_report_says_that_pooled_would_mislead() -> None:
    words = group_test_sentence(run_group_test(survey(np.random.default_rng(3))), name)
    assert "not like the others: theft (10 % of the answers not disguised, 4" in words
    assert "would mislead" in words


def test_the_difference_is_judged_at_the_common_share() -> None:
    # 500 of 5,000 open; 2,250 of 5,000 sent: (.45 - .42) / .3 = .1 among the disguised too.
    found = run_group_test(people(500, 2_250))
    assert found.items == ((0, 1),)
    assert found.open[0] == pytest.approx(0.1)
    assert found.disguised[0] == pytest.approx(0.1)
    assert found.p[0] == pytest.approx(1)
    # More than .1 by the smallest of these is found four times out of five, and .1 leaves less room for fewer.
    assert 0.05 < found.more[0] < 0.08
    assert 0.05 < found.fewer[0] < 0.08


def test_its_p_is_nearly_normal_in_the_difference_over_its_error() -> None:
    # Sent is yes with .45 if the share is .1: variances .09 / 5000, and .45 * .55 / .09 / 5000.
    found = run_group_test(people(500, 2_350))
    spread = sqrt(0.09 / 5_000 + 0.45 * 0.55 / 0.09 / 5_000)
    assert found.p[0] == pytest.approx(erfc((0.05 / 0.3 - 0.1) / spread / sqrt(2)), rel=0.1)


def test_no_difference_found_is_not_called_none() -> None:
    words = group_test_sentence(run_group_test(people(500, 2_250)), name)
    assert "No difference was found" in words
    assert "does not show that they are alike" in words
    # About 2.80 * sqrt(.09 / 5000 + .2475 / .09 / 5000) = 6.7.
    assert "6.7 percentage points (theft) would have been missed one time in five, a smaller one" in words
    assert "alone" not in words


@pytest.mark.parametrize("many", [2, 10])
def test_among_many_answers_a_difference_is_said_to_be_missed_more_often(many: int) -> None:
    items: tuple[Item, ...] = tuple((place, 1) for place in range(many))
    same = np.full(many, 0.5)
    words = group_test_sentence(
        GroupTestResult(items, same, same, np.ones(many), np.linspace(0.1, 0.2, many), same / 10), name
    )
    assert (
        "20.0 percentage points (theft) would have been missed one time in five if this answer were" in words
    )
    assert f"tested alone, and more often among the {many} answers that were compared" in words


def test_of_many_answers_the_smallest_difference_is_found_less_often(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, float]] = [(1, 0.80), (2, 0.71), (10, 0.50)]
    for many, found in cases:
        with subtests.test(f"{many} {found}"):
            # One answer differs by 2.80 of its errors, the others not; Holm's first step asks for |z| above 2.24 of two
            # answers and above 2.81 of ten.
            z = np.random.default_rng(4).normal(size=(2_000, many))
            z[:, 0] += 2.80
            p = np.vectorize(erfc)(np.abs(z) / sqrt(2))
            differs = [GroupTestResult((), row, row, holm(row), row, row).differs[0] for row in p]
            assert np.mean(differs) == pytest.approx(found, abs=0.025)


def test_groups_of_a_few_are_not_compared() -> None:
    found = run_group_test(Listed(ONE, np.array([0, 1]), np.array([[0, 1]]), np.array([9, 5_000])))
    assert not found.items
    assert "Too few" in group_test_sentence(found, name)


def test_where_even_the_largest_difference_may_be_missed_a_hundred_points_are_named() -> None:
    none = np.full(1, np.nan)
    words = group_test_sentence(GroupTestResult(((0, 1),), none, none, np.ones(1), none, none), name)
    assert "100.0 percentage points" in words


def test_many_differences_are_counted_not_listed() -> None:
    items: tuple[Item, ...] = tuple((place, 1) for place in range(5))
    half = np.full(5, 0.5)
    words = group_test_sentence(
        GroupTestResult(items, half, half / 2, np.full(5, 0.01), half, half), lambda item: f"q{item[0]}"
    )
    assert words.count("50 % of the answers not disguised, 25 % of the disguised ones") == 3
    assert "2 more answers" in words


def test_holm_by_hand() -> None:
    # .01 x 4, .02 x 3 = .06, then .03 x 2 = .06, and .9.
    assert holm(np.array([0.9, 0.02, 0.01, 0.03])) == pytest.approx([0.9, 0.06, 0.04, 0.06])


def test_of_yes_and_no_only_one_is_compared_of_more_choices_each() -> None:
    of = design(sensitive("0.3", question("theft", *HALF), question("drink", "0.3", "0.3", "0.4")))
    rng = np.random.default_rng(1)
    codes = np.stack([rng.integers(0, 2, 400), rng.integers(0, 3, 400)])
    found = run_group_test(Listed(of, np.arange(400) % 2, codes))
    assert found.items == ((0, 1), (1, 0), (1, 1), (1, 2))
