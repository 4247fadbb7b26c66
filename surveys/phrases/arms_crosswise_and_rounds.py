"""Phrases of surveys with a direct arm, crosswise questions or several rounds, and of the page without JavaScript."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.fixed_page_sentence import make_phrases, make_protection_phrases
from surveys.phrases.start_page import START

ARM_SCREEN = (
    {"leave": START["leave"]}
    | make_phrases(
        arm_title=_("How you are asked"),
        arm_go_on=_("Go on"),
    )
    | make_protection_phrases(
        arm_direct=_(
            "A random draw in your device decided that you are asked directly. Your answers are sent as you"
            " give them: no disguise, no name. None of your answers has been sent yet. You can leave now."
        ),
        arm_disguised=_(
            "A random draw in your device decided that your answers are disguised before they are sent."
            " None of your answers has been sent yet. You can leave now."
        ),
    )
)
"""Phrases of the scripts about the arm."""

ARMS = ARM_SCREEN | make_protection_phrases(
    arms_draw=_("A random draw asks %(people)s directly, without disguise. Your device tells you first."),
    arms_direct=_(
        "<strong>%(odds)s times</strong> (%(share)s), you are asked directly: no disguise, no name."
    ),
    arms_disguised=_(
        "<strong>%(odds)s times</strong> (%(share)s), your answers are disguised before they are sent."
    ),
    arms_told=_(
        "Your device tells you which before the first question. You can leave then. <strong>Your record"
        " shows which it was.</strong>"
    ),
    arms_sure=_("If your answers are disguised, <strong>nobody can be sure what you answered.</strong>"),
    arms_only=_(
        "All of this is for people whose answers are disguised. Nothing of it is for people who are asked"
        " directly."
    ),
    limit_direct=_(
        "If you are asked directly, only the batch protects you: your record says that you were asked"
        " directly, and what you answered."
    ),
)
"""Phrases that are needed only where a survey asks a share of people directly."""

CROSSWISE_RECORDS = make_phrases(
    crosswise_same=_("The same"),
    crosswise_different=_("Different"),
) | make_protection_phrases(
    crosswise_differs=_(
        "“The same” and “Different” are all that was sent. Either is a yes to your private question for some"
        " people and a no for others. Nobody who does not know your answer to question A can be sure of your"
        " answer. It only makes one answer more likely than the other."
    ),
    crosswise_recorded=_("%(answer)s (stored as code %(code)s)"),
    crosswise_proves=_(
        "What you answered to a question that was asked together with another one. Only someone who knows"
        " your answer to the other question can work that out."
    ),
)
"""Phrases of a receipt about crosswise questions."""

CROSSWISE_SCREEN = (
    CROSSWISE_RECORDS
    | make_phrases(
        crosswise_title=_("Are your two answers the same?"),
        crosswise_first=_("Question A"),
        crosswise_second=_("Question B"),
        crosswise_same_means=_("Yes to both, or no to both"),
        crosswise_different_means=_("Yes to one, and no to the other"),
        crosswise_choose=_("Select “the same” or “different”"),
    )
    | make_protection_phrases(
        crosswise_protects=_("Protected: nobody can tell your answer from “same” or “different”"),
        crosswise_both=_("Answer both questions in your head. Do not tell anybody these two answers."),
        crosswise_disguised_means=_(
            "To a sensitive question you say only whether your answer is the same as to another question."
            " Nobody can ever be sure what you answered. Your record does make some answers more likely than"
            " others, and it shows that you chose disguise."
        ),
        crosswise_why_title=_("Why can nobody tell?"),
        crosswise_why=_(
            "“Same” can be yes to both or no to both. “Different” can be either way round. Your answer to"
            " question A never leaves your head, so nobody can tell what you answered to question B. No"
            " computer can either."
        ),
        crosswise_breaks=_(
            "What breaks it: someone who knows your answer to question A, such as someone who knows the"
            " birthday, can work out your answer to question B."
        ),
    )
)
"""Phrases of the scripts about crosswise questions."""

CROSSWISE = (
    CROSSWISE_SCREEN
    | make_phrases(
        crosswise_source=_("Where this number comes from:"),
    )
    | make_protection_phrases(
        crosswise_sure=_(
            "Some questions are private. <strong>Nobody can be sure what you answered:</strong> you say only"
            " whether two answers are the same."
        ),
        crosswise_some=_(
            "<strong>Asked in pairs:</strong> %(n)s of %(questions)s questions. You say only whether your two"
            " answers are the same."
        ),
        crosswise_card=_(
            "A question asked together with another one: you say only whether your answers are the same or"
            " different. Your device draws nothing."
        ),
        crosswise_share=_("To the other question, <strong>%(odds)s</strong> (%(share)s) answer yes."),
        crosswise_forms_card=_(
            "A question asked together with another one: you say only whether your answers are the same or"
            " different. Of the other question there are two forms: your device draws which one you read, and"
            " nothing else."
        ),
        crosswise_forms_share=_(
            "To one form of the other question, <strong>%(odds)s</strong> (%(share)s) answer yes; to the other"
            " form, all the others do."
        ),
        crosswise_rarest=_(
            "So nobody can be sure of your answer. Even the rarest answer is sent for"
            " <strong>%(odds)s</strong> (%(share)s) who did not give it."
        ),
        limit_crosswise=_(
            "Where you say only whether two answers are the same: someone who knows your answer to one"
            " question can work out the other."
        ),
    )
)
"""Phrases that are needed only where a survey asks crosswise questions."""

FOLLOWING = make_phrases(
    follows_title=_("These questions were asked before"),
    follows_which=_("Earlier surveys:"),
) | make_protection_phrases(
    follows_about=_(
        "If you answered them then, answering again makes your protection weaker: all your answers together"
        " reveal more than those of one time."
    ),
    follows_times=_(
        "All that you send in these surveys can make an answer of yours at most <strong>%(times)s"
        " times</strong> as likely, compared with any other answer."
    ),
    follows_disguised=_("This is for people whose answers were disguised every time."),
)
"""Phrases that are needed only where a survey asks again what earlier surveys asked."""

FORM = make_phrases(
    no_script_form=_(
        "Your browser does not run it. You can answer this survey on a page without JavaScript:"
    ),
    form_link=_("Answer without JavaScript"),
    form_none=_("For “%(none)s”, answer no to each."),
    form_invitation=_("Your invitation code"),
    form_invitation_about=_(
        "The 32 letters and digits after the # of your invitation link. Type or paste them."
    ),
    form_missing_title=_("Something is missing"),
    form_missing_about=_(
        "Your answers were not stored. Go back, answer every question, and press Send again."
    ),
    form_old_title=_("This page is too old"),
    form_old_about=_(
        "You opened it too long ago, so these answers were not stored now. If you sent them at the time, they may have"
        " arrived."
    ),
    form_later_title=_("Your answers could not be stored yet"),
    form_later_about=_(
        "Wait a minute, then reload this page. Your browser asks whether to send the form again: agree. Your"
        " answers count once. This page cannot keep them for later: if you close it, they are gone."
    ),
    form_back=_("Back to the survey"),
) | make_protection_phrases(
    form_about=_(
        "This page has no JavaScript. Nothing is sent until you press Send. It keeps nothing: if you reload"
        " it, your answers are gone."
    ),
    form_key=_(
        "This site gives the page a random number, so that your answers count once. The people who run this"
        " site could use it to tie your answers to your visit. With JavaScript your own device makes it."
    ),
)
"""Phrases that are needed only where a survey can be answered without JavaScript."""


# --- lasting
# The phrases of a disguise that lasts over rounds, and of the code by which the device remembers it.

LASTING_SCREEN = make_phrases(
    code_title=_("Your code"),
    code_back=_("Type it from your paper"),
    code_have=_("Your code from an earlier round, or from before you reloaded this page"),
    code_hint=_("18 letters and digits. Spaces, hyphens and small letters do not matter."),
    code_wrong=_("This is not a code of this study. Compare it with what you wrote down."),
    code_other=_("This is not the code above. Compare it with what you wrote down."),
    code_none=_("If you have no code"),
    code_make=_("Make a new code"),
    code_set=_("Your code is on this page until you send your answers or leave."),
    code_insecure=_(
        "This page cannot make or check a code, because its address does not begin with https. Nothing can be"
        " sent from here. Tell the people who run this survey."
    ),
) | make_protection_phrases(
    code_why=_(
        "Your code lets any device disguise the same answers in the same way in every round. It stays on this"
        " page: it is not sent and not stored."
    ),
    code_made=_(
        "Write it down and show it to nobody. It says nothing about your answers; but somebody who has it and"
        " recognises your records learns more. One person, one code."
    ),
    code_lost=_(
        "Without your code this is a new start: then all rounds together make any answers of yours at most"
        " %(times)s times as likely as any others that stay the same."
    ),
)
"""Phrases of the scripts about the code."""

LASTING = (
    LASTING_SCREEN
    | make_phrases(
        lasting_title=_("All rounds together"),
    )
    | make_protection_phrases(
        lasting_same=_(
            "Your answers are disguised once for good by your own code, and again in every round: as long as"
            " they stay the same, all rounds together make any answers of yours at most <strong>%(times)s"
            " times</strong> as likely as any others that stay the same."
        ),
        lasting_change=_(
            "A round in which they differ can multiply this by %(times)s once more, and somebody who could"
            " recognise your records might notice the change."
        ),
        lasting_some=_(
            "This is for the questions whose disguise lasts. Other disguised questions are disguised anew in"
            " each round, which reveals more each time."
        ),
        lasting_open=_("If you answer openly once, that says much about your other rounds."),
        limit_code=_(
            "Two codes of one person, or one code of two persons, reveal more than this page says. Nobody can"
            " give you your code again."
        ),
    )
)
"""Phrases that are needed only where the disguise of a section lasts."""
