"""Breaches and leakage of both laws of numbers, as matrices over all numbers and records."""

from fractions import Fraction
from itertools import combinations
from math import log2
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from privacy.guarantee.amplification import GammaLimit, worst_posterior
from privacy.guarantee.breaches import (
    Matrix,
    Vector,
    downward_breach,
    exact_prior,
    most_raised_property,
    upward_breach,
)
from proof.record_law import code_law, true_codes
from tests.privacy.definition import amplification, exact_law, posterior
from tests.privacy.questionnaires import classes, window

pytestmark = pytest.mark.proof
SECTIONS = {
    "window": window("n", 7, 1, "0.5"),
    "classes": classes("n", "0.6", 0, 2, 3, 6),
    "classes and a rest": classes("n", "0.6", 0, 2, 3, 6, rest=2, keep_rest="0.6"),
}


def matrix(section: dict[str, Any]) -> Matrix:
    laws = [code_law(section, index) for index in range(true_codes(section["questions"][0]))]
    return exact_law([[law[code] for code in sorted(law)] for law in laws])


def gamma(name: str) -> Fraction:
    found = amplification(matrix(SECTIONS[name]))
    assert found is not None
    return found


priors = (
    st.lists(st.integers(0, 9), min_size=7, max_size=7)
    .filter(any)
    .map(lambda weights: exact_prior([Fraction(weight, sum(weights)) for weight in weights]))
)


def test_the_sections_have_the_gammas_of_their_formulas() -> None:
    # 1 + .5 * 7 / (.5 * 3) = 10/3, and 1.6 / .4 = 4.
    assert [gamma(name) for name in SECTIONS] == [Fraction(10, 3), 4, 4]


@pytest.mark.parametrize("name", SECTIONS)
@given(prior=priors, rho1=st.integers(1, 60))
def test_no_prior_has_a_breach_beyond_gamma(name: str, prior: Vector, rho1: int) -> None:
    """And the search finds the worst of all properties, up and down."""
    law, low = matrix(SECTIONS[name]), Fraction(rho1, 100)
    high = worst_posterior(gamma(name), low)
    assert GammaLimit.never_exceeds(low, high).admits(gamma(name))
    worst = most_raised_property(prior, law, low)
    afters = [
        sum((after[x] for x in held), start=Fraction(0))
        for record in range(law.shape[1])
        for after in [posterior(prior, law, record)]
        for size in range(1, 8)
        for held in combinations(range(7), size)
        if sum((prior[x] for x in held), start=Fraction(0)) <= low
    ]
    assert (worst.after if worst else 0) == max(afters, default=0) <= high
    above = high + Fraction(1, 1000)
    if above < 1:
        assert upward_breach(prior, law, low, above) is None
        assert downward_breach(prior, law, low, above) is None


@pytest.mark.parametrize("name", SECTIONS)
def test_the_two_numbers_that_differ_most_reach_gamma(name: str) -> None:
    law = matrix(SECTIONS[name])
    record, most, least = max(
        ((y, x, other) for y in range(law.shape[1]) for x in range(7) for other in range(7)),
        key=lambda found: law[found[1], found[0]] / law[found[2], found[0]],
    )
    assert law[most, record] / law[least, record] == gamma(name)
    weights = [Fraction(0)] * 7
    weights[most], weights[least] = Fraction(1, 5), Fraction(4, 5)
    prior, after = exact_prior(weights), worst_posterior(gamma(name), Fraction(1, 5))
    found = upward_breach(prior, law, Fraction(1, 5), after)
    assert found
    assert (found.before, found.after) == (Fraction(1, 5), after)
    # The other number was 4/5 likely, and falls as far.
    fallen = downward_breach(prior, law, 1 - after, Fraction(4, 5))
    assert fallen
    assert fallen.after == 1 - after


def divergences(prior: Vector, law: Matrix) -> list[tuple[float, float]]:
    """By record its probability and, in bits, the divergence of the posterior from the prior."""
    found = []
    for y, total in enumerate(prior @ law):
        ratios = [(prior[x] * law[x, y] / total, law[x, y] / total) for x in range(7)]
        found.append((float(total), sum(float(weight) * log2(ratio) for weight, ratio in ratios)))
    return found


@pytest.mark.parametrize("name", SECTIONS)
@settings(max_examples=20, deadline=None)
@given(prior=priors)
def test_no_record_tells_more_bits_than_those_of_gamma(name: str, prior: Vector) -> None:
    bits = [distance for _share, distance in divergences(prior, matrix(SECTIONS[name]))]
    assert max(bits) <= log2(gamma(name)) + 1e-6


def test_sending_a_bit_now_and_then_reveals_less() -> None:
    prior = exact_prior([Fraction(1, 7)] * 7)
    plain, moved = (
        sum(share * distance for share, distance in divergences(prior, matrix(SECTIONS[name])))
        for name in ("classes", "classes and a rest")
    )
    assert moved < plain
