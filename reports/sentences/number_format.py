"""Formats numbers in the reader's language (CLDR): shares in whole percent, ratios with one decimal."""

from math import inf

from babel.numbers import format_decimal, format_percent
from django.utils.translation import gettext as _, pgettext

from reports.sentences.sentence_parts import Part, Sentence, unbroken_sentence
from ui.number_format import MINUS, number_locale

NO_BREAK_SPACE, WORD_JOINER = "\u00a0", "\u2060"
SPACED_PERCENT = f"#,##0{NO_BREAK_SPACE}%"
"""Format of percentages in English, the one language where the product sets a space that CLDR does not."""
NEAR_ONE, TEN = 1.05, 9.95
"""Ratios below the first have two decimals, from the second on none, between them one."""


def decimal(number: float, places: int) -> str:
    pattern = "#,##0" + f".{'0' * places}" * (places > 0)
    return format_decimal(round(number, places) + 0.0, format=pattern, locale=number_locale()).replace(
        "-", MINUS
    )


def percent(share: float) -> str:
    pattern = SPACED_PERCENT if number_locale().language == "en" else None
    text = format_percent(round(share * 100) / 100, format=pattern, locale=number_locale())
    return text.replace("-", MINUS)


def ratio(times: float) -> str:
    return decimal(times, 2 if times < NEAR_ONE else 1 if times < TEN else 0)


def bracketed_interval(low: str, high: str) -> Sentence:
    """Returns both ends in brackets without a line break, joined by a dash or, beside a minus, by "to"."""
    words = pgettext("a range of two numbers", "%(low)s–%(high)s")
    if MINUS in low + high:
        words = _("%(low)s to %(high)s")
    ends = words % {"low": low, "high": high}
    return unbroken_sentence(
        f"({ends.replace('–', f'{WORD_JOINER}–{WORD_JOINER}').replace(' ', NO_BREAK_SPACE)})"
    )


def with_interval(estimate: str, low: str, high: str) -> Sentence:
    return (Part(estimate), Part(" "), *bracketed_interval(low, high))


def share_with_interval(estimate: float, low: float, high: float) -> Sentence:
    ends = (decimal(100 * end, 0) for end in (low, high))
    return with_interval(percent(estimate), *ends)


def at_least_times(low: float) -> Sentence:
    return (Part(_("at least %(ratio)s times as many") % {"ratio": ratio(low)}, strong=True),)


def at_most_times(high: float) -> Sentence:
    return (Part(_("at most %(ratio)s times as many") % {"ratio": ratio(high)}, strong=True),)


def times_as_many(times: float, low: float, high: float) -> Sentence:
    """Returns "1.5 times as many" in bold with its interval; without an upper end, "at least 1.3 times as many"."""
    if high == inf:
        return at_least_times(low)
    bold = Part(_("%(ratio)s times as many") % {"ratio": ratio(times)}, strong=True)
    return (bold, Part(" "), *bracketed_interval(ratio(low), ratio(high)))
