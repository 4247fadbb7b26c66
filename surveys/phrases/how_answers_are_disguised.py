"""Phrases of the start page that explain what is disguised, and with which probabilities."""

from django.utils.translation import gettext_lazy as _

from surveys.phrases.fixed_page_sentence import make_phrases, make_protection_phrases

DISGUISE = make_protection_phrases(
    odds=_("about %(m)s in %(n)s"),
    odds_people=_("about %(m)s in %(n)s people"),
    odds_first=_("About %(m)s in %(n)s"),
    disguise_title=_("How your answers are protected"),
    disguise_some=_(
        "<strong>Disguised:</strong> sensitive questions (%(n)s of %(questions)s). A random draw may change"
        " your answers before they leave this device."
    ),
    disguise_others=_(
        "<strong>Not disguised:</strong> all other questions. Every page tells you which kind it is."
    ),
    disguise_draws=_(
        "Your device makes the random draws before the first question. Nobody can see them. If you reload the"
        " page, it makes new draws for the same questions."
    ),
    by_chance=_("So nobody can be sure that an answer is your true one."),
)

NOTHING_DISGUISED = make_protection_phrases(
    disguise_nothing=_(
        "The people who ask think that none of these questions is sensitive. Every answer is sent exactly as"
        " you give it. Taken together, your answers can point to you."
    ),
)
"""Phrases that are needed only where a survey asks nothing sensitive."""

DEVICE_DISGUISES_NOTHING = make_protection_phrases(
    no_script_plain=_(
        "This survey needs JavaScript, for example to choose the questions that apply to you. Allow JavaScript"
        " for this site and reload the page, or leave."
    ),
)
"""Phrases that are needed only where the device disguises no answer.

A crosswise question is disguised by its secret, not by the device.
"""

GROUPED_CHANCES = make_phrases(
    grouped_asked=_(
        "You will be asked %(asked)s of these %(all)s questions. Your device picks them at random."
    ),
    grouped_asked_each=_(
        "In each of these parts you will be asked %(asked)s of %(all)s questions. Your device picks them at"
        " random."
    ),
) | make_protection_phrases(
    grouped_kept=_("<strong>%(odds)s times</strong> (%(share)s), your true answers to this part are sent."),
    grouped_drawn=_(
        "The other times, none of your true answers is sent: your device sends random answers instead."
    ),
    grouped_yes=_("A random answer is “%(answer)s” <strong>%(odds)s times</strong> (%(share)s)."),
    grouped_rarest=_(
        "So nobody can be sure that an answer is your true one. Even the rarest answer is sent for"
        " <strong>%(odds)s</strong> (%(share)s) who did not give it."
    ),
)
"""Phrases that are needed only where a survey asks sensitive questions with choices."""

NUMBER_CHANCES = make_phrases(
    window_about=_("For a number that you enter:"),
    steps_about=_("For a number that you choose:"),
) | make_protection_phrases(
    classes_about=_(
        "For a number that you enter: your device draws %(cuts)s of the numbers %(limits)s at random, and so"
        " divides all numbers into classes."
    ),
    classes_fixed=_("For a number that you enter: all numbers are divided into classes at %(limits)s."),
    classes_rest=_(
        "<strong>%(odds)s times</strong> (%(share)s), it sends only a yes or no instead, disguised in the"
        " same way, that helps to find the average."
    ),
    classes_kept=_("<strong>%(odds)s times</strong> (%(share)s), the class that your number is in is sent."),
    classes_drawn=_("The other times, one of the classes is sent at random, each equally often."),
    steps_kept=_("<strong>%(odds)s times</strong> (%(share)s), the number that you choose is sent."),
    steps_drawn=_("The other times, one of the %(steps)s numbers is sent at random, each equally often."),
    window_kept=_(
        "<strong>%(odds)s times</strong> (%(share)s), a number at most %(far)s away from yours is sent, each"
        " equally often. Counting goes round: after %(high)s comes %(low)s again."
    ),
    window_drawn=_("The other times, any number from %(low)s to %(high)s is sent, drawn at random."),
)
"""Phrases that are needed only where a survey asks for a number."""

SET_CHANCES = make_protection_phrases(
    set_about=_(
        "For one question your device sends %(size)s of the %(choices)s answers together, never one alone."
    ),
    set_kept=_("<strong>%(odds)s times</strong> (%(share)s), your answer is one of those that are sent."),
    set_drawn=_("The other times it is not: the answers that are sent are drawn from all others at random."),
    set_other=_(
        "So nobody can be sure that one of them is your answer. Any answer is also sent for"
        " <strong>%(odds)s</strong> (%(share)s) who did not give it."
    ),
)
"""Phrases that are needed only where a survey sends sets of choices."""

PLACE_CHANCES = make_phrases(
    place_about=_(
        "For a place that you choose: each region on the list is sensitive. Your place may be inside one of"
        " them or outside."
    ),
) | make_protection_phrases(
    place_chances_inside=_(
        "<strong>Inside the regions,</strong> a place inside them is sent, more often one near yours. Your"
        " record can make any one place inside the regions at most <strong>%(odds)s times</strong> as likely,"
        " compared with any other place."
    ),
    place_chances_level=_("In %(regions)s: at most %(odds)s times."),
    place_chances_outside=_(
        "<strong>Outside the regions, your place is not protected.</strong> Your exact place is sent"
        " <strong>%(odds)s times</strong> (%(share)s) and counts as not disguised. The other times, a place"
        " inside the regions is sent instead."
    ),
    start_sure_outside=_(
        "Your browser disguises private answers. <strong>Nobody can be sure of them, except a place outside"
        " the sensitive regions.</strong>"
    ),
    arms_sure_outside=_(
        "If your answers are disguised, <strong>nobody can be sure of them, except a place outside the"
        " sensitive regions.</strong>"
    ),
    together_inside=_("Only inside the sensitive regions."),
    inside_only=_(
        "<strong>Who is protected:</strong> the protection of all answers together is for people whose place"
        " is inside the sensitive regions. For people outside them the place is not protected."
    ),
)
"""Phrases that are needed only where a survey asks for a place."""


# --- how it works
# The phrases of the start page that explain the disguise in sight, and of what a visitor can try there.

HOW_IT_WORKS = make_phrases(
    toy_title=_("Try it with a made-up question"),
) | make_protection_phrases(
    start_sure=_(
        "Some questions are private. <strong>Nobody can be sure what you answered:</strong> your browser"
        " disguises it before sending."
    ),
    together_limit=_(
        "All answers together: somebody %(before)s sure beforehand can become at most <strong>%(after)s"
        " sure.</strong>"
    ),
    start_yes=_("<strong>A yes in your record does not mean that you said yes.</strong>"),
    start_common=_("Researchers can still work out how common something is."),
    limit_likely=_("Your record is no proof, but it does make some answers more likely than others."),
)
"""Phrases that are needed only where a survey asks something sensitive."""

TOY = make_phrases(
    toy_question=_("Do you sing in the shower?"),
    toy_kept=_("Heads: your true answer"),
    toy_random=_("Tails: a random answer"),
    quiz_question=_("Check yourself: your record says yes. Does that prove that you said yes?"),
) | make_protection_phrases(
    toy_about=_("Your device flips a fair coin ten times. Nothing that you select here is sent or kept."),
    toy_result=_(
        "“Yes” would be sent in %(yes)s of 10 flips, “No” in %(no)s. From one record alone, nobody can tell"
        " what you answered."
    ),
    quiz_right=_("That is right. The yes may be a random answer, and nobody can tell."),
    quiz_wrong=_(
        "Many people think so at first, but it does not. The yes may be a random answer, and nobody can tell."
    ),
)
"""Phrases of the scripts about the made-up question on the start page."""
