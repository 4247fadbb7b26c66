"""What theory expects, held by enumeration and by the simulation."""

from itertools import product
from math import comb, pi, sqrt

import numpy as np
import pytest

from papers.grouped_model.expected_error import (
    expected_frequent_counts,
    expected_w_by_itemset,
    is_estimator_defined,
    reconstruction_error_variance,
)
from papers.grouped_model.repeated_mining import MINED, RepetitionResults, mine_repeatedly
from papers.grouped_model.simulated_survey import (
    PaperSetting,
    SimulatedSurvey,
    question_indexes_by_itemset,
    true_supports,
)


def binomial(n: int, share: float) -> list[float]:
    return [comb(n, count) * share**count * (1 - share) ** (n - count) for count in range(n + 1)]


@pytest.mark.parametrize("estimator", ["pooled", "stratified"])
@pytest.mark.parametrize(("k", "p"), [(0.5, 0.3), (0.25, 0.6), (0.75, 0.9), (0.0, 0.5)])
def test_the_variance_is_that_of_every_possible_data_set(estimator: str, k: float, p: float) -> None:
    """Four respondents; one itemset of two items that a share of .3 have."""
    n, theta, size, share = 4, 0.6, 2, 0.3
    n0, n1 = round(k * n), n - round(k * n)
    c = (1 - p) * theta**size
    first = second = 0.0
    for opened, disguised in product(range(n0 + 1), range(n1 + 1)):
        chance = binomial(n0, share)[opened] * binomial(n1, share)[disguised]
        true = (opened + disguised) / n
        kept, invented = binomial(disguised, p + c), binomial(n1 - disguised, c)
        for some, others in product(range(disguised + 1), range(n1 - disguised + 1)):
            seen = some + others
            if estimator == "pooled":
                found = ((opened + seen) / n - (1 - k) * c) / (k + (1 - k) * p)
            else:
                found = (opened + (seen - n1 * c) / p) / n
            first += chance * kept[some] * invented[others] * (found - true)
            second += chance * kept[some] * invented[others] * (found - true) ** 2
    survey = SimulatedSurvey(k, p, theta, 3, n)
    stated = reconstruction_error_variance(survey, estimator, np.array([share]), np.array([size]))
    assert first == pytest.approx(0, abs=1e-12)
    assert stated[0] == pytest.approx(second)


def test_combined_is_the_weighing_of_both_groups_by_their_variances() -> None:
    # k = .2, p = .3, theta = .6, one item that .44 have: c = .42, D = .44 * .72 * .28 + .56 * .42 * .58.
    disguise = (0.44 * 0.72 * 0.28 + 0.56 * 0.42 * 0.58) / 0.09
    v0, v1 = 0.44 * 0.56 / 2_000, (disguise + 0.44 * 0.56) / 8_000
    expected = 1 / (1 / v0 + 1 / v1) - 0.44 * 0.56 / 10_000
    survey = PaperSetting("open").survey
    found = reconstruction_error_variance(survey, "combined", np.array([0.44]), np.array([1]))
    assert found[0] == pytest.approx(expected)
    assert expected_w_by_itemset(survey, "combined")[0] == pytest.approx(sqrt(2 / pi * expected))


def test_with_one_group_all_estimators_are_the_same() -> None:
    for k in (0.0, 1.0):
        survey = PaperSetting("open", k=k).survey
        each = [expected_w_by_itemset(survey, name).tolist() for name in MINED]
        assert each[1] == pytest.approx(each[0])
        assert each[2] == pytest.approx(each[0])
    assert expected_w_by_itemset(PaperSetting("open", k=1).survey, "pooled").tolist() == [0] * 7


def test_without_kept_answers_only_pooled_is_defined_and_only_if_somebody_is_open() -> None:
    never = PaperSetting("open", p=0).survey
    assert [is_estimator_defined(never, name) for name in MINED] == [True, False, False]
    assert not is_estimator_defined(PaperSetting("open", k=0, p=0).survey, "pooled")
    assert np.isfinite(expected_w_by_itemset(never, "pooled")).all()


@pytest.mark.night
@pytest.mark.proof
def test_numbers_of_itemsets_are_those_of_drawing_supports_from_the_normal_law() -> None:
    survey = PaperSetting("open", questions=6).survey
    rng = np.random.default_rng(1)
    support, draws = true_supports(6), 200_000
    size = np.array([len(at) for at in question_indexes_by_itemset(6)])
    in_d = support + np.sqrt(support * (1 - support) / 10_000) * rng.standard_normal((draws, len(size)))
    errors = np.sqrt(reconstruction_error_variance(survey, "pooled", support, size))
    off = errors * rng.standard_normal((draws, len(size)))
    true, found = in_d >= 0.15, in_d + off >= 0.15
    drawn = [of.sum(axis=1).mean() for of in (true, found, found & ~true, true & ~found)]
    assert expected_frequent_counts(survey, "pooled", 0.15) == pytest.approx(drawn, abs=0.01)


def test_nothing_is_false_or_missed_where_nothing_is_disguised() -> None:
    in_d, in_star, false, missed = expected_frequent_counts(PaperSetting("open", k=1).survey, "pooled", 0.15)
    assert in_d == in_star
    assert (false, missed) == (0, 0)


REPETITIONS = 40
HELD = [
    PaperSetting("open"),
    PaperSetting("randomised"),
    PaperSetting("open", k=0.5, p=0.6, theta=0.3),
    PaperSetting("open", k=0.0),
    PaperSetting("randomised", k=0.7, respondents=1_000),
    PaperSetting("open", questions=6),
]
COUNTED = [HELD[2], HELD[3], HELD[5]]
"""Of which itemsets are counted, which takes most of the time: another p and theta, one group, many itemsets."""


@pytest.fixture(scope="module")
def simulated_results() -> dict[PaperSetting, RepetitionResults]:
    wanted = {of: [of.parameters] if of in COUNTED else [] for of in HELD}
    return {of: mine_repeatedly(of.survey, mined, REPETITIONS, 1) for of, mined in wanted.items()}


@pytest.mark.night
@pytest.mark.proof
@pytest.mark.parametrize("estimator", MINED)
def test_simulated_w_is_within_three_standard_errors_of_theory(
    simulated_results: dict[PaperSetting, RepetitionResults], estimator: str
) -> None:
    off = []
    for setting, result in simulated_results.items():
        sizes = np.array([len(at) for at in question_indexes_by_itemset(setting.questions)])
        expected = expected_w_by_itemset(setting.survey, estimator)
        for size in (1, 2, 3):
            mine = sizes == size
            w = result.w[estimator][:, mine].mean(axis=1)
            off.append((w.mean() - expected[mine].mean()) / (w.std(ddof=1) / sqrt(len(w))))
        # What the product states without knowing the truth is the same number.
        stated = result.stated[estimator].mean(axis=0)
        assert stated == pytest.approx(expected, rel=0.03 if setting.respondents >= 10_000 else 0.1)
    assert np.abs(off).max() < 3
    # Nor are they too close: that would be a simulation without chance.
    assert 0.3 < np.square(off).mean() < 2


@pytest.mark.night
@pytest.mark.proof
@pytest.mark.parametrize("estimator", MINED)
def test_simulated_numbers_of_itemsets_are_within_three_standard_errors_of_theory(
    simulated_results: dict[PaperSetting, RepetitionResults], estimator: str
) -> None:
    for setting in COUNTED:
        counts = simulated_results[setting].counts[setting.parameters][estimator][:, 0]
        expected = expected_frequent_counts(setting.survey, estimator, setting.min_support)
        for found, of in zip(counts.T, expected, strict=True):
            # Rare events: no fewer than what theory itself says of their spread.
            se = max(found.std(ddof=1), sqrt(of)) / sqrt(REPETITIONS)
            assert abs(found.mean() - of) < 3 * se + 0.01
