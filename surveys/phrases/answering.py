"""The phrases of the respondents' scripts from the first question to the check."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases

SHARED: Phrases = {
    "title": Phrase(_("Survey")),
    "yes": Phrase(_("Yes")),
    "no": Phrase(_("No")),
    "not_asked": Phrase(_("not asked")),
    "not_applicable": Phrase(_("does not apply")),
    "column_question": Phrase(_("Question")),
    "column_code": Phrase(_("Code")),
    "column_says": Phrase(_("What it says")),
    "column_how": Phrase(_("How it was sent")),
    "short_disguised": Phrase(_("disguised"), protects=True),
    "short_open": Phrase(_("as answered"), protects=True),
    "record_title": Phrase(_("The record, question by question")),
    "proves_title": Phrase(_("What it does not prove")),
    "proves_truth": Phrase(
        _(
            "Your true answers. Each answer marked as disguised may have come from you or from"
            " chance, and the coins that decided are gone: not even you can show which."
        ),
        protects=True,
    ),
    "proves_open": Phrase(
        _(
            "It was answered openly, so it does show what was answered. It does not show that this"
            " was the truth."
        ),
        protects=True,
    ),
    "proves_sent": Phrase(
        _("That it was sent, or by whom. Anybody can write such a file; no signature stands on it."),
        protects=True,
    ),
    "proves_which": Phrase(
        _("Which of the stored records is yours. Nobody can find that one, we neither."), protects=True
    ),
}

ANSWERING: Phrases = {
    "back": Phrase(_("Back")),
    "continue": Phrase(_("Continue")),
    "error": Phrase(_("Error:")),
    "problem": Phrase(_("There is a problem")),
    "exit": Phrase(_("Exit this page")),
    "exit_presses": Phrase(_("Press Shift %(left)s more times to exit this page.")),
    "question_number": Phrase(_("Question %(number)s of %(total)s")),
    "choose_answer": Phrase(_("Choose one of the answers")),
    "yes_or_no": Phrase(_("Say yes or no")),
    "say_yes_or_no": Phrase(_("Say yes or no: %(option)s")),
    "disguised": Phrase(_("Disguised before it leaves this device"), protects=True),
    "sent_as_answered": Phrase(_("Sent as you answer it"), protects=True),
    "choice_title": Phrase(_("How do you want to answer?")),
    "choice_about": Phrase(
        _("This concerns the sensitive questions only. Both ways help; neither is expected of you."),
        protects=True,
    ),
    "choose_how": Phrase(_("Choose how you want to answer")),
    "choice_disguised": Phrase(_("Disguised")),
    "choice_disguised_means": Phrase(
        _(
            "Chance decides whether your true answers go out or others in their place. Whoever holds"
            " the records can never be sure of your answers; a record makes some answers more likely"
            " than others, and it shows that you chose the disguise."
        ),
        protects=True,
    ),
    "choice_open": Phrase(_("Openly")),
    "choice_open_means": Phrase(
        _(
            "Your answers go out as you give them. Whoever holds the records sees your true answers."
            " In return each of them counts for more, since no chance is mixed in."
        ),
        protects=True,
    ),
    "how_likely": Phrase(_("How likely is it that my answer is sent?"), protects=True),
    "how_likely_means": Phrase(
        _(
            "Chance may send an answer that is not yours, so whoever reads an answer cannot tell"
            " whose it truly is."
        ),
        protects=True,
    ),
    "about_times": Phrase(_("about %(m)s in %(n)s times"), protects=True),
    "answer": Phrase(_("Answer")),
    "option": Phrase(_("Option")),
    "answer_if_true": Phrase(_("Goes out if it is your answer"), protects=True),
    "answer_if_not": Phrase(_("Goes out if it is not"), protects=True),
    "yes_if_true": Phrase(_("Yes goes out if you say yes"), protects=True),
    "yes_if_not": Phrase(_("Yes goes out if you say no"), protects=True),
}

CHECKING: Phrases = {
    "check_title": Phrase(_("Check your answers")),
    "check_about": Phrase(
        _("So far they are known to this page only. Nothing has been sent."), protects=True
    ),
    "change": Phrase(_("Change")),
    "change_this": Phrase(_("Change: %(question)s")),
    "possible_title": Phrase(_("What may leave this device")),
    "possible_about": Phrase(
        _(
            "Here your answers go through the same disguise with coins thrown just now, for the show."
            " Your own coins were thrown before the first question and stay unseen."
        ),
        protects=True,
    ),
    "possible_why": Phrase(
        _(
            "Why not your own record? Some who saw it would rather not send it, and the results would"
            " be wrong for everybody. After sending you see exactly what was sent."
        ),
        protects=True,
    ),
    "part": Phrase(_("Disguised part %(number)s")),
    "throw_again": Phrase(_("Throw again")),
    "throw_kept": Phrase(_("This time your true answers go out.")),
    "throw_chance": Phrase(_("This time chance answers in your place.")),
    "throws_so_far": Phrase(_("True answers in %(kept)s of %(throws)s throws so far.")),
    "send_title": Phrase(_("Send the record")),
    "send_about": Phrase(
        _(
            "What is sent cannot be changed or withdrawn: nobody, not even we, can find a record once"
            " it is in."
        ),
        protects=True,
    ),
    "send_about_open": Phrase(
        _(
            "Your answers are sent as they stand above. What is sent cannot be changed or withdrawn:"
            " no name is on it by which it could be found."
        ),
        protects=True,
    ),
    "send": Phrase(_("Send")),
    "cannot_keep_title": Phrase(_("Your browser lets this page keep nothing")),
    "cannot_keep_about": Phrase(
        _(
            "In case you reload it, this page has to remember which questions it gave you and what it"
            " is sending. Allow this site to store data, or open the survey in another browser. No"
            " cookie is set."
        )
    ),
}

PREVIEW: Phrases = {
    "preview_title": Phrase(_("Preview: nothing was sent")),
    "preview_about": Phrase(
        _(
            "A respondent would now see the receipt below. Here no record has left the page, and none"
            " is stored."
        )
    ),
}
"""Only where nothing is sent."""
