"""Phrases of quotas, for people who are asked no further because enough have answered like them."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.fixed_page_sentence import make_phrases, make_protection_phrases

QUOTA_SCREEN = make_phrases(
    quota_title=_("Thank you. Enough people like you have answered"),
    quota_about=_(
        "This survey needs a limited number of people with certain answers, and has enough with yours. So it"
        " ends here for you."
    ),
) | make_protection_phrases(
    quota_unsent=_("None of your answers was sent. This page has deleted them."),
)
"""Phrases of the scripts about quotas."""

QUOTA = QUOTA_SCREEN | make_protection_phrases(
    quota_told=_(
        "Only a limited number of people with certain answers are needed. If there were enough when this device"
        " got this page, this survey ends before any sensitive question: the device decides that, and none of"
        " your answers is sent."
    ),
    quota_plain=_(
        "Only a limited number of people with certain answers are needed. If there are enough when you open"
        " this page, your answers are not stored."
    ),
    quota_unstored=_("Your answers were not stored."),
)
"""Phrases that are needed only where a survey has quotas; the last two are for the page without JavaScript."""
