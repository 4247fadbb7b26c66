"""The phrases of the check of understanding, and of what an outsider sees of ten records."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases

UNDERSTANDING_SCREEN: Phrases = {
    "understood_title": Phrase(_("Is it clear how you are protected?")),
    "understood_lede": Phrase(
        _("Two quick questions about this survey. Whatever you select, you can go on and take part.")
    ),
    "understood_sure": Phrase(
        _("Could somebody who sees your record be sure what you answered to a private question?")
    ),
    "understood_sure_why": Phrase(
        _(
            "No. A record can come from any true answer, so nobody can be sure of yours. It only makes some"
            " answers more likely than others."
        ),
        protects=True,
    ),
    "understood_common": Phrase(
        _("Can researchers still work out from all records together how common something is?")
    ),
    "understood_common_why": Phrase(
        _(
            "Yes. They know how often chance decides, and can allow for it in the total. That tells nothing"
            " sure about any one person."
        ),
        protects=True,
    ),
    "understood_again": Phrase(_("Not quite. Read why, and select again.")),
    "understood_after": Phrase(_("Not quite. This is how it works:")),
    "understood_done": Phrase(_("You have answered these two questions. Select Continue.")),
}
"""What the scripts say of it."""

OUTSIDER: Phrases = {
    "outsider_title": Phrase(_("What somebody else sees")),
    "outsider_about": Phrase(
        _(
            "Ten made-up people are asked whether they sing in the shower. With the odds of this survey"
            " %(share)s of all records say what is true. Nobody else sees the random draws."
        ),
        protects=True,
    ),
    "outsider_draw": Phrase(_("Show ten records")),
    "outsider_result": Phrase(
        _(
            "“Yes” is in %(yes)s of 10 records, “No” in %(no)s. Whose record is true? Nobody can tell from the"
            " records."
        ),
        protects=True,
    ),
}
"""What the scripts say of it on the start page."""

UNDERSTANDING: Phrases = {
    **UNDERSTANDING_SCREEN,
    **OUTSIDER,
    "understood_told": Phrase(
        _(
            "First, two questions check whether this page was clear. Without disguise your record only says:"
            " understood at once, after an explanation, or not."
        ),
        protects=True,
    ),
    "understood_stored": Phrase(_("Were the two questions about the protection understood?")),
    "understood_at_once": Phrase(_("At once")),
    "understood_explained": Phrase(_("After an explanation")),
    "understood_not": Phrase(_("Not")),
}
"""Only where a survey checks whether people understand the disguise."""
