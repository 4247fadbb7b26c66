"""Numbers as pages and messages write them; as filters, every template has them."""

from functools import cache

from babel import Locale
from babel.numbers import format_decimal
from django.utils.formats import number_format
from django.utils.translation import get_language, gettext as _, to_locale

MINUS = "−"
WITH_COMMAS = {"en", "zh"}
LEAST_GROUPED = {"es": 10_000}
"""Where a language groups long numbers alone."""


def percent(share: float | None, places: int = 1) -> str:
    """A share as a percentage, never clipped: what lies outside 0 to 100 is noise and shown as such."""
    if share is None:
        return "–"
    number = number_format(round(share * 100, places) + 0.0, places).replace("-", MINUS)
    return _("%(number)s %%") % {"number": number}


def exact_percent(share: float) -> str:
    """A share that somebody chose, as a percentage with all its digits: 12.5 %."""
    digits = f"{round(share * 100, 10):f}".rstrip("0").rstrip(".")
    places = len(digits.partition(".")[2])
    return _("%(number)s %%") % {"number": number_format(digits, places)}


def count(number: int | None) -> str:
    """A count in groups of three: 1,200, and in German 1.200. Django would write 1,0000 in Chinese."""
    if number is None:
        return "–"
    language = locale().language
    if language in WITH_COMMAS:
        return f"{number:,}".replace("-", MINUS)
    is_grouped = abs(number) >= LEAST_GROUPED.get(language, 0)
    return format_decimal(number, locale=locale(), group_separator=is_grouped).replace("-", MINUS)


def locale() -> Locale:
    """How the reader's language writes numbers (CLDR)."""
    return _locale(get_language() or "en")


@cache
def _locale(language: str) -> Locale:
    return Locale.parse(to_locale(language))
