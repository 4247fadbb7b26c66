"""Formats numbers for pages and messages: shares, counts, and odds as people say them."""

from fractions import Fraction
from functools import cache
from math import floor, log10

from babel import Locale
from babel.numbers import format_decimal
from django.utils.formats import number_format
from django.utils.text import get_text_list
from django.utils.translation import get_language, gettext as _, ngettext, to_locale

from privacy.grammar.reader_language import Language

MINUS = "−"
WITH_COMMAS = {"en", "zh"}
LEAST_GROUPED = {"es": 10_000}
"""Smallest number that a language writes in groups of three, where it leaves smaller numbers ungrouped."""
SMALL = [(1, 2), (1, 3), (2, 3), (1, 4), (3, 4)]
"""Odds (m, n), "m in n", that are said of shares at most 2.5 percentage points away."""
LARGER = [(m, 10) for m in range(1, 10)] + [(m, n) for n in (6, 7, 8, 9) for m in (1, n - 1)]
"""Odds (m, n), "m in n", that are said of shares at most 1.5 percentage points away."""


def format_percent(share: float | None, places: int = 1) -> str:
    """Formats a share as a percentage, without clipping: values outside 0 to 100 are noise and shown so."""
    if share is None:
        return "–"
    number = number_format(round(share * 100, places) + 0.0, places).replace("-", MINUS)
    return _("%(number)s %%") % {"number": number}


def format_exact_percent(share: float) -> str:
    """Formats a share as a percentage with all its digits, for a share that somebody has set: 12.5 %."""
    digits = f"{round(share * 100, 10):f}".rstrip("0").rstrip(".")
    places = len(digits.partition(".")[2])
    return _("%(number)s %%") % {"number": number_format(digits, places)}


def format_count(number: int | None) -> str:
    """Formats a count in groups of three: 1,200, in German 1.200. Django would write 1,0000 in Chinese."""
    if number is None:
        return "–"
    language = number_locale().language
    if language in WITH_COMMAS:
        return f"{number:,}".replace("-", MINUS)
    is_grouped = abs(number) >= LEAST_GROUPED.get(language, 0)
    return format_decimal(number, locale=number_locale(), group_separator=is_grouped).replace("-", MINUS)


def number_locale() -> Locale:
    """Returns the locale by which the reader's language writes numbers (CLDR)."""
    return _cached_locale(get_language() or "en")


@cache
def _cached_locale(language: str) -> Locale:
    return Locale.parse(to_locale(language))


def rounded_odds(share: float) -> tuple[int, int] | None:
    """Returns (m, n) for "about m in n", reduced, at most 3 points off; None unless the share lies between 0 and 1."""
    if not 0 < share < 1:
        return None
    rare = min(share, 1 - share)
    if rare < 0.095:
        n = _round_for_speech(1 / rare)
        return (1, n) if share < 0.5 else (n - 1, n)
    for pairs, distance in ((SMALL, 0.025), (LARGER, 0.015)):
        m, n = min(pairs, key=lambda pair: abs(pair[0] / pair[1] - share))
        if abs(m / n - share) <= distance:
            return Fraction(m, n).as_integer_ratio()
    return Fraction(round(share * 20), 20).as_integer_ratio()


def _round_for_speech(number: float) -> int:
    """Rounds a number as people say it: 10, 12, 15, 20, 25, 30, 40, 50 … 90 and their tens."""
    ten: int = 10 ** floor(log10(number))
    steps = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9, 10)
    return round(min(steps, key=lambda step: abs(step - number / ten)) * ten)


READERS_LANGUAGE = Language(_, ngettext, get_text_list, format_count, format_percent)
"""The reader's language for sentences that `privacy` and `mining` make."""
