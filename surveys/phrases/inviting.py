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


# --- exchanging
# The phrases of a survey whose invitations are exchanged for tokens (surveys.lifecycle.invitation_keys).

EXCHANGE_SCREEN: Phrases = {
    "exchange_title": Phrase(_("Exchanging your invitation")),
    "exchange_trying": Phrase(_("Exchanging …")),
    "exchange_offline": Phrase(
        _("You are offline. Keep this tab open: the exchange goes on when you are back online.")
    ),
    "exchange_waiting": Phrase(
        _(
            "No answer yet. Nothing is lost: the next try is in %(seconds)s seconds, and it is the same exchange."
        )
    ),
    "exchange_later": Phrase(
        _(
            "Your invitation cannot be exchanged right now. Keep this tab open: the next try is in %(seconds)s"
            " seconds."
        )
    ),
    "exchange_refused": Phrase(
        _(
            "It does not belong to this survey, or it was exchanged before. If you began on another device or in"
            " another browser, that one still has your invitation: open your link there and go on. If you cannot, or"
            " did not begin, ask the people who invited you. None of your answers was sent from here."
        )
    ),
    "exchange_closed": Phrase(_("This survey takes no new participants. Your invitation was not used.")),
    "exchange_failed": Phrase(
        _(
            "Something is wrong with this page or with the connection. None of your answers was sent. Open your"
            " invitation again in this tab, or tell the people who run this survey."
        )
    ),
    "exchange_insecure": Phrase(
        _(
            "This page cannot exchange your invitation, because its address does not begin with https. Tell the"
            " people who run this survey."
        )
    ),
    "sending_apart": Phrase(
        _(
            "Your record waits on this page for %(seconds)s more seconds, so that its time does not tell which"
            " invitation it belongs to. Keep this tab open."
        ),
        protects=True,
    ),
    "apart_kept": Phrase(
        _(
            "Your record is sent within the day, at a moment that this page has drawn, so that its time does not tell"
            " which invitation it belongs to. Others who use this device could find until then that you took part."
        ),
        protects=True,
    ),
    "send_now": Phrase(_("Send now")),
    "send_now_about": Phrase(
        _(
            "You need not wait. But whoever notes when requests arrive could then guess from the times which invitation"
            " your record belongs to."
        ),
        protects=True,
    ),
}
"""What the scripts say."""

EXCHANGE: Phrases = {
    **EXCHANGE_SCREEN,
    "exchange_about": Phrase(
        _(
            "When you agree, this page exchanges your invitation for a token, which this site signs without seeing"
            " it. So nobody, not even this site, can tie your record to your invitation by the token."
        ),
        protects=True,
    ),
    "exchange_wait": Phrase(
        _(
            "After your last answer this device keeps your record and sends it within the day, after an hour on"
            " average; this page draws when. Where few take part at a time, the times could still tell."
        ),
        protects=True,
    ),
    "exchange_unsent": Phrase(
        _("None of your answers is sent until you press Send. You cannot take it back afterwards."),
        protects=True,
    ),
    "exchange_once": Phrase(
        _(
            "From then on your invitation works in this browser only, which keeps it until your record was sent. Agree"
            " where you want to answer."
        )
    ),
    "exchange_held": Phrase(
        _(
            "This browser still has an invitation to this survey, which was exchanged here and not used. If it is"
            " yours, go on. If it is not, open the link of your own invitation."
        )
    ),
}
"""Only where invitations are exchanged."""
