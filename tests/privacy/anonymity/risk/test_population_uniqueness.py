"""Population uniqueness against a published example, plain sums and simulation."""

from math import comb, prod

import numpy as np
import pytest

from privacy.anonymity.risk.population_uniqueness import (
    NegativeBinomialModel,
    PitmanModel,
    fit_negative_binomial_model,
    fit_pitman_model,
    population_uniqueness,
)


def sizes(classes: dict[int, int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """By size of a class, how many there are."""
    return np.repeat(list(classes), list(classes.values())).astype(np.int64)


NAEGLERIA = {1: 346, 2: 57, 3: 19, 4: 12, 5: 9, 6: 5, 7: 4, 8: 2, 9: 4, 10: 5, 11: 4, 12: 1} | dict.fromkeys(
    (16, 17, 18, 27, 55), 1
)
"""959 reads of 473 genes."""


def test_the_likeliest_pitman_model_is_the_published_one() -> None:
    """Lijoi, Mena and Prünster, Bayesian nonparametric prediction in EST analysis (2007), give .669 and 46.241."""
    found = fit_pitman_model(sizes(NAEGLERIA))
    assert found
    assert found.theta == pytest.approx(46.241, abs=0.001)
    assert found.alpha == pytest.approx(0.669, abs=0.001)


def test_the_expected_uniques_of_pitman_are_the_product() -> None:
    theta, alpha, people = 3.0, 0.4, 50
    product = prod((theta + alpha + at - 1) / (theta + at) for at in range(1, people))
    assert PitmanModel(theta, alpha).uniques(people) == pytest.approx(people * product)


def test_one_person_is_unique_among_one() -> None:
    assert PitmanModel(2.0, 0.5).uniques(1) == pytest.approx(1)


@pytest.mark.parametrize(("alpha", "beta", "fraction"), [(0.5, 0.2, 0.1), (2.0, 0.5, 0.3), (1.0, 0.7, 0.02)])
def test_the_expected_sample_of_snb_is_a_sum_over_class_sizes(
    alpha: float, beta: float, fraction: float
) -> None:
    def negative_binomial(count: int) -> float:
        rising = prod((alpha + at) / (at + 1) for at in range(count))
        return float(rising * beta**alpha * (1 - beta) ** count)

    def sampled(number: int) -> float:
        return sum(
            negative_binomial(size - 1)
            * comb(size, number)
            * fraction**number
            * (1 - fraction) ** (size - number)
            for size in range(number, 300)
        )

    model = NegativeBinomialModel(1000, alpha, beta)
    assert model.expected_singles_and_pairs(fraction) == pytest.approx((1000 * sampled(1), 1000 * sampled(2)))
    assert model.uniques == pytest.approx(1000 * negative_binomial(0))


def test_the_snb_model_of_what_it_expects_is_found_again() -> None:
    model = NegativeBinomialModel(40_000, 0.8, 0.1)
    ones, twos = map(round, model.expected_singles_and_pairs(0.1))
    people = model.classes * (1 + model.alpha * (1 - model.beta) / model.beta)
    rest = round(people * 0.1) - ones - 2 * twos
    found = fit_negative_binomial_model(sizes({1: ones, 2: twos, rest: 1}), 0.1)
    assert found
    assert found.uniques == pytest.approx(model.uniques, rel=0.01)


@pytest.mark.night
@pytest.mark.proof
def test_uniques_of_a_drawn_population_are_estimated_from_a_sample() -> None:
    random, theta, alpha, people = np.random.default_rng(5), 60.0, 0.6, 8000
    counts = [1]
    for at in range(1, people):
        if random.random() * (theta + at) < theta + alpha * len(counts):
            counts.append(1)
        else:
            weights = np.array(counts) - alpha
            counts[int(random.choice(len(counts), p=weights / weights.sum()))] += 1
    labels = np.repeat(np.arange(len(counts)), counts)
    sample = np.unique(random.choice(labels, people // 5, replace=False), return_counts=True)[1]
    found = {model.model: model for model in population_uniqueness(sample, 0.2)}
    assert found["pitman"].population * people == pytest.approx(counts.count(1), rel=0.15)
    still = found["pitman"].sample * (sample == 1).sum()
    assert still == pytest.approx(counts.count(1) * 0.2, rel=0.15)


def test_nothing_is_said_of_a_sample_without_uniques() -> None:
    assert population_uniqueness(sizes({10: 7}), 0.1) == []


def test_nothing_is_said_where_every_record_is_unique() -> None:
    assert fit_pitman_model(sizes({1: 30})) is None
    assert fit_negative_binomial_model(sizes({1: 30}), 0.1) is None
