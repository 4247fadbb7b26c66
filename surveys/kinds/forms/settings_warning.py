"""A warning about settings, with quick fixes: buttons that set what would help."""

from dataclasses import dataclass
from decimal import Decimal

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from privacy.guarantee.error import LEAST_BASE
from ui.numbers import count

WIDE = 0.1
"""Half the width of an interval beyond which a share of 20 % says little more than that there is one."""
USELESS = 0.25
"""Half the width of an interval that says next to nothing of any share."""
LEAST_GROUP = 10
FEW_OPEN = 0.1
"""If so few answer openly, or so few disguised, is either group large enough?"""


@dataclass(frozen=True)
class QuickFix:
    """`do` is for builder.protection.settings."""

    words: str
    do: str


@dataclass(frozen=True)
class SettingsWarning:
    """`section` is None where it concerns the whole person; `margin` is the error of a share that it is about."""

    kind: str
    words: str
    cures: tuple[QuickFix, ...] = ()
    section: int | None = None
    margin: float = 0.0


def expect(needed: int) -> QuickFix:
    return QuickFix(_("Plan for %(needed)s answers") % {"needed": count(needed)}, f"expect {needed}")


def few_answers(respondents: int, number: int) -> SettingsWarning:
    """Of a question that everybody is asked: so few are expected that nothing is estimated."""
    words = _("You expect %(expected)s answers. Below %(least)s nothing is estimated.")
    said = {"expected": count(respondents), "least": LEAST_BASE}
    return SettingsWarning("floor", words % said, (expect(LEAST_BASE),), number)


def closed() -> QuickFix:
    return QuickFix(_("Do not offer answers without disguise"), "closed")


def points(share: float) -> str:
    return str(number_format(share * 100, 1))


def written(value: Decimal) -> str:
    return str(number_format(value, 2))
