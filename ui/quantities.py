"""Numbers with their unit in the reader's language."""

from math import floor, isfinite, log10

from django.utils.translation import gettext as _, ngettext

from ui.numbers import format_count

DIGITS = 2
"""How many digits of a standard error say something."""
MOST_PLACES = 9


def format_quantity(number: int, unit: str) -> str:
    """A unit is in the researcher's words, which may lack a singular: "1 (hours)", "2 hours"."""
    if not unit:
        return format_count(number)
    said = ngettext("%(number)s (%(unit)s)", "%(number)s %(unit)s", number)
    return said % {"number": format_count(number), "unit": unit}


def append_unit(number: str, unit: str) -> str:
    return _("%(number)s %(unit)s") % {"number": number, "unit": unit} if unit else number


def decimal_places_for(se: float) -> int:
    """Returns the number of decimal places to show for an estimate with this standard error."""
    if not (isfinite(se) and se > 0):
        return 0
    return min(max(DIGITS - 1 - floor(log10(se)), 0), MOST_PLACES)


def format_rounded(value: float, places: int) -> str:
    return f"{round(value, places) + 0.0:,.{places}f}".replace("-", "−")
