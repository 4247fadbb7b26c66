"""R1, R2 and R3 against the paper on privacy breaches and against their definitions."""

from fractions import Fraction

import pytest

from privacy.kinds.number.window.circular_law import CircularLaw
from tests.privacy.strategies import amplification, exact_law

VALUES = 1001
HALF = Fraction(1, 2)
PRIOR = [Fraction(1, 100), *[Fraction(99, 100_000)] * 1000]
R1 = CircularLaw.retention(VALUES, Fraction(1, 5))
R2 = CircularLaw.window(VALUES, 100)
R3 = CircularLaw.mixed(VALUES, 100, HALF)


def percent(share: Fraction) -> str:
    return f"{float(100 * share):.1f}"


def test_the_papers_posteriors_are_met_to_their_last_digit(subtests: pytest.Subtests) -> None:
    cases: list[tuple[CircularLaw, str, str]] = [
        (R1, "71.6", "83.0"),
        (R2, "4.8", "100.0"),
        (R3, "2.9", "70.8"),
    ]
    for law, zero, outside in cases:
        with subtests.test(f"{law!r:.60} {zero!r:.60}"):
            after = law.posterior(PRIOR, 0)
            assert percent(after[0]) == zero
            assert percent(sum(after[:200], start=Fraction(0)) + sum(after[801:])) == outside


def test_outside_is_as_likely_before_as_the_paper_says() -> None:
    assert percent(sum(PRIOR[:200], start=Fraction(0)) + sum(PRIOR[801:])) == "40.5"


def by_definition(values: int, half: int, windowed: Fraction, x: int, y: int) -> Fraction:
    """R3 by its coins: every value of xi that leads from x to y."""
    reaching = sum((x + xi) % values == y for xi in range(-half, half + 1))
    return windowed * Fraction(reaching, 2 * half + 1) + (1 - windowed) / values


def test_r3_is_what_its_coins_give(subtests: pytest.Subtests) -> None:
    for half in [0, 1, 2]:
        for values in [5, 8, 11]:
            with subtests.test(f"{half} {values}"):
                law = CircularLaw.mixed(values, half, Fraction(7, 10))
                assert all(
                    law.probability(x, y) == by_definition(values, half, Fraction(7, 10), x, y)
                    for x in range(values)
                    for y in range(values)
                )


def test_gamma_is_the_largest_ratio_of_two_probabilities_of_a_record(subtests: pytest.Subtests) -> None:
    cases: list[CircularLaw] = [
        CircularLaw.retention(6, Fraction(1, 3)),
        CircularLaw.retention(6, Fraction(1, 20)),
        CircularLaw.window(7, 2),
        CircularLaw.mixed(7, 2, HALF),
    ]
    for law in cases:
        with subtests.test(f"{law!r:.60}"):
            rows = [[law.probability(x, y) for y in range(law.values)] for x in range(law.values)]
            assert law.gamma == amplification(exact_law(rows))


@pytest.mark.parametrize("half", [-1, 4])
def test_a_window_that_overlaps_itself_is_refused(half: int) -> None:
    with pytest.raises(ValueError, match="does not fit 7 values"):
        CircularLaw.window(7, half)


def test_a_record_that_is_never_sent_has_no_posterior() -> None:
    with pytest.raises(ValueError, match="never sent"):
        CircularLaw.window(7, 1).posterior([Fraction(1), *[Fraction(0)] * 6], 3)
