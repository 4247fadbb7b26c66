"""Phrases of the start page, and of the pages that replace it, such as the page of a closed survey."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.fixed_page_sentence import make_phrases, make_protection_phrases

START = make_phrases(
    no_script_title=_("This page needs JavaScript."),
    who_asks=_("Who is asking"),
    why=_("Why we are asking"),
    minutes=_("About %(minutes)s min."),
    questions_most=_("Up to %(questions)s questions."),
    whom_to_ask=_("Contact"),
    intro_title=_("About this survey"),
    good_title=_("Good to know"),
    consent_title=_("What you agree to"),
    decide_leave=_(
        "<strong>You can leave at any time.</strong> Select “Exit this page” or press Shift 3 times. Before you"
        " send, this deletes your answers. A record that this device keeps stays until it is sent or you"
        " delete it."
    ),
    getting_ready=_(
        "The page is getting ready. If this message stays, your browser may be too old, or something did not"
        " load. Reload the page, or use another browser."
    ),
    agree=_("Agree and start"),
    leave=_("Leave"),
) | make_protection_phrases(
    no_script_about=_(
        "Without JavaScript your browser can disguise nothing: sensitive answers would have to be sent"
        " undisguised, so nothing can be answered here. Allow JavaScript for this site and reload the page, or"
        " leave."
    ),
    again=_(
        "You reloaded the page, so your answers were deleted. Please answer again. The questions are the"
        " same, and your protection has not changed."
    ),
    kept_until_day=_("All data are deleted by %(day)s."),
    kept_no_day=_("No deletion date is set."),
    good_send=_("Nothing is sent until you press Send."),
    decide_batches=_(
        "<strong>Your answers are mixed with others'.</strong> They are shuffled and counted in batches of at"
        " least %(least)s."
    ),
    decide_once=_(
        "<strong>Answer only once.</strong> Each time you answer the same survey, your protection gets"
        " weaker."
    ),
    decide_final=_(
        "<strong>You cannot take your answers back after sending,</strong> because they carry no name."
    ),
    limits_title=_("Limits of this protection"),
    limit_program=_(
        "The people who run this site supply this page and its program. They could supply different ones."
    ),
    limit_waiting=_(
        "Until your batch is complete, the people who run this site could see your record and when it"
        " arrived. Until then, an answer that is not disguised has no protection."
    ),
    limit_traces=_(
        "Your browser can keep traces of this page on this device, and later of the record that was sent, or"
        " that you asked it to keep until it can be sent. On a shared device, use a private window."
    ),
    limit_network=_(
        "Anyone who watches the network can see that this page was loaded and when a record was sent, but not"
        " what is in it."
    ),
    limit_plain=_("Answers that are not disguised can, taken together, point to one person."),
)

REHEARSAL = make_phrases(
    rehearsal_title=_("This is a rehearsal."),
    rehearsal_about=_("Do not answer as yourself."),
    rehearsal_over_title=_("This was a rehearsal."),
    rehearsal_over_about=_("It was tried out with simulated answers. Nobody's results come from it."),
)
"""Phrases that are needed only where a survey is a rehearsal."""

ONE_ROUND = make_protection_phrases(
    one_round=_("You are asked in one of %(rounds)s rounds, chosen at random, and never again."),
)
"""Phrases that are needed only where each person is asked in a single one of several rounds."""

OPEN_ANSWERS = make_protection_phrases(
    start_open=_("You can also choose to answer without disguise."),
    may_open=_("You can also choose to answer without disguise. You will be asked on the next page."),
    limit_open=_(
        "If you answer without disguise, you have no protection, and someone could pressure you into it."
        " Choosing disguise is itself visible in your record."
    ),
)
"""Phrases that are needed only where a survey lets people answer openly."""

BY_INVITATION = make_phrases(
    uninvited_title=_("This survey is by invitation."),
    uninvited_about=_(
        "Open the whole invitation link. It ends in a long code after a #. The code leaves the address bar at"
        " once, so a copied address does not contain it."
    ),
) | make_protection_phrases(
    limit_invitations=_("The people who made the list of invitations can find out who took part."),
)
"""Phrases that are needed only where a survey is by invitation."""

PREVIEW_PAGE = make_phrases(
    preview_notice=_(
        "Preview. Everything works as it does for respondents, but nothing is sent and nothing is stored."
    ),
)
"""Phrases that are needed only in a preview."""

STATES = make_phrases(
    closed_page_title=_("This survey is closed"),
    closed_page_about=_("You can no longer answer this survey."),
    paused_page_title=_("This survey is paused"),
    paused_page_about=_("You cannot answer right now. Keep this tab open and try again later."),
    try_again=_("Try again"),
)

NOT_YET = make_phrases(
    not_yet_title=_("This survey is not open yet"),
    not_yet_when=_("It opens on %(when)s (%(zone)s). Come back then. The survey link stays the same."),
    not_yet_later=_("Come back later. The survey link stays the same."),
    no_survey_title=_("There is no survey at this address"),
    no_survey_advice=_(
        "Compare the whole address with the survey link you received. A survey that has ended says so."
    ),
)
"""Phrases of a page that shows no survey: before the opening, and at an unknown address."""

PROOF = make_phrases(
    proof_title=_("Check this for yourself (technical)"),
    proof_fingerprint=_("Fingerprint of the design"),
    proof_modules=_("Program that disguises answers"),
) | make_protection_phrases(
    proof_about=_(
        "Everything this page promises is part of the survey design. If anyone changes the design, its"
        " fingerprint changes too, and every record carries the fingerprint."
    ),
    proof_hashes=_(
        "Both codes are SHA-256. The second is that of these files, one after the other. The people who run"
        " this site supply the files and could supply others. Compare the code with what others got, and with"
        " the published source, which is the same to the byte."
    ),
)

PROVEN = make_phrases(
    proof_held=_("On %(day)s a program checked this site. Everything held."),
    proof_failed=_("On %(day)s a program checked this site. Something did not hold."),
    proof_not_checked=_("On %(day)s a program checked this site. All that it could look at held."),
    how_do_i_know=_("How do I know?"),
    know_about=_(
        "You need not believe this site. A program has checked it as browsers get it. You can look at the"
        " main things yourself in two minutes."
    ),
    know_counts=_(
        "Checks that held: %(held)s. Checks that failed: %(failed)s. Checks that could not be made:"
        " %(unchecked)s."
    ),
    know_each=_("Every check, in English"),
    know_report=_("The whole report, with all hashes"),
    know_documents=_("The published documents behind the mathematics, each made again here"),
    know_look=_("What you can see for yourself"),
    know_open=_(
        "On a computer, open the survey in Chrome, Edge or Firefox. Press F12, choose the tab Network, and"
        " load the page again."
    ),
    know_list=_(
        "The list shows everything that the page fetches. In each line the domain is that of this site."
    ),
    know_answer=_(
        "Begin the survey and answer with anything. No line is added: nothing is sent while you answer."
    ),
    know_answer_exchanged=_(
        "Begin the survey. One line is added: exchange. It carries your invitation and none of your answers. Then"
        " answer with anything. No further line is added: nothing is sent while you answer."
    ),
    know_offline=_(
        "In the same tab choose Offline and go on to the last page. It works, because your browser disguises"
        " the answers by itself. Then allow the connection again."
    ),
    know_send=_(
        "If you send, one line is added: record. Under Payload, in Firefox under Request, is what this page sent."
        " It is what the receipt shows, and nothing else. Sending counts as your answer."
    ),
    know_send_exchanged=_("That line comes once your record has waited, which can take hours."),
    know_storage=_(
        "The tab Application, in Firefox Storage, shows what your browser keeps of this site: no cookie, and"
        " nothing at all once the record was sent."
    ),
    know_hash=_(
        "Save the files that disguise your answers, put them one after the other, and compute their SHA-256."
        " It is the code on the start page. Compare it with what others got."
    ),
    know_limits=_("What nobody can show you here"),
    know_not=_(
        "The people who run this site made this check. They could change the program, and with it the check."
        " What you see in your own browser does not depend on them."
    ),
)
"""Phrases of surveys with a proof. No design contains them, since a proof is made after the opening."""

DUTY_HEADINGS = make_phrases(
    ethics=_("Ethics approval"),
    officer=_("Data protection officer"),
    privacy=_("Privacy notice"),
    imprint=_("Imprint"),
)
"""Headings of the texts that an ethics board or the law requires; each is needed if the survey has the text."""
