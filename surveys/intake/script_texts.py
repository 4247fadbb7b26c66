"""The texts of the respondents' scripts in all languages, which are part of the page."""

from collections.abc import Mapping

from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SHARED = {
    "title": _("Survey"),
    "yes": _("Yes"),
    "no": _("No"),
    "not_asked": _("not asked"),
    "not_applicable": _("does not apply"),
    "column_question": _("Question"),
    "column_code": _("Code"),
    "column_says": _("What it says"),
    "column_how": _("How it was sent"),
    "short_disguised": _("disguised"),
    "short_open": _("as answered"),
    "record_title": _("The record, question by question"),
    "proves_title": _("What it does not prove"),
    "proves_truth": _(
        "Your true answers. Each answer marked as disguised may have come from you or from chance, and the coins"
        " that decided are gone: not even you can show which."
    ),
    "proves_open": _(
        "It was answered openly, so it does show what was answered. It does not show that this was the truth."
    ),
    "proves_sent": _(
        "That it was sent, or by whom. Anybody can write such a file; no signature stands on it."
    ),
    "proves_which": _("Which of the stored records is yours. Nobody can find that one, we neither."),
}

ANSWERING = {
    "back": _("Back"),
    "continue": _("Continue"),
    "error": _("Error:"),
    "problem": _("There is a problem"),
    "exit": _("Exit this page"),
    "exit_presses": _("Press Shift %(left)s more times to exit this page."),
    "question_number": _("Question %(number)s of %(total)s"),
    "choose_answer": _("Choose one of the answers"),
    "yes_or_no": _("Say yes or no"),
    "say_yes_or_no": _("Say yes or no: %(option)s"),
    "disguised": _("Disguised before it leaves this device"),
    "sent_as_answered": _("Sent as you answer it"),
    "choice_title": _("How do you want to answer?"),
    "choice_about": _(
        "This concerns the sensitive questions only. Both ways help; neither is expected of you."
    ),
    "choose_how": _("Choose how you want to answer"),
    "choice_disguised": _("Disguised"),
    "choice_disguised_means": _(
        "Chance decides whether your true answers go out or others in their place. Whoever holds the records can"
        " never be sure of your answers; a record makes some answers more likely than others, and it shows that"
        " you chose the disguise."
    ),
    "choice_open": _("Openly"),
    "choice_open_means": _(
        "Your answers go out as you give them. Whoever holds the records sees your true answers. In return each"
        " of them counts for more, since no chance is mixed in."
    ),
    "how_likely": _("How likely is it that my answer is sent?"),
    "how_likely_means": _(
        "Chance may send an answer that is not yours, so whoever reads an answer cannot tell whose it truly is."
    ),
    "about_times": _("about %(m)s in %(n)s times"),
    "answer": _("Answer"),
    "option": _("Option"),
    "answer_if_true": _("Goes out if it is your answer"),
    "answer_if_not": _("Goes out if it is not"),
    "yes_if_true": _("Yes goes out if you say yes"),
    "yes_if_not": _("Yes goes out if you say no"),
}

RECORDED_NUMBERS = {
    "number_at_least": _("at least %(number)s: %(answer)s"),
    "number_at_least_about": _("at least about %(number)s: %(answer)s"),
}

NUMBERS = RECORDED_NUMBERS | {
    "number_range": _("A whole number from %(low)s to %(high)s."),
    "number_steps": _("A whole number from %(low)s to %(high)s, in steps of %(step)s."),
    "number_ends": _("If yours is less, enter %(low)s; if it is more, enter %(high)s."),
    "number_more": _("If yours is more, enter %(high)s."),
    "number_empty": _("Enter a number."),
    "number_unread": _("This is not a number in digits."),
    "number_decimal": _("This is not a whole number."),
    "number_small": _("This number is too small."),
    "number_large": _("This number is too large."),
    "number_between": _("This number lies between two steps."),
    "number_near": _(
        "What goes out is %(times)s a number at most %(far)s away from yours, otherwise any number from %(low)s to"
        " %(high)s, drawn by chance. Counting goes round: after %(high)s comes %(low)s again."
    ),
    "number_exact": _(
        "What goes out is %(times)s your number, otherwise any number from %(low)s to %(high)s, drawn by chance."
    ),
    "number_thresholds": _(
        "Your number itself does not go out. Chance picks one of the numbers %(thresholds)s, and what goes out is"
        " whether yours is at least that."
    ),
    "number_moved": _(
        "Before that, chance replaces your number by the one next below or next above it among %(points)s, more"
        " often by the nearer one."
    ),
    "number_toss": _("This goes out as it is %(times)s; otherwise the toss of a coin answers."),
    "number_sends_near": _("What goes out is a number near it, or any number."),
    "number_sends_whether": _("What goes out is whether it is at least a number that chance picks."),
    "throw_near": _("This time a number near yours goes out."),
    "throw_any": _("This time any number goes out, drawn by chance."),
    "throws_near": _("A number near yours in %(kept)s of %(throws)s throws so far."),
}
"""Only where a survey asks for a number."""

PLACES = {
    "search": _("Search"),
    "places_shown": _("Places shown: %(shown)s of %(total)s"),
    "places_none": _("No place matches the search."),
    "places_more": _("Show more places"),
    "places_outside": _("Outside the regions"),
    "place_chosen": _("Chosen"),
    "choose_place": _("Choose a place from the list"),
    "place_inside": _(
        "If your place is inside the regions, a place inside them goes out, more often one near yours. The record can"
        " make any one place inside the regions at most %(odds)s times as likely, compared with any other place."
    ),
    "place_level": _("In %(regions)s: at most %(odds)s times."),
    "place_outside": _(
        "If your place is outside the regions, nothing is promised to you. Your exact place goes out %(times)s and"
        " counts as a plain answer; otherwise a place inside the regions goes out instead."
    ),
    "place_sends_inside": _("What goes out is a place near it, or any place inside the regions."),
    "place_sends_outside": _(
        "What goes out is this place, which then counts as a plain answer, or any place inside the regions."
    ),
    "place_caution": _(
        "This is not so for a place outside the sensitive regions: if its record names the place, that is yours."
    ),
    "throw_place": _("This time your place, or one near it, goes out."),
    "throw_exact": _("This time your exact place goes out."),
    "throw_anywhere": _("This time any place inside the regions goes out, drawn by chance."),
    "throws_place": _("Your place, or one near it, in %(kept)s of %(throws)s throws so far."),
    "throws_exact": _("Your exact place in %(kept)s of %(throws)s throws so far."),
    "map": _("Map"),
    "map_chosen": _("Chosen:"),
    "map_none": _("No place is chosen."),
    "map_help": _("The list does all that the map does. Arrow keys move the map; + and − zoom."),
    "zoom_in": _("Zoom in"),
    "zoom_out": _("Zoom out"),
}
"""Only where a survey asks for a place."""

BY_KIND = {"number": NUMBERS, "place": PLACES}

CHECKING = {
    "check_title": _("Check your answers"),
    "check_about": _("So far they are known to this page only. Nothing has been sent."),
    "change": _("Change"),
    "change_this": _("Change: %(question)s"),
    "possible_title": _("What may leave this device"),
    "possible_about": _(
        "Here your answers go through the same disguise with coins thrown just now, for the show. Your own coins"
        " were thrown before the first question and stay unseen."
    ),
    "possible_why": _(
        "Why not your own record? Some who saw it would rather not send it, and the results would be wrong for"
        " everybody. After sending you see exactly what was sent."
    ),
    "part": _("Disguised part %(number)s"),
    "throw_again": _("Throw again"),
    "throw_kept": _("This time your true answers go out."),
    "throw_chance": _("This time chance answers in your place."),
    "throws_so_far": _("True answers in %(kept)s of %(throws)s throws so far."),
    "send_title": _("Send the record"),
    "send_about": _(
        "What is sent cannot be changed or withdrawn: nobody, not even we, can find a record once it is in."
    ),
    "send_about_open": _(
        "Your answers are sent as they stand above. What is sent cannot be changed or withdrawn: no name is on"
        " it by which it could be found."
    ),
    "send": _("Send"),
    "cannot_keep_title": _("Your browser lets this page keep nothing"),
    "cannot_keep_about": _(
        "In case you reload it, this page has to remember which questions it gave you and what it is sending."
        " Allow this site to store data, or open the survey in another browser. No cookie is set."
    ),
}

SENDING = {
    "sending_title": _("Sending your record"),
    "sending_trying": _("Sending …"),
    "sending_offline": _(
        "This device is offline. The record waits here and goes out as soon as there is a connection."
    ),
    "sending_waiting": _("No answer yet. The next try is in %(seconds)s seconds."),
    "sending_unstored": _(
        "Your answers cannot be stored right now. Keep this tab open: the next try is in %(seconds)s seconds."
    ),
    "sending_busy": _(
        "This survey is receiving very many answers right now. Yours are kept in this tab and will be sent: keep it"
        " open. The next try is in %(seconds)s seconds."
    ),
    "sending_paused": _(
        "This survey is paused. Keep this tab open: your answers are kept here and will be sent when it goes on."
        " The next try is in %(seconds)s seconds."
    ),
    "try_now": _("Try now"),
    "sending_about": _(
        "However often it is tried, the same record goes out and counts once. If you close this tab, it is"
        " forgotten here, and perhaps nothing has been sent."
    ),
    "sending_resumed": _("The page was loaded again while sending. It sends the same record as before."),
    "sending_locked": _(
        "Your record is made and may already have arrived, so the answers can no longer be changed. A second,"
        " different record would weaken your disguise."
    ),
    "stored_title": _("Your record has arrived"),
    "stored_about": _(
        "It waits among others and is shuffled with them; from then on nobody can say which one is yours."
    ),
    "thanks": _("Thank you."),
    "known_title": _("Your record has arrived"),
    "known_about": _("It had arrived at an earlier try already, and counts once."),
    "closed_title": _("The survey closed before your record arrived"),
    "closed_about": _("Nothing of yours was stored, and nothing more is taken."),
    "gone_title": _("This survey is no longer here"),
    "gone_about": _("Nothing of yours was stored."),
    "refused_title": _("The record was not accepted"),
    "refused_about": _(
        "Something is wrong with this page or with the way here, not with your answers. Nothing of yours was"
        " stored. Load the survey again, in another browser if you can, or tell whoever runs it."
    ),
    "ask": _("Questions about the survey:"),
    "nothing_kept": _("This page has forgotten your answers and keeps nothing."),
    "receipt_title": _("What was sent"),
    "receipt_about": _("This is your record to the last character; below it, what each code says."),
    "request_title": _("The whole request"),
    "request_about": _(
        "%(bytes)s characters left the page, once or more often, always the same. The key makes sure that the"
        " record counts once; neither it nor an invitation is part of the receipt, since they were yours alone."
    ),
    "save_receipt": _("Save the receipt"),
    "save_design": _("Save the design"),
    "receipt_later": _(
        "This page forgets the record when you leave it. A saved receipt lies on this device where others may"
        " find it; together with the design it can be checked later without sending it anywhere."
    ),
}

PREVIEW = {
    "preview_title": _("Preview: nothing was sent"),
    "preview_about": _(
        "A respondent would now see the receipt below. Here no record has left the page, and none is stored."
    ),
}
"""Only where nothing is sent."""

INVITED = {
    "invitation_title": _("This invitation cannot be used"),
    "invitation_about": _(
        "It has been used already, or it does not belong to this survey. Nothing was stored. Each invitation"
        " takes one record; if yours was never used, ask whoever invited you."
    ),
}
"""Only where a survey is by invitation."""

VERIFYING = {
    "verify_title": _("Check a receipt"),
    "verify_about": _(
        "Is this a record that the survey's disguise can produce? Both files stay on this device: the check runs"
        " in this page, and nothing is uploaded."
    ),
    "verify_receipt": _("Receipt"),
    "verify_receipt_hint": _("The file receipt.json that was saved after sending."),
    "verify_design": _("Design of the survey"),
    "verify_design_hint": _("The file design.json, from the survey's start page or from beside the receipt."),
    "verify_yes": _("This is a possible record of the design."),
    "verify_no": _("This is not a record of that design."),
    "verify_fingerprint": _("Compare the fingerprint with the one on the survey's start page:"),
    "verify_insecure": _(
        "This browser computes fingerprints only on pages that came over https. Open the page that way."
    ),
    "verify_no_receipt": _("The first file is not a receipt."),
    "verify_no_design": _("The second file is not a design that this page understands."),
    "verify_wrong_design": _(
        "The receipt names the fingerprint of another design, or the design was changed, if only by a space."
    ),
    "verify_wrong_group": _(
        "It claims an open answer, and the design allows none, or it names no known group."
    ),
    "verify_wrong_answers": _("Its codes do not fit the questions."),
    "verify_wrong_asked": _(
        "In the part that begins with this question it answers more or fewer questions than are drawn: %(question)s"
    ),
    "verify_wrong_applicable": _(
        "By the answers before it, this question was put although it does not apply, or the reverse: %(question)s"
    ),
}

ANSWER_PAGE = SHARED | ANSWERING | CHECKING | SENDING
RECEIPT_PAGE = SHARED | VERIFYING | RECORDED_NUMBERS


def in_language(words: Mapping[str, Promise], language: str) -> dict[str, str]:
    with translation.override(language):
        return {key: str(word) for key, word in words.items()}
