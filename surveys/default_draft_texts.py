"""Candor's own words that become content of a survey, such as yes and no, in the languages that Candor ships."""

from collections.abc import Iterable

from django.utils import translation
from django.utils.dates import MONTHS as MONTH_NAMES
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from surveys.phrases.languages import SHIPPED

YES, NO = _("Yes"), _("No")
PREFER_NOT = _("Prefer not to say")
NONE_OF_THESE = _("None of these")
SOMETHING_ELSE = _("Something else")
UNCERTAIN = _("Uncertain")
FEMALE, MALE = _("Female"), _("Male")
INCREASE, SAME, DECREASE = _("Increase"), _("Same"), _("Decrease")
ELSEWHERE = _(
    "The next questions are asked at another address, where your own device disguises the answers."
    " Please open it, answer there, and then go on here:"
)
CONSENT = _("I have read how this survey treats my answers and take part of my own free will.")
MONTHS: tuple[Promise, ...] = tuple(MONTH_NAMES.values())  # type: ignore[arg-type]
"""Names of the months, which Django translates."""


def shipped_words_by_language(words: Promise, languages: Iterable[str]) -> dict[str, str]:
    """Returns Candor's own translations of a text by language; languages that Candor does not ship are left out."""
    texts = {}
    for code in languages:
        if code in SHIPPED:
            with translation.override(code):
                texts[code] = str(words)
    return texts
