"""Phrases of invitation emails and posters."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.fixed_page_sentence import make_phrases, make_protection_phrases

INVITING = make_phrases(
    invite_hello=_("%(asker)s asks you to take part in a survey: %(title)s."),
    invite_everybody=_("This goes to everybody who was invited: nobody knows who has answered already."),
    invite_own_link=_("This link is yours and works once:"),
    invite_same_link=_("Please answer once only:"),
    invite_first_email=_("If you have not answered yet, use the link in the first email. It works once."),
    invite_contact=_("Questions? %(contact)s"),
    invite_again=_("Reminder: %(title)s"),
    poster_hello=_("%(asker)s asks you to take part."),
    poster_scan=_("Scan the code or type the address. Please answer only once."),
)
INVITING_DISGUISED = make_protection_phrases(
    invite_disguised=_("Sensitive answers are disguised on your own device before anything is sent."),
)
INVITING_OPEN = make_protection_phrases(
    invite_may_open=_(
        "Sensitive answers are disguised on your own device before anything is sent, unless you choose to"
        " answer without disguise."
    ),
)
"""Phrases that replace those of INVITING_DISGUISED if people can choose to answer without disguise."""
INVITING_SECRETS = make_protection_phrases(
    invite_secrets=_(
        "Sensitive questions are asked in such a way that nobody can be sure what you answered."
    ),
)
"""Phrases that replace those of INVITING_DISGUISED if the device does not disguise all sensitive answers."""
INVITING_SECRETS_OPEN = make_protection_phrases(
    invite_secrets_open=_(
        "Sensitive questions are asked in such a way that nobody can be sure what you answered, unless you"
        " choose to answer without disguise."
    ),
)
INVITING_ARMS = make_protection_phrases(
    invite_arms=_(
        "Your own device draws at random whether you are asked directly or your sensitive answers are"
        " disguised before they are sent. It tells you first."
    ),
)
"""Phrases that replace those of INVITING_DISGUISED if a share of people is asked directly."""


# --- exchanging
# The phrases of a survey whose invitations are exchanged for tokens (surveys.lifecycle.token_signing_key).

EXCHANGE_SCREEN = make_phrases(
    exchange_title=_("Exchanging your invitation"),
    exchange_trying=_("Exchanging …"),
    exchange_offline=_("You are offline. Keep this tab open: the exchange goes on when you are back online."),
    exchange_waiting=_(
        "No answer yet. Nothing is lost: the next try is in %(seconds)s seconds, and it is the same exchange."
    ),
    exchange_later=_(
        "Your invitation cannot be exchanged right now. Keep this tab open: the next try is in %(seconds)s"
        " seconds."
    ),
    exchange_refused=_(
        "It does not belong to this survey, or it was exchanged before, perhaps because you have answered already."
        " If you began on another device or in another browser, that one may still have your invitation: open your"
        " link there and go on. If you cannot, or did not begin, ask the people who invited you. This time none of"
        " your answers was sent."
    ),
    exchange_closed=_("This survey takes no new participants. None of your answers was sent."),
    exchange_failed=_(
        "Something is wrong with this page or with the connection. None of your answers was sent. Open your"
        " invitation again in this tab, or tell the people who run this survey."
    ),
    exchange_unaccepted=_(
        "Something is wrong with this page or with the connection, not with your answers. They were not stored, and"
        " your invitation cannot be used again. Tell the people who run this survey."
    ),
    exchange_insecure=_(
        "This page cannot exchange your invitation, because its address does not begin with https. Tell the"
        " people who run this survey."
    ),
    send_now=_("Send now"),
) | make_protection_phrases(
    sending_apart=_(
        "Your record waits on this page for %(seconds)s more seconds, so that its time does not tell which"
        " invitation it belongs to. Keep this tab open."
    ),
    apart_kept=_(
        "This page has drawn a moment within the day, so that the time does not tell which invitation your record"
        " belongs to. It is sent then if this page is open, otherwise when you next open this survey here. Others"
        " who use this device could find until then that you took part."
    ),
    send_now_about=_(
        "You need not wait. But whoever notes when requests arrive could then guess from the times which"
        " invitation your record belongs to."
    ),
)
"""Phrases of the scripts about exchanging invitations."""

EXCHANGE = (
    EXCHANGE_SCREEN
    | make_phrases(
        exchange_once=_(
            "From then on your invitation works in this browser only, which keeps it until your record was"
            " sent or the survey ends for you. Agree where you want to answer."
        ),
        exchange_held=_(
            "This browser still has an invitation to this survey, which was exchanged here and not used. If"
            " it is yours, go on. If it is not, open the link of your own invitation."
        ),
    )
    | make_protection_phrases(
        exchange_about=_(
            "When you agree, this page exchanges your invitation for a token, which this site signs without"
            " seeing it. So nobody, not even this site, can tie your record to your invitation by the token."
        ),
        exchange_wait=_(
            "After you press Send this device keeps your record and sends it at a moment within the day, after"
            " an hour on average, if this page is open then; otherwise when you next open this survey here. If"
            " the survey takes no records any more by then, it is lost. Where few take part at a time, the times"
            " could still tell."
        ),
        exchange_unsent=_(
            "None of your answers is sent until you press Send. You cannot take it back afterwards."
        ),
    )
)
"""Phrases that are needed only where invitations are exchanged."""
