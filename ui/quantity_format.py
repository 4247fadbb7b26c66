"""Formats numbers with their unit in the reader's language."""

from collections.abc import Callable
from functools import cache
from math import floor, isfinite, log10

from babel.numbers import get_currency_name
from babel.units import format_unit
from django.utils.translation import gettext as _, ngettext

from ui.number_format import format_count

DIGITS = 2
"""Number of significant digits of half a 95 % interval."""
MOST_PLACES = 9
INFLECTED = ("en", "de", "fr", "es")
TIMES = ("second", "minute", "hour", "day", "week", "month", "year")


def format_quantity(number: int, unit: str) -> str:
    """Formats a number with its unit, which the researcher wrote, mostly as a plural.

    The number 1 gets the singular if Babel knows it, "1 hour", else the unit in brackets, "1 (drinks)".
    """
    if not unit:
        return format_count(number)
    if number == 1 and (singular := _singular(unit)):
        return append_unit(format_count(number), singular)
    said = ngettext("%(number)s (%(unit)s)", "%(number)s %(unit)s", number)
    return said % {"number": format_count(number), "unit": unit}


def format_half_open_range(
    low: int | None, high: int | None, unit: str, number_formatter: Callable[[int], str] = format_count
) -> str:
    """Formats the numbers from `low` to below `high`: "under 18", "500 to under 2,000 euros"; None: no limit on that
    side."""
    if high is None:
        return _("%(number)s or more") % {"number": _with_unit(low or 0, unit, number_formatter)}
    if low is None:
        return _("under %(number)s") % {"number": _with_unit(high, unit, number_formatter)}
    return _("%(low)s to under %(high)s") % {
        "low": number_formatter(low),
        "high": _with_unit(high, unit, number_formatter),
    }


def _with_unit(number: int, unit: str, number_formatter: Callable[[int], str]) -> str:
    return format_quantity(number, unit) if unit else number_formatter(number)


def _singular(unit: str) -> str:
    """Returns the singular of a unit: "hour a week" of "hours a week"; empty for a word that Babel does not know."""
    plural, space, rest = unit.partition(" ")
    singular = _singulars().get(plural, "")
    return f"{singular}{space}{rest}" if singular else ""


@cache
def _singulars() -> dict[str, str]:
    """Returns the singular of each unit of time and of the euro by its plural, in the languages that have both."""
    words = {}
    for locale in INFLECTED:
        for unit in TIMES:
            one, many = (format_unit(n, f"duration-{unit}", locale=locale).split()[-1] for n in (1, 2))
            words[many] = one
        one, many = (get_currency_name("EUR", count=n, locale=locale) for n in (1, 2))
        words[many] = one
    return words


def append_unit(number: str, unit: str) -> str:
    return _("%(number)s %(unit)s") % {"number": number, "unit": unit} if unit else number


def decimal_places_for(se: float) -> int:
    """Returns the number of decimal places to show for an estimate with this standard error; -1 shows tens."""
    if not (isfinite(se) and se > 0):
        return 0
    return min(DIGITS - 1 - floor(log10(1.96 * se)), MOST_PLACES)


def format_rounded(value: float, places: int) -> str:
    return f"{round(value, places) + 0.0:,.{max(places, 0)}f}".replace("-", "−")
