"""Decimals rounded in a stated direction, exactly: fractions and logarithms."""

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction


def up(value: Fraction, places: int) -> Decimal:
    """The smallest decimal of `places` places that is at least `value`."""
    return _scaled(-(-value.numerator * 10**places // value.denominator), places)


def down(value: Fraction, places: int) -> Decimal:
    """The largest decimal of `places` places that is at most `value`."""
    return _scaled(value.numerator * 10**places // value.denominator, places)


def log_up(value: Fraction, places: int) -> Decimal:
    """ln(value) for value >= 1, rounded up. Exact: more digits are taken until both bounds round alike.

    They do in the end, because the logarithm of a fraction other than 1 is never a decimal.
    """
    if value < 1:
        raise ValueError(f"an amplification is at least 1, not {value}")
    if value == 1:
        return _scaled(0, places)
    digits = places + 20
    while True:
        low, high = (up(Fraction(bound), places) for bound in log_bounds(value, digits))
        if low == high:
            return high
        digits *= 2


def log_bounds(value: Fraction, digits: int) -> tuple[Decimal, Decimal]:
    """Two decimals of `digits` digits with ln(value) between them, neither negative; value is at least 1."""
    down_context = Context(digits, ROUND_FLOOR, MIN_EMIN, MAX_EMAX)
    up_context = Context(digits, ROUND_CEILING, MIN_EMIN, MAX_EMAX)
    numerator, denominator = Decimal(value.numerator), Decimal(value.denominator)
    # Decimal.ln is rounded to nearest whatever the context says, hence one more step outwards.
    low = down_context.ln(down_context.divide(numerator, denominator)).next_minus(down_context)
    high = up_context.ln(up_context.divide(numerator, denominator)).next_plus(up_context)
    # The number next below 0 has so many digits that its fraction would fill the memory.
    return max(low, Decimal(0)), high


def _scaled(units: int, places: int) -> Decimal:
    # Ordinary arithmetic would round to the precision of the thread's context.
    number = Decimal(units)
    return number.scaleb(-places, Context(number.adjusted() + 1, Emin=MIN_EMIN, Emax=MAX_EMAX))
