"""The phrases of the start page, and of the pages that stand in its place."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases

START: Phrases = {
    "no_script_title": Phrase(_("Without JavaScript this page takes no answers.")),
    "no_script_about": Phrase(
        _(
            "The disguise happens in your browser, before anything is sent. Without JavaScript your"
            " true answers would have to be sent as they are, and that this page does not do. Allow"
            " JavaScript for this site and load the page again, or leave."
        ),
        protects=True,
    ),
    "again": Phrase(
        _(
            "You reloaded the page, so your answers were deleted. Please answer again. The"
            " questions are the same, and your protection has not changed."
        ),
        protects=True,
    ),
    "who_asks": Phrase(_("Who asks")),
    "why": Phrase(_("Why")),
    "how_long": Phrase(_("How long")),
    "minutes": Phrase(_("About %(minutes)s min")),
    "questions_most": Phrase(_("Questions: %(questions)s at most")),
    "kept_until": Phrase(_("Kept until")),
    "kept_until_day": Phrase(
        _("%(day)s. On that day everything collected is destroyed, if not before."), protects=True
    ),
    "kept_no_day": Phrase(_("No day is set on which the answers are destroyed."), protects=True),
    "whom_to_ask": Phrase(_("Whom to ask")),
    "decide_title": Phrase(_("Before you decide")),
    "decide_unsent": Phrase(
        _(
            "<strong>Nothing is sent until the end.</strong> Until you press Send, your answers are"
            " in the memory of this page and nowhere else. Then one record leaves, always of the"
            " same length."
        ),
        protects=True,
    ),
    "decide_batches": Phrase(
        _(
            "<strong>Nobody counts alone.</strong> Records are shuffled and counted in batches of"
            " at least %(least)s, never fewer."
        ),
        protects=True,
    ),
    "decide_once": Phrase(
        _("<strong>Answer once.</strong> Each further answer weakens your protection."), protects=True
    ),
    "decide_final": Phrase(
        _("<strong>A sent answer cannot be withdrawn,</strong> since nobody can find it."), protects=True
    ),
    "decide_leave": Phrase(
        _(
            "<strong>You can leave at any time.</strong> “Exit this page”, or Shift pressed three"
            " times, clears everything."
        )
    ),
    "limits_title": Phrase(_("What this cannot do"), protects=True),
    "limit_program": Phrase(
        _("Whoever runs this site serves the program that disguises, and could serve another one."),
        protects=True,
    ),
    "limit_waiting": Phrase(
        _(
            "While your record waits for its batch, whoever runs this site could see it next to"
            " when it came. The disguise protects you then, too; answers that are sent as you give"
            " them are protected by nothing but the batch."
        ),
        protects=True,
    ),
    "limit_traces": Phrase(
        _(
            "Your browser can keep traces of this page on this device, and later the record that"
            " was sent. On a shared device, use a private window."
        ),
        protects=True,
    ),
    "limit_network": Phrase(
        _(
            "Whoever watches the network sees that this page was loaded and when a record was sent,"
            " not what is in it."
        ),
        protects=True,
    ),
    "limit_plain": Phrase(
        _("Answers that are sent as you give them can, taken together, single a person out."), protects=True
    ),
    "getting_ready": Phrase(
        _(
            "The page is getting ready. If this does not go away, your browser is too old for it or"
            " something did not arrive: load the page again, or use another browser."
        )
    ),
    "agree": Phrase(_("Agree and begin")),
    "leave": Phrase(_("Leave")),
}

REHEARSAL: Phrases = {
    "rehearsal_title": Phrase(_("This is a rehearsal.")),
    "rehearsal_about": Phrase(
        _(
            "The survey is being tried out. Simulated respondents take part in it, and nobody's"
            " results come from it. Do not answer as yourself."
        )
    ),
    "rehearsal_over_title": Phrase(_("This was a rehearsal.")),
    "rehearsal_over_about": Phrase(
        _("Simulated respondents took part in it, and nobody’s results come from it.")
    ),
}
"""Only where a survey is a rehearsal."""

OPEN_ANSWERS: Phrases = {
    "may_open": Phrase(
        _("You may also choose to answer openly; then nothing is disguised. The first page asks you."),
        protects=True,
    ),
    "limit_open": Phrase(
        _(
            "An open answer has no disguise, and somebody could press you to answer openly. That"
            " you chose the disguise may itself say something."
        ),
        protects=True,
    ),
}
"""Only where a survey lets people answer openly."""

BY_INVITATION: Phrases = {
    "uninvited_title": Phrase(_("This survey is by invitation.")),
    "uninvited_about": Phrase(
        _(
            "Open the whole address from your invitation; it ends in a long code after a #. The"
            " code leaves the address bar at once, so a copied address does not have it any more."
        )
    ),
    "limit_invitations": Phrase(
        _("Whoever made the list of invitations can learn who took part."), protects=True
    ),
}
"""Only where a survey is by invitation."""

PREVIEW_PAGE: Phrases = {
    "preview_notice": Phrase(
        _("Preview. Everything works as it does for respondents, but nothing is sent and nothing is stored.")
    ),
}
"""Only where nothing is sent."""

STATES: Phrases = {
    "closed_page_title": Phrase(_("This survey is closed")),
    "closed_page_about": Phrase(_("It takes no more answers.")),
    "paused_page_title": Phrase(_("This survey is paused")),
    "paused_page_about": Phrase(_("You cannot answer right now. Keep this tab open and try again later.")),
    "try_again": Phrase(_("Try again")),
}

NOT_YET: Phrases = {
    "not_yet_title": Phrase(_("This survey is not open yet")),
    "not_yet_when": Phrase(
        _("It is to open on %(when)s (%(zone)s). Come back then; the address stays the same.")
    ),
    "not_yet_later": Phrase(_("Come back later; the address stays the same.")),
}
"""Of a page that shows nothing of the survey."""

PROOF: Phrases = {
    "proof_title": Phrase(_("For whoever wants to check")),
    "proof_about": Phrase(
        _(
            "Everything this page promises is part of the survey's design. Nobody can change it"
            " without changing its fingerprint, which every record carries."
        ),
        protects=True,
    ),
    "proof_fingerprint": Phrase(_("Fingerprint of the design")),
    "proof_modules": Phrase(_("The modules that disguise")),
    "proof_hashes": Phrase(
        _(
            "Both are SHA-256, the second of the modules one after the other in this order. The"
            " operator of this site serves them and could serve others; the hash lets you compare"
            " them with what others got, and with the published source, which is the same to the"
            " byte."
        ),
        protects=True,
    ),
}
