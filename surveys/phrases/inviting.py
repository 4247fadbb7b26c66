"""The phrases of invitation emails and posters."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases

INVITING: Phrases = {
    "invite_hello": Phrase(_("%(asker)s asks you to take part in a survey: %(title)s.")),
    "invite_everybody": Phrase(
        _("This goes to everybody who was invited: nobody knows who has answered already.")
    ),
    "invite_own_link": Phrase(_("This link is yours and works once:")),
    "invite_same_link": Phrase(_("Please answer once only:")),
    "invite_first_email": Phrase(
        _("If you have not answered yet, use the link in the first email. It works once.")
    ),
    "invite_contact": Phrase(_("Questions? %(contact)s")),
    "invite_again": Phrase(_("Reminder: %(title)s")),
    "poster_hello": Phrase(_("%(asker)s asks you to take part.")),
    "poster_scan": Phrase(_("Scan the code or type the address. Please answer only once.")),
}
INVITING_DISGUISED: Phrases = {
    "invite_disguised": Phrase(
        _("Sensitive answers are disguised on your own device before anything is sent."), protects=True
    ),
}
INVITING_OPEN: Phrases = {
    "invite_may_open": Phrase(
        _(
            "Sensitive answers are disguised on your own device before anything is sent, unless "
            "you choose to answer without disguise."
        ),
        protects=True,
    ),
}
"""Instead of the other one, where people can choose to answer without disguise."""
