from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from privacy.guarantee.amplification import log_bounds, log_rounded_up, round_down, round_up

FINE = Context(prec=80)


@pytest.mark.proof
@settings(deadline=None)
@given(st.fractions(), st.integers(0, 12))
def test_up_is_never_below_and_less_than_one_step_above(value: Fraction, places: int) -> None:
    assert 0 <= Fraction(round_up(value, places)) - value < Fraction(1, 10**places)


@pytest.mark.proof
@settings(deadline=None)
@given(st.fractions(), st.integers(0, 12))
def test_down_is_never_above_and_less_than_one_step_below(value: Fraction, places: int) -> None:
    assert 0 <= value - Fraction(round_down(value, places)) < Fraction(1, 10**places)


def test_a_decimal_that_needs_no_rounding_stays() -> None:
    assert str(round_up(Fraction(9, 25), 4)) == str(round_down(Fraction(9, 25), 4)) == "0.3600"


@pytest.mark.proof
@settings(deadline=None)
@given(st.fractions(min_value=1, max_value=10**30), st.integers(0, 15))
def test_the_logarithm_is_never_below_the_true_one(value: Fraction, places: int) -> None:
    shown = log_rounded_up(value, places)
    # exp rounded down, at a precision far beyond the decimals shown
    reached = Fraction(FINE.next_plus(FINE.exp(shown)))
    assert reached >= value
    if shown:
        below = Fraction(FINE.next_minus(FINE.exp(shown - Decimal(10) ** -places)))
        assert below < value


def test_known_logarithms_are_rounded_up(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Fraction, str]] = [
        (Fraction(1), "0.000000"),
        (Fraction(19), "2.944439"),  # 2.94443897916...
        (Fraction(1025), "6.932448"),  # 6.93244789157...
        (1 + Fraction(1, 10**12), "0.000001"),
        (1 + Fraction(1, 10**30), "0.000001"),
        (1 + Fraction(1, 10**300), "0.000001"),
        (Fraction(10) ** 500, "1151.292547"),  # 500 times 2.302585092994...
    ]
    for value, shown in cases:
        with subtests.test(f"{value!r:.60} {shown!r:.60}"):
            assert str(log_rounded_up(value, 6)) == shown


def test_a_coarse_context_of_the_thread_does_not_matter() -> None:
    with localcontext() as context:
        context.prec = 2
        assert str(log_rounded_up(Fraction(1025), 6)) == "6.932448"
        assert str(round_up(Fraction(123456789), 2)) == "123456789.00"


def test_what_amplifies_by_less_than_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        log_rounded_up(Fraction(1, 2), 6)


def test_the_bounds_of_a_logarithm_enclose_it() -> None:
    low, high = log_bounds(Fraction(2), 20)
    # ln 2 = 0.693147180559945309417232...
    assert low < Decimal("0.693147180559945309417232") < high
    assert high - low < Decimal("1e-18")
    low, high = log_bounds(1 + Fraction(1, 10**30), 20)
    assert low == 0
    assert 0 < high < Decimal("1e-18")


def test_the_bounds_enclose_it_at_few_digits_too(subtests: pytest.Subtests) -> None:
    for number in range(2, 60):
        with subtests.test(f"{number}"):
            low, high = log_bounds(Fraction(number), 3)
            assert low < FINE.ln(Decimal(number)) < high


@pytest.mark.parametrize(("beside", "shown"), [(-1, "1.000000"), (1, "1.000001")])
def test_a_logarithm_a_hair_beside_a_decimal_is_told_from_it(beside: int, shown: str) -> None:
    e = Fraction(FINE.exp(Decimal(1)))
    assert str(log_rounded_up(e + Fraction(beside, 10**60), 6)) == shown
