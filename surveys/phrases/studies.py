"""The phrases of arms, crosswise questions, surveys that ask again, and the page without JavaScript."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.phrase import Phrase, Phrases
from surveys.phrases.start_page import START

ARM_SCREEN: Phrases = {
    "arm_title": Phrase(_("How you are asked")),
    "arm_direct": Phrase(
        _(
            "A random draw in your device decided that you are asked directly. Your answers are sent as you"
            " give them: no disguise, no name. Nothing has been sent yet. You can leave now."
        ),
        protects=True,
    ),
    "arm_disguised": Phrase(
        _(
            "A random draw in your device decided that your answers are disguised before they are sent."
            " Nothing has been sent yet. You can leave now."
        ),
        protects=True,
    ),
    "arm_go_on": Phrase(_("Go on")),
    "leave": START["leave"],
}
"""What the scripts say of the arm."""

ARMS: Phrases = {
    **ARM_SCREEN,
    "arms_title": Phrase(_("A random draw decides how you are asked")),
    "arms_direct": Phrase(
        _("<strong>%(odds)s times</strong> (%(share)s), you are asked directly: no disguise, no name."),
        protects=True,
    ),
    "arms_disguised": Phrase(
        _("<strong>%(odds)s times</strong> (%(share)s), your answers are disguised before they are sent."),
        protects=True,
    ),
    "arms_told": Phrase(
        _(
            "Your device tells you which before the first question. You can leave then."
            " <strong>Your record shows which it was.</strong>"
        ),
        protects=True,
    ),
    "arms_sure": Phrase(
        _("If your answers are disguised, <strong>nobody can be sure what you answered.</strong>"),
        protects=True,
    ),
    "arms_only": Phrase(
        _(
            "All of this is for people whose answers are disguised. Nothing of it is for people who are asked directly."
        ),
        protects=True,
    ),
    "limit_direct": Phrase(
        _(
            "If you are asked directly, only the batch protects you: your record says that you were"
            " asked directly, and what you answered."
        ),
        protects=True,
    ),
}
"""Only where a survey asks a share of people directly."""

CROSSWISE_RECORDS: Phrases = {
    "crosswise_differs": Phrase(
        _(
            "“The same” and “Different” are all that was sent. Either is a yes to your private question for"
            " some people and a no for others: it tells nothing about you to anyone who does not know your"
            " answer to question A."
        ),
        protects=True,
    ),
    "crosswise_same": Phrase(_("The same")),
    "crosswise_different": Phrase(_("Different")),
    "crosswise_recorded": Phrase(_("%(answer)s (stored as code %(code)s)"), protects=True),
    "crosswise_proves": Phrase(
        _(
            "What you answered to a question that was asked together with another one. Only someone"
            " who knows your answer to the other question can work that out."
        ),
        protects=True,
    ),
}
"""What a receipt says of crosswise questions."""

CROSSWISE_SCREEN: Phrases = {
    **CROSSWISE_RECORDS,
    "crosswise_title": Phrase(_("Are your two answers the same?")),
    "crosswise_protects": Phrase(
        _("Protected: nobody can tell your answer from “same” or “different”"), protects=True
    ),
    "crosswise_both": Phrase(
        _("Answer both questions in your head. Do not tell anybody these two answers."), protects=True
    ),
    "crosswise_first": Phrase(_("Question A")),
    "crosswise_second": Phrase(_("Question B")),
    "crosswise_same_means": Phrase(_("Yes to both, or no to both")),
    "crosswise_different_means": Phrase(_("Yes to one, and no to the other")),
    "crosswise_choose": Phrase(_("Select “the same” or “different”")),
    "crosswise_why_title": Phrase(_("Why can nobody tell?"), protects=True),
    "crosswise_why": Phrase(
        _(
            "“Same” can be yes to both or no to both. “Different” can be either way round. Your answer"
            " to question A never leaves your head, so nobody can tell what you answered to question B."
            " No computer can either."
        ),
        protects=True,
    ),
    "crosswise_breaks": Phrase(
        _(
            "What breaks it: someone who knows your answer to question A, such as someone who knows"
            " the birthday, can work out your answer to question B."
        ),
        protects=True,
    ),
}
"""What the scripts say of crosswise questions."""

CROSSWISE: Phrases = {
    **CROSSWISE_SCREEN,
    "crosswise_sure": Phrase(
        _(
            "Some questions are private. <strong>Nobody can be sure what you answered:</strong> you say"
            " only whether two answers are the same."
        ),
        protects=True,
    ),
    "crosswise_how": Phrase(
        _("Each private question comes with a second one. Only you know your answer to that one."),
        protects=True,
    ),
    "crosswise_also": Phrase(
        _("Some questions come in pairs: you say only whether your two answers are the same."),
        protects=True,
    ),
    "crosswise_some": Phrase(
        _(
            "<strong>Asked in pairs:</strong> %(n)s of %(questions)s questions. You say only whether"
            " your two answers are the same."
        ),
        protects=True,
    ),
    "crosswise_card": Phrase(
        _(
            "A question asked together with another one: you say only whether your answers are the same"
            " or different. Your device draws nothing."
        ),
        protects=True,
    ),
    "crosswise_share": Phrase(
        _("To the other question, <strong>%(odds)s</strong> (%(share)s) answer yes."), protects=True
    ),
    "crosswise_source": Phrase(_("Where this number comes from:")),
    "crosswise_rarest": Phrase(
        _(
            "So nobody can be sure of your answer. Even the rarest answer is sent for"
            " <strong>%(odds)s</strong> (%(share)s) who did not give it."
        ),
        protects=True,
    ),
    "limit_crosswise": Phrase(
        _(
            "Where you say only whether two answers are the same: someone who knows your answer to one"
            " question can work out the other."
        ),
        protects=True,
    ),
}
"""Only where a survey asks crosswise questions."""

FOLLOWING: Phrases = {
    "follows_title": Phrase(_("These questions were asked before")),
    "follows_about": Phrase(
        _(
            "If you answered them then, answering again makes your protection weaker: all your answers"
            " together reveal more than those of one time."
        ),
        protects=True,
    ),
    "follows_which": Phrase(_("Earlier surveys:")),
    "follows_times": Phrase(
        _(
            "All that you send in these surveys can make an answer of yours at most <strong>%(times)s"
            " times</strong> as likely, compared with any other answer."
        ),
        protects=True,
    ),
    "follows_disguised": Phrase(
        _("This is for people whose answers were disguised every time."), protects=True
    ),
}
"""Only where a survey asks again what earlier surveys asked."""

FORM: Phrases = {
    "no_script_form": Phrase(
        _("Your browser does not run it. You can answer this survey on a page without JavaScript:"),
    ),
    "form_link": Phrase(_("Answer without JavaScript")),
    "form_about": Phrase(
        _(
            "This page has no JavaScript. Nothing is sent until you press Send. It keeps nothing: if you"
            " reload it, your answers are gone."
        ),
        protects=True,
    ),
    "form_key": Phrase(
        _(
            "This site gives the page a random number, so that your answers count once. The people who"
            " run this site could use it to tie your answers to your visit. With JavaScript your own"
            " device makes it."
        ),
        protects=True,
    ),
    "form_none": Phrase(_("For “%(none)s”, answer no to each.")),
    "form_invitation": Phrase(_("Your invitation code")),
    "form_invitation_about": Phrase(
        _("The 32 letters and digits after the # of your invitation link. Type or paste them.")
    ),
    "form_missing_title": Phrase(_("Something is missing")),
    "form_missing_about": Phrase(
        _("Your answers were not stored. Go back, answer every question, and press Send again.")
    ),
    "form_later_title": Phrase(_("Your answers could not be stored yet")),
    "form_later_about": Phrase(
        _(
            "Wait a minute, then reload this page. Your browser asks whether to send the form again:"
            " agree. Your answers count once. This page cannot keep them for later: if you close it, they are gone."
        )
    ),
    "form_back": Phrase(_("Back to the survey")),
}
"""Only where a survey can be answered without JavaScript."""


# --- lasting
# The phrases of a disguise that lasts over rounds, and of the code by which the device remembers it.

LASTING_SCREEN: Phrases = {
    "code_title": Phrase(_("Your code")),
    "code_why": Phrase(
        _(
            "Your code lets any device disguise the same answers in the same way in every round. It stays on this"
            " page: it is not sent and not stored."
        ),
        protects=True,
    ),
    "code_made": Phrase(
        _(
            "Write it down and show it to nobody. It says nothing about your answers; but somebody who has it and"
            " recognises your records learns more. One person, one code."
        ),
        protects=True,
    ),
    "code_back": Phrase(_("Type it from your paper")),
    "code_have": Phrase(_("Your code from an earlier round, or from before you reloaded this page")),
    "code_hint": Phrase(_("18 letters and digits. Spaces, hyphens and small letters do not matter.")),
    "code_wrong": Phrase(_("This is not a code of this study. Compare it with what you wrote down.")),
    "code_other": Phrase(_("This is not the code above. Compare it with what you wrote down.")),
    "code_none": Phrase(_("If you have no code")),
    "code_lost": Phrase(
        _(
            "Without your code this is a new start: then all rounds together make any answers of yours at most"
            " %(times)s times as likely as any others that stay the same."
        ),
        protects=True,
    ),
    "code_make": Phrase(_("Make a new code")),
    "code_set": Phrase(_("Your code is on this page until you send your answers or leave.")),
    "code_insecure": Phrase(
        _(
            "This page cannot make or check a code, because its address does not begin with https. Nothing can be"
            " sent from here. Tell the people who run this survey."
        )
    ),
}
"""What the scripts say of the code."""

LASTING: Phrases = {
    **LASTING_SCREEN,
    "lasting_title": Phrase(_("All rounds together")),
    "lasting_same": Phrase(
        _(
            "Your answers are disguised once for good by your own code, and again in every round: as long as they stay"
            " the same, all rounds together make any answers of yours at most <strong>%(times)s times</strong> as"
            " likely as any others that stay the same."
        ),
        protects=True,
    ),
    "lasting_change": Phrase(
        _(
            "A round in which they differ can multiply this by %(times)s once more, and somebody who could recognise"
            " your records might notice the change."
        ),
        protects=True,
    ),
    "lasting_some": Phrase(
        _(
            "This is for the questions whose disguise lasts. Other disguised questions are disguised anew in each"
            " round, which reveals more each time."
        ),
        protects=True,
    ),
    "lasting_open": Phrase(
        _("If you answer openly once, that says much about your other rounds."), protects=True
    ),
    "limit_code": Phrase(
        _(
            "Two codes of one person, or one code of two persons, reveal more than this page says. Nobody can give"
            " you your code again."
        ),
        protects=True,
    ),
}
"""Only where the disguise of a section lasts."""
