"""The phrases of the respondents' scripts from sending to the receipt."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases

SENDING: Phrases = {
    "sending_title": Phrase(_("Sending your record")),
    "sending_trying": Phrase(_("Sending …")),
    "sending_offline": Phrase(
        _("This device is offline. The record waits here and goes out as soon as there is a connection.")
    ),
    "sending_waiting": Phrase(_("No answer yet. The next try is in %(seconds)s seconds.")),
    "sending_unstored": Phrase(
        _(
            "Your answers cannot be stored right now. Keep this tab open: the next try is in"
            " %(seconds)s seconds."
        )
    ),
    "sending_busy": Phrase(
        _(
            "This survey is receiving very many answers right now. Yours are kept in this tab and"
            " will be sent: keep it open. The next try is in %(seconds)s seconds."
        )
    ),
    "sending_paused": Phrase(
        _(
            "This survey is paused. Keep this tab open: your answers are kept here and will be sent"
            " when it goes on. The next try is in %(seconds)s seconds."
        )
    ),
    "try_now": Phrase(_("Try now")),
    "sending_about": Phrase(
        _(
            "However often it is tried, the same record goes out and counts once. If you close this"
            " tab, it is forgotten here, and perhaps nothing has been sent."
        )
    ),
    "sending_resumed": Phrase(
        _("The page was loaded again while sending. It sends the same record as before.")
    ),
    "sending_locked": Phrase(
        _(
            "Your record is made and may already have arrived, so the answers can no longer be"
            " changed. A second, different record would weaken your disguise."
        ),
        protects=True,
    ),
    "stored_title": Phrase(_("Your record has arrived")),
    "stored_about": Phrase(
        _("It waits among others and is shuffled with them; from then on nobody can say which one is yours."),
        protects=True,
    ),
    "thanks": Phrase(_("Thank you.")),
    "known_title": Phrase(_("Your record has arrived")),
    "known_about": Phrase(_("It had arrived at an earlier try already, and counts once.")),
    "closed_title": Phrase(_("The survey closed before your record arrived")),
    "closed_about": Phrase(_("Nothing of yours was stored, and nothing more is taken.")),
    "gone_title": Phrase(_("This survey is no longer here")),
    "gone_about": Phrase(_("Nothing of yours was stored.")),
    "refused_title": Phrase(_("The record was not accepted")),
    "refused_about": Phrase(
        _(
            "Something is wrong with this page or with the way here, not with your answers. Nothing"
            " of yours was stored. Load the survey again, in another browser if you can, or tell"
            " whoever runs it."
        )
    ),
    "ask": Phrase(_("Questions about the survey:")),
    "nothing_kept": Phrase(_("This page has forgotten your answers and keeps nothing.")),
    "receipt_title": Phrase(_("What was sent")),
    "receipt_about": Phrase(_("This is your record to the last character; below it, what each code says.")),
    "request_title": Phrase(_("The whole request")),
    "request_about": Phrase(
        _(
            "%(bytes)s characters left the page, once or more often, always the same. The key makes"
            " sure that the record counts once; neither it nor an invitation is part of the receipt,"
            " since they were yours alone."
        ),
        protects=True,
    ),
    "save_receipt": Phrase(_("Save the receipt")),
    "save_design": Phrase(_("Save the design")),
    "receipt_later": Phrase(
        _(
            "This page forgets the record when you leave it. A saved receipt lies on this device"
            " where others may find it; together with the design it can be checked later without"
            " sending it anywhere."
        )
    ),
}

INVITED: Phrases = {
    "invitation_title": Phrase(_("This invitation cannot be used")),
    "invitation_about": Phrase(
        _(
            "It has been used already, or it does not belong to this survey. Nothing was stored. Each"
            " invitation takes one record; if yours was never used, ask whoever invited you."
        )
    ),
}
"""Only where a survey is by invitation."""
