"""Template filters for numbers on the builder's pages: {% load builder %}."""

from fractions import Fraction
from math import ceil

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from privacy.designs.labels import section_number
from ui.number_format import format_percent

register = template.Library()
register.filter("section_number", section_number)
NARROW = "\u00a0"
"""Space without a line break, written between a number and its per cent sign."""


@register.filter
def share(value: Fraction) -> str:
    """Formats a probability with as many decimals as it needs: 5 %, 0.25 %."""
    hundredfold = float(value) * 100
    places = next(
        places for places in (0, 1, 2) if places == 2 or abs(round(hundredfold, places) - hundredfold) < 1e-9
    )
    return format_percent(float(value), places).replace(" ", NARROW)


@register.filter
def points(half_width: float) -> str:
    """Formats the half width of an interval, given as a share, in percentage points: 12 or 4.5."""
    return str(number_format(half_width * 100, 1 if half_width < 0.0995 else 0))


@register.filter
def hundredths(value: Fraction) -> str:
    """Formats odds with two decimals."""
    return str(number_format(float(value), 2))


@register.filter
def signed(number: int) -> str:
    """Formats a whole number with its sign."""
    return f"+{number}" if number > 0 else f"−{-number}" if number else "0"


@register.filter
def percent_rounded_up(posterior: float) -> str:
    """Formats an upper bound of a probability, rounded up to whole per cent."""
    whole = ceil(round(posterior * 100, 6))
    return _("nearly 100") if whole == 100 and posterior < 1 else str(whole)


@register.filter
def number_of(value: float) -> str:
    """Formats a number with the decimals that matter at its size: 1,250 or 37.5 or 0.42."""
    size = abs(value)
    places = 0 if size >= 100 or value == int(value) else 1 if size >= 10 else 2
    return f"{value:,.{places}f}".replace("-", "\u2212")
