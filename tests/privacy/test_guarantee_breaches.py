"""The definition of a breach is tried on every property and record; nothing here knows the product's search."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from privacy.guarantee.amplification import GammaLimit, odds_ratio
from privacy.guarantee.breaches import (
    Matrix,
    Property,
    Vector,
    downward_breach,
    exact_prior,
    most_raised_property,
    upward_breach,
)
from tests.privacy.definition import amplification, exact_law


@st.composite
def distributions(draw: st.DrawFn, size: int, least: int = 0) -> list[Fraction]:
    weights = draw(st.lists(st.integers(least, 20), min_size=size, max_size=size).filter(any))
    return [Fraction(weight, sum(weights)) for weight in weights]


@st.composite
def worlds(draw: st.DrawFn, least: int = 0) -> tuple[Vector, Matrix]:
    """A prior on up to five answers and a law on up to four records."""
    answers, records = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    law = exact_law([draw(distributions(records, least)) for _ in range(answers)])
    return exact_prior(draw(distributions(answers))), law


shares = st.integers(1, 99).map(lambda percent: Fraction(percent, 100))


@st.composite
def thresholds(draw: st.DrawFn) -> tuple[Fraction, Fraction]:
    low, high = draw(st.lists(shares, min_size=2, max_size=2, unique=True).map(sorted))
    return low, high


def properties(prior: Vector, law: Matrix) -> Iterator[tuple[Fraction, Fraction, frozenset[int], int]]:
    """Every property and record that occurs: how likely the property is before and after."""
    answers = range(len(prior))
    for record in range(law.shape[1]):
        total = sum(prior[x] * law[x, record] for x in answers)
        for size in range(len(prior) + 1):
            for held in combinations(answers, size) if total else ():
                after = sum((prior[x] * law[x, record] for x in held), start=Fraction(0)) / total
                yield sum((prior[x] for x in held), start=Fraction(0)), after, frozenset(held), record


def holds(prior: Vector, law: Matrix, found: Property) -> bool:
    """What the search says of its own find is true."""
    return (found.before, found.after, found.answers, found.record) in set(properties(prior, law))


@pytest.mark.proof
@given(worlds(), thresholds())
def test_an_upward_breach_is_found_exactly_where_some_property_has_one(
    world: tuple[Vector, Matrix], limits: tuple[Fraction, Fraction]
) -> None:
    rho1, rho2 = limits
    found = upward_breach(*world, rho1, rho2)
    worst = max(after for before, after, *_ in properties(*world) if before <= rho1)
    assert (found is not None) == (worst >= rho2)
    if found:
        assert found.after == worst
        assert found.before <= rho1
        assert holds(*world, found)


@pytest.mark.proof
@given(worlds(), thresholds())
def test_a_downward_breach_is_found_exactly_where_some_property_has_one(
    world: tuple[Vector, Matrix], limits: tuple[Fraction, Fraction]
) -> None:
    rho1, rho2 = limits
    found = downward_breach(*world, rho1, rho2)
    worst = min(after for before, after, *_ in properties(*world) if before >= rho2)
    assert (found is not None) == (worst <= rho1)
    if found:
        assert found.after == worst
        assert found.before >= rho2
        assert holds(*world, found)


@pytest.mark.proof
@given(worlds(least=1), thresholds())
def test_below_the_strict_limit_nothing_is_breached_under_any_prior(
    world: tuple[Vector, Matrix], limits: tuple[Fraction, Fraction]
) -> None:
    rho1, rho2 = limits
    gamma = amplification(world[1])
    assert gamma is not None
    assume(GammaLimit.never_reaches(rho1, rho2).admits(gamma))
    for before, after, *_ in properties(*world):
        assert before > rho1 or after < rho2
        assert before < rho2 or after > rho1


@pytest.mark.proof
@given(worlds(least=1), shares)
def test_at_the_limit_the_posterior_may_be_reached_but_not_exceeded(
    world: tuple[Vector, Matrix], rho1: Fraction
) -> None:
    gamma = amplification(world[1])
    assert gamma is not None
    assume(gamma > 1)
    rho2 = gamma * rho1 / (1 - rho1 + gamma * rho1)
    assert GammaLimit.never_exceeds(rho1, rho2).admits(gamma)
    assert not GammaLimit.never_reaches(rho1, rho2).admits(gamma)
    for before, after, *_ in properties(*world):
        assert before > rho1 or after <= rho2
        assert before < rho2 or after >= rho1


@pytest.mark.proof
@given(worlds(least=1), shares)
def test_the_limit_is_tight_some_prior_reaches_it_both_ways(
    world: tuple[Vector, Matrix], rho1: Fraction
) -> None:
    law = world[1]
    gamma = amplification(law)
    assert gamma is not None
    assume(gamma > 1)
    rho2 = gamma * rho1 / (1 - rho1 + gamma * rho1)
    likely, unlikely = next(
        (x, other)
        for y in range(law.shape[1])
        for x in range(len(law))
        for other in range(len(law))
        if law[other, y] and law[x, y] / law[other, y] == gamma
    )
    up = [rho1 if x == likely else 1 - rho1 if x == unlikely else Fraction(0) for x in range(len(law))]
    assert upward_breach(exact_prior(up), law, rho1, rho2) is not None
    down = [1 - rho2 if x == likely else rho2 if x == unlikely else Fraction(0) for x in range(len(law))]
    assert downward_breach(exact_prior(down), law, rho1, rho2) is not None


def test_five_percent_to_a_half_is_nineteenfold_odds() -> None:
    assert odds_ratio(Fraction(1, 20), Fraction(1, 2)) == 19


def test_a_property_may_not_be_divided() -> None:
    # Two of three equally likely answers do not fit below one half, so one alone is the worst.
    prior = exact_prior([Fraction(1, 3)] * 3)
    law = exact_law([[Fraction(9, 10), Fraction(1, 10)]] * 2 + [[Fraction(1, 10), Fraction(9, 10)]])
    found = most_raised_property(prior, law, Fraction(1, 2))
    assert found is not None
    assert found.answers == {2}
    assert found.after == Fraction(9, 11)


def test_taking_the_likeliest_answer_first_is_not_always_worst() -> None:
    # Of at most .3 the likeliest answer (.2) leaves no room for another; the next two fill it whole.
    prior = exact_prior([Fraction(part, 100) for part in (20, 15, 15, 50)])
    law = exact_law([[Fraction(part, 10), Fraction(10 - part, 10)] for part in (5, 4, 4, 1)])
    found = most_raised_property(prior, law, Fraction(3, 10))
    assert found == Property(0, frozenset({1, 2}), Fraction(3, 10), Fraction(12, 27))


def test_where_every_answer_is_likelier_than_rho1_there_is_no_breach() -> None:
    prior, law = exact_prior([Fraction(1)]), exact_law([[Fraction(1)]])
    assert upward_breach(prior, law, Fraction(1, 20), Fraction(1, 2)) is None


def test_an_identity_breaches_whatever_is_rare() -> None:
    prior = exact_prior([Fraction(1, 100), Fraction(99, 100)])
    law = exact_law([[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]])
    found = upward_breach(prior, law, Fraction(1, 20), Fraction(99, 100))
    assert found == Property(0, frozenset({0}), Fraction(1, 100), Fraction(1))


@pytest.mark.proof
def test_the_worst_property_of_two_hundred_values_by_hand() -> None:
    prior = np.array([0.01] + [0.00495] * 200)
    law = np.full((201, 201), 0.8 / 200)
    np.fill_diagonal(law, 0.2)
    # The one value alone, at its own likelihood: .002 / (.002 + .99 * .004).
    alone = upward_breach(prior, law, Fraction(1, 100), Fraction(1, 4))
    assert alone == Property(0, frozenset({0}), Fraction(1, 100), Fraction(200, 596))
    found = most_raised_property(prior, law, Fraction(5, 100))
    assert found is not None
    # The one value of prior .01 that was kept, and eight others that fit beside it.
    assert 0 in found.answers
    assert found.after == pytest.approx((0.01 * 0.2 + 8 * 0.00495 * 0.004) / (0.01 * 0.2 + 0.99 * 0.004))


WARNER = np.array([[0.75, 0.25], [0.25, 0.75]])


def test_doubles_breach_where_the_decimals_they_stand_for_do() -> None:
    # The double .05 is a little more than 1/20. .0375 / (.0375 + .2375) = .136...
    prior = np.array([0.05, 0.95])
    found = upward_breach(prior, WARNER, Fraction(1, 20), Fraction(55, 1000))
    assert found == Property(0, frozenset({0}), Fraction(1, 20), Fraction(375, 2750))
    # The other way round: 95 % likely before, 2375/2750 = .863... after.
    found = downward_breach(prior, WARNER, Fraction(9, 10), Fraction(95, 100))
    assert found == Property(0, frozenset({1}), Fraction(19, 20), Fraction(2375, 2750))


def test_doubles_breach_at_the_very_threshold() -> None:
    # Odds 1:19, times 3 is 3:19.
    prior = np.array([0.05, 0.95])
    assert upward_breach(prior, WARNER, Fraction(1, 20), Fraction(3, 22)) is not None
    assert downward_breach(prior, WARNER, Fraction(19, 22), Fraction(19, 20)) is not None


def test_doubles_that_were_added_up_still_breach() -> None:
    # Doubles make .1 + .2 a little more than .3. Odds 3:7, times 3, are 9:7.
    prior = np.array([0.1 + 0.2, 0.7])
    assert prior[0] > 0.3
    assert upward_breach(prior, WARNER, Fraction(3, 10), Fraction(9, 16)) is not None
    assert downward_breach(prior, WARNER, Fraction(7, 16), Fraction(7, 10)) is not None


def test_fractions_are_compared_exactly() -> None:
    little = Fraction(1, 10**30)
    warner = exact_law([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
    prior = exact_prior([Fraction(1, 20), Fraction(19, 20)])
    assert upward_breach(prior, warner, Fraction(1, 20) - little, Fraction(55, 1000)) is None
    assert upward_breach(prior, warner, Fraction(1, 20), Fraction(3, 22) + little) is None
    assert upward_breach(prior, warner, Fraction(1, 20), Fraction(3, 22)) is not None
    assert downward_breach(prior, warner, Fraction(19, 22) - little, Fraction(19, 20)) is None
    assert downward_breach(prior, warner, Fraction(19, 22), Fraction(19, 20)) is not None


def test_a_breach_goes_from_something_possible_to_something_likelier(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [("1/2", "1/2"), ("1/2", "1/20"), ("0", "1/2"), ("1/20", "1")]
    for rho1, rho2 in cases:
        with (
            subtests.test(f"{rho1!r:.60} {rho2!r:.60}"),
            pytest.raises(ValueError, match="0 < rho1 < rho2 < 1"),
        ):
            GammaLimit.never_reaches(Fraction(rho1), Fraction(rho2))
