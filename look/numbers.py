"""Numbers as pages and messages write them; as filters, every template has them."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _

MINUS = "−"


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
    """A count in groups of three, 1,200, in both languages: Django would write 1,0000 in Chinese."""
    return "–" if number is None else f"{number:,}".replace("-", MINUS)
