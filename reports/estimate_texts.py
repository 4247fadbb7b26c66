"""Estimates and intervals as text: shares, lifts, differences in percentage points, p-values."""

from collections.abc import Callable

from django.utils.formats import number_format
from django.utils.translation import gettext as _, ngettext

from mining.nodes.report_nodes import About, is_outside_unit
from mining.nodes.rule_lists import LARGER
from ui.number_format import format_count, format_percent


def decimal_text(value: float | None, places: int = 2) -> str:
    """Formats a number with `places` decimals and a true minus; a dash for None."""
    if value is None:
        return "–"
    return str(number_format(round(value, places) + 0.0, places)).replace("-", "−")


LEAST_CHANCE = 0.001


def p_value_text(value: float | None) -> str:
    """Returns a p-value or q-value with three decimals."""
    if value is not None and value < LEAST_CHANCE:
        return f"< {decimal_text(LEAST_CHANCE, 3)}"
    return decimal_text(value, 3)


def points_text(value: float | None) -> str:
    """Returns a difference of shares in percentage points, with its sign."""
    if value is None:
        return "–"
    return f"{'+' * (round(100 * value, 1) > 0)}{decimal_text(100 * value, 1)}"


def points_interval_text(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return _("cannot be estimated")
    return _("%(low)s to %(high)s") % {"low": points_text(low), "high": points_text(high)}


def uncut_interval_text(low: float | None, high: float | None) -> str:
    """Returns an interval of shares that may reach below 0 or above 1."""
    if low is None or high is None:
        return _("cannot be estimated")
    return _("%(low)s to %(high)s") % {"low": format_percent(low), "high": format_percent(high)}


def interval_text(low: float | None, high: float | None, *, share: bool) -> str:
    """Returns a 95 % interval of a share or a lift in words.

    Returns "cannot be estimated" if an end is missing, or if the interval of a share is all of [0, 1]. A lift without
    an upper end is "`low` or more".
    """
    if low is None or (share and (high is None or (low, high) == (0.0, 1.0))):
        return _("cannot be estimated")
    if high is None:
        return _("%(low)s or more") % {"low": decimal_text(low)}
    ends = (format_percent(low), format_percent(high)) if share else (decimal_text(low), decimal_text(high))
    return _("%(low)s to %(high)s") % {"low": ends[0], "high": ends[1]}


EDGE = 1e-9


def is_outside_interval(value: float, low: float | None, high: float | None) -> bool:
    """Returns True if an estimate lies outside its own interval, as only impossible estimates do (a share below 0,
    say)."""
    return (low is not None and value < low - EDGE) or (high is not None and value > high + EDGE)


def share_text(value: float | None, low: float | None, high: float | None) -> str:
    """Formats a share in percent.

    A share outside its own interval is impossible: the text is then "at most" or "at least" an end of the interval.
    Without an interval it says that the counts contradict each other.
    """
    if value is not None and (low is None or high is None):
        return _("cannot be said: the counts contradict each other")
    return value_or_bound_text(value, low, high, format_percent)


def value_or_bound_text(
    value: float | None, low: float | None, high: float | None, number_text: Callable[[float | None], str]
) -> str:
    """Formats an estimate by the function `number_text`.

    An estimate outside its own interval is impossible: the text is then "at most" or "at least" an end of the interval.
    """
    if value is None or not is_outside_interval(value, low, high):
        return number_text(value)
    if low is not None and value < low:
        end = high
        words = _("too noisy to say: at most %(share)s")
    else:
        end, words = low, _("too noisy to say: at least %(share)s")
    return _("too noisy to say") if end is None else words % {"share": number_text(end)}


def lift_text(value: float | None, low: float | None, high: float | None) -> str:
    """Formats a lift; a lift outside its own interval as "at most" or "at least" an end of the interval.

    A lift has no interval where nearly everybody gave the answers of one side of the rule. Below 0 it is impossible.
    """
    if value is not None and value < 0 and low is None:
        return _("too noisy to say")
    return value_or_bound_text(value, low, high, decimal_text)


def difference_text(value: float | None, low: float | None, high: float | None) -> str:
    """Formats a difference of shares in percentage points; if it lies outside its own interval, only "at most" or "at
    least" an end."""
    return value_or_bound_text(value, low, high, points_text)


def share_or_too_noisy_text(value: float | None) -> str:
    """Returns a share without an interval; if it is impossible, "too noisy to say"."""
    return _("too noisy to say") if is_outside_unit(value) else format_percent(value)


def difference_or_too_noisy_text(value: float | None) -> str:
    """Returns a difference of shares without an interval; if it is impossible, "too noisy to say"."""
    return _("too noisy to say") if value is not None and is_outside_unit(abs(value)) else points_text(value)


def search_size_text(about: About) -> str:
    """Returns how many rules were tested: pairs, and ways to divide larger itemsets, which are another list."""
    pairs, larger = about.count_possible_rules(2), about.statements.get(LARGER, 0)
    if about.is_one_list:
        words = ngettext(
            "%(count)s way to divide two or more answers",
            "%(count)s ways to divide two or more answers",
            pairs,
        )
    else:
        words = ngettext("%(count)s pair", "%(count)s pairs", pairs)
    more = ngettext(
        "%(pairs)s and %(count)s way to divide more than two answers",
        "%(pairs)s and %(count)s ways to divide more than two answers",
        larger,
    )
    tested = words % {"count": format_count(pairs)}
    return more % {"pairs": tested, "count": format_count(larger)} if larger else tested
