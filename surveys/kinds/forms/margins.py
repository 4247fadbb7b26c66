"""How margins of error are said, and how many answers a smaller one needs."""

from django.utils.translation import gettext as _

from surveys.kinds.forms.settings_warning import points

WANTED = 0.05
"""Half the width of a 95 % interval that most surveys would be content with."""


def rounded_up(number: int) -> int:
    """To two figures: more would pretend to know."""
    step: int = 10 ** max(0, len(str(number)) - 2)
    return -(-number // step) * step


def margin_words(half_width: float | None, enough: bool) -> str:
    if half_width is None:
        return _("some never asked together")
    return _("±%(points)s points") % {"points": points(half_width)} if enough else _("too few asked")
