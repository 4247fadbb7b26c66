"""Phrases of the respondents' scripts, from the first question to the review of one's answers."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.fixed_page_sentence import make_phrases, make_protection_phrases

SHARED = make_phrases(
    title=_("Survey"),
    yes=_("Yes"),
    no=_("No"),
    percent=_("%(number)s %"),
    not_asked=_("not asked"),
    receipt_unasked=_("Not asked: %(number)s"),
    not_applicable=_("does not apply"),
    column_question=_("Question"),
    column_code=_("Code"),
    column_says=_("Answer"),
    short_drawn=_("drawn by your device"),
    differs_title=_("Why does this not show what I answered?"),
    record_title=_("The record, question by question"),
    proves_title=_("What this receipt does not prove"),
) | make_protection_phrases(
    perhaps_drawn=_("%(answer)s, perhaps drawn at random"),
    short_open=_("not disguised"),
    differs_about=_(
        "A random draw may have changed each answer that is marked as perhaps drawn at random. So it may"
        " differ from what you said. This page has deleted your answers and the draws: nobody can tell which"
        " answers were changed."
    ),
    proves_truth=_(
        "Your true answers. Each answer marked as perhaps drawn at random may be yours or random. The draws"
        " that decided are deleted: nobody can prove which."
    ),
    proves_open=_(
        "You answered without disguise, so it does show what you answered. It does not show that this was the"
        " truth."
    ),
    proves_sent=_("That it was sent, or who sent it. Anyone could write such a file; it is not signed."),
    proves_which=_("Which stored record is yours. It carries no name."),
)

ANSWERING = make_phrases(
    back=_("Back"),
    continue_=_("Continue"),
    error=_("Error:"),
    problem=_("There is a problem"),
    exit=_("Exit this page"),
    exit_presses=_("Press Shift %(left)s more times to exit this page."),
    question_number=_("Question %(number)s of %(total)s"),
    choose_answer=_("Select one of the answers"),
    yes_or_no=_("Select yes or no"),
    say_yes_or_no=_("Select yes or no: %(option)s"),
    choose_answer_to=_("Select one of the answers: %(question)s"),
    choose_each=_("Select one answer in each line"),
    choose_one_or_none=_("Select at least one answer, or “%(none)s”"),
    choice_title=_("How do you want to answer?"),
    choose_how=_("Select how you want to answer"),
    choice_disguised=_("Disguised"),
    choice_open=_("Not disguised"),
) | make_protection_phrases(
    disguised=_("Disguised before it leaves this device, so nobody can be sure what you answered"),
    sent_as_answered=_("Not disguised: sent exactly as you answer"),
    how_likely=_("How likely is it that my answer is sent?"),
    choice_about=_("This applies to the sensitive questions only. Either choice is fine."),
    choice_disguised_means=_(
        "Your device decides at random whether to send your true answers or random ones. Nobody can ever be"
        " sure what you answered. Your record does make some answers more likely than others, and it shows"
        " that you chose disguise."
    ),
    choice_open_means=_(
        "Your answers are sent exactly as you give them. Anyone who holds the records can see them. In return"
        " they make the results more precise."
    ),
    about_times=_("about %(m)s in %(n)s times"),
)

CHECKING = make_phrases(
    check_title=_("Check your answers"),
    change=_("Change"),
    change_this=_("Change: %(question)s"),
    possible_title=_("Try it: what could be sent"),
    part=_("Sensitive questions, part %(number)s"),
    parts=_("Sensitive questions, parts %(numbers)s"),
    throw_again=_("Try again"),
    send_title=_("Send your answers"),
    send=_("Send"),
    cannot_keep_title=_("Your browser is blocking storage for this page"),
    cannot_keep_about=_(
        "This page must remember which questions it gave you and what it is sending, in case you reload it."
        " Allow this site to store data, or open the survey in another browser. No cookie is set."
    ),
) | make_protection_phrases(
    check_about=_("None of your answers has been sent yet. They exist only on this page."),
    possible_about=_(
        "This is a demonstration. It disguises your answers with new random draws. The draws that count were"
        " made before the first question and are not shown."
    ),
    possible_why=_(
        "Why can't I see my own record first? Some people would then decide not to send it, and the results"
        " would be wrong. You will see exactly what was sent afterwards."
    ),
    send_about=_("You cannot change or withdraw your answers after sending, because they carry no name."),
    send_about_open=_(
        "Your answers will be sent exactly as shown above. You cannot change or withdraw them, because they"
        " carry no name."
    ),
)

TRIES = make_phrases(
    throw_kept=_("This time your true answers would be sent."),
    throw_chance=_("This time random answers would be sent."),
    throws_so_far=_("True answers sent in %(kept)s of %(throws)s tries so far."),
)
"""Phrases that are needed only where a survey asks sensitive questions with choices, or for a number."""

CHOICES = make_phrases(
    answer=_("Answer"),
    option=_("Option"),
) | make_protection_phrases(
    how_likely_means=_(
        "Your device may send a random answer instead of yours. So nobody who reads an answer can be sure"
        " that it is yours."
    ),
    answer_if_true=_("Sent if it is your answer"),
    answer_if_not=_("Sent if it is not"),
    yes_if_true=_("“Yes” is sent if you answer yes"),
    yes_if_not=_("“Yes” is sent if you answer no"),
)
"""Phrases that are needed only where a survey asks sensitive questions with choices."""

RECORDED_SETS = make_protection_phrases(
    set_recorded=_("%(choices)s. Your answer may be one of these, or none of them."),
    differs_set=_(
        "Of a question with many answers several are sent together. The random draws decided which, and"
        " whether yours is among them. This page has deleted your answers and the draws: nobody can tell."
    ),
    proves_set=_(
        "Which of several answers is yours, or whether one of them is. The draws that decided are deleted:"
        " nobody can prove it."
    ),
)

SETS = (
    RECORDED_SETS
    | make_phrases(
        throw_set=_("This time your answer would be one of those that are sent."),
        throw_others=_("This time your answer would not be among those that are sent."),
        throws_set=_("Your answer was among them in %(kept)s of %(throws)s tries so far."),
    )
    | make_protection_phrases(
        set_odds=_(
            "Your device sends %(size)s of these answers together. Yours is one of them %(times)s, any other"
            " answer %(others)s. Nobody can tell which happened."
        ),
    )
)
"""Phrases that are needed only where a survey sends sets of choices."""

PREVIEW = make_phrases(
    preview_title=_("Preview: nothing was sent"),
    preview_about=_("A respondent would now see this receipt. Nothing was sent or stored."),
)
"""Phrases that are needed only in a preview, where nothing is sent."""


# --- understanding
# The phrases of the check of understanding, and of what an outsider sees of ten records.

UNDERSTANDING_SCREEN = make_phrases(
    understood_title=_("Is it clear how you are protected?"),
    understood_lede=_(
        "Two quick questions about this survey. Whatever you select, you can go on and take part."
    ),
    understood_sure=_("Could somebody who sees your record be sure what you answered to a private question?"),
    understood_common=_("Can researchers still work out from all records together how common something is?"),
    understood_again=_("Not quite. Read why, and select again."),
    understood_after=_("Not quite. This is how it works:"),
    understood_done=_("You have answered these two questions. Select Continue."),
) | make_protection_phrases(
    understood_sure_why=_(
        "No, not if your answers are disguised. Such a record can come from any true answer, so nobody can be"
        " sure of yours. It only makes some answers more likely than others."
    ),
    understood_common_why=_(
        "Yes. They know how often chance decides, and can allow for it in the total. That tells nothing sure"
        " about any one person."
    ),
)
"""Phrases of the scripts about the check of understanding."""

OUTSIDER = make_phrases(
    outsider_title=_("What somebody else sees"),
    outsider_draw=_("Show ten records"),
) | make_protection_phrases(
    outsider_about=_(
        "Ten made-up people are asked whether they sing in the shower. With the odds of this survey %(share)s"
        " of all records say what is true. Nobody else sees the random draws."
    ),
    outsider_result=_(
        "“Yes” is in %(yes)s of 10 records, “No” in %(no)s. Whose record is true? Nobody can tell from the"
        " records."
    ),
)
"""Phrases of the scripts about an outsider's view, on the start page."""

UNDERSTANDING = (
    UNDERSTANDING_SCREEN
    | OUTSIDER
    | make_phrases(
        understood_stored=_("Were the two questions about the protection understood?"),
        understood_at_once=_("At once"),
        understood_explained=_("After an explanation"),
        understood_not=_("Not"),
    )
    | make_protection_phrases(
        understood_told=_(
            "First, two questions check whether this page was clear. Without disguise your record only says:"
            " understood at once, after an explanation, or not."
        ),
    )
)
"""Phrases that are needed only where a survey checks whether people understand the disguise."""
