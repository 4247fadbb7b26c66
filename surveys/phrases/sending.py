"""Phrases of the respondents' scripts, from sending the answers to the receipt."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.fixed_page_sentence import make_phrases, make_protection_phrases

SENDING = make_phrases(
    sending_title=_("Sending your answers"),
    sending_trying=_("Sending …"),
    sending_offline=_(
        "You are offline. Keep this tab open: your answers will be sent when you are back online."
    ),
    sending_waiting=_("No answer yet. The next try is in %(seconds)s seconds."),
    sending_unstored=_(
        "Your answers cannot be stored right now. Keep this tab open: the next try is in %(seconds)s seconds."
    ),
    sending_busy=_(
        "This survey is receiving very many answers right now. Yours are kept in this tab and will be sent."
        " Keep it open. The next try is in %(seconds)s seconds."
    ),
    sending_paused=_(
        "This survey is paused. Keep this tab open: your answers are kept here and will be sent when the"
        " survey goes on. The next try is in %(seconds)s seconds."
    ),
    try_now=_("Try now"),
    sending_about=_(
        "Your answers count once, however many tries it takes. If you close this tab now, they may not have"
        " been sent."
    ),
    keep=_("Keep it and send it later"),
    keep_failed=_("This browser cannot keep it. Please keep this tab open."),
    kept_about=_(
        "This device keeps your record. You can close this page: the record is then sent when you next open this"
        " survey here, if the survey is still open. Not in a private window: there it is deleted when you close the"
        " window."
    ),
    kept_delete=_("Delete it from this device"),
    kept_resumed=_("This device kept a record of this survey. It is sent now."),
    kept_next=_("It has not arrived yet. The next try is in %(seconds)s seconds."),
    kept_offline=_("You are offline. The record is sent when you are back online."),
    deleted_title=_("The record was deleted from this device"),
    deleted_about=_("It is not sent again. If an earlier try arrived, the answers count."),
    changed_title=_("The survey has changed"),
    changed_about=_("The record that was kept here does not fit its questions. It was not sent."),
    old_title=_("This record is too old to be sent"),
    old_about=_(
        "It was kept here for longer than this site remembers which records have arrived. It may have arrived at an"
        " earlier try, so it was not stored now."
    ),
    old_kept=_("The record is still kept here, until you delete it."),
    old_tab=_("The record is in this tab only, and is gone once you close it."),
    old_keep=_("Keep it on this device"),
    sending_resumed=_("You reloaded the page while it was sending. It sends the same record as before."),
    stored_title=_("Your answers have been received"),
    thanks=_("Thank you."),
    done=_("Done. You can close this page."),
    known_title=_("Your answers have been received"),
    known_about=_("They had already arrived at an earlier try, and count once."),
    closed_title=_("The survey closed before your answers arrived"),
    closed_about=_(
        "They were not stored now. If an earlier try arrived, they count. You can no longer answer this survey."
    ),
    gone_title=_("This survey is no longer here"),
    gone_about=_("Your answers were not stored."),
    refused_title=_("Your answers were not accepted"),
    refused_about=_(
        "Something is wrong with this page or with the connection, not with your answers. They were not"
        " stored. Tell the people who run this survey."
    ),
    ask=_("Questions about the survey:"),
    nothing_kept=_("This page has deleted your answers and keeps nothing."),
    receipt_title=_("What was sent"),
    receipt_about=_("These codes are exactly what was sent. The table says what each can mean."),
    bytes_title=_("The record as text"),
    bytes_about=_("This is the record, character by character. A saved receipt holds the same."),
    request_title=_("What the request contained"),
    save_receipt=_("Save the receipt"),
    save_design=_("Save the design"),
    receipt_later=_(
        "This page deletes the record when you leave it. A saved receipt stays on this device, where others"
        " may find it. With the design you can check it later, without sending it anywhere."
    ),
) | make_protection_phrases(
    keep_about=_(
        "If you cannot wait, this device can keep your record, just as it will be sent, until you open this"
        " survey here again. Others who use the device could then find that you took part."
    ),
    sending_locked=_(
        "Your record may already have been received, so you can no longer change your answers. A second,"
        " different record would weaken your protection."
    ),
    stored_about=_(
        "Your answers will be shuffled with other people's. After that, no name, number or time shows which"
        " are yours."
    ),
    request_about=_(
        "%(bytes)s characters left this page, once or more often, always the same. The key makes sure that"
        " your answers count once. The receipt holds neither the key nor an invitation, because they were"
        " yours alone."
    ),
)

INVITED = make_phrases(
    invitation_title=_("This invitation link cannot be used"),
    invitation_about=_(
        "It was used before, or it does not belong to this survey. Your answers were not stored. Each"
        " invitation link works once. If you never used yours, ask the people who invited you."
    ),
)
"""Phrases that are needed only where a survey is by invitation."""


# --- completing
# The phrases of a survey that promises a completion code or link.

COMPLETING = make_phrases(
    panel_title=_("After you have sent your answers"),
    done_panel=_("Done. Take the code or link below, then you can close this page."),
    completion_title=_("Your completion code"),
    completion_about=_("Everybody gets this code. Copy it now: this page does not show it again."),
    completion_copy=_("Copy the code"),
    completion_copied=_("Copied."),
    completion_by_hand=_("This browser did not copy it. Select the code and copy it."),
    completion_link_title=_("One more step"),
    completion_go=_("Continue to %(host)s"),
    completion_demo=_("This is a demonstration. What is shown here does not count as having taken part."),
) | make_protection_phrases(
    panel_same=_(
        "You get a code or a link once your answers have been received. It is the same for everybody and"
        " contains nothing about you or your answers."
    ),
    limit_panel=_(
        "If you hand in the completion code or follow the link, others can learn that you took part, and"
        " when."
    ),
    panel_passed=_(
        "You get a link once your answers have been received. It contains nothing about your answers, but this"
        " page puts the ID into it by which your panel knows you, so that your panel learns that you took"
        " part, and when. The ID came with the address that you opened, and this site never gets it."
    ),
    completion_panel=_(
        "This link tells your panel by its own ID that you took part, and when. It says nothing of your"
        " answers, and this site never got the ID."
    ),
    completion_no_panel=_(
        "This tab does not have the ID by which your panel knows you, so the link leaves it out. If your panel"
        " does not recognise you there, write to it."
    ),
    form_no_panel=_(
        "Without JavaScript this page cannot pass on the ID by which your panel knows you, so the link leaves"
        " it out. If your panel does not recognise you there, write to it."
    ),
    completion_link_about=_(
        "Everybody gets this link. It contains nothing about you, but the other site can see that you came,"
        " and when."
    ),
)
"""Phrases that are needed only where the design promises a completion."""


# --- receipts
# The phrases of the page that checks a receipt.

VERIFYING = make_phrases(
    verify_script=_(
        "The check runs in your browser, so it needs JavaScript. Allow it for this site and load the page"
        " again."
    ),
    verify_title=_("Check a receipt"),
    verify_about=_(
        "Is this a record that the survey's disguise can produce? Both files stay on this device: the check"
        " runs in this page, and nothing is uploaded."
    ),
    verify_receipt=_("Receipt"),
    verify_receipt_hint=_("The file receipt.json that was saved after sending."),
    verify_design=_("Design of the survey"),
    verify_design_hint=_("The file design.json, from the survey's start page or from beside the receipt."),
    verify_yes=_("This is a possible record of the design."),
    verify_no=_("This is not a record of that design."),
    verify_fingerprint=_("Compare the fingerprint with the one on the survey's start page:"),
    verify_insecure=_(
        "This browser can check fingerprints only on pages opened with https. Open the page that way."
    ),
    verify_no_receipt=_("The first file is not a receipt."),
    verify_no_design=_("The second file is not a design that this page understands."),
    verify_wrong_design=_(
        "The receipt names the fingerprint of another design, or the design was changed, if only by a space."
    ),
    verify_wrong_group=_(
        "It claims answers without disguise, and the design allows none, or it names no known group."
    ),
    verify_wrong_answers=_("Its codes do not fit the questions."),
    verify_wrong_asked=_(
        "In the part that begins with this question it answers more or fewer questions than are drawn:"
        " %(question)s"
    ),
    verify_wrong_applicable=_(
        "By the answers before it, this question was asked although it does not apply, or the reverse:"
        " %(question)s"
    ),
)
