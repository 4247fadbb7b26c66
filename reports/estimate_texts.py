"""Estimates and intervals as text: shares, lifts, differences in percentage points, p-values."""

from collections.abc import Callable

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from mining.document.report import is_outside_unit
from ui.numbers import format_percent


def decimal(value: float | None, places: int = 2) -> str:
    if value is None:
        return "–"
    return str(number_format(round(value, places) + 0.0, places)).replace("-", "−")


LEAST_CHANCE = 0.001


def chance(value: float | None) -> str:
    """A p or a q, to three places."""
    if value is not None and value < LEAST_CHANCE:
        return f"< {decimal(LEAST_CHANCE, 3)}"
    return decimal(value, 3)


def points(value: float | None) -> str:
    """A difference of shares in percentage points, with its sign."""
    if value is None:
        return "–"
    return f"{'+' * (round(100 * value, 1) > 0)}{decimal(100 * value, 1)}"


def between_points(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return _("cannot be estimated")
    return _("%(low)s to %(high)s") % {"low": points(low), "high": points(high)}


def between_uncut(low: float | None, high: float | None) -> str:
    """An interval of shares that is not cut to [0, 1]."""
    if low is None or high is None:
        return _("cannot be estimated")
    return _("%(low)s to %(high)s") % {"low": format_percent(low), "high": format_percent(high)}


def between(low: float | None, high: float | None, *, share: bool) -> str:
    """The 95 % interval in words; also says that it cannot be estimated, as where a share may be anything in [0, 1].

    A lift without an upper end: the lower end "or more".
    """
    if low is None or (share and (high is None or (low, high) == (0.0, 1.0))):
        return _("cannot be estimated")
    if high is None:
        return _("%(low)s or more") % {"low": decimal(low)}
    ends = (format_percent(low), format_percent(high)) if share else (decimal(low), decimal(high))
    return _("%(low)s to %(high)s") % {"low": ends[0], "high": ends[1]}


EDGE = 1e-9


def is_outside(value: float, low: float | None, high: float | None) -> bool:
    """Whether the interval of an estimate excludes it: only an impossible estimate is so."""
    return (low is not None and value < low - EDGE) or (high is not None and value > high + EDGE)


def estimate(value: float | None, low: float | None, high: float | None) -> str:
    """A share, or in words what its interval says where the estimate itself is impossible."""
    if value is not None and (low is None or high is None):
        return _("cannot be said: the counts contradict each other")
    return said(value, low, high, format_percent)


def said(
    value: float | None, low: float | None, high: float | None, write: Callable[[float | None], str]
) -> str:
    """An estimate as `write` writes it, or in words what its interval says where the estimate is impossible."""
    if value is None or not is_outside(value, low, high):
        return write(value)
    if low is not None and value < low:
        end = high
        words = _("too noisy to say: at most %(share)s")
    else:
        end, words = low, _("too noisy to say: at least %(share)s")
    return _("too noisy to say") if end is None else words % {"share": write(end)}


def lift(value: float | None, low: float | None, high: float | None) -> str:
    """A lift, which has no interval where nearly everybody has a side."""
    return said(value, low, high, decimal)


def difference(value: float | None, low: float | None, high: float | None) -> str:
    """A difference of shares in percentage points."""
    return said(value, low, high, points)


def possible(value: float | None) -> str:
    """A share without an interval, not printed where it is impossible."""
    return _("too noisy to say") if is_outside_unit(value) else format_percent(value)
