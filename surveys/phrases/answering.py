"""The phrases of the respondents' scripts from the first question to the check."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases

SHARED: Phrases = {
    "title": Phrase(_("Survey")),
    "yes": Phrase(_("Yes")),
    "no": Phrase(_("No")),
    "percent": Phrase(_("%(number)s %")),
    "not_asked": Phrase(_("not asked")),
    "receipt_unasked": Phrase(_("Not asked: %(number)s")),
    "not_applicable": Phrase(_("does not apply")),
    "column_question": Phrase(_("Question")),
    "column_code": Phrase(_("Code")),
    "column_says": Phrase(_("Answer")),
    "perhaps_drawn": Phrase(_("%(answer)s, perhaps drawn at random"), protects=True),
    "short_drawn": Phrase(_("drawn by your device")),
    "short_open": Phrase(_("not disguised"), protects=True),
    "differs_title": Phrase(_("Why does this not show what I answered?")),
    "differs_about": Phrase(
        _(
            "A random draw may have changed each answer that is marked as perhaps drawn at random. So it may"
            " differ from what you said. This page has deleted your answers and the draws: nobody can tell"
            " which answers were changed."
        ),
        protects=True,
    ),
    "record_title": Phrase(_("The record, question by question")),
    "proves_title": Phrase(_("What this receipt does not prove")),
    "proves_truth": Phrase(
        _(
            "Your true answers. Each answer marked as perhaps drawn at random may be yours or random. The"
            " draws that decided are deleted: nobody can prove which."
        ),
        protects=True,
    ),
    "proves_open": Phrase(
        _(
            "You answered without disguise, so it does show what you answered. It does not show that"
            " this was the truth."
        ),
        protects=True,
    ),
    "proves_sent": Phrase(
        _("That it was sent, or who sent it. Anyone could write such a file; it is not signed."),
        protects=True,
    ),
    "proves_which": Phrase(_("Which stored record is yours. It carries no name."), protects=True),
}

ANSWERING: Phrases = {
    "back": Phrase(_("Back")),
    "continue": Phrase(_("Continue")),
    "error": Phrase(_("Error:")),
    "problem": Phrase(_("There is a problem")),
    "exit": Phrase(_("Exit this page")),
    "exit_presses": Phrase(_("Press Shift %(left)s more times to exit this page.")),
    "question_number": Phrase(_("Question %(number)s of %(total)s")),
    "choose_answer": Phrase(_("Select one of the answers")),
    "yes_or_no": Phrase(_("Select yes or no")),
    "say_yes_or_no": Phrase(_("Select yes or no: %(option)s")),
    "choose_answer_to": Phrase(_("Select one of the answers: %(question)s")),
    "choose_each": Phrase(_("Select one answer in each line")),
    "choose_one_or_none": Phrase(_("Select at least one answer, or “%(none)s”")),
    "disguised": Phrase(
        _("Disguised before it leaves this device, so nobody can be sure what you answered"),
        protects=True,
    ),
    "sent_as_answered": Phrase(_("Not disguised: sent exactly as you answer"), protects=True),
    "how_likely": Phrase(_("How likely is it that my answer is sent?"), protects=True),
    "choice_title": Phrase(_("How do you want to answer?")),
    "choice_about": Phrase(
        _("This applies to the sensitive questions only. Either choice is fine."),
        protects=True,
    ),
    "choose_how": Phrase(_("Select how you want to answer")),
    "choice_disguised": Phrase(_("Disguised")),
    "choice_disguised_means": Phrase(
        _(
            "Your device decides at random whether to send your true answers or random ones. Nobody"
            " can ever be sure what you answered. Your record does make some answers more likely than"
            " others, and it shows that you chose disguise."
        ),
        protects=True,
    ),
    "choice_open": Phrase(_("Not disguised")),
    "choice_open_means": Phrase(
        _(
            "Your answers are sent exactly as you give them. Anyone who holds the records can see"
            " them. In return they make the results more precise."
        ),
        protects=True,
    ),
    "about_times": Phrase(_("about %(m)s in %(n)s times"), protects=True),
}

CHECKING: Phrases = {
    "check_title": Phrase(_("Check your answers")),
    "check_about": Phrase(
        _("Nothing has been sent yet. Your answers exist only on this page."),
        protects=True,
    ),
    "change": Phrase(_("Change")),
    "change_this": Phrase(_("Change: %(question)s")),
    "possible_title": Phrase(_("Try it: what could be sent")),
    "possible_about": Phrase(
        _(
            "This is a demonstration. It disguises your answers with new random draws. The draws that"
            " count were made before the first question and are not shown."
        ),
        protects=True,
    ),
    "possible_why": Phrase(
        _(
            "Why can't I see my own record first? Some people would then decide not to send it, and"
            " the results would be wrong. You will see exactly what was sent afterwards."
        ),
        protects=True,
    ),
    "part": Phrase(_("Sensitive questions, part %(number)s")),
    "parts": Phrase(_("Sensitive questions, parts %(numbers)s")),
    "throw_again": Phrase(_("Try again")),
    "send_title": Phrase(_("Send your answers")),
    "send_about": Phrase(
        _("You cannot change or withdraw your answers after sending, because they carry no name."),
        protects=True,
    ),
    "send_about_open": Phrase(
        _(
            "Your answers will be sent exactly as shown above. You cannot change or withdraw them,"
            " because they carry no name."
        ),
        protects=True,
    ),
    "send": Phrase(_("Send")),
    "cannot_keep_title": Phrase(_("Your browser is blocking storage for this page")),
    "cannot_keep_about": Phrase(
        _(
            "This page must remember which questions it gave you and what it is sending, in case you"
            " reload it. Allow this site to store data, or open the survey in another browser. No"
            " cookie is set."
        )
    ),
}

TRIES: Phrases = {
    "throw_kept": Phrase(_("This time your true answers would be sent.")),
    "throw_chance": Phrase(_("This time random answers would be sent.")),
    "throws_so_far": Phrase(_("True answers sent in %(kept)s of %(throws)s tries so far.")),
}
"""Only where a survey asks sensitive questions with choices, or for a number."""

CHOICES: Phrases = {
    "how_likely_means": Phrase(
        _(
            "Your device may send a random answer instead of yours. So nobody who reads an answer can"
            " be sure that it is yours."
        ),
        protects=True,
    ),
    "answer": Phrase(_("Answer")),
    "option": Phrase(_("Option")),
    "answer_if_true": Phrase(_("Sent if it is your answer"), protects=True),
    "answer_if_not": Phrase(_("Sent if it is not"), protects=True),
    "yes_if_true": Phrase(_("“Yes” is sent if you answer yes"), protects=True),
    "yes_if_not": Phrase(_("“Yes” is sent if you answer no"), protects=True),
}
"""Only where a survey asks sensitive questions with choices."""

RECORDED_SETS: Phrases = {
    "set_recorded": Phrase(
        _("%(choices)s. Your answer may be one of these, or none of them."), protects=True
    ),
    "differs_set": Phrase(
        _(
            "Of a question with many answers several are sent together. The random draws decided which, and"
            " whether yours is among them. This page has deleted your answers and the draws: nobody can tell."
        ),
        protects=True,
    ),
    "proves_set": Phrase(
        _(
            "Which of several answers is yours, or whether one of them is. The draws that decided are deleted:"
            " nobody can prove it."
        ),
        protects=True,
    ),
}

SETS: Phrases = {
    **RECORDED_SETS,
    "set_odds": Phrase(
        _(
            "Your device sends %(size)s of these answers together. Yours is one of them %(times)s, any other"
            " answer %(others)s. Nobody can tell which happened."
        ),
        protects=True,
    ),
    "throw_set": Phrase(_("This time your answer would be one of those that are sent.")),
    "throw_others": Phrase(_("This time your answer would not be among those that are sent.")),
    "throws_set": Phrase(_("Your answer was among them in %(kept)s of %(throws)s tries so far.")),
}
"""Only where a survey sends sets of choices."""

PREVIEW: Phrases = {
    "preview_title": Phrase(_("Preview: nothing was sent")),
    "preview_about": Phrase(_("A respondent would now see this receipt. Nothing was sent or stored.")),
}
"""Only where nothing is sent."""


# --- understanding
# The phrases of the check of understanding, and of what an outsider sees of ten records.

UNDERSTANDING_SCREEN: Phrases = {
    "understood_title": Phrase(_("Is it clear how you are protected?")),
    "understood_lede": Phrase(
        _("Two quick questions about this survey. Whatever you select, you can go on and take part.")
    ),
    "understood_sure": Phrase(
        _("Could somebody who sees your record be sure what you answered to a private question?")
    ),
    "understood_sure_why": Phrase(
        _(
            "No. A record can come from any true answer, so nobody can be sure of yours. It only makes some"
            " answers more likely than others."
        ),
        protects=True,
    ),
    "understood_common": Phrase(
        _("Can researchers still work out from all records together how common something is?")
    ),
    "understood_common_why": Phrase(
        _(
            "Yes. They know how often chance decides, and can allow for it in the total. That tells nothing"
            " sure about any one person."
        ),
        protects=True,
    ),
    "understood_again": Phrase(_("Not quite. Read why, and select again.")),
    "understood_after": Phrase(_("Not quite. This is how it works:")),
    "understood_done": Phrase(_("You have answered these two questions. Select Continue.")),
}
"""What the scripts say of it."""

OUTSIDER: Phrases = {
    "outsider_title": Phrase(_("What somebody else sees")),
    "outsider_about": Phrase(
        _(
            "Ten made-up people are asked whether they sing in the shower. With the odds of this survey"
            " %(share)s of all records say what is true. Nobody else sees the random draws."
        ),
        protects=True,
    ),
    "outsider_draw": Phrase(_("Show ten records")),
    "outsider_result": Phrase(
        _(
            "“Yes” is in %(yes)s of 10 records, “No” in %(no)s. Whose record is true? Nobody can tell from the"
            " records."
        ),
        protects=True,
    ),
}
"""What the scripts say of it on the start page."""

UNDERSTANDING: Phrases = {
    **UNDERSTANDING_SCREEN,
    **OUTSIDER,
    "understood_told": Phrase(
        _(
            "First, two questions check whether this page was clear. Without disguise your record only says:"
            " understood at once, after an explanation, or not."
        ),
        protects=True,
    ),
    "understood_stored": Phrase(_("Were the two questions about the protection understood?")),
    "understood_at_once": Phrase(_("At once")),
    "understood_explained": Phrase(_("After an explanation")),
    "understood_not": Phrase(_("Not")),
}
"""Only where a survey checks whether people understand the disguise."""
