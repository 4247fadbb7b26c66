"""The phrases of the start page, and of the pages that stand in its place."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases

START: Phrases = {
    "no_script_title": Phrase(_("This page needs JavaScript.")),
    "no_script_about": Phrase(
        _(
            "Your browser disguises your answers before anything is sent. Without JavaScript your"
            " true answers would have to be sent, and this page never does that. Allow JavaScript for"
            " this site and reload the page, or leave."
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
    "who_asks": Phrase(_("Who is asking")),
    "why": Phrase(_("Why we are asking")),
    "minutes": Phrase(_("About %(minutes)s min.")),
    "questions_most": Phrase(_("Up to %(questions)s questions.")),
    "kept_until_day": Phrase(_("All data are deleted by %(day)s."), protects=True),
    "kept_no_day": Phrase(_("No deletion date is set."), protects=True),
    "whom_to_ask": Phrase(_("Contact")),
    "good_title": Phrase(_("Good to know")),
    "good_send": Phrase(
        _("Nothing is sent until you press Send. You cannot take it back afterwards."), protects=True
    ),
    "good_leave": Phrase(_("You can leave at any time.")),
    "good_once": Phrase(_("Answer only once.")),
    "decide_unsent": Phrase(
        _(
            "<strong>Nothing is sent until you press Send.</strong> Until then your answers exist"
            " only on this page."
        ),
        protects=True,
    ),
    "decide_batches": Phrase(
        _(
            "<strong>Your answers are mixed with others'.</strong> They are shuffled and counted in"
            " batches of at least %(least)s."
        ),
        protects=True,
    ),
    "decide_once": Phrase(
        _(
            "<strong>Answer only once.</strong> Each time you answer the same survey, your protection"
            " gets weaker."
        ),
        protects=True,
    ),
    "decide_final": Phrase(
        _("<strong>You cannot take your answers back after sending,</strong> because they carry no name."),
        protects=True,
    ),
    "decide_leave": Phrase(
        _(
            "<strong>You can leave at any time.</strong> Select “Exit this page” or press Shift 3"
            " times. Your answers are deleted."
        )
    ),
    "limits_title": Phrase(_("Limits of this protection"), protects=True),
    "limit_program": Phrase(
        _(
            "The people who run this site supply the program that disguises your answers. They could"
            " supply a different one."
        ),
        protects=True,
    ),
    "limit_waiting": Phrase(
        _(
            "Until your batch is complete, the people who run this site could see your record and"
            " when it arrived. Disguised answers are still protected. Answers that are not disguised"
            " are protected only by the batch."
        ),
        protects=True,
    ),
    "limit_traces": Phrase(
        _(
            "Your browser can keep traces of this page on this device, and later of the record that"
            " was sent, or that you asked it to keep until it can be sent. On a shared device, use a private window."
        ),
        protects=True,
    ),
    "limit_network": Phrase(
        _(
            "Anyone who watches the network can see that this page was loaded and when a record was"
            " sent, but not what is in it."
        ),
        protects=True,
    ),
    "limit_plain": Phrase(
        _("Answers that are not disguised can, taken together, point to one person."),
        protects=True,
    ),
    "getting_ready": Phrase(
        _(
            "The page is getting ready. If this message stays, your browser may be too old, or"
            " something did not load. Reload the page, or use another browser."
        )
    ),
    "agree": Phrase(_("Agree and start")),
    "leave": Phrase(_("Leave")),
}

REHEARSAL: Phrases = {
    "rehearsal_title": Phrase(_("This is a rehearsal.")),
    "rehearsal_about": Phrase(
        _(
            "This survey is being tried out with simulated answers. Nobody's results come from it. Do"
            " not answer as yourself."
        )
    ),
    "rehearsal_over_title": Phrase(_("This was a rehearsal.")),
    "rehearsal_over_about": Phrase(
        _("It was tried out with simulated answers. Nobody's results come from it.")
    ),
}
"""Only where a survey is a rehearsal."""

ONE_ROUND: Phrases = {
    "one_round": Phrase(
        _("You are asked in one of %(rounds)s rounds, chosen at random, and never again."), protects=True
    ),
}
"""Only where each person is asked in one of several rounds."""

OPEN_ANSWERS: Phrases = {
    "start_open": Phrase(_("You can also choose to answer without disguise."), protects=True),
    "may_open": Phrase(
        _("You can also choose to answer without disguise. You will be asked on the next page."),
        protects=True,
    ),
    "limit_open": Phrase(
        _(
            "If you answer without disguise, you have no protection, and someone could pressure you"
            " into it. Choosing disguise is itself visible in your record."
        ),
        protects=True,
    ),
}
"""Only where a survey lets people answer openly."""

BY_INVITATION: Phrases = {
    "uninvited_title": Phrase(_("This survey is by invitation.")),
    "uninvited_about": Phrase(
        _(
            "Open the whole invitation link. It ends in a long code after a #. The code leaves the"
            " address bar at once, so a copied address does not contain it."
        )
    ),
    "limit_invitations": Phrase(
        _("The people who made the list of invitations can find out who took part."),
        protects=True,
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
    "closed_page_about": Phrase(_("You can no longer answer this survey.")),
    "paused_page_title": Phrase(_("This survey is paused")),
    "paused_page_about": Phrase(_("You cannot answer right now. Keep this tab open and try again later.")),
    "try_again": Phrase(_("Try again")),
}

NOT_YET: Phrases = {
    "not_yet_title": Phrase(_("This survey is not open yet")),
    "not_yet_when": Phrase(
        _("It opens on %(when)s (%(zone)s). Come back then. The survey link stays the same.")
    ),
    "not_yet_later": Phrase(_("Come back later. The survey link stays the same.")),
}
"""Of a page that shows nothing of the survey."""

PROOF: Phrases = {
    "proof_title": Phrase(_("Check this for yourself (technical)")),
    "proof_about": Phrase(
        _(
            "Everything this page promises is part of the survey design. If anyone changes the"
            " design, its fingerprint changes too, and every record carries the fingerprint."
        ),
        protects=True,
    ),
    "proof_fingerprint": Phrase(_("Fingerprint of the design")),
    "proof_modules": Phrase(_("Program that disguises your answers")),
    "proof_hashes": Phrase(
        _(
            "Both codes are SHA-256. The second is that of these files, one after the other. The"
            " people who run this site supply the files and could supply others. Compare the code with"
            " what others got, and with the published source, which is the same to the byte."
        ),
        protects=True,
    ),
}

PROVEN: Phrases = {
    "proof_held": Phrase(_("On %(day)s a program checked this site. Everything held.")),
    "proof_failed": Phrase(_("On %(day)s a program checked this site. Something did not hold.")),
    "proof_not_checked": Phrase(_("On %(day)s a program checked this site. All that it could look at held.")),
    "how_do_i_know": Phrase(_("How do I know?")),
    "know_about": Phrase(
        _(
            "You need not believe this site. A program has checked it as browsers get it. You can look at the"
            " main things yourself in two minutes."
        )
    ),
    "know_counts": Phrase(
        _(
            "Checks that held: %(held)s. Checks that failed: %(failed)s. Checks that could not be made: %(unchecked)s."
        )
    ),
    "know_each": Phrase(_("Every check, in English")),
    "know_report": Phrase(_("The whole report, with all hashes")),
    "know_look": Phrase(_("What you can see for yourself")),
    "know_open": Phrase(
        _(
            "On a computer, open the survey in Chrome, Edge or Firefox. Press F12, choose the tab Network, and"
            " load the page again."
        )
    ),
    "know_list": Phrase(
        _("The list shows everything that the page fetches. In each line the domain is that of this site.")
    ),
    "know_answer": Phrase(
        _("Begin the survey and answer with anything. No line is added: nothing is sent while you answer.")
    ),
    "know_offline": Phrase(
        _(
            "In the same tab choose Offline and go on to the last page. It works, because your browser"
            " disguises the answers by itself. Then allow the connection again."
        )
    ),
    "know_send": Phrase(
        _(
            "If you send, one line is added: record. Under Payload, in Firefox under Request, is what left your"
            " computer. It is what the receipt shows, and nothing else. Sending counts as your answer."
        )
    ),
    "know_storage": Phrase(
        _(
            "The tab Application, in Firefox Storage, shows what your browser keeps of this site: no cookie, and"
            " nothing at all once the record was sent."
        )
    ),
    "know_hash": Phrase(
        _(
            "Save the files that disguise your answers, put them one after the other, and compute their"
            " SHA-256. It is the code on the start page. Compare it with what others got."
        )
    ),
    "know_limits": Phrase(_("What nobody can show you here")),
    "know_not": Phrase(
        _(
            "The people who run this site made this check. They could change the program, and with it the"
            " check. What you see in your own browser does not depend on them."
        )
    ),
}
"""Of surveys of which a proof was made. No design holds them: a proof is made after the opening."""

DUTY_HEADINGS: Phrases = {
    "ethics": Phrase(_("Ethics approval")),
    "officer": Phrase(_("Data protection officer")),
    "privacy": Phrase(_("Privacy notice")),
    "imprint": Phrase(_("Imprint")),
}
"""Above the texts that a board and the law ask for; each is needed where there is such a text."""
