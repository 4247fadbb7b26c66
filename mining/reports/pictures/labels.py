"""The texts of numbers in the tooltips of pictures."""

from django.utils.translation import gettext as _

from look.templatetags.look import percent


def interval(value: float | None, low: float | None, high: float | None) -> str:
    said = {"share": percent(value), "low": percent(low), "high": percent(high)}
    return _("%(share)s, from %(low)s to %(high)s") % said if low is not None else percent(value)
