"""Population uniqueness against a published example, plain sums and simulation; special uniques against another."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.risk.population_uniqueness import (
    NegativeBinomialModel,
    PitmanModel,
    fit_negative_binomial_model,
    fit_pitman_model,
    population_uniqueness,
    special_uniqueness_scores,
)
from privacy.anonymity.tables.table import Column


def sizes(classes: dict[int, int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """By size of a class, how many there are."""
    return np.repeat(list(classes), list(classes.values())).astype(np.int64)


NAEGLERIA = {1: 346, 2: 57, 3: 19, 4: 12, 5: 9, 6: 5, 7: 4, 8: 2, 9: 4, 10: 5, 11: 4, 12: 1}
"""Reads of genes: 959 of 473, with one gene each of 16, 17, 18, 27 and 55."""


def test_the_likeliest_pitman_model_is_the_published_one_and_expects_the_product() -> None:
    """Lijoi, Mena and Prünster, Bayesian nonparametric prediction in EST analysis (2007), give .669 and 46.241."""
    found = fit_pitman_model(sizes(NAEGLERIA | dict.fromkeys((16, 17, 18, 27, 55), 1)))
    assert found
    assert (found.theta, found.alpha) == pytest.approx((46.241, 0.669), abs=0.001)
    theta, alpha, people = 3.0, 0.4, 50
    product = prod((theta + alpha + at - 1) / (theta + at) for at in range(1, people))
    assert PitmanModel(theta, alpha).expected_uniques(people) == pytest.approx(people * product)
    assert PitmanModel(2.0, 0.5).expected_uniques(1) == pytest.approx(1)


def test_the_expected_sample_of_snb_is_a_sum_over_class_sizes() -> None:
    for alpha, beta, f in ((0.5, 0.2, 0.1), (2.0, 0.5, 0.3), (1.0, 0.7, 0.02)):
        rising = [prod((alpha + at) / (at + 1) for at in range(count)) for count in range(300)]
        weights = [part * beta**alpha * (1 - beta) ** count for count, part in enumerate(rising)]
        sampled = [
            sum(w * comb(n, number) * f**number * (1 - f) ** (n - number) for n, w in enumerate(weights, 1))
            for number in (1, 2)
        ]
        model = NegativeBinomialModel(1000, alpha, beta)
        assert model.expected_singles_and_pairs(f) == pytest.approx([1000 * share for share in sampled])
        assert model.expected_uniques == pytest.approx(1000 * weights[0])


def test_the_snb_model_of_what_it_expects_is_found_again() -> None:
    model = NegativeBinomialModel(40_000, 0.8, 0.1)
    ones, twos = map(round, model.expected_singles_and_pairs(0.1))
    people = model.classes * (1 + model.alpha * (1 - model.beta) / model.beta)
    drawn = sizes({1: ones, 2: twos, round(people * 0.1) - ones - 2 * twos: 1})
    found = fit_negative_binomial_model(drawn, 0.1)
    assert found
    assert found.expected_uniques == pytest.approx(model.expected_uniques, rel=0.01)


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


def test_nothing_is_said_of_a_sample_without_uniques_or_of_uniques_alone() -> None:
    assert population_uniqueness(sizes({10: 7}), 0.1) == []
    assert fit_pitman_model(sizes({1: 30})) is None
    assert fit_negative_binomial_model(sizes({1: 30}), 0.1) is None


def test_a_search_without_a_maximum_inside_ends() -> None:
    """Of two classes of sixteen or more it goes to alpha 0, below the least number that a computer can hold."""
    assert [fit_pitman_model(np.array([small, 60 - small])) for small in range(1, 31)] == [None] * 30


# --- special uniques

GUIDE = """Urban Female Secondary-incomplete Employed
Urban Female Secondary-incomplete Employed
Urban Female Primary-incomplete Non-LF
Urban Male Secondary-complete Employed
Rural Female Secondary-complete Unemployed
Urban Male Secondary-complete Employed
Urban Female Primary-complete Non-LF
Urban Male Post-secondary Unemployed
Urban Female Secondary-incomplete Non-LF
Urban Female Secondary-incomplete Non-LF"""
"""Benschop, Machingauta and Welch, Statistical Disclosure Control: A Practice Guide, Calculating SUDA scores."""


def columns_of(rows: Sequence[tuple[str, ...]]) -> list[Column]:
    found = []
    for at, cells in enumerate(zip(*rows, strict=True)):
        texts = tuple(sorted(set(cells)))
        found.append(Column(f"c{at}", texts, np.array([texts.index(cell) for cell in cells], np.int32)))
    return found


def test_the_scores_are_those_of_the_practice_guide_and_of_the_columns_that_make_a_record_special() -> None:
    rows = [tuple(line.split()) for line in GUIDE.splitlines()]
    assert special_uniqueness_scores(columns_of(rows), 3).scores.tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    pairs = [("a", "x"), ("a", "x"), ("b", "x"), ("a", "y"), ("a", "y")]
    found = special_uniqueness_scores(columns_of(pairs))
    assert found.scores.tolist() == [0, 0, 1, 0, 0]
    assert found.as_json() == {"records": 1, "largest": 3, "columns": {"c0": 1.0, "c1": 0.0}}
    none = special_uniqueness_scores(columns_of([("a", "x"), ("a", "x")]))
    assert none.as_json() == {"records": 0, "largest": 3, "columns": {"c0": 0.0, "c1": 0.0}}


@pytest.mark.proof
@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 4), min_size=1, max_size=14), st.integers(1, 4))
def test_they_agree_with_plain_loops(rows: list[tuple[str, ...]], largest: int) -> None:
    expected = []
    for row in rows:
        minimal: list[set[int]] = []
        for chosen in (of for size in range(1, largest + 1) for of in combinations(range(4), size)):
            alone = Counter(tuple(other[at] for at in chosen) for other in rows)
            is_new = not any(part <= set(chosen) for part in minimal)
            if is_new and alone[tuple(row[at] for at in chosen)] == 1:
                minimal.append(set(chosen))
        expected.append(sum(prod(4 - at for at in range(len(part), min(largest, 3) + 1)) for part in minimal))
    assert special_uniqueness_scores(columns_of(rows), largest).scores.tolist() == expected
