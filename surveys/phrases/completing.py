"""The phrases of a survey that promises a completion code or link."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases

COMPLETING: Phrases = {
    "panel_title": Phrase(_("After you have sent your answers")),
    "panel_same": Phrase(
        _(
            "You get a code or a link once your answers have been received. It is the same for everybody"
            " and contains nothing about you or your answers."
        ),
        protects=True,
    ),
    "limit_panel": Phrase(
        _(
            "If you hand in the completion code or follow the link, others can learn that you took part, and when."
        ),
        protects=True,
    ),
    "done_panel": Phrase(_("Done. Take the code or link below, then you can close this page.")),
    "completion_title": Phrase(_("Your completion code")),
    "completion_about": Phrase(_("Everybody gets this code. Copy it now: this page does not show it again.")),
    "completion_copy": Phrase(_("Copy the code")),
    "completion_copied": Phrase(_("Copied.")),
    "completion_by_hand": Phrase(_("This browser did not copy it. Select the code and copy it.")),
    "completion_link_title": Phrase(_("One more step")),
    "completion_link_about": Phrase(
        _(
            "Everybody gets this link. It contains nothing about you, but the other site can see that"
            " you came, and when."
        ),
        protects=True,
    ),
    "completion_go": Phrase(_("Continue to %(host)s")),
    "completion_demo": Phrase(
        _("This is a demonstration. What is shown here does not count as having taken part.")
    ),
}
"""Only where the design promises a completion."""
