"""The definition of a breach is tried on every property and record; nothing here knows the product's search."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from privacy.guarantee.amplification import GammaLimit, odds_ratio
from privacy.guarantee.breaches import (
    Matrix,
    Property,
    Vector,
    downward_breach,
    exact_prior_or_refuse,
    most_raised_property,
    upward_breach,
)
from tests.privacy.strategies import amplification, exact_law, present

World = tuple[Vector, Matrix]
Limits = tuple[Fraction, Fraction]


@st.composite
def distributions(draw: st.DrawFn, size: int, least: int = 0) -> list[Fraction]:
    weights = draw(st.lists(st.integers(least, 20), min_size=size, max_size=size).filter(any))
    return [Fraction(weight, sum(weights)) for weight in weights]


@st.composite
def worlds(draw: st.DrawFn, least: int = 0) -> World:
    """A prior on up to five answers and a law on up to four records."""
    answers, records = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    law = exact_law([draw(distributions(records, least)) for _ in range(answers)])
    return exact_prior_or_refuse(draw(distributions(answers))), law


shares = st.integers(1, 99).map(lambda percent: Fraction(percent, 100))


@st.composite
def thresholds(draw: st.DrawFn) -> Limits:
    low, high = draw(st.lists(shares, min_size=2, max_size=2, unique=True).map(sorted))
    return low, high


def properties(prior: Vector, law: Matrix) -> Iterator[tuple[Fraction, Fraction, frozenset[int], int]]:
    """Every property and record that occurs: how likely the property is before and after."""
    for record in range(law.shape[1]):
        joint = prior * law[:, record]
        for size in range(len(prior) + 1):
            for held in combinations(range(len(prior)), size) if joint.sum() else ():
                before, after = (Fraction(sum(each[list(held)])) for each in (prior, joint))
                yield before, after / joint.sum(), frozenset(held), record


@pytest.mark.proof
@given(worlds(), thresholds())
def test_breach_is_found_exactly_where_a_property_has_one(world: World, limits: Limits) -> None:
    """And what the search says of its own find is true."""
    (rho1, rho2), every = limits, set(properties(*world))
    up, down = upward_breach(*world, rho1, rho2), downward_breach(*world, rho1, rho2)
    highest = max(after for before, after, *_ in every if before <= rho1)
    lowest = min(after for before, after, *_ in every if before >= rho2)
    assert (up is not None, down is not None) == (highest >= rho2, lowest <= rho1)
    assert up is None or (up.after == highest and up.before <= rho1)
    assert down is None or (down.after == lowest and down.before >= rho2)
    assert {(one.before, one.after, one.answers, one.record) for one in (up, down) if one} <= every


@pytest.mark.proof
@given(worlds(least=1), thresholds())
def test_gamma_below_the_strict_limit_breaches_under_no_prior(world: World, limits: Limits) -> None:
    rho1, rho2 = limits
    assume(GammaLimit.never_reaches(rho1, rho2).admits(present(amplification(world[1]))))
    for before, after, *_ in properties(*world):
        assert before > rho1 or after < rho2
        assert before < rho2 or after > rho1


@pytest.mark.proof
@given(worlds(least=1), shares)
def test_posterior_at_the_limit_is_reached_but_not_exceeded(world: World, rho1: Fraction) -> None:
    law = world[1]
    gamma = present(amplification(law))
    assume(gamma > 1)
    rho2 = gamma * rho1 / (1 - rho1 + gamma * rho1)
    assert GammaLimit.never_exceeds(rho1, rho2).admits(gamma)
    assert not GammaLimit.never_reaches(rho1, rho2).admits(gamma)
    for before, after, *_ in properties(*world):
        assert before > rho1 or after <= rho2
        assert before < rho2 or after >= rho1
    pairs = product(range(law.shape[1]), *[range(len(law))] * 2)
    likely, other = next((x, z) for y, x, z in pairs if law[x, y] == gamma * law[z, y])
    for breach, share in ((upward_breach, rho1), (downward_breach, 1 - rho2)):
        prior = [share if x == likely else 1 - share if x == other else Fraction(0) for x in range(len(law))]
        assert breach(exact_prior_or_refuse(prior), law, rho1, rho2) is not None


# --- by hand

WARNER = np.array([[0.75, 0.25], [0.25, 0.75]])


def percents(*parts: int) -> Vector:
    return exact_prior_or_refuse([Fraction(part, 100) for part in parts])


def matrix_from_tenths(*of_first_record: int) -> Matrix:
    return exact_law([[Fraction(part, 10), Fraction(10 - part, 10)] for part in of_first_record])


def test_from_five_percent_to_a_half_is_odds_of_nineteen() -> None:
    assert odds_ratio(Fraction(1, 20), Fraction(1, 2)) == 19
    for rho1, rho2 in (("1/2", "1/2"), ("1/2", "1/20"), ("0", "1/2"), ("1/20", "1")):
        with pytest.raises(ValueError, match="0 < rho1 < rho2 < 1"):
            GammaLimit.never_reaches(Fraction(rho1), Fraction(rho2))


def test_the_worst_property_by_hand() -> None:
    # A property may not be divided: two of three equally likely answers do not fit below one half.
    found = most_raised_property(
        exact_prior_or_refuse([Fraction(1, 3)] * 3), matrix_from_tenths(9, 9, 1), Fraction(1, 2)
    )
    assert found is not None
    assert (found.answers, found.after) == (frozenset({2}), Fraction(9, 11))
    # Of at most .3 the likeliest answer (.2) leaves no room for another; the next two fill it whole.
    found = most_raised_property(percents(20, 15, 15, 50), matrix_from_tenths(5, 4, 4, 1), Fraction(3, 10))
    assert found == Property(0, frozenset({1, 2}), Fraction(3, 10), Fraction(12, 27))
    assert upward_breach(percents(100), exact_law([[Fraction(1)]]), Fraction(1, 20), Fraction(1, 2)) is None
    # An identity breaches whatever is rare.
    found = upward_breach(percents(1, 99), matrix_from_tenths(10, 0), Fraction(1, 20), Fraction(99, 100))
    assert found == Property(0, frozenset({0}), Fraction(1, 100), Fraction(1))


@pytest.mark.proof
def test_the_worst_property_of_two_hundred_values_by_hand() -> None:
    prior, law = np.array([0.01] + [0.00495] * 200), np.full((201, 201), 0.8 / 200)
    np.fill_diagonal(law, 0.2)
    # The one value alone, at its own likelihood: .002 / (.002 + .99 * .004).
    alone = upward_breach(prior, law, Fraction(1, 100), Fraction(1, 4))
    assert alone == Property(0, frozenset({0}), Fraction(1, 100), Fraction(200, 596))
    found = present(most_raised_property(prior, law, Fraction(5, 100)))
    # The one value of prior .01 that was kept, and eight others that fit beside it.
    assert 0 in found.answers
    assert found.after == pytest.approx((0.01 * 0.2 + 8 * 0.00495 * 0.004) / (0.01 * 0.2 + 0.99 * 0.004))


def test_doubles_breach_exactly_where_their_decimals_do() -> None:
    # The double .05 is a little more than 1/20. .0375 / (.0375 + .2375) = .136...
    prior, f = np.array([0.05, 0.95]), Fraction
    found = upward_breach(prior, WARNER, f(1, 20), f(55, 1000))
    assert found == Property(0, frozenset({0}), f(1, 20), f(375, 2750))
    # The other way round: 95 % likely before, 2375/2750 = .863... after.
    found = downward_breach(prior, WARNER, f(9, 10), f(95, 100))
    assert found == Property(0, frozenset({1}), f(19, 20), f(2375, 2750))
    # At the very threshold: odds 1:19, times 3 is 3:19.
    assert upward_breach(prior, WARNER, f(1, 20), f(3, 22)) is not None
    assert downward_breach(prior, WARNER, f(19, 22), f(19, 20)) is not None
    # Doubles make .1 + .2 a little more than .3. Odds 3:7, times 3, are 9:7.
    prior = np.array([0.1 + 0.2, 0.7])
    assert prior[0] > 0.3
    assert upward_breach(prior, WARNER, f(3, 10), f(9, 16)) is not None
    assert downward_breach(prior, WARNER, f(7, 16), f(7, 10)) is not None


def test_fractions_are_compared_exactly() -> None:
    f, little = Fraction, Fraction(1, 10**30)
    warner, prior = exact_law([[f(3, 4), f(1, 4)], [f(1, 4), f(3, 4)]]), percents(5, 95)
    assert upward_breach(prior, warner, f(1, 20) - little, f(55, 1000)) is None
    assert upward_breach(prior, warner, f(1, 20), f(3, 22) + little) is None
    assert upward_breach(prior, warner, f(1, 20), f(3, 22)) is not None
    assert downward_breach(prior, warner, f(19, 22) - little, f(19, 20)) is None
    assert downward_breach(prior, warner, f(19, 22), f(19, 20)) is not None
